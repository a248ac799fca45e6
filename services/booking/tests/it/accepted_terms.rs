//! Which versions of the practice's texts a page showed is stored with each request, and the words
//! of each version are kept, also after the practice's files have changed.

use std::sync::Arc;

use booking::app::shown_texts::keep_texts;
use contract::booking::v1::{
    AcceptTermsRequest, AcceptedTerms, GetBookingHistoryRequest, RequestBookingRequest,
    RequestPhoneBookingRequest, SessionMode, ShownText, ShownTexts,
};
use kernel::Id;
use kernel::id::Booking;
use practice::legal::LegalText;
use staff::Role;
use tonic::Code;

use crate::grpc_harness::{GrpcHarness, refused};
use crate::phone_bookings::{book_by_phone, new_phone_request};
use crate::world::{World, at, customer, folder, new_package, new_request};

const OWNER: u128 = 9;

async fn harness() -> GrpcHarness {
    let harness = GrpcHarness::of(World::without_timers().await).await;
    harness.grant(customer(OWNER), Some(Role::Owner)).await;
    keep(&harness, practice::legal::load(&folder()).unwrap()).await;
    harness
}

/// What a start of the service does.
async fn keep(harness: &GrpcHarness, texts: Vec<LegalText>) {
    keep_texts(&harness.world.app, &Arc::from(texts)).await.unwrap();
}

fn shown(texts: &[LegalText]) -> ShownTexts {
    let one = |name: &str| {
        let text = texts.iter().find(|text| text.name == name).unwrap();
        Some(ShownText { version: text.version.clone(), hash: text.hash.clone() })
    };
    ShownTexts {
        terms: one("terms"),
        refunds: one("refunds"),
        privacy: one("privacy"),
        notice_hours: Some(24),
    }
}

/// Books as a client who has no other booking.
async fn book(harness: &GrpcHarness, number: u128, request: RequestBookingRequest) -> Id<Booking> {
    let request = harness.by(customer(number), request);
    let answer = harness.public().request_booking(request).await.unwrap();
    answer.into_inner().booking.unwrap().booking_id.parse().unwrap()
}

async fn accepted(harness: &GrpcHarness, id: Id<Booking>) -> Option<AcceptedTerms> {
    let request = GetBookingHistoryRequest { booking_id: id.to_string() };
    let answer = harness.staff().get_booking_history(harness.by(customer(OWNER), request)).await;
    answer.unwrap().into_inner().accepted_terms
}

#[tokio::test]
async fn each_request_has_the_words_that_its_page_showed_also_after_the_files_changed() {
    let harness = harness().await;
    let today = practice::legal::load(&folder()).unwrap();
    let request = RequestBookingRequest {
        shown: Some(shown(&today)),
        ..new_request("meditation", at(1, 11))
    };
    let single = book(&harness, 1, request).await;
    let request = RequestBookingRequest {
        shown: Some(shown(&today)),
        ..new_package([at(2, 11), at(3, 11), at(4, 11)])
    };
    let package = book(&harness, 2, request).await;
    // The practice changes its terms and starts again.
    let mut changed = today.clone();
    changed[0] = LegalText {
        version: "2026-12-24".to_owned(),
        hash: "c".repeat(64),
        words: "terms, changed 2026-12-24\n".to_owned(),
        ..today[0].clone()
    };
    keep(&harness, changed.clone()).await;
    keep(&harness, changed.clone()).await;
    for id in [single, package] {
        let accepted = accepted(&harness, id).await.unwrap();
        let texts = [accepted.terms, accepted.refunds, accepted.privacy].map(Option::unwrap);
        for (text, kept) in texts.iter().zip(&today) {
            assert_eq!((&text.version, &text.hash), (&kept.version, &kept.hash));
            assert_eq!(text.words, kept.words, "{}", kept.name);
        }
        assert_eq!((accepted.notice_hours, accepted.shown_notice_hours), (24, Some(24)));
        assert!(accepted.accepted_at.is_some());
    }
    // Each version once: three of before, and one that is new.
    assert_eq!(harness.world.count("select count(*) from shown_texts").await, 4);
    // A tab of yesterday books on; what it showed is what is stored.
    let request = RequestBookingRequest {
        shown: Some(shown(&today)),
        ..new_request("meditation", at(5, 11))
    };
    let yesterday = book(&harness, 3, request).await;
    let terms = accepted(&harness, yesterday).await.unwrap().terms.unwrap();
    assert_eq!(terms.words, today[0].words);
}

