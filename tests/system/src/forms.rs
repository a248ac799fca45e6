//! The forms that need no account: a contact message, the request for the meditation guide, and
//! unsubscribing.

use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use checker::snapshot::Ack;
use serde_json::{Value, json};
use testkit::until_within;

use crate::accounts::{request_code, sign_up_and_request_code};
use crate::customer::{Answer, address};
use crate::mails::unsubscribe_token;
use crate::practice::Practice;
use crate::reviews::{call, sign_in};

/// The staff's service for mails.
const STAFF: &str = "notifications.v1.NotificationsStaffService";
/// The service of the forms.
pub const SERVICE: &str = "notifications.v1.NotificationsService";
/// How long a call is retried and a mail is awaited: every part may be killed in that time, and a
/// refused mail waits for its next attempt.
const TIMEOUT: Duration = Duration::from_secs(480);

/// Sends a message, requests the guide, and unsubscribes.
///
/// When a step is refused permanently, or the mail does not arrive.
pub async fn submit_forms(practice: &Practice) -> Result<()> {
    let email = address("writer");
    send_message(practice, &email, "canary-message-of-a-person").await?.ok()?;
    request_guide(practice, &email, &format!("guide-{email}")).await?.ok()?;
    let mail = until_within(TIMEOUT, "the guide came", async || {
        let Ok(mails) = practice.inbox_of(&email).await else { return Ok(None) };
        // The acknowledgement has an unsubscribe link, too; the first mail with one is used.
        Ok(mails.into_iter().find(|mail| unsubscribe_token(mail).is_ok()))
    })
    .await?;
    let ended = unsubscribe(practice, &unsubscribe_token(&mail)?).await?;
    ensure!(ended == 200, "the click that ends mails was answered with {ended}");
    Ok(())
}

/// An account with a mistyped address requests a recovery code. The owner retries the mail that
/// fails, and then settles it.
///
/// When a step is refused permanently, or the mail does not fail.
pub async fn fail_a_mail(practice: &Practice) -> Result<()> {
    let email = address("mistyped");
    let refused = json!({
        "target": "smtp_rcpt", "kind": "refuse", "times": 0, "recipient": email,
    });
    practice.sandbox_post("/api/faults", &refused).await?;
    sign_up_and_request_code(practice, &email).await?;
    let token = until_within(TIMEOUT, "the owner is signed in", async || sign_in(practice).await);
    let token = token.await?;
    let staff = async |method: &str, body: Value| {
        call(practice, (STAFF, method), &body, |it| it.bearer_auth(&token)).await
    };
    let failed = json!({ "state": "DELIVERY_STATE_FAILED" });
    // A kill can delay the mail until its code has expired; the mail is dropped then. Another code
    // is requested, as often as the limit allows.
    let find = async || {
        request_code(practice, &email).await?;
        let listed = staff("ListMails", failed.clone()).await?.ok()?;
        Ok(listed["mails"][0]["mailId"].as_str().map(str::to_owned))
    };
    let mail_id = until_within(TIMEOUT, "the mail has failed", find).await?;
    let mail = json!({ "mailId": mail_id });
    // A repeat after a lost answer finds it done.
    staff("RetryMail", mail.clone()).await?;
    until_within(TIMEOUT, "the mail is settled", async || {
        let settled = staff("SettleMail", mail.clone()).await?;
        let standing = practice.mail_state(&mail_id).await?;
        if standing == "retrying" {
            // The attempt met a service that was just killed; the next one would be minutes away.
            staff("RetryMail", mail.clone()).await?;
        }
        // The mail of an expired code is dropped.
        let over = ["settled", "dropped"].contains(&standing.as_str());
        Ok((settled.status == 200 || over).then_some(()))
    })
    .await
}

/// Sends a message with an idempotency key of its own.
///
/// When there is no answer for minutes.
pub async fn send_message(practice: &Practice, email: &str, text: &str) -> Result<Answer> {
    let key = format!("message-{email}");
    let body = json!({
        "name": "Asha Canaryworth", "email": email, "message": text, "idempotencyKey": key,
    });
    let answer = call(practice, (SERVICE, "SendContactMessage"), &body, |it| it).await?;
    if answer.status == 200 {
        practice.record_ack(Ack::Messaged(key));
    }
    Ok(answer)
}

/// Requests the guide.
///
/// When there is no answer for minutes.
pub async fn request_guide(practice: &Practice, email: &str, key: &str) -> Result<Answer> {
    let body = json!({ "email": email, "idempotencyKey": key });
    let answer = call(practice, (SERVICE, "RequestMeditationGuide"), &body, |it| it).await?;
    if answer.status == 200 {
        practice.record_ack(Ack::GuideRequested(key.to_owned()));
    }
    Ok(answer)
}

/// Unsubscribes by one click, as a mail program does, and returns the status.
///
/// When there is no answer for minutes.
pub async fn unsubscribe(practice: &Practice, token: &str) -> Result<u16> {
    until_within(TIMEOUT, "unsubscribing answers", async || {
        let post = practice
            .http
            .post(format!("{}/unsubscribe?t={token}", practice.url))
            .header("content-type", "application/x-www-form-urlencoded")
            .body("List-Unsubscribe=One-Click");
        let Ok(answer) = post.send().await else { return Ok(None) };
        let status = answer.status().as_u16();
        Ok(Some(status).filter(|status| *status < 429))
    })
    .await
}

/// The text after a mark, up to the next space.
///
/// # Errors
/// When the mark is not there.
pub fn text_after<'t>(text: &'t str, mark: &str) -> Result<&'t str> {
    let (_, rest) = text.split_once(mark).with_context(|| format!("{mark} is not in {text}"))?;
    let end = rest.find(|it: char| it.is_whitespace() || "<>\"')".contains(it));
    Ok(rest.get(..end.unwrap_or(rest.len())).unwrap_or_default())
}

/// Whether a mail's text contains this text, such as a room's address.
#[must_use]
pub fn contains_text(mail: &Value, text: &str) -> bool {
    mail["text"].as_str().is_some_and(|it| it.contains(text))
}
