//! Submitting reviews: published at once, idempotent, and validated.

use contract::reviews::v1::SubmitReviewRequest;
use futures::future::join_all;
use tonic::Code;

use crate::world::{EMAIL, World, assert_rejected, bearer, customer, review_request};

#[tokio::test]
async fn a_review_is_published_at_once() {
    let world = World::new().await;
    let asked = SubmitReviewRequest {
        name: "  आशा राव ".to_owned(),
        text: "\nHelped.\r\nThank you! 🙂 ".to_owned(),
        ..review_request()
    };
    let review = world.submit(asked).await.unwrap();
    assert_eq!((review.name.as_str(), review.text.as_str()), ("आशा राव", "Helped.\nThank you! 🙂"));
    assert_eq!((review.service.as_str(), review.rating), ("Energy Healing", 5));
    assert!(review.user_generated && !review.verified && review.image.is_none());
    assert!(review.created_at.is_some());
    assert_eq!(world.get(&review.review_id).await.unwrap(), review);
    assert_eq!(world.history(&review.review_id).await, ["ReviewSubmitted"]);
}

#[tokio::test]
async fn each_field_that_is_wrong_is_named_with_its_reason() {
    type Change = fn(&mut SubmitReviewRequest);
    let world = World::new().await;
    let faults: [(Change, &str, &str); 14] = [
        (|it| it.name = " ".to_owned(), "NAME_REQUIRED", "name"),
        (|it| it.name = "n".repeat(81), "NAME_TOO_LONG", "name"),
        (|it| it.name = "A\u{7}B".to_owned(), "INVALID_NAME", "name"),
        (|it| it.name = "12".to_owned(), "INVALID_NAME", "name"),
        (|it| it.email = String::new(), "EMAIL_REQUIRED", "email"),
        (|it| it.email = "asha".to_owned(), "INVALID_EMAIL", "email"),
        (|it| it.email = format!("{}@b", "a".repeat(253)), "INVALID_EMAIL", "email"),
        (|it| it.service = String::new(), "SERVICE_REQUIRED", "service"),
        (|it| it.service = "Massage".to_owned(), "UNKNOWN_SERVICE", "service"),
        (|it| it.rating = 0, "RATING_REQUIRED", "rating"),
        (|it| it.rating = 6, "RATING_REQUIRED", "rating"),
        (|it| it.text = "\n".to_owned(), "REVIEW_REQUIRED", "text"),
        (|it| it.text = "t".repeat(4001), "REVIEW_TOO_LONG", "text"),
        (
            |it| it.idempotency_key = "short".to_owned(),
            "INVALID_IDEMPOTENCY_KEY",
            "idempotency_key",
        ),
    ];
    for (change, reason, field) in faults {
        let mut asked = review_request();
        change(&mut asked);
        assert_rejected(world.submit(asked).await, Code::InvalidArgument, reason, field);
    }
    for image_id in ["1", "img_00000000000040008000000000000001"] {
        let asked = SubmitReviewRequest { image_id: image_id.to_owned(), ..review_request() };
        let answer = world.submit(asked).await;
        assert_rejected(answer, Code::FailedPrecondition, "IMAGE_NOT_FOUND", "image_id");
    }
    assert_eq!(world.count("select count(*) from events").await, 0);
    assert_eq!(world.statistics().await.count, 0);
}

#[tokio::test]
async fn the_same_key_is_answered_with_the_same_review() {
    let world = World::new().await;
    let asked = review_request();
    let answers = join_all((0..8).map(|_| world.submit(asked.clone()))).await;
    let first = world.submit(asked.clone()).await.unwrap();
    for answer in answers {
        assert_eq!(answer.unwrap(), first);
    }
    // After signing in between two attempts, the key still names the same review.
    let again = world.submit_as(world.by(customer(1), asked.clone())).await.unwrap();
    assert_eq!(again, first);
    assert_eq!(world.statistics().await.count, 1);
    let other = SubmitReviewRequest { rating: 1, ..asked };
    let answer = world.submit(other).await;
    assert_rejected(answer, Code::InvalidArgument, "IDEMPOTENCY_KEY_REUSED", "idempotency_key");
}

