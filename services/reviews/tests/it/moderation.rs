//! Staff search, delete and restore reviews; no other caller can; and what remains after erasure.

use std::io::Cursor;

use anyhow::{Context as _, Result};
use contract::reviews::v1::{
    DeleteReviewRequest, GetReviewRequest, GetStatisticsRequest, ImageFilter,
    ListParkedEventsRequest, ListReviewsRequest, ListStaffReviewsRequest, ListStaffReviewsResponse,
    LockRequest, RestoreReviewRequest, RetryParkedEventsRequest, Review, SubmitReviewRequest,
};
use kernel::Id;
use kernel::id::Booking;
use serde_json::Value;
use staff::Role;
use testkit::until;
use tonic::{Code, Response, Status};

use crate::panel::{
    ADMIN, CUSTOMER, FRONT_DESK, OWNER, PRACTITIONER, Panel, person, rejection_of, review,
};

const DAY: i64 = 24 * 3600;

/// The events of a review by their names.
async fn history(panel: &Panel, review_id: &str) -> Result<Vec<String>> {
    let events = panel.world.history(review_id).await;
    Ok(events.iter().map(|event| event.trim_start_matches("Review").to_owned()).collect())
}

/// The number of published reviews.
async fn readable(panel: &Panel) -> Result<i64> {
    Ok(panel.public().get_statistics(GetStatisticsRequest {}).await?.into_inner().count)
}

async fn delete(
    panel: &Panel,
    who: Option<u128>,
    grant: &str,
    id: &str,
) -> Result<Result<i64, Status>> {
    let request = panel.call(who, grant, DeleteReviewRequest { review_id: id.to_owned() })?;
    let answer = panel.staff().delete_review(request).await;
    Ok(answer.map(|answer| answer.into_inner().undo_until.unwrap().seconds))
}

async fn restore(panel: &Panel, grant: &str, id: &str) -> Result<Result<Review, Status>> {
    let request =
        panel.call(Some(OWNER), grant, RestoreReviewRequest { review_id: id.to_owned() })?;
    let answer = panel.staff().restore_review(request).await;
    Ok(answer.map(|answer| answer.into_inner().review.unwrap().review.unwrap()))
}

async fn list(
    panel: &Panel,
    grant: &str,
    asked: ListStaffReviewsRequest,
) -> Result<ListStaffReviewsResponse> {
    let request = panel.call(Some(OWNER), grant, asked)?;
    Ok(panel.staff().list_staff_reviews(request).await?.into_inner())
}

/// The writers' names that a query finds, newest first.
async fn found(panel: &Panel, grant: &str, asked: ListStaffReviewsRequest) -> Result<Vec<String>> {
    let listed = list(panel, grant, asked).await?;
    Ok(listed.reviews.into_iter().map(|it| it.review.unwrap().name).collect())
}

#[tokio::test]
async fn a_deletion_without_a_live_grant_is_refused_written_down_and_changes_nothing() -> Result<()>
{
    let panel = Panel::new().await?;
    let id = panel.submit(review("Asha", "asha@example.org", "Calm.")).await?.review_id;
    let (idle, locked) = (panel.unlocked(OWNER).await?, panel.unlocked(OWNER).await?);
    let dismissed = panel.unlocked(ADMIN).await?;
    panel.staff().lock(panel.call(None, &locked, LockRequest {})?).await?;
    panel.move_clock(10 * 60 + 1).await;
    let (live, own) = (panel.unlocked(OWNER).await?, panel.unlocked(ADMIN).await?);
    drop(dismissed);
    panel.set_role(ADMIN, None);
    let (no, who_are_you) = (Code::PermissionDenied, Code::Unauthenticated);
    for (who, grant, code, reason) in [
        (None, "", no, "GRANT_REQUIRED"),
        (Some(CUSTOMER), "", no, "GRANT_REQUIRED"),
        (Some(OWNER), "", no, "GRANT_REQUIRED"),
        (Some(OWNER), "never-given", no, "GRANT_ENDED"),
        (Some(OWNER), idle.as_str(), no, "GRANT_ENDED"),
        (Some(OWNER), locked.as_str(), no, "GRANT_ENDED"),
        (None, live.as_str(), who_are_you, "TOKEN_MISSING"),
        (Some(CUSTOMER), live.as_str(), no, "STAFF_ONLY"),
        (Some(FRONT_DESK), live.as_str(), no, "ROLE_NOT_ALLOWED"),
        (Some(PRACTITIONER), live.as_str(), no, "ROLE_NOT_ALLOWED"),
        (Some(ADMIN), own.as_str(), no, "STAFF_ONLY"),
    ] {
        let answer = rejection_of(delete(&panel, who, grant, &id).await?);
        assert_eq!(answer, (code, reason.to_owned()), "{who:?}");
        let (actor, _role, action, subject, outcome) =
            panel.audit_log().await?.pop().context("it was written down")?;
        assert_eq!(actor, who.map(|who| person(who).to_string()).unwrap_or_default());
        assert_eq!((&*action, &*outcome), ("DeleteReview", reason));
        let named = if who.is_some() { id.as_str() } else { "" };
        assert_eq!(subject, named, "who is nobody writes nothing into a review's history");
    }
    panel.set_role(ADMIN, Some(Role::Admin));
    let answer = rejection_of(delete(&panel, Some(ADMIN), &live, &id).await?);
    assert_eq!(answer, (no, "GRANT_REQUIRED".to_owned()), "it is somebody else's");
    panel.move_clock(10 * 60 + 1 + 30 * 60).await;
    let answer = rejection_of(delete(&panel, Some(OWNER), &live, &id).await?);
    assert_eq!(answer, (no, "GRANT_ENDED".to_owned()));
    assert_eq!(history(&panel, &id).await?, ["Submitted"]);
    assert_eq!(readable(&panel).await?, 1);
    assert!(!panel.dump(&["timers"]).await?.contains("erase_review"));
    Ok(())
}

