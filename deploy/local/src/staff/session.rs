//! The session of a staff member, for the duration of one command.
use super::arguments::{Arguments, Usage};
use super::refusal::Refusal;
use crate::environment::Environment;
use crate::owner;
use crate::paths::Paths;
use crate::run_state;
use anyhow::{Context, Result, bail};
use reqwest::StatusCode;
use serde_json::{Value, json};
use std::io::BufRead;
use std::time::Duration;

/// The timeouts for a connection and for a whole answer.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const ANSWER_TIMEOUT: Duration = Duration::from_secs(20);
/// How often a call without an answer is attempted, and the pause between attempts. Every call can
/// be repeated: one that changes something keeps its idempotency key.
const ATTEMPTS_MAX: u32 = 3;
const PAUSE: Duration = Duration::from_millis(500);

/// The address of a practice, and the account to sign in with.
pub(super) struct Credentials {
    url: String,
    email: String,
    password: String,
    /// A code of the account's authenticator app, which staff calls need.
    code: Option<String>,
    /// Where the health report is; only known of the practice that runs on this machine.
    inner_url: Option<String>,
}

impl Credentials {
    /// The practice and the account that the environment names; by default the practice that runs
    /// on this machine, and its owner.
    pub(super) fn find(environment: &Environment, paths: Option<&Paths>) -> Result<Self> {
        let running =
            paths.map(|paths| run_state::running_practice(&paths.data)).unwrap_or_default();
        let inner_url = running.inner_url();
        let given = environment.get("SUKOON_URL").map(|url| url.trim_end_matches('/').to_owned());
        let url = given.clone().or(running.public_url).context(
            "no practice runs on this machine: start one with `make run`, or set SUKOON_URL to \
             the address of yours",
        )?;
        let person = (environment.get("SUKOON_EMAIL"), environment.get("SUKOON_PASSWORD"));
        let (email, password) = match person {
            (Some(email), Some("-")) => (email.to_owned(), read_line(std::io::stdin().lock())?),
            (Some(email), Some(password)) => (email.to_owned(), password.to_owned()),
            (None, None) if given.is_none() => {
                let paths = paths.context("the data folder is not known")?;
                let email = running.owner_email.context(
                    "this practice has no owner of ours; set SUKOON_EMAIL and SUKOON_PASSWORD",
                )?;
                (email, owner::password(&paths.data)?)
            }
            // The password of this machine's owner is never sent to another address.
            _ => bail!("set SUKOON_EMAIL and SUKOON_PASSWORD to sign in"),
        };
        if !url.starts_with("https://") && !is_loopback(&url) {
            bail!("{url} is not https, so a password would travel in the open");
        }
        let code = environment.get("SUKOON_CODE").map(str::to_owned);
        let inner_url = inner_url.filter(|_| given.is_none());
        Ok(Self { url, email, password, code, inner_url })
    }
}

/// A password that is not in the environment, where other programs and the shell's history have it.
fn read_line(mut input: impl BufRead) -> Result<String> {
    let mut line = String::new();
    input.read_line(&mut line).context("the password cannot be read")?;
    let password = line.trim_end_matches(['\r', '\n']);
    if password.is_empty() {
        bail!("SUKOON_PASSWORD is -, and no password came on standard input");
    }
    Ok(password.to_owned())
}

/// Whether requests to an address stay on this machine.
fn is_loopback(url: &str) -> bool {
    let host = url.strip_prefix("http://").unwrap_or_default();
    let host = host.split(['/', ':']).next().unwrap_or_default();
    matches!(host, "127.0.0.1" | "localhost")
}

/// A signed-in session.
pub(super) struct Session {
    http: reqwest::Client,
    url: String,
    inner_url: Option<String>,
    token: String,
}

impl Session {
    /// Signs in.
    pub(super) async fn open(credentials: Credentials) -> Result<Self> {
        // An error means that a provider is installed already.
        rustls::crypto::ring::default_provider().install_default().ok();
        let http = reqwest::Client::builder()
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(ANSWER_TIMEOUT)
            .redirect(reqwest::redirect::Policy::none())
            .user_agent("sukoon")
            .build()
            .context("no HTTP client can be made")?;
        let Credentials { url, email, password, code, inner_url } = credentials;
        let request = http
            .post(format!("{url}/auth/v1/token?grant_type=password"))
            .header("x-supabase-api-version", "2024-01-01")
            .json(&json!({ "email": email, "password": password }));
        let answer = request.send().await.map_err(|error| no_answer(&url, &error))?;
        let status = answer.status();
        let body: Value = answer.json().await.unwrap_or_default();
        if let (true, Some(token)) = (status.is_success(), body["access_token"].as_str()) {
            let mut session = Self { http, url, inner_url, token: token.to_owned() };
            if let Some(code) = code {
                session.use_code(&body["user"]["factors"], &code).await?;
            }
            return Ok(session);
        }
        match body["code"].as_str().unwrap_or_default() {
            "invalid_credentials" => bail!("no account has this address with this password"),
            "email_not_confirmed" => bail!("the account's address is not confirmed yet"),
            "user_banned" => bail!("this account is kept out"),
            _ if status == StatusCode::TOO_MANY_REQUESTS => {
                bail!("there were too many tries to sign in; wait a little")
            }
            _ => bail!("{url} does not let anybody sign in right now"),
        }
    }

