//! The HTTP clients that adapters share.

use std::time::Duration;

pub use crate::crypto::install_crypto;
use crate::tls::Tls;

/// How long a connection may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// How long a whole answer may take; a caller can set less for one request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a connection to a service of ours is kept for the next call: after a rush they are soon
/// as few as before.
const INNER_IDLE_TIMEOUT: Duration = Duration::from_secs(5);

/// A client for third parties, which gives up in time and follows no redirects: an adapter talks
/// to whom it was told to, and to no other host. It uses the proxy of the environment, if there is
/// one.
pub fn client() -> Result<reqwest::Client, reqwest::Error> {
    builder().build()
}

/// The same for our own services: no proxy sees passwords and tokens on their way inside, and over
/// TLS both sides show a certificate of our authority.
pub fn inner_client() -> Result<reqwest::Client, reqwest::Error> {
    let builder = builder().no_proxy().pool_idle_timeout(INNER_IDLE_TIMEOUT);
    let builder = match Tls::installed().and_then(|tls| tls.client_of_library().ok()) {
        Some(config) => builder.tls_backend_preconfigured(config),
        None => builder,
    };
    builder.build()
}

fn builder() -> reqwest::ClientBuilder {
    install_crypto();
    reqwest::Client::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        .timeout(REQUEST_TIMEOUT)
        .redirect(reqwest::redirect::Policy::none())
        .user_agent("sukoon")
}

#[cfg(test)]
mod tests {
    use axum::{Router, response::Redirect, routing::get};

    #[tokio::test]
    async fn redirects_are_not_followed() {
        let router = Router::new().route("/", get(|| async { Redirect::to("/elsewhere") }));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, router).await });
        let answer = super::client().unwrap().get(url).send().await.unwrap();
        assert_eq!(answer.status(), 303);
    }
}
