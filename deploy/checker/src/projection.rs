//! I9: the rows are the fold of the events, by the services' own `evolve`.

use std::collections::{BTreeMap, BTreeSet};

use booking::domain::booking::{Event, State};
use booking::read_model::project::mode_word;
use notifications::mails::kind::Kind;
use payments::domain::collection::Collection;
use payments::domain::refund::{End, Refund};
use payments::read_model::project::standing_word;

use crate::history::History;
use crate::ledger;
use crate::payment_states;
use crate::scope::Scope;
use crate::snapshot::{BookingRow, CollectionRow, LinkRow, RefundRow, ReservationRow, Snapshot};
use crate::times::{Live, Times};
use crate::violation::{Finding, Invariant, Violation};

/// Compares each table with what the events come to.
pub(crate) fn check(
    snapshot: &Snapshot,
    history: &History,
    (times, scope): (&Times, &Scope),
) -> Vec<Violation> {
    let mut found = Finding::of(Invariant::I9);
    bookings(snapshot, history, &mut found);
    payment_states::check(snapshot, history, &mut found);
    reservations(&snapshot.booking.reservations, times, scope, &mut found);
    collections(snapshot, history, &mut found);
    links(snapshot, history, &mut found);
    refunds(snapshot, history, &mut found);
    mails(snapshot, &mut found);
    ledger::check(snapshot, history, &mut found);
    found.violations
}

/// The word for where a booking stands.
fn state_word(state: &State) -> &'static str {
    match state {
        State::Absent => "absent",
        State::Held { .. } => "held",
        State::AwaitingPayment { .. } => "awaiting_payment",
        State::Confirmed { .. } => "confirmed",
        State::MeetingScheduled { .. } => "meeting_scheduled",
        State::Completed { .. } => "completed",
        State::Expired { .. } => "expired",
        State::Released { .. } => "released",
        State::Cancelled { .. } => "cancelled",
        State::PaidUnplaced { .. } => "paid_unplaced",
    }
}

fn bookings(snapshot: &Snapshot, history: &History, found: &mut Finding) {
    let rows: BTreeMap<_, &BookingRow> =
        snapshot.booking.bookings.iter().map(|row| (row.booking_id, row)).collect();
    for id in rows.keys().filter(|id| !history.states.contains_key(*id)) {
        found.add(format!("{id} has a row and no events"));
    }
    for (id, state) in &history.states {
        let Some(facts) = state.facts() else { continue };
        let past = history.bookings.get(id).map(Vec::as_slice).unwrap_or_default();
        let expected = BookingRow {
            booking_id: *id,
            customer_id: facts.customer_id,
            service_id: facts.service_id.clone(),
            price_minor: facts.price.minor,
            price_currency: facts.price.currency.code().to_owned(),
            practitioner_id: facts.practitioner_id.clone(),
            mode: mode_word(facts.mode).to_owned(),
            state: state_word(state).to_owned(),
            held_until_at: state.held_until(),
            checkout_opened: past.iter().any(|it| matches!(it.event, Event::CheckoutOpened { .. })),
            // It follows from what payments tells: see `payment_states`.
            payment_state: rows.get(id).map(|row| row.payment_state.clone()).unwrap_or_default(),
        };
        match rows.get(id) {
            None => found.add(format!("{id} has no row")),
            Some(row) if **row != expected => {
                found.add(format!("the row of {id} says {row:?}, its events say {expected:?}"));
            }
            Some(_) => {}
        }
    }
}

/// Compares the rows of times that the practice has closed with what its days say.
pub(crate) fn blocks(rows: &[ReservationRow], times: &Times) -> Vec<Violation> {
    let mut found = Finding::of(Invariant::I9);
    reservations(rows, times, &Scope::Blocks, &mut found);
    found.violations
}

fn reservations(rows: &[ReservationRow], times: &Times, scope: &Scope, found: &mut Finding) {
    let rows: BTreeSet<Live> = rows
        .iter()
        .filter(|row| row.live && scope.contains(row.holder))
        .map(|row| {
            let (from, to) = (row.starts_at, row.ends_at);
            (row.holder, row.practitioner_id.clone(), from, to, row.held_until_at)
        })
        .collect();
    let expected: BTreeSet<Live> = times.live(scope).collect();
    for live in rows.difference(&expected) {
        found.add(format!("a row has {live:?}, its day does not"));
    }
    for live in expected.difference(&rows) {
        found.add(format!("a day has {live:?}, no row has it"));
    }
}

