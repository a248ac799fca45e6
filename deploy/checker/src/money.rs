//! I3: money closes. What the provider captured for an order is kept for exactly one live booking,
//! less its refunds, and the rest was refunded; or it is a person's task. And our
//! ledger says the same as the provider's book, paise for paise.

use std::collections::BTreeMap;

use booking::domain::booking::{Event, State};
use kernel::Id;
use kernel::id::Booking;
use payments::domain::collection::{Collection, Event as MoneyEvent};
use payments::domain::fact::OrderId;
use payments::domain::refund::{Cause, End};
use payments::domain::session_ends::{SessionEnd, SessionEnds};

use crate::history::{History, is_live};
use crate::snapshot::{CollectionRow, LedgerLine, ProviderPayment, Snapshot};
use crate::violation::{Finding, Invariant, Violation};

/// How long a difference may stay open as a person's task.
const OPEN_CASE_SECONDS: i64 = 24 * 60 * 60;
/// The accounts in which what the provider has for us, and what it paid out, stands.
const AT_THE_PROVIDER: [&str; 4] = ["provider_clearing", "bank", "gateway_fee", "gst_input"];

/// Goes through the provider's own book.
pub(crate) fn check(snapshot: &Snapshot, history: &History) -> Vec<Violation> {
    let mut found = Finding::of(Invariant::I3);
    let collections = &history.collections;
    let states = &history.states;
    for payment in &snapshot.provider.payments {
        let Some(captured_at) = payment.captured_at else { continue };
        let Some(order) = our_order(snapshot, history, payment) else { continue };
        let fresh = snapshot.taken_at.seconds_since(captured_at) < OPEN_CASE_SECONDS;
        let Some(row) = order else {
            if !fresh {
                let id = &payment.payment_id;
                found.add(format!("{id} was captured for an order of ours that we do not know"));
            }
            continue;
        };
        let collection = collections.get(&row.booking_id);
        let state = states.get(&row.booking_id).unwrap_or(&State::Absent);
        let left = left_at_provider(snapshot, payment);
        let ends = session_ends(history, row.booking_id);
        let expected = collection.map_or(0, |it| expected_left(it, (state, &ends), payment));
        let fee = collection.map_or(0, |it| added_fee(it, payment));
        let owed = collection.map_or(0, |it| owed_by_a_person(it, payment));
        let is_unseen = collection.is_none_or(|it| is_under_way(it, payment));
        let goes_back =
            collection.is_some_and(|it| is_going_back((snapshot, history), it, payment));
        let lost = lost_to_disputes(snapshot, payment);
        // A person may have given a part of it back already, on the provider's own pages. What goes
        // back is cut to what a dispute has left, which may have taken an added fee as well.
        let expected = expected.saturating_sub(lost).max(0);
        let is_case = (0..=owed).contains(&left.saturating_sub(expected).saturating_sub(fee));
        let is_fee = (lost > 0 || collection.is_some_and(|it| gives_fee_back(it, payment)))
            && (0..=fee.saturating_add(owed)).contains(&left.saturating_sub(expected));
        let waits = (fresh || is_disputed(snapshot, payment)) && is_unseen;
        if !(is_case || is_fee || goes_back || waits) {
            let id = &payment.payment_id;
            let booking = row.booking_id;
            let what = format!("{id} of {booking}: {left} is kept where {expected} should be");
            found.add(what);
        }
    }
    if let Some(lines) = &snapshot.payments.ledger {
        ledger(snapshot, history, lines, &mut found);
        advances(snapshot, history, lines, &mut found);
    }
    found.violations
}

