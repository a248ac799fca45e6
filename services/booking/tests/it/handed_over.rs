//! Staff move a session to another practitioner: both days, the rows, the calendars and the room
//! follow, and the words why stand in the history alone.

use booking::app::move_booking::move_booking;
use booking::app::remove_meeting::remove_meeting;
use booking::app::schedule_meeting::schedule_meeting;
use contract::booking::v1::{
    BookingState, GetBookingHistoryRequest, ListBookingsRequest, MoveBookingRequest, MovedBy,
    PreviewMoveRequest, WaitingWish,
};
use contract::convert::to_wire;
use eventstore::Metadata;
use futures::future::join_all;
use kernel::id::{Booking, Customer};
use kernel::{CommandError, Id, Reject as _, Timestamp};
use staff::Role;
use tonic::Code;

use crate::grpc_harness::{GrpcHarness, refused};
use crate::rebuild::are_rebuilt;
use crate::waiting::{joined, wish};
use crate::world::{
    World, at, customer, new_package, new_request, new_request_with, owner, reason,
};
use crate::zoom_rooms::{at_zoom, meetings};

const WHY: &str = "A colleague takes over";

fn to_ravi(id: Id<Booking>, shown: Timestamp, to: Timestamp) -> MoveBookingRequest {
    MoveBookingRequest {
        booking_id: id.to_string(),
        idempotency_key: eventstore::new_uuid().to_string(),
        session_number: 0,
        shown_starts_at: Some(to_wire(shown)),
        starts_at: Some(to_wire(to)),
        moved_by: MovedBy::Practice.into(),
        practitioner_id: "ravi".to_owned(),
        reason: WHY.to_owned(),
    }
}

async fn paid(world: &World, client: u128, starts_at: Timestamp) -> Id<Booking> {
    let request = new_request_with("lead", "meditation", starts_at);
    let id = world.request(customer(client), request).await.unwrap();
    world.pay(id, &format!("pay_{client}")).await;
    id
}

async fn practitioner(harness: &GrpcHarness) -> Id<Customer> {
    let ravi = customer(902);
    harness.grant(ravi, Some(Role::Practitioner)).await;
    let sql = "update staff_members set practitioner_id = 'ravi' where role = 'practitioner'";
    harness.world.db.as_owner(sql).await.unwrap();
    ravi
}

async fn listed(harness: &GrpcHarness, caller: Id<Customer>) -> usize {
    let asked = ListBookingsRequest { days: 10, ..ListBookingsRequest::default() };
    let answer = harness.staff().list_bookings(harness.by(caller, asked)).await;
    answer.unwrap().into_inner().bookings.len()
}

#[tokio::test]
async fn the_session_leaves_one_practitioner_for_the_other_at_the_same_time() {
    let harness = GrpcHarness::of(World::of_two().await).await;
    let world = &harness.world;
    let ravi = practitioner(&harness).await;
    let id = paid(world, 1, at(3, 14)).await;
    let look = PreviewMoveRequest {
        booking_id: id.to_string(),
        practitioner_id: "ravi".to_owned(),
        from_date: "2026-11-27".to_owned(),
        ..PreviewMoveRequest::default()
    };
    harness.grant(owner().id, Some(Role::Owner)).await;
    let slots = harness.staff().preview_move(harness.by(owner().id, look)).await.unwrap();
    let slots = slots.into_inner().slots.unwrap().days.remove(0).slots;
    assert_eq!(slots[0].starts_at, Some(to_wire(at(3, 13))), "ravi begins at one");
    let own = slots.iter().find(|slot| slot.starts_at == Some(to_wire(at(3, 14))));
    assert!(own.is_some_and(|slot| slot.available), "the other one is free at the same time");
    assert_eq!(listed(&harness, ravi).await, 0);
    let request = to_ravi(id, at(3, 14), at(3, 14));
    for _press in 0..2 {
        move_booking(&world.app, owner(), request.clone()).await.unwrap();
    }
    let booking = world.view(id).await.booking;
    assert_eq!((booking.practitioner_id.as_str(), booking.sessions[0].moves), ("ravi", 1));
    assert_eq!(booking.sessions[0].starts_at, Some(to_wire(at(3, 14))));
    assert_eq!(listed(&harness, ravi).await, 1);
    assert_eq!(world.history("day-lead-2026-11-27").await.last().unwrap(), "SlotReleased");
    assert_eq!(world.history("day-ravi-2026-11-27").await, ["SlotBooked"]);
    let live = "select count(*) from slot_reservations where live and practitioner_id = 'ravi'";
    assert_eq!(world.count(live).await, 1);
    let first = new_request_with("lead", "meditation", at(3, 14));
    world.request(customer(2), first).await.unwrap();
    let second = new_request_with("ravi", "meditation", at(3, 14));
    assert_eq!(reason(world.request(customer(3), second).await), "SLOT_TAKEN");
    // Why is in the history, once, and in no event.
    let asked = GetBookingHistoryRequest { booking_id: id.to_string() };
    let history = harness.staff().get_booking_history(harness.by(owner().id, asked)).await;
    let said = history.unwrap().into_inner().move_reasons;
    assert_eq!((said.len(), said[0].reason.as_str()), (1, WHY));
    let told =
        "select count(*) from events where payload::text || metadata::text like '%colleague%'";
    assert_eq!(world.count(told).await, 0);
    are_rebuilt(world).await;
}

