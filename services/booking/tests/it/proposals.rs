//! The practice can't hold a session and asks its client for another time: one of three by one tap,
//! or everything goes back by itself.

use booking::app::mark_attendance::mark_attendance;
use booking::app::move_booking::move_own_booking;
use contract::booking::v1::{
    Attendance, Booking as WireBooking, BookingState, GetBookingHistoryRequest, GetBookingRequest,
    MarkAttendanceRequest, MoveReason, PreviewOwnCancellationRequest, PreviewOwnMoveRequest,
    PreviewOwnMoveResponse, ProposeMoveRequest, ProposeMoveResponse, WithdrawMoveProposalRequest,
    WithdrawMoveProposalResponse,
};
use contract::convert::to_wire;
use kernel::id::Booking;
use kernel::{Id, Timestamp};
use staff::Role;
use tonic::{Code, Status};

use crate::grpc_harness::{GrpcHarness, refused};
use crate::moves::to;
use crate::rebuild::are_rebuilt;
use crate::waiting::{joined, wish};
use crate::world::{World, at, customer, new_package, new_request, owner, reason};

const DESK: u128 = 901;
const WHY: &str = "The practitioner is ill";

async fn practice(world: World) -> GrpcHarness {
    let harness = GrpcHarness::of(world).await;
    harness.grant(customer(DESK), Some(Role::FrontDesk)).await;
    harness
}

async fn paid(world: &World, client: u128, starts_at: Timestamp) -> Id<Booking> {
    let id = world.hold(customer(client), starts_at).await;
    world.pay(id, &format!("pay_{client}")).await;
    id
}

fn proposed(id: Id<Booking>, starts_at: Timestamp) -> ProposeMoveRequest {
    ProposeMoveRequest {
        booking_id: id.to_string(),
        idempotency_key: eventstore::new_uuid().to_string(),
        session_number: 0,
        shown_starts_at: Some(to_wire(starts_at)),
        reason: WHY.to_owned(),
        opens_again: false,
    }
}

async fn propose(
    harness: &GrpcHarness,
    request: ProposeMoveRequest,
) -> Result<ProposeMoveResponse, Status> {
    let answer = harness.staff().propose_move(harness.by(customer(DESK), request)).await;
    answer.map(tonic::Response::into_inner)
}

async fn withdraw(
    harness: &GrpcHarness,
    id: Id<Booking>,
) -> Result<WithdrawMoveProposalResponse, Status> {
    let request = WithdrawMoveProposalRequest {
        booking_id: id.to_string(),
        idempotency_key: eventstore::new_uuid().to_string(),
    };
    let answer = harness.staff().withdraw_move_proposal(harness.by(customer(DESK), request)).await;
    answer.map(tonic::Response::into_inner)
}

async fn times(harness: &GrpcHarness, client: u128, id: Id<Booking>) -> PreviewOwnMoveResponse {
    let asked =
        PreviewOwnMoveRequest { booking_id: id.to_string(), ..PreviewOwnMoveRequest::default() };
    let asked = harness.by(customer(client), asked);
    harness.public().preview_own_move(asked).await.unwrap().into_inner()
}

async fn own(harness: &GrpcHarness, client: u128, id: Id<Booking>) -> WireBooking {
    let asked = GetBookingRequest { booking_id: id.to_string() };
    let answer = harness.public().get_booking(harness.by(customer(client), asked)).await;
    answer.unwrap().into_inner().booking.unwrap()
}

async fn reasons(harness: &GrpcHarness, id: Id<Booking>) -> Vec<MoveReason> {
    harness.grant(customer(903), Some(Role::Admin)).await;
    let asked = GetBookingHistoryRequest { booking_id: id.to_string() };
    let asked = harness.by(customer(903), asked);
    harness.staff().get_booking_history(asked).await.unwrap().into_inner().move_reasons
}

const TIMERS: &str = "select count(*) from timers where kind = 'proposal-end'";
const CLOSED: &str = "select count(*) from slot_reservations where live and block_id is not null";

