//! What follows from a booking's events for the days of its sessions and for its timers, as data.

use kernel::Timestamp;

use super::facts::{Facts, Mode};
use super::model::{ConfirmationBasis, Event, State};
use crate::domain::day;
use crate::domain::span::Span;

/// A timer of a booking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timer {
    /// Its hold ends.
    HoldEnd,
    /// A session ends; of a package, the one of this number.
    SessionEnd(Option<usize>),
    /// Its meeting room is to be created.
    CreateMeeting,
    /// Its meeting is to be at its session's new time.
    MoveMeeting,
    /// No other time was chosen for a session that the practice can't hold.
    ProposalEnd,
    /// Its client's cancellation takes effect. The timer of one that has nothing left to cancel
    /// ends by itself.
    CancellationEffect,
}

/// Whose days are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// Those of the practitioner who gives the sessions after the decision.
    Now,
    /// Those of the one who gave them before it.
    Before,
}

/// What follows from an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// The day of a session gets a command.
    Day { session: Span, command: day::Command, whose: Whose },
    /// A timer is set.
    SetTimer { timer: Timer, due: Timestamp },
    /// A timer ends.
    EndTimer(Timer),
}

/// The effects of an event, in their order. `state` is the booking after the whole decision.
#[must_use]
pub fn effects(state: &State, event: &Event, now: Timestamp) -> Vec<Effect> {
    let Some(facts) = state.facts() else { return Vec::new() };
    let booking_id = facts.booking_id;
    let days = |command: &dyn Fn(Span) -> day::Command| -> Vec<Effect> {
        let day = |session: &Span| on_day(*session, command(*session));
        facts.sessions.iter().map(day).collect()
    };
    match event {
        // What costs nothing is booked by the confirmation, which the same decision has.
        Event::Requested { .. } if facts.is_free() => Vec::new(),
        Event::Requested { until, .. } => {
            let hold = |span| day::Command::Hold { booking_id, span, until: *until, now };
            let set = Effect::SetTimer { timer: Timer::HoldEnd, due: *until };
            [days(&hold), vec![set]].concat()
        }
        Event::CheckoutOpened { until } => {
            let extend = |_| day::Command::Extend { booking_id, until: *until };
            let set = Effect::SetTimer { timer: Timer::HoldEnd, due: *until };
            [days(&extend), vec![set]].concat()
        }
        Event::Confirmed { basis, .. } => {
            let book = |span| day::Command::Book { booking_id, span, now };
            let was_held = *basis != ConfirmationBasis::Free;
            let end = was_held.then_some(Effect::EndTimer(Timer::HoldEnd));
            [days(&book), placed(facts, now), Vec::from_iter(end)].concat()
        }
        Event::Released | Event::Expired | Event::Unplaced { .. } => {
            let release = |_| day::Command::Release { booking_id };
            [days(&release), vec![Effect::EndTimer(Timer::HoldEnd)]].concat()
        }
        // A booking that is over needs no meeting room.
        Event::Cancelled { .. } => {
            let cancel = |_| day::Command::Cancel { booking_id };
            let ends = timed_sessions(facts).map(|(timer, _)| Effect::EndTimer(timer));
            let room = vec![Effect::EndTimer(Timer::CreateMeeting)];
            [days(&cancel), room, ends.collect()].concat()
        }
        Event::CancellationRequested(pending) => {
            let due = pending.takes_effect_at;
            vec![Effect::SetTimer { timer: Timer::CancellationEffect, due }]
        }
        Event::CancellationUndone => vec![Effect::EndTimer(Timer::CancellationEffect)],
        Event::Moved { .. } => moved(state, event, now),
        Event::MoveProposed(proposal) => {
            vec![Effect::SetTimer { timer: Timer::ProposalEnd, due: proposal.choose_until }]
        }
        // It was asked for with the time of that moment.
        Event::MeetingScheduled { .. } => {
            let was_moved = state.moves(1) > 0 && facts.package.is_none();
            let moved =
                was_moved.then_some(Effect::SetTimer { timer: Timer::MoveMeeting, due: now });
            Vec::from_iter(moved)
        }
        Event::Completed => vec![Effect::EndTimer(Timer::CreateMeeting)],
        Event::SessionCancelled { number, .. } => {
            let command = day::Command::Cancel { booking_id };
            let session = facts.session(*number);
            let day = session.map(|session| on_day(session, command));
            let end = Effect::EndTimer(Timer::SessionEnd(Some(*number)));
            day.into_iter().chain([end]).collect()
        }
        Event::Paid { .. }
        | Event::Adopted { .. }
        | Event::PageRequested { .. }
        | Event::ConsentCodeRequested { .. }
        | Event::PageCodeRequested { .. }
        | Event::AttendanceMarked { .. }
        // Its timer ends with the proposal: see `follow`.
        | Event::MoveProposalWithdrawn { .. }
        | Event::SessionCompleted { .. } => Vec::new(),
    }
}

fn on_day(session: Span, command: day::Command) -> Effect {
    Effect::Day { session, command, whose: Whose::Now }
}

/// The days and timers of a session that is moved.
fn moved(state: &State, event: &Event, now: Timestamp) -> Vec<Effect> {
    let Event::Moved { number, from, to, practitioner, .. } = event else { return Vec::new() };
    let (number, from, to) = (*number, *from, *to);
    let Some(facts) = state.facts() else { return Vec::new() };
    let (booking_id, is_single) = (facts.booking_id, facts.package.is_none());
    let timer = Timer::SessionEnd((!is_single).then_some(number));
    let leave = day::Command::Cancel { booking_id };
    let place = day::Command::Place { booking_id, span: to, now };
    let days = vec![
        Effect::Day { session: from, command: leave, whose: Whose::Before },
        Effect::Day { session: to, command: place, whose: Whose::Now },
        Effect::SetTimer { timer, due: to.ends_at() },
    ];
    [days, room_effects(state, practitioner.is_some(), now)].concat()
}

/// What becomes of the room of a booking whose session was moved. The rooms of packages have no
/// time, and another practitioner has another room.
fn room_effects(state: &State, is_handed_over: bool, now: Timestamp) -> Vec<Effect> {
    let Some(facts) = state.facts() else { return Vec::new() };
    let has_meeting = matches!(state, State::MeetingScheduled { .. }) && facts.package.is_none();
    let is_online = facts.mode == Mode::Online;
    if is_handed_over && is_online {
        let create = Effect::SetTimer { timer: Timer::CreateMeeting, due: now };
        return vec![create, Effect::EndTimer(Timer::MoveMeeting)];
    }
    let tell = Effect::SetTimer { timer: Timer::MoveMeeting, due: now };
    Vec::from_iter(has_meeting.then_some(tell))
}

/// The timers of a placed booking: the end of each session, and the meeting room.
fn placed(facts: &Facts, now: Timestamp) -> Vec<Effect> {
    let ends = timed_sessions(facts);
    let ends = ends.map(|(timer, session)| Effect::SetTimer { timer, due: session.ends_at() });
    let is_online = facts.mode == Mode::Online;
    let room = is_online.then_some(Effect::SetTimer { timer: Timer::CreateMeeting, due: now });
    ends.chain(room).collect()
}

/// The timer of each session's end.
fn timed_sessions(facts: &Facts) -> impl Iterator<Item = (Timer, Span)> {
    let is_package = facts.package.is_some();
    let sessions = facts.numbers().zip(facts.sessions.iter().copied());
    sessions.map(move |(number, span)| (Timer::SessionEnd(is_package.then_some(number)), span))
}
