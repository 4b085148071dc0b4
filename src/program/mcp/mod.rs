//! `tlparse mcp`: reports for assistants, over standard input and output.
//!
//! - [`server`] has the tools of the Model Context Protocol, and [`requests`] what each of them takes;
//! - [`library`] keeps the reports that were opened;
//! - [`answers`] makes their texts, and [`bounded`] keeps each within a length.

mod answers;
mod bounded;
mod library;
mod requests;
mod server;

use super::interrupt::Begun;
use anyhow::Context;
use clap::Args;
use library::Library;
use rmcp::ServiceExt;
use server::Server;
use std::process::ExitCode;

/// Answer the questions of an assistant over standard input and output (Model Context Protocol)
#[derive(Args, Debug)]
#[command(
    after_help = "Example, in the settings of an assistant, which starts it:\n{\"mcpServers\": {\"tlparse\": \
    {\"command\": \"tlparse\", \"args\": [\"mcp\"]}}}\n\nIt only reads. Reports of logs are written to a temporary \
    folder, which is removed at the end.\n\nTo read a log or folder named mcp, pass ./mcp."
)]
pub struct Mcp {}

impl Mcp {
    /// Answers until standard input ends.
    pub fn run(&self) -> anyhow::Result<ExitCode> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.context("the server cannot be started")?;
        // At a signal, the temporary folders of reports are removed.
        let begun = Begun::watched(|| ());
        let served = runtime.block_on(serve(Server::new(Library::new(begun.clone()))));
        begun.ended();
        // A pending read of standard input cannot be cancelled.
        runtime.shutdown_background();
        served.map(|()| ExitCode::SUCCESS)
    }
}

async fn serve(server: Server) -> anyhow::Result<()> {
    let running = server.serve(rmcp::transport::stdio()).await.map_err(|error| {
        anyhow::anyhow!(
            "tlparse mcp answers an assistant that speaks the Model Context Protocol on its standard input; this was not one \
             ({error})"
        )
    })?;
    running.waiting().await.context("the server ended early")?;
    Ok(())
}