#[tokio::test]
async fn a_client_chooses_one_of_three_times_whatever_the_limits_say() {
    let harness = practice(World::without_timers().await).await;
    let world = &harness.world;
    let id = paid(world, 1, at(5, 11)).await;
    // Another client's session is no choice, and neither is what overlaps an own one.
    paid(world, 2, at(5, 12)).await;
    paid(world, 1, at(4, 11)).await;
    // Five hours before, when its client could not move it.
    world.minutes_later(5 * 24 * 60 - 3 * 60).await;
    let request = proposed(id, at(5, 11));
    for _press in 0..2 {
        let answer = propose(&harness, request.clone()).await.unwrap();
        let proposal = answer.booking.unwrap().booking.unwrap().move_proposal.unwrap();
        assert_eq!(proposal.session_number, 1);
        assert_eq!(proposal.choose_until_at, Some(to_wire(at(5, 11))), "it was asked late");
    }
    assert_eq!(world.count(TIMERS).await, 1);
    let shown = own(&harness, 1, id).await;
    let session = &shown.sessions[0];
    assert_eq!((session.movable_until_at, session.moves_left), (Some(to_wire(at(5, 11))), 1));
    assert_eq!(session.refund_steps[0].refund, shown.price, "all of it until the start");
    let offered = times(&harness, 1, id).await;
    let near = [at(5, 13), at(6, 11), at(7, 11)];
    assert_eq!(offered.suggested_starts_at, near.map(to_wire));
    // A tap: it is the practice's move and none of the client's own.
    move_own_booking(&world.app, customer(1), to(id, (at(5, 11), at(6, 11)))).await.unwrap();
    let after = own(&harness, 1, id).await;
    assert_eq!(after.sessions[0].starts_at, Some(to_wire(at(6, 11))));
    assert_eq!((after.move_proposal, after.sessions[0].moves_left), (None, 3));
    assert_eq!(world.count(TIMERS).await, 0);
    let by = "select count(*) from events where event_type = 'booking.v1.BookingMoved'
              and payload->>'movedBy' = 'MOVED_BY_PRACTICE'";
    assert_eq!(world.count(by).await, 1);
    // The old time is closed in the same decision, and no other client gets it.
    assert_eq!(
        world.history("day-lead-2026-11-29").await,
        ["SlotHeld", "SlotBooked", "SlotHeld", "SlotBooked", "SlotReleased", "SlotBlocked"]
    );
    let taken = world.request(customer(3), new_request("meditation", at(5, 11))).await;
    assert!(["SLOT_TAKEN", "SLOT_PAST"].contains(&reason(taken)));
    assert_eq!(world.count("select count(*) from freed_times").await, 0, "none is offered");
    assert_eq!(harness.audited("ProposeMove").await.len(), 2);
}

#[tokio::test]
async fn a_time_that_is_gone_is_replaced_by_the_next() {
    let harness = practice(World::without_timers().await).await;
    let world = &harness.world;
    let id = paid(world, 1, at(5, 11)).await;
    propose(&harness, proposed(id, at(5, 11))).await.unwrap();
    let first = times(&harness, 1, id).await.suggested_starts_at;
    assert_eq!(first, [at(5, 12), at(4, 11), at(6, 11)].map(to_wire));
    world.hold(customer(2), at(5, 12)).await;
    let next = times(&harness, 1, id).await.suggested_starts_at;
    assert_eq!(next, [at(5, 13), at(4, 11), at(6, 11)].map(to_wire));
    // What overlaps the old time is none to choose from.
    let refusal = move_own_booking(&world.app, customer(1), to(id, (at(5, 11), at(5, 12)))).await;
    assert_eq!(reason(refusal), "SLOT_TAKEN");
}

#[tokio::test]
async fn without_a_choice_everything_goes_back_a_day_before() {
    let harness = practice(World::new().await).await;
    let world = &harness.world;
    let id = paid(world, 1, at(5, 11)).await;
    world.reaches(id, BookingState::MeetingScheduled).await;
    let answer = propose(&harness, proposed(id, at(5, 11))).await.unwrap();
    let proposal = answer.booking.unwrap().booking.unwrap().move_proposal.unwrap();
    assert_eq!(proposal.choose_until_at, Some(to_wire(at(4, 11))));
    // It keeps its time, which no other client gets.
    let taken = world.request(customer(2), new_request("meditation", at(5, 11))).await;
    assert_eq!(reason(taken), "SLOT_TAKEN");
    joined(world, 11, wish()).await;
    world.minutes_later(4 * 24 * 60 + 2 * 60).await;
    let over = world.reaches(id, BookingState::Cancelled).await;
    assert_eq!(over.move_proposal, None);
    let back = "select count(*) from events where event_type = 'booking.v1.BookingCancelled'
                and payload->'refund'->>'minorUnits' = '50000'
                and payload->>'cancelledBy' = 'CANCELLED_BY_PRACTICE'";
    assert_eq!((world.count(back).await, world.count(TIMERS).await), (1, 0));
    assert_eq!(world.count(CLOSED).await, 1, "the wait list is not offered it");
    // It is never called a no-show.
    world.minutes_later(25 * 60).await;
    let mark = MarkAttendanceRequest {
        booking_id: id.to_string(),
        idempotency_key: eventstore::new_uuid().to_string(),
        session_number: 0,
        attendance: Attendance::NoShow.into(),
    };
    assert_eq!(reason(mark_attendance(&world.app, owner(), mark).await), "NOT_MARKABLE");
}

