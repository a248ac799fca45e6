//! Converts between domain events and the events of `proto/`; no other file does.

use std::sync::Arc;

use contract::booking::v1 as wire;
use contract::convert::{cancellation_policy, money, to_wire};
use eventstore::{NewEvent, Recorded, StoreError, Unreadable};
use kernel::Id;
use kernel::Timestamp;
use kernel::id::{Booking, Customer, Kind, StaffInvitation, Waiting};

use crate::domain::booking::{
    self, Attendance, ConfirmationBasis, Facts, MeetingId, Mode, Origin, Package, PaymentId,
    RefundChoice,
};
use crate::domain::day;
use crate::domain::span::Span;

mod cancelling;
mod moves;
mod times;

pub use cancelling::read_cancelled_by;
pub use moves::read_moved_by;
pub use times::read_number;

use cancelling::{
    cancellation_requested, cancelled, read_cancellation_requested, read_session_cancelled,
    session_cancelled,
};
use times::{instant, span, wire_number};

/// The stream of a booking.
#[must_use]
pub fn booking_stream(id: Id<Booking>) -> String {
    format!("booking-{}", id.uuid())
}

/// The stream of what is known about a booking's room beside the booking itself.
#[must_use]
pub fn room_stream(id: Id<Booking>) -> String {
    format!("room-{}", id.uuid())
}

/// The stream of an invitation to the practice's staff.
#[must_use]
pub fn invitation_stream(id: Id<StaffInvitation>) -> String {
    format!("invitation-{}", id.uuid())
}

/// The stream of what a client chose about mails.
#[must_use]
pub fn preferences_stream(id: Id<Customer>) -> String {
    format!("preferences-{}", id.uuid())
}

/// The stream of a client's entry in the wait list.
#[must_use]
pub fn waiting_stream(id: Id<Waiting>) -> String {
    format!("waiting-{}", id.uuid())
}

/// The stream of a practitioner's day.
#[must_use]
pub fn day_stream(practitioner_id: &str, date: jiff::civil::Date) -> String {
    format!("day-{practitioner_id}-{date}")
}

/// Encodes a booking's event.
///
/// # Errors
/// When `proto/` does not declare the event.
pub fn booking_event(id: Id<Booking>, event: &booking::Event) -> Result<NewEvent, StoreError> {
    use booking::Event;
    let booking_id = id.to_string();
    let new = match event {
        Event::Requested { facts, until } => NewEvent::of(&requested(facts, *until)),
        Event::CheckoutOpened { until } => NewEvent::of(&wire::BookingCheckoutOpened {
            booking_id,
            held_until_at: Some(to_wire(*until)),
        }),
        Event::Confirmed { basis, reinstated } => {
            NewEvent::of(&confirmed(booking_id, basis, *reinstated))
        }
        Event::Paid { payment } => {
            NewEvent::of(&wire::BookingPaid { booking_id, payment_id: payment.0.clone() })
        }
        Event::MeetingScheduled { meeting } => {
            NewEvent::of(&wire::MeetingScheduled { booking_id, meeting_id: meeting.0.clone() })
        }
        Event::Expired => NewEvent::of(&wire::BookingExpired { booking_id }),
        Event::Released => NewEvent::of(&wire::BookingReleased { booking_id }),
        Event::Unplaced { payment } => {
            NewEvent::of(&wire::BookingUnplaced { booking_id, payment_id: payment.0.clone() })
        }
        Event::Cancelled { by, refund, unpaid, by_grace } => {
            let (unpaid, by_grace) = (*unpaid, *by_grace);
            let cancelled = cancelled(booking_id, *by, *refund);
            NewEvent::of(&wire::BookingCancelled { unpaid, by_grace, ..cancelled })
        }
        Event::CancellationRequested(pending) => {
            NewEvent::of(&cancellation_requested(booking_id, *pending))
        }
        Event::CancellationUndone => NewEvent::of(&wire::BookingCancellationUndone { booking_id }),
        Event::Moved { .. } => NewEvent::of(&moves::write(booking_id, event)),
        Event::MoveProposed(proposal) => NewEvent::of(&moves::proposed(booking_id, *proposal)),
        Event::MoveProposalWithdrawn { session, number } => {
            NewEvent::of(&moves::withdrawn(booking_id, *session, *number))
        }
        Event::SessionCompleted { number, share } => NewEvent::of(&wire::BookingSessionCompleted {
            booking_id,
            session_number: wire_number(*number),
            share: Some((*share).into()),
        }),
        Event::SessionCancelled { number, by, share, refund, unpaid, with_all, by_grace } => {
            let (unpaid, with_all, by_grace) = (*unpaid, *with_all, *by_grace);
            let session_number = wire_number(*number);
            let cancelled = session_cancelled(booking_id, *by, *share, *refund);
            NewEvent::of(&wire::BookingSessionCancelled {
                session_number,
                unpaid,
                with_all,
                by_grace,
                ..cancelled
            })
        }
        Event::AttendanceMarked { number, attendance, no_show } => {
            NewEvent::of(&marked(booking_id, *number, *attendance, *no_show))
        }
        Event::Completed => NewEvent::of(&wire::BookingCompleted { booking_id }),
        Event::Adopted { customer_id } => {
            NewEvent::of(&wire::BookingAdopted { booking_id, customer_id: customer_id.to_string() })
        }
        Event::PageRequested { number, renewed } => {
            let (request_number, renewed) = (*number, *renewed);
            NewEvent::of(&wire::PaymentPageRequested { booking_id, request_number, renewed })
        }
        Event::ConsentCodeRequested { number } => NewEvent::of(&consent_code(booking_id, *number)),
        Event::PageCodeRequested { number } => NewEvent::of(&page_code(booking_id, *number)),
    };
    Ok(new?)
}

