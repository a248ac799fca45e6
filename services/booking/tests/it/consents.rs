//! Consents: stored with a booking in the words that were shown, refused field by field, kept once,
//! withdrawn, erased, and proved.

use contract::booking::v1::{
    BookingState, Consent, GetConsentFileRequest, GetConsentRequest, GetConsentResponse,
    ListWithdrawnConsentsRequest, RequestBookingRequest, VerifyConsentFileRequest,
    VerifyConsentFileResponse, WithdrawConsentRequest,
};
use contract::convert::to_wire;
use kernel::id::{Booking, Customer};
use kernel::{Id, Timestamp};
use staff::Role;
use tonic::{Code, Status};

use crate::grpc_harness::{GrpcHarness, refused};
use crate::world::{MORNING, TIMERS, World, asha, at, customer, new_package, new_request, reason};

fn consent(world: &World) -> Consent {
    Consent {
        version: world.app.consent.terms.version.clone(),
        full_name: "Asha Rao".to_owned(),
        email: "asha@example.org".to_owned(),
        signature: "A. Rao".to_owned(),
        accepted_declaration: true,
    }
}

fn with_consent(world: &World, starts_at: Timestamp) -> RequestBookingRequest {
    RequestBookingRequest { consent: Some(consent(world)), ..new_request("meditation", starts_at) }
}

/// Books over gRPC with a consent.
async fn book(harness: &GrpcHarness, customer: Id<Customer>, starts_at: Timestamp) -> Id<Booking> {
    let request = harness.by(customer, with_consent(&harness.world, starts_at));
    let answer = harness.public().request_booking(request).await.unwrap();
    answer.into_inner().booking.unwrap().booking_id.parse().unwrap()
}

async fn own(harness: &GrpcHarness, customer: Id<Customer>) -> GetConsentResponse {
    let request = harness.by(customer, GetConsentRequest {});
    harness.consents().get_consent(request).await.unwrap().into_inner()
}

async fn file(
    harness: &GrpcHarness,
    customer: Id<Customer>,
    consent_id: &str,
) -> Result<String, Status> {
    let request = GetConsentFileRequest { consent_id: consent_id.to_owned() };
    let answer = harness.consents().get_consent_file(harness.by(customer, request)).await?;
    Ok(answer.into_inner().content)
}

async fn withdraw(harness: &GrpcHarness, customer: Id<Customer>, key: &str) -> Result<(), Status> {
    let request = WithdrawConsentRequest { idempotency_key: key.to_owned() };
    harness.consents().withdraw_consent(harness.by(customer, request)).await.map(drop)
}

async fn verify(
    harness: &GrpcHarness,
    person: Id<Customer>,
    content: &str,
) -> Result<VerifyConsentFileResponse, Status> {
    let request = VerifyConsentFileRequest { content: content.to_owned() };
    let request = harness.by(person, request);
    harness.consents_staff().verify_consent_file(request).await.map(tonic::Response::into_inner)
}

#[tokio::test]
async fn a_consent_is_stored_with_the_words_that_were_shown() {
    let harness = GrpcHarness::of(World::without_timers().await).await;
    let before = own(&harness, customer(1)).await;
    assert_eq!((before.consent, before.current), (None, false));
    assert_eq!(before.current_version, harness.world.app.consent.terms.version);
    let id = book(&harness, customer(1), at(1, 11)).await;
    let after = own(&harness, customer(1)).await;
    assert!(after.current);
    let record = after.consent.unwrap();
    assert_eq!(record.booking_id, id.to_string());
    assert_eq!(
        (record.full_name.as_str(), record.email.as_str()),
        ("Asha Rao", "asha@example.org")
    );
    assert_eq!((record.signature.as_str(), record.withdrawn_at), ("A. Rao", None));
    // The moment is the database's, which tests move.
    let seconds =
        record.given_at.unwrap().seconds - MORNING.parse::<Timestamp>().unwrap().seconds();
    assert!((0..60).contains(&seconds), "{seconds}");
    let text = harness.world.app.consent.terms.text();
    let stored = sqlx::query_as::<_, (String, String, uuid::Uuid)>(
        "select t.version, t.content, c.customer_id
         from consents c join consent_texts t using (version)",
    );
    let stored = stored.fetch_one(harness.world.app.store.pool()).await.unwrap();
    assert_eq!(stored, (record.version, text.clone(), customer(1).uuid()));
    let content = file(&harness, customer(1), &record.consent_id).await.unwrap();
    assert!(content.contains(text.trim()), "{content}");
    assert!(content.contains("Signature: A. Rao"));
}

