//! The session of a staff member. Where it has a second factor it stays for the next command;
//! otherwise it ends with this one.
use crate::arguments::CommonOptions;
use crate::credentials::{Credentials, SecondStep};
use crate::kept::KeptSession;
use crate::refusal::Refusal;
use crate::tokens::Tokens;
use anyhow::{Context, Result, bail};
use machine::app_codes::unix_seconds;
use reqwest::StatusCode;
use serde_json::{Value, json};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The timeouts for a connection and for a whole answer.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const ANSWER_TIMEOUT: Duration = Duration::from_secs(20);
/// How often a call without an answer is attempted, and the pause between attempts. Every call can
/// be repeated: one that changes something keeps its idempotency key.
const ATTEMPTS_MAX: u32 = 3;
const PAUSE: Duration = Duration::from_millis(500);

/// A signed-in session.
pub(crate) struct Session {
    http: reqwest::Client,
    url: String,
    site: String,
    inner_url: Option<String>,
    tokens: Mutex<Tokens>,
    second_step: SecondStep,
    kept: Option<KeptSession>,
    /// How the command is to answer.
    pub(crate) options: CommonOptions,
}

impl Session {
    /// Continues the session that is kept, or signs in.
    pub(crate) async fn open(credentials: Credentials, options: CommonOptions) -> Result<Self> {
        let (session, email, password) = Self::prepare(credentials)?;
        let session = Self { options, ..session };
        let _alone = session.kept.as_ref().map(KeptSession::lock).transpose()?;
        if session.continue_kept().await? {
            return Ok(session);
        }
        session.sign_in(&email, &password).await?;
        if session.second_step.is_at_hand(&session.tokens()) {
            session.show_second_step().await?;
        }
        Ok(session)
    }

    /// A code of the second step that was not used before, by the time of the identity service,
    /// which a sign-in tells.
    pub(crate) async fn code(credentials: Credentials) -> Result<String> {
        let (session, email, password) = Self::prepare(credentials)?;
        let session = Self { kept: None, ..session };
        session.sign_in(&email, &password).await?;
        let code = session.next_code().await;
        session.close().await;
        code
    }

    fn prepare(credentials: Credentials) -> Result<(Self, String, String)> {
        // An error means that a provider is installed already.
        rustls::crypto::ring::default_provider().install_default().ok();
        let http = reqwest::Client::builder()
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(ANSWER_TIMEOUT)
            .redirect(reqwest::redirect::Policy::none())
            .user_agent("sukoon")
            .build()
            .context("no HTTP client can be made")?;
        let Credentials { url, site, email, password, second_step, kept, inner_url } = credentials;
        let tokens = Mutex::default();
        let options = CommonOptions::default();
        let session = Self { http, url, site, inner_url, tokens, second_step, kept, options };
        Ok((session, email, password))
    }

    /// Whether the kept session goes on.
    async fn continue_kept(&self) -> Result<bool> {
        let Some(kept) = &self.kept else { return Ok(false) };
        let Some(tokens) = kept.read().filter(|tokens| tokens.is_strong(unix_seconds())) else {
            kept.forget();
            return Ok(false);
        };
        let lasts = tokens.lasts(unix_seconds());
        self.set_tokens(tokens);
        Ok(lasts || self.refresh().await?)
    }

    /// Gets the next access token; no when the session has ended.
    async fn refresh(&self) -> Result<bool> {
        let path = "token?grant_type=refresh_token";
        let message = json!({ "refresh_token": self.tokens().refresh_token });
        let (status, body) = self.ask_identity(path, &message).await?;
        match Tokens::read(&body).filter(|_| status.is_success()) {
            Some(tokens) => self.keep(tokens).map(|()| true),
            None if status.is_server_error() => {
                bail!("{} does not let anybody sign in right now", self.url)
            }
            None => {
                self.kept.iter().for_each(KeptSession::forget);
                Ok(false)
            }
        }
    }

    async fn sign_in(&self, email: &str, password: &str) -> Result<()> {
        let message = json!({ "email": email, "password": password });
        let (status, body) = self.ask_identity("token?grant_type=password", &message).await?;
        if let (true, Some(tokens)) = (status.is_success(), Tokens::read(&body)) {
            self.set_tokens(tokens);
            return Ok(());
        }
        match body["code"].as_str().unwrap_or_default() {
            "invalid_credentials" => bail!("no account has this address with this password"),
            "email_not_confirmed" => bail!("the account's address is not confirmed yet"),
            "user_banned" => bail!("this account is kept out"),
            _ if status == StatusCode::TOO_MANY_REQUESTS => {
                bail!("there were too many tries to sign in; wait a little")
            }
            _ => bail!("{} does not let anybody sign in right now", self.url),
        }
    }

