//! What a practice has to decide before it can open: read from a file, or asked on the terminal.
use super::layout::Layout;
use super::push;
use anyhow::{Context, Result, bail};
use kernel::PaymentProvider;
use machine::output;
use machine::secrets;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, IsTerminal};
use std::path::Path;

/// The file among the secrets in which they are kept.
const KEPT: &str = "decisions.toml";

/// The parts that may have settings of their own.
const PARTS: [&str; 7] =
    ["gateway", "catalogue", "identity", "booking", "payments", "notifications", "reviews"];

/// Everything that cannot be known without the practice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Decisions {
    /// The site's name, for example `book.example.org`.
    pub(crate) domain: String,
    /// The address that gets alarms, and to which the certificate is made out.
    pub(crate) operator: String,
    /// The practice's owner, who gets an account.
    pub(crate) owner: Owner,
    /// How mails leave.
    pub(crate) mail: Mail,
    /// The account at the payment provider.
    pub(crate) payments: Payments,
    /// What the places of sessions online need beside `[meetings]` of `practice.toml`.
    #[serde(default)]
    pub(crate) meetings: Meetings,
    /// Where backups go.
    #[serde(default)]
    pub(crate) backups: Backups,
    /// Where alarms are pushed to, beside the mails to the operator.
    #[serde(default)]
    pub(crate) alarms: Option<Alarms>,
    /// Settings of the parts beside those that follow from the rest, by part and name. They come
    /// last.
    #[serde(default)]
    pub(crate) settings: BTreeMap<String, BTreeMap<String, String>>,
}

/// The practice's owner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Owner {
    /// The address with which the owner signs in.
    pub(crate) email: String,
    /// The given name.
    pub(crate) first_name: String,
}

/// How mails leave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Mail {
    /// The mail server, for example `smtps://user:password@smtp.example.org`.
    pub(crate) url: String,
    /// Who mails are from, for example `Asha's practice <hello@example.org>`.
    pub(crate) sender: String,
    /// The name of the DKIM key that the mail provider shows, if it is an unusual one.
    #[serde(default)]
    pub(crate) dkim_selector: String,
}

/// The account at the payment provider.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Payments {
    /// The public half of the key.
    pub(crate) key_id: String,
    /// Its secret half.
    pub(crate) key_secret: String,
    /// The secret of the webhook.
    pub(crate) webhook_secret: String,
    /// The account's id, `acc_…`, if it is known.
    #[serde(default)]
    pub(crate) account_id: String,
    /// Where the provider answers.
    #[serde(default = "provider")]
    pub(crate) url: String,
    /// Where browsers load its checkout from.
    #[serde(default = "checkout")]
    pub(crate) checkout_script_url: String,
}

/// What the places of sessions online need beside `[meetings]` of `practice.toml`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Meetings {
    /// Where a program of the practice's own answers, if it has one.
    pub(crate) url: String,
    /// What that program is asked with.
    pub(crate) token: String,
    /// The secret of our application on a Jitsi server that wants tokens.
    pub(crate) jitsi_secret: String,
    /// The id of our account at Zoom.
    pub(crate) zoom_account: String,
    /// The client id of the server-to-server app there.
    pub(crate) zoom_client: String,
    /// Its secret.
    pub(crate) zoom_secret: String,
}

/// Where backups go.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Backups {
    /// Lines for pgBackRest that name another place than this machine, for example a bucket:
    /// `repo1-type = "s3"` and what belongs to it. Without them a fire takes the backups too.
    #[serde(default)]
    pub(crate) place: BTreeMap<String, String>,
}

impl Backups {
    /// Whether the databases' backups leave this machine.
    pub(crate) fn is_elsewhere(&self) -> bool {
        self.place.get("repo1-type").is_some_and(|kind| kind != "posix")
            || self.place.contains_key("repo1-host")
    }
}

/// Where alarms are pushed to: a phone, by another way than the mail server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Alarms {
    /// `ntfy`, `telegram` or `json`.
    pub(crate) form: String,
    /// The address, which holds the topic or the bot's token.
    pub(crate) url: String,
}

impl Meetings {
    fn texts(&self) -> [&String; 6] {
        let Self { url, token, jitsi_secret, zoom_account, zoom_client, zoom_secret } = self;
        [url, token, jitsi_secret, zoom_account, zoom_client, zoom_secret]
    }

