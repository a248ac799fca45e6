//! The sandbox's settings, all read from the environment here.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, bail};

/// All settings. The secrets are demo secrets, but they are still never printed.
#[derive(Clone)]
pub struct Settings {
    /// The address of the HTTP server: the provider's API, the checkout, the inbox and the
    /// controls.
    pub listen: SocketAddr,
    /// The address of the SMTP server.
    pub smtp_listen: SocketAddr,
    /// The base of this process's address for browsers and services; by default the bound address.
    pub public_url: Option<String>,
    /// The base of the checkout frame's address, which is another origin than the script's; by
    /// default the machine's other host name.
    pub frame_url: Option<String>,
    /// Further host names under which it answers, between commas.
    pub hosts: String,
    /// The folder of the store, which survives restarts.
    pub data: PathBuf,
    /// The payment provider's account.
    pub account: Account,
    /// The bearer token that the meeting provider expects.
    pub meeting_token: String,
    /// The bearer token that the sender of messages to phones expects.
    pub message_key: String,
    /// The client of the OpenID provider.
    pub oidc: OidcClient,
    /// Delays and timeouts of the provider.
    pub timing: Timing,
}

/// The keys of the payment provider's only account.
#[derive(Clone)]
pub struct Account {
    /// The public part of the API key.
    pub key_id: String,
    /// The secret part, which also signs the checkout's answer.
    pub key_secret: String,
    /// The key that signs webhooks; it differs from the key's secret, as at the real provider.
    pub webhook_secret: String,
    /// The address for webhooks; without it none are sent.
    pub webhook_url: Option<String>,
}

/// The only client that the OpenID provider knows.
#[derive(Clone)]
pub struct OidcClient {
    /// Its id.
    pub id: String,
    /// Its secret.
    pub secret: String,
}

/// Delays and timeouts of the provider, which tests shorten.
#[derive(Clone, Copy)]
pub struct Timing {
    /// How long a refund stays pending.
    pub refund_after: Duration,
    /// How long the receiver of a webhook may take to answer.
    pub webhook_timeout: Duration,
    /// The pause after the first failed delivery, which doubles with each further one.
    pub webhook_backoff: Duration,
    /// How long a webhook is sent again before its address is switched off.
    pub webhook_retry_period: Duration,
    /// How long an authorised payment may stay uncaptured before it is refunded.
    pub uncaptured_refund_after: Duration,
    /// How long a bank waits for the payer's approval.
    pub approval_timeout: Duration,
}

const DEMO_MESSAGE_KEY: &str = "demo-message-key";
const DEMO_CLIENT: &str = "demo-client";
const DEMO_SECRET: &str = "demo-client-secret";
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

impl Default for Timing {
    fn default() -> Self {
        Self {
            refund_after: Duration::from_secs(2),
            webhook_timeout: Duration::from_secs(5),
            webhook_backoff: Duration::from_secs(1),
            webhook_retry_period: DAY,
            uncaptured_refund_after: DAY.saturating_mul(3),
            approval_timeout: Duration::from_secs(10 * 60),
        }
    }
}

impl Settings {
    /// Settings for tests: ephemeral ports on loopback, fixed demo keys and short delays.
    pub fn for_tests(data: impl Into<PathBuf>, webhook_url: Option<String>) -> Self {
        let loopback = SocketAddr::from(([127, 0, 0, 1], 0));
        Self {
            listen: loopback,
            smtp_listen: loopback,
            public_url: None,
            frame_url: None,
            hosts: String::new(),
            data: data.into(),
            account: Account {
                key_id: "rzp_test_demo".into(),
                key_secret: "demo-key-secret".into(),
                webhook_secret: "demo-webhook-secret".into(),
                webhook_url,
            },
            meeting_token: "demo-meeting-token".into(),
            message_key: DEMO_MESSAGE_KEY.into(),
            oidc: OidcClient { id: DEMO_CLIENT.into(), secret: DEMO_SECRET.into() },
            timing: Timing {
                refund_after: Duration::from_millis(50),
                webhook_timeout: Duration::from_secs(2),
                webhook_backoff: Duration::from_millis(50),
                ..Timing::default()
            },
        }
    }

