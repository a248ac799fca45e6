//! Requests to Razorpay: with timeout, size limit, and outcomes distinguished by what may be done
//! about them.

use std::time::Duration;

use reqwest::{Method, RequestBuilder, Response, StatusCode};
use runtime::{BoxError, failpoint};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;

use super::json;
use super::settings::Settings;
use crate::providers::{ProviderError, deadline};

/// The timeout of a request, unless the work that it belongs to has less time left.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(8);
/// The most bytes of an answer that are read.
const ANSWER_BYTES_MAX: usize = 1024 * 1024;

#[derive(Debug, Clone)]
pub(super) struct Api {
    http: reqwest::Client,
    url: String,
    key_id: String,
    key_secret: SecretString,
}

impl Api {
    pub(super) fn new(settings: &Settings) -> Result<Self, reqwest::Error> {
        Ok(Self {
            http: runtime::http::client()?,
            url: settings.url.clone(),
            key_id: settings.key_id.clone(),
            key_secret: settings.key_secret.clone(),
        })
    }

    pub(super) async fn get(
        &self,
        path: &str,
        query: &[(&str, &str)],
    ) -> Result<Value, ProviderError> {
        let mut url = url::Url::parse(&format!("{}{path}", self.url))
            .map_err(|_malformed| ProviderError::InvalidAnswer("its address is not a URL"))?;
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        failpoint::pass(&format_args!("provider.get.{}.before", shape(path)));
        let answer = send(self.request(Method::GET, url.as_str())).await;
        failpoint::pass(&format_args!("provider.get.{}.after", shape(path)));
        answer
    }

    /// `key` is the idempotency key of the request.
    pub(super) async fn post(
        &self,
        path: &str,
        body: &Value,
        key: Option<&str>,
    ) -> Result<Value, ProviderError> {
        let mut request = self.request(Method::POST, &format!("{}{path}", self.url)).json(body);
        if let Some(key) = key {
            request = request.header("X-Refund-Idempotency", key);
        }
        failpoint::pass(&format_args!("provider.post.{}.before", shape(path)));
        let answer = send(request).await;
        failpoint::pass(&format_args!("provider.post.{}.after", shape(path)));
        answer
    }

    fn request(&self, method: Method, url: &str) -> RequestBuilder {
        self.http
            .request(method, url)
            .basic_auth(&self.key_id, Some(self.key_secret.expose_secret()))
            .timeout(deadline::left(ANSWER_TIMEOUT))
    }
}

/// How many characters an id has after its prefix.
const ID_CHARS: usize = 14;

/// A path without the ids in it, as a name.
fn shape(path: &str) -> String {
    path.split('/').filter(|part| !part.is_empty() && !is_id(part)).collect::<Vec<_>>().join("-")
}

fn is_id(part: &str) -> bool {
    part.rsplit_once('_').is_some_and(|(_, rest)| rest.len() == ID_CHARS)
}

async fn send(request: RequestBuilder) -> Result<Value, ProviderError> {
    let answer = request.send().await.map_err(silent)?;
    let status = answer.status();
    let body = read(answer).await?;
    if status.is_success() {
        return serde_json::from_slice(&body)
            .map_err(|_malformed| ProviderError::InvalidAnswer("it is not JSON"));
    }
    Err(refusal(status, &body))
}

/// Only an answer about this request is a refusal. Errors about keys, addresses or load say nothing
/// about it.
fn refusal(status: StatusCode, body: &[u8]) -> ProviderError {
    match status {
        StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY => {
            let body = serde_json::from_slice(body).unwrap_or(Value::Null);
            ProviderError::Refused { reason: json::reason(&body) }
        }
        status if status.is_server_error() => {
            ProviderError::NoAnswer(format!("it answered {status}").into())
        }
        status => ProviderError::RetryLater(status.as_u16()),
    }
}

async fn read(mut answer: Response) -> Result<Vec<u8>, ProviderError> {
    let mut body = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(silent)? {
        if body.len() + chunk.len() > ANSWER_BYTES_MAX {
            return Err(ProviderError::InvalidAnswer("it is too long"));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// Errors are logged and a URL contains ids, so the URL is removed.
fn silent(error: reqwest::Error) -> ProviderError {
    ProviderError::NoAnswer(BoxError::from(error.without_url()))
}
