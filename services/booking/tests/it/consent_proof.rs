//! A consent names the way by which it was given and what proves that, and staff sign for no
//! client.

use contract::booking::v1::{
    AcceptTermsRequest, Consent, ConsentChannel, ConsentRecord, GetBookingContactRequest,
    GetBookingHistoryRequest, GetConsentFileRequest, GetConsentRequest, PaymentPage,
    RequestBookingRequest, RequestConsentCodeRequest, SessionMode,
};
use kernel::Id;
use kernel::id::{Booking, Customer};
use staff::Role;
use tonic::{Code, Request, Status};

use crate::grpc_harness::{GrpcHarness, refused};
use crate::payment_pages::mailed_code;
use crate::phone_bookings::{book_by_phone, new_phone_request};
use crate::world::{World, at, customer, new_request};

const OWNER: u128 = 9;
const DESK: u128 = 8;
const BROWSER: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

async fn harness() -> GrpcHarness {
    let harness = GrpcHarness::of(World::without_timers().await).await;
    harness.grant(customer(OWNER), Some(Role::Owner)).await;
    harness.grant(customer(DESK), Some(Role::FrontDesk)).await;
    harness
}

fn consent(harness: &GrpcHarness, email: &str) -> Consent {
    Consent {
        version: harness.world.app.consent.terms.version.clone(),
        full_name: "Asha Rao".to_owned(),
        email: email.to_owned(),
        signature: "A. Rao".to_owned(),
        accepted_declaration: true,
    }
}

/// What the gateway adds to a request.
fn told<T>(mut request: Request<T>) -> Request<T> {
    request.metadata_mut().insert("x-caller-network", "192.0.2.77".parse().unwrap());
    request.metadata_mut().insert("x-caller-user-agent", BROWSER.parse().unwrap());
    request
}

/// What staff see of the consent behind a booking.
async fn seen_by_staff(harness: &GrpcHarness, id: Id<Booking>) -> (ConsentRecord, String) {
    let request = GetBookingHistoryRequest { booking_id: id.to_string() };
    let answer = harness.staff().get_booking_history(harness.by(customer(OWNER), request)).await;
    let consent = answer.unwrap().into_inner().consent.unwrap();
    (consent.record.unwrap(), consent.words)
}

async fn by_phone(harness: &GrpcHarness) -> (Id<Booking>, String) {
    let id = book_by_phone(&harness.world, new_phone_request(at(2, 11))).await.unwrap();
    (id, harness.world.app.page_keys.key(id))
}

fn signing(harness: &GrpcHarness, page_key: &str, code: &str) -> AcceptTermsRequest {
    AcceptTermsRequest {
        page_key: page_key.to_owned(),
        terms_accepted: true,
        consent: Some(consent(harness, "asha@example.org")),
        consent_code: code.to_owned(),
        ..AcceptTermsRequest::default()
    }
}

async fn sign(harness: &GrpcHarness, page_key: &str, code: &str) -> Result<PaymentPage, Status> {
    let request = told(Request::new(signing(harness, page_key, code)));
    Ok(harness.pages().accept_terms(request).await?.into_inner().page.unwrap())
}

async fn ask_for_code(harness: &GrpcHarness, page_key: &str) -> Result<(), Status> {
    let request = RequestConsentCodeRequest { page_key: page_key.to_owned() };
    harness.pages().request_consent_code(request).await.map(drop)
}