/// The collection of a payment's order: none when the order is none of ours, and none inside when
/// it is ours and we do not know it.
fn our_order<'s>(
    snapshot: &'s Snapshot,
    history: &History,
    payment: &ProviderPayment,
) -> Option<Option<&'s CollectionRow>> {
    let order_id = payment.order_id.as_deref()?;
    let id = OrderId::parse(order_id);
    let is_beneath_link = |row: &CollectionRow| {
        let collection = history.collections.get(&row.booking_id);
        id.as_ref().zip(collection).is_some_and(|(id, it)| it.is_link_order(id))
    };
    let known = snapshot.payments.collections.iter();
    let mut known =
        known.filter(|row| row.order_id.as_deref() == Some(order_id) || is_beneath_link(row));
    if let Some(row) = known.next() {
        return Some(Some(row));
    }
    let order = snapshot.provider.orders.iter().find(|order| order.order_id == order_id)?;
    let is_ours = ["col_", "lnk_"].iter().any(|kind| order.receipt.starts_with(kind));
    is_ours.then_some(None)
}

/// What of a payment is still with the provider or was paid out to us: what refunds and lost
/// disputes have not taken.
pub(crate) fn left_at_provider(snapshot: &Snapshot, payment: &ProviderPayment) -> i64 {
    let refunds = snapshot.provider.refunds.iter();
    refunds
        .filter(|refund| refund.payment_id == payment.payment_id && refund.status != "failed")
        .fold(payment.amount_minor, |left, refund| left.saturating_sub(refund.amount_minor))
        .saturating_sub(lost_to_disputes(snapshot, payment))
}

/// What lost disputes took of a payment.
fn lost_to_disputes(snapshot: &Snapshot, payment: &ProviderPayment) -> i64 {
    snapshot.provider.lost_in_disputes.get(&payment.payment_id).copied().unwrap_or(0)
}

/// Whether a dispute of a payment is open, so that its refunds wait.
fn is_disputed(snapshot: &Snapshot, payment: &ProviderPayment) -> bool {
    let mut disputes = snapshot.provider.disputes.iter();
    disputes.any(|it| it.payment_id == payment.payment_id && it.is_open())
}

/// The fee that the provider has added to the price, which no refund of ours gives back.
fn added_fee(collection: &Collection, payment: &ProviderPayment) -> i64 {
    let counted = collection.verified.as_ref().filter(|it| it.as_str() == payment.payment_id);
    counted.map_or(0, |it| collection.added_fee(it))
}

/// Whether another hand gave back more than the price, or may have.
fn gives_fee_back(collection: &Collection, payment: &ProviderPayment) -> bool {
    let mut refunds = collection.refunds.values();
    refunds.any(|it| it.payment.as_str() == payment.payment_id && it.cause == Cause::Elsewhere)
}

/// What should be left of a payment's price, by where its booking stands and what people wanted.
fn expected_left(
    collection: &Collection,
    (state, ends): (&State, &SessionEnds),
    payment: &ProviderPayment,
) -> i64 {
    let counts = |it: &payments::domain::fact::PaymentId| it.as_str() == payment.payment_id;
    if !collection.verified.as_ref().is_some_and(counts) {
        return 0;
    }
    let by_hand = collection
        .refunds
        .values()
        .filter(|refund| counts(&refund.payment) && refund.goes_back())
        .filter(|refund| matches!(refund.cause, Cause::Staff | Cause::Elsewhere))
        .fold(0_i64, |sum, refund| sum.saturating_add(refund.amount.minor));
    let price = payment.amount_minor.saturating_sub(added_fee(collection, payment));
    let wanted_back = match state {
        // Of a package, each session that was cancelled in time.
        State::Cancelled { .. } if !ends.is_empty() => of_sessions(ends, state, price),
        live if is_live(live) => of_sessions(ends, state, price),
        State::Cancelled { facts, refund, .. } => part_of(price, refund.minor, facts.price.minor),
        _ => payment.amount_minor,
    };
    price.saturating_sub(wanted_back).saturating_sub(by_hand).max(0)
}

/// A promise is a part of the booking's price, of which an offer may have left less.
fn part_of(price: i64, promised: i64, whole: i64) -> i64 {
    let part = i128::from(price) * i128::from(promised);
    part.checked_div(i128::from(whole)).and_then(|part| i64::try_from(part).ok()).unwrap_or(0)
}

