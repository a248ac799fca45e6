//! What a key of a booking's page shows in each state of the booking, by each call that takes it,
//! and how keys are made, ended and renewed.

use booking::app::adopt_bookings::adopt_bookings;
use booking::app::cancel_booking::cancel_booking;
use booking::app::free_session::Client;
use booking::app::page_keys::{FoundKey, PageKeyPurpose, find};
use booking::domain::page_standing::{PageEnd, PageStanding};
use contract::booking::v1::{
    AcceptTermsRequest, BookingState, CancelledBy, Consent, GetBookingContactRequest,
    GetBookingFactsRequest, GetPageCalendarFileRequest, GetPaymentPageRequest, PaymentPage,
    RenewPageKeyRequest, SendPaymentPageRequest,
};
use contract::payments::v1::RefundRequested;
use kernel::id::Booking;
use kernel::{Id, Money};
use runtime::status::detail_of;
use staff::Role;
use tonic::{Request, Status};

use crate::cancels::asked;
use crate::grpc_harness::GrpcHarness;
use crate::phone_bookings::{book_by_phone, new_phone_request};
use crate::world::{World, at, customer, owner};

/// Where a booking and its key stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scene {
    Held,
    Paid,
    Cancelled,
    TwoHoursAfter,
    SixtyDaysAfter,
    Adopted,
    Renewed,
}

const SCENES: [Scene; 7] = [
    Scene::Held,
    Scene::Paid,
    Scene::Cancelled,
    Scene::TwoHoursAfter,
    Scene::SixtyDaysAfter,
    Scene::Adopted,
    Scene::Renewed,
];

/// The key of one mail.
pub(crate) async fn key_of(harness: &GrpcHarness, id: Id<Booking>, mail: &str) -> String {
    let request = GetBookingContactRequest {
        booking_id: id.to_string(),
        mail_id: mail.to_owned(),
        page_key_wanted: true,
        ..GetBookingContactRequest::default()
    };
    let answer = harness.internal("notifications").get_booking_contact(request).await.unwrap();
    answer.into_inner().page_key
}

async fn join_key_of(harness: &GrpcHarness, id: Id<Booking>, mail: &str) -> String {
    let request = GetBookingContactRequest {
        booking_id: id.to_string(),
        mail_id: mail.to_owned(),
        join_key_wanted: true,
        ..GetBookingContactRequest::default()
    };
    let answer = harness.internal("notifications").get_booking_contact(request).await.unwrap();
    answer.into_inner().join_key
}

fn acceptance(harness: &GrpcHarness, page_key: &str) -> AcceptTermsRequest {
    let consent = Consent {
        version: harness.world.app.consent.terms.version.clone(),
        full_name: "Asha Rao".to_owned(),
        email: "asha@example.org".to_owned(),
        signature: "A. Rao".to_owned(),
        accepted_declaration: true,
    };
    let page_key = page_key.to_owned();
    AcceptTermsRequest {
        page_key,
        terms_accepted: true,
        consent: Some(consent),
        ..AcceptTermsRequest::default()
    }
}

fn asha_with_an_account() -> Client {
    Client { proved_email: Some("asha@example.org".to_owned()), ..customer(1).into() }
}

/// A booking in a scene, with the key of a mail and that of a link of the release before.
async fn play(scene: Scene) -> (GrpcHarness, Id<Booking>, [String; 2]) {
    let harness = GrpcHarness::new().await;
    let world = &harness.world;
    let id = book_by_phone(world, new_phone_request(at(2, 11))).await.unwrap();
    let keys = [key_of(&harness, id, "mal_1").await, world.app.page_keys.key(id)];
    if scene == Scene::Held {
        return (harness, id, keys);
    }
    harness.pages().accept_terms(acceptance(&harness, &keys[0])).await.unwrap();
    world.pay(id, "pay_1").await;
    world.reaches(id, BookingState::MeetingScheduled).await;
    match scene {
        Scene::Held | Scene::Paid => {}
        Scene::Cancelled => {
            cancel_booking(&world.app, owner(), asked(id, CancelledBy::Practice)).await.unwrap();
            let refund = RefundRequested {
                booking_id: id.to_string(),
                refund_id: "rfn_1".to_owned(),
                payment_id: "pay_1".to_owned(),
                amount: Some(Money::inr(50_000).into()),
                cause: "cancelled".to_owned(),
                ..RefundRequested::default()
            };
            world.payments_say(&refund).await;
        }
        // The session ends at noon.
        Scene::TwoHoursAfter => world.minutes_later((2 * 24 + 5) * 60).await,
        Scene::SixtyDaysAfter => world.minutes_later(60 * 24 * 60).await,
        Scene::Adopted => {
            let adopted = adopt_bookings(&world.app, asha_with_an_account()).await.unwrap();
            assert_eq!(adopted, [id]);
        }
        Scene::Renewed => {
            let request = RenewPageKeyRequest { page_key: keys[0].clone() };
            harness.pages().renew_page_key(request).await.unwrap();
        }
    }
    (harness, id, keys)
}

