//! The least that axum can do: one route and one word. Reads are measured beside it.

use anyhow::{Context as _, Result};
use axum::Router;
use axum::routing::get;
use axum::serve::ListenerExt as _;
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> Result<()> {
    let address = std::env::args().nth(1).context("usage: bare ADDRESS")?;
    let router = Router::new().route("/", get(|| async { "Hello, World!" }));
    // Small answers are not delayed (`TCP_NODELAY`), as in the gateway.
    let listener = TcpListener::bind(address).await?.tap_io(|stream| {
        stream.set_nodelay(true).ok();
    });
    axum::serve(listener, router).await?;
    Ok(())
}
