//! The moves of sessions: by clients, by staff, and because the practice asks for another time.

use booking::domain::booking::{MovedBy, State};
use booking::domain::span::Span;
use kernel::Id;
use kernel::id::Booking;
use practice::LEAD_ID;

use super::super::offerings::SECOND;
use super::super::scenario::Step;
use super::super::world::World;

const HOUR: i64 = 60 * 60;

impl World {
    /// A third of the bookings is moved, half of these more than once, by hours or by days. Of a
    /// fifth the practice asks for another time; half of these clients answer, and now and then it
    /// is taken back.
    pub(super) fn plan_moves(&mut self, saga: usize) {
        let times = match (saga.is_multiple_of(3), saga.is_multiple_of(2)) {
            (true, true) => 3,
            (true, false) => 1,
            (false, _) => 0,
        };
        for _ in 0..times {
            let seconds = self.rng.between(20 * 60, 60 * HOUR);
            self.plan_move(saga, seconds);
        }
        if saga.is_multiple_of(5) {
            let seconds = self.rng.between(20 * 60, 40 * HOUR);
            let number = usize::try_from(self.rng.between(1, 2)).unwrap_or(1);
            let step = Step::Propose { number, seen: None, tries: 0 };
            self.later(saga, (seconds, seconds), step);
            let answer = seconds.saturating_add(self.rng.between(60, 20 * HOUR));
            match self.rng.weighted(&[(500, 0), (150, 1)], 2) {
                0 => self.plan_move(saga, answer),
                1 => self.later(saga, (answer, answer), Step::Withdraw { tries: 0 }),
                _ => {}
            }
        }
    }

    fn plan_move(&mut self, saga: usize, seconds: i64) {
        let number = usize::try_from(self.rng.between(1, 3)).unwrap_or(1);
        let hours = self.rng.weighted(&[(400, 1), (200, -1), (200, 24), (200, 25)], 48);
        let step = Step::Move { number, seen: None, hours, tries: 0 };
        self.later(saga, (seconds, seconds), step);
    }

    /// When a session is, by what its caller sees now or has seen.
    fn seen(&self, (id, number): (Id<Booking>, usize), seen: Option<Span>) -> Option<Span> {
        let state = self.booking.tables.states.get(&id);
        let shown = || state.and_then(State::facts).and_then(|facts| facts.session(number));
        seen.or_else(shown)
    }

    pub(super) fn relocate(
        &mut self,
        saga: usize,
        (id, number): (Id<Booking>, usize),
        (seen, hours): (Option<Span>, i64),
        tries: u32,
    ) {
        let Some(seen) = self.seen((id, number), seen) else { return };
        let by = match saga % 4 {
            0 | 1 => MovedBy::Customer,
            2 => MovedBy::CustomerAsked,
            _ => MovedBy::Practice,
        };
        // The practice's own move is often to the other practitioner.
        let is_handed_over = by == MovedBy::Practice && self.scenario.practitioners.are_several();
        let whom = match saga % 8 {
            3 => SECOND,
            _ => LEAD_ID,
        };
        let whom = is_handed_over.then_some(whom);
        let again = Step::Move { number, seen: Some(seen), hours, tries: tries + 1 };
        let moved = self.call(|world| world.move_session((id, number), (by, whom), (seen, hours)));
        self.without_ack(saga, (tries, again), moved);
    }

    pub(super) fn propose(
        &mut self,
        saga: usize,
        (id, number): (Id<Booking>, usize),
        seen: Option<Span>,
        tries: u32,
    ) {
        let Some(seen) = self.seen((id, number), seen) else { return };
        let again = Step::Propose { number, seen: Some(seen), tries: tries + 1 };
        let opens_again = saga.is_multiple_of(2);
        let proposed = self.call(|world| world.propose_move((id, number), seen, opens_again));
        self.without_ack(saga, (tries, again), proposed);
    }

    pub(super) fn withdraw(&mut self, saga: usize, id: Id<Booking>, tries: u32) {
        let withdrawn = self.call(|world| world.withdraw_proposal(id));
        self.without_ack(saga, (tries, Step::Withdraw { tries: tries + 1 }), withdrawn);
    }
}