/// How the sessions of a package have ended, by booking's events.
fn session_ends(history: &History, id: Id<Booking>) -> SessionEnds {
    let past = history.bookings.get(&id).into_iter().flatten();
    past.fold(SessionEnds::default(), |ends, it| {
        let (number, share, refund) = match &it.event {
            Event::SessionCompleted { number, share } => (number, share, None),
            Event::SessionCancelled { number, share, refund, .. } => (number, share, Some(refund)),
            _ => return ends,
        };
        let end = SessionEnd {
            share_minor: share.minor,
            refund_minor: refund.map(|refund| refund.minor),
        };
        ends.with(i32::try_from(*number).unwrap_or(0), end)
    })
}

/// What goes back of a price for cancelled sessions.
fn of_sessions(ends: &SessionEnds, state: &State, price: i64) -> i64 {
    let whole = state.facts().map_or(price, |facts| facts.price.minor);
    ends.money(whole, price).back
}

/// What was to go back of a payment, failed for good, and waits for a person.
fn owed_by_a_person(collection: &Collection, payment: &ProviderPayment) -> i64 {
    let is_renewed = |id| collection.refunds.values().any(|it| it.renews == Some(id));
    collection
        .refunds
        .iter()
        .filter(|(_, it)| it.payment.as_str() == payment.payment_id)
        .filter(|(_, it)| it.end == Some(End::Failed) && it.cause != Cause::Elsewhere)
        .filter(|(id, _)| !is_renewed(**id) && !collection.is_renewable(**id))
        .fold(0_i64, |sum, (_, it)| sum.saturating_add(it.amount.minor))
}

/// Whether a refund is being asked for, or the payment has not been seen as money yet.
fn is_under_way(collection: &Collection, payment: &ProviderPayment) -> bool {
    let mut refunds = collection.refunds.iter();
    let asks = refunds.any(|(id, it)| {
        let open = it.end.is_none() || collection.is_renewable(*id);
        open && it.payment.as_str() == payment.payment_id
    });
    let mut payments = collection.payments.keys();
    let known = payments.find(|id| id.as_str() == payment.payment_id);
    asks || known.is_none_or(|id| !collection.is_counted(id))
}

/// Whether a refund of a payment was asked for lately and is not done yet, however old the payment
/// is.
fn is_going_back(
    (snapshot, history): (&Snapshot, &History),
    collection: &Collection,
    payment: &ProviderPayment,
) -> bool {
    let past = history.money.get(&collection.terms.booking_id).into_iter().flatten();
    past.filter(|it| snapshot.taken_at.seconds_since(it.at) < OPEN_CASE_SECONDS).any(|it| {
        let MoneyEvent::RefundRequested { refund_id, .. } = &it.event else { return false };
        let refund = collection.refunds.get(refund_id);
        refund.is_some_and(|it| {
            let is_open = it.end.is_none() || collection.is_renewable(*refund_id);
            is_open && it.payment.as_str() == payment.payment_id
        })
    })
}