#[tokio::test]
async fn a_deleted_review_is_hidden_at_once_and_can_be_restored_in_time() -> Result<()> {
    let panel = Panel::new().await?;
    let id = panel.submit(review("Asha", "asha@example.org", "Calm.")).await?.review_id;
    let grant = panel.unlocked(OWNER).await?;
    // The seconds in which it can be restored don't end on a busy machine.
    panel.world.database.stop_clock().await?;
    let before = panel.world.store.now().await?.seconds();
    let until = delete(&panel, Some(OWNER), &grant, &id).await??;
    assert!((before + 10..before + 40).contains(&until), "{before} {until}");
    assert_eq!(delete(&panel, Some(OWNER), &grant, &id).await??, until, "again: the same");
    let mut public = panel.public();
    let get = GetReviewRequest { review_id: id.clone() };
    let gone = rejection_of(public.get_review(get.clone()).await);
    assert_eq!(gone, (Code::NotFound, "REVIEW_NOT_FOUND".to_owned()));
    assert!(
        public.list_reviews(ListReviewsRequest::default()).await?.into_inner().reviews.is_empty()
    );
    assert_eq!(readable(&panel).await?, 0);
    assert!(found(&panel, &grant, ListStaffReviewsRequest::default()).await?.is_empty());

    let back = restore(&panel, &grant, &id).await??;
    assert_eq!(back.name, "Asha");
    assert_eq!(restore(&panel, &grant, &id).await??, back, "again: the same");
    assert_eq!(public.get_review(get).await?.into_inner().review, Some(back));
    assert_eq!(readable(&panel).await?, 1);
    assert_eq!(history(&panel, &id).await?, ["Submitted", "Deleted", "Restored"]);
    assert!(!panel.dump(&["timers"]).await?.contains("erase_review"));

    delete(&panel, Some(OWNER), &grant, &id).await??;
    panel.move_clock(16).await;
    let late = rejection_of(restore(&panel, &grant, &id).await?);
    assert_eq!(late, (Code::FailedPrecondition, "UNDO_TOO_LATE".to_owned()));
    let absent = format!("rvw_{:032x}", 7);
    for none in [absent.as_str(), "", "rvw_7", "asha@example.org"] {
        let deleted = rejection_of(delete(&panel, Some(OWNER), &grant, none).await?);
        let restored = rejection_of(restore(&panel, &grant, none).await?);
        let expected = (Code::NotFound, "REVIEW_NOT_FOUND".to_owned());
        assert_eq!((deleted, restored), (expected.clone(), expected), "{none}");
    }
    let book = panel.audit_log().await?;
    assert!(!format!("{book:?}").contains("asha"), "ids only: {book:?}");
    let outcomes: Vec<&str> = book
        .iter()
        .filter(|row| row.2.ends_with("Review") && row.3 == id)
        .map(|row| row.4.as_str())
        .collect();
    assert_eq!(outcomes, ["done", "done", "done", "done", "done", "UNDO_TOO_LATE"]);
    Ok(())
}

