//! Invalid and repeated requests.

use contract::booking::v1::{BookingState, Contact, RequestBookingRequest, SessionMode};
use testkit::until;

use crate::world::{TIMERS, World, asha, at, customer, new_request, reason};

#[tokio::test]
async fn the_same_key_gets_the_first_answer_and_other_content_is_refused() {
    let world = World::without_timers().await;
    let request = new_request("meditation", at(1, 11));
    let first = world.request(customer(1), request.clone()).await.unwrap();
    assert_eq!(world.request(customer(1), request.clone()).await.unwrap(), first);
    let other = RequestBookingRequest {
        contact: Some(Contact { last_name: "Iyer".to_owned(), ..asha() }),
        ..request.clone()
    };
    assert_eq!(reason(world.request(customer(1), other).await), "IDEMPOTENCY_KEY_REUSED");
    // The same key of another customer is a different key.
    let theirs = world.request(customer(2), request.clone()).await;
    assert_eq!(reason(theirs), "SLOT_TAKEN");
    // The first answer is returned even when the time is long past.
    world.minutes_later(20).await;
    assert_eq!(world.request(customer(1), request).await.unwrap(), first);
    assert_eq!(world.count("select count(*) from events").await, 2);
}

#[tokio::test]
async fn a_repeated_request_for_a_held_time_returns_its_booking() {
    let world = World::without_timers().await;
    let first = world.hold(customer(1), at(1, 11)).await;
    let before = world.view(first).await.booking;
    let contact = Contact { phone: "+91 98930 12345".to_owned(), ..asha() };
    let again =
        RequestBookingRequest { contact: Some(contact), ..new_request("meditation", at(1, 11)) };
    assert_eq!(world.request(customer(1), again).await.unwrap(), first);
    let after = world.view(first).await.booking;
    assert_eq!(after.contact.unwrap().phone, "+919893012345");
    assert!(after.version > before.version);
    assert_eq!(after.held_until_at, before.held_until_at);
    // Another service at that time is a different request.
    let other = world.request(customer(1), new_request("energy-healing", at(1, 11))).await;
    assert_eq!(reason(other), "SLOT_TAKEN");
    assert_eq!(world.count("select count(*) from bookings").await, 1);
}

#[tokio::test]
async fn an_invalid_request_is_refused_and_changes_nothing() {
    let world = World::without_timers().await;
    let good = new_request("meditation", at(1, 11));
    let with = |change: fn(&mut RequestBookingRequest)| {
        let mut request = good.clone();
        change(&mut request);
        request
    };
    for (request, why) in [
        (with(|r| r.idempotency_key = "short".to_owned()), "INVALID_IDEMPOTENCY_KEY"),
        (with(|r| r.idempotency_key = "x".repeat(65)), "INVALID_IDEMPOTENCY_KEY"),
        (with(|r| r.service_id = "no-such-thing".to_owned()), "SERVICE_NOT_FOUND"),
        (with(|r| r.service_id = "../etc/passwd".to_owned()), "SERVICE_NOT_FOUND"),
        (with(|r| r.service_id = "free-lunch".to_owned()), "INVALID_PRICE"),
        (with(|r| r.starts_at = None), "INVALID_START"),
        (
            with(|r| {
                r.starts_at = Some(prost_types::Timestamp { seconds: i64::MAX, nanos: 0 });
            }),
            "INVALID_START",
        ),
        (new_request("meditation", "1999-12-31T23:59:59Z".parse().unwrap()), "INVALID_START"),
        (new_request("meditation", "2100-01-01T00:00:00Z".parse().unwrap()), "INVALID_START"),
        (new_request("meditation", "-004800-01-01T00:00:00Z".parse().unwrap()), "INVALID_START"),
        (new_request("meditation", "9999-06-01T05:30:00Z".parse().unwrap()), "INVALID_START"),
        (new_request("meditation", "2000-01-01T00:00:00Z".parse().unwrap()), "SLOT_PAST"),
        (new_request("meditation", "2099-12-31T23:59:59Z".parse().unwrap()), "SLOT_NOT_OFFERED"),
        (with(|r| r.mode = 9), "INVALID_MODE"),
        (with(|r| r.contact = None), "FIRST_NAME_REQUIRED"),
        (with(|r| r.terms_accepted = false), "TERMS_NOT_ACCEPTED"),
        (new_request("meditation", at(0, 9)), "SLOT_PAST"),
        (new_request("meditation", at(-1, 11)), "SLOT_PAST"),
        (new_request("meditation", at(1, 10)), "SLOT_NOT_OFFERED"),
        (new_request("meditation", at(1, 11).plus_minutes(30)), "SLOT_NOT_OFFERED"),
        (new_request("meditation", at(61, 11)), "SLOT_NOT_OFFERED"),
    ] {
        assert_eq!(reason(world.request(customer(1), request).await), why);
    }
    for table in [
        "select count(*) from events",
        "select count(*) from bookings",
        "select count(*) from booking_contacts",
        "select count(*) from slot_reservations",
        TIMERS,
        "select count(*) from idempotency_keys",
    ] {
        assert_eq!(world.count(table).await, 0, "{table}");
    }
}

