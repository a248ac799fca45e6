//! The staff service: which role may call which method, and that every call is in the audit log.

use booking::config::{GrantConfig, Granted, Person};
use contract::booking::v1::{
    AcceptClaimRequest, BlockTimeRequest, BookingState, CancelBookingRequest, CancellationRefund,
    CancelledBy, GetBookingHistoryRequest, GetOwnRoleRequest, GetStaffRoleRequest,
    ListBlockedTimesRequest, ListBookingsRequest, ListParkedEventsRequest,
    RetryParkedEventsRequest, StaffRole, UnblockTimeRequest,
};
use contract::payments::v1::PaymentClaimed;
use eventstore::{Metadata, NewEvent, Recorded, checkpoint};
use kernel::id::{Booking, Customer};
use kernel::{Id, Money, Timestamp};
use runtime::status::detail_of;
use staff::Role;
use tonic::{Code, Response, Status};

use crate::grpc_harness::{GrpcHarness, refused};
use crate::world::{MORNING, World, asha, at, customer, new_request};

/// An account for each role, and one without a role.
const MEMBERS: [(u128, Option<Role>); 5] = [
    (901, Some(Role::Owner)),
    (902, Some(Role::Admin)),
    (903, Some(Role::Practitioner)),
    (904, Some(Role::FrontDesk)),
    (905, None),
];

fn owner() -> Id<Customer> {
    customer(901)
}

async fn staffed() -> GrpcHarness {
    let harness = GrpcHarness::new().await;
    for (number, role) in MEMBERS {
        if role.is_some() {
            harness.grant(customer(number), role).await;
        }
    }
    harness
}

/// One call of each method, for a booking and a block that do not exist.
async fn call(harness: &GrpcHarness, person: Id<Customer>, method: &str) -> Result<(), Status> {
    let mut staff = harness.staff();
    let booking_id = eventstore::new_id::<Booking>().to_string();
    let idempotency_key = eventstore::new_uuid().to_string();
    let cancel = |by: CancelledBy, refund: CancellationRefund| CancelBookingRequest {
        booking_id: booking_id.clone(),
        idempotency_key: idempotency_key.clone(),
        cancelled_by: by.into(),
        refund: refund.into(),
        session_number: 0,
    };
    match method {
        "ListBookings" => {
            let asked = harness.by(person, ListBookingsRequest::default());
            staff.list_bookings(asked).await.map(drop)
        }
        "ListBlockedTimes" => {
            let asked = harness.by(person, ListBlockedTimesRequest::default());
            staff.list_blocked_times(asked).await.map(drop)
        }
        "BlockTime" => {
            let asked = BlockTimeRequest { idempotency_key, ..BlockTimeRequest::default() };
            staff.block_time(harness.by(person, asked)).await.map(drop)
        }
        "UnblockTime" => {
            let asked = harness.by(person, UnblockTimeRequest::default());
            staff.unblock_time(asked).await.map(drop)
        }
        "CancelBooking" => {
            let asked = cancel(CancelledBy::Customer, CancellationRefund::Unspecified);
            staff.cancel_booking(harness.by(person, asked)).await.map(drop)
        }
        "CancelBooking, other refund" => {
            let asked = cancel(CancelledBy::Customer, CancellationRefund::Full);
            staff.cancel_booking(harness.by(person, asked)).await.map(drop)
        }
        "CancelBooking, own wish" => {
            let asked = cancel(CancelledBy::Practice, CancellationRefund::Unspecified);
            staff.cancel_booking(harness.by(person, asked)).await.map(drop)
        }
        "AcceptClaim" => {
            let asked = AcceptClaimRequest { booking_id, idempotency_key };
            staff.accept_claim(harness.by(person, asked)).await.map(drop)
        }
        "GetBookingHistory" => {
            let asked = harness.by(person, GetBookingHistoryRequest { booking_id });
            staff.get_booking_history(asked).await.map(drop)
        }
        "ListParkedEvents" => {
            let asked = harness.by(person, ListParkedEventsRequest::default());
            staff.list_parked_events(asked).await.map(drop)
        }
        "RetryParkedEvents" => {
            let asked = harness.by(person, RetryParkedEventsRequest::default());
            staff.retry_parked_events(asked).await.map(drop)
        }
        unknown => panic!("there is no method {unknown}"),
    }
}

