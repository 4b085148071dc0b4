//! The body of an answer: a short text, or a file that is read while it is sent. A header says how long it is.

use hyper::body::{Body, Bytes, Frame};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::fs::File;
use tokio::io::{AsyncRead, ReadBuf};

/// Bytes of a file in memory at a time.
const CHUNK: u64 = 64 << 10;

/// The body of an answer.
pub enum Content {
    /// A short text, until it is sent.
    Text(Option<Bytes>),
    /// A file.
    File {
        /// Where it is read from.
        file: File,
        /// Bytes that remain to be sent.
        left: u64,
    },
}

impl Body for Content {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        match self.get_mut() {
            Content::Text(text) => Poll::Ready(text.take().map(|text| Ok(Frame::data(text)))),
            Content::File { left: 0, .. } => Poll::Ready(None),
            Content::File { file, left } => {
                let mut chunk = vec![0; usize::try_from((*left).min(CHUNK)).unwrap_or_default()];
                let mut buffer = ReadBuf::new(&mut chunk);
                ready!(Pin::new(file).poll_read(cx, &mut buffer))?;
                let read = buffer.filled().len();
                if read == 0 {
                    // The length was sent already, so the answer must not end as if it were complete.
                    return Poll::Ready(Some(Err(io::ErrorKind::UnexpectedEof.into())));
                }
                chunk.truncate(read);
                *left -= read as u64;
                Poll::Ready(Some(Ok(Frame::data(chunk.into()))))
            }
        }
    }
}
