//! Reviews: submitted with a picture, read in public, deleted and restored in the owner's panel.

use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use checker::snapshot::Ack;
use reqwest::RequestBuilder;
use serde_json::{Value, json};
use testkit::until_within;

use crate::customer::{Answer, address};
pub use crate::owner::sign_in;
use crate::practice::Practice;

/// The public service.
pub const SERVICE: &str = "reviews.v1.ReviewsService";
/// The admin panel's service.
pub const STAFF: &str = "reviews.v1.ReviewsStaffService";
/// A picture of 8 by 6 points, as PNG in base64.
const PICTURE: &str = "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAGCAIAAABxZ0isAAAAY0lEQVR42g3JIQEAQQhFQZKgC\
    bEh0Jvky5cCTYgNgSbR3dgxM9w4xjVklPGMNcwCD05wAwUVvGDjj8STk9xESSUv2fxDuDjiCokST6z+aLw5zW3UVPOa7T8\
    GH85wBw01vGGHD8x/PnGPuaBxAAAAAElFTkSuQmCC";
/// How long a call is retried; every part may be killed in that time.
const TIMEOUT: Duration = Duration::from_secs(180);
/// How often a step is started again because the clocks were moved in between.
const TRIES: usize = 20;

/// Submits a review with a picture; the practice deletes and restores it.
///
/// When a step is refused permanently, or something acknowledged cannot be read.
pub async fn review_lifecycle(practice: &Practice) -> Result<()> {
    for _ in 0..TRIES {
        if delete_and_restore(practice).await? {
            return Ok(());
        }
    }
    Ok(())
}

/// Submits a review, reads it, deletes it, restores it and deletes it again. Returns whether it
/// could be restored: not after the time for undoing has passed.
async fn delete_and_restore(practice: &Practice) -> Result<bool> {
    let review_id = submit_review(practice).await?;
    let read = json!({ "reviewId": review_id });
    let found = call(practice, (SERVICE, "GetReview"), &read, |it| it).await?.ok()?;
    let path = found["review"]["image"]["path"].as_str().context("no picture")?.to_owned();
    fetch_picture(practice, &path).await?;
    // A picture without a review expires.
    upload_picture(practice).await?;
    let mut panel = Panel::open(practice).await?;
    panel.call("ListStaffReviews", &json!({ "query": "canary-review" })).await?.ok()?;
    panel.call("DeleteReview", &read).await?.ok()?;
    let restored = panel.call("RestoreReview", &read).await?;
    if restored.status != 200 && restored.reason() != "UNDO_TOO_LATE" {
        bail!("it cannot be brought back: {restored:?}");
    }
    panel.call("DeleteReview", &read).await?.ok()?;
    panel.call("Lock", &json!({})).await?.ok()?;
    Ok(restored.status == 200)
}

/// Submits a review until it is acknowledged; returns its id.
///
/// When it is refused permanently.
pub(crate) async fn submit_review(practice: &Practice) -> Result<String> {
    let email = address("reviewer");
    for attempt in 0..TRIES {
        let image = upload_picture(practice).await?;
        let mut body = review_request(&email, &format!("{email}-{attempt}"));
        body["imageId"] = json!(image);
        let answer = call(practice, (SERVICE, "SubmitReview"), &body, |it| it).await?;
        // The picture may have expired since the upload.
        if answer.reason() == "IMAGE_NOT_FOUND" {
            continue;
        }
        let answer = answer.ok()?;
        let review_id = answer["review"]["reviewId"].as_str().context("no review")?.to_owned();
        practice.record_ack(Ack::Reviewed(review_id.parse()?));
        return Ok(review_id);
    }
    bail!("its picture was always gone before the review came")
}

/// The request for a review.
#[must_use]
pub fn review_request(email: &str, key: &str) -> Value {
    json!({
        "name": "Asha Canaryworth", "email": email, "service": "Energy Healing", "rating": 5,
        "text": "It was as quiet as a canary-review can be.", "idempotencyKey": key,
    })
}

/// Uploads a picture and returns its id.
pub async fn upload_picture(practice: &Practice) -> Result<String> {
    let bytes = STANDARD.decode(PICTURE)?;
    until_within(TIMEOUT, "a picture is taken in", async || {
        let post = practice.http.post(format!("{}/uploads/reviews", practice.url));
        let Ok(answer) = post.body(bytes.clone()).send().await else { return Ok(None) };
        match answer.status().as_u16() {
            201 => {
                let Ok(made) = answer.json::<Value>().await else { return Ok(None) };
                Ok(made["imageId"].as_str().map(str::to_owned))
            }
            429 | 500.. => Ok(None),
            _ => bail!("the picture is refused: {}", answer.text().await?),
        }
    })
    .await
}