#[tokio::test]
async fn each_invalid_part_is_refused_with_its_field_and_changes_nothing() {
    let harness = GrpcHarness::of(World::without_timers().await).await;
    let good = consent(&harness.world);
    let (bad, unmet) = (Code::InvalidArgument, Code::FailedPrecondition);
    for (consent, code, reason, field) in [
        (Consent::default(), unmet, "CONSENT_VERSION_UNKNOWN", "version"),
        (
            Consent { version: "2020-01-01.00".to_owned(), ..good.clone() },
            unmet,
            "CONSENT_VERSION_UNKNOWN",
            "version",
        ),
        (
            Consent { full_name: String::new(), ..good.clone() },
            bad,
            "CONSENT_NAME_REQUIRED",
            "full_name",
        ),
        (
            Consent { full_name: "A\u{7}B".to_owned(), ..good.clone() },
            bad,
            "INVALID_CONSENT_NAME",
            "full_name",
        ),
        (Consent { email: String::new(), ..good.clone() }, bad, "CONSENT_EMAIL_REQUIRED", "email"),
        (
            Consent { email: "asha".to_owned(), ..good.clone() },
            bad,
            "INVALID_CONSENT_EMAIL",
            "email",
        ),
        (
            Consent { signature: " ".to_owned(), ..good.clone() },
            bad,
            "SIGNATURE_REQUIRED",
            "signature",
        ),
        (
            Consent { signature: "x".repeat(161), ..good.clone() },
            bad,
            "INVALID_SIGNATURE",
            "signature",
        ),
        (
            Consent { accepted_declaration: false, ..good.clone() },
            unmet,
            "DECLARATION_NOT_ACCEPTED",
            "accepted_declaration",
        ),
    ] {
        let request = RequestBookingRequest {
            consent: Some(consent),
            ..new_request("meditation", at(1, 11))
        };
        let answer = harness.public().request_booking(harness.by(customer(1), request)).await;
        refused(answer, code, reason, &format!("consent.{field}"));
    }
    for table in [
        "select count(*) from events",
        "select count(*) from consents",
        "select count(*) from consent_texts",
        "select count(*) from booking_contacts",
        TIMERS,
    ] {
        assert_eq!(harness.world.count(table).await, 0, "{table}");
    }
}

#[tokio::test]
async fn a_consent_is_kept_once_and_a_refused_time_keeps_none() {
    let world = World::without_timers().await;
    let first = world.request(customer(1), with_consent(&world, at(1, 11))).await.unwrap();
    let other = RequestBookingRequest {
        consent: Some(Consent { signature: "Other".to_owned(), ..consent(&world) }),
        ..new_request("meditation", at(1, 13))
    };
    world.request(customer(1), other).await.unwrap();
    // A repeated request for the same time, as from another tab.
    assert_eq!(world.request(customer(1), with_consent(&world, at(1, 11))).await.unwrap(), first);
    assert_eq!(
        reason(world.request(customer(2), with_consent(&world, at(1, 11))).await),
        "SLOT_TAKEN"
    );
    let kept =
        sqlx::query_as::<_, (uuid::Uuid, String)>("select booking_id, signature from consents");
    let kept = kept.fetch_all(world.app.store.pool()).await.unwrap();
    assert_eq!(kept, [(first.uuid(), "A. Rao".to_owned())]);
    assert_eq!(world.count("select count(*) from consent_texts").await, 1);
}

