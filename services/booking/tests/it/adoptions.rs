//! The account that proved its address owns the bookings that staff made by phone for it.

use booking::app::adopt_bookings::adopt_bookings;
use booking::app::free_session::Client;
use booking::domain::booking::Origin;
use booking::read_model::phone_bookings::OF_EMAIL;
use contract::booking::v1::{
    AcceptTermsRequest, AdoptBookingsRequest, BookingState, Consent, Contact, GetBookingRequest,
    GetConsentRequest, RequestPhoneBookingRequest,
};
use futures::future::join_all;
use kernel::Id;
use kernel::id::Booking;
use tonic::Code;

use crate::grpc_harness::{GrpcHarness, refused};
use crate::payment_pages::code_for;
use crate::phone_bookings::{book_by_phone, new_phone_request};
use crate::world::{World, asha, at, customer, new_request_with};

fn client(number: u128, email: Option<&str>) -> Client {
    Client { proved_email: email.map(str::to_owned), ..customer(number).into() }
}

/// A booking for an address that was typed in capitals.
async fn held(world: &World, hour: i64) -> Id<Booking> {
    let contact = Contact { email: "Asha@Example.org".to_owned(), ..asha() };
    let contact = Some(contact);
    let request = RequestPhoneBookingRequest { contact, ..new_phone_request(at(2, hour)) };
    book_by_phone(world, request).await.unwrap()
}