/// What customers have paid for is what is still to be delivered: nothing of a booking that is
/// over.
fn advances(snapshot: &Snapshot, history: &History, lines: &[LedgerLine], found: &mut Finding) {
    let mut advances: BTreeMap<&str, i64> = BTreeMap::new();
    for line in lines.iter().filter(|line| line.account == "customer_advance") {
        let payment = line.payment_id.as_deref().unwrap_or_default();
        let sum = advances.entry(payment).or_default();
        *sum = sum.saturating_add(line.minor);
    }
    for (id, collection) in &history.collections {
        let Some(payment) = &collection.verified else { continue };
        let state = history.states.get(id).unwrap_or(&State::Absent);
        let is_over = matches!(
            state,
            State::Completed { .. } | State::Cancelled { .. } | State::PaidUnplaced { .. }
        );
        let last = history.bookings.get(id).and_then(|past| past.last());
        let is_new = last.is_none_or(|it| snapshot.taken_at.seconds_since(it.at) < 60);
        let advance = advances.get(payment.as_str()).copied().unwrap_or(0);
        // What was to go back and has not is a person's to place.
        let mut refunds = collection.refunds.values().filter(|it| it.payment == *payment);
        let is_disputed = refunds.any(|it| {
            let failed = it.end == Some(End::Failed) && it.cause != Cause::Elsewhere;
            failed || it.end.is_none()
        });
        if is_over && !is_new && !is_disputed && advance != 0 {
            found.add(format!("{id} is over and the ledger has an advance of {advance} for it"));
        }
    }
}

/// The lines of each entry come to nothing.
pub(crate) fn entries(snapshot: &Snapshot) -> Vec<Violation> {
    let mut found = Finding::of(Invariant::I3);
    let mut entries: BTreeMap<(&str, &str), i64> = BTreeMap::new();
    for line in snapshot.payments.ledger.iter().flatten() {
        let sum = entries.entry((line.entry.as_str(), line.currency.as_str())).or_default();
        *sum = sum.saturating_add(line.minor);
    }
    for ((entry, currency), sum) in entries {
        if sum != 0 {
            off_by(entry, currency, sum, &mut found);
        }
    }
    found.violations
}

/// Reports an entry whose lines don't come to nothing.
pub(crate) fn off_by(entry: &str, currency: &str, sum: i64, found: &mut Finding) {
    found.add(format!("the ledger's entry {entry} is off by {sum} {currency}"));
}

fn ledger(snapshot: &Snapshot, history: &History, lines: &[LedgerLine], found: &mut Finding) {
    let mut at_provider: BTreeMap<&str, i64> = BTreeMap::new();
    for line in lines {
        if AT_THE_PROVIDER.contains(&line.account.as_str()) {
            let payment = line.payment_id.as_deref().unwrap_or_default();
            let sum = at_provider.entry(payment).or_default();
            *sum = sum.saturating_add(line.minor);
        }
    }
    for payment in &snapshot.provider.payments {
        let booked = at_provider.remove(payment.payment_id.as_str()).unwrap_or(0);
        let is_ours = matches!(our_order(snapshot, history, payment), Some(Some(_)));
        let Some(captured_at) = payment.captured_at.filter(|_| is_ours || booked != 0) else {
            if booked != 0 {
                found.add(format!("the ledger has {booked} of {}", payment.payment_id));
            }
            continue;
        };
        let refunds = snapshot.provider.refunds.iter();
        let theirs = refunds
            .filter(|it| it.payment_id == payment.payment_id && it.status == "processed")
            .fold(payment.amount_minor, |left, it| left.saturating_sub(it.amount_minor));
        let theirs = theirs.saturating_sub(lost_to_disputes(snapshot, payment));
        let fresh = snapshot.taken_at.seconds_since(captured_at) < OPEN_CASE_SECONDS;
        // Money that isn't reported yet; a payment that counts for a booking was reported.
        let counts = |it: &Collection| {
            it.payments.keys().any(|id| id.as_str() == payment.payment_id && it.is_counted(id))
        };
        let unseen = fresh && booked == 0 && !history.collections.values().any(counts);
        if booked != theirs && !unseen {
            let id = &payment.payment_id;
            found.add(format!("the ledger has {booked} of {id}, the provider has {theirs}"));
        }
    }
    let adjustments = snapshot.provider.adjustments_minor;
    for (payment, sum) in at_provider {
        // An adjustment is in the ledger once a settlement report contains it.
        let is_adjusted = payment.is_empty() && sum == adjustments;
        if sum != 0 && !is_adjusted {
            found.add(format!("the ledger has {sum} of {payment:?}, the provider knows nothing"));
        }
    }
}