    /// The settings of booking with their secrets marked; what is empty is not set.
    pub(crate) fn settings(&self) -> impl Iterator<Item = MeetingSetting<'_>> {
        let names = [
            ("BOOKING_MEETING_URL", false),
            ("BOOKING_MEETING_TOKEN", true),
            ("BOOKING_MEETING_JITSI_SECRET", true),
            ("BOOKING_MEETING_ZOOM_ACCOUNT", false),
            ("BOOKING_MEETING_ZOOM_CLIENT", false),
            ("BOOKING_MEETING_ZOOM_SECRET", true),
        ];
        let given = names.into_iter().zip(self.texts()).filter(|(_, value)| !value.is_empty());
        given.map(|((name, is_secret), value)| MeetingSetting { name, value, is_secret })
    }
}

/// A setting of booking.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MeetingSetting<'a> {
    /// Its name.
    pub(crate) name: &'static str,
    /// Its value.
    pub(crate) value: &'a str,
    /// Whether the value is a secret.
    pub(crate) is_secret: bool,
}

fn provider() -> String {
    PaymentProvider::FIRST.api_url.to_owned()
}

fn checkout() -> String {
    PaymentProvider::FIRST.checkout_script_url.to_owned()
}

impl Decisions {
    /// Reads a file.
    pub(crate) fn read(file: &Path) -> Result<Self> {
        let text = fs::read_to_string(file)
            .with_context(|| format!("{} cannot be read", file.display()))?;
        let decisions: Self =
            toml::from_str(&text).with_context(|| format!("{} is not usable", file.display()))?;
        decisions.require_usable()?;
        Ok(decisions)
    }

    /// Those of the practice that was set up here.
    pub(crate) fn kept(layout: &Layout) -> Result<Self> {
        let file = layout.secrets().join(KEPT);
        anyhow::ensure!(file.is_file(), "`sukoon init` has to be run first, as root");
        Self::read(&file)
    }

    /// Keeps them for `kept`; only root can read them.
    pub(crate) fn keep(&self, layout: &Layout) -> Result<()> {
        let text = toml::to_string(self).context("the decisions cannot be written")?;
        secrets::write_private(&layout.secrets().join(KEPT), text.as_bytes())
    }

    /// Asks for everything on the terminal.
    pub(crate) fn ask() -> Result<Self> {
        let decisions = Self {
            domain: ask("The site's name, for example book.example.org")?,
            operator: ask("The address that gets alarms")?,
            owner: Owner {
                email: ask("The address with which the owner signs in")?,
                first_name: ask("The owner's given name")?,
            },
            mail: Mail {
                url: ask("The mail server, as smtps://user:password@smtp.example.org")?,
                sender: ask("Who mails are from, as Name <hello@example.org>")?,
                dkim_selector: String::new(),
            },
            payments: Payments {
                key_id: ask("The payment provider's key id, rzp_live_…")?,
                key_secret: ask("The key's secret")?,
                webhook_secret: ask("The webhook's secret, at least 32 characters")?,
                account_id: ask_or_leave("The account's id, acc_…, or nothing")?,
                url: provider(),
                checkout_script_url: checkout(),
            },
            meetings: Meetings::default(),
            backups: Backups::default(),
            alarms: None,
            settings: BTreeMap::new(),
        };
        decisions.require_usable()?;
        Ok(decisions)
    }

    fn require_usable(&self) -> Result<()> {
        let is_name = |text: &str| {
            let is_part = |part: &str| {
                !part.is_empty() && part.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'-')
            };
            text.contains('.') && text.split('.').all(is_part)
        };
        if !is_name(&self.domain) {
            bail!("{} is no name of a site such as book.example.org", self.domain);
        }
        for address in [&self.operator, &self.owner.email] {
            let domain = address.split_once('@').map(|(_, domain)| domain);
            if !domain.is_some_and(is_name) || address.contains(char::is_whitespace) {
                bail!("{address} is no mail address");
            }
        }
        if !["smtp://", "smtps://"].iter().any(|scheme| self.mail.url.starts_with(scheme)) {
            bail!("the mail server is named as smtps://user:password@smtp.example.org");
        }
        if self.meetings.url.is_empty() != self.meetings.token.is_empty() {
            bail!("[meetings] takes url and token together, for a program of your own");
        }
        if self.payments.webhook_secret.len() < 32 {
            bail!("the webhook's secret has fewer than 32 characters");
        }
        let texts = [&self.mail.url, &self.mail.sender, &self.payments.key_id];
        let secrets = [&self.payments.key_secret, &self.payments.webhook_secret];
        let meetings = self.meetings.texts();
        if texts.into_iter().chain(secrets).chain(meetings).any(|text| text.contains(['\n', '\'']))
        {
            bail!("a line break or a single quote cannot stand in a setting");
        }
        if self
            .backups
            .place
            .iter()
            .any(|(name, value)| !name.starts_with("repo1-") || value.contains('\n'))
        {
            bail!("[backups.place] takes pgBackRest's settings that begin with repo1-");
        }
        if let Some(Alarms { form, url }) = &self.alarms {
            push::require_usable(url, form)?;
        }
        self.require_usable_settings()
    }

    fn require_usable_settings(&self) -> Result<()> {
        let is_name = |name: &str| {
            let is_letter = |it: u8| it.is_ascii_uppercase() || it.is_ascii_digit() || it == b'_';
            !name.is_empty() && name.bytes().all(is_letter)
        };
        for (part, settings) in &self.settings {
            if !PARTS.contains(&part.as_str()) {
                bail!("[settings.{part}] names no part; the parts are {}", PARTS.join(", "));
            }
            for (name, value) in settings {
                if !is_name(name) || value.contains(['\n', '\'']) {
                    bail!("[settings.{part}] has {name}, which cannot stand in a setting");
                }
            }
        }
        Ok(())
    }
}

