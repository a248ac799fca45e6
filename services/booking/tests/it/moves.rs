//! A session gets another time: by its client as late and as often as the policy says, by staff at
//! any time; both days and the booking change together.

use booking::app::move_booking::move_own_booking;
use contract::booking::v1::{
    BookingState, GetCalendarFileRequest, MoveBookingRequest, MoveOwnBookingRequest, MovedBy,
    PreviewMoveRequest, PreviewOwnMoveRequest, PreviewOwnMoveResponse, Session,
};
use contract::convert::to_wire;
use futures::future::join_all;
use kernel::id::{Booking, Customer};
use kernel::{CommandError, Id, Reject as _, Timestamp};
use staff::Role;
use testkit::until;
use tonic::{Code, Status};

use crate::blocks::block;
use crate::grpc_harness::{GrpcHarness, refused};
use crate::world::{World, at, customer, new_package, new_request, new_request_with, reason};

const DESK: u128 = 901;

pub(crate) fn to(id: Id<Booking>, (shown, to): (Timestamp, Timestamp)) -> MoveOwnBookingRequest {
    MoveOwnBookingRequest {
        idempotency_key: eventstore::new_uuid().to_string(),
        booking_id: id.to_string(),
        session_number: 0,
        shown_starts_at: Some(to_wire(shown)),
        starts_at: Some(to_wire(to)),
    }
}

async fn moved(
    world: &World,
    (client, id): (u128, Id<Booking>),
    times: (Timestamp, Timestamp),
) -> Result<Id<Booking>, booking::error::Error> {
    move_own_booking(&world.app, customer(client), to(id, times)).await
}

async fn paid(world: &World, client: u128, starts_at: Timestamp) -> Id<Booking> {
    let id = world.hold(customer(client), starts_at).await;
    world.pay(id, &format!("pay_{client}")).await;
    id
}

async fn sessions(world: &World, id: Id<Booking>) -> Vec<Session> {
    world.view(id).await.booking.sessions
}

async fn starts(world: &World, id: Id<Booking>) -> Vec<prost_types::Timestamp> {
    sessions(world, id).await.into_iter().filter_map(|session| session.starts_at).collect()
}

async fn times(
    harness: &GrpcHarness,
    (caller, id): (Id<Customer>, Id<Booking>),
    from_date: &str,
) -> Result<PreviewOwnMoveResponse, Status> {
    let asked = PreviewOwnMoveRequest {
        booking_id: id.to_string(),
        session_number: 0,
        from_date: from_date.to_owned(),
        days: 1,
    };
    Ok(harness.public().preview_own_move(harness.by(caller, asked)).await?.into_inner())
}

#[tokio::test]
async fn a_client_moves_a_session_and_the_rest_stays() {
    let harness = GrpcHarness::new().await;
    let (world, me) = (&harness.world, customer(1));
    let id = paid(world, 1, at(3, 11)).await;
    let before = world.reaches(id, BookingState::MeetingScheduled).await;
    let shown = &before.sessions[0];
    assert_eq!((shown.movable_until_at, shown.moves_left), (Some(to_wire(at(2, 11))), 3));
    let request = to(id, (at(3, 11), at(5, 14)));
    for _press in 0..2 {
        let answer = harness.public().move_own_booking(harness.by(me, request.clone())).await;
        let after = answer.unwrap().into_inner().booking.unwrap();
        let session = &after.sessions[..];
        let [session] = session else { panic!("{session:?}") };
        assert_eq!(session.starts_at, Some(to_wire(at(5, 14))));
        assert_eq!(session.ends_at, Some(to_wire(at(5, 15))));
        assert_eq!((session.moves, session.moves_left, session.cancelled), (1, 2, false));
        assert_eq!((&after.price, &after.paid), (&before.price, &before.paid));
        assert_eq!((after.state(), &after.join_url), (before.state(), &before.join_url));
    }
    let history = world.booking_history(id).await;
    assert_eq!(history.last().unwrap(), "BookingMoved");
    assert_eq!(history.iter().filter(|name| *name == "BookingMoved").count(), 1);
    assert_eq!(world.history("day-lead-2026-11-27").await.last().unwrap(), "SlotReleased");
    assert_eq!(world.history("day-lead-2026-11-29").await, ["SlotBooked"]);
    // A calendar takes what it has under this UID again.
    let file = GetCalendarFileRequest { booking_id: id.to_string() };
    let file = harness.public().get_calendar_file(harness.by(me, file)).await.unwrap();
    let file = file.into_inner().content;
    assert!(file.contains("DTSTART:20261129T083000Z\r\n"), "{file}");
    assert!(file.contains("SEQUENCE:3\r\n"), "{file}");
    // The old time is free, the new one is not.
    world.hold(customer(2), at(3, 11)).await;
    let taken = world.request(customer(3), new_request("meditation", at(5, 14))).await;
    assert_eq!(reason(taken), "SLOT_TAKEN");
}

