//! I1: everything that was acknowledged to a client is stored.

use booking::domain::booking::Event as BookingEvent;
use booking::domain::day::Event as DayEvent;
use kernel::Id;
use kernel::id::Booking;
use payments::domain::collection::{Event as MoneyEvent, LinkChange};

use crate::history::History;
use crate::snapshot::{Ack, Snapshot};
use crate::violation::{Finding, Invariant, Violation};

/// Looks for each acknowledgement's event.
pub(crate) fn check(snapshot: &Snapshot, history: &History) -> Vec<Violation> {
    let mut found = Finding::of(Invariant::I1);
    forms(snapshot, &mut found);
    for ack in &snapshot.acks {
        if !is_stored(snapshot, history, ack) {
            found.add(format!("{ack:?} was acknowledged and is not stored"));
        }
    }
    found.violations
}

fn is_stored(snapshot: &Snapshot, history: &History, ack: &Ack) -> bool {
    let booking = |id: &Id<Booking>, is: fn(&BookingEvent) -> bool| {
        history.bookings.get(id).is_some_and(|past| past.iter().any(|it| is(&it.event)))
    };
    let day = |is: &dyn Fn(&DayEvent) -> bool| {
        history.days.values().flatten().any(|past| is(&past.event))
    };
    match ack {
        Ack::Requested(id) => booking(id, |it| matches!(it, BookingEvent::Requested { .. })),
        // A booking that was confirmed in between has no hold to extend.
        Ack::CheckoutOpened(id) => booking(id, |it| {
            matches!(it, BookingEvent::CheckoutOpened { .. } | BookingEvent::Confirmed { .. })
        }),
        // What has ended already is released.
        Ack::Released(id) => {
            booking(id, |it| matches!(it, BookingEvent::Released | BookingEvent::Expired))
        }
        Ack::Cancelled(id) => booking(id, |it| {
            matches!(it, BookingEvent::Cancelled { .. } | BookingEvent::SessionCancelled { .. })
        }),
        Ack::ClaimAccepted(id) => booking(id, |it| matches!(it, BookingEvent::Confirmed { .. })),
        Ack::OrderStarted { booking_id, order_id } => money(history, *booking_id, |it| {
            matches!(it, MoneyEvent::OrderCreated { order, .. } if order.as_str() == order_id)
        }),
        Ack::LinkStarted { booking_id, link_id } => money(history, *booking_id, |it| {
            let MoneyEvent::Link { change: LinkChange::Created { created, .. }, .. } = it else {
                return false;
            };
            created.id.as_str() == link_id
        }),
        // A claim is no news once the money is here.
        Ack::Claimed(id) => money(history, *id, |it| {
            matches!(it, MoneyEvent::Claimed | MoneyEvent::Verified { .. })
        }),
        Ack::RefundRequested(id) => history.money.values().flatten().any(|past| {
            matches!(&past.event, MoneyEvent::RefundRequested { refund_id, .. } if refund_id == id)
        }),
        Ack::Webhook { event_id, body_sha256 } => snapshot
            .payments
            .webhooks
            .iter()
            .any(|row| row.event_id == *event_id || row.body_sha256 == *body_sha256),
        Ack::Blocked(id) => {
            day(&|it| matches!(it, DayEvent::Blocked { block_id, .. } if block_id == id))
        }
        Ack::Unblocked(id) => {
            day(&|it| matches!(it, DayEvent::Unblocked { block_id } if block_id == id))
        }
        Ack::Reviewed(id) => snapshot.reviews.iter().flat_map(|log| &log.events).any(|row| {
            row.event.stream_id == format!("review-{}", id.uuid())
                && row.event.event_type == "reviews.v1.ReviewSubmitted"
        }),
        // They are compared by their number: see `forms`.
        Ack::Messaged(_) | Ack::GuideRequested(_) => true,
        Ack::Event(id) => snapshot
            .logs()
            .into_iter()
            .any(|(_, log)| log.events.iter().any(|row| row.event.event_id == *id)),
    }
}

/// Each submitted form has become mails. The answer has no id, so they are counted.
fn forms(snapshot: &Snapshot, found: &mut Finding) {
    let answered = |is: fn(&Ack) -> bool| snapshot.acks.iter().filter(|ack| is(ack)).count();
    let (messages, guides) = (
        answered(|ack| matches!(ack, Ack::Messaged(_))),
        answered(|ack| matches!(ack, Ack::GuideRequested(_))),
    );
    let wanted = [
        ("contact_message", messages),
        ("contact_acknowledgement", messages),
        ("meditation_guide", guides),
    ];
    for (kind, wanted) in wanted {
        let queued = snapshot.notifications.mails.iter().filter(|row| row.kind == kind).count();
        if queued < wanted {
            found.add(format!("{wanted} forms were acknowledged, and there are {queued} {kind}"));
        }
    }
}

fn money(history: &History, id: Id<Booking>, is: impl Fn(&MoneyEvent) -> bool) -> bool {
    history.money.get(&id).is_some_and(|past| past.iter().any(|it| is(&it.event)))
}
