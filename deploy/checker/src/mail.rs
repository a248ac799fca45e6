//! I6: every mail that is due was accepted by the mail server or is a person's task, repeats
//! are the injected ones, and a repeat has the Message-ID of the first.

use std::collections::{BTreeMap, BTreeSet};

use booking::domain::booking::{Event, Origin, State};
use contract::booking::v1::MailPreferencesChanged;
use contract::desk::way_of;
use contract::payments::v1::ReceiptIssued;
use contract::reviews::v1::{ReviewDeleted, ReviewSubmitted};
use kernel::id::Booking;
use kernel::{Id, Timestamp};
use notifications::mails::kind::Kind;
use payments::contract::refund_request::stream;
use payments::domain::collection::Event as MoneyEvent;

use crate::history::{History, is_live};
use crate::moves::MailSubject;
use crate::refund_requests;
use crate::snapshot::{MailRow, Snapshot};
use crate::violation::{Finding, Invariant, Violation};

/// How long a mail after a session or about a review is worth sending.
const WORTH_READING_SECONDS: i64 = 14 * 24 * 60 * 60;

/// Checks that each event has its mails, and that each dropped mail could be dropped.
pub(crate) fn check(snapshot: &Snapshot, history: &History) -> Vec<Violation> {
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
        if row.state == "dropped" && !may_be_dropped(snapshot, history, row) {
            let why = row.reason.as_deref().unwrap_or_default();
            let (kind, subject) = (&row.kind, &row.subject);
            found.add(format!("{kind} of {subject} was dropped, and is owed: {why}"));
        }
    }
    found.violations
}

/// The mail that an event of money asks for.
fn of_money(event: &MoneyEvent) -> Option<(&'static str, String)> {
    match event {
        MoneyEvent::RefundAccepted { refund_id, .. }
        | MoneyEvent::RefundDiscovered { refund_id, .. } => {
            Some(("refund_started", refund_id.to_string()))
        }
        // The provider never accepts what is given back at the desk.
        MoneyEvent::RefundRequested { refund_id, refund }
            if way_of(refund.payment.as_str()).is_some() =>
        {
            Some(("refund_started", refund_id.to_string()))
        }
        MoneyEvent::RefundProcessed { refund_id } => Some(("refund_done", refund_id.to_string())),
        _ => None,
    }
}

