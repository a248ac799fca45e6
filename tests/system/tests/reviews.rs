//! Reviews in a whole practice: who gets the badge, deleting and restoring by the owner, audited
//! refusals, and no personal data in any answer.

#![expect(clippy::indexing_slicing, reason = "indexing JSON gives null where there is nothing")]

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use sqlx::Row as _;
use system::practice::RAISED_LIMITS;
use system::reviews::{self, Panel, SERVICE as REVIEWS, STAFF, review_request, upload_picture};
use system::{Answer, Customer, Practice};
use testkit::until;

const SERVICE: &str = "general-consultation";
/// Longer than until the end of the session.
const UNTIL_SESSION_IS_OVER_MINUTES: i64 = 20 * 24 * 60;

/// A visitor who records every answer.
struct Visitor<'p> {
    practice: &'p Practice,
    answers: RefCell<Vec<String>>,
}

impl<'p> Visitor<'p> {
    fn of(practice: &'p Practice) -> Self {
        Self { practice, answers: RefCell::new(Vec::new()) }
    }

    /// Calls with a client's token or without one.
    async fn call(&self, method: &str, body: &Value, who: Option<&Customer<'_>>) -> Result<Answer> {
        let add_credentials = |request: reqwest::RequestBuilder| match who {
            Some(who) => request.bearer_auth(who.token()),
            None => request,
        };
        let answer = reviews::call(self.practice, (REVIEWS, method), body, add_credentials).await?;
        self.answers.borrow_mut().push(answer.body.to_string());
        Ok(answer)
    }

    /// Publishes a review and returns it as published.
    async fn write(&self, body: &Value, who: Option<&Customer<'_>>) -> Result<Value> {
        Ok(self.call("SubmitReview", body, who).await?.ok()?["review"].clone())
    }

    async fn would_be_verified(&self, who: Option<&Customer<'_>>) -> Result<bool> {
        let answer = self.call("CheckBadge", &json!({}), who).await?.ok()?;
        Ok(answer["wouldBeVerified"] == true)
    }

    /// The status of a path for a browser without a cache.
    async fn visit(&self, path: &str) -> Result<u16> {
        let answer = self.practice.http.get(format!("{}{path}", self.practice.url)).send().await?;
        let status = answer.status().as_u16();
        let headers = format!("{:?}", answer.headers());
        let answers = headers + &answer.text().await?;
        self.answers.borrow_mut().push(answers);
        Ok(status)
    }

    /// Whether a review is public: by its id, at its address and in the list, all the same.
    async fn can_read(&self, review: &Value) -> Result<bool> {
        let id = review["reviewId"].as_str().context("no id")?;
        let one = self.call("GetReview", &json!({ "reviewId": id }), None).await?;
        let document = self.visit(&format!("/reviews/{id}")).await?;
        let listed = self.call("ListReviews", &json!({ "pageSize": 50 }), None).await?.ok()?;
        let listed = listed["reviews"]
            .as_array()
            .is_some_and(|all| all.iter().any(|one| one["reviewId"] == id));
        if one.status == 200 {
            assert_eq!((document, listed), (200, true), "{one:?}");
        } else {
            assert_eq!((one.reason().as_str(), one.status), ("REVIEW_NOT_FOUND", 404));
            assert_eq!((document, listed), (404, false), "{one:?}");
        }
        Ok(one.status == 200)
    }