    /// Uses a code of an authenticator app: from then on the session has a second factor.
    async fn use_code(&mut self, factors: &Value, code: &str) -> Result<()> {
        let is_app =
            |it: &&Value| it["factor_type"] == "totp" && it["status"].as_str() == Some("verified");
        let app = factors.as_array().into_iter().flatten().find(is_app);
        let id = app.and_then(|app| app["id"].as_str()).context(
            "the account has no authenticator app; SUKOON_CODE is a code of one. Set one up on \
             the account page",
        )?;
        let factor = format!("{}/auth/v1/factors/{id}", self.url);
        let challenge = self.identity(format!("{factor}/challenge"), &json!({})).await?;
        let answer = json!({ "challenge_id": challenge["id"], "code": code });
        let verified = self.identity(format!("{factor}/verify"), &answer).await?;
        let token = verified["access_token"].as_str().context("the code got no session")?;
        self.token = token.to_owned();
        Ok(())
    }

    async fn identity(&self, url: String, message: &Value) -> Result<Value> {
        let request = self.http.post(url).bearer_auth(&self.token).json(message);
        let answer = request.send().await.map_err(|error| no_answer(&self.url, &error))?;
        let accepted = answer.status().is_success();
        let body: Value = answer.json().await.unwrap_or_default();
        if !accepted {
            bail!("the code of SUKOON_CODE was refused; take the next one that the app shows");
        }
        Ok(body)
    }

    /// The practice's address, without a slash at its end.
    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// Signs out. If that fails, the token expires within an hour.
    pub(super) async fn close(self) {
        let logout = format!("{}/auth/v1/logout?scope=local", self.url);
        drop(self.http.post(logout).bearer_auth(&self.token).send().await);
    }

    /// The health report of all services, whether or not all are ready; of a practice on another
    /// machine only whether all are.
    pub(super) async fn health(&self) -> Result<Value> {
        let url = self.inner_url.as_ref().unwrap_or(&self.url);
        let sent = self.http.get(format!("{url}/healthz")).send().await;
        let answer = sent.map_err(|error| no_answer(url, &error))?;
        answer.json().await.with_context(|| format!("{url}/healthz says nothing readable"))
    }

    /// Makes a call, for example "booking.v1.BookingStaffService/ListBookings".
    pub(super) async fn call(&self, method: &str, message: &Value) -> Result<Value, Refusal> {
        self.call_while(Refusal::is_retryable, method, message).await
    }

    /// Makes a call that changes something, with the same idempotency key for all attempts. When
    /// the outcome is unknown, the error names the key, and a repeat with it changes nothing twice.
    pub(super) async fn call_with_key(
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
        let mut attempts = 1;
        loop {
            match self.try_call(method, message).await {
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
        let request = self.http.post(url).bearer_auth(&self.token).json(message);
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

/// The given idempotency key, or a new one.
pub(super) fn key(arguments: &Arguments) -> String {
    match arguments.option("key") {
        "" => format!("cli-{}", crate::secrets::random_secret()),
        said => said.to_owned(),
    }
}

/// Checks the idempotency key, if one is given.
pub(super) fn check_key(arguments: &Arguments) -> Result<(), Usage> {
    let said = arguments.option("key");
    let good = (8..=64).contains(&said.len()) && said.bytes().all(|byte| byte.is_ascii_graphic());
    if said.is_empty() || good {
        return Ok(());
    }
    Err(Usage("--key takes the key that an earlier try has named".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::{TcpListener, TcpStream};
    use tokio::task::JoinHandle;

    fn found<const N: usize>(pairs: [(&str, &str); N]) -> Result<Credentials> {
        Credentials::find(&Environment::from(pairs), None)
    }

    #[test]
    fn another_practice_needs_a_sign_in_of_its_own() {
        let told = found([("SUKOON_URL", "https://sukoon.example")]).err().unwrap().to_string();
        assert!(told.contains("SUKOON_EMAIL"), "{told}");
        let address = found([
            ("SUKOON_URL", "https://sukoon.example/"),
            ("SUKOON_EMAIL", "meera@sukoon.example"),
            ("SUKOON_PASSWORD", "a quiet garden"),
        ])
        .unwrap();
        assert_eq!(address.url, "https://sukoon.example");
    }

    #[test]
    fn a_password_comes_on_standard_input_too() {
        assert_eq!(read_line(&b"a quiet garden\r\nmore"[..]).unwrap(), "a quiet garden");
        assert!(read_line(&b"\n"[..]).is_err());
    }

    #[test]
    fn a_password_is_not_sent_without_encryption() {
        for (url, fine) in [
            ("http://sukoon.example", false),
            ("http://127.0.0.1.evil.example", false),
            ("http://127.0.0.1:8080", true),
            ("http://localhost:8080", true),
        ] {
            let found = found([
                ("SUKOON_URL", url),
                ("SUKOON_EMAIL", "meera@sukoon.example"),
                ("SUKOON_PASSWORD", "a quiet garden"),
            ]);
            assert_eq!(found.is_ok(), fine, "{url}");
        }
    }

    #[test]
    fn without_a_running_practice_the_error_gives_advice() {
        let told = found([]).err().unwrap().to_string();
        assert!(told.contains("make run") && told.contains("SUKOON_URL"), "{told}");
    }

    fn said(words: &[&str]) -> Arguments {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        Arguments::read(&words, &["key"], (0, 0)).unwrap()
    }

    #[test]
    fn keys_differ_and_fit_unless_one_is_said() {
        let none = said(&[]);
        assert_ne!(key(&none), key(&none));
        let made = key(&none);
        let repeated = said(&["--key", &made]);
        assert_eq!(
            (key(&repeated), check_key(&repeated), check_key(&none)),
            (made, Ok(()), Ok(()))
        );
        for wrong in ["short", "two words of it", &"k".repeat(65)] {
            assert!(check_key(&said(&["--key", wrong])).is_err(), "{wrong}");
        }
    }

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
        (Session { http, url, inner_url: None, token: String::new() }, served)
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
