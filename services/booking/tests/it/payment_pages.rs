//! The page of a booking by phone: let in by its key alone, and not paid before terms and consent.

use contract::booking::v1::{
    AcceptTermsRequest, BookingState, Consent, GetBookingContactRequest, GetBookingFactsRequest,
    GetBookingFactsResponse, GetConsentCodeMailRequest, GetPageCalendarFileRequest,
    GetPaymentPageRequest, PaymentPage, RequestConsentCodeRequest, RequestPhoneBookingRequest,
    SessionMode,
};
use kernel::Id;
use kernel::id::Booking;
use tonic::{Code, Status};

use crate::grpc_harness::{GrpcHarness, refused};
use crate::phone_bookings::{book_by_phone, new_phone_request};
use crate::world::{World, at, customer};

async fn held(harness: &GrpcHarness, mode: SessionMode) -> (Id<Booking>, String) {
    let request = RequestPhoneBookingRequest { mode: mode.into(), ..new_phone_request(at(2, 11)) };
    let id = book_by_phone(&harness.world, request).await.unwrap();
    (id, harness.world.app.page_keys.key(id))
}

async fn page(harness: &GrpcHarness, page_key: &str) -> Result<PaymentPage, Status> {
    let request = GetPaymentPageRequest { page_key: page_key.to_owned() };
    Ok(harness.pages().get_payment_page(request).await?.into_inner().page.unwrap())
}

fn consent(harness: &GrpcHarness) -> Consent {
    Consent {
        version: harness.world.app.consent.terms.version.clone(),
        full_name: "Asha Rao".to_owned(),
        email: "asha@example.org".to_owned(),
        signature: "A. Rao".to_owned(),
        accepted_declaration: true,
    }
}

/// The code that was mailed last for a booking's consent.
pub(crate) async fn mailed_code(harness: &GrpcHarness, booking_id: &str) -> String {
    let sql = "select max(number) from consent_codes where booking_id = $1";
    let id: Id<Booking> = booking_id.parse().unwrap();
    let pool = harness.world.app.store.pool();
    let number = sqlx::query_scalar(sql).bind(id).fetch_one(pool).await;
    let request =
        GetConsentCodeMailRequest { booking_id: id.to_string(), request_number: number.unwrap() };
    let mail = harness.internal("notifications").get_consent_code_mail(request).await;
    mail.unwrap().into_inner().code
}

/// What the page does with a consent: it has a code mailed, which the client types.
pub(crate) async fn code_for(harness: &GrpcHarness, page_key: &str) -> String {
    let request = RequestConsentCodeRequest { page_key: page_key.to_owned() };
    match harness.pages().request_consent_code(request).await {
        Ok(_mailed) => {
            let page = page(harness, page_key).await.unwrap();
            mailed_code(harness, &page.booking_id).await
        }
        Err(_refused) => String::new(),
    }
}

async fn accept(
    harness: &GrpcHarness,
    page_key: &str,
    consent: Option<Consent>,
) -> Result<PaymentPage, Status> {
    let consent_code = match consent {
        Some(_) => code_for(harness, page_key).await,
        None => String::new(),
    };
    let page_key = page_key.to_owned();
    let request = AcceptTermsRequest {
        page_key,
        terms_accepted: true,
        consent,
        consent_code,
        ..AcceptTermsRequest::default()
    };
    Ok(harness.pages().accept_terms(request).await?.into_inner().page.unwrap())
}

/// What payments is told by the key.
async fn facts(harness: &GrpcHarness, page_key: &str) -> Result<GetBookingFactsResponse, Status> {
    let page_key = page_key.to_owned();
    let request = GetBookingFactsRequest { page_key, ..GetBookingFactsRequest::default() };
    let answer = harness.internal("payments").get_booking_facts(request).await?;
    Ok(answer.into_inner())
}

#[tokio::test]
async fn the_key_shows_the_booking_and_of_the_contact_the_first_name_only() {
    let harness = GrpcHarness::of(World::without_timers().await).await;
    let (id, key) = held(&harness, SessionMode::Online).await;
    let page = page(&harness, &key).await.unwrap();
    assert_eq!((page.booking_id.as_str(), page.first_name.as_str()), (&*id.to_string(), "Asha"));
    assert_eq!(
        (page.state(), page.price.as_ref().unwrap().minor_units),
        (BookingState::Held, 50_000)
    );
    assert_eq!((page.terms_accepted, page.needs_consent), (false, true));
    assert_eq!(page.sessions.len(), 1);
    let told = format!("{page:?}");
    assert!(!told.contains("Rao") && !told.contains("example.org"), "{told}");
    let contact = GetBookingContactRequest { booking_id: id.to_string(), ..Default::default() };
    let contact = harness.internal("notifications").get_booking_contact(contact).await.unwrap();
    assert_eq!(contact.into_inner().page_key, key);
}