#[tokio::test]
async fn what_can_not_be_handed_over_stays() {
    let harness = GrpcHarness::of(World::of_two().await).await;
    let world = &harness.world;
    let ravi = practitioner(&harness).await;
    let id = paid(world, 1, at(3, 14)).await;
    let ask = async |request: MoveBookingRequest| {
        reason(move_booking(&world.app, owner(), request).await)
    };
    let usual = || to_ravi(id, at(3, 14), at(3, 15));
    assert_eq!(
        ask(MoveBookingRequest { reason: String::new(), ..usual() }).await,
        "INVALID_REASON"
    );
    let by = MovedBy::CustomerAsked.into();
    let silent = MoveBookingRequest { reason: String::new(), moved_by: by, ..usual() };
    assert_eq!(ask(silent).await, "INVALID_REASON");
    let unknown = MoveBookingRequest { practitioner_id: "meera".to_owned(), ..usual() };
    assert_eq!(ask(unknown).await, "PRACTITIONER_NOT_FOUND");
    assert_eq!(ask(to_ravi(id, at(3, 14), at(3, 11))).await, "SLOT_NOT_OFFERED");
    assert_eq!(ask(to_ravi(id, at(3, 13), at(3, 15))).await, "CHANGED_SINCE");
    let with_ravi = new_request_with("ravi", "meditation", at(3, 16));
    world.request(customer(2), with_ravi).await.unwrap();
    assert_eq!(ask(to_ravi(id, at(3, 14), at(3, 16))).await, "SLOT_TAKEN");
    let package = world.request(customer(3), new_package([at(4, 13), at(5, 13), at(6, 13)])).await;
    let package = package.unwrap();
    world.pay(package, "pay_package").await;
    let given = world.view(package).await.booking.practitioner_id;
    let other = if given == "ravi" { "lead" } else { "ravi" };
    let handed = MoveBookingRequest {
        practitioner_id: other.to_owned(),
        ..to_ravi(package, at(4, 13), at(4, 13))
    };
    assert_eq!(ask(handed).await, "KEEPS_PRACTITIONER");
    // A practitioner gives no session to another calendar, and sees only the own ones.
    let own = new_request_with("ravi", "meditation", at(8, 14));
    let own = world.request(customer(4), own).await.unwrap();
    world.pay(own, "pay_own").await;
    let away = MoveBookingRequest {
        practitioner_id: "lead".to_owned(),
        ..to_ravi(own, at(8, 14), at(8, 14))
    };
    let away = harness.staff().move_booking(harness.by(ravi, away)).await;
    refused(away, Code::PermissionDenied, "NOT_OWN_CALENDAR", "practitioner_id");
    assert_eq!(world.view(id).await.booking.practitioner_id, "lead");
}

#[tokio::test]
async fn an_earlier_time_is_wanted_of_the_new_practitioner() {
    let world = World::of_two().await;
    let id = paid(&world, 11, at(5, 14)).await;
    let earlier = WaitingWish { earlier_than_booking_id: id.to_string(), ..wish() };
    joined(&world, 11, earlier).await;
    move_booking(&world.app, owner(), to_ravi(id, at(5, 14), at(5, 14))).await.unwrap();
    let of_ravi = "select count(*) from waiting_entries where practitioner_id = 'ravi'";
    assert_eq!(world.count(of_ravi).await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_a_booking_and_a_move_for_one_time_of_the_other_one_gets_it() {
    let world = World::of_two().await;
    let mut movers = Vec::new();
    for client in 1..=3 {
        let hour = 13 + i64::try_from(client).unwrap();
        movers.push((client, hour, paid(&world, client, at(2, hour)).await));
    }
    let moves = movers.iter().map(|(_, hour, id)| async {
        let request = to_ravi(*id, at(2, *hour), at(3, 14));
        move_booking(&world.app, owner(), request).await.map(|_id| ())
    });
    let buyers = (0..4).map(|buyer| {
        world.request(customer(1000 + buyer), new_request_with("ravi", "meditation", at(3, 14)))
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
    let live = "select count(*) from slot_reservations where live and booking_id is not null";
    assert!([3, 4].contains(&world.count(live).await));
}

/// The room of the one before is removed at the provider, and the other one has a new one.
#[tokio::test]
async fn the_room_is_the_new_practitioners() {
    let (world, server) = at_zoom().await;
    let request = new_request("meditation", at(2, 14));
    let id = world.request(customer(1), request).await.unwrap();
    world.pay(id, "pay_1").await;
    let by = || Metadata::by("booking", None);
    schedule_meeting(&world.app, by(), id).await.unwrap();
    let before = world.reaches(id, BookingState::MeetingScheduled).await;
    let first = meetings(&server).await;
    // Within a day of the session, when its room has to be there.
    world.minutes_later(30 * 60).await;
    let given = before.practitioner_id.clone();
    let other = if given == "ravi" { "lead" } else { "ravi" };
    let request = MoveBookingRequest {
        practitioner_id: other.to_owned(),
        ..to_ravi(id, at(2, 14), at(2, 14))
    };
    move_booking(&world.app, owner(), request).await.unwrap();
    let between = world.view(id).await.booking;
    assert_eq!((between.state(), between.join_url.as_str()), (BookingState::Confirmed, ""));
    // The new one waits for the end of the old one.
    assert!(schedule_meeting(&world.app, by(), id).await.is_err());
    let missing = "select count(*) from events where event_type = 'booking.v1.RoomMissing'";
    assert_eq!(world.count(missing).await, 0, "it is gone in a moment");
    remove_meeting(&world.app, by(), id).await.unwrap();
    assert_eq!(meetings(&server).await.len(), 0);
    schedule_meeting(&world.app, by(), id).await.unwrap();
    let after = world.reaches(id, BookingState::MeetingScheduled).await;
    let second = meetings(&server).await;
    assert_eq!((first.len(), second.len()), (1, 1));
    assert_ne!(after.join_url, before.join_url);
    assert_ne!(first[0]["id"], second[0]["id"]);
    let timers = "select count(*) from timers where kind in ('create-meeting', 'remove-meeting')";
    assert_eq!(world.count(timers).await, 0);
}