#[tokio::test]
async fn a_booking_is_stored_as_requested() {
    let world = World::without_timers().await;
    let request = RequestBookingRequest {
        mode: SessionMode::InPerson.into(),
        ..new_request("energy-healing", at(1, 15))
    };
    let id = world.request(customer(1), request).await.unwrap();
    let booking = world.view(id).await.booking;
    assert_eq!(booking.booking_id, id.to_string());
    assert_eq!(booking.service_title, "Energy Healing");
    assert_eq!(booking.price.as_ref().unwrap().minor_units, 110_000);
    assert_eq!(booking.state(), BookingState::Held);
    assert!(!booking.checkout_opened);
    assert_eq!(booking.contact, Some(asha()));
    assert_eq!(booking.time_zone, "Asia/Kolkata");
    assert!(booking.location.contains("Arera Colony"));
    let session = booking.sessions.first().unwrap();
    let length = session.ends_at.unwrap().seconds - session.starts_at.unwrap().seconds;
    assert_eq!((booking.sessions.len(), length), (1, 90 * 60));
}

#[tokio::test]
async fn the_log_holds_no_personal_data_and_bears_its_removal() {
    let world = World::new().await;
    let canary = "Zzyzx";
    let contact = Contact {
        first_name: canary.to_owned(),
        last_name: canary.to_owned(),
        email: format!("{canary}@example.org"),
        phone: "+919893012345".to_owned(),
        notes: canary.to_owned(),
    };
    let request =
        RequestBookingRequest { contact: Some(contact), ..new_request("meditation", at(1, 11)) };
    let id = world.request(customer(1), request).await.unwrap();
    world.pay(id, "pay_1").await;
    world.reaches(id, BookingState::MeetingScheduled).await;
    let leaks = "select count(*) from events
                 where payload::text || metadata::text ~* 'zzyzx|9893012345|/m/room'";
    assert_eq!(world.count(leaks).await, 0);
    let comment = "select count(*) from pg_description d join pg_class c on c.oid = d.objoid
                   where c.relname = 'booking_contacts' and d.description = 'personal'";
    assert_eq!(world.count(comment).await, 1);
    world.db.as_owner("delete from booking_contacts").await.unwrap();
    let booking = world.view(id).await.booking;
    assert_eq!((booking.contact, booking.join_url.as_str()), (None, ""));
    world.minutes_later(3 * 24 * 60).await;
    world.reaches(id, BookingState::Completed).await;
}

#[tokio::test]
async fn the_exclusion_constraint_works_without_the_day() {
    let world = World::without_timers().await;
    // A row unknown to the day's log.
    let id = world.hold(customer(9), at(2, 11)).await;
    world
        .db
        .as_owner(&format!(
            "insert into slot_reservations
                 (booking_id, practitioner_id, starts_at, ends_at, live)
             values ('{}', 'lead', '{}', '{}', true)",
            id.uuid(),
            at(1, 11).plus_minutes(30),
            at(1, 12).plus_minutes(30),
        ))
        .await
        .unwrap();
    let request = world.request(customer(1), new_request("meditation", at(1, 11))).await;
    assert_eq!(reason(request), "SLOT_TAKEN");
    assert_eq!(world.history("day-lead-2026-11-25").await, Vec::<String>::new());
    assert_eq!(world.count("select count(*) from bookings").await, 1);
}

#[tokio::test]
async fn idempotency_keys_are_deleted_after_a_month() {
    let world = World::without_timers().await;
    world.hold(customer(1), at(1, 11)).await;
    world.minutes_later(29 * 24 * 60).await;
    world.hold(customer(1), at(35, 11)).await;
    world.minutes_later(2 * 24 * 60).await;
    world.run_timers();
    let gone = async || {
        let keys = world.count("select count(*) from idempotency_keys").await;
        Ok((keys == 1).then_some(()))
    };
    until("the old key is gone", gone).await.unwrap();
    let tomorrow = "select count(*) from timers where kind = 'sweep'
                    and due_at between clock_now() + interval '23 hours'
                                   and clock_now() + interval '24 hours'";
    assert_eq!(world.count(tomorrow).await, 1);
}
