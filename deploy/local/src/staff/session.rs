//! A signed-in member of staff, for as long as one command takes.
use super::refusal::Refusal;
use crate::environment::Environment;
use crate::owner;
use crate::place::Place;
use crate::record;
use anyhow::{Context, Result, bail};
use reqwest::StatusCode;
use serde_json::{Value, json};
use std::time::Duration;

/// How long a connection and a whole answer may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const ANSWER_TIMEOUT: Duration = Duration::from_secs(20);
/// How often a call is made whose answer does not come, and the pause before the next try. Every
/// call bears being made again: what changes something carries a key.
const TRIES: u32 = 3;
const PAUSE: Duration = Duration::from_millis(500);

/// Which practice, and as whom.
pub(super) struct Address {
    url: String,
    email: String,
    password: String,
}

impl Address {
    /// The practice and the person that the environment names; by default the one that runs on
    /// this machine, and its owner.
    pub(super) fn find(environment: &Environment, place: Option<&Place>) -> Result<Self> {
        let running = place.map(|place| record::running(&place.data)).unwrap_or_default();
        let given = environment.get("SUKOON_URL").map(|url| url.trim_end_matches('/').to_owned());
        let url = given.clone().or(running.public_url).context(
            "no practice runs on this machine: start one with `make run`, or set SUKOON_URL to \
             the address of yours",
        )?;
        let person = (environment.get("SUKOON_EMAIL"), environment.get("SUKOON_PASSWORD"));
        let (email, password) = match person {
            (Some(email), Some(password)) => (email.to_owned(), password.to_owned()),
            (None, None) if given.is_none() => {
                let place = place.context("the data folder is not known")?;
                let email = running.owner_email.context(
                    "this practice has no owner of ours; set SUKOON_EMAIL and SUKOON_PASSWORD",
                )?;
                (email, owner::password(&place.data)?)
            }
            // The password of this machine's owner never travels to another address.
            _ => bail!("set SUKOON_EMAIL and SUKOON_PASSWORD to sign in"),
        };
        if !url.starts_with("https://") && !is_loopback(&url) {
            bail!("{url} is not https, so a password would travel in the open");
        }
        Ok(Self { url, email, password })
    }
}

/// Whether what is sent to an address stays on this machine.
fn is_loopback(url: &str) -> bool {
    let host = url.strip_prefix("http://").unwrap_or_default();
    let host = host.split(['/', ':']).next().unwrap_or_default();
    matches!(host, "127.0.0.1" | "localhost")
}

/// Somebody who is signed in.
pub(super) struct Session {
    http: reqwest::Client,
    url: String,
    token: String,
}

impl Session {
    /// Signs in.
    pub(super) async fn open(address: Address) -> Result<Self> {
        // An error means that one is installed already.
        rustls::crypto::ring::default_provider().install_default().ok();
        let http = reqwest::Client::builder()
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(ANSWER_TIMEOUT)
            .redirect(reqwest::redirect::Policy::none())
            .user_agent("sukoon")
            .build()
            .context("no HTTP client can be made")?;
        let Address { url, email, password } = address;
        let asked = http
            .post(format!("{url}/auth/v1/token?grant_type=password"))
            .header("x-supabase-api-version", "2024-01-01")
            .json(&json!({ "email": email, "password": password }));
        let answer = asked.send().await.map_err(|error| no_answer(&url, &error))?;
        let status = answer.status();
        let body: Value = answer.json().await.unwrap_or_default();
        if let (true, Some(token)) = (status.is_success(), body["access_token"].as_str()) {
            let token = token.to_owned();
            return Ok(Self { http, url, token });
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

    /// Ends the session. Where that fails, its token ends by itself within the hour.
    pub(super) async fn close(self) {
        let logout = format!("{}/auth/v1/logout?scope=local", self.url);
        drop(self.http.post(logout).bearer_auth(&self.token).send().await);
    }

    /// Makes a call, for example "booking.v1.BookingStaffService/ListBookings".
    pub(super) async fn call(&self, method: &str, message: &Value) -> Result<Value, Refusal> {
        let mut tries = 1;
        loop {
            match self.try_call(method, message).await {
                Err(refusal) if refusal.may_pass() && tries < TRIES => {
                    tokio::time::sleep(PAUSE).await;
                    tries += 1;
                }
                answer => return answer,
            }
        }
    }

    async fn try_call(&self, method: &str, message: &Value) -> Result<Value, Refusal> {
        let url = format!("{}/rpc/{method}", self.url);
        let asked = self.http.post(url).bearer_auth(&self.token).json(message);
        let answer = asked.send().await.map_err(|_broken| Refusal::no_answer())?;
        let status = answer.status().as_u16();
        let body: Value = answer.json().await.map_err(|_broken| Refusal::no_answer())?;
        if status == 200 { Ok(body) } else { Err(Refusal::read(status, &body)) }
    }
}

fn no_answer(url: &str, error: &reqwest::Error) -> anyhow::Error {
    let why = if error.is_timeout() { "does not answer in time" } else { "cannot be reached" };
    anyhow::anyhow!("{url} {why}")
}

/// A new key under which a command is made once, however often it is sent.
pub(super) fn new_key() -> String {
    format!("cli-{}", crate::secrets::random_word())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<const N: usize>(pairs: [(&str, &str); N]) -> Result<Address> {
        Address::find(&Environment::from(pairs), None)
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
    fn a_password_does_not_travel_in_the_open() {
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
    fn where_nothing_runs_a_sentence_says_what_to_do() {
        let told = found([]).err().unwrap().to_string();
        assert!(told.contains("make run") && told.contains("SUKOON_URL"), "{told}");
    }

    #[test]
    fn keys_differ_and_fit() {
        assert_ne!(new_key(), new_key());
        assert!((8..=64).contains(&new_key().len()));
    }
}
