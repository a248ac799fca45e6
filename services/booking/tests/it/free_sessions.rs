//! What costs nothing: confirmed as soon as it is asked for, and given to each proved address once.

use booking::app::free_session::Client;
use booking::app::list_bookings::list_day_sessions;
use booking::app::request_booking::request_booking;
use booking::error::Error;
use contract::booking::v1::{
    BookingState, GetBookingContactRequest, GetBookingFactsRequest, PaymentState,
    RequestBookingRequest, SessionMode,
};
use futures::future::join_all;
use kernel::Id;
use kernel::id::Booking;
use testkit::until;

use crate::cancels::cancel_by_practice;
use crate::grpc_harness::GrpcHarness;
use crate::world::{TIMERS, World, at, customer, new_request, owner, reason};

const FREE: &str = "free-consultation";
const ASHA: &str = "asha@example.org";

/// A client whose address is proved.
fn client(number: u128, email: &str) -> Client {
    Client { proved_email: Some(email.to_owned()), ..customer(number).into() }
}

async fn ask(
    world: &World,
    client: Client,
    request: RequestBookingRequest,
) -> Result<Id<Booking>, Error> {
    request_booking(&world.app, client, request).await.map(|held| held.id)
}

#[tokio::test]
async fn what_costs_nothing_is_confirmed_when_it_is_asked_for() {
    let world = World::without_timers().await;
    let request = new_request(FREE, at(1, 11));
    let held = request_booking(&world.app, client(1, ASHA), request.clone()).await.unwrap();
    let booking = &held.view.booking;
    assert_eq!(booking.state(), BookingState::Confirmed);
    assert_eq!((booking.held_until_at, booking.payment_state()), (None, PaymentState::Unspecified));
    assert_eq!(booking.price.as_ref().unwrap().minor_units, 0);
    // What is answered is what is stored.
    assert_eq!(world.view(held.id).await.booking, *booking);
    assert_eq!(world.booking_history(held.id).await, ["BookingRequested", "BookingConfirmed"]);
    assert_eq!(world.history("day-lead-2026-11-25").await, ["SlotBooked"]);
    let kinds: Vec<String> =
        sqlx::query_scalar("select kind from timers where kind <> 'sweep' order by kind")
            .fetch_all(world.app.store.pool())
            .await
            .unwrap();
    assert_eq!(kinds, ["create-meeting", "session-end"]);
    // The same click again gets the same booking.
    assert_eq!(ask(&world, client(1, ASHA), request).await.unwrap(), held.id);
    let taken = world.request(customer(2), new_request("meditation", at(1, 11))).await;
    assert_eq!(reason(taken), "SLOT_TAKEN");
}

#[tokio::test]
async fn it_gets_its_room_and_ends_like_every_session() {
    let world = World::new().await;
    let id = ask(&world, client(1, ASHA), new_request(FREE, at(1, 11))).await.unwrap();
    let booking = world.reaches(id, BookingState::MeetingScheduled).await;
    assert!(!booking.join_url.is_empty());
    assert_eq!(list_day_sessions(&world.app, "2026-11-25").await.unwrap().len(), 1);
    world.minutes_later(2 * 24 * 60).await;
    world.reaches(id, BookingState::Completed).await;
    assert_eq!(world.count(TIMERS).await, 0);
    // One at the practice needs no room.
    let mut request = new_request(FREE, at(3, 11));
    request.mode = SessionMode::InPerson.into();
    let id = ask(&world, client(2, "ravi@example.org"), request).await.unwrap();
    assert_eq!(world.state(id).await, BookingState::Confirmed);
}

#[tokio::test]
async fn an_address_that_is_not_proved_gets_nothing() {
    let world = World::without_timers().await;
    let request = world.request(customer(1), new_request(FREE, at(1, 11))).await;
    assert_eq!(reason(request), "ADDRESS_NOT_PROVED");
    assert_eq!(world.count("select count(*) from events").await, 0);
    // A session that is paid for needs no proof.
    world.hold(customer(1), at(1, 11)).await;
}

#[tokio::test]
async fn an_address_has_it_once() {
    let world = World::new().await;
    ask(&world, client(1, ASHA), new_request(FREE, at(1, 11))).await.unwrap();
    for number in [1, 2] {
        let again = ask(&world, client(number, ASHA), new_request(FREE, at(2, 11))).await;
        assert_eq!(reason(again), "FREE_SESSION_USED");
    }
    // When it is over, too.
    world.minutes_later(400 * 24 * 60).await;
    let again = ask(&world, client(1, ASHA), new_request(FREE, at(401, 11))).await;
    assert_eq!(reason(again), "FREE_SESSION_USED");
    assert_eq!(world.count("select count(*) from bookings").await, 1);
}

