//! `sukoon alarm JOB`: tells the practice's operator by mail that a job of this server has failed.
//! systemd calls it.
use crate::layout::Layout;
use crate::operations;
use crate::push::{Message as PushMessage, Push};
use anyhow::{Context, Result, bail};
use lettre::message::Mailbox;
use lettre::transport::smtp::extension::ClientId;
use lettre::{AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor};
use machine::environment::Environment;
use machine::{mail_name, output};
use std::collections::BTreeMap;
use std::process::ExitCode;

/// Sends the mail, and pushes the same where an address for that is named. One of them is enough.
pub(crate) async fn run(layout: &Layout, job: &str) -> Result<ExitCode> {
    let settings: BTreeMap<_, _> = operations::settings_of(layout, "alarm")?.into_iter().collect();
    let environment = Environment::default().with(settings.clone().into_iter());
    let pushed = match Push::open(&environment)? {
        Some(push) => push.tell(&push_of(job)).await.map(|()| true),
        None => Ok(false),
    };
    match (mail(&settings, job).await, pushed) {
        (Err(error), Ok(true)) => output::problem(&error),
        (mailed, pushed) => {
            mailed?;
            pushed?;
        }
    }
    output::line(format_args!("told the operator that {job} has failed"));
    Ok(ExitCode::SUCCESS)
}

fn push_of(job: &str) -> PushMessage {
    PushMessage {
        title: format!("Sukoon: {job} has failed"),
        text: "`sukoon status` on the server says more.".to_owned(),
        is_urgent: false,
    }
}

async fn mail(settings: &BTreeMap<String, String>, job: &str) -> Result<()> {
    let setting = |name: &str| {
        settings.get(name).with_context(|| format!("{name} is missing; `sukoon init` writes it"))
    };
    if !job.bytes().all(|it| it.is_ascii_alphanumeric() || b"-_.@".contains(&it)) {
        bail!("{job} is no name of a job");
    }
    let mailbox = |name: &str| -> Result<Mailbox> {
        setting(name)?.parse().with_context(|| format!("{name} is no mail address"))
    };
    let sender = mailbox("NOTIFICATIONS_SENDER")?;
    let message = message(sender.clone(), mailbox("SUKOON_OPERATOR_EMAIL")?, job)?;
    let server = setting("NOTIFICATIONS_SMTP_URL")?;
    let mut transport = AsyncSmtpTransport::<Tokio1Executor>::from_url(server)
        .context("NOTIFICATIONS_SMTP_URL names no mail server")?;
    if let Some(name) = mail_name::greeting(server, sender.email.domain()) {
        transport = transport.hello_name(ClientId::Domain(name.to_owned()));
    }
    let transport: AsyncSmtpTransport<Tokio1Executor> = transport.build();
    transport.send(message).await.context("the mail server did not take the alarm").map(drop)
}

fn message(from: Mailbox, to: Mailbox, job: &str) -> Result<Message> {
    use lettre::message::header;
    let text = format!(
        "{job} has failed on the server of your practice.\n\n\
         `sukoon status` says what does not run or is overdue, `journalctl -u {job}` why.\n"
    );
    // Google refuses a mail without an id, and not every relay adds one.
    let id = format!("<alarm.{}@{}>", machine::secrets::random_secret(), from.email.domain());
    let automatic = header::HeaderName::new_from_ascii_str("Auto-Submitted");
    Message::builder()
        .message_id(Some(id))
        .from(from)
        .to(to)
        .subject(format!("Sukoon: {job} has failed"))
        .raw_header(header::HeaderValue::new(automatic, "auto-generated".to_owned()))
        .singlepart(lettre::message::SinglePart::plain(text))
        .context("the alarm cannot be written")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mail_names_the_job() {
        let from = "Asha <hello@example.org>".parse().unwrap();
        let to = "operator@example.org".parse().unwrap();
        let mail = message(from, to, "sukoon-drill.service").unwrap().formatted();
        let mail = String::from_utf8(mail).unwrap();
        assert!(mail.contains("Subject: Sukoon: sukoon-drill.service has failed"), "{mail}");
        assert!(mail.contains("To: operator@example.org"), "{mail}");
    }

    /// Without these headers a relay may refuse the mail, or a person's program answer it.
    #[test]
    fn the_mail_has_an_id_and_says_that_a_program_writes_it() {
        let mail = |job: &str| {
            let from = "Asha <hello@example.org>".parse().unwrap();
            let to = "operator@example.org".parse().unwrap();
            String::from_utf8(message(from, to, job).unwrap().formatted()).unwrap()
        };
        let id = |mail: &str| {
            let found = mail.lines().find_map(|line| line.strip_prefix("Message-ID: <alarm."));
            found.map(str::to_owned).unwrap()
        };
        let (one, other) = (mail("sukoon-drill.service"), mail("sukoon-drill.service"));
        assert!(id(&one).ends_with("@example.org>"), "{one}");
        assert_ne!(id(&one), id(&other), "a second alarm is no repeat of the first");
        for header in ["Auto-Submitted: auto-generated", "MIME-Version: 1.0", "charset=utf-8"] {
            assert!(one.contains(header), "{one}");
        }
    }
}