#[tokio::test]
async fn a_hold_without_a_consent_takes_one_from_a_repeated_request() {
    let world = World::without_timers().await;
    let id = world.hold(customer(1), at(1, 11)).await;
    assert_eq!(world.count("select count(*) from consents").await, 0);
    assert_eq!(world.request(customer(1), with_consent(&world, at(1, 11))).await.unwrap(), id);
    assert_eq!(world.count("select count(*) from consents").await, 1);
}

#[tokio::test]
async fn concurrent_bookings_keep_each_client_s_own_consent() {
    let world = World::without_timers().await;
    world.hold(customer(1), at(9, 11)).await;
    let requests = (0..12_u128).map(|n| {
        let (world, who) = (&world, customer(100 + n));
        let hour = i64::try_from(n).unwrap();
        let request = with_consent(world, at(1 + hour / 6, 11 + hour % 6));
        async move { world.request(who, request).await.unwrap() }
    });
    futures::future::join_all(requests).await;
    let own = "select count(*) from consents c join bookings b using (booking_id, customer_id)";
    assert_eq!(world.count(own).await, 12);
}

#[tokio::test]
async fn a_consent_is_withdrawn_once_and_can_be_given_again() {
    let harness = GrpcHarness::of(World::without_timers().await).await;
    let never = withdraw(&harness, customer(1), "withdraw-1").await;
    refused(never, Code::NotFound, "CONSENT_NOT_FOUND", "");
    let id = book(&harness, customer(1), at(1, 11)).await;
    book(&harness, customer(2), at(1, 13)).await;
    harness.world.minutes_later(5).await;
    withdraw(&harness, customer(1), "withdraw-2").await.unwrap();
    let after = own(&harness, customer(1)).await;
    let withdrawn_at = after.consent.clone().unwrap().withdrawn_at.unwrap();
    assert!(!after.current);
    // No other client's consent is touched, and the booking stays as it is.
    assert!(own(&harness, customer(2)).await.current);
    assert_eq!(harness.world.state(id).await, BookingState::Held);
    // It is given again with a repeated request; the same key withdraws nothing a second time.
    harness.world.minutes_later(1).await;
    book(&harness, customer(1), at(1, 11)).await;
    withdraw(&harness, customer(1), "withdraw-2").await.unwrap();
    assert!(own(&harness, customer(1)).await.current);
    let content = file(&harness, customer(1), &after.consent.unwrap().consent_id).await.unwrap();
    assert!(content.contains("\nWithdrawn: 2026-11-24 09:0"), "{content}");
    harness.world.minutes_later(60).await;
    withdraw(&harness, customer(1), "withdraw-3").await.unwrap();
    let last = own(&harness, customer(1)).await.consent.unwrap();
    assert_ne!(last.withdrawn_at, Some(withdrawn_at));
    withdraw(&harness, customer(1), "withdraw-4").await.unwrap();
    assert_eq!(own(&harness, customer(1)).await.consent.unwrap(), last);
    let short = withdraw(&harness, customer(1), "short").await;
    refused(short, Code::InvalidArgument, "INVALID_IDEMPOTENCY_KEY", "idempotency_key");
}