fn marked(
    booking_id: String,
    number: usize,
    attendance: Attendance,
    no_show: bool,
) -> wire::BookingAttendanceMarked {
    let attendance = wire_attendance(attendance).into();
    let session_number = wire_number(number);
    wire::BookingAttendanceMarked { booking_id, session_number, attendance, no_show }
}

fn consent_code(booking_id: String, request_number: i64) -> wire::ConsentCodeRequested {
    wire::ConsentCodeRequested { booking_id, request_number }
}

fn page_code(booking_id: String, request_number: i64) -> wire::PageCodeRequested {
    wire::PageCodeRequested { booking_id, request_number }
}

fn confirmed(
    booking_id: String,
    basis: &ConfirmationBasis,
    reinstated: bool,
) -> wire::BookingConfirmed {
    let payment_id = match basis {
        ConfirmationBasis::Payment(payment) => payment.0.clone(),
        ConfirmationBasis::Claim | ConfirmationBasis::Free => String::new(),
    };
    wire::BookingConfirmed {
        booking_id,
        payment_id,
        reinstated,
        claim_accepted: *basis == ConfirmationBasis::Claim,
        free: *basis == ConfirmationBasis::Free,
    }
}

/// Encodes a day's event.
///
/// # Errors
/// When `proto/` does not declare the event.
pub fn day_event(event: &day::Event) -> Result<NewEvent, StoreError> {
    use day::Event;
    let new = match event {
        Event::Held { booking_id, span, until } => NewEvent::of(&wire::SlotHeld {
            booking_id: booking_id.to_string(),
            starts_at: Some(to_wire(span.starts_at())),
            ends_at: Some(to_wire(span.ends_at())),
            held_until_at: Some(to_wire(*until)),
        }),
        Event::HoldExtended { booking_id, until } => NewEvent::of(&wire::SlotHoldExtended {
            booking_id: booking_id.to_string(),
            held_until_at: Some(to_wire(*until)),
        }),
        Event::Booked { booking_id, span } => NewEvent::of(&wire::SlotBooked {
            booking_id: booking_id.to_string(),
            starts_at: Some(to_wire(span.starts_at())),
            ends_at: Some(to_wire(span.ends_at())),
        }),
        Event::Released { booking_id } => {
            NewEvent::of(&wire::SlotReleased { booking_id: booking_id.to_string() })
        }
        Event::Blocked { block_id, span } => NewEvent::of(&wire::SlotBlocked {
            block_id: block_id.to_string(),
            starts_at: Some(to_wire(span.starts_at())),
            ends_at: Some(to_wire(span.ends_at())),
        }),
        Event::Unblocked { block_id } => {
            NewEvent::of(&wire::SlotUnblocked { block_id: block_id.to_string() })
        }
    };
    Ok(new?)
}