    async fn statistics(&self) -> Result<(i64, i64)> {
        let answers = self.call("GetStatistics", &json!({}), None).await?.ok()?;
        // In JSON, 64-bit numbers are texts, and zero is omitted.
        let number = |name: &str| answers[name].as_str().map_or(Ok(0), str::parse);
        Ok((number("count")?, number("verifiedCount")?))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn reviews_are_submitted_verified_and_deleted() -> Result<()> {
    let practice = Practice::start(&RAISED_LIMITS).await?;
    let visitor = Visitor::of(&practice);
    let asha = Customer::new(&practice, "Asha").await?;
    let verified = the_badge_is_the_customers_alone(&practice, &visitor, &asha).await?;
    let stranger =
        visitor.write(&review_request(&asha.email, "a-stranger-with-her-address"), None).await?;
    assert_eq!(stranger["verified"], Value::Null, "a typed address proves something: {stranger}");
    assert_eq!(visitor.statistics().await?, (3, 1));
    a_picture_is_shown_until_its_review_goes(&practice, &visitor).await?;
    let mut panel = Panel::open(&practice).await?;
    deleted_and_restored(&visitor, &mut panel, &stranger).await?;
    refusals_are_audited(&practice, &visitor, &mut panel, &verified, &asha).await?;
    practice.record_ack(reviewed_ack(&verified)?);
    practice.check().await?;
    no_answer_file_or_log_has_personal_data(&practice, &visitor)
}

fn reviewed_ack(review: &Value) -> Result<checker::snapshot::Ack> {
    let id = review["reviewId"].as_str().context("no id")?;
    Ok(checker::snapshot::Ack::Reviewed(id.parse()?))
}

/// Books, pays and has the session; then one review gets the badge, and a second does not.
async fn the_badge_is_the_customers_alone(
    practice: &Practice,
    visitor: &Visitor<'_>,
    asha: &Customer<'_>,
) -> Result<Value> {
    let start = asha.free_starts(SERVICE).await?.remove(0);
    let booking_id = asha.hold(SERVICE, &start, "before-a-review").await?;
    let order_id = asha.order(&booking_id).await?;
    practice.pay(&order_id).await?;
    asha.wait_for_state(&booking_id, "BOOKING_STATE_MEETING_SCHEDULED").await?;
    assert!(!visitor.would_be_verified(Some(asha)).await?, "the session was not yet");
    practice.advance_clocks(UNTIL_SESSION_IS_OVER_MINUTES).await?;
    asha.wait_for_state(&booking_id, "BOOKING_STATE_COMPLETED").await?;
    until("reviews has heard of the session", async || {
        Ok(visitor.would_be_verified(Some(asha)).await?.then_some(()))
    })
    .await?;
    assert!(!visitor.would_be_verified(None).await?);
    let body = review_request(&asha.email, "a-customers-own-review");
    let review = visitor.write(&body, Some(asha)).await?;
    assert_eq!(review["verified"], true, "{review}");
    assert_eq!(visitor.write(&body, Some(asha)).await?, review, "the same key, the same review");
    assert!(!visitor.would_be_verified(Some(asha)).await?, "one session proves one review");
    let second =
        visitor.write(&review_request(&asha.email, "a-customers-second"), Some(asha)).await?;
    assert_eq!(second["verified"], Value::Null, "{second}");
    let only = json!({ "filter": "REVIEW_FILTER_VERIFIED" });
    let listed = visitor.call("ListReviews", &only, None).await?.ok()?;
    assert_eq!(listed["reviews"], json!([review]));
    Ok(review)
}

/// A picture has no address before its review is published and after it is deleted.
async fn a_picture_is_shown_until_its_review_goes(
    practice: &Practice,
    visitor: &Visitor<'_>,
) -> Result<()> {
    let mut body = review_request("picture@customers.example", "a-review-with-a-picture");
    body["imageId"] = json!(upload_picture(practice).await?);
    let review = visitor.write(&body, None).await?;
    let path = review["image"]["path"].as_str().context("no picture")?.to_owned();
    let small = review["image"]["smallPath"].as_str().context("no small picture")?.to_owned();
    for path in [&path, &small] {
        let answer = practice.http.get(format!("{}{path}", practice.url)).send().await?;
        assert_eq!(answer.status(), 200, "{path}");
        let header = |name: &str| answer.headers()[name].to_str().unwrap_or_default().to_owned();
        assert_eq!(header("content-type"), "image/webp");
        assert_eq!(header("cache-control"), "public, max-age=86400, immutable");
        assert_eq!(header("x-content-type-options"), "nosniff");
        assert_eq!(
            header("content-security-policy"),
            "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox"
        );
        assert!(answer.bytes().await?.starts_with(b"RIFF"), "{path} is no WebP");
    }
    body["idempotencyKey"] = json!("a-second-with-the-same-picture");
    let taken = visitor.call("SubmitReview", &body, None).await?;
    assert_eq!(taken.reason(), "IMAGE_NOT_FOUND", "{taken:?}");
    let mut panel = Panel::open(practice).await?;
    let id = json!({ "reviewId": review["reviewId"] });
    panel.call("DeleteReview", &id).await?.ok()?;
    assert!(!visitor.can_read(&review).await?);
    for path in [&path, &small] {
        assert_eq!(visitor.visit(path).await?, 404, "{path} is still shown");
    }
    panel.call("Lock", &json!({})).await?.ok()?;
    Ok(())
}

async fn deleted_and_restored(
    visitor: &Visitor<'_>,
    panel: &mut Panel<'_>,
    review: &Value,
) -> Result<()> {
    let id = json!({ "reviewId": review["reviewId"] });
    let listed =
        panel.call("ListStaffReviews", &json!({ "query": "canary-review" })).await?.ok()?;
    let listed = listed["reviews"].as_array().cloned().unwrap_or_default();
    assert_eq!(listed.len(), 3, "{listed:?}");
    assert!(listed.iter().all(|one| one["email"].as_str().is_some_and(|it| it.contains('@'))));
    assert!(visitor.can_read(review).await?);
    // The time for undoing a deletion is seconds, so nothing is checked in between.
    let deleted = panel.call("DeleteReview", &id).await?.ok()?;
    let restored = panel.call("RestoreReview", &id).await?.ok()?;
    assert!(deleted["undoUntil"].is_string(), "{deleted}");
    assert_eq!(&restored["review"]["review"], review);
    assert!(visitor.can_read(review).await?, "it did not come back");
    assert_eq!(visitor.statistics().await?, (3, 1));
    let deleted = panel.call("DeleteReview", &id).await?.ok()?;
    assert!(!visitor.can_read(review).await?, "it is still there");
    assert_eq!(visitor.statistics().await?, (2, 1));
    assert_eq!(panel.call("DeleteReview", &id).await?.ok()?, deleted, "again: the same answer");
    Ok(())
}

async fn refusals_are_audited(
    practice: &Practice,
    visitor: &Visitor<'_>,
    panel: &mut Panel<'_>,
    review: &Value,
    asha: &Customer<'_>,
) -> Result<()> {
    let id = json!({ "reviewId": review["reviewId"] });
    let delete = async |token: &str, cookie: &str| {
        let add_credentials =
            |request: reqwest::RequestBuilder| request.bearer_auth(token).header("cookie", cookie);
        reviews::call(practice, (STAFF, "DeleteReview"), &id, add_credentials).await
    };
    let refused = async |answer: Result<Answer>, reasons: &[&str]| -> Result<()> {
        let answer = answer?;
        assert_eq!(answer.status, 403, "{answer:?}");
        assert!(reasons.contains(&answer.reason().as_str()), "{answer:?}");
        assert!(visitor.can_read(review).await?, "it was deleted all the same");
        Ok(())
    };
    refused(delete(&panel.token, "theme=dark").await, &["GRANT_REQUIRED"]).await?;
    refused(delete(asha.token(), "theme=dark").await, &["GRANT_REQUIRED", "STAFF_ONLY"]).await?;
    refused(delete(asha.token(), &panel.cookie).await, &["GRANT_REQUIRED", "STAFF_ONLY"]).await?;
    let unlock = async |token: &str, password: &str| {
        let body = json!({ "password": password });
        let add_credentials = |request: reqwest::RequestBuilder| request.bearer_auth(token);
        reviews::call(practice, (STAFF, "Unlock"), &body, add_credentials).await
    };
    refused(unlock(&panel.token, "not her password").await, &["ACCESS_DENIED"]).await?;
    refused(unlock(asha.token(), "quiet river stones").await, &["ACCESS_DENIED"]).await?;
    practice.advance_clocks(11).await?;
    refused(delete(&panel.token, &panel.cookie).await, &["GRANT_ENDED"]).await?;
    panel.unlock().await?;
    panel.call("Lock", &json!({})).await?.ok()?;
    let ended = &["GRANT_ENDED", "GRANT_REQUIRED"];
    refused(delete(&panel.token, &panel.cookie).await, ended).await?;
    let mut database = practice.database("reviews").await?;
    let rows = sqlx::query("select action, outcome from audit_log order by acted_at")
        .fetch_all(&mut database)
        .await?;
    let rows: Vec<(String, String)> =
        rows.iter().map(|row| (row.get("action"), row.get("outcome"))).collect();
    let count = |action: &str, outcomes: &[&str]| {
        let is = |row: &&(String, String)| row.0 == action && outcomes.contains(&row.1.as_str());
        rows.iter().filter(is).count()
    };
    let why = ["GRANT_REQUIRED", "GRANT_ENDED", "STAFF_ONLY", "ROLE_NOT_ALLOWED"];
    assert_eq!(count("DeleteReview", &why), 5, "{rows:?}");
    // `audit_log` has the reason that the answer did not give.
    assert_eq!(count("Unlock", &["WRONG_PASSWORD", "STAFF_ONLY"]), 2, "{rows:?}");
    assert_eq!(count("RestoreReview", &["done"]), 1, "{rows:?}");
    Ok(())
}

/// The e-mail addresses in a text, by their form.
fn addresses_in(text: &str) -> Vec<&str> {
    let local = |it: char| it.is_ascii_alphanumeric() || "._%+-".contains(it);
    let domain = |it: char| it.is_ascii_alphanumeric() || ".-".contains(it);
    let mut found = Vec::new();
    for (at, _) in text.match_indices('@') {
        let (before, after) = (&text[..at], &text[at + 1..]);
        let start = before.trim_end_matches(local).len();
        let host = &after[..after.len() - after.trim_start_matches(domain).len()];
        let host = host.trim_end_matches(['.', '-']);
        let top = host.rsplit_once('.').map_or("", |(_, top)| top);
        if start < at && top.len() > 1 && top.chars().all(|it| it.is_ascii_alphabetic()) {
            found.push(&text[start..=at + host.len()]);
        }
    }
    found
}

#[test]
fn an_address_is_found_by_its_form() {
    let text = r#"{"email":"asha.1+x@customers.example"} a@b @media x@1.2 <owner@a.example>."#;
    assert_eq!(addresses_in(text), ["asha.1+x@customers.example", "owner@a.example"]);
}

/// No public answer, no file of the site and no log contains a password or an address.
fn no_answer_file_or_log_has_personal_data(
    practice: &Practice,
    visitor: &Visitor<'_>,
) -> Result<()> {
    let (email, password) = practice.owner()?;
    let plain = password.replace('-', "");
    let secrets =
        [email.as_str(), &password, &plain, "@customers.example", "quiet river", "$argon2"];
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let about = std::fs::read_to_string(root.join("deploy/local/practice/practice.toml"))?;
    let own = addresses_in(&about);
    assert!(!own.is_empty(), "the practice has no address of its own");
    let only_own = |text: &str, place: &str| {
        let others: Vec<_> =
            addresses_in(text).into_iter().filter(|one| !own.contains(one)).collect();
        assert!(others.is_empty(), "{others:?} stand in {place}");
    };
    let answers = visitor.answers.borrow();
    assert!(answers.len() > 30, "hardly anything was asked");
    for (text, secret) in answers.iter().flat_map(|text| secrets.map(|secret| (text, secret))) {
        assert!(!text.contains(secret), "{secret} stands in {text}");
    }
    answers.iter().for_each(|text| only_own(text, text));
    let site = root.join("web/dist");
    let files = files_below(&site)?;
    assert!(files.len() > 20, "there is no built site at {}", site.display());
    for path in files.iter().filter(|path| path.extension().is_none_or(|it| it != "woff2")) {
        let text = String::from_utf8_lossy(&std::fs::read(path)?).into_owned();
        only_own(&text, &path.display().to_string());
    }
    let logs = files_below(&practice.data().join("logs"))?.into_iter().filter(|path| {
        !path.file_stem().is_some_and(|name| name == "sandbox" || name == "postgres")
    });
    for path in files.into_iter().chain(logs) {
        let text = String::from_utf8_lossy(&std::fs::read(&path)?).into_owned();
        for secret in secrets {
            assert!(!text.contains(secret), "{secret} stands in {}", path.display());
        }
    }
    Ok(())
}

fn files_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files_below(&path)?);
        } else {
            found.push(path);
        }
    }
    Ok(found)
}
