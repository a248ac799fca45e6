//! PKCE: the challenges of requests that begin a flow.

use serde::Deserialize;

use crate::app::App;
use crate::http::error::ApiError;
use crate::http::request::non_empty;
use crate::repository::flow_states::Challenge;
use crate::tokens::pkce::{self, Malformed, Method};

/// The fields of a request that begins a flow with PKCE.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct PkceFields {
    pub(crate) code_challenge: Option<String>,
    pub(crate) code_challenge_method: Option<String>,
}

impl PkceFields {
    /// The challenge of the request; none in the implicit flow.
    pub(crate) fn challenge(&self, app: &App) -> Result<Option<Challenge>, ApiError> {
        let text = non_empty(self.code_challenge.as_deref());
        let method = non_empty(self.code_challenge_method.as_deref());
        let (text, method) = match (text, method) {
            (None, None) => return Ok(None),
            (Some(text), Some(method)) => (text, method),
            _ => {
                let message = "PKCE flow requires code_challenge_method and code_challenge";
                return Err(ApiError::invalid(message));
            }
        };
        pkce::check(text).map_err(malformed)?;
        // A challenge that is its verifier hides nothing from a reader of the request.
        let method = Method::parse(method)
            .filter(|method| *method == Method::S256 || app.policy.is_for_any())
            .ok_or_else(|| ApiError::invalid("Unsupported code_challenge_method, use s256"))?;
        Ok(Some(Challenge { text: text.to_owned(), method: method.word() }))
    }
}

fn malformed(why: Malformed) -> ApiError {
    ApiError::invalid(match why {
        Malformed::Length => "code challenge has to be between 43 and 128 characters",
        Malformed::Character => {
            "code challenge can only contain alphanumeric characters, hyphens, periods, \
             underscores and tildes"
        }
    })
}
