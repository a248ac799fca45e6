//! The mail server: hands a letter over and tells what a refusal means.

use std::time::Duration;

use lettre::transport::smtp::{AsyncSmtpTransport, Error};
use lettre::{AsyncTransport as _, Message, Tokio1Executor};
use runtime::failpoint;
use secrecy::{ExposeSecret as _, SecretString};

/// How long a connection may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long the whole conversation may take: as long as RFC 5321 lets a server think about a
/// message. One that is slower may have taken the mail all the same; then it comes a second time,
/// with the same Message-ID.
pub(crate) const CONVERSATION_TIMEOUT: Duration = Duration::from_secs(10 * 60);
/// Refusals of ourselves, not of the mail: wrong or missing credentials, or a server that is told
/// nothing yet. An operator mends them, and then the mail goes out.
const ABOUT_US: [&str; 5] = ["530", "534", "535", "538", "502"];

/// Why the server did not take a mail, as a word for the row and the log. What the server said may
/// repeat an address and is dropped here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It may take it later.
    #[error("not now: {0}")]
    Later(String),
    /// It will never take it.
    #[error("never: {0}")]
    Never(String),
}

/// A mail server.
#[derive(Debug, Clone)]
pub struct MailServer {
    transport: AsyncSmtpTransport<Tokio1Executor>,
}

impl MailServer {
    /// The server behind a URL: `smtp://host:port`, `smtps://user:password@host`, or
    /// `smtp://…?tls=required`.
    ///
    /// # Errors
    /// When the URL is not one. It is not repeated, because it may hold a password.
    pub fn new(url: &SecretString) -> Result<Self, InvalidUrl> {
        let builder = AsyncSmtpTransport::<Tokio1Executor>::from_url(url.expose_secret())
            .map_err(|_told_with_the_url| InvalidUrl)?;
        Ok(Self { transport: builder.timeout(Some(CONNECT_TIMEOUT)).build() })
    }

    /// Hands a letter over.
    ///
    /// # Errors
    /// When the server did not say that it took it.
    pub async fn send(&self, letter: &Message) -> Result<(), Refusal> {
        let (envelope, bytes) = (letter.envelope(), letter.formatted());
        let conversation = self.transport.send_raw(envelope, &bytes);
        failpoint::pass(&"smtp.before");
        let answer = tokio::time::timeout(CONVERSATION_TIMEOUT, conversation).await;
        failpoint::pass(&"smtp.after");
        match answer {
            Ok(Ok(_taken)) => Ok(()),
            Ok(Err(error)) => Err(refusal(&error)),
            Err(_elapsed) => Err(Refusal::Later("smtp_slow".to_owned())),
        }
    }
}

/// `NOTIFICATIONS_SMTP_URL` cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("NOTIFICATIONS_SMTP_URL is not the URL of a mail server")]
pub struct InvalidUrl;

fn refusal(error: &Error) -> Refusal {
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
        return Refusal::Later(word.to_owned());
    };
    let word = format!("smtp_{code}");
    if error.is_permanent() && !ABOUT_US.contains(&code.as_str()) {
        Refusal::Never(word)
    } else {
        Refusal::Later(word)
    }
}