/// What a call gives: the page's kind, "ok", or the reason of the refusal.
fn outcome<T>(answer: Result<T, Status>, ok: impl FnOnce(T) -> String) -> String {
    match answer {
        Ok(given) => ok(given),
        Err(status) => detail_of(&status).unwrap().reason,
    }
}

fn kind_of(page: Option<PaymentPage>) -> String {
    let page = page.unwrap();
    let told = format!("{page:?}");
    assert!(page.join_url.is_empty() && !told.contains("meet"), "{told}");
    if !page.money_only {
        assert_eq!((page.sessions.len(), page.first_name.as_str()), (1, "Asha"));
        return "whole".to_owned();
    }
    for hidden in ["editation", "Asha", "Asia"] {
        assert!(!told.contains(hidden), "{hidden}: {told}");
    }
    let bare = PaymentPage {
        booking_id: page.booking_id.clone(),
        price: page.price.clone(),
        state: page.state,
        payment_state: page.payment_state,
        terms_accepted: page.terms_accepted,
        money_only: true,
        paid: page.paid.clone(),
        refunded: page.refunded.clone(),
        refund_coming: page.refund_coming.clone(),
        refund_due_at: page.refund_due_at,
        refund_owed: page.refund_owed.clone(),
        given_by_bank: page.given_by_bank.clone(),
        ..PaymentPage::default()
    };
    assert_eq!(page, bare);
    "money".to_owned()
}