/// Fetches a picture of a published review.
///
/// # Errors
/// When it is not there.
pub async fn fetch_picture(practice: &Practice, path: &str) -> Result<Vec<u8>> {
    until_within(TIMEOUT, "the picture is shown", async || {
        let Ok(answer) = practice.http.get(format!("{}{path}", practice.url)).send().await else {
            return Ok(None);
        };
        match answer.status().as_u16() {
            200 => Ok(answer.bytes().await.ok().map(|bytes| bytes.to_vec())),
            429 | 500.. => Ok(None),
            status => bail!("{path} answers {status}"),
        }
    })
    .await
}

/// Calls once; `add_credentials` adds the credentials.
///
/// # Errors
/// When there is no answer at all.
pub async fn call_once(
    practice: &Practice,
    (service, method): (&str, &str),
    body: &Value,
    add_credentials: impl Fn(RequestBuilder) -> RequestBuilder,
) -> Result<Answer> {
    let url = format!("{}/rpc/{service}/{method}", practice.url);
    let answer = add_credentials(practice.http.post(url).json(body)).send().await?;
    let status = answer.status().as_u16();
    Ok(Answer { status, body: answer.json().await.unwrap_or(Value::Null) })
}

/// Retries a call until the answer is not "try again".
///
/// When there is no answer for minutes.
pub async fn call(
    practice: &Practice,
    (service, method): (&str, &str),
    body: &Value,
    add_credentials: impl Fn(RequestBuilder) -> RequestBuilder,
) -> Result<Answer> {
    until_within(TIMEOUT, &format!("{method} answers"), async || {
        let asked = call_once(practice, (service, method), body, &add_credentials).await;
        let again = |answer: &Answer| answer.status >= 500 || answer.status == 429;
        Ok(asked.ok().filter(|answer| !again(answer)))
    })
    .await
}

/// The admin panel, opened by the practice's owner.
pub struct Panel<'p> {
    practice: &'p Practice,
    /// The owner's access token.
    pub token: String,
    /// The cookie with the panel grant, as a browser sends it.
    pub cookie: String,
}

impl<'p> Panel<'p> {
    /// Signs in as the owner and unlocks the panel with the owner's password.
    ///
    /// When either is refused for minutes.
    pub async fn open(practice: &'p Practice) -> Result<Self> {
        let mut panel = Self { practice, token: String::new(), cookie: String::new() };
        panel.unlock().await?;
        Ok(panel)
    }

    /// Signs in again, because a token is valid for an hour, and gets another grant. Attempts that
    /// a killed process left unfinished count as wrong ones and make the owner wait, for minutes
    /// in the end; so the clocks move after each denial.
    ///
    /// When the owner is refused for minutes.
    pub async fn unlock(&mut self) -> Result<()> {
        let practice = self.practice;
        let unlocked = until_within(TIMEOUT, "the panel is unlocked", async || {
            match attempt(practice).await? {
                Attempt::Unlocked { token, cookie } => return Ok(Some((token, cookie))),
                Attempt::Denied => practice.advance_clocks(1).await?,
                Attempt::Unanswered => {}
            }
            Ok(None)
        });
        (self.token, self.cookie) = unlocked.await?;
        Ok(())
    }

    /// Calls with token and grant. When a grant has expired, the panel is unlocked again, as the
    /// page does.
    ///
    /// When there is no answer for minutes.
    pub async fn call(&mut self, method: &str, body: &Value) -> Result<Answer> {
        for _attempt in 0..TRIES {
            let add_credentials =
                |it: RequestBuilder| it.bearer_auth(&self.token).header("cookie", &self.cookie);
            let answer = call(self.practice, (STAFF, method), body, add_credentials).await?;
            if !answer.reason().starts_with("GRANT_") {
                return Ok(answer);
            }
            self.unlock().await?;
        }
        bail!("{method}: each grant had ended before it was used")
    }
}

/// What an attempt to unlock the panel came to.
enum Attempt {
    Unlocked {
        token: String,
        cookie: String,
    },
    Denied,
    /// A part is down.
    Unanswered,
}

/// One password is entered at a time, and the clocks do not move in between.
async fn attempt(practice: &Practice) -> Result<Attempt> {
    let _clocks = practice.clock_lock.read().await;
    let _owner = practice.owner_password_lock.lock().await;
    let Some(token) = sign_in(practice).await? else { return Ok(Attempt::Unanswered) };
    let url = format!("{}/rpc/{STAFF}/Unlock", practice.url);
    let body = json!({ "password": practice.owner()?.1 });
    let post = practice.http.post(&url).bearer_auth(&token).json(&body);
    let Ok(answer) = post.send().await else { return Ok(Attempt::Unanswered) };
    match answer.status().as_u16() {
        200 => {}
        403 | 429 => return Ok(Attempt::Denied),
        500.. => return Ok(Attempt::Unanswered),
        status => bail!("Unlock answers {status}"),
    }
    let cookie = answer.headers().get("set-cookie").context("no cookie")?.to_str()?;
    let cookie = cookie.split(';').next().unwrap_or_default().to_owned();
    Ok(Attempt::Unlocked { token, cookie })
}
