//! The mail server: takes every mail in a real SMTP conversation and puts it into the inbox. It
//! relays nothing, checks no password and keeps no mail it has not answered 250 for.

mod session;
mod mime;

use std::time::Duration;

use tokio::net::TcpListener;

use crate::state::SharedState;

/// Accepts connections in an endless loop; each has a task of its own.
pub(crate) async fn serve(listener: TcpListener, app: SharedState) {
    loop {
        match listener.accept().await {
            Ok((socket, _)) => {
                let app = app.clone();
                tokio::spawn(async move {
                    // A client that hangs up in the middle is no concern of ours.
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