    /// Shows the second step: from then on the session has a second factor of this moment, and
    /// stays for the next command.
    async fn show_second_step(&self) -> Result<()> {
        let tokens = self.tokens();
        let id = tokens.app_id.clone().context(
            "the account has no authenticator app; SUKOON_CODE is a code of one. Set one up on \
             the account page",
        )?;
        let code = self.next_code().await?;
        let (_, challenge) =
            self.ask_identity(&format!("factors/{id}/challenge"), &json!({})).await?;
        let answer = json!({ "challenge_id": challenge["id"], "code": code });
        let (status, body) = self.ask_identity(&format!("factors/{id}/verify"), &answer).await?;
        if !status.is_success() {
            bail!("{}", self.second_step.refused());
        }
        let raised = Tokens::read(&body).context("the code got no session")?;
        self.keep(Tokens { app_id: Some(id), ..raised })
    }

    /// Shows it once more, because a call needs one of the last minutes. Another command may have
    /// done so meanwhile.
    async fn renew_second_step(&self) -> Result<()> {
        let _alone = self.kept.as_ref().map(KeptSession::lock).transpose()?;
        let known = self.kept.as_ref().and_then(KeptSession::read);
        let before = self.tokens().second_factor_at();
        if let Some(newer) = known.filter(|known| known.second_factor_at() > before) {
            self.set_tokens(newer);
            return Ok(());
        }
        if !self.refresh().await? {
            bail!("the session has ended; say the same again");
        }
        self.show_second_step().await
    }

    async fn next_code(&self) -> Result<String> {
        self.second_step.code(self.tokens().issued_at().unwrap_or_else(unix_seconds)).await
    }