fn ask(question: &str) -> Result<String> {
    loop {
        let answer = ask_or_leave(question)?;
        if !answer.is_empty() {
            return Ok(answer);
        }
    }
}

fn ask_or_leave(question: &str) -> Result<String> {
    let input = std::io::stdin();
    if !input.is_terminal() {
        bail!("there is no terminal to ask on; `sukoon init FILE` takes the answers from a file");
    }
    output::line(format_args!("{question}:"));
    let mut answer = String::new();
    let read = input.lock().read_line(&mut answer).context("no answer can be read")?;
    if read == 0 {
        bail!("the questions were not answered; nothing was changed");
    }
    Ok(answer.trim().to_owned())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Decisions with nothing left out.
    pub(crate) const FILE: &str = r#"
domain = "book.example.org"
operator = "operator@example.org"
[owner]
email = "asha@example.org"
first_name = "Asha"
[mail]
url = "smtps://user:word@smtp.example.org"
sender = "Asha practice <hello@example.org>"
[payments]
key_id = "rzp_live_1"
key_secret = "secret"
webhook_secret = "0123456789abcdef0123456789abcdef"
[meetings]
url = "https://meet.example.org"
token = "token"
[backups.place]
repo1-type = "s3"
[alarms]
form = "ntfy"
url = "https://ntfy.sh/topic"
[settings.gateway]
GATEWAY_CHECKOUT_ORIGINS = "https://pay.example.org"
[settings.payments]
PAYMENTS_WEBHOOK_SECRET_PREVIOUS = "the former one, which still counts"
"#;

    /// Those of `FILE`.
    pub(crate) fn decisions() -> Decisions {
        read(FILE).unwrap()
    }

    fn read(text: &str) -> Result<Decisions> {
        let decisions: Decisions = toml::from_str(text)?;
        decisions.require_usable()?;
        Ok(decisions)
    }

    #[test]
    fn what_is_usual_need_not_be_said() {
        let sound = FILE.to_owned();
        let decisions = read(&sound).unwrap();
        assert_eq!(decisions.payments.url, provider());
        assert_eq!(decisions.payments.account_id, "");
        let own = "[meetings]\nurl = \"https://meet.example.org\"\ntoken = \"token\"\n";
        assert_eq!(read(&sound.replace(own, "")).unwrap().meetings, Meetings::default());
    }

    #[test]
    fn what_cannot_be_used_is_named() {
        let sound = FILE.to_owned();
        for (right, wrong, says) in [
            ("book.example.org\"", "localhost\"", "name of a site"),
            ("operator@example.org", "operator", "no mail address"),
            ("smtps://", "mail://", "mail server"),
            ("0123456789abcdef0123456789abcdef", "short", "32 characters"),
            ("repo1-type", "pg1-path", "begin with repo1-"),
            ("token = \"token\"", "", "url and token together"),
            ("domain", "domein", "unknown field"),
            ("\"secret\"", "\"a'b\"", "single quote"),
            ("ntfy.sh/topic", "ntfy.sh", "needs a topic"),
            ("settings.gateway", "settings.postgres", "the parts are gateway"),
            ("GATEWAY_CHECKOUT", "gateway-checkout", "cannot stand in a setting"),
        ] {
            let error = read(&sound.replacen(right, wrong, 1)).unwrap_err();
            assert!(format!("{error:#}").contains(says), "{wrong}: {error:#}");
        }
    }
}
