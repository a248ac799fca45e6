//! Alarms on a phone, by another way than the mail server, which may be what has failed: a message
//! to ntfy, to Telegram, or as JSON to any address.
use anyhow::{Context, Result, bail};
use machine::environment::Environment;
use reqwest::{Client, RequestBuilder, Url};
use serde_json::json;
use std::time::Duration;

/// The setting with the address; without it nothing is pushed.
pub(crate) const URL: &str = "SUKOON_PUSH_URL";
/// The setting with the form of the message, one of `FORMS`.
pub(crate) const FORM: &str = "SUKOON_PUSH_FORM";
/// The forms.
pub(crate) const FORMS: [&str; 3] = ["ntfy", "telegram", "json"];
const ANSWERS_WITHIN: Duration = Duration::from_secs(20);
/// Telegram takes 4096 characters; ntfy makes a file of more than 4096 bytes.
const CHARACTERS_MAX: usize = 1000;

/// What is pushed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// One line, in ASCII.
    pub title: String,
    /// The rest.
    pub text: String,
    /// Whether it cannot wait for the morning.
    pub is_urgent: bool,
}

/// The form of what an address takes.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Form {
    /// The text, with title and urgency in headers.
    Ntfy,
    /// `sendMessage` of a bot, for the chat that the address names.
    Telegram(String),
    /// An object with `title`, `text` and `urgent`.
    Json,
}

/// Where alarms are pushed to. The address holds a secret, so no error repeats it.
#[derive(Debug)]
pub struct Push {
    client: Client,
    url: Url,
    form: Form,
}

impl Push {
    /// Reads the settings; none where no address is named.
    ///
    /// # Errors
    /// A setting cannot be used.
    pub fn open(environment: &Environment) -> Result<Option<Self>> {
        let Some(url) = environment.get(URL) else { return Ok(None) };
        let (url, form) = read(url, environment.get(FORM).unwrap_or("json"))?;
        // Another part of the program may have chosen it already.
        drop(rustls::crypto::ring::default_provider().install_default());
        let client = Client::builder().timeout(ANSWERS_WITHIN);
        let client = client.redirect(reqwest::redirect::Policy::none()).build()?;
        Ok(Some(Self { client, url, form }))
    }

    /// Pushes a message.
    ///
    /// # Errors
    /// It was not taken; the error says what to do.
    pub async fn tell(&self, message: &Message) -> Result<()> {
        let asked = self.request(message).send().await.map_err(reqwest::Error::without_url);
        let status = asked.context("the address for pushed alarms does not answer")?.status();
        match status.as_u16() {
            200..=299 => Ok(()),
            400 | 404 => {
                bail!("{status}: the topic, chat or address for pushed alarms is not there")
            }
            401 | 403 => {
                bail!("{status}: the token for pushed alarms is refused, or the bot was left")
            }
            429 => bail!("{status}: too many alarms were pushed; they are pushed again later"),
            _ => bail!("{status}: the service of pushed alarms has a fault of its own"),
        }
    }

    fn request(&self, Message { title, text, is_urgent }: &Message) -> RequestBuilder {
        let text: String = text.chars().take(CHARACTERS_MAX).collect();
        let post = self.client.post(self.url.clone());
        match &self.form {
            Form::Ntfy => {
                let priority = if *is_urgent { "urgent" } else { "default" };
                post.header("Title", title).header("Priority", priority).body(text)
            }
            Form::Telegram(chat) => {
                post.json(&json!({ "chat_id": chat, "text": format!("{title}\n{text}") }))
            }
            Form::Json => post.json(&json!({ "title": title, "text": text, "urgent": is_urgent })),
        }
    }
}

/// Whether an address and a form can be used together.
pub(crate) fn require_usable(url: &str, form: &str) -> Result<()> {
    read(url, form).map(drop)
}

fn read(text: &str, form: &str) -> Result<(Url, Form)> {
    let mut url: Url = text.parse().context("[alarms] url is no address")?;
    let is_here = matches!(url.host_str(), Some("127.0.0.1" | "localhost"));
    if url.scheme() != "https" && !is_here {
        bail!("[alarms] url begins with https://");
    }
    let form = match form {
        "ntfy" if url.path().len() < 2 => bail!("ntfy needs a topic: https://ntfy.sh/<topic>"),
        "ntfy" => Form::Ntfy,
        "json" => Form::Json,
        "telegram" => {
            let chat = url.query_pairs().find(|(name, _)| name == "chat_id");
            let chat = chat.map(|(_, chat)| chat.into_owned()).filter(|chat| !chat.is_empty());
            let chat = chat.context(
                "Telegram needs https://api.telegram.org/bot<token>/sendMessage?chat_id=<chat>",
            )?;
            url.set_query(None);
            Form::Telegram(chat)
        }
        _ => bail!("[alarms] form is one of {}", FORMS.join(", ")),
    };
    Ok((url, form))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn push(url: &str, form: &str) -> Result<Push> {
        let environment = Environment::from([(URL, url), (FORM, form)]);
        Push::open(&environment).map(Option::unwrap)
    }

    fn message() -> Message {
        Message { title: "Sukoon: DiskFillsUp".into(), text: "90 %".into(), is_urgent: true }
    }

    fn body(push: &Push) -> String {
        let request = push.request(&message()).build().unwrap();
        String::from_utf8(request.body().unwrap().as_bytes().unwrap().to_vec()).unwrap()
    }

    #[test]
    fn each_form_is_written_as_its_service_reads_it() {
        let ntfy = push("https://ntfy.sh/topic", "ntfy").unwrap();
        let request = ntfy.request(&message()).build().unwrap();
        assert_eq!(request.headers()["title"], "Sukoon: DiskFillsUp");
        assert_eq!(
            (request.headers()["priority"].to_str().unwrap(), body(&ntfy)),
            ("urgent", "90 %".into())
        );
        let address = "https://api.telegram.org/bot1:a/sendMessage";
        let telegram = push(&format!("{address}?chat_id=-100"), "telegram").unwrap();
        assert_eq!(telegram.url.as_str(), address);
        let sent: serde_json::Value = serde_json::from_str(&body(&telegram)).unwrap();
        assert_eq!(sent, json!({ "chat_id": "-100", "text": "Sukoon: DiskFillsUp\n90 %" }));
        let other = push("https://example.org/hook", "json").unwrap();
        let sent: serde_json::Value = serde_json::from_str(&body(&other)).unwrap();
        assert_eq!(sent, json!({ "title": "Sukoon: DiskFillsUp", "text": "90 %", "urgent": true }));
    }

    #[test]
    fn what_cannot_be_used_is_named_and_the_address_is_not_repeated() {
        assert!(Push::open(&Environment::default()).unwrap().is_none());
        for (url, form, says) in [
            ("http://example.org/secret", "json", "begins with https"),
            ("https://ntfy.sh/", "ntfy", "needs a topic"),
            ("https://api.telegram.org/secret/sendMessage", "telegram", "chat_id"),
            ("https://example.org/secret", "pager", "one of ntfy"),
        ] {
            let told = format!("{:#}", push(url, form).unwrap_err());
            assert!(told.contains(says) && !told.contains("secret"), "{told}");
        }
    }
}
