//! The places that are changed.

use checker::snapshot::{
    Ack, EventRow, Holder, LedgerLine, Log, ProviderPayment, ProviderRefund, ReservationRow,
    Snapshot,
};
use kernel::Id;
use uuid::Uuid;

/// Forgets the mails of a kind.
pub(super) fn forget_mails(snapshot: &mut Snapshot, kind: &str) -> bool {
    let before = snapshot.notifications.mails.len();
    snapshot.notifications.mails.retain(|row| row.kind != kind);
    snapshot.notifications.mails.len() < before
}

pub(super) fn a_new_id() -> Id<kernel::id::Booking> {
    Id::from_uuid(Uuid::nil())
}

pub(super) fn ack(snapshot: &mut Snapshot, ack: Ack) -> bool {
    snapshot.acks.push(ack);
    true
}

/// The booking that has a time which still counts.
pub(super) fn live_booking(row: &ReservationRow) -> Option<String> {
    match row.holder {
        Holder::Booking(id) if row.live => Some(id.to_string()),
        Holder::Booking(_) | Holder::Block(_) => None,
    }
}

/// Appends an event to its stream once more.
pub(super) fn append(log: &mut Log, row: EventRow) -> bool {
    let same = log.events.iter().filter(|it| it.event.stream_id == row.event.stream_id);
    let version = same.map(|it| it.event.version).max().unwrap_or(0) + 1;
    let seq = log.events.iter().map(|it| it.seq).max().unwrap_or(0) + 1;
    let position = log.events.iter().filter_map(|it| it.position).max().map(|it| it + 1);
    let event_id = Uuid::nil();
    let event = eventstore::Recorded { version, event_id, ..row.event };
    log.events.push(EventRow { seq, position, event });
    true
}

/// The orders of all payments that were captured as they should, each as often as it was.
pub(super) fn captured_orders(snapshot: &Snapshot) -> Vec<String> {
    let payments = snapshot.provider.payments.iter().filter(|it| it.captured_at.is_some());
    payments.filter_map(|it| it.order_id.clone()).collect()
}

/// Forgets every event whose type has this word.
pub(super) fn drop_all(log: &mut Log, word: &str) -> bool {
    let before = log.events.len();
    log.events.retain(|row| !row.event.event_type.contains(word));
    log.events.len() < before
}

/// Drops an event of this kind that is the last of its stream.
pub(super) fn drop_last(log: &mut Log, word: &str) -> bool {
    let ends = |at: &usize| {
        let event = &log.events[*at].event;
        let mut later = log.events.iter().map(|row| &row.event);
        event.event_type.contains(word)
            && !later.any(|it| it.stream_id == event.stream_id && it.version > event.version)
    };
    let found = (0..log.events.len()).find(ends);
    found.is_some_and(|at| {
        log.events.remove(at);
        true
    })
}

pub(super) fn drop_one(log: &mut Log, version: i64) -> bool {
    let at = log.events.iter().position(|row| row.event.version == version);
    let last = log.events.iter().any(|row| row.event.version > version);
    at.filter(|_| last).is_some_and(|at| {
        log.events.remove(at);
        true
    })
}

/// Gives back a part of a payment that counts.
pub(super) fn refund(snapshot: &mut Snapshot, minor: i64, receipt: Option<String>) -> bool {
    let rows = &snapshot.payments.collections;
    let counted = rows.iter().find(|row| row.state == "paid");
    let Some(payment_id) = counted.and_then(|row| row.verified_payment_id.clone()) else {
        return false;
    };
    snapshot.provider.refunds.push(ProviderRefund {
        provider_refund_id: "rfnd_other".to_owned(),
        payment_id,
        amount_minor: minor,
        status: "processed".to_owned(),
        receipt,
    });
    true
}

/// Fails a refund of all that a payment brought, with which nothing was to be kept of it.
pub(super) fn fail_whole_refund(snapshot: &mut Snapshot) -> bool {
    let payments = &snapshot.provider.payments;
    let is_whole = |refund: &ProviderRefund| {
        let mut paid = payments.iter().filter(|it| it.payment_id == refund.payment_id);
        paid.any(|it| it.amount_minor == refund.amount_minor)
    };
    let mut refunds = snapshot.provider.refunds.iter_mut();
    let whole = refunds.find(|it| it.status == "processed" && is_whole(it));
    whole.is_some_and(|refund| {
        "failed".clone_into(&mut refund.status);
        true
    })
}

/// Changes a payment on which a confirmed booking rests, in the provider's book.
pub(super) fn verified(snapshot: &mut Snapshot, change: fn(&mut ProviderPayment)) -> bool {
    let rows = &snapshot.payments.collections;
    let counted = rows.iter().find(|row| row.state == "paid");
    let Some(payment_id) = counted.and_then(|row| row.verified_payment_id.clone()) else {
        return false;
    };
    let mut payments = snapshot.provider.payments.iter_mut();
    payments.find(|payment| payment.payment_id == payment_id).is_some_and(|payment| {
        change(payment);
        true
    })
}

/// An entry of the ledger about what a client paid in advance. Money that belongs to no booking is
/// in the ledger only once a nightly list has shown it, so an entry about it may be missing.
pub(super) fn entry_of_a_client(lines: &[LedgerLine]) -> Option<String> {
    let advance = lines.iter().find(|line| line.account == "customer_advance");
    advance.map(|line| line.entry.clone())
}