/// The outcomes of GetPaymentPage, GetPageCalendarFile, what payments is told for both of its
/// calls, and AcceptTerms.
async fn outcomes(harness: &GrpcHarness, key: &str) -> [String; 4] {
    let page_key = || key.to_owned();
    let page = GetPaymentPageRequest { page_key: page_key() };
    let page = harness.pages().get_payment_page(page).await;
    let file = GetPageCalendarFileRequest { page_key: page_key() };
    let file = harness.pages().get_page_calendar_file(file).await;
    let facts = GetBookingFactsRequest { page_key: page_key(), ..Default::default() };
    let facts = harness.internal("payments").get_booking_facts(facts).await;
    let accepted = harness.pages().accept_terms(acceptance(harness, key)).await;
    [
        outcome(page, |answer| kind_of(answer.into_inner().page)),
        outcome(file, |_| "ok".to_owned()),
        outcome(facts, |_| "ok".to_owned()),
        outcome(accepted, |answer| kind_of(answer.into_inner().page)),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_call_shows_what_the_state_allows() {
    for scene in SCENES {
        let expected = match scene {
            Scene::Held => ["whole", "BOOKING_NOT_CONFIRMED", "ok", "whole"],
            Scene::Paid => ["whole", "ok", "ok", "whole"],
            Scene::Cancelled | Scene::TwoHoursAfter => {
                ["money", "BOOKING_NOT_CONFIRMED", "ok", "money"]
            }
            Scene::SixtyDaysAfter => ["PAGE_OVER", "PAGE_OVER", "BOOKING_NOT_FOUND", "PAGE_OVER"],
            Scene::Adopted => {
                ["BOOKING_ADOPTED", "BOOKING_ADOPTED", "BOOKING_NOT_FOUND", "BOOKING_ADOPTED"]
            }
            Scene::Renewed => {
                ["PAGE_KEY_ENDED", "PAGE_KEY_ENDED", "BOOKING_NOT_FOUND", "PAGE_KEY_ENDED"]
            }
        };
        let (harness, _id, keys) = play(scene).await;
        for (key, whose) in keys.iter().zip(["a mail", "the release before"]) {
            assert_eq!(outcomes(&harness, key).await, expected, "{scene:?}, key of {whose}");
        }
    }
}

#[tokio::test]
async fn after_a_cancellation_the_page_says_what_goes_back_and_by_when() {
    let (harness, _id, [key, _]) = play(Scene::Cancelled).await;
    let page = GetPaymentPageRequest { page_key: key };
    let page = harness.pages().get_payment_page(page).await.unwrap().into_inner().page.unwrap();
    let minor =
        |money: &Option<contract::common::v1::Money>| money.as_ref().map(|it| it.minor_units);
    assert_eq!((minor(&page.paid), minor(&page.refund_coming)), (Some(50_000), Some(50_000)));
    assert_eq!(minor(&page.refunded), None);
    // Asked for on Thursday, the first of January 1970: seven business days later is the 12th.
    assert_eq!(page.refund_due_at.unwrap().seconds / 86_400, 11);
}

#[tokio::test]
async fn what_is_given_back_at_the_desk_has_no_day_of_arrival() {
    let harness = GrpcHarness::of(World::without_timers().await).await;
    let world = &harness.world;
    let id = book_by_phone(world, new_phone_request(at(2, 11))).await.unwrap();
    let key = key_of(&harness, id, "mal_1").await;
    let payment_id = "desk_cash_00000000000000000000000000000001".to_owned();
    world.pay(id, &payment_id).await;
    cancel_booking(&world.app, owner(), asked(id, CancelledBy::Practice)).await.unwrap();
    let refund = RefundRequested {
        booking_id: id.to_string(),
        refund_id: "rfn_1".to_owned(),
        payment_id,
        amount: Some(Money::inr(50_000).into()),
        cause: "cancelled".to_owned(),
        ..RefundRequested::default()
    };
    world.payments_say(&refund).await;
    let page = GetPaymentPageRequest { page_key: key };
    let page = harness.pages().get_payment_page(page).await.unwrap().into_inner().page.unwrap();
    assert_eq!(page.refund_coming.map(|it| it.minor_units), Some(50_000));
    assert_eq!(page.refund_due_at, None);
}

#[tokio::test]
async fn money_that_is_on_its_way_keeps_the_page_and_its_arrival_counts_anew() {
    let (harness, id, [key, _]) = play(Scene::Cancelled).await;
    let world = &harness.world;
    world.minutes_later(70 * 24 * 60).await;
    assert_eq!(found(&harness, &key).await.standing, PageStanding::MoneyOnly);
    let (booking_id, refund_id) = (id.to_string(), "rfn_1".to_owned());
    let done = contract::payments::v1::RefundProcessed { booking_id, refund_id };
    world.payments_say(&done).await;
    let arrived = "update booking_refunds set processed_at = clock_now()";
    world.db.as_owner(arrived).await.unwrap();
    world.minutes_later(60 * 24 * 60 - 10).await;
    assert_eq!(found(&harness, &key).await.standing, PageStanding::MoneyOnly);
    world.minutes_later(10).await;
    assert_eq!(found(&harness, &key).await.standing, PageStanding::Ended(PageEnd::Over));
}

async fn found(harness: &GrpcHarness, key: &str) -> FoundKey {
    find(&harness.world.app, key, PageKeyPurpose::Page).await.unwrap()
}

#[tokio::test]
async fn each_mail_has_a_key_of_its_own_and_a_retried_one_the_same() {
    let harness = GrpcHarness::of(World::without_timers().await).await;
    let id = book_by_phone(&harness.world, new_phone_request(at(2, 11))).await.unwrap();
    let first = key_of(&harness, id, "mal_1").await;
    assert_eq!(key_of(&harness, id, "mal_1").await, first);
    let second = key_of(&harness, id, "mal_2").await;
    assert_ne!(second, first);
    assert_eq!(first.len(), 43);
    let rows: Vec<(String, bool)> =
        sqlx::query_as("select mailed_to, seen_by_staff from page_keys order by made_for")
            .fetch_all(harness.world.app.store.pool())
            .await
            .unwrap();
    assert_eq!(rows, vec![("asha@example.org".to_owned(), false); 2]);
    // A mail that leads to no page gets no key.
    let contact = GetBookingContactRequest {
        booking_id: id.to_string(),
        mail_id: "mal_3".to_owned(),
        ..GetBookingContactRequest::default()
    };
    let answer = harness.internal("notifications").get_booking_contact(contact).await.unwrap();
    let answer = answer.into_inner();
    assert_eq!((answer.page_key.as_str(), answer.join_key.as_str()), ("", ""));
}

#[tokio::test]
async fn a_key_that_staff_see_is_another_one_than_any_mails() {
    let harness = GrpcHarness::of(World::without_timers().await).await;
    harness.grant(customer(901), Some(Role::FrontDesk)).await;
    let id = book_by_phone(&harness.world, new_phone_request(at(2, 11))).await.unwrap();
    let mailed = key_of(&harness, id, "mal_1").await;
    let ask = async |key: &str, send_mail: bool| {
        let request = SendPaymentPageRequest {
            booking_id: id.to_string(),
            idempotency_key: key.to_owned(),
            send_mail,
        };
        let request = harness.by(customer(901), request);
        harness.staff().send_payment_page(request).await.unwrap().into_inner().page_key
    };
    let read_aloud = ask("read-aloud", false).await;
    assert_eq!(ask("read-aloud", false).await, read_aloud);
    assert!(found(&harness, &read_aloud).await.seen_by_staff);
    assert!(!found(&harness, &mailed).await.seen_by_staff);
    assert!(found(&harness, &harness.world.app.page_keys.key(id)).await.seen_by_staff);
    // To read it aloud ends no key; a new mail does.
    assert_eq!(found(&harness, &mailed).await.standing, PageStanding::Whole);
    let after = ask("send-again", true).await;
    for ended in [&mailed, &read_aloud] {
        let standing = found(&harness, ended).await.standing;
        assert_eq!(standing, PageStanding::Ended(PageEnd::Renewed));
    }
    assert_eq!(found(&harness, &after).await.standing, PageStanding::Whole);
    let new = key_of(&harness, id, "mal_2").await;
    assert_eq!(found(&harness, &new).await.standing, PageStanding::Whole);
}

#[tokio::test]
async fn a_key_opens_one_page_and_adoption_ends_those_of_before() {
    let harness = GrpcHarness::of(World::without_timers().await).await;
    let app = &harness.world.app;
    let id = book_by_phone(&harness.world, new_phone_request(at(2, 11))).await.unwrap();
    let (page, join) =
        (key_of(&harness, id, "mal_1").await, join_key_of(&harness, id, "mal_1").await);
    assert_ne!(page, join);
    assert!(find(app, &page, PageKeyPurpose::Join).await.is_err());
    assert!(find(app, &join, PageKeyPurpose::Page).await.is_err());
    let standing = async |key: &str| find(app, key, PageKeyPurpose::Join).await.unwrap().standing;
    assert_eq!(standing(&join).await, PageStanding::Whole);
    adopt_bookings(app, asha_with_an_account()).await.unwrap();
    assert_eq!(standing(&join).await, PageStanding::Ended(PageEnd::Adopted));
    // A later mail leads the account's owner to the session again, and to no page of payment.
    let later = join_key_of(&harness, id, "mal_2").await;
    assert_eq!(standing(&later).await, PageStanding::Whole);
    assert_eq!(key_of(&harness, id, "mal_2").await, "");
    // Bookings that an account made have such a page as well.
    let own = harness.world.hold(customer(7), at(3, 11)).await;
    let own = join_key_of(&harness, own, "mal_3").await;
    assert_eq!(standing(&own).await, PageStanding::Whole);
}

async fn renew(harness: &GrpcHarness, key: &str, network: &str) -> String {
    let mut request = Request::new(RenewPageKeyRequest { page_key: key.to_owned() });
    request.metadata_mut().insert("x-caller-network", network.parse().unwrap());
    outcome(harness.pages().renew_page_key(request).await, |_| "ok".to_owned())
}

async fn mails_asked_for(harness: &GrpcHarness, id: Id<Booking>) -> usize {
    let history = harness.world.booking_history(id).await;
    history.iter().filter(|event| *event == "PaymentPageRequested").count()
}

#[tokio::test]
async fn a_new_key_is_mailed_at_a_pace_and_no_answer_tells_whether() {
    let harness = GrpcHarness::of(World::without_timers().await).await;
    let world = &harness.world;
    let id = book_by_phone(world, new_phone_request(at(2, 11))).await.unwrap();
    let key = key_of(&harness, id, "mal_1").await;
    let unknown = format!("{}A", &key[..42]);
    for (asked, mails) in [(&unknown, 0), (&key, 1), (&key, 1), (&unknown, 1)] {
        assert_eq!(renew(&harness, asked, "192.0.2.1").await, "ok");
        assert_eq!(mails_asked_for(&harness, id).await, mails);
    }
    // After five minutes another one, and five in a day, also with a key that has ended.
    for mails in [2, 3, 4, 5, 5, 5] {
        world.minutes_later(5).await;
        assert_eq!(renew(&harness, &key, "192.0.2.2").await, "ok");
        assert_eq!(mails_asked_for(&harness, id).await, mails);
    }
    // One network has so many requests in a day, with whatever keys.
    for _ in 0..16 {
        assert_eq!(renew(&harness, &unknown, "192.0.2.1").await, "ok");
    }
    assert_eq!(renew(&harness, &unknown, "192.0.2.1").await, "TOO_MANY_PAGE_KEYS");
    assert_eq!(renew(&harness, &unknown, "192.0.2.3").await, "ok");
    world.minutes_later(24 * 60).await;
    assert_eq!(renew(&harness, &unknown, "192.0.2.1").await, "ok");
}

#[tokio::test]
async fn what_is_over_or_an_accounts_is_not_mailed_again() {
    for scene in [Scene::SixtyDaysAfter, Scene::Adopted] {
        let (harness, id, [key, before]) = play(scene).await;
        for key in [&key, &before] {
            assert_eq!(renew(&harness, key, "192.0.2.1").await, "ok");
        }
        assert_eq!(mails_asked_for(&harness, id).await, 0, "{scene:?}");
    }
    // Of what was paid a new key is mailed, although nothing is to be paid any more.
    let (harness, id, [_, before]) = play(Scene::Paid).await;
    assert_eq!(renew(&harness, &before, "192.0.2.1").await, "ok");
    assert_eq!(mails_asked_for(&harness, id).await, 1);
    assert_eq!(found(&harness, &before).await.standing, PageStanding::Ended(PageEnd::Renewed));
    let new = key_of(&harness, id, "mal_9").await;
    assert_eq!(found(&harness, &new).await.standing, PageStanding::Whole);
}

/// Who had a page that was renewed comes to the session by no other way either.
#[tokio::test]
async fn what_was_saved_from_a_page_ends_with_its_key_and_leads_to_a_new_one() {
    let (harness, id, [key, _]) = play(Scene::Paid).await;
    let saved = async |key: &str| {
        let request = GetPageCalendarFileRequest { page_key: key.to_owned() };
        let file = harness.pages().get_page_calendar_file(request).await.unwrap().into_inner();
        let lines = file.content.replace("\r\n ", "");
        let (_, join) = lines.split_once("/join#key=").unwrap();
        join.chars().take(43).collect::<String>()
    };
    let app = &harness.world.app;
    let standing = async |key: &str| find(app, key, PageKeyPurpose::Join).await.unwrap().standing;
    let join = saved(&key).await;
    assert_eq!(saved(&key).await, join);
    let mailed = join_key_of(&harness, id, "mal_2").await;
    assert_eq!(standing(&join).await, PageStanding::Whole);
    // The page of the session asks for the new mail as the page of payment does.
    assert_eq!(renew(&harness, &join, "192.0.2.1").await, "ok");
    assert_eq!(mails_asked_for(&harness, id).await, 1);
    assert_eq!(found(&harness, &key).await.standing, PageStanding::Ended(PageEnd::Renewed));
    assert_eq!(standing(&join).await, PageStanding::Ended(PageEnd::Renewed));
    assert_eq!(standing(&mailed).await, PageStanding::Whole, "a mail's way goes on");
    let again = saved(&key_of(&harness, id, "mal_3").await).await;
    assert_ne!(again, join);
    assert_eq!(standing(&again).await, PageStanding::Whole);
    harness.world.minutes_later(5).await;
    assert_eq!(renew(&harness, &join, "192.0.2.1").await, "ok");
    assert_eq!(mails_asked_for(&harness, id).await, 2, "also by one that has ended");
}