#[tokio::test]
async fn staff_see_the_sessions_to_come_of_clients_who_withdrew() {
    let harness = GrpcHarness::new().await;
    harness.grant(customer(904), Some(Role::FrontDesk)).await;
    let listed = async |person| {
        let request = harness.by(person, ListWithdrawnConsentsRequest {});
        let answer = harness.consents_staff().list_withdrawn_consents(request).await?;
        let bookings = answer.into_inner().bookings.into_iter();
        Ok::<_, Status>(bookings.map(|one| one.booking.unwrap().booking_id).collect::<Vec<_>>())
    };
    let mut ids = Vec::new();
    for (who, hour) in [(1, 13), (2, 11), (3, 15)] {
        let id = book(&harness, customer(who), at(1, hour)).await;
        harness.world.pay(id, &format!("pay_{who}")).await;
        harness.world.reaches(id, BookingState::MeetingScheduled).await;
        ids.push(id.to_string());
    }
    // One is only held, and needs no word.
    book(&harness, customer(1), at(2, 11)).await;
    assert_eq!(listed(customer(904)).await.unwrap(), Vec::<String>::new());
    withdraw(&harness, customer(1), "withdraw-1").await.unwrap();
    withdraw(&harness, customer(2), "withdraw-2").await.unwrap();
    assert_eq!(listed(customer(904)).await.unwrap(), [ids[1].clone(), ids[0].clone()]);
    // A consent that is given again counts.
    book(&harness, customer(2), at(3, 11)).await;
    assert_eq!(listed(customer(904)).await.unwrap(), [ids[0].clone()]);
    refused(listed(customer(1)).await, Code::PermissionDenied, "STAFF_ONLY", "");
    let audited = harness.audited("ListWithdrawnConsents").await;
    assert_eq!(audited.len(), 3);
}

#[tokio::test]
async fn a_package_is_listed_once_with_all_of_its_sessions() {
    let harness = GrpcHarness::new().await;
    harness.grant(customer(904), Some(Role::FrontDesk)).await;
    let starts = [at(1, 11), at(8, 11), at(15, 11)];
    let asked =
        RequestBookingRequest { consent: Some(consent(&harness.world)), ..new_package(starts) };
    let answer = harness.public().request_booking(harness.by(customer(1), asked)).await.unwrap();
    let id: Id<Booking> = answer.into_inner().booking.unwrap().booking_id.parse().unwrap();
    assert_eq!(own(&harness, customer(1)).await.consent.unwrap().booking_id, id.to_string());
    harness.world.pay(id, "pay_1").await;
    harness.world.reaches(id, BookingState::MeetingScheduled).await;
    withdraw(&harness, customer(1), "withdraw-1").await.unwrap();
    let request = harness.by(customer(904), ListWithdrawnConsentsRequest {});
    let listed = harness.consents_staff().list_withdrawn_consents(request).await.unwrap();
    let listed: Vec<_> =
        listed.into_inner().bookings.into_iter().filter_map(|one| one.booking).collect();
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0].booking_id, id.to_string());
    let told = listed[0].sessions.iter().map(|it| it.starts_at);
    assert_eq!(told.collect::<Vec<_>>(), starts.map(|it| Some(to_wire(it))));
}

#[tokio::test]
async fn another_client_s_consent_does_not_exist() {
    let harness = GrpcHarness::of(World::without_timers().await).await;
    book(&harness, customer(1), at(1, 11)).await;
    let theirs = own(&harness, customer(1)).await.consent.unwrap().consent_id;
    assert_eq!(own(&harness, customer(2)).await.consent, None);
    for id in [theirs.as_str(), "cns_00000000000000000000000000000001", "nonsense", ""] {
        let answer = file(&harness, customer(2), id).await;
        refused(answer, Code::NotFound, "CONSENT_NOT_FOUND", "");
    }
    let unsigned = harness.consents().get_consent(GetConsentRequest {}).await;
    refused(unsigned, Code::Unauthenticated, "TOKEN_MISSING", "");
    let unsigned = harness.consents().get_consent_file(GetConsentFileRequest::default()).await;
    refused(unsigned, Code::Unauthenticated, "TOKEN_MISSING", "");
    let unsigned = harness.consents().withdraw_consent(WithdrawConsentRequest::default()).await;
    refused(unsigned, Code::Unauthenticated, "TOKEN_MISSING", "");
}

