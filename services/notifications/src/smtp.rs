//! The SMTP client: sends a message and classifies errors.

use std::time::Duration;

use lettre::transport::smtp::extension::ClientId;
use lettre::transport::smtp::{AsyncSmtpTransport, Error};
use lettre::{AsyncTransport as _, Message, Tokio1Executor};
use runtime::failpoint;
use secrecy::{ExposeSecret as _, SecretString};
use url::Url;

/// How long a connection may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// The timeout of the whole SMTP exchange: as long as RFC 5321 lets a server take for a message. A
/// slower server may still have accepted the mail; then it is sent a second time, with the same
/// Message-ID.
pub(crate) const SMTP_TIMEOUT: Duration = Duration::from_secs(10 * 60);
/// Permanent SMTP codes about our configuration, not about the mail: wrong or missing credentials,
/// or a server that isn't set up, or takes no mails (RFC 7504). They are retried, because an
/// operator fixes them.
const CONFIGURATION_CODES: [&str; 6] = ["530", "534", "535", "538", "502", "521"];
/// The same in words, in small letters, because their codes, 550, 553 and 554, are those for a
/// recipient that does not exist, too: of Postfix, Exim, Sendmail and Exchange, and of Google's
/// relay, about a client that they don't know or that may not send as our sender.
const CONFIGURATION_WORDS: [&str; 8] = [
    "relay access denied",
    "relay not permitted",
    "relaying denied",
    "unable to relay",
    "credentials for relay",
    "client host",
    "sender address rejected",
    "sendasdenied",
];
/// Answers of a server that will take no more mails of ours for a while, although their code is a
/// permanent one: enhanced codes (RFC 3463) that the standard knows as passing ones only, of which
/// Google uses 5.4.5 for the day's quota, and the words of Exchange and Plesk for theirs.
const EXHAUSTED: [&str; 4] =
    ["5.3.1 ", "5.4.5 ", "SubmissionQuotaExceeded", "number of allowed outgoing messages"];

/// Why the server did not accept a mail, as a code for the row and the log. The server's text may
/// repeat an address and is discarded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// It may accept it later.
    #[error("not now: {0}")]
    Transient(String),
    /// It will never accept it.
    #[error("never: {0}")]
    Permanent(String),
}

/// A mail server.
#[derive(Debug, Clone)]
pub struct MailServer {
    transport: AsyncSmtpTransport<Tokio1Executor>,
}

impl MailServer {
    /// The server behind a URL: `smtp://host:port`, `smtps://user:password@host`, or
    /// `smtp://…?tls=required`. It is greeted with the name behind the URL's host, or else with
    /// `domain`, the sender's: the library's own word, `[127.0.0.1]`, is never ours (RFC 5321,
    /// 4.1.4), and Google's relay and others refuse it.
    ///
    /// # Errors
    /// When the URL is not one. It is not repeated, because it may hold a password.
    pub fn new(url: &SecretString, domain: &str) -> Result<Self, InvalidUrl> {
        let url = url.expose_secret();
        let mut builder = AsyncSmtpTransport::<Tokio1Executor>::from_url(url)
            .map_err(|_told_with_the_url| InvalidUrl)?;
        let has_name = Url::parse(url).is_ok_and(|url| url.path().len() > 1);
        if !has_name {
            builder = builder.hello_name(ClientId::Domain(domain.to_owned()));
        }
        Ok(Self { transport: builder.timeout(Some(CONNECT_TIMEOUT)).build() })
    }

    /// Sends a message.
    ///
    /// # Errors
    /// When the server did not confirm that it accepted it.
    pub async fn send(&self, message: &Message) -> Result<(), SendError> {
        let (envelope, bytes) = (message.envelope(), message.formatted());
        let exchange = self.transport.send_raw(envelope, &bytes);
        failpoint::pass(&"smtp.before");
        let answer = tokio::time::timeout(SMTP_TIMEOUT, exchange).await;
        failpoint::pass(&"smtp.after");
        match answer {
            Ok(Ok(_taken)) => Ok(()),
            Ok(Err(error)) => Err(classify(&error)),
            Err(_elapsed) => Err(SendError::Transient("smtp_slow".to_owned())),
        }
    }
}

/// `NOTIFICATIONS_SMTP_URL` cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("NOTIFICATIONS_SMTP_URL is not the URL of a mail server")]
pub struct InvalidUrl;

fn classify(error: &Error) -> SendError {
    let Some(code) = error.status().map(|code| code.to_string()) else {
        let word = if error.is_timeout() {
            "smtp_slow"
        } else if error.is_tls() {
            "smtp_tls"
        } else if error.is_client() {
            "smtp_protocol"
        } else {
            "smtp_unreachable"
        };
        return SendError::Transient(word.to_owned());
    };
    let word = format!("smtp_{code}");
    // The server's text is looked at here, and kept nowhere.
    let text = std::error::Error::source(error).map(ToString::to_string).unwrap_or_default();
    if error.is_permanent() && EXHAUSTED.iter().any(|it| text.contains(it)) {
        return SendError::Transient("smtp_quota".to_owned());
    }
    if error.is_permanent() && !is_about_us(&code, &text) {
        SendError::Permanent(word)
    } else {
        SendError::Transient(word)
    }
}

/// Whether the server would refuse every mail of ours, whatever it is.
fn is_about_us(code: &str, text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    CONFIGURATION_CODES.contains(&code) || CONFIGURATION_WORDS.iter().any(|it| text.contains(it))
}