#[tokio::test]
async fn each_method_admits_only_its_roles_and_every_call_is_audited() {
    use Role::{Admin, FrontDesk, Owner, Practitioner};
    let harness = staffed().await;
    let everybody: &[Role] = &[Owner, Admin, Practitioner, FrontDesk];
    for (method, allowed, outcome) in [
        ("ListBookings", everybody, "done"),
        ("ListBlockedTimes", everybody, "done"),
        ("BlockTime", everybody, "INVALID_DATE"),
        ("UnblockTime", everybody, "BLOCK_NOT_FOUND"),
        ("CancelBooking", everybody, "BOOKING_NOT_FOUND"),
        ("CancelBooking, other refund", &[Owner, Admin], "BOOKING_NOT_FOUND"),
        ("CancelBooking, own wish", &[Owner, Admin], "BOOKING_NOT_FOUND"),
        ("AcceptClaim", &[Owner, Admin], "BOOKING_NOT_FOUND"),
        ("GetBookingHistory", &[Owner, Admin], "BOOKING_NOT_FOUND"),
        ("ListParkedEvents", &[Owner, Admin], "done"),
        ("RetryParkedEvents", &[Owner, Admin], "done"),
    ] {
        let action = method.split(',').next().unwrap();
        for (number, role) in MEMBERS {
            let told = match call(&harness, customer(number), method).await {
                Ok(()) => "done".to_owned(),
                Err(status) => detail_of(&status).unwrap().reason,
            };
            let expected = match role {
                None => "STAFF_ONLY",
                Some(role) if allowed.contains(&role) => outcome,
                Some(_) => "ROLE_NOT_ALLOWED",
            };
            assert_eq!(told, expected, "{method} by {role:?}");
            // Refusals of callers that are no members are counted, and have no row each.
            let Some(role) = role else { continue };
            let word = role.word();
            let last = harness.audited(action).await.pop().unwrap();
            let written = (last.0.as_str(), last.1.as_str(), last.3.as_str());
            assert_eq!(written, (customer(number).to_string().as_str(), word, expected));
        }
        assert!(harness.audited(action).await.iter().all(|row| row.3 != "STAFF_ONLY"));
        let anonymous = harness.staff().list_bookings(ListBookingsRequest::default()).await;
        refused(anonymous, Code::Unauthenticated, "TOKEN_MISSING", "");
    }
    assert_eq!(harness.counted_refusals(customer(905)).await, 11);
}

#[tokio::test]
async fn a_role_is_effective_from_grant_to_revocation() {
    let harness = GrpcHarness::new().await;
    let own = async || {
        let asked = harness.by(customer(1), GetOwnRoleRequest {});
        harness.staff().get_own_role(asked).await.unwrap().into_inner().role()
    };
    let told = async |service: &'static str| {
        let user_id = customer(1).to_string();
        let asked = GetStaffRoleRequest { user_id, ..GetStaffRoleRequest::default() };
        harness.internal(service).get_staff_role(asked).await.unwrap().into_inner().role
    };
    assert_eq!(own().await, StaffRole::Unspecified);
    assert_eq!(told("payments").await, "");
    for (role, shown, word) in [
        (Role::FrontDesk, StaffRole::FrontDesk, "front_desk"),
        (Role::Owner, StaffRole::Owner, "owner"),
        (Role::Admin, StaffRole::Admin, "admin"),
        (Role::Practitioner, StaffRole::Practitioner, "practitioner"),
    ] {
        let config = GrantConfig {
            owner_url: harness.world.db.owner_url.clone().into(),
            person: Person(customer(1)),
            role: Granted(Some(role)),
        };
        booking::config::grant(config).await.unwrap();
        assert_eq!(own().await, shown);
        assert_eq!(told("payments").await, word);
        assert_eq!(told("notifications").await, word);
        assert_eq!(told("reviews").await, word);
    }
    harness.grant(customer(1), None).await;
    assert_eq!(own().await, StaffRole::Unspecified);
    assert_eq!(told("payments").await, "");
    assert_eq!(harness.world.count("select count(*) from staff_members").await, 1);
    let granted = harness.audited("GrantRole").await;
    assert_eq!(granted.len(), 5);
    let subject = customer(1).to_string();
    let first = ("operator".to_owned(), "front_desk".to_owned(), subject, "done".to_owned());
    assert_eq!(granted[0], first);
    let user_id = "nobody".to_owned();
    let stranger = GetStaffRoleRequest { user_id, ..GetStaffRoleRequest::default() };
    let none = harness.internal("payments").get_staff_role(stranger).await.unwrap().into_inner();
    assert_eq!(none.role, "");
}