    /// Reads the process's environment. The error names all missing settings.
    pub fn from_environment() -> Result<Self> {
        Self::from_source(read_environment)
    }

    /// Reads from any source of names and values.
    pub fn from_source(source: impl Fn(&str) -> Option<String>) -> Result<Self> {
        // An unset mode is production for every program.
        if source("SUKOON_MODE").as_deref() != Some("development") {
            bail!("The sandbox plays third parties and runs with SUKOON_MODE=development only.");
        }
        let mut reader = Reader { source, problems: Vec::new() };
        let settings = Self {
            listen: reader.address("SANDBOX_LISTEN"),
            smtp_listen: reader.address("SANDBOX_SMTP_LISTEN"),
            public_url: reader.optional("SANDBOX_PUBLIC_URL"),
            frame_url: reader.optional("SANDBOX_FRAME_URL"),
            hosts: reader.text_or("SANDBOX_HOSTS", ""),
            data: PathBuf::from(reader.text("SANDBOX_DATA")),
            account: Account {
                key_id: reader.text("SANDBOX_KEY_ID"),
                key_secret: reader.text("SANDBOX_KEY_SECRET"),
                webhook_secret: reader.text("SANDBOX_WEBHOOK_SECRET"),
                webhook_url: reader.optional("SANDBOX_WEBHOOK_URL"),
            },
            meeting_token: reader.text("SANDBOX_MEETING_TOKEN"),
            message_key: reader.text_or("SANDBOX_MESSAGE_KEY", DEMO_MESSAGE_KEY),
            oidc: OidcClient {
                id: reader.text_or("SANDBOX_OIDC_CLIENT_ID", DEMO_CLIENT),
                secret: reader.text_or("SANDBOX_OIDC_CLIENT_SECRET", DEMO_SECRET),
            },
            timing: Timing::default(),
        };
        if !reader.problems.is_empty() {
            bail!("The sandbox cannot start: {}.", reader.problems.join("; "));
        }
        Ok(settings)
    }
}

/// Reads settings and collects all problems, so that one error names them all.
struct Reader<S> {
    source: S,
    problems: Vec<String>,
}

impl<S: Fn(&str) -> Option<String>> Reader<S> {
    fn optional(&self, name: &str) -> Option<String> {
        (self.source)(name).map(|it| it.trim().to_owned()).filter(|it| !it.is_empty())
    }

    fn text_or(&self, name: &str, default: &str) -> String {
        self.optional(name).unwrap_or_else(|| default.to_owned())
    }

    fn text(&mut self, name: &str) -> String {
        self.optional(name).unwrap_or_else(|| {
            self.problems.push(format!("{name} is not set"));
            String::new()
        })
    }

    fn address(&mut self, name: &str) -> SocketAddr {
        let given = self.text(name);
        given.parse().unwrap_or_else(|_| {
            if !given.is_empty() {
                self.problems.push(format!("{name} is not an address with a port"));
            }
            SocketAddr::from(([127, 0, 0, 1], 0))
        })
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "this crate imports none of ours, so this is the one place that reads settings"
)]
fn read_environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

#[cfg(test)]
mod tests {
    use super::Settings;

    fn mode(mode: &'static str) -> impl Fn(&str) -> Option<String> {
        move |name: &str| (name == "SUKOON_MODE").then(|| mode.to_owned())
    }

    #[test]
    fn every_missing_name_is_listed_at_once() {
        let refused = Settings::from_source(mode("development")).err().unwrap().to_string();
        for name in ["SANDBOX_LISTEN", "SANDBOX_SMTP_LISTEN", "SANDBOX_KEY_ID", "SANDBOX_DATA"] {
            assert!(refused.contains(name), "{refused}");
        }
    }

    #[test]
    fn only_development_is_accepted() {
        let refused = |source: &dyn Fn(&str) -> Option<String>| {
            Settings::from_source(source).err().unwrap().to_string()
        };
        for told in [refused(&mode("production")), refused(&mode("dev")), refused(&|_| None)] {
            assert!(told.contains("development"), "{told}");
        }
    }
}