/// Decodes a booking's event.
///
/// # Errors
/// When the type is unknown or the content is invalid.
pub fn read_booking_event(stored: &Recorded) -> Result<booking::Event, Unreadable> {
    let event = if let Some(e) = get::<wire::BookingRequested>(stored)? {
        read_requested(e)
    } else if let Some(e) = get::<wire::BookingCheckoutOpened>(stored)? {
        instant(e.held_until_at).map(|until| booking::Event::CheckoutOpened { until })
    } else if let Some(e) = get::<wire::BookingConfirmed>(stored)? {
        let basis = match (e.claim_accepted, e.free) {
            (true, _) => ConfirmationBasis::Claim,
            (false, true) => ConfirmationBasis::Free,
            (false, false) => ConfirmationBasis::Payment(PaymentId(e.payment_id)),
        };
        Some(booking::Event::Confirmed { basis, reinstated: e.reinstated })
    } else if let Some(e) = get::<wire::BookingPaid>(stored)? {
        Some(booking::Event::Paid { payment: PaymentId(e.payment_id) })
    } else if let Some(e) = get::<wire::BookingCancelled>(stored)? {
        read_cancelled_by(e.cancelled_by).zip(e.refund.as_ref().and_then(money)).map(
            |(by, refund)| booking::Event::Cancelled {
                by,
                refund,
                unpaid: e.unpaid,
                by_grace: e.by_grace,
            },
        )
    } else if let Some(e) = get::<wire::MeetingScheduled>(stored)? {
        Some(booking::Event::MeetingScheduled { meeting: MeetingId(e.meeting_id) })
    } else if get::<wire::BookingExpired>(stored)?.is_some() {
        Some(booking::Event::Expired)
    } else if get::<wire::BookingReleased>(stored)?.is_some() {
        Some(booking::Event::Released)
    } else if let Some(e) = get::<wire::BookingUnplaced>(stored)? {
        Some(booking::Event::Unplaced { payment: PaymentId(e.payment_id) })
    } else if get::<wire::BookingCompleted>(stored)?.is_some() {
        Some(booking::Event::Completed)
    } else if let Some(e) = get::<wire::BookingAdopted>(stored)? {
        parse(&e.customer_id).map(|customer_id| booking::Event::Adopted { customer_id })
    } else if let Some(e) = get::<wire::PaymentPageRequested>(stored)? {
        Some(booking::Event::PageRequested { number: e.request_number, renewed: e.renewed })
    } else if let Some(e) = get::<wire::ConsentCodeRequested>(stored)? {
        Some(booking::Event::ConsentCodeRequested { number: e.request_number })
    } else if let Some(e) = get::<wire::PageCodeRequested>(stored)? {
        Some(booking::Event::PageCodeRequested { number: e.request_number })
    } else {
        read_session_event(stored)?
    };
    event.ok_or_else(|| Unreadable::of(stored))
}

fn read_session_event(stored: &Recorded) -> Result<Option<booking::Event>, Unreadable> {
    let event = if let Some(e) = get::<wire::BookingSessionCompleted>(stored)? {
        read_number(e.session_number)
            .zip(e.share.as_ref().and_then(money))
            .map(|(number, share)| booking::Event::SessionCompleted { number, share })
    } else if let Some(e) = get::<wire::BookingSessionCancelled>(stored)? {
        read_session_cancelled(&e)
    } else if let Some(e) = get::<wire::BookingCancellationRequested>(stored)? {
        read_cancellation_requested(&e)
    } else if get::<wire::BookingCancellationUndone>(stored)?.is_some() {
        Some(booking::Event::CancellationUndone)
    } else if let Some(e) = get::<wire::BookingMoved>(stored)? {
        moves::read(e)
    } else if let Some(e) = get::<wire::BookingMoveProposed>(stored)? {
        moves::read_proposed(&e)
    } else if let Some(e) = get::<wire::BookingMoveProposalWithdrawn>(stored)? {
        moves::read_withdrawn(&e)
    } else if let Some(e) = get::<wire::BookingAttendanceMarked>(stored)? {
        read_number(e.session_number).zip(read_attendance(e.attendance)).map(
            |(number, attendance)| booking::Event::AttendanceMarked {
                number,
                attendance,
                no_show: e.no_show,
            },
        )
    } else {
        None
    };
    Ok(event)
}

fn wire_attendance(attendance: Attendance) -> wire::Attendance {
    match attendance {
        Attendance::Came => wire::Attendance::Came,
        Attendance::Late => wire::Attendance::Late,
        Attendance::NoShow => wire::Attendance::NoShow,
        Attendance::Unmarked => wire::Attendance::Unmarked,
    }
}

/// Reads whether a client came.
#[must_use]
pub fn read_attendance(attendance: i32) -> Option<Attendance> {
    match wire::Attendance::try_from(attendance).ok()? {
        wire::Attendance::Unspecified => None,
        wire::Attendance::Came => Some(Attendance::Came),
        wire::Attendance::Late => Some(Attendance::Late),
        wire::Attendance::NoShow => Some(Attendance::NoShow),
        wire::Attendance::Unmarked => Some(Attendance::Unmarked),
    }
}

