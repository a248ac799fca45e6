//! Checks with the identity server whether a password is the caller's own: signs in with it and
//! ends that session at once. This works with hosted identity servers, too.

use std::time::Duration;

use kernel::Id;
use kernel::id::Customer;
use reqwest::{RequestBuilder, Response, StatusCode};
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use serde_json::json;
use uuid::Uuid;

/// Timeout of one request; a check makes three.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(3);
/// Attempts to end the session of a check.
const LOGOUT_ATTEMPTS_MAX: u32 = 3;

/// Why a password could not be checked.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// No answer, or a malformed one.
    #[error("the identity server did not answer as expected")]
    Broken(#[from] reqwest::Error),
    /// A status that says nothing about the password.
    #[error("the identity server answered {0}")]
    UnexpectedStatus(StatusCode),
    /// The task ended without a result.
    #[error("the check was given up")]
    Abandoned(#[from] tokio::task::JoinError),
}

/// Client of the identity server.
#[derive(Clone)]
pub struct IdentityServer {
    url: String,
    api_key: Option<SecretString>,
    http: reqwest::Client,
}

impl std::fmt::Debug for IdentityServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IdentityServer").field("url", &self.url).finish_non_exhaustive()
    }
}

#[derive(Deserialize)]
struct Account {
    id: Uuid,
    #[serde(default)]
    email: String,
}

#[derive(Deserialize)]
struct Session {
    access_token: String,
    user: Account,
}

impl IdentityServer {
    /// A client for the server at this URL; a hosted server needs an API key.
    pub fn new(url: &str, api_key: Option<SecretString>) -> Result<Self, reqwest::Error> {
        Ok(Self {
            url: url.trim_end_matches('/').to_owned(),
            api_key,
            http: runtime::http::inner_client()?,
        })
    }

    /// Whether `password` is the password of `account`, which is signed in with `token`.
    ///
    /// It runs to its end even when the caller is cancelled, so that no session is left behind.
    ///
    /// # Errors
    /// When it cannot be checked.
    pub async fn is_own_password(
        &self,
        account: Id<Customer>,
        token: SecretString,
        password: SecretString,
    ) -> Result<bool, CheckError> {
        let server = self.clone();
        let check = async move {
            let Some(email) = server.email_of(account, &token).await? else { return Ok(false) };
            let Some(session) = server.sign_in(&email, &password).await? else { return Ok(false) };
            server.sign_out(SecretString::from(session.access_token)).await;
            Ok(session.user.id == account.uuid())
        };
        runtime::spawn(check).await?
    }

    /// The account's current address at the identity server; `None` when the token is invalid.
    async fn email_of(
        &self,
        account: Id<Customer>,
        token: &SecretString,
    ) -> Result<Option<String>, CheckError> {
        let request = self.http.get(format!("{}/user", self.url));
        let answer = self.send(request.bearer_auth(token.expose_secret())).await?;
        match answer.status() {
            StatusCode::OK => {
                let known: Account = answer.json().await?;
                Ok((known.id == account.uuid() && !known.email.is_empty()).then_some(known.email))
            }
            StatusCode::BAD_REQUEST | StatusCode::FORBIDDEN | StatusCode::NOT_FOUND => Ok(None),
            other => Err(CheckError::UnexpectedStatus(other)),
        }
    }

    async fn sign_in(
        &self,
        email: &str,
        password: &SecretString,
    ) -> Result<Option<Session>, CheckError> {
        let body = json!({ "email": email, "password": password.expose_secret() });
        let request = self.http.post(format!("{}/token?grant_type=password", self.url));
        let answer = self.send(request.json(&body)).await?;
        match answer.status() {
            StatusCode::OK => Ok(Some(answer.json().await?)),
            // Throttled guesses are reported as wrong ones, so that an attacker learns nothing.
            StatusCode::BAD_REQUEST
            | StatusCode::FORBIDDEN
            | StatusCode::UNPROCESSABLE_ENTITY
            | StatusCode::TOO_MANY_REQUESTS => Ok(None),
            other => Err(CheckError::UnexpectedStatus(other)),
        }
    }

    /// The password is right whether or not this succeeds, so a failure is only logged.
    async fn sign_out(&self, token: SecretString) {
        for left in (0..LOGOUT_ATTEMPTS_MAX).rev() {
            let request = self.http.post(format!("{}/logout?scope=local", self.url));
            match self.send(request.bearer_auth(token.expose_secret())).await {
                Ok(answer) if answer.status().is_success() => return,
                Ok(answer) => {
                    let status = answer.status().as_u16();
                    tracing::warn!(status, left, "a session that proved a password did not end");
                }
                Err(error) => {
                    let error = runtime::status::chain(&error);
                    tracing::warn!(error, left, "a session that proved a password did not end");
                }
            }
        }
    }

    async fn send(&self, request: RequestBuilder) -> Result<Response, reqwest::Error> {
        let request = request.timeout(REQUEST_TIMEOUT);
        let request = match &self.api_key {
            Some(key) => request.header("apikey", key.expose_secret()),
            None => request,
        };
        request.send().await
    }
}