/// One mailbox has as many tagged addresses as its owner likes, and a code proves each of them.
#[tokio::test]
async fn a_tag_makes_no_other_address() {
    let world = World::without_timers().await;
    ask(&world, client(1, "asha+one@example.org"), new_request(FREE, at(1, 11))).await.unwrap();
    for (number, email) in [(2, "asha+two@example.org"), (3, "asha+a+b@example.org"), (4, ASHA)] {
        let again = ask(&world, client(number, email), new_request(FREE, at(2, 11))).await;
        assert_eq!(reason(again), "FREE_SESSION_USED", "{email}");
    }
    // A row of before has its tag.
    sqlx::query("update free_sessions set email = 'asha+one@example.org'")
        .execute(world.app.store.pool())
        .await
        .unwrap();
    let again = ask(&world, client(1, ASHA), new_request(FREE, at(2, 11))).await;
    assert_eq!(reason(again), "FREE_SESSION_USED");
    ask(&world, client(5, "+asha@example.org"), new_request(FREE, at(3, 11))).await.unwrap();
    ask(&world, client(6, "asha@example.com"), new_request(FREE, at(3, 13))).await.unwrap();
}

#[tokio::test]
async fn it_may_be_had_again_after_the_days_of_the_practice() {
    let world = World::without_timers().await;
    let ask = async |day: i64| {
        ask(&world, client(1, ASHA), new_request("yearly-consultation", at(day, 11))).await
    };
    ask(1).await.unwrap();
    world.minutes_later(364 * 24 * 60).await;
    assert_eq!(reason(ask(366).await), "FREE_SESSION_USED");
    world.minutes_later(24 * 60).await;
    ask(366).await.unwrap();
}

#[tokio::test]
async fn one_that_was_cancelled_does_not_count() {
    let world = World::new().await;
    let id = ask(&world, client(1, ASHA), new_request(FREE, at(1, 11))).await.unwrap();
    cancel_by_practice(&world, owner(), id).await;
    assert_eq!(world.state(id).await, BookingState::Cancelled);
    let gone = async || Ok((world.count(TIMERS).await == 0).then_some(()));
    until("no timer is left", gone).await.unwrap();
    ask(&world, client(1, ASHA), new_request(FREE, at(1, 11))).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_requests_of_one_address_one_gets_it() {
    let world = World::without_timers().await;
    // The first one fills the catalogue's cache.
    ask(&world, client(900, "first@example.org"), new_request(FREE, at(9, 11))).await.unwrap();
    let asked = (0..20).map(|number| {
        let hour = 11 + i64::try_from(number % 7).unwrap();
        ask(&world, client(number, ASHA), new_request(FREE, at(1, hour)))
    });
    let held = join_all(asked).await.into_iter().filter(Result::is_ok).count();
    assert_eq!(held, 1);
    assert_eq!(world.count("select count(*) from free_sessions").await, 2);
}

#[tokio::test]
async fn two_clients_of_one_address_are_told_apart_from_two_addresses() {
    let world = World::without_timers().await;
    let requests = [(1, ASHA, 11), (2, "ravi@example.org", 12), (3, "ila@example.org", 13)];
    let asked = requests.map(|(number, email, hour)| {
        ask(&world, client(number, email), new_request(FREE, at(1, hour)))
    });
    assert!(join_all(asked).await.iter().all(Result::is_ok));
}

/// The address stands in a personal table and nowhere else.
#[tokio::test]
async fn the_log_does_not_hold_the_address() {
    let world = World::without_timers().await;
    ask(&world, client(1, "canary@example.org"), new_request(FREE, at(1, 11))).await.unwrap();
    let told = "select count(*) from events where payload::text like '%canary%'
                or metadata::text like '%canary%'";
    assert_eq!(world.count(told).await, 0);
}

/// The token says whether the address is proved.
#[tokio::test]
async fn a_call_needs_a_token_of_a_proved_address() {
    let harness = GrpcHarness::new().await;
    let unproved = harness.by(customer(1), new_request(FREE, at(1, 11)));
    let refused = harness.public().request_booking(unproved).await.unwrap_err();
    assert_eq!(runtime::status::detail_of(&refused).unwrap().reason, "ADDRESS_NOT_PROVED");
    let proved = harness.by_proved(customer(1), new_request(FREE, at(1, 11)));
    let booking = harness.public().request_booking(proved).await.unwrap().into_inner().booking;
    let booking_id = booking.unwrap().booking_id;
    let facts = GetBookingFactsRequest {
        booking_id: booking_id.clone(),
        ..GetBookingFactsRequest::default()
    };
    let facts = harness.internal("payments").get_booking_facts(facts).await.unwrap().into_inner();
    assert_eq!((facts.price.unwrap().minor_units, facts.held_until_at), (0, None));
    let contact = GetBookingContactRequest { booking_id, ..Default::default() };
    let contact = harness.internal("notifications").get_booking_contact(contact).await.unwrap();
    assert!(contact.into_inner().calendar_file.contains("BEGIN:VEVENT"));
}