#[tokio::test]
async fn staff_see_the_bookings_of_a_day_with_contacts() {
    let harness = staffed().await;
    let world = &harness.world;
    let late = world.hold(customer(1), at(1, 16)).await;
    let early = world.request(customer(2), new_request("energy-healing", at(1, 11))).await.unwrap();
    world.pay(early, "pay_1").await;
    let released = world.hold(customer(3), at(1, 14)).await;
    booking::app::release_booking::release_booking(&world.app, customer(3), released, "release-1")
        .await
        .unwrap();
    world.hold(customer(4), at(2, 11)).await;
    let list = async |from: &str, days: i32, states: &[BookingState]| {
        let asked = ListBookingsRequest {
            from_date: from.to_owned(),
            days,
            states: states.iter().map(|state| (*state).into()).collect(),
        };
        harness.staff().list_bookings(harness.by(owner(), asked)).await.map(Response::into_inner)
    };
    let today = list("", 0, &[]).await.unwrap();
    assert_eq!((today.bookings.len(), today.more), (0, false));
    let tomorrow = list("2026-11-25", 1, &[]).await.unwrap().bookings;
    let ids: Vec<_> =
        tomorrow.iter().map(|b| b.booking.as_ref().unwrap().booking_id.clone()).collect();
    assert_eq!(ids, [early.to_string(), released.to_string(), late.to_string()]);
    let first = tomorrow[0].booking.as_ref().unwrap();
    assert_eq!(first.contact, Some(asha()));
    assert_eq!(first.sessions.len(), 1);
    assert_eq!(tomorrow[0].customer_id, customer(2).to_string());
    let morning: Timestamp = MORNING.parse().unwrap();
    let requested_at = contract::convert::timestamp(&tomorrow[0].requested_at.unwrap()).unwrap();
    assert!(requested_at.seconds_since(morning).abs() < 60);
    for (states, count) in [
        (&[BookingState::Cancelled][..], 1),
        (&[BookingState::Held, BookingState::Cancelled], 2),
        (&[BookingState::NoShow], 0),
        (&[BookingState::Unspecified], 0),
    ] {
        assert_eq!(list("2026-11-25", 1, states).await.unwrap().bookings.len(), count);
    }
    assert_eq!(list("2026-11-25", 2, &[]).await.unwrap().bookings.len(), 4);
    for (from, days, reason, field) in [
        ("25.11.2026", 1, "INVALID_DATE", "from_date"),
        ("9999-12-31", 2, "INVALID_DATE", "from_date"),
        ("", 93, "RANGE_TOO_LONG", "days"),
        ("", -1, "RANGE_TOO_LONG", "days"),
    ] {
        refused(list(from, days, &[]).await, Code::InvalidArgument, reason, field);
    }
}

