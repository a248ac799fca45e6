//! The HTTP clients that adapters share.

use std::time::Duration;

pub use crate::crypto::install_crypto;
use crate::scope;

/// How long a connection may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// The timeout of a whole answer; a caller can set a shorter one for a request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// How long an idle connection to a service of ours is kept; after a busy time their number soon
/// falls again.
const INNER_IDLE_TIMEOUT: Duration = Duration::from_secs(5);

/// A client for third parties, with timeouts and without redirects: an adapter talks to the given
/// host and to no other. It uses the proxy of the environment, if there is one.
pub fn client() -> Result<reqwest::Client, reqwest::Error> {
    builder().build()
}

/// A client for our own services: without a proxy, which would see passwords and tokens, and over
/// TLS both sides show a certificate of our authority.
pub fn inner_client() -> Result<reqwest::Client, reqwest::Error> {
    let builder = builder().no_proxy().pool_idle_timeout(INNER_IDLE_TIMEOUT);
    let builder = match scope::tls().and_then(|tls| tls.client_of_library().ok()) {
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
