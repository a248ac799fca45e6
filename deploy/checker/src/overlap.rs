//! I2: no two live sessions of a practitioner overlap, at no moment of the days' history, nor among
//! the bookings, nor in the rows. A time that the practice closed counts like a session. Nor has
//! one client two sessions at a time, unless staff or the practice's setting took their word for
//! one.

use booking::domain::booking::{Facts, State};
use kernel::Id;
use kernel::id::Booking;

use crate::history::{History, is_live};
use crate::scope::Scope;
use crate::sessions::{Rows, Sessions};
use crate::snapshot::{Holder, ReservationRow, Snapshot};
use crate::times::{Taken, Times};
use crate::violation::{Finding, Invariant, Violation};

/// Follows all days of a snapshot.
pub(crate) fn days(history: &History) -> (Times, Vec<Violation>) {
    let mut found = Finding::of(Invariant::I2);
    let mut times = Times::default();
    for (stream, past) in &history.days {
        times.add_day(stream, past, &mut found);
    }
    times.sort();
    (times, found.violations)
}

/// Looks at all rows of a snapshot.
pub(crate) fn rows(rows: &[ReservationRow]) -> Vec<Violation> {
    let mut found = Finding::of(Invariant::I2);
    let mut live: Vec<&ReservationRow> = rows.iter().filter(|row| row.live).collect();
    live.sort_by(|a, b| (&a.practitioner_id, a.starts_at).cmp(&(&b.practitioner_id, b.starts_at)));
    let mut in_order = Rows::default();
    live.into_iter().for_each(|row| in_order.add(row, &mut found));
    found.violations
}

/// Compares bookings with what the days have for them, and collects their sessions.
pub(crate) fn bookings(
    snapshot: &Snapshot,
    history: &History,
    (times, scope): (&Times, &Scope),
    sessions: &mut Sessions,
) -> Vec<Violation> {
    let mut found = Finding::of(Invariant::I2);
    for (holder, ..) in times.live(scope) {
        if let Holder::Booking(id) = holder
            && !history.states.contains_key(&id)
        {
            found.add(format!("a day has a time for {id}, and there is no such booking"));
        }
    }
    for (id, state) in &history.states {
        let Some(facts) = state.facts() else { continue };
        let holder = Holder::Booking(*id);
        // A request holds the times of all its sessions or none: a day has held each of them.
        for span in facts.sessions.iter().filter(|span| !times.was_given(holder, span)) {
            found.add(format!("{id} was requested and no day was asked for {span:?}"));
        }
        let holds = state.held_until().is_some_and(|until| until > snapshot.taken_at);
        let on_days = times.at_the_end(holder);
        if !is_live(state) && !holds {
            if is_gone(state) && !on_days.is_empty() {
                found.add(format!("{id} has given its time back and its day still has it"));
            }
            continue;
        }
        on_its_days((*id, state), facts, &on_days, &mut found);
        let past = history.bookings.get(id).map(Vec::as_slice).unwrap_or_default();
        let stands = |number: &usize| !state.is_session_cancelled(*number);
        let spans = facts.numbers().filter(stands).filter_map(|number| facts.session(number));
        sessions.add(*id, facts, past, spans);
    }
    found.violations
}

fn is_gone(state: &State) -> bool {
    matches!(
        state,
        State::Cancelled { .. }
            | State::Released { .. }
            | State::Expired { .. }
            | State::PaidUnplaced { .. }
    )
}

/// Each session of a live booking is on its day, unless it was cancelled: of a package all of them
/// or none.
fn on_its_days(
    (id, state): (Id<Booking>, &State),
    facts: &Facts,
    on_days: &[(&str, Taken)],
    found: &mut Finding,
) {
    let is_booked = is_live(state);
    for number in facts.numbers() {
        let Some(span) = facts.session(number) else { continue };
        let there = on_days.iter().find(|(_, (theirs, _))| *theirs == span);
        match there {
            Some(_) if state.is_session_cancelled(number) => {
                found.add(format!("{id} has given a time back and its day still has it"));
            }
            None if !state.is_session_cancelled(number) => {
                found.add(format!("{id} is live and its day knows nothing of it"));
            }
            Some((whose, _)) if *whose != facts.practitioner_id => {
                found.add(format!("{id} is on the day of {whose}"));
            }
            Some((_, (_, Some(_)))) if is_booked => {
                found.add(format!("{id} is confirmed and its day only holds it"));
            }
            None | Some(_) => {}
        }
    }
    if on_days.iter().any(|(_, (span, _))| !facts.sessions.contains(span)) {
        found.add(format!("{id} is live and its day has another time for it"));
    }
}