#[tokio::test]
async fn a_long_list_says_that_there_is_more() {
    let harness = staffed().await;
    harness
        .world
        .db
        .as_owner(
            "insert into bookings (booking_id, customer_id, service_id, service_title, price_minor,
                                   price_currency, practitioner_id, mode, state, requested_at)
             select gen_random_uuid(), gen_random_uuid(), 'meditation', 'Meditation', 50000, 'INR',
                    'lead', 'online', 'expired', now() from generate_series(1, 501);
             insert into slot_reservations (booking_id, practitioner_id, starts_at, ends_at, live)
             select booking_id, 'lead', '2026-11-25T05:30Z', '2026-11-25T06:30Z', false
             from bookings;",
        )
        .await
        .unwrap();
    let asked = ListBookingsRequest { from_date: "2026-11-25".to_owned(), ..Default::default() };
    let first = harness.by(owner(), asked.clone());
    let listed = harness.staff().list_bookings(first).await.unwrap().into_inner();
    assert_eq!((listed.bookings.len(), listed.more), (500, true));
    // A deleted customer has no contact data any more, and the booking stays.
    assert_eq!(listed.bookings[0].booking.as_ref().unwrap().contact, None);
    // Four hundred bookings with long notes.
    let notes = "insert into booking_contacts (booking_id, first_name, last_name, email, phone,
                                               notes, terms_accepted_at)
                 select booking_id, 'Asha', 'Rao', 'asha@example.org', '', repeat('न', 2000), now()
                 from bookings limit 400";
    harness.world.db.as_owner(notes).await.unwrap();
    let listed = harness.staff().list_bookings(harness.by(owner(), asked)).await.unwrap();
    let listed = listed.into_inner();
    assert!(listed.more && (200..400).contains(&listed.bookings.len()));
}

#[tokio::test]
async fn staff_act_on_a_day() {
    let harness = staffed().await;
    let world = &harness.world;
    let mut staff = harness.staff();
    let app = customer(904);
    let block = BlockTimeRequest {
        idempotency_key: "block-0001".to_owned(),
        date: "2026-11-25".to_owned(),
        from_time: "14:00".to_owned(),
        to_time: String::new(),
        practitioner_id: String::new(),
    };
    let blocked = staff.block_time(harness.by(app, block)).await.unwrap().into_inner();
    let blocked = blocked.blocked_time.unwrap();
    assert_eq!(blocked.starts_at, Some(contract::convert::to_wire(at(1, 14))));
    assert_eq!(blocked.ends_at, Some(contract::convert::to_wire(at(1, 24))));
    let days = ListBlockedTimesRequest { from_date: "2026-11-24".to_owned(), days: 2 };
    let listed = staff.list_blocked_times(harness.by(app, days.clone())).await.unwrap();
    assert_eq!(listed.into_inner().blocked_times, std::slice::from_ref(&blocked));
    let open = UnblockTimeRequest { block_id: blocked.block_id.clone() };
    staff.unblock_time(harness.by(app, open)).await.unwrap();
    let listed = staff.list_blocked_times(harness.by(app, days)).await.unwrap();
    assert_eq!(listed.into_inner().blocked_times, []);
    let id = world.hold(customer(1), at(1, 15)).await;
    world.payments_say(&PaymentClaimed { booking_id: id.to_string() }).await;
    let accept = AcceptClaimRequest {
        booking_id: id.to_string(),
        idempotency_key: "accept-0001".to_owned(),
    };
    let accepted = staff.accept_claim(harness.by(owner(), accept)).await.unwrap().into_inner();
    assert!(accepted.booking.unwrap().confirmed_on_claim);
    let cancel = CancelBookingRequest {
        booking_id: id.to_string(),
        idempotency_key: "cancel-0001".to_owned(),
        cancelled_by: CancelledBy::Customer.into(),
        refund: CancellationRefund::Unspecified.into(),
        session_number: 0,
    };
    for _ in 0..2 {
        let asked = harness.by(app, cancel.clone());
        let cancelled = staff.cancel_booking(asked).await.unwrap().into_inner();
        assert_eq!(cancelled.refund, Some(Money::inr(50_000).into()));
        assert!(cancelled.unpaid, "only the customer's word stands for its money");
        let shown = cancelled.booking.unwrap().booking.unwrap();
        assert_eq!(shown.state(), BookingState::Cancelled);
    }
    let done = |person: Id<Customer>, role: Role, subject: &str| {
        (person.to_string(), role.word().to_owned(), subject.to_owned(), "done".to_owned())
    };
    let about = id.to_string();
    let by_desk = done(app, Role::FrontDesk, &about);
    assert_eq!(harness.audited("CancelBooking").await, [by_desk.clone(), by_desk]);
    assert_eq!(harness.audited("AcceptClaim").await, [done(owner(), Role::Owner, &about)]);
    let block = done(app, Role::FrontDesk, &blocked.block_id);
    assert_eq!(harness.audited("BlockTime").await, std::slice::from_ref(&block));
    assert_eq!(harness.audited("UnblockTime").await, [block]);
    // The booking's owner sees it through the watch stream.
    let own = world.view(id).await.booking;
    assert_eq!(own.state(), BookingState::Cancelled);
}