#[tokio::test]
async fn a_wrong_key_finds_nothing() {
    let harness = GrpcHarness::of(World::without_timers().await).await;
    let (id, key) = held(&harness, SessionMode::Online).await;
    let own = harness.world.hold(customer(1), at(2, 13)).await;
    let mut changed = key.clone().into_bytes();
    changed[30] = if changed[30] == b'A' { b'B' } else { b'A' };
    let changed = String::from_utf8(changed).unwrap();
    // The key of a booking that an account made is right, and its page is not there.
    let of_account = harness.world.app.page_keys.key(own);
    for wrong in ["", "a", &key[..42], &changed, &id.to_string(), &of_account] {
        refused(page(&harness, wrong).await, Code::NotFound, "BOOKING_NOT_FOUND", "");
        let accepted = accept(&harness, wrong, Some(consent(&harness))).await;
        refused(accepted, Code::NotFound, "BOOKING_NOT_FOUND", "");
        assert_eq!(facts(&harness, wrong).await.unwrap_err().code(), Code::NotFound, "{wrong}");
    }
    assert_eq!(harness.world.count("select count(*) from consents").await, 0);
}

#[tokio::test]
async fn an_online_session_needs_the_terms_and_the_consent() {
    let harness = GrpcHarness::of(World::without_timers().await).await;
    let (id, key) = held(&harness, SessionMode::Online).await;
    let before = facts(&harness, &key).await.unwrap();
    assert!(before.terms_missing && before.consent_missing);
    assert_eq!(before.booking_id, id.to_string());
    let terms = AcceptTermsRequest { page_key: key.clone(), ..AcceptTermsRequest::default() };
    let answer = harness.pages().accept_terms(terms).await;
    refused(answer, Code::FailedPrecondition, "TERMS_NOT_ACCEPTED", "terms_accepted");
    let answer = accept(&harness, &key, None).await;
    refused(answer, Code::FailedPrecondition, "CONSENT_REQUIRED", "consent");
    let old = Consent { version: "2020-01-01.0".to_owned(), ..consent(&harness) };
    let answer = accept(&harness, &key, Some(old)).await;
    refused(answer, Code::FailedPrecondition, "CONSENT_VERSION_UNKNOWN", "consent.version");
    let unsigned = Consent { signature: String::new(), ..consent(&harness) };
    let answer = accept(&harness, &key, Some(unsigned)).await;
    refused(answer, Code::InvalidArgument, "SIGNATURE_REQUIRED", "consent.signature");
    // Nothing of it was stored.
    assert!(facts(&harness, &key).await.unwrap().terms_missing);

    let until = page(&harness, &key).await.unwrap().held_until_at.unwrap().seconds;
    let accepted = accept(&harness, &key, Some(consent(&harness))).await.unwrap();
    assert_eq!((accepted.terms_accepted, accepted.needs_consent), (true, false));
    assert_eq!(accepted.state(), BookingState::AwaitingPayment);
    // The hold is never shortened by it.
    assert!(accepted.held_until_at.unwrap().seconds >= until);
    let after = facts(&harness, &key).await.unwrap();
    assert!(!after.terms_missing && !after.consent_missing);
    // Again, also without a consent, it changes nothing.
    accept(&harness, &key, None).await.unwrap();
    accept(&harness, &key, Some(consent(&harness))).await.unwrap();
    assert_eq!(harness.world.count("select count(*) from consents").await, 1);
    let history = harness.world.booking_history(id).await;
    // The repeats have asked for one code, which the signature did not need any more.
    assert_eq!(history, ["BookingRequested", "ConsentCodeRequested", "BookingCheckoutOpened"]);
}

#[tokio::test]
async fn a_session_at_the_practice_needs_the_terms_alone() {
    let harness = GrpcHarness::of(World::without_timers().await).await;
    let (_id, key) = held(&harness, SessionMode::InPerson).await;
    let before = facts(&harness, &key).await.unwrap();
    assert!(before.terms_missing && !before.consent_missing);
    let page = accept(&harness, &key, None).await.unwrap();
    assert!(page.terms_accepted && !page.needs_consent);
}

#[tokio::test]
async fn nothing_is_accepted_after_the_hold() {
    let harness = GrpcHarness::of(World::new().await).await;
    let (id, key) = held(&harness, SessionMode::Online).await;
    harness.world.minutes_later(25 * 60).await;
    harness.world.reaches(id, BookingState::Expired).await;
    let late = accept(&harness, &key, Some(consent(&harness))).await;
    refused(late, Code::FailedPrecondition, "HOLD_ENDED", "");
    assert_eq!(page(&harness, &key).await.unwrap().state(), BookingState::Expired);
}

#[tokio::test]
async fn the_holder_of_the_key_gets_the_calendar_file_and_no_meeting_link() {
    let harness = GrpcHarness::new().await;
    let (id, key) = held(&harness, SessionMode::Online).await;
    let file = || GetPageCalendarFileRequest { page_key: key.clone() };
    let early = harness.pages().get_page_calendar_file(file()).await;
    refused(early, Code::FailedPrecondition, "BOOKING_NOT_CONFIRMED", "");
    accept(&harness, &key, Some(consent(&harness))).await.unwrap();
    harness.world.pay(id, "pay_1").await;
    harness.world.reaches(id, BookingState::MeetingScheduled).await;
    assert_eq!(page(&harness, &key).await.unwrap().join_url, "");
    let file = harness.pages().get_page_calendar_file(file()).await.unwrap().into_inner();
    assert!(file.content.contains("BEGIN:VEVENT") && file.filename.ends_with(".ics"));
}
