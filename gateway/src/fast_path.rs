//! What the gateway can answer by itself, at once: pages, files and the answers that it keeps. It
//! is looked for before anything else is done about a request. Nobody else takes part and nothing
//! can go wrong on the way, so such an answer has no trace and no reference, and its line in the
//! log is one for the curious (`debug`). The limit of its address counts it like any other.

use std::net::IpAddr;

use axum::response::Response;
use http::{Method, Request};

use crate::pages;
use crate::policy::Document;
use crate::request_context::{GatewayState, address_of};
use crate::routes::Routes;

impl GatewayState {
    /// The answer; nothing where somebody else has to be asked, or the caller has to be refused.
    pub(crate) fn try_serve_local<B>(
        &self,
        peer: IpAddr,
        request: &Request<B>,
    ) -> Option<Response> {
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
            let address = address_of(peer, headers, self.trust_proxy);
            // Whoever asks too much is refused in due form on the long way.
            self.limits.check_address(address).ok()?;
        }
        let document = answer.extensions_mut().remove::<Document>().unwrap_or_default();
        self.policies.apply(answer.headers_mut(), document);
        tracing::debug!(path = uri.path(), status = answer.status().as_u16(), "answered at once");
        Some(answer)
    }
}