#[tokio::test]
async fn a_malformed_id_is_not_stored_in_the_audit_log() {
    let harness = staffed().await;
    let asked = AcceptClaimRequest {
        booking_id: "asha@example.org".to_owned(),
        idempotency_key: "accept-0001".to_owned(),
    };
    let answer = harness.staff().accept_claim(harness.by(owner(), asked)).await;
    refused(answer, Code::NotFound, "BOOKING_NOT_FOUND", "");
    let (_, _, subject, outcome) = harness.audited("AcceptClaim").await.pop().unwrap();
    assert_eq!((subject.as_str(), outcome.as_str()), ("", "BOOKING_NOT_FOUND"));
}

/// Parks a claim, as the consumer of payments' feed does after five failures.
async fn park(world: &World, id: &str, position: i64) {
    let new = NewEvent::of(&PaymentClaimed { booking_id: id.to_owned() }).unwrap();
    let event = Recorded {
        event_id: new.event_id,
        stream_id: format!("collection-{position}"),
        version: 1,
        position,
        event_type: new.event_type,
        payload: new.payload,
        metadata: Metadata::default(),
        recorded_at: Timestamp::EPOCH,
    };
    let store = &world.app.store;
    let known = ("booking-on-payments", "payments");
    for _ in 0..checkpoint::FAILURES_MAX {
        checkpoint::failed(store, known, &event, "the reason".to_owned()).await.unwrap();
    }
}

#[tokio::test]
async fn parked_events_are_shown_and_tried_again() {
    let harness = staffed().await;
    let world = &harness.world;
    let id = world.hold(customer(1), at(1, 11)).await;
    park(world, &id.to_string(), 1).await;
    park(world, "nonsense", 2).await;
    let mut staff = harness.staff();
    let asked = harness.by(owner(), ListParkedEventsRequest {});
    let listed = staff.list_parked_events(asked).await.unwrap().into_inner().events;
    assert_eq!(listed.len(), 2);
    assert_eq!(listed[0].consumer, "booking-on-payments");
    assert_eq!(listed[0].event_type, "payments.v1.PaymentClaimed");
    assert_eq!((listed[0].position, listed[0].error.as_str()), (1, "the reason"));
    let retry = |stream: &str| RetryParkedEventsRequest { stream_id: stream.to_owned() };
    let stream = format!("collection-{}", eventstore::new_uuid());
    let elsewhere = harness.by(owner(), retry(&stream));
    let none = staff.retry_parked_events(elsewhere).await.unwrap().into_inner();
    assert_eq!((none.handled, none.events.len()), (0, 2));
    let all = harness.by(owner(), retry(""));
    let retried = staff.retry_parked_events(all).await.unwrap().into_inner();
    assert_eq!((retried.handled, retried.events.len()), (1, 1));
    assert_ne!(retried.events[0].error, "the reason");
    assert_eq!(world.state(id).await, BookingState::AwaitingPayment);
    let about: Vec<String> =
        harness.audited("RetryParkedEvents").await.into_iter().map(|row| row.2).collect();
    assert_eq!(about, [stream, String::new()], "which streams were tried again");
}