#[tokio::test]
async fn deletions_at_once_are_one_event_and_a_closed_panel_stops_none_half_way() -> Result<()> {
    let panel = Panel::new().await?;
    let id = panel.submit(review("Asha", "asha@example.org", "Calm.")).await?.review_id;
    let other = panel.submit(review("Ravi", "ravi@example.org", "Kind.")).await?.review_id;
    let grant = panel.unlocked(OWNER).await?;
    let calls = (0..8).map(|_| delete(&panel, Some(OWNER), &grant, &id));
    let mut answers = Vec::new();
    for answer in futures::future::join_all(calls).await {
        answers.push(answer??);
    }
    answers.dedup();
    assert_eq!(answers.len(), 1);
    assert_eq!(history(&panel, &id).await?, ["Submitted", "Deleted"]);
    let lock = async {
        panel.staff().lock(panel.call(None, &grant, LockRequest {})?).await?;
        Ok::<(), anyhow::Error>(())
    };
    let (deleted, locked) = tokio::join!(delete(&panel, Some(OWNER), &grant, &other), lock);
    locked?;
    // In either order, the answer, the history and the audit log agree.
    let done = deleted?.is_ok();
    assert_eq!(history(&panel, &other).await?.len(), if done { 2 } else { 1 });
    let written =
        panel.audit_log().await?.into_iter().find(|row| row.3 == other).context("written")?;
    assert_eq!(written.4, if done { "done" } else { "GRANT_ENDED" });
    Ok(())
}

/// A picture of one colour.
fn picture() -> Result<Vec<u8>> {
    let mut bytes = Cursor::new(Vec::new());
    image::RgbImage::from_pixel(64, 48, image::Rgb([90, 140, 120]))
        .write_to(&mut bytes, image::ImageFormat::Png)?;
    Ok(bytes.into_inner())
}

async fn upload(panel: &Panel) -> Result<String> {
    let url = format!("{}/uploads/reviews", panel.world.http_url);
    let answer: Value =
        runtime::http::client()?.post(url).body(picture()?).send().await?.json().await?;
    Ok(answer["imageId"].as_str().context("it was taken")?.to_owned())
}

fn files(panel: &Panel) -> usize {
    let folder = std::fs::read_dir(panel.world.folder.join("reviews"));
    folder.map(Iterator::count).unwrap_or_default()
}

#[tokio::test]
async fn a_month_after_its_deletion_nothing_personal_is_left_of_a_review() -> Result<()> {
    let panel = Panel::new().await?;
    let image_id = upload(&panel).await?;
    let written = review("Canary Writer", "canary@example.org", "A canary sang here.");
    let written = SubmitReviewRequest { image_id, ..written };
    let id = panel.submit(written).await?.review_id;
    let undone = panel.submit(review("Ravi", "ravi@example.org", "Kind.")).await?.review_id;
    assert_eq!(files(&panel), 2);
    let grant = panel.unlocked(OWNER).await?;
    delete(&panel, Some(OWNER), &grant, &undone).await??;
    restore(&panel, &grant, &undone).await??;
    delete(&panel, Some(OWNER), &grant, &id).await??;
    panel.move_clock(29 * DAY).await;
    let tables = ["reviews", "events", "audit_log", "timers", "idempotency_keys"];
    assert!(panel.dump(&tables).await?.contains("canary@example.org"));
    panel.move_clock(30 * DAY + 60).await;
    until("it is erased", async || {
        let last = history(&panel, &id).await?.pop();
        Ok((last.as_deref() == Some("Erased")).then_some(()))
    })
    .await?;
    let tables =
        ["reviews", "review_images", "events", "outbox", "audit_log", "timers", "idempotency_keys"];
    let left = panel.dump(&tables).await?.to_lowercase();
    assert!(!left.contains("canary"), "{left}");
    assert_eq!(files(&panel), 0, "the picture's objects are gone");
    assert!(!left.contains("erase_review"));
    assert_eq!(panel.dump(&["review_images"]).await?, "");
    assert_eq!(history(&panel, &undone).await?, ["Submitted", "Deleted", "Restored"]);
    // It stays deleted for every caller.
    let grant = panel.unlocked(OWNER).await?;
    delete(&panel, Some(OWNER), &grant, &id).await??;
    assert_eq!(rejection_of(restore(&panel, &grant, &id).await?).1, "UNDO_TOO_LATE");
    assert_eq!(history(&panel, &id).await?, ["Submitted", "Deleted", "Erased"]);
    Ok(())
}