#[tokio::test]
async fn a_consent_with_a_request_names_the_session_network_and_browser() {
    let harness = harness().await;
    let request = RequestBookingRequest {
        consent: Some(consent(&harness, "asha@example.org")),
        ..new_request("meditation", at(1, 11))
    };
    let request = told(harness.by(customer(1), request));
    let booking = harness.public().request_booking(request).await.unwrap().into_inner().booking;
    let id: Id<Booking> = booking.unwrap().booking_id.parse().unwrap();
    let own = harness.by(customer(1), GetConsentRequest {});
    let own = harness.consents().get_consent(own).await.unwrap().into_inner().consent.unwrap();
    assert_eq!(own.channel(), ConsentChannel::Account);
    assert_eq!((own.network.as_str(), own.user_agent.as_str()), ("192.0.2.0/24", BROWSER));
    assert_eq!((own.page_key.as_str(), own.code_confirmed_at), ("", None));
    let file = GetConsentFileRequest { consent_id: own.consent_id.clone() };
    let file = harness.consents().get_consent_file(harness.by(customer(1), file)).await.unwrap();
    let file = file.into_inner().content;
    assert!(file.contains("Way: the session of the client's account\n"), "{file}");
    assert!(file.contains(&format!("Network: 192.0.2.0/24\nBrowser: {BROWSER}\n")), "{file}");
    let (record, words) = seen_by_staff(&harness, id).await;
    assert_eq!(record, own);
    assert_eq!(words, harness.world.app.consent.terms.text());
}

#[tokio::test]
async fn a_key_that_staff_have_seen_signs_only_with_the_code_of_the_clients_mail() {
    let harness = harness().await;
    let (id, key) = by_phone(&harness).await;
    let page = harness.pages();
    let shown = contract::booking::v1::GetPaymentPageRequest { page_key: key.clone() };
    let shown = page.clone().get_payment_page(shown).await.unwrap().into_inner().page.unwrap();
    assert!(shown.needs_consent && shown.needs_consent_code);
    let unmet = Code::FailedPrecondition;
    refused(sign(&harness, &key, "").await, unmet, "CONSENT_CODE_REQUIRED", "consent_code");
    refused(sign(&harness, &key, "123456").await, unmet, "CONSENT_CODE_ENDED", "consent_code");
    ask_for_code(&harness, &key).await.unwrap();
    let code = mailed_code(&harness, &id.to_string()).await;
    let wrong = if code == "000000" { "000001" } else { "000000" };
    refused(sign(&harness, &key, wrong).await, unmet, "CONSENT_CODE_WRONG", "consent_code");
    assert_eq!(harness.world.count("select count(*) from consents").await, 0);
    // As it was pasted, with the other digits of the client's script.
    let pasted = format!(" {}-{} ", &code[..3], &code[3..]);
    let page = sign(&harness, &key, &pasted).await.unwrap();
    assert!(page.terms_accepted && !page.needs_consent && !page.needs_consent_code);
    let (record, _words) = seen_by_staff(&harness, id).await;
    assert_eq!(record.channel(), ConsentChannel::Page);
    assert_eq!(record.code_mailed_to, "asha@example.org");
    assert!(record.code_confirmed_at.is_some());
    assert_eq!((record.network.as_str(), record.user_agent.as_str()), ("192.0.2.0/24", BROWSER));
    assert!(record.page_key.len() >= 8 && !key.contains(&record.page_key), "{}", record.page_key);
    assert_eq!(record.session_id, "");
}

#[tokio::test]
async fn a_code_has_five_tries_and_a_booking_five_codes_in_an_hour() {
    let harness = harness().await;
    let (id, key) = by_phone(&harness).await;
    ask_for_code(&harness, &key).await.unwrap();
    // Pressed twice, it is one mail.
    ask_for_code(&harness, &key).await.unwrap();
    assert_eq!(harness.world.count("select count(*) from consent_codes").await, 1);
    let code = mailed_code(&harness, &id.to_string()).await;
    let wrong = if code == "000000" { "000001" } else { "000000" };
    let unmet = Code::FailedPrecondition;
    for _ in 0..5 {
        refused(sign(&harness, &key, wrong).await, unmet, "CONSENT_CODE_WRONG", "consent_code");
    }
    refused(sign(&harness, &key, &code).await, unmet, "CONSENT_CODE_ENDED", "consent_code");
    for _ in 0..4 {
        harness.world.minutes_later(1).await;
        ask_for_code(&harness, &key).await.unwrap();
    }
    harness.world.minutes_later(1).await;
    let answer = ask_for_code(&harness, &key).await;
    refused(answer, Code::ResourceExhausted, "TOO_MANY_CONSENT_CODES", "");
    // The newest one is the one that works, for a quarter of an hour.
    let newest = mailed_code(&harness, &id.to_string()).await;
    harness.world.minutes_later(15).await;
    refused(sign(&harness, &key, &newest).await, unmet, "CONSENT_CODE_ENDED", "consent_code");
    harness.world.minutes_later(60).await;
    ask_for_code(&harness, &key).await.unwrap();
    let newest = mailed_code(&harness, &id.to_string()).await;
    sign(&harness, &key, &newest).await.unwrap();
}