#[tokio::test]
async fn what_the_page_did_not_say_and_what_is_not_known_is_not_made_up() {
    let harness = harness().await;
    let silent = book(&harness, 1, new_request("meditation", at(1, 11))).await;
    let accepted_then = accepted(&harness, silent).await.unwrap();
    assert_eq!((accepted_then.terms, accepted_then.shown_notice_hours), (None, None));
    assert_eq!(accepted_then.notice_hours, 24);
    let unknown = ShownText { version: "2020-01-01".to_owned(), hash: "ab".repeat(32) };
    let shown = ShownTexts { terms: Some(unknown.clone()), ..ShownTexts::default() };
    let request =
        RequestBookingRequest { shown: Some(shown), ..new_request("meditation", at(2, 11)) };
    let terms = accepted(&harness, book(&harness, 2, request).await).await.unwrap().terms.unwrap();
    assert_eq!((terms.version, terms.hash), (unknown.version, unknown.hash));
    assert_eq!(terms.words, "");
    let wrong = ShownText { version: "new".to_owned(), hash: "ab".to_owned() };
    let shown = ShownTexts { refunds: Some(wrong), ..ShownTexts::default() };
    let request =
        RequestBookingRequest { shown: Some(shown), ..new_request("meditation", at(3, 11)) };
    let answer = harness.public().request_booking(harness.by(customer(1), request)).await;
    refused(answer, Code::InvalidArgument, "INVALID_SHOWN_TEXTS", "shown");
}

#[tokio::test]
async fn a_repeat_of_the_request_from_a_newer_page_is_the_same_request() {
    let harness = harness().await;
    let first = new_request("meditation", at(1, 11));
    let id = book(&harness, 1, first.clone()).await;
    let texts = practice::legal::load(&folder()).unwrap();
    let again = RequestBookingRequest { shown: Some(shown(&texts)), ..first };
    assert_eq!(book(&harness, 1, again.clone()).await, id);
    // With another key it is the acceptance that counts from now on.
    let another =
        RequestBookingRequest { idempotency_key: eventstore::new_uuid().to_string(), ..again };
    harness.world.minutes_later(1).await;
    assert_eq!(book(&harness, 1, another).await, id);
    let accepted = accepted(&harness, id).await.unwrap();
    assert_eq!(accepted.terms.unwrap().words, texts[0].words);
    assert_eq!(harness.world.count("select count(*) from accepted_terms").await, 2);
}

#[tokio::test]
async fn a_booking_by_phone_has_what_its_page_showed() {
    let harness = harness().await;
    let mode = SessionMode::InPerson.into();
    let request = RequestPhoneBookingRequest { mode, ..new_phone_request(at(2, 11)) };
    let id = book_by_phone(&harness.world, request).await.unwrap();
    assert_eq!(accepted(&harness, id).await, None, "nothing was accepted on the phone");
    let texts = practice::legal::load(&folder()).unwrap();
    let request = AcceptTermsRequest {
        page_key: harness.world.app.page_keys.key(id),
        terms_accepted: true,
        shown: Some(shown(&texts)),
        ..AcceptTermsRequest::default()
    };
    harness.pages().accept_terms(request.clone()).await.unwrap();
    let first = accepted(&harness, id).await.unwrap();
    assert_eq!(first.terms.as_ref().unwrap().words, texts[0].words);
    // What was accepted first stays.
    harness.world.minutes_later(1).await;
    harness.pages().accept_terms(AcceptTermsRequest { shown: None, ..request }).await.unwrap();
    assert_eq!(accepted(&harness, id).await, Some(first));
}

#[tokio::test]
async fn kept_words_do_not_change() {
    let harness = harness().await;
    let pool = harness.world.app.store.pool();
    for sql in [
        "update shown_texts set words = 'x'",
        "delete from shown_texts",
        "update accepted_terms set terms_hash = null, notice_hours = 1",
    ] {
        let request = RequestBookingRequest {
            shown: Some(shown(&practice::legal::load(&folder()).unwrap())),
            ..new_request("meditation", at(1, 11))
        };
        book(&harness, 1, request).await;
        assert!(sqlx::query(sql).execute(pool).await.is_err(), "{sql}");
    }
}