#[tokio::test]
async fn the_practice_proves_a_file_also_when_the_consent_was_erased() {
    let harness = GrpcHarness::of(World::without_timers().await).await;
    let owner = customer(901);
    harness.grant(owner, Some(Role::Owner)).await;
    harness.grant(customer(902), Some(Role::FrontDesk)).await;
    book(&harness, customer(1), at(1, 11)).await;
    let record = own(&harness, customer(1)).await.consent.unwrap();
    let content = file(&harness, customer(1), &record.consent_id).await.unwrap();
    let told = verify(&harness, owner, &content).await.unwrap();
    assert_eq!((told.genuine, told.consent), (true, Some(record)));
    let forged = content.replace("A. Rao", "B. Rao");
    let told = verify(&harness, owner, &forged).await.unwrap();
    assert_eq!((told.genuine, told.consent), (false, None));
    let other = verify(&harness, owner, "Anything else").await;
    refused(other, Code::InvalidArgument, "INVALID_CONSENT_FILE", "content");
    let desk = verify(&harness, customer(902), &content).await;
    refused(desk, Code::PermissionDenied, "ROLE_NOT_ALLOWED", "");
    let client = verify(&harness, customer(1), &content).await;
    refused(client, Code::PermissionDenied, "STAFF_ONLY", "");
    harness.world.db.as_owner("delete from consents").await.unwrap();
    let told = verify(&harness, owner, &content).await.unwrap();
    assert_eq!((told.genuine, told.consent), (true, None));
    let outcomes: Vec<_> = harness.audited("VerifyConsentFile").await;
    let outcomes: Vec<_> = outcomes.into_iter().map(|(.., outcome)| outcome).collect();
    assert_eq!(outcomes, ["done", "done", "INVALID_CONSENT_FILE", "ROLE_NOT_ALLOWED", "done"]);
}

#[tokio::test]
async fn consents_are_personal_and_nothing_needs_them() {
    let harness = GrpcHarness::new().await;
    let id = book(&harness, customer(1), at(1, 11)).await;
    let world = &harness.world;
    world.pay(id, "pay_1").await;
    world.reaches(id, BookingState::MeetingScheduled).await;
    let leaks = "select count(*) from events where payload::text || metadata::text ~ 'A[.] Rao'";
    assert_eq!(world.count(leaks).await, 0);
    let comment = "select count(*) from pg_description d join pg_class c on c.oid = d.objoid
                   where c.relname = 'consents' and d.description = 'personal'";
    assert_eq!(world.count(comment).await, 1);
    world.db.as_owner("delete from consents; delete from booking_contacts").await.unwrap();
    let erased = own(&harness, customer(1)).await;
    assert_eq!((erased.consent, erased.current), (None, false));
    let nothing = withdraw(&harness, customer(1), "withdraw-1").await;
    refused(nothing, Code::NotFound, "CONSENT_NOT_FOUND", "");
    world.minutes_later(3 * 24 * 60).await;
    world.reaches(id, BookingState::Completed).await;
}

#[tokio::test]
async fn what_was_agreed_to_does_not_change() {
    let world = World::without_timers().await;
    world.request(customer(1), with_consent(&world, at(1, 11))).await.unwrap();
    for change in [
        "update consents set signature = 'Other'",
        "update consents set signature = 'Other', withdrawn_at = clock_now()",
        "update consent_texts set content = 'Other'",
        "delete from consents; delete from consent_texts",
    ] {
        let error = world.db.as_owner(change).await.unwrap_err();
        assert!(error.to_string().contains("does not change"), "{change}: {error}");
    }
    world.db.as_owner("update consents set withdrawn_at = clock_now()").await.unwrap();
    let again = world.db.as_owner("update consents set withdrawn_at = null").await.unwrap_err();
    assert!(again.to_string().contains("does not change"), "{again}");
}

#[tokio::test]
async fn bookings_without_a_consent_have_none() {
    let harness = GrpcHarness::of(World::without_timers().await).await;
    let id = harness.booked().await;
    assert_eq!(own(&harness, customer(1)).await.consent, None);
    let booking = harness.world.view(id).await.booking;
    assert_eq!(booking.contact, Some(asha()));
    assert_eq!(booking.sessions[0].starts_at, Some(to_wire(at(1, 11))));
}