/// Decodes a day's event.
///
/// # Errors
/// When the type is unknown or the content is invalid.
pub fn read_day_event(stored: &Recorded) -> Result<day::Event, Unreadable> {
    let event = if let Some(e) = get::<wire::SlotHeld>(stored)? {
        parse(&e.booking_id)
            .zip(span(e.starts_at, e.ends_at))
            .zip(instant(e.held_until_at))
            .map(|((booking_id, span), until)| day::Event::Held { booking_id, span, until })
    } else if let Some(e) = get::<wire::SlotHoldExtended>(stored)? {
        parse(&e.booking_id)
            .zip(instant(e.held_until_at))
            .map(|(booking_id, until)| day::Event::HoldExtended { booking_id, until })
    } else if let Some(e) = get::<wire::SlotBooked>(stored)? {
        parse(&e.booking_id)
            .zip(span(e.starts_at, e.ends_at))
            .map(|(booking_id, span)| day::Event::Booked { booking_id, span })
    } else if let Some(e) = get::<wire::SlotReleased>(stored)? {
        parse(&e.booking_id).map(|booking_id| day::Event::Released { booking_id })
    } else if let Some(e) = get::<wire::SlotBlocked>(stored)? {
        parse(&e.block_id)
            .zip(span(e.starts_at, e.ends_at))
            .map(|(block_id, span)| day::Event::Blocked { block_id, span })
    } else if let Some(e) = get::<wire::SlotUnblocked>(stored)? {
        parse(&e.block_id).map(|block_id| day::Event::Unblocked { block_id })
    } else {
        None
    };
    event.ok_or_else(|| Unreadable::of(stored))
}

/// A mode on the wire.
#[must_use]
pub fn wire_mode(mode: Mode) -> wire::SessionMode {
    match mode {
        Mode::Online => wire::SessionMode::Online,
        Mode::InPerson => wire::SessionMode::InPerson,
    }
}

/// Reads a mode: unspecified is online, `None` is an unknown value.
#[must_use]
pub fn read_mode(mode: i32) -> Option<Mode> {
    match wire::SessionMode::try_from(mode) {
        Ok(wire::SessionMode::InPerson) => Some(Mode::InPerson),
        Ok(wire::SessionMode::Online | wire::SessionMode::Unspecified) => Some(Mode::Online),
        Err(_unknown) => None,
    }
}

/// Reads the refund choice; `None` is an unknown value.
#[must_use]
pub fn read_refund_choice(refund: i32) -> Option<RefundChoice> {
    match wire::CancellationRefund::try_from(refund) {
        Ok(wire::CancellationRefund::Unspecified) => Some(RefundChoice::ByPolicy),
        Ok(wire::CancellationRefund::Full) => Some(RefundChoice::Full),
        Ok(wire::CancellationRefund::None) => Some(RefundChoice::Nothing),
        Err(_unknown) => None,
    }
}

fn requested(facts: &Facts, until: Timestamp) -> wire::BookingRequested {
    let session = |span: &Span| wire::Session {
        starts_at: Some(to_wire(span.starts_at())),
        ends_at: Some(to_wire(span.ends_at())),
        ..wire::Session::default()
    };
    let package = facts.package.as_ref().map(|package| wire::BookedPackage {
        package_id: package.id.clone(),
        title: package.title.clone(),
        notice_hours: package.notice_hours,
    });
    wire::BookingRequested {
        booking_id: facts.booking_id.to_string(),
        customer_id: facts.customer_id.to_string(),
        service_id: facts.service_id.clone(),
        price: Some(facts.price.into()),
        sessions: facts.sessions.iter().map(session).collect(),
        practitioner_id: facts.practitioner_id.clone(),
        mode: wire_mode(facts.mode).into(),
        held_until_at: Some(to_wire(until)),
        service_title: facts.service_title.clone(),
        package,
        by_phone: facts.is_by_phone(),
        cancellation_policy: facts.policy.as_deref().map(Into::into),
    }
}

fn read_requested(event: wire::BookingRequested) -> Option<booking::Event> {
    let until = instant(event.held_until_at)?;
    let facts = Facts {
        booking_id: parse(&event.booking_id)?,
        customer_id: parse(&event.customer_id)?,
        service_id: event.service_id,
        service_title: event.service_title,
        price: event.price.as_ref().and_then(money)?,
        package: event.package.map(|package| Package {
            id: package.package_id,
            title: package.title,
            notice_hours: package.notice_hours,
        }),
        sessions: event
            .sessions
            .into_iter()
            .map(|session| span(session.starts_at, session.ends_at))
            .collect::<Option<_>>()?,
        practitioner_id: event.practitioner_id,
        mode: read_mode(event.mode)?,
        origin: if event.by_phone { Origin::Phone } else { Origin::Account },
        policy: match event.cancellation_policy {
            Some(policy) => Some(Arc::new(cancellation_policy(&policy)?)),
            None => None,
        },
    };
    Some(booking::Event::Requested { facts, until })
}

fn get<M>(stored: &Recorded) -> Result<Option<M>, Unreadable>
where
    M: prost::Message + prost::Name + Default,
{
    stored.get::<M>().map_err(|_malformed| Unreadable::of(stored))
}

fn parse<K: Kind>(text: &str) -> Option<Id<K>> {
    text.parse().ok()
}

#[cfg(test)]
mod tests;