#[tokio::test]
async fn a_token_that_is_not_good_is_refused_and_none_is_fine() {
    let world = World::new().await;
    let answer = world.submit_as(bearer("forged", review_request())).await;
    assert_rejected(answer, Code::Unauthenticated, "TOKEN_INVALID", "");
    let ended = world.users.token(&customer(1).uuid().to_string(), EMAIL, 1_600_000_000).unwrap();
    let answer = world.submit_as(bearer(&ended, review_request())).await;
    assert_rejected(answer, Code::Unauthenticated, "TOKEN_INVALID", "");
    world.submit(review_request()).await.unwrap();
    assert_eq!(world.statistics().await.count, 1);
}

#[tokio::test]
async fn an_image_is_taken_by_one_review_only() {
    let world = World::new().await;
    world
        .write_rows(
            "insert into review_images (image_id, name, width, height, uploaded_at)
             values ('00000000-0000-4000-8000-000000000001',
                     '0123456789abcdef0123456789abcdef', 1600, 900, clock_now())",
        )
        .await;
    let image_id = "img_00000000000040008000000000000001".to_owned();
    let asked = || SubmitReviewRequest { image_id: image_id.clone(), ..review_request() };
    let answers = join_all((0..4).map(|_| world.submit(asked()))).await;
    let (taken, left): (Vec<_>, Vec<_>) = answers.into_iter().partition(Result::is_ok);
    assert_eq!(taken.len(), 1);
    for answer in left {
        assert_rejected(answer, Code::FailedPrecondition, "IMAGE_NOT_FOUND", "image_id");
    }
    let image = taken.into_iter().next().unwrap().unwrap().image.unwrap();
    assert_eq!(image.path, "/pictures/0123456789abcdef0123456789abcdef-large.webp");
    assert_eq!(image.small_path, "/pictures/0123456789abcdef0123456789abcdef-small.webp");
    assert_eq!((image.width, image.height), (1600, 900));
    assert_eq!(world.statistics().await.count, 1);
}

#[tokio::test]
async fn personal_data_is_only_in_the_reviews_row() {
    let world = World::new().await;
    let asked = SubmitReviewRequest { text: "A very private word.".to_owned(), ..review_request() };
    let review = world.submit_as(world.by(customer(1), asked)).await.unwrap();
    let told = format!("{review:?}");
    assert!(!told.contains(EMAIL), "{told}");
    for table in ["events", "outbox", "feed", "timers", "idempotency_keys", "sessions", "audit_log"]
    {
        let sql = format!("select coalesce(string_agg(t::text, ' '), '') from {table} t");
        let rows: String = sqlx::query_scalar(sqlx::AssertSqlSafe(sql))
            .fetch_one(world.store.pool())
            .await
            .unwrap();
        for word in ["Asha", "asha", "customers.example", "private"] {
            assert!(!rows.contains(word), "{word} in {table}: {rows}");
        }
    }
    let kept: String = sqlx::query_scalar("select email from reviews")
        .fetch_one(world.store.pool())
        .await
        .unwrap();
    assert_eq!(kept, EMAIL);
}

#[tokio::test]
async fn declining_the_badge_keeps_the_writer_anonymous() {
    let world = World::new().await;
    world.session(customer(1)).await;
    let asked = SubmitReviewRequest { without_badge: true, ..review_request() };
    let review = world.submit_as(world.by(customer(1), asked)).await.unwrap();
    assert!(!review.verified);
    let stream = reviews::contract::review_stream(review.review_id.parse().unwrap());
    let events = world.store.load(&stream).await.unwrap();
    assert_eq!(events.len(), 1);
    assert_eq!(events.first().unwrap().metadata.actor, "visitor");
}
