//! gRPC connections to other services: made when needed, with timeouts, trace and token.

use std::time::Duration;

use tonic::metadata::MetadataKey;
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Channel, Endpoint};
use tonic::{Request, Status};

use crate::caller::{CALLER_TOKEN, Peers};
use crate::tls::{Tls, outgoing};
use crate::{scope, status, telemetry};

/// How long a connection may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// How often an idle connection is pinged, so that a vanished peer is noticed.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(15);
/// The timeout of a ping.
const KEEP_ALIVE_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a peer may take to answer, unless the request says otherwise.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);

/// A text is no URL, or one that needs TLS where TLS is off. The error does not repeat the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this is not the URL of a gRPC server, or TLS_CA is missing for one with https")]
pub struct InvalidUrl;

/// A channel to one service on behalf of this one.
pub type PeerChannel = InterceptedService<Channel, PeerInterceptor>;

/// Prepares a connection that is made at the first call and again whenever it broke. Calls have
/// no time limit of their own, because one would cut streams; see [`peer`].
pub fn connect_lazy(url: &str) -> Result<Channel, InvalidUrl> {
    connect_lazy_with(url, scope::tls())
}

/// Prepares a connection with these certificates, which a URL that begins with `https://` needs.
///
/// # Errors
/// The URL cannot be one, or there are no certificates for it.
pub(crate) fn connect_lazy_with(url: &str, tls: Option<Tls>) -> Result<Channel, InvalidUrl> {
    let is_secure = url.starts_with("https://");
    // The connector speaks TLS itself; the library has none.
    let plain = url.replacen("https://", "http://", 1);
    let endpoint = Endpoint::from_shared(plain).map_err(|_source| InvalidUrl)?;
    if endpoint.uri().host().is_none() || endpoint.uri().scheme().is_none() {
        return Err(InvalidUrl);
    }
    let endpoint = endpoint
        .connect_timeout(CONNECT_TIMEOUT)
        .tcp_nodelay(true)
        .http2_keep_alive_interval(KEEP_ALIVE_INTERVAL)
        .keep_alive_timeout(KEEP_ALIVE_TIMEOUT)
        .keep_alive_while_idle(true);
    if !is_secure {
        return Ok(endpoint.connect_lazy());
    }
    let tls = tls.ok_or(InvalidUrl)?;
    let connector = tower::service_fn(move |uri| outgoing::connect(tls.clone(), uri));
    Ok(endpoint.connect_with_connector_lazy(connector))
}

/// A channel for calls from this service to `audience`: each carries the trace, a fresh caller
/// token, and a time limit of five seconds unless the request has set its own.
///
/// `BookingInternalServiceClient::new(channel::peer(url, "booking", &peers)?)`
pub fn peer(url: &str, audience: &'static str, peers: &Peers) -> Result<PeerChannel, InvalidUrl> {
    let interceptor = PeerInterceptor::new(peers, audience);
    Ok(InterceptedService::new(connect_lazy(url)?, interceptor))
}

/// Puts trace, caller token and time limit on each call of a [`PeerChannel`].
#[derive(Debug, Clone)]
pub struct PeerInterceptor {
    peers: Peers,
    audience: &'static str,
}

impl PeerInterceptor {
    /// For calls from this service to `audience`.
    #[must_use]
    pub fn new(peers: &Peers, audience: &'static str) -> Self {
        Self { peers: peers.clone(), audience }
    }
}

impl Interceptor for PeerInterceptor {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        let token = self.peers.sign(self.audience).map_err(|error| status::unavailable(&error))?;
        let metadata = request.metadata_mut();
        telemetry::inject(metadata);
        if let Ok(value) = token.parse() {
            metadata.insert(MetadataKey::from_static(CALLER_TOKEN), value);
        }
        if !request.metadata().contains_key("grpc-timeout") {
            request.set_timeout(REQUEST_TIMEOUT);
        }
        Ok(request)
    }
}

#[cfg(test)]
mod tests {
    use super::{InvalidUrl, connect_lazy};

    #[tokio::test]
    async fn only_urls_are_taken() {
        assert!(connect_lazy("http://127.0.0.1:7001").is_ok());
        for wrong in ["", "127.0.0.1:7001", "not a url"] {
            assert_eq!(connect_lazy(wrong).err(), Some(InvalidUrl), "{wrong}");
        }
    }
}