#[tokio::test]
async fn of_a_package_the_session_alone_goes_back_and_its_time_opens_again() {
    let harness = practice(World::new().await).await;
    let world = &harness.world;
    let id = world.request(customer(1), new_package([at(2, 13), at(4, 13), at(6, 13)])).await;
    let id = id.unwrap();
    world.pay(id, "pay_package").await;
    let second =
        ProposeMoveRequest { session_number: 2, opens_again: true, ..proposed(id, at(4, 13)) };
    propose(&harness, second.clone()).await.unwrap();
    let other = ProposeMoveRequest { session_number: 3, ..proposed(id, at(6, 13)) };
    let other = propose(&harness, other).await;
    refused(other, Code::FailedPrecondition, "MOVE_PROPOSED", "");
    let asked = PreviewOwnMoveRequest {
        booking_id: id.to_string(),
        session_number: 2,
        ..PreviewOwnMoveRequest::default()
    };
    let asked = harness.by(customer(1), asked);
    let offered = harness.public().preview_own_move(asked).await.unwrap().into_inner();
    let near = [at(4, 12), at(3, 13), at(5, 13)];
    assert_eq!(offered.suggested_starts_at, near.map(to_wire), "between its neighbours");
    world.minutes_later(3 * 24 * 60 + 4 * 60).await;
    testkit::until("the session is over", async || {
        let history = world.booking_history(id).await;
        Ok(history.iter().any(|name| name == "BookingSessionCancelled").then_some(()))
    })
    .await
    .unwrap();
    let view = world.view(id).await.booking;
    assert!(view.sessions[1].cancelled && view.move_proposal.is_none());
    let all = "select count(*) from events where event_type = 'booking.v1.BookingSessionCancelled'
               and payload->'share' = payload->'refund'";
    assert_eq!((world.count(all).await, world.count(CLOSED).await), (1, 0));
    world.hold(customer(2), at(4, 13)).await;
}

#[tokio::test]
async fn what_can_not_be_asked_changes_nothing_and_a_proposal_is_withdrawn() {
    let harness = practice(World::without_timers().await).await;
    let world = &harness.world;
    let id = paid(world, 1, at(3, 11)).await;
    refused(withdraw(&harness, id).await, Code::FailedPrecondition, "NO_MOVE_PROPOSAL", "");
    for (request, code, why, field) in [
        (
            ProposeMoveRequest { reason: " ".to_owned(), ..proposed(id, at(3, 11)) },
            Code::InvalidArgument,
            "INVALID_REASON",
            "reason",
        ),
        (
            ProposeMoveRequest { reason: "x".repeat(501), ..proposed(id, at(3, 11)) },
            Code::InvalidArgument,
            "INVALID_REASON",
            "reason",
        ),
        (proposed(id, at(3, 12)), Code::Aborted, "CHANGED_SINCE", "shown_starts_at"),
        (
            ProposeMoveRequest { session_number: 2, ..proposed(id, at(3, 11)) },
            Code::InvalidArgument,
            "SESSION_NOT_FOUND",
            "session_number",
        ),
    ] {
        refused(propose(&harness, request).await, code, why, field);
    }
    let stranger = harness.by(customer(1), proposed(id, at(3, 11)));
    let stranger = harness.staff().propose_move(stranger).await;
    refused(stranger, Code::PermissionDenied, "STAFF_ONLY", "");
    let ask = harness.by(
        customer(1),
        PreviewOwnCancellationRequest { booking_id: id.to_string(), session_number: 0 },
    );
    assert!(harness.public().preview_own_cancellation(ask).await.is_ok());
    assert_eq!(reasons(&harness, id).await, []);
    propose(&harness, proposed(id, at(3, 11))).await.unwrap();
    let answer = withdraw(&harness, id).await.unwrap();
    assert_eq!(answer.booking.unwrap().booking.unwrap().move_proposal, None);
    assert_eq!(world.count(TIMERS).await, 0);
    let history = world.booking_history(id).await;
    assert_eq!(
        history[history.len() - 2..],
        ["BookingMoveProposed", "BookingMoveProposalWithdrawn"]
    );
    // The words stand in the history and in nothing else.
    let said = reasons(&harness, id).await;
    assert_eq!((said.len(), said[0].reason.as_str(), said[0].session_number), (1, WHY, 1));
    assert_eq!(said[0].user_id, customer(DESK).to_string());
    let told = "select count(*) from events where payload::text || metadata::text like '%is ill%'";
    assert_eq!(world.count(told).await, 0);
    // From its start on it is too late to ask.
    world.minutes_later(3 * 24 * 60 + 2 * 60).await;
    let late = propose(&harness, proposed(id, at(3, 11))).await;
    refused(late, Code::FailedPrecondition, "NOT_MOVABLE", "");
}

#[tokio::test]
async fn the_rows_of_proposals_are_rebuilt() {
    let harness = practice(World::without_timers().await).await;
    let world = &harness.world;
    for (client, hour) in [(1, 11), (2, 12), (3, 13)] {
        let id = paid(world, client, at(5, hour)).await;
        propose(&harness, proposed(id, at(5, hour))).await.unwrap();
        if client == 1 {
            move_own_booking(&world.app, customer(1), to(id, (at(5, 11), at(6, 11))))
                .await
                .unwrap();
        }
        if client == 2 {
            withdraw(&harness, id).await.unwrap();
        }
    }
    are_rebuilt(world).await;
}