#[tokio::test]
async fn words_are_found_in_name_address_and_text_and_filters_combine() -> Result<()> {
    let panel = Panel::new().await?;
    let image_id = upload(&panel).await?;
    let with = |name: &str, email: &str, text: &str| review(name, email, text);
    for wanted in [
        with("Asha Verma", "asha@example.org", "I felt 100% better."),
        SubmitReviewRequest { rating: 5, ..with("Ravi", "ravi_k@example.org", "Calm and kind.") },
        SubmitReviewRequest {
            service: "Vedic Astrology Solutions".to_owned(),
            image_id,
            ..with("ÉLODIE", "elodie@mail.example", "मीरा जी बहुत शांत हैं. Better than before.")
        },
        with("Ravi", "kravi@mail.example", "A back\\slash."),
    ] {
        panel.submit(wanted).await?;
    }
    let grant = panel.unlocked(OWNER).await?;
    for (query, names) in [
        ("", vec!["Ravi", "ÉLODIE", "Ravi", "Asha Verma"]),
        ("ASHA", vec!["Asha Verma"]),
        ("better", vec!["ÉLODIE", "Asha Verma"]),
        ("better verma", vec!["Asha Verma"]),
        ("  mail.example \t ravi ", vec!["Ravi"]),
        ("élodie", vec!["ÉLODIE"]),
        ("शांत", vec!["ÉLODIE"]),
        ("100%", vec!["Asha Verma"]),
        ("back\\slash", vec!["Ravi"]),
        // A query of short words finds the beginnings of names.
        ("r", vec!["Ravi", "Ravi"]),
        ("él", vec!["ÉLODIE"]),
        ("vi", vec![]),
        ("%", vec![]),
        ("_", vec![]),
        ("\\", vec![]),
        // Beside a longer word, short words are searched everywhere.
        ("felt %", vec!["Asha Verma"]),
        ("ravi _", vec!["Ravi"]),
        ("ravi_k", vec!["Ravi"]),
        ("calm nothing", vec![]),
        ("' or true --", vec![]),
    ] {
        let query = query.to_owned();
        let asked = ListStaffReviewsRequest { query: query.clone(), ..Default::default() };
        assert_eq!(found(&panel, &grant, asked).await?, names, "{query}");
    }
    let (with, without) = (ImageFilter::With.into(), ImageFilter::Without.into());
    for (query, service, rating, image, names) in [
        ("", "Energy Healing", 0, 0, vec!["Ravi", "Ravi", "Asha Verma"]),
        ("", "", 5, 0, vec!["Ravi"]),
        ("", "", 0, with, vec!["ÉLODIE"]),
        ("", "", 0, without, vec!["Ravi", "Ravi", "Asha Verma"]),
        ("ravi", "Energy Healing", 4, without, vec!["Ravi"]),
        ("ravi", "Energy Healing", 4, with, vec![]),
        ("better", "Vedic Astrology Solutions", 4, with, vec!["ÉLODIE"]),
        ("", "Nothing", 9, 0, vec![]),
    ] {
        let (query, service) = (query.to_owned(), service.to_owned());
        let asked = ListStaffReviewsRequest { query, service, rating, image, ..Default::default() };
        assert_eq!(found(&panel, &grant, asked.clone()).await?, names, "{asked:?}");
    }
    let first = list(&panel, &grant, ListStaffReviewsRequest::default()).await?;
    assert_eq!(first.reviews[3].email, "asha@example.org");
    let looks =
        panel.audit_log().await?.into_iter().filter(|row| row.2 == "ListStaffReviews").count();
    assert_eq!(looks, 29, "who looks at addresses is written down");
    Ok(())
}

#[tokio::test]
async fn pages_go_on_where_the_one_before_ended_and_belong_to_their_question() -> Result<()> {
    let panel = Panel::new().await?;
    for number in 0..7 {
        panel.submit(review(&format!("Writer {number}"), "w@example.org", "Calm.")).await?;
    }
    let grant = panel.unlocked(OWNER).await?;
    let asked = |query: &str, page_token: &str| ListStaffReviewsRequest {
        query: query.to_owned(),
        page_size: 3,
        page_token: page_token.to_owned(),
        ..Default::default()
    };
    let mut names = Vec::new();
    let mut token = String::new();
    loop {
        let page = list(&panel, &grant, asked("calm", &token)).await?;
        assert!(page.reviews.len() <= 3);
        names.extend(page.reviews.into_iter().map(|it| it.review.unwrap().name));
        token = page.next_page_token;
        if token.is_empty() {
            break;
        }
        panel.submit(review("Newcomer", "n@example.org", "Calm.")).await?;
    }
    let expected: Vec<String> = (0..7).rev().map(|number| format!("Writer {number}")).collect();
    assert_eq!(names, expected);
    let first = list(&panel, &grant, asked("calm", "")).await?;
    for (query, token) in [("kind", first.next_page_token.as_str()), ("calm", "rubbish")] {
        let request = panel.call(Some(OWNER), &grant, asked(query, token))?;
        let answer = rejection_of(panel.staff().list_staff_reviews(request).await);
        assert_eq!(answer, (Code::InvalidArgument, "INVALID_PAGE_TOKEN".to_owned()));
    }
    Ok(())
}