fn collections(snapshot: &Snapshot, history: &History, found: &mut Finding) {
    let rows: BTreeMap<_, &CollectionRow> =
        snapshot.payments.collections.iter().map(|row| (row.booking_id, row)).collect();
    for id in rows.keys().filter(|id| !history.collections.contains_key(*id)) {
        found.add(format!("{id} has a collection's row and no events of money"));
    }
    for (id, collection) in &history.collections {
        let terms = &collection.terms;
        let expected = CollectionRow {
            booking_id: *id,
            collection_id: terms.collection_id,
            customer_id: terms.customer_id,
            amount_minor: terms.amount.minor,
            amount_currency: terms.amount.currency.code().to_owned(),
            order_id: collection.order.as_ref().map(ToString::to_string),
            state: standing_word(collection.standing()).to_owned(),
            verified_payment_id: collection.verified.as_ref().map(ToString::to_string),
        };
        match rows.get(id) {
            None => found.add(format!("the collection of {id} has no row")),
            Some(row) if **row != expected => {
                found.add(format!("the collection of {id} is {row:?}, and not {expected:?}"));
            }
            Some(_) => {}
        }
    }
}

fn links(snapshot: &Snapshot, history: &History, found: &mut Finding) {
    let mut rows: BTreeMap<_, &LinkRow> =
        snapshot.payments.links.iter().map(|row| (row.link_id, row)).collect();
    for (booking_id, collection) in &history.collections {
        for (link_id, link) in &collection.links {
            let expected = LinkRow::of(*booking_id, *link_id, link);
            match rows.remove(link_id) {
                None => found.add(format!("{link_id} has no row")),
                Some(row) if *row != expected => {
                    found.add(format!("{link_id} is {row:?}, and not {expected:?}"));
                }
                Some(_) => {}
            }
        }
    }
    for id in rows.keys() {
        found.add(format!("{id} has a link's row and no events"));
    }
}

fn refunds(snapshot: &Snapshot, history: &History, found: &mut Finding) {
    let mut rows: BTreeMap<_, &RefundRow> =
        snapshot.payments.refunds.iter().map(|row| (row.refund_id, row)).collect();
    let known = |collection: &'_ Collection| {
        let all = collection.refunds.iter();
        all.map(|(id, refund)| (*id, refund.clone())).collect::<Vec<_>>()
    };
    for (booking_id, collection) in &history.collections {
        for (refund_id, refund) in known(collection) {
            let Some(row) = rows.remove(&refund_id) else {
                found.add(format!("{refund_id} has no row"));
                continue;
            };
            let expected = RefundRow {
                refund_id,
                booking_id: *booking_id,
                payment_id: refund.payment.to_string(),
                amount_minor: refund.amount.minor,
                amount_currency: refund.amount.currency.clone(),
                cause: refund.cause.word().to_owned(),
                state: refund_word(&refund).to_owned(),
                provider_refund_id: refund.accepted.as_ref().map(ToString::to_string),
            };
            if *row != expected {
                found.add(format!("{refund_id} is {row:?}, and not {expected:?}"));
            }
        }
    }
    for id in rows.keys() {
        found.add(format!("{id} has a row and no events"));
    }
}

/// The word for how far a refund has come.
fn refund_word(refund: &Refund) -> &'static str {
    match (refund.end, &refund.accepted) {
        (Some(End::Processed), _) => "processed",
        (Some(End::Failed | End::Overtaken | End::Given), _) => "failed",
        (None, Some(_)) => "accepted",
        (None, None) => "requested",
    }
}

/// Each mail that failed has an event that says so, and each mail that was sent, if another service
/// reads that; and each such event has its mail. Earlier versions published of every mail.
fn mails(snapshot: &Snapshot, found: &mut Finding) {
    use contract::notifications::v1::{MailFailed, MailSent};
    let mut told: BTreeMap<String, &'static str> = BTreeMap::new();
    for row in &snapshot.notifications.log.events {
        if let Ok(Some(sent)) = row.event.get::<MailSent>() {
            told.insert(sent.mail_id, "sent");
        } else if let Ok(Some(failed)) = row.event.get::<MailFailed>()
            && failed.r#final
        {
            told.insert(failed.mail_id, "failed");
        }
    }
    for row in &snapshot.notifications.mails {
        let said = told.remove(&row.mail_id.to_string());
        let kind = row.kind.parse::<Kind>();
        let is_published = kind.is_ok_and(Kind::is_sending_published);
        let is = match row.state.as_str() {
            "sent" if is_published || said.is_some() => Some("sent"),
            "failed" | "settled" => Some("failed"),
            // A person retried it, and it was superseded before the attempt.
            "dropped" => said.filter(|word| *word == "failed"),
            _ => None,
        };
        if is != said {
            found.add(format!("{} is {} and was told as {said:?}", row.mail_id, row.state));
        }
    }
    for mail_id in told.keys() {
        found.add(format!("{mail_id} has events and no row"));
    }
}
