//! Connections: a limited number at a time, each closed when it is idle.
//!
//! Whoever connects is taken at once. Every user of the machine can do so, and a connection says only with its first request
//! whether it knows the token. So a connection that has not shown the token holds its place only until another needs it, the
//! oldest first, and is closed after an answer.

use super::access::Pass;
use super::answer::{self, Site};
use anyhow::Context as _;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::io;
use std::net::TcpListener;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{AbortHandle, yield_now};
use tokio::time::{Sleep, sleep};

/// Open connections. If all have shown the token, others wait until one ends. A browser opens six. Most systems let a
/// program open 1024 files, and a connection needs two: itself and the file that it sends.
const MAX_CONNECTIONS: usize = 256;

/// Longest request line with headers, in bytes. A browser sends about one KB.
const MAX_HEAD_BYTES: usize = 16 << 10;

/// Most headers of a request.
const MAX_HEADERS: usize = 64;

/// Time within which a request must be complete.
const HEAD_TIME: Duration = Duration::from_secs(10);

/// Time without traffic after which a connection is closed: a paused download, a page that was left.
const IDLE_TIME: Duration = Duration::from_secs(30);

/// Pause after an error of the system, such as too many open files.
const PAUSE: Duration = Duration::from_millis(50);

/// Answers requests until the program ends.
pub fn serve(listener: TcpListener, site: Arc<Site>) -> anyhow::Result<()> {
    // One thread for all connections, and a few that read files: a report has few readers.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().max_blocking_threads(8).build();
    let runtime = runtime.context("the server cannot be started")?;
    runtime.block_on(async {
        listener.set_nonblocking(true)?;
        let listener = tokio::net::TcpListener::from_std(listener)?;
        let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
        // Connections that have not shown the token, the oldest first.
        let mut strangers: VecDeque<Stranger> = VecDeque::new();
        loop {
            let accepted = listener.accept().await;
            strangers.retain(|one| !one.task.is_finished() && !one.is_known.load(Ordering::Relaxed));
            let needs_room = accepted.is_err() || places.available_permits() == 0;
            let oldest = if needs_room { strangers.pop_front() } else { None };
            let has_room = oldest.inspect(|oldest| oldest.task.abort()).is_some();
            let Ok((stream, _)) = accepted else {
                sleep(if has_room { Duration::ZERO } else { PAUSE }).await;
                continue;
            };
            let place = Arc::clone(&places).acquire_owned().await?;
            let is_known = Arc::new(AtomicBool::new(false));
            let talk = converse(stream, Arc::clone(&site), Arc::clone(&is_known), place);
            strangers.push_back(Stranger { task: tokio::spawn(talk).abort_handle(), is_known });
            // What the others have sent is read before the next one is taken: whoever sends the token at once is known
            // before it is the oldest, however fast others connect.
            yield_now().await;
        }
    })
}

/// A connection that may not have shown the token.
struct Stranger {
    task: AbortHandle,
    is_known: Arc<AtomicBool>,
}

/// Answers the requests of one connection.
async fn converse(
    stream: TcpStream,
    site: Arc<Site>,
    is_known: Arc<AtomicBool>,
    _place: OwnedSemaphorePermit,
) {
    let _ = stream.set_nodelay(true);
    let answers = service_fn(move |request: hyper::Request<hyper::body::Incoming>| {
        let (site, request) = (Arc::clone(&site), request.into_parts().0);
        let pass = site.access.pass(&request);
        is_known.fetch_or(matches!(pass, Pass::Newcomer | Pass::Known), Ordering::Relaxed);
        async move { Ok::<_, Infallible>(answer::to(site, request, pass).await) }
    });
    // Errors mean that the browser has gone away or is idle.
    let _ = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(MAX_HEAD_BYTES)
        .max_headers(MAX_HEADERS)
        .serve_connection(TokioIo::new(Impatient::new(stream, IDLE_TIME)), answers)
        .await;
}

/// A stream that fails after some time without traffic in either direction.
struct Impatient<S> {
    stream: S,
    patience: Duration,
    end: Pin<Box<Sleep>>,
}

impl<S> Impatient<S> {
    fn new(stream: S, patience: Duration) -> Self {
        Impatient { stream, patience, end: Box::pin(sleep(patience)) }
    }

    /// Passes on the result, or times out.
    fn watch<T>(&mut self, done: Poll<io::Result<T>>, cx: &mut Context<'_>) -> Poll<io::Result<T>> {
        if done.is_ready() {
            self.end.set(sleep(self.patience));
            return done;
        }
        self.end.as_mut().poll(cx).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Impatient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let done = Pin::new(&mut self.stream).poll_read(cx, buffer);
        self.watch(done, cx)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Impatient<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let done = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.watch(done, cx)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let done = Pin::new(&mut self.stream).poll_flush(cx);
        self.watch(done, cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let done = Pin::new(&mut self.stream).poll_shutdown(cx);
        self.watch(done, cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    const SHORT: Duration = Duration::from_millis(20);

    fn run<T>(work: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
    }

    #[test]
    fn who_neither_sends_nor_reads_is_left() {
        run(async {
            let (_other, stream) = tokio::io::duplex(8);
            let mut stream = Impatient::new(stream, SHORT);
            let sent = stream.read_u8().await.unwrap_err();
            let read = stream.write_all(&[0; 64]).await.unwrap_err();
            assert_eq!([sent.kind(), read.kind()], [io::ErrorKind::TimedOut; 2]);
        });
    }

    #[test]
    fn a_slow_reader_is_waited_for() {
        run(async {
            let (mut other, stream) = tokio::io::duplex(8);
            let mut stream = Impatient::new(stream, SHORT * 5);
            let reading = tokio::spawn(async move {
                for _ in 0..8 {
                    sleep(SHORT).await;
                    other.read_exact(&mut [0; 8]).await.unwrap();
                }
            });
            stream.write_all(&[0; 64]).await.unwrap();
            reading.await.unwrap();
        });
    }
}
