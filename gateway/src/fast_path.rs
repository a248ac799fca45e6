//! Requests that are served without a backend: pages, files and cached responses. The fast path
//! runs before the middleware stack. Such a response has no trace id and no reference id, because
//! no backend can fail; it is logged at `debug`. Metrics and the rate limit per address count it.

use std::net::IpAddr;

use axum::response::Response;
use http::{Method, Request};
use runtime::metrics;
use tokio::time::Instant;

use crate::caller::address_of;
use crate::pages;
use crate::policy::Document;
use crate::request_context::GatewayState;
use crate::routes::Routes;

impl GatewayState {
    /// The response, or `None` if a backend is needed or the request has to be rejected.
    pub(crate) fn try_serve_local<B>(
        &self,
        peer: IpAddr,
        request: &Request<B>,
    ) -> Option<Response> {
        let began = metrics::is_on().then(Instant::now);
        let (uri, headers) = (request.uri(), request.headers());
        if request.method() != Method::GET {
            return None;
        }
        let mut answer = match uri.path().strip_prefix("/rpc") {
            Some(call) => {
                let procedure = self.routes.procedures.get(call)?;
                let key = self.cache.key_of(procedure, (request.method(), uri, headers))?;
                self.cache.get(&key)?.to_response(headers)
            }
            None => pages::serve_static(&self.routes.site, uri.path(), request)?,
        };
        if Routes::is_limited(uri.path()) {
            let address = address_of(peer, headers, &self.proxies);
            // The slow path builds the error response.
            if !self.limits.admits_address(address) {
                return None;
            }
        }
        let document = answer.extensions_mut().remove::<Document>().unwrap_or_default();
        self.policies.apply(answer.headers_mut(), document);
        if let Some(began) = began {
            let route = self.routes.pattern_of(uri.path());
            metrics::record_http_request(&Method::GET, route, answer.status(), began.elapsed());
        }
        tracing::debug!(path = uri.path(), status = answer.status().as_u16(), "answered at once");
        Some(answer)
    }
}