#[tokio::test]
async fn a_session_ends_at_its_new_time_and_not_before() {
    let world = World::new().await;
    let id = paid(&world, 1, at(2, 11)).await;
    world.reaches(id, BookingState::MeetingScheduled).await;
    moved(&world, (1, id), (at(2, 11), at(4, 11))).await.unwrap();
    world.minutes_later(3 * 24 * 60).await;
    assert_eq!(world.state(id).await, BookingState::MeetingScheduled);
    world.minutes_later(27 * 60).await;
    world.reaches(id, BookingState::Completed).await;
    assert_eq!(starts(&world, id).await, [to_wire(at(4, 11))]);
}

#[tokio::test]
async fn the_own_time_counts_as_free_and_is_no_choice() {
    let harness = GrpcHarness::new().await;
    let (world, me) = (&harness.world, customer(1));
    let request = new_request("energy-healing", at(3, 12));
    let id = world.request(me, request).await.unwrap();
    world.pay(id, "pay_1").await;
    world.hold(customer(2), at(3, 14)).await;
    let listed = times(&harness, (me, id), "2026-11-27").await.unwrap();
    assert_eq!((listed.movable_until_at, listed.moves_left), (Some(to_wire(at(2, 12))), 3));
    let slots = listed.slots.unwrap().days.remove(0).slots;
    let free = |hour: i64| {
        let slot = slots.iter().find(|slot| slot.starts_at == Some(to_wire(at(3, hour))));
        slot.unwrap().available
    };
    // Ninety minutes from one o'clock meet what begins at two.
    let hours: Vec<bool> = (11..=17).map(free).collect();
    assert_eq!(hours, [true, false, false, false, true, true, true]);
    // Its own half hour is no obstacle.
    moved(world, (1, id), (at(3, 12), at(3, 11))).await.unwrap();
    assert_eq!(starts(world, id).await, [to_wire(at(3, 11))]);
    assert_eq!(world.count("select count(*) from slot_reservations where live").await, 2);
    let other = times(&harness, (customer(2), id), "").await;
    refused(other, Code::NotFound, "BOOKING_NOT_FOUND", "");
    let day = times(&harness, (me, id), "2026-02-30").await;
    refused(day, Code::InvalidArgument, "INVALID_DATE", "from_date");
}

#[tokio::test]
async fn what_can_not_be_had_changes_nothing() {
    let harness = GrpcHarness::of(World::without_timers().await).await;
    let world = &harness.world;
    let id = paid(world, 1, at(3, 11)).await;
    let other = paid(world, 2, at(3, 13)).await;
    block(world, "16:00", "17:00").await.unwrap();
    let row = "select count(*) from events";
    let before = world.count(row).await;
    for (times, why) in [
        ((at(3, 11), at(3, 13)), "SLOT_TAKEN"),
        ((at(3, 11), at(1, 16)), "SLOT_TAKEN"),
        ((at(3, 11), at(0, 9)), "SLOT_PAST"),
        ((at(3, 11), at(-1, 11)), "SLOT_PAST"),
        ((at(3, 11), at(3, 10)), "SLOT_NOT_OFFERED"),
        ((at(3, 11), at(3, 12).plus_minutes(15)), "SLOT_NOT_OFFERED"),
        ((at(3, 11), at(300, 11)), "SLOT_NOT_OFFERED"),
        ((at(3, 12), at(3, 14)), "CHANGED_SINCE"),
    ] {
        assert_eq!(reason(moved(world, (1, id), times).await), why, "{times:?}");
    }
    assert_eq!(reason(moved(world, (2, id), (at(3, 11), at(3, 14))).await), "BOOKING_NOT_FOUND");
    let number = MoveOwnBookingRequest { session_number: 2, ..to(id, (at(3, 11), at(3, 14))) };
    let unknown = harness.public().move_own_booking(harness.by(customer(1), number)).await;
    refused(unknown, Code::InvalidArgument, "SESSION_NOT_FOUND", "session_number");
    let nothing = MoveOwnBookingRequest { starts_at: None, ..to(id, (at(3, 11), at(3, 14))) };
    let nothing = harness.public().move_own_booking(harness.by(customer(1), nothing)).await;
    refused(nothing, Code::InvalidArgument, "INVALID_START", "starts_at");
    assert_eq!(world.count(row).await, before);
    assert_eq!(starts(world, other).await, [to_wire(at(3, 13))]);
    // Twenty-four hours before it is too late, and a held time is not moved.
    world.minutes_later(2 * 24 * 60 + 2 * 60 + 1).await;
    assert_eq!(reason(moved(world, (1, id), (at(3, 11), at(4, 11))).await), "MOVE_TOO_LATE");
    let held = world.hold(customer(3), at(5, 11)).await;
    let refusal = moved(world, (3, held), (at(5, 11), at(5, 12))).await;
    assert_eq!(reason(refusal), "NOT_MOVABLE");
}

