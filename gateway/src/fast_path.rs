//! Requests that are answered without a backend: pages, files and cached responses, and refusals of
//! a host name that is not ours and of an address that asks too often, which so cost as little as
//! possible. The fast path runs before
//! the middleware stack. Such a response has no trace id and no reference id, because no backend
//! can fail; it is logged at `debug`. Metrics and the rate limit per address count it.

use std::net::IpAddr;

use axum::response::Response;
use http::{Method, Request, StatusCode};
use runtime::metrics;
use tokio::time::Instant;

use crate::caller::address_of;
use crate::error_response;
use crate::pages;
use crate::policy::Document;
use crate::request_context::GatewayState;
use crate::routes::{Routes, UPLOAD};

impl GatewayState {
    /// The response, or `None` if the middleware stack has to find one.
    pub(crate) fn try_answer<B>(&self, peer: IpAddr, request: &Request<B>) -> Option<Response> {
        let began = metrics::is_on().then(Instant::now);
        let uri = request.uri();
        let misdirected = self.hosts.refusal_of(request);
        let mut answer = match misdirected.or_else(|| self.refusal_of(peer, request)) {
            Some(refusal) => refusal,
            None => self.stored(request)?,
        };
        let document = answer.extensions_mut().remove::<Document>().unwrap_or_default();
        self.policies.apply(answer.headers_mut(), document);
        // The pattern and not the path: that of a calendar feed is its secret.
        let route = self.routes.pattern_of(uri.path());
        let status = answer.status();
        tracing::debug!(%route, status = status.as_u16(), "answered at once");
        if let Some(began) = began {
            metrics::record_http_request(request.method(), route, status, began.elapsed());
        }
        Some(answer)
    }

    /// Counts the request, and refuses it if its address asks too often. The body of an upload has
    /// to be read first, so that its client sees the answer.
    fn refusal_of<B>(&self, peer: IpAddr, request: &Request<B>) -> Option<Response> {
        let path = request.uri().path();
        if !Routes::is_limited(path) || path == UPLOAD || request.method() == Method::TRACE {
            return None;
        }
        let address = address_of(peer, request.headers(), &self.proxies);
        let retry_after = self.limits.check_address(address).err()?;
        let status = StatusCode::TOO_MANY_REQUESTS;
        Some(error_response::to_error_response(status, &retry_after.to_error(), ""))
    }

    /// A page, a file, or a cached response.
    fn stored<B>(&self, request: &Request<B>) -> Option<Response> {
        let (uri, headers) = (request.uri(), request.headers());
        if request.method() != Method::GET {
            return None;
        }
        Some(match uri.path().strip_prefix("/rpc") {
            Some(call) => {
                let procedure = self.routes.procedures.get(call)?;
                let key = self.cache.key_of(procedure, request.method(), uri, headers)?;
                self.cache.get(&key)?.to_response(headers)
            }
            None => pages::serve_static(&self.routes.site.get(), uri.path(), request)?,
        })
    }
}