/// The mails that events ask for. Events behind a parked one are a person's task.
fn owed(snapshot: &Snapshot, history: &History) -> Vec<(&'static str, String)> {
    let parked: BTreeSet<&str> =
        snapshot.notifications.log.parked.iter().map(|row| row.stream_id.as_str()).collect();
    let waits =
        |id: &Id<Booking>, kind: &str| parked.contains(format!("{kind}-{}", id.uuid()).as_str());
    let mut owed = Vec::new();
    for (id, past) in history.bookings.iter().filter(|(id, _)| !waits(id, "booking")) {
        for it in past {
            let kinds: &[&'static str] = match &it.event {
                Event::Confirmed { .. } => {
                    let sessions = past.iter().find_map(|it| match &it.event {
                        Event::Requested { facts, .. } => Some(facts.sessions.len()),
                        _ => None,
                    });
                    // One for each session of a package.
                    let further = (2..=sessions.unwrap_or(1)).map(|it| format!("{id}/{it}"));
                    owed.extend(further.map(|subject| ("reminder", subject)));
                    &["booking_confirmed", "practice_notice", "reminder"]
                }
                Event::SessionCancelled { number, .. } => {
                    for kind in ["booking_cancelled", "cancellation_notice"] {
                        owed.push((kind, format!("{id}/{number}")));
                    }
                    &[]
                }
                Event::PageRequested { number, .. } => {
                    owed.push(("payment_page", format!("{id}/page {number}")));
                    &[]
                }
                Event::ConsentCodeRequested { number } => {
                    owed.push(("consent_code", format!("{id}/code {number}")));
                    &[]
                }
                Event::Expired => &["hold_ended"],
                Event::Cancelled { .. } => &["booking_cancelled", "cancellation_notice"],
                Event::Completed => &["follow_up"],
                _ => &[],
            };
            owed.extend(kinds.iter().map(|kind| (*kind, id.to_string())));
        }
    }
    for (id, moved) in history.moves.all().filter(|(id, _)| !waits(id, "booking")) {
        // The reminder of the new time is a mail of its own.
        for kind in ["booking_moved", "move_notice", "reminder"] {
            owed.push((kind, format!("{id}/{}/move {}", moved.session, moved.number)));
        }
    }
    for (_, past) in history.money.iter().filter(|(id, _)| !waits(id, "collection")) {
        for it in past {
            owed.extend(of_money(&it.event));
        }
    }
    for row in &snapshot.payments.log.events {
        if let Ok(Some(receipt)) = row.event.get::<ReceiptIssued>()
            && !parked.contains(row.event.stream_id.as_str())
        {
            owed.push(("receipt", receipt.receipt_id));
        }
    }
    for (kind, id) in refund_requests::mails(snapshot) {
        if !parked.contains(stream(id).as_str()) {
            owed.push((kind, id.to_string()));
        }
    }
    for row in snapshot.reviews.iter().flat_map(|log| &log.events) {
        if let Ok(Some(review)) = row.event.get::<ReviewSubmitted>()
            && !parked.contains(row.event.stream_id.as_str())
        {
            owed.push(("review_notice", review.review_id));
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

/// Whether a dropped mail would no longer be true, or its time is over.
fn may_be_dropped(snapshot: &Snapshot, history: &History, row: &MailRow) -> bool {
    let reason = row.reason.as_deref().unwrap_or_default();
    let state = row.booking_id.and_then(|id| history.states.get(&id));
    match row.kind.as_str() {
        "booking_confirmed" | "practice_notice" => !state.is_some_and(is_live),
        // The session is over; the link is useless.
        "meeting_link" => !state.is_some_and(is_ahead),
        "hold_ended" => !matches!(state, Some(State::Expired { .. })),
        // There is nothing to pay on the page of a booking that is not held, and none of a booking
        // that an account owns.
        "payment_page" => state.is_none_or(|state| {
            let origin = state.facts().map(|facts| facts.origin);
            state.held_until().is_none() || origin == Some(Origin::AdoptedPhone)
        }),
        "booking_moved" | "move_notice" => was_overtaken(history, row),
        // When all of a package is cancelled, one mail says so for its sessions.
        "booking_cancelled" | "cancellation_notice" => {
            matches!(state, Some(State::Cancelled { .. })) == row.subject.contains('/')
        }
        // A refund is announced once the provider took it, and once, not once per attempt.
        "refund_started" => row.subject.parse().is_ok_and(|id| {
            let mut refunds = history.collections.values();
            refunds.any(|it| {
                let refund = it.refunds.get(&id);
                refund.is_some_and(|refund| {
                    refund.renews.is_some()
                        || (refund.accepted.is_none() && !it.is_at_desk(&refund.payment))
                })
            })
        }),
        "reminder" | "second_reminder" => {
            state.is_some_and(|state| is_no_reminder(snapshot, history, (row, state), reason))
        }
        "follow_up" => {
            let facts = state.and_then(State::facts);
            let ended = facts.and_then(|facts| Some(facts.sessions.last()?.ends_at()));
            reason == "unsubscribed"
                || reason == "not_chosen" && state.is_some_and(|it| has_chosen(snapshot, it))
                || was_missed(history, row)
                || !matches!(state, Some(State::Completed { .. }))
                || ended.is_some_and(|at| is_long_ago(snapshot, at))
        }
        "receipt" => {
            let facts = state.and_then(State::facts);
            let ended = facts.and_then(|facts| Some(facts.sessions.last()?.ends_at()));
            reason == "too_late" && ended.is_some_and(|at| is_long_ago(snapshot, at))
        }
        "review_notice" => review_is_old_news(snapshot, &row.subject),
        kind => kind.parse::<Kind>().is_ok_and(|kind| (kind.declaration().believes)(reason)),
    }
}

/// Whether a session will still take place, by its booking.
fn is_ahead(state: &State) -> bool {
    matches!(state, State::Confirmed { .. } | State::MeetingScheduled { .. })
}

/// Whether what a mail says of a session's time is not true any more: the session does not take
/// place, is over, or was moved since.
fn was_overtaken(history: &History, row: &MailRow) -> bool {
    let told = MailSubject::by(&row.subject);
    row.booking_id.is_none_or(|id| {
        let state = history.states.get(&id);
        history.moves.has_later(id, told)
            || !state
                .is_some_and(|state| is_ahead(state) && !state.is_session_cancelled(told.session))
    })
}

/// Whether a reminder was rightly dropped: its session does not take place or has begun, was moved
/// since, or was booked or moved after the time of the reminder.
fn is_no_reminder(
    snapshot: &Snapshot,
    history: &History,
    (row, state): (&MailRow, &State),
    reason: &str,
) -> bool {
    let told = MailSubject::by(&row.subject);
    if row.booking_id.is_some_and(|id| history.moves.has_later(id, told)) {
        return true;
    }
    let session = state.facts().and_then(|facts| facts.session(told.session));
    let Some(starts_at) = session.map(|session| session.starts_at()) else { return false };
    match reason {
        "not_chosen" => has_chosen(snapshot, state),
        "overtaken" => was_overtaken(history, row),
        "too_late" => {
            snapshot.taken_at >= starts_at
                || row.kind == "reminder" && has_second(snapshot, row)
                || has_chosen(snapshot, state)
        }
        "inside_window" => {
            let moved = row.booking_id.and_then(|id| history.moves.of(id, told));
            let past = row.booking_id.and_then(|id| history.bookings.get(&id));
            let booked = past.into_iter().flatten();
            let booked = booked.filter(|it| matches!(it.event, Event::Confirmed { .. }));
            // A reminder that a move queued counts from that move.
            let booked = booked.map(|it| it.at).filter(|_at| moved.is_none());
            let mut booked = moved.map(|it| it.at).into_iter().chain(booked);
            // To the microsecond, as its mail is planned: in whole seconds a booking of the very
            // second of its reminder counts as one before it.
            let Some(hours) = snapshot.reminder_hours else { return true };
            // Last, because it goes through all events.
            booked.any(|at| at > starts_at.plus_seconds(-i64::from(hours) * 60 * 60))
                || has_chosen(snapshot, state)
        }
        _ => false,
    }
}

/// Whether the client of a booking has chosen about mails, so that other hours than the practice's
/// hold.
fn has_chosen(snapshot: &Snapshot, state: &State) -> bool {
    let Some(facts) = state.facts() else { return false };
    let client = facts.customer_id.to_string();
    snapshot.booking.log.events.iter().any(|row| {
        let changed = row.event.get::<MailPreferencesChanged>();
        matches!(changed, Ok(Some(it)) if it.customer_id == client)
    })
}

/// Whether staff have ever marked that the client of a mail came to no session. The mark may have
/// been taken back after the mail was due.
fn was_missed(history: &History, row: &MailRow) -> bool {
    let past = row.booking_id.and_then(|id| history.bookings.get(&id));
    let mut events = past.into_iter().flatten();
    events.any(|it| matches!(it.event, Event::AttendanceMarked { no_show: true, .. }))
}

/// Whether the practice wants a second reminder, which replaces a first one that is late.
fn has_second(snapshot: &Snapshot, row: &MailRow) -> bool {
    let mut mails = snapshot.notifications.mails.iter();
    mails.any(|it| it.kind == "second_reminder" && it.subject == row.subject)
}

/// Whether an event is too old to be worth a mail.
fn is_long_ago(snapshot: &Snapshot, at: Timestamp) -> bool {
    snapshot.taken_at.seconds_since(at) >= WORTH_READING_SECONDS
}

/// Whether a review was taken away since, or is long known.
fn review_is_old_news(snapshot: &Snapshot, subject: &str) -> bool {
    snapshot.reviews.iter().flat_map(|log| &log.events).any(|row| {
        let deleted = row.event.get::<ReviewDeleted>();
        let written = row.event.get::<ReviewSubmitted>();
        let is_old = is_long_ago(snapshot, row.event.recorded_at);
        matches!(deleted, Ok(Some(it)) if it.review_id == subject)
            || matches!(written, Ok(Some(it)) if it.review_id == subject && is_old)
    })
}

/// How the Message-ID of a mail by `sukoon watch` begins, which goes to the operator directly.
const ALARM: &str = "<alarm.";

/// Compares the mails that were sent with those that the mail server took.
pub(crate) fn inbox(snapshot: &Snapshot) -> Vec<Violation> {
    let mut found = Finding::of(Invariant::I6);
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
    let is_ours = |id: &str| known.contains(id) || id.starts_with(ALARM);
    for message_id in taken.keys().filter(|id| !is_ours(id)) {
        found.add(format!("{message_id} is the Message-ID of no mail of ours"));
    }
    let repeats: usize = taken.values().map(|copies| copies.saturating_sub(1)).sum();
    let injected = snapshot.mail_repeats_injected;
    if repeats > injected {
        found.add(format!("{repeats} mails came twice, {injected} of them by injected faults"));
    }
    found.violations
}