#[tokio::test]
async fn three_moves_are_the_most_and_staff_move_on() {
    let harness = GrpcHarness::of(World::without_timers().await).await;
    let world = &harness.world;
    harness.grant(customer(DESK), Some(Role::FrontDesk)).await;
    let id = paid(world, 1, at(5, 11)).await;
    for hour in 11..=13 {
        moved(world, (1, id), (at(5, hour), at(5, hour + 1))).await.unwrap();
    }
    let session = sessions(world, id).await.remove(0);
    assert_eq!((session.movable_until_at, session.moves_left, session.moves), (None, 0, 3));
    let refusal = moved(world, (1, id), (at(5, 14), at(5, 15))).await;
    assert_eq!(reason(refusal), "MOVED_TOO_OFTEN");
    let look = PreviewMoveRequest { booking_id: id.to_string(), ..PreviewMoveRequest::default() };
    let listed = harness.staff().preview_move(harness.by(customer(DESK), look)).await.unwrap();
    assert_eq!(listed.into_inner().slots.unwrap().days.len(), 7);
    let by = |moved_by: MovedBy| MoveBookingRequest {
        booking_id: id.to_string(),
        idempotency_key: eventstore::new_uuid().to_string(),
        session_number: 1,
        shown_starts_at: Some(to_wire(at(5, 14))),
        starts_at: Some(to_wire(at(6, 14))),
        moved_by: moved_by.into(),
        reason: "The room is not free".to_owned(),
        ..MoveBookingRequest::default()
    };
    let ask = async |caller: u128, moved_by: MovedBy| {
        harness.staff().move_booking(harness.by(customer(caller), by(moved_by))).await
    };
    let wrong = ask(DESK, MovedBy::Customer).await;
    refused(wrong, Code::InvalidArgument, "INVALID_MOVED_BY", "moved_by");
    refused(ask(1, MovedBy::Practice).await, Code::PermissionDenied, "STAFF_ONLY", "");
    // Shortly before its end, too.
    world.minutes_later(5 * 24 * 60 + 5 * 60 + 50).await;
    let staff = ask(DESK, MovedBy::Practice).await;
    let booking = staff.unwrap().into_inner().booking.unwrap().booking.unwrap();
    assert_eq!(booking.sessions[0].starts_at, Some(to_wire(at(6, 14))));
    assert_eq!(harness.audited("MoveBooking").await.len(), 2);
}

#[tokio::test]
async fn a_practitioner_moves_the_own_clients_only() {
    let harness = GrpcHarness::of(World::of_two().await).await;
    let world = &harness.world;
    let ravi = customer(902);
    harness.grant(ravi, Some(Role::Practitioner)).await;
    let sql = "update staff_members set practitioner_id = 'ravi' where role = 'practitioner'";
    world.db.as_owner(sql).await.unwrap();
    let id = paid(world, 1, at(3, 11)).await;
    let request = MoveBookingRequest {
        booking_id: id.to_string(),
        idempotency_key: eventstore::new_uuid().to_string(),
        shown_starts_at: Some(to_wire(at(3, 11))),
        starts_at: Some(to_wire(at(3, 12))),
        moved_by: MovedBy::Practice.into(),
        reason: "The room is not free".to_owned(),
        ..MoveBookingRequest::default()
    };
    let other = harness.staff().move_booking(harness.by(ravi, request)).await;
    refused(other, Code::NotFound, "BOOKING_NOT_FOUND", "");
    // One client is not at two places, of whichever practitioners.
    let with_ravi = new_request_with("ravi", "meditation", at(3, 14));
    let with_ravi = world.request(customer(1), with_ravi).await.unwrap();
    world.pay(with_ravi, "pay_ravi").await;
    let overlap = moved(world, (1, id), (at(3, 11), at(3, 14))).await;
    assert_eq!(reason(overlap), "OVERLAPS_OWN_SESSION");
}