#[tokio::test]
async fn a_signed_in_member_of_the_practice_signs_for_no_other_person() {
    let harness = harness().await;
    let (id, key) = by_phone(&harness).await;
    ask_for_code(&harness, &key).await.unwrap();
    let code = mailed_code(&harness, &id.to_string()).await;
    let member = |person: Id<Customer>, email: &str| {
        harness.with_address(person, (email, true), signing(&harness, &key, &code))
    };
    let desk = member(customer(DESK), "desk@example.org");
    let answer = harness.pages().accept_terms(desk).await;
    refused(answer, Code::FailedPrecondition, "STAFF_CANNOT_SIGN", "consent");
    assert_eq!(harness.world.count("select count(*) from consents").await, 0);
    // Nor with an own booking for another person.
    let request = RequestBookingRequest {
        consent: Some(consent(&harness, "asha@example.org")),
        ..new_request("meditation", at(1, 11))
    };
    let desk = harness.with_address(customer(DESK), ("desk@example.org", true), request.clone());
    let answer = harness.public().request_booking(desk).await;
    refused(answer, Code::FailedPrecondition, "STAFF_CANNOT_SIGN", "consent");
    // For itself it does, and so does a client whose account has another address.
    let own = RequestBookingRequest {
        consent: Some(consent(&harness, "desk@example.org")),
        ..new_request("meditation", at(1, 11))
    };
    let own = harness.with_address(customer(DESK), ("desk@example.org", true), own);
    harness.public().request_booking(own).await.unwrap();
    let client = harness.with_address(customer(1), ("asha@work.example", true), request);
    let client = client.map(|request| RequestBookingRequest {
        starts_at: Some(contract::convert::to_wire(at(3, 11))),
        ..request
    });
    harness.public().request_booking(client).await.unwrap();
    let client = member(customer(1), "asha@work.example");
    harness.pages().accept_terms(client).await.unwrap();
}

#[tokio::test]
async fn no_code_is_mailed_where_none_is_needed_or_nothing_is_held() {
    let harness = harness().await;
    let wrong = harness.world.app.page_keys.key(harness.world.hold(customer(1), at(3, 11)).await);
    refused(ask_for_code(&harness, &wrong).await, Code::NotFound, "BOOKING_NOT_FOUND", "");
    let mut request = new_phone_request(at(2, 13));
    request.mode = SessionMode::InPerson.into();
    let id = book_by_phone(&harness.world, request).await.unwrap();
    let key = harness.world.app.page_keys.key(id);
    // A session at the practice needs no consent, so its terms are accepted by the key alone.
    let accept = AcceptTermsRequest { consent: None, ..signing(&harness, &key, "") };
    let page = harness.pages().accept_terms(accept).await.unwrap().into_inner().page.unwrap();
    assert!(!page.needs_consent_code);
}

#[tokio::test]
async fn the_key_of_a_mail_signs_without_a_code() {
    let harness = harness().await;
    let (id, _seen) = by_phone(&harness).await;
    let mail = GetBookingContactRequest {
        booking_id: id.to_string(),
        mail_id: "mal_1".to_owned(),
        page_key_wanted: true,
        ..GetBookingContactRequest::default()
    };
    let mail = harness.internal("notifications").get_booking_contact(mail).await.unwrap();
    let key = mail.into_inner().page_key;
    let page = sign(&harness, &key, "").await.unwrap();
    assert!(!page.needs_consent);
    let (record, _words) = seen_by_staff(&harness, id).await;
    assert_eq!((record.channel(), record.code_mailed_to), (ConsentChannel::Page, String::new()));
    assert!(record.page_key.starts_with("pgk_") || record.page_key.len() > 16);
}
