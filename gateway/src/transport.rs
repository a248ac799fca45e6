//! How a service is reached: by HTTP/2 in the clear, or over TLS with certificates of our authority
//! on both sides where the service's address begins with `https`.

use std::time::Duration;

use connectrpc::ConnectError;
use connectrpc::client::{BoxFuture, ClientBody, ClientTransport, HttpClient};
use http::{Request, Response, Uri};
use hyper::body::Incoming;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use runtime::scope;

/// A service on the same network accepts at once or not at all.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// The connections to one service.
#[derive(Clone)]
pub(crate) enum Transport {
    /// In the clear.
    Plain(HttpClient),
    /// Over TLS. The library's own client would bring a second implementation of its algorithms.
    Secure(Client<HttpsConnector<HttpConnector>, ClientBody>),
}

impl Transport {
    /// The one for an address. Without certificates of this process it is one in the clear, which
    /// refuses calls to an address of `https`.
    pub(crate) fn to(address: &Uri) -> Self {
        let is_secure = address.scheme_str() == Some("https");
        let tls = scope::tls().and_then(|tls| tls.client_of_library().ok());
        let Some(config) = tls.filter(|_config| is_secure) else {
            let http = HttpClient::builder().connect_timeout(CONNECT_TIMEOUT);
            return Self::Plain(http.plaintext_http2_only());
        };
        let mut http = HttpConnector::new();
        http.set_nodelay(true);
        http.set_connect_timeout(Some(CONNECT_TIMEOUT));
        http.enforce_http(false);
        let https = HttpsConnectorBuilder::new().with_tls_config(config);
        let connector = https.https_only().enable_http2().wrap_connector(http);
        let client = Client::builder(TokioExecutor::new()).http2_only(true).build(connector);
        Self::Secure(client)
    }
}

impl ClientTransport for Transport {
    type ResponseBody = Incoming;
    type Error = ConnectError;

    fn send(
        &self,
        request: Request<ClientBody>,
    ) -> BoxFuture<'static, Result<Response<Incoming>, ConnectError>> {
        match self {
            Self::Plain(client) => client.send(request),
            Self::Secure(client) => {
                let sent = client.request(request);
                Box::pin(async move {
                    sent.await.map_err(|error| {
                        ConnectError::unavailable_from_transport("HTTPS request failed", error)
                    })
                })
            }
        }
    }
}