#[tokio::test]
async fn a_packages_session_stays_between_its_neighbours() {
    let world = World::new().await;
    let id = world.request(customer(1), new_package([at(2, 13), at(4, 13), at(6, 13)])).await;
    let id = id.unwrap();
    world.pay(id, "pay_package").await;
    let second = async |starts_at: Timestamp| {
        let request = MoveOwnBookingRequest { session_number: 2, ..to(id, (at(4, 13), starts_at)) };
        move_own_booking(&world.app, customer(1), request).await
    };
    for wrong in [at(2, 14), at(1, 11), at(6, 11), at(7, 13)] {
        assert_eq!(reason(second(wrong).await), "OUT_OF_ORDER", "{wrong:?}");
    }
    second(at(5, 11)).await.unwrap();
    assert_eq!(starts(&world, id).await, [at(2, 13), at(5, 11), at(6, 13)].map(to_wire));
    let last = MoveOwnBookingRequest { session_number: 3, ..to(id, (at(6, 13), at(90, 13))) };
    let last = move_own_booking(&world.app, customer(1), last).await;
    assert!(["DATES_TOO_FAR_APART", "SLOT_NOT_OFFERED"].contains(&reason(last)));
    world.minutes_later(5 * 24 * 60 + 4 * 60).await;
    until("two sessions are over", async || {
        let history = world.booking_history(id).await;
        let over = history.iter().filter(|name| *name == "BookingSessionCompleted").count();
        Ok((over == 2).then_some(()))
    })
    .await
    .unwrap();
}

/// The timer of a hold that has ended has not fired, and its row still stands.
#[tokio::test]
async fn a_hold_that_has_ended_is_no_obstacle() {
    let world = World::without_timers().await;
    let id = paid(&world, 1, at(3, 11)).await;
    let held = world.hold(customer(2), at(4, 11)).await;
    assert_eq!(reason(moved(&world, (1, id), (at(3, 11), at(4, 11))).await), "SLOT_TAKEN");
    world.minutes_later(16).await;
    moved(&world, (1, id), (at(3, 11), at(4, 11))).await.unwrap();
    world.run_timers();
    world.reaches(held, BookingState::Expired).await;
    assert_eq!(starts(&world, id).await, [to_wire(at(4, 11))]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_who_want_one_time_one_gets_it_and_no_session_is_lost() {
    let world = World::without_timers().await;
    let mut movers = Vec::new();
    for client in 1..=5 {
        movers
            .push((client, paid(&world, client, at(2, 10 + i64::try_from(client).unwrap())).await));
    }
    let moves = movers.iter().map(|(client, id)| async {
        let from = at(2, 10 + i64::try_from(*client).unwrap());
        moved(&world, (*client, *id), (from, at(3, 14))).await.map(|_id| ())
    });
    let buyers = (0..10).map(|buyer| {
        let request = new_request("meditation", at(3, 14));
        world.request(customer(1000 + buyer), request)
    });
    let (moves, buyers) = futures::join!(join_all(moves), join_all(buyers));
    let buyers = buyers.into_iter().map(|held| held.map(|_id| ()));
    let mut done = 0;
    for outcome in moves.into_iter().chain(buyers) {
        match outcome {
            Ok(()) => done += 1,
            Err(CommandError::Rejected(rejection)) => assert_eq!(rejection.reason(), "SLOT_TAKEN"),
            Err(error) => panic!("{error:?}"),
        }
    }
    assert_eq!(done, 1);
    for (_, id) in movers {
        assert_eq!(sessions(&world, id).await.len(), 1);
    }
    let live = "select count(*) from slot_reservations where live";
    assert!([5, 6].contains(&world.count(live).await));
}

/// Two windows of one client, each with a key of its own.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_that_is_moved_twice_at_once_has_one_time() {
    let world = World::without_timers().await;
    let id = paid(&world, 1, at(3, 11)).await;
    let moves = (0..6).map(|window| {
        let to = at(3 + window % 3, 13 + window / 3);
        moved(&world, (1, id), (at(3, 11), to))
    });
    let outcomes = join_all(moves).await;
    let mut done = 0;
    for outcome in outcomes {
        match outcome {
            Ok(_id) => done += 1,
            Err(CommandError::Rejected(rejection)) => {
                assert_eq!(rejection.reason(), "CHANGED_SINCE");
            }
            Err(error) => panic!("{error:?}"),
        }
    }
    assert_eq!(done, 1);
    assert_eq!(sessions(&world, id).await.len(), 1);
    assert_eq!(world.count("select count(*) from slot_reservations where live").await, 1);
}
