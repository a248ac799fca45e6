//! The mail to the practice's operator about alarms that have begun. It goes straight to the mail
//! server, because the service that sends mails may be what the alarm is about.
use super::alarms::Alarm;
use super::screen::line;
use anyhow::{Context, Result};
use lettre::message::Mailbox;
use lettre::transport::smtp::extension::ClientId;
use lettre::{AsyncSmtpTransport, AsyncTransport as _, Message, Tokio1Executor};
use machine::environment::Environment;
use machine::mail_name;
use machine::secrets::random_secret;
use std::time::Duration;

/// The setting with the operator's address; without it no mail is sent.
const OPERATOR: &str = "SUKOON_OPERATOR_EMAIL";
/// How long the mail server may take.
const TIMEOUT: Duration = Duration::from_secs(20);
const SENDER: &str = "Sukoon <sukoon@localhost>";

/// The operator's address, and the mail server.
pub(super) struct Mailer {
    sender: Mailbox,
    operator: Mailbox,
    transport: AsyncSmtpTransport<Tokio1Executor>,
}

impl Mailer {
    /// None where no operator is named. `sandbox_port` is the mail server of a practice that is
    /// tried.
    ///
    /// # Errors
    /// A setting cannot be used. The mail server's URL is not repeated: it may hold a password.
    pub(super) fn open(
        environment: &Environment,
        sandbox_port: Option<u16>,
    ) -> Result<Option<Self>> {
        let Some(operator) = environment.get(OPERATOR) else { return Ok(None) };
        let operator = operator.parse().with_context(|| format!("{OPERATOR} is no address"))?;
        let sender = environment.get("NOTIFICATIONS_SENDER").unwrap_or(SENDER);
        let sender: Mailbox = sender.parse().context("NOTIFICATIONS_SENDER is no address")?;
        let ours = sandbox_port.map(|port| format!("smtp://127.0.0.1:{port}"));
        let url = environment.get("NOTIFICATIONS_SMTP_URL").map(str::to_owned).or(ours);
        let url = url.context("NOTIFICATIONS_SMTP_URL is missing")?;
        let transport = AsyncSmtpTransport::<Tokio1Executor>::from_url(&url).ok();
        let mut transport = transport.context("NOTIFICATIONS_SMTP_URL is no mail server's URL")?;
        if let Some(name) = mail_name::greeting(&url, sender.email.domain()) {
            transport = transport.hello_name(ClientId::Domain(name.to_owned()));
        }
        let transport = transport.timeout(Some(TIMEOUT)).build();
        Ok(Some(Self { sender, operator, transport }))
    }

    /// Sends one mail about all of them.
    ///
    /// # Errors
    /// The mail server did not take it.
    pub(super) async fn tell(&self, alarms: &[Alarm]) -> Result<()> {
        let Some(first) = alarms.first() else { return Ok(()) };
        let more = match alarms.len().saturating_sub(1) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let lines: Vec<String> = alarms.iter().map(line).collect();
        let host = self.sender.email.domain();
        let message = Message::builder()
            .message_id(Some(format!("<alarm.{}@{host}>", random_secret())))
            .from(self.sender.clone())
            .to(self.operator.clone())
            .subject(format!("Sukoon alarm: {}{more}", first.name))
            .body(format!("{}\n", lines.join("\n")))
            .context("the mail cannot be made")?;
        self.transport.send(message).await.context("the mail server did not take it")?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn without_an_operator_no_mail_is_sent_and_bad_settings_are_named() {
        assert!(Mailer::open(&Environment::default(), None).unwrap().is_none());
        let bad = [(OPERATOR, "nowhere")];
        let told = Mailer::open(&Environment::from(bad), Some(25)).err().unwrap().to_string();
        assert!(told.contains(OPERATOR), "{told}");
        let secret = [
            (OPERATOR, "ops@example.org"),
            ("NOTIFICATIONS_SMTP_URL", "http://user:password@mail.example.org"),
        ];
        let told = Mailer::open(&Environment::from(secret), None).err().unwrap();
        let told = format!("{told:#}");
        assert!(told.contains("NOTIFICATIONS_SMTP_URL") && !told.contains("password"), "{told}");
    }
}