#[tokio::test]
async fn a_proved_address_adopts_its_bookings_once() {
    let world = World::without_timers().await;
    let (first, second) = (held(&world, 11).await, held(&world, 13).await);
    let unproved = adopt_bookings(&world.app, client(1, None)).await.unwrap();
    let other = adopt_bookings(&world.app, client(1, Some("ravi@example.org"))).await.unwrap();
    assert_eq!((unproved.len(), other.len()), (0, 0));
    let asha = || client(1, Some("asha@example.org"));
    assert_eq!(adopt_bookings(&world.app, asha()).await.unwrap(), [first, second]);
    for id in [first, second] {
        let view = world.view(id).await;
        assert_eq!((view.customer_id, view.origin), (customer(1), Origin::AdoptedPhone));
        assert_eq!(world.booking_history(id).await, ["BookingRequested", "BookingAdopted"]);
    }
    // Again, and by another account with the same address, it changes nothing.
    assert_eq!(adopt_bookings(&world.app, asha()).await.unwrap(), []);
    let late = adopt_bookings(&world.app, client(2, Some("asha@example.org"))).await.unwrap();
    assert_eq!(late, []);
    assert_eq!(world.view(first).await.customer_id, customer(1));
    assert_eq!(world.count("select count(*) from phone_bookings").await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_accounts_never_both_own_a_booking() {
    let world = World::without_timers().await;
    let id = held(&world, 11).await;
    let asked = (1..=8).map(|number| {
        let app = &world.app;
        async move { adopt_bookings(app, client(number, Some("asha@example.org"))).await.unwrap() }
    });
    let adopted: Vec<_> = join_all(asked).await.into_iter().flatten().collect();
    assert_eq!(adopted, [id]);
    assert_eq!(world.booking_history(id).await, ["BookingRequested", "BookingAdopted"]);
}

#[tokio::test]
async fn bookings_of_accounts_are_never_adopted() {
    let world = World::without_timers().await;
    let own = world.hold(customer(7), at(2, 11)).await;
    let adopted = adopt_bookings(&world.app, client(1, Some("asha@example.org"))).await.unwrap();
    assert_eq!(adopted, []);
    assert_eq!(world.view(own).await.customer_id, customer(7));
}

#[tokio::test]
async fn a_booking_at_the_time_of_an_own_session_is_adopted_once_that_is_over() {
    let world = World::of_two().await;
    let own = new_request_with("ravi", "meditation", at(2, 13));
    let own = world.request(customer(1), own).await.unwrap();
    let by_phone = RequestPhoneBookingRequest {
        practitioner_id: "lead".to_owned(),
        ..new_phone_request(at(2, 13))
    };
    let by_phone = book_by_phone(&world, by_phone).await.unwrap();
    let later = held(&world, 15).await;
    let asha = || client(1, Some("asha@example.org"));
    assert_eq!(adopt_bookings(&world.app, asha()).await.unwrap(), [later]);
    assert_eq!(adopt_bookings(&world.app, asha()).await.unwrap(), []);
    assert_ne!(world.view(by_phone).await.customer_id, customer(1));
    // The own one ends without a payment.
    world.minutes_later(60).await;
    assert_eq!(world.view(own).await.customer_id, customer(1));
    assert_eq!(adopt_bookings(&world.app, asha()).await.unwrap(), [by_phone]);
    assert_eq!(world.view(by_phone).await.customer_id, customer(1));
}

#[tokio::test]
async fn what_was_adopted_lives_on_as_the_accounts_own() {
    let harness = GrpcHarness::new().await;
    let world = &harness.world;
    let id = held(world, 11).await;
    let page_key = world.app.page_keys.key(id);
    let consent = Consent {
        version: world.app.consent.terms.version.clone(),
        full_name: "Asha Rao".to_owned(),
        email: "asha@example.org".to_owned(),
        signature: "A. Rao".to_owned(),
        accepted_declaration: true,
    };
    let consent = Some(consent);
    let accept = AcceptTermsRequest {
        page_key: page_key.clone(),
        terms_accepted: true,
        consent,
        consent_code: code_for(&harness, &page_key).await,
        ..AcceptTermsRequest::default()
    };
    harness.pages().accept_terms(accept.clone()).await.unwrap();
    // A token that doesn't say that its address is proved adopts nothing.
    let unproved = harness.by(customer(1), AdoptBookingsRequest {});
    let answer = harness.public().adopt_bookings(unproved).await.unwrap().into_inner();
    assert_eq!(answer.booking_ids, Vec::<String>::new());
    let proved = harness.by_proved(customer(1), AdoptBookingsRequest {});
    let answer = harness.public().adopt_bookings(proved).await.unwrap().into_inner();
    assert_eq!(answer.booking_ids, [id.to_string()]);
    // The consent went over with it, and the key opens nothing any more.
    let own = harness.by(customer(1), GetConsentRequest {});
    let own = harness.consents().get_consent(own).await.unwrap().into_inner();
    assert!(own.current);
    let answer = harness.pages().accept_terms(accept).await;
    refused(answer, Code::FailedPrecondition, "BOOKING_ADOPTED", "");
    world.pay(id, "pay_1").await;
    world.reaches(id, BookingState::MeetingScheduled).await;
    let read = harness.by(customer(1), GetBookingRequest { booking_id: id.to_string() });
    let booking = harness.public().get_booking(read).await.unwrap().into_inner().booking.unwrap();
    assert!(!booking.join_url.is_empty());
    world.minutes_later(4 * 24 * 60).await;
    world.reaches(id, BookingState::Completed).await;
}

#[tokio::test]
async fn looking_for_bookings_costs_the_same_with_a_long_history() {
    let world = World::without_timers().await;
    let fill = "insert into phone_bookings
                select gen_random_uuid(), 'client' || n || '@example.org', now()
                from generate_series(1, 5000) n";
    world.db.as_owner(fill).await.unwrap();
    world.db.as_owner("analyze phone_bookings").await.unwrap();
    let sql =
        format!("explain {}", OF_EMAIL.replace("$1", "'client7@example.org'").replace("$2", "20"));
    let plan: Vec<String> = sqlx::query_scalar(sqlx::AssertSqlSafe(sql))
        .fetch_all(world.app.store.pool())
        .await
        .unwrap();
    let plan = plan.join("\n");
    assert!(plan.contains("phone_bookings_by_email"), "{plan}");
}
