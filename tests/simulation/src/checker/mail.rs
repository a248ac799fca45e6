//! I6: every mail that somebody is owed was taken by the mail server or is a person's task, repeats
//! are the injected ones, and a repeat has the Message-ID of the first.

use std::collections::{BTreeMap, BTreeSet};

use booking::domain::booking::{Event, State};
use kernel::Id;
use kernel::id::Booking;
use payments::domain::collection::Event as MoneyEvent;

use super::history::{History, is_live};
use super::snapshot::{MailRow, Snapshot};
use super::{Finding, Invariant, Violation};

/// Goes from the events to the mails, and from the mails to the inbox.
pub(super) fn check(snapshot: &Snapshot, history: &History) -> Vec<Violation> {
    let mut found = Finding::of(Invariant::I6);
    let rows: BTreeMap<(&str, &str), &MailRow> = snapshot
        .notifications
        .mails
        .iter()
        .map(|row| ((row.kind.as_str(), row.subject.as_str()), row))
        .collect();
    if rows.len() != snapshot.notifications.mails.len() {
        found.add("two mails are about the same".to_owned());
    }
    for (kind, subject) in owed(snapshot, history) {
        if !rows.contains_key(&(kind, subject.as_str())) {
            found.add(format!("{kind} of {subject} was never queued"));
        }
    }
    links(history, &rows, &mut found);
    for row in &snapshot.notifications.mails {
        if row.state == "dropped" && !may_be_dropped(history, row) {
            found.add(format!("{} of {} was dropped, and is owed", row.kind, row.subject));
        }
    }
    inbox(snapshot, &mut found);
    found.violations
}

/// Which mails the events ask for. What waits behind a parked event is a person's task.
fn owed(snapshot: &Snapshot, history: &History) -> Vec<(&'static str, String)> {
    let parked: BTreeSet<&str> =
        snapshot.notifications.log.parked.iter().map(|row| row.stream_id.as_str()).collect();
    let waits =
        |id: &Id<Booking>, kind: &str| parked.contains(format!("{kind}-{}", id.uuid()).as_str());
    let mut owed = Vec::new();
    for (id, past) in history.bookings.iter().filter(|(id, _)| !waits(id, "booking")) {
        for it in past {
            let kinds: &[&'static str] = match &it.event {
                Event::Confirmed { .. } => &["booking_confirmed", "practice_notice"],
                Event::Expired => &["hold_ended"],
                Event::Cancelled { .. } => &["booking_cancelled", "cancellation_notice"],
                _ => &[],
            };
            owed.extend(kinds.iter().map(|kind| (*kind, id.to_string())));
        }
    }
    for (_, past) in history.money.iter().filter(|(id, _)| !waits(id, "collection")) {
        for it in past {
            match &it.event {
                MoneyEvent::RefundRequested { refund_id, .. }
                | MoneyEvent::RefundDiscovered { refund_id, .. } => {
                    owed.push(("refund_started", refund_id.to_string()));
                }
                MoneyEvent::RefundProcessed { refund_id } => {
                    owed.push(("refund_done", refund_id.to_string()));
                }
                _ => {}
            }
        }
    }
    owed
}

/// A meeting's link is in the confirmation or follows it.
fn links(history: &History, rows: &BTreeMap<(&str, &str), &MailRow>, found: &mut Finding) {
    for (id, past) in &history.bookings {
        if !past.iter().any(|it| matches!(it.event, Event::MeetingScheduled { .. })) {
            continue;
        }
        let subject = id.to_string();
        let confirmation = rows.get(&("booking_confirmed", subject.as_str()));
        let lacks_it = confirmation.is_some_and(|row| row.state == "sent" && !row.link_told);
        if lacks_it && !rows.contains_key(&("meeting_link", subject.as_str())) {
            found.add(format!("nobody was told the meeting link of {id}"));
        }
    }
}

/// Whether what a dropped mail says has stopped being true.
fn may_be_dropped(history: &History, row: &MailRow) -> bool {
    let state = row.booking_id.and_then(|id| history.states.get(&id));
    match row.kind.as_str() {
        "booking_confirmed" | "practice_notice" | "meeting_link" => !state.is_some_and(is_live),
        "hold_ended" => !matches!(state, Some(State::Expired { .. })),
        "booking_cancelled" | "cancellation_notice" => {
            !matches!(state, Some(State::Cancelled { .. }))
        }
        // Whoever was told that money goes back is not told of every try of it.
        "refund_started" => row.subject.parse().is_ok_and(|id| {
            let mut refunds = history.collections.values();
            refunds.any(|it| it.refunds.get(&id).is_some_and(|refund| refund.renews.is_some()))
        }),
        // A code that was used.
        "confirm_address" | "recover_password" => true,
        _ => false,
    }
}

fn inbox(snapshot: &Snapshot, found: &mut Finding) {
    let mut taken: BTreeMap<&str, usize> = BTreeMap::new();
    for letter in &snapshot.inbox {
        *taken.entry(letter.message_id.as_str()).or_default() += 1;
    }
    let mut known = BTreeSet::new();
    for row in &snapshot.notifications.mails {
        let message_id = row.message_id.as_deref().unwrap_or_default();
        known.insert(message_id);
        if row.state == "sent" && !taken.contains_key(message_id) {
            found.add(format!("{} of {} was sent and is not there", row.kind, row.subject));
        }
    }
    for message_id in taken.keys().filter(|id| !known.contains(*id)) {
        found.add(format!("{message_id} is the Message-ID of no mail of ours"));
    }
    let repeats: usize = taken.values().map(|copies| copies.saturating_sub(1)).sum();
    let injected = snapshot.mail_repeats_injected;
    if repeats > injected {
        found.add(format!("{repeats} mails came twice, {injected} of them by injected faults"));
    }
}
