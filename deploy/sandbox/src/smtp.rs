//! The mail server: accepts every mail over SMTP and puts it into the inbox. It relays nothing,
//! checks no password, and keeps only mails that it has answered with 250.

mod session;
mod mime;

use std::time::Duration;

use tokio::net::TcpListener;

use crate::state::SharedState;

/// Accepts connections in an endless loop and serves each in its own task.
pub(crate) async fn serve(listener: TcpListener, app: SharedState) {
    loop {
        match listener.accept().await {
            Ok((socket, _)) => {
                let app = app.clone();
                tokio::spawn(async move {
                    // A client that closes its connection early is not an error of the sandbox.
                    drop(session::run(socket, &app).await);
                });
            }
            Err(error) => {
                tracing::warn!(%error, "a mail connection could not be accepted");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
}