    fn tokens(&self) -> Tokens {
        self.tokens.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set_tokens(&self, tokens: Tokens) {
        *self.tokens.lock().unwrap_or_else(PoisonError::into_inner) = tokens;
    }

    /// Goes on with these tokens, and keeps them for the next command.
    fn keep(&self, tokens: Tokens) -> Result<()> {
        if let Some(kept) = &self.kept {
            kept.write(&tokens)?;
        }
        self.set_tokens(tokens);
        Ok(())
    }

    async fn ask_identity(&self, path: &str, message: &Value) -> Result<(StatusCode, Value)> {
        let mut request = self
            .http
            .post(format!("{}/auth/v1/{path}", self.url))
            .header("x-supabase-api-version", "2024-01-01")
            .json(message);
        if !path.starts_with("token?") {
            request = request.bearer_auth(self.tokens().access_token);
        }
        let answer = request.send().await.map_err(|error| no_answer(&self.url, &error))?;
        Ok((answer.status(), answer.json().await.unwrap_or_default()))
    }

    /// The practice's address for clients, without a slash at its end.
    pub(crate) fn site(&self) -> &str {
        &self.site
    }

    /// Signs out, unless the session stays. If that fails, the token expires within an hour.
    pub(crate) async fn close(self) {
        let stays = self.kept.is_some() && self.tokens().second_factor_at().is_some();
        if !stays {
            drop(self.ask_identity("logout?scope=local", &json!({})).await);
        }
    }

    /// The health report of all services, whether or not all are ready; of a practice on another
    /// machine only whether all are.
    pub(crate) async fn health(&self) -> Result<Value> {
        let url = self.inner_url.as_ref().unwrap_or(&self.url);
        let sent = self.http.get(format!("{url}/healthz")).send().await;
        let answer = sent.map_err(|error| no_answer(url, &error))?;
        answer.json().await.with_context(|| format!("{url}/healthz says nothing readable"))
    }

    /// Makes a call, for example "booking.v1.BookingStaffService/ListBookings".
    pub(crate) async fn call(&self, method: &str, message: &Value) -> Result<Value, Refusal> {
        self.call_while(Refusal::is_retryable, method, message).await
    }

    /// Makes a call that changes something, with the same idempotency key for all attempts. When
    /// the outcome is unknown, the error names the key, and a repeat with it changes nothing twice.
    pub(crate) async fn call_with_key(
        &self,
        method: &str,
        mut message: Value,
        key: &str,
    ) -> Result<Value> {
        if let Some(fields) = message.as_object_mut() {
            fields.insert("idempotencyKey".to_owned(), key.into());
        }
        // A call that timed out is repeated too, because it may have been carried out.
        let answer = self.call_while(Refusal::is_unavailable, method, &message).await;
        answer.map_err(|refusal| match refusal.is_unavailable() {
            true => anyhow::anyhow!(
                "it is not known whether this was done: {refusal}\n\
                 Say the same again with --key {key} behind it: with this key it is done once and \
                 no more."
            ),
            false => refusal.into(),
        })
    }

    async fn call_while(
        &self,
        should_retry: fn(&Refusal) -> bool,
        method: &str,
        message: &Value,
    ) -> Result<Value, Refusal> {
        let (mut attempts, mut renewed) = (1, false);
        loop {
            match self.try_call(method, message).await {
                Err(refusal) if refusal.needs_newer_second_step() && !renewed => {
                    renewed = true;
                    if let Err(error) = self.renew_second_step().await {
                        return Err(refusal.because(&error));
                    }
                }
                Err(refusal) if should_retry(&refusal) && attempts < ATTEMPTS_MAX => {
                    tokio::time::sleep(PAUSE).await;
                    attempts += 1;
                }
                answer => return answer,
            }
        }
    }

    async fn try_call(&self, method: &str, message: &Value) -> Result<Value, Refusal> {
        let url = format!("{}/rpc/{method}", self.url);
        let token = self.tokens().access_token;
        let request = self.http.post(url).bearer_auth(token).json(message);
        let answer = request.send().await.map_err(|_broken| Refusal::no_answer())?;
        let status = answer.status().as_u16();
        let body: Value = answer.json().await.map_err(|_broken| Refusal::no_answer())?;
        if status == 200 { Ok(body) } else { Err(Refusal::read(status, &body)) }
    }
}

fn no_answer(url: &str, error: &reqwest::Error) -> anyhow::Error {
    let why = if error.is_timeout() { "does not answer in time" } else { "cannot be reached" };
    anyhow::anyhow!("{url} {why}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::{TcpListener, TcpStream};
    use tokio::task::JoinHandle;

    /// A gateway that sends these answers, one per call, and then returns the keys that it got. An
    /// empty answer closes the connection.
    async fn gateway(answers: &'static [&'static str]) -> (Session, JoinHandle<Vec<String>>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let served = tokio::spawn(async move {
            let mut keys = Vec::new();
            for answer in answers {
                let (mut connection, _) = listener.accept().await.unwrap();
                keys.push(key_of(&mut connection).await);
                connection.write_all(answer.as_bytes()).await.unwrap();
            }
            keys
        });
        rustls::crypto::ring::default_provider().install_default().ok();
        let http = reqwest::Client::new();
        let second_step = SecondStep::Typed(None);
        let tokens = Mutex::default();
        let options = CommonOptions::default();
        let (inner_url, kept, site) = (None, None, url.clone());
        (Session { http, url, site, inner_url, tokens, second_step, kept, options }, served)
    }

    /// The key in a request, once the whole request has arrived.
    async fn key_of(connection: &mut TcpStream) -> String {
        let mut request = String::new();
        loop {
            let sent = request.split_once("\"idempotencyKey\":\"");
            if let Some((key, _)) = sent.and_then(|(_, key)| key.split_once("\"}")) {
                return key.to_owned();
            }
            let mut part = [0; 1024];
            let count = connection.read(&mut part).await.unwrap();
            assert_ne!(count, 0, "the request ended early: {request}");
            request.push_str(std::str::from_utf8(&part[..count]).unwrap());
        }
    }

    const LATE: &str =
        "HTTP/1.1 504 Gateway Timeout\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}";
    const DONE: &str =
        "HTTP/1.1 200 OK\r\ncontent-length: 15\r\nconnection: close\r\n\r\n{\"done\": true}\n";
    const REFUSED: &str =
        "HTTP/1.1 409 Conflict\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}";

    #[tokio::test]
    async fn a_call_whose_answer_is_lost_is_repeated_with_its_key() {
        let (session, served) = gateway(&[LATE, "", DONE]).await;
        let answer = session
            .call_with_key("payments.v1/RefundPayment", json!({}), "cli-0001")
            .await
            .unwrap();
        assert_eq!(answer, json!({ "done": true }));
        assert_eq!(served.await.unwrap(), ["cli-0001"; 3]);
    }

    #[tokio::test]
    async fn an_unknown_outcome_names_the_idempotency_key() {
        let (session, served) = gateway(&[LATE, LATE, LATE]).await;
        let lost = session.call_with_key("payments.v1/RefundPayment", json!({}), "cli-0002").await;
        let told = lost.unwrap_err().to_string();
        assert!(told.contains("not known whether") && told.contains("--key cli-0002"), "{told}");
        assert_eq!(served.await.unwrap(), ["cli-0002"; 3]);
    }

    #[tokio::test]
    async fn a_refused_call_is_not_repeated() {
        let (session, served) = gateway(&[REFUSED]).await;
        let refused =
            session.call_with_key("payments.v1/RefundPayment", json!({}), "cli-0003").await;
        assert_eq!(refused.unwrap_err().to_string(), "the call was refused");
        assert_eq!(served.await.unwrap(), ["cli-0003"]);
    }
}