#[tokio::test]
async fn each_question_of_staff_has_an_index() -> Result<()> {
    let panel = Panel::new().await?;
    panel
        .world
        .database
        .as_owner(
            "insert into reviews (review_id, name, email, service, rating, text, created_at)
             select gen_random_uuid(), 'Writer ' || n, 'w' || n || '@example.org',
                    'Service ' || n % 6, 1 + n % 5, 'Calm and kind.',
                    clock_now() - n * interval '1 minute'
             from generate_series(1, 20000) n",
        )
        .await?;
    // Autovacuum does this after many changes.
    panel.world.database.as_owner("vacuum analyze reviews").await?;
    for (condition, index) in [
        ("r.service = 'Service 3'", "reviews_by_service"),
        ("r.rating = 2", "reviews_by_rating"),
        ("r.service = 'Service 3' and r.rating = 4", "reviews_by_service_and_rating"),
        (
            "lower(r.name collate \"und-x-icu\") like lower('writer 12%' collate \"und-x-icu\")",
            "reviews_by_name",
        ),
        ("r.image_id is not null", "reviews_with_image"),
        (
            "lower((r.name || ' ' || r.email || ' ' || r.text) collate \"und-x-icu\")
             like lower('%w1234@%' collate \"und-x-icu\")",
            "reviews_by_words",
        ),
    ] {
        let sql = format!(
            "explain select r.review_id from reviews r where r.deleted_at is null and {condition}
             order by r.created_at desc, r.review_id desc limit 21"
        );
        let plan: Vec<String> = sqlx::query_scalar(sqlx::AssertSqlSafe(sql))
            .fetch_all(panel.world.store.pool())
            .await?;
        assert!(plan.join("\n").contains(index), "{index}: {plan:#?}");
    }
    Ok(())
}

#[tokio::test]
async fn a_parked_event_is_shown_tried_again_and_taken_in_when_it_can_be() -> Result<()> {
    let panel = Panel::new().await?;
    // Reviews does not know this booking.
    let booking_id: Id<Booking> = eventstore::new_id();
    panel.world.booking.completed(booking_id).await;
    let listed = until("it is parked", async || {
        let request = panel.call(Some(OWNER), "", ListParkedEventsRequest {})?;
        let events = panel.staff().list_parked_events(request).await?.into_inner().events;
        Ok((!events.is_empty()).then_some(events))
    })
    .await?;
    assert_eq!((&*listed[0].consumer, &*listed[0].source), ("reviews-on-booking", "booking"));
    let stream = format!("booking-{}", booking_id.uuid());
    let retry = async |who: u128| -> Result<_> {
        let message = RetryParkedEventsRequest { stream_id: stream.clone() };
        let request = panel.call(Some(who), "", message)?;
        Ok(panel.staff().retry_parked_events(request).await.map(Response::into_inner))
    };
    let again = retry(OWNER).await??;
    assert_eq!((again.handled, again.events.len()), (0, 1), "the reason is still there");
    sqlx::query("insert into sessions (booking_id, customer_id) values ($1, $2)")
        .bind(booking_id)
        .bind(person(CUSTOMER))
        .execute(panel.world.store.pool())
        .await?;
    let again = retry(ADMIN).await??;
    assert_eq!((again.handled, again.events.len()), (1, 0));
    for (who, reason) in [(FRONT_DESK, "ROLE_NOT_ALLOWED"), (CUSTOMER, "STAFF_ONLY")] {
        assert_eq!(rejection_of(retry(who).await?), (Code::PermissionDenied, reason.to_owned()));
        let request = panel.call(Some(who), "", ListParkedEventsRequest {})?;
        let answer = rejection_of(panel.staff().list_parked_events(request).await);
        assert_eq!(answer, (Code::PermissionDenied, reason.to_owned()));
    }
    Ok(())
}
