//! Somebody who writes to the practice without an account: a message, a wish for the meditation
//! guide, and the click that ends such mails.

use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use simulation::checker::snapshot::Ack;
use testkit::until_within;

use crate::customer::{Answer, address};
use crate::post::way_out;
use crate::practice::Practice;
use crate::reviewer::{call, sign_in};
use crate::visitor::{ask_for_code, forget};

/// What staff calls about mails.
const STAFF: &str = "notifications.v1.NotificationsStaffService";
/// The service of the forms.
pub const FORMS: &str = "notifications.v1.NotificationsService";
/// How long a call is repeated, and how long a mail is waited for: everything may be killed
/// meanwhile, and a mail that was refused waits for its turn.
const PATIENCE: Duration = Duration::from_secs(480);

/// Writes a message, asks for the guide, and wants no more such mails.
///
/// # Errors
/// When a step is refused for good, or what was asked for does not come.
pub async fn write(practice: &Practice) -> Result<()> {
    let email = address("writer");
    message(practice, &email, "canary-message-of-a-person").await?.ok()?;
    guide(practice, &email, &format!("guide-{email}")).await?.ok()?;
    let mail = until_within(PATIENCE, "the guide came", async || {
        let Ok(mails) = practice.inbox_of(&email).await else { return Ok(None) };
        // The acknowledgement can be ended too: whichever is there first has the link.
        Ok(mails.into_iter().find(|mail| way_out(mail).is_ok()))
    })
    .await?;
    let ended = one_click(practice, &way_out(&mail)?).await?;
    ensure!(ended == 200, "the click that ends mails was answered with {ended}");
    Ok(())
}

/// Somebody mistyped the address of their account and has forgotten its password. The practice's
/// owner deals with the mail that fails: it is tried once more, and then settled.
///
/// # Errors
/// When a step is refused for good, or the mail does not fail.
pub async fn mistype(practice: &Practice) -> Result<()> {
    let email = address("mistyped");
    let refused = json!({
        "target": "smtp_rcpt", "kind": "refuse", "times": 0, "recipient": email,
    });
    practice.sandbox_post("/api/faults", &refused).await?;
    forget(practice, &email).await?;
    let token = until_within(PATIENCE, "the owner is signed in", async || sign_in(practice).await);
    let token = token.await?;
    let staff = async |method: &str, body: Value| {
        call(practice, (STAFF, method), &body, |it| it.bearer_auth(&token)).await
    };
    let failed = json!({ "state": "DELIVERY_STATE_FAILED" });
    // A code that a kill has kept waiting can be too old before its mail was tried, and then the
    // mail is dropped. The person asks for another one, as often as they may.
    let find = async || {
        ask_for_code(practice, &email).await?;
        let listed = staff("ListMails", failed.clone()).await?.ok()?;
        Ok(listed["mails"][0]["mailId"].as_str().map(str::to_owned))
    };
    let mail_id = until_within(PATIENCE, "the mail has failed", find).await?;
    let mail = json!({ "mailId": mail_id });
    // Whoever says it again after a lost answer finds it done.
    staff("RetryMail", mail.clone()).await?;
    until_within(PATIENCE, "the mail is settled", async || {
        let settled = staff("SettleMail", mail.clone()).await?;
        let standing = practice.mail_state(&mail_id).await?;
        if standing == "retrying" {
            // It met a service that was just killed, and would wait for minutes.
            staff("RetryMail", mail.clone()).await?;
        }
        // A code that is too old by now is needed by nobody, so its mail is dropped.
        let over = ["settled", "dropped"].contains(&standing.as_str());
        Ok((settled.status == 200 || over).then_some(()))
    })
    .await
}

/// Sends a message under a key of its own.
///
/// # Errors
/// When nobody answers for long.
pub async fn message(practice: &Practice, email: &str, text: &str) -> Result<Answer> {
    let key = format!("message-{email}");
    let body = json!({
        "name": "Asha Canaryworth", "email": email, "message": text, "idempotencyKey": key,
    });
    let answer = call(practice, (FORMS, "SendContactMessage"), &body, |it| it).await?;
    if answer.status == 200 {
        practice.acknowledged(Ack::Messaged(key));
    }
    Ok(answer)
}

/// Asks for the guide.
///
/// # Errors
/// When nobody answers for long.
pub async fn guide(practice: &Practice, email: &str, key: &str) -> Result<Answer> {
    let body = json!({ "email": email, "idempotencyKey": key });
    let answer = call(practice, (FORMS, "RequestMeditationGuide"), &body, |it| it).await?;
    if answer.status == 200 {
        practice.acknowledged(Ack::GuideRequested(key.to_owned()));
    }
    Ok(answer)
}

/// Ends mails as a mail program does, and tells the status.
///
/// # Errors
/// When nobody answers for long.
pub async fn one_click(practice: &Practice, token: &str) -> Result<u16> {
    until_within(PATIENCE, "unsubscribing answers", async || {
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

/// The part of a text behind a mark, up to the next space.
///
/// # Errors
/// When the mark is not there.
pub fn after<'t>(text: &'t str, mark: &str) -> Result<&'t str> {
    let (_, rest) = text.split_once(mark).with_context(|| format!("{mark} is not in {text}"))?;
    let end = rest.find(|it: char| it.is_whitespace() || "<>\"')".contains(it));
    Ok(rest.get(..end.unwrap_or(rest.len())).unwrap_or_default())
}

/// What a mail's text names as an address, such as that of a room.
#[must_use]
pub fn names(mail: &Value, text: &str) -> bool {
    mail["text"].as_str().is_some_and(|it| it.contains(text))
}
