//! Finds mails in the sandbox's inbox by kind and subject.

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;
use testkit::until_within;

use crate::practice::Practice;

/// How long a mail may take on a busy machine: a refused one is retried after half a minute.
const TIMEOUT: std::time::Duration = std::time::Duration::from_secs(60);

/// The value of a mail's header, or an empty text.
#[must_use]
pub fn header(mail: &Value, name: &str) -> String {
    let mut headers = mail["headers"].as_array().into_iter().flatten();
    let found =
        headers.find(|it| it["name"].as_str().is_some_and(|it| it.eq_ignore_ascii_case(name)));
    found.and_then(|it| it["value"].as_str()).unwrap_or_default().to_owned()
}

/// The plain text of a mail on one line, so that line breaks split no sentence.
#[must_use]
pub fn plain_text(mail: &Value) -> String {
    mail["text"].as_str().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The secret of the mail's unsubscribe link.
///
/// # Errors
/// When there is none.
pub fn unsubscribe_token(mail: &Value) -> Result<String> {
    let link = header(mail, "List-Unsubscribe");
    let one_click = header(mail, "List-Unsubscribe-Post");
    ensure!(one_click == "List-Unsubscribe=One-Click", "no one-click: {one_click}");
    let (_, token) =
        link.trim_matches(['<', '>']).split_once("/unsubscribe?t=").context("no link")?;
    Ok(token.to_owned())
}

impl Practice {
    /// The delivered mails of a kind about a subject, with every repeat.
    ///
    /// When a part does not answer.
    pub async fn mails_of(&self, kind: &str, subject: &str) -> Result<Vec<Value>> {
        let database = self.pool("notifications")?;
        let ids: Vec<String> = sqlx::query_scalar(
            "select message_id from mails
             where kind = $1 and (subject = $2 or $2 = '') and message_id is not null",
        )
        .bind(kind)
        .bind(subject)
        .fetch_all(&database)
        .await?;
        let is_one = |mail: &Value| {
            let id = mail["messageId"].as_str().unwrap_or_default().trim_matches(['<', '>']);
            ids.iter().any(|known| known.trim_matches(['<', '>']) == id)
        };
        Ok(self.inbox().await?.into_iter().filter(is_one).collect())
    }

    /// Waits for the newest code with which the client of a booking by phone signs the consent.
    ///
    /// When none arrives.
    pub async fn consent_code(&self, email: &str) -> Result<String> {
        until_within(TIMEOUT, &format!("a code for {email} came"), async || {
            let mails = self.inbox_of(email).await?;
            let is_code = |mail: &&Value| mail["subject"] == "Your code to sign the consent";
            let newest = mails.iter().find(is_code).and_then(|mail| mail["text"].as_str());
            let mut words =
                newest.unwrap_or_default().split(|letter: char| !letter.is_ascii_digit());
            Ok(words.find(|word| word.len() == 6).map(str::to_owned))
        })
        .await
    }

    /// Waits for the one mail of a kind about a subject.
    ///
    /// When it does not arrive, or arrives more than once.
    pub async fn mail_of(&self, kind: &str, subject: &str) -> Result<Value> {
        let mails = until_within(TIMEOUT, &format!("{kind} of {subject} came"), async || {
            let mails = self.mails_of(kind, subject).await?;
            Ok((!mails.is_empty()).then_some(mails))
        })
        .await?;
        ensure!(mails.len() == 1, "{kind} of {subject} came {} times", mails.len());
        mails.into_iter().next().context("none")
    }

    /// The state of the mail with this id.
    ///
    /// # Errors
    /// When there is none.
    pub async fn mail_state(&self, mail_id: &str) -> Result<String> {
        let id: kernel::Id<kernel::id::Mail> = mail_id.parse()?;
        let database = self.pool("notifications")?;
        let sql = "select state from mails where mail_id = $1";
        Ok(sqlx::query_scalar(sql).bind(id).fetch_one(&database).await?)
    }

    /// The state of a mail and its last error.
    ///
    /// # Errors
    /// When there is no such mail.
    pub async fn mail_state_and_error(
        &self,
        kind: &str,
        subject: &str,
    ) -> Result<(String, String)> {
        let database = self.pool("notifications")?;
        let sql = "select state, coalesce(last_error, '') from mails
                   where kind = $1 and subject = $2";
        let row: Option<(String, String)> =
            sqlx::query_as(sql).bind(kind).bind(subject).fetch_optional(&database).await?;
        row.with_context(|| format!("{kind} of {subject} was never queued"))
    }
}
