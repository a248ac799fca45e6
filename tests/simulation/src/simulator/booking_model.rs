//! booking as it runs in the simulation: its real decisions, with the little that stands around
//! them in `services/booking/src/app` written for the model of a database.

mod moves;
mod refunds;
mod requests;
pub(super) mod tables;

use booking::consumers::payments::{Action, action_for};
use booking::contract::{booking_event, booking_stream, day_event, day_stream};
use booking::domain::booking::{
    BookingLife, Cancellation, CancelledBy, Command, Effect, Event, Facts, MeetingId, PaymentId,
    PlacementCheck, ProposedTime, RefundChoice, Rejection, State, Timer, Whose, follow,
};
use booking::domain::day::{self, PractitionerDay};
use booking::domain::grace::GraceUses;
use booking::domain::span::Span;
use booking::timers::kinds::{
    CANCELLATION_EFFECT, CREATE_MEETING, HOLD_END, MOVE_MEETING, PROPOSAL_END, key, parse_subject,
};
use eventstore::Recorded;
use jiff::tz::TimeZone;
use kernel::id::{Block, Booking};
use kernel::{Decider, Id, Money, Timestamp};
use serde_json::json;

use super::coverage::Fault;
use super::job::Job;
use super::mutant::Mutant;
use super::offerings::{ClosedTime, earlier_policy, rules};
use super::service::{Error, Service};
use super::store::{Batch, TimerKey};
use super::world::World;

pub(crate) use tables::BookingTables;

/// Minutes for which a time is held.
const HOLD_MINUTES: i64 = 15;
/// How much longer it is held once checkout was opened.
const GROW_MINUTES: i64 = 15;
/// How many live holds a customer may have.
const LIVE_HOLDS_MAX: usize = 2;

impl From<Rejection> for Error {
    fn from(rejection: Rejection) -> Self {
        Self::Refused(format!("{rejection:?}"))
    }
}

/// A booking with the days of its sessions, under their locks.
struct LockedBooking {
    id: Id<Booking>,
    state: State,
    days: Vec<LockedDay>,
    /// Who gave its sessions when it was locked.
    practitioner_id: String,
    now: Timestamp,
}

/// A session's time and its day.
struct LockedDay {
    span: Span,
    stream: String,
    state: day::State,
}

impl LockedBooking {
    fn apply(
        &mut self,
        batch: &mut Batch<BookingTables>,
        command: Command,
    ) -> Result<Vec<Event>, Error> {
        let proposed = ProposedTime::of(&self.state);
        let events = BookingLife::decide(&self.state, command)?;
        for event in &events {
            let new = booking_event(self.id, event).map_err(Error::broken)?;
            batch.append(&booking_stream(self.id), new);
            self.state = BookingLife::evolve(std::mem::take(&mut self.state), event);
        }
        for effect in follow(proposed, &self.state, &events, self.now) {
            self.carry_out(batch, effect)?;
        }
        Ok(events)
    }

    /// The day of a practitioner's session; two of one day are never there.
    fn day_of(&mut self, whose: &str, session: Span) -> Option<&mut LockedDay> {
        let stream = day_stream(whose, rules().date_of(session.starts_at()));
        self.days.iter_mut().find(|day| day.stream == stream)
    }

    fn carry_out(&mut self, batch: &mut Batch<BookingTables>, effect: Effect) -> Result<(), Error> {
        match effect {
            Effect::Day { session, command, whose } => {
                let facts = self.state.facts().filter(|_| whose == Whose::Now);
                let whose = facts.map_or(&self.practitioner_id, |facts| &facts.practitioner_id);
                let whose = whose.clone();
                if let Some(day) = self.day_of(&whose, session) {
                    apply_to_day(batch, (&day.stream, &mut day.state), command)?;
                }
            }
            Effect::SetTimer { timer, due } => {
                let (kind, subject) = key(self.id, timer);
                batch.set_timer(kind, &subject, due, json!({}));
            }
            Effect::EndTimer(timer) => {
                let (kind, subject) = key(self.id, timer);
                batch.end_timer(kind, &subject);
            }
        }
        Ok(())
    }
}

fn apply_to_day(
    batch: &mut Batch<BookingTables>,
    (stream, state): (&str, &mut day::State),
    command: day::Command,
) -> Result<(), Error> {
    let decided = PractitionerDay::decide(state, command);
    for event in decided.map_err(|rejection| Error::Refused(format!("{rejection:?}")))? {
        batch.append(stream, day_event(&event).map_err(Error::broken)?);
        *state = PractitionerDay::evolve(std::mem::take(state), &event);
    }
    Ok(())
}

impl World {
    fn lock_booking(&self, id: Id<Booking>) -> Option<LockedBooking> {
        let state = self.booking.tables.states.get(&id)?.clone();
        let facts = state.facts()?;
        let (days, practitioner_id) = (self.lock_days(facts), facts.practitioner_id.clone());
        Some(LockedBooking { id, state, days, practitioner_id, now: self.now })
    }

    fn lock_days(&self, facts: &Facts) -> Vec<LockedDay> {
        let day = |span: &Span| {
            let (stream, state) = self.load_day(&facts.practitioner_id, span.starts_at());
            LockedDay { span: *span, stream, state }
        };
        facts.sessions.iter().map(day).collect()
    }

    fn load_day(&self, practitioner_id: &str, at: Timestamp) -> (String, day::State) {
        let stream = day_stream(practitioner_id, self.scenario.rules.date_of(at));
        let day = self.booking.tables.days.get(&stream).cloned().unwrap_or_default();
        (stream, day)
    }

    fn place(&self, locked: &LockedBooking) -> PlacementCheck {
        let tables = &self.booking.tables;
        let facts = locked.state.facts();
        let whose = facts.map(|facts| facts.practitioner_id.as_str()).unwrap_or_default();
        let is_free = |day: &LockedDay| {
            let is_expired = |other| day.state.is_expired_hold(other, self.now);
            day.state.is_free_for(locked.id, day.span, self.now)
                && tables
                    .overlapping_reservations((whose, day.span), locked.id)
                    .all(|other| other.is_some_and(is_expired))
        };
        let replaced = facts.is_some_and(|it| tables.is_replaced(it, self.now));
        let practitioner = self.scenario.practitioners.get(whose);
        let offered =
            practitioner.is_some_and(|it| locked.days.iter().all(|day| it.rules.offers(day.span)));
        PlacementCheck { free: locked.days.iter().all(is_free), replaced, offered }
    }

    /// `OpenCheckout`.
    pub(crate) fn open_checkout(&mut self, id: Id<Booking>) -> Result<(), Error> {
        let now = self.now;
        let command = Command::OpenCheckout { grow_minutes: GROW_MINUTES, now };
        self.command_booking(id, command)
    }

    /// `ReleaseBooking`.
    pub(crate) fn release_booking(&mut self, id: Id<Booking>) -> Result<(), Error> {
        self.command_booking(id, Command::Release)
    }

    /// `CancelBooking`.
    pub(crate) fn cancel_booking(
        &mut self,
        (id, session): (Id<Booking>, Option<usize>),
        (by, refund): (CancelledBy, RefundChoice),
    ) -> Result<(), Error> {
        let unwritten = earlier_policy();
        let grace_left = self.grace_left(id);
        let cancellation = Cancellation { by, refund, session, unwritten, grace_left };
        self.command_booking(id, Command::Cancel { cancellation, now: self.now })
    }

    /// `CancelOwnBooking`, with whatever goes back.
    pub(crate) fn cancel_own_booking(
        &mut self,
        (id, session): (Id<Booking>, Option<usize>),
    ) -> Result<(), Error> {
        let (by, refund) = (CancelledBy::Customer, RefundChoice::ByPolicy);
        let (unwritten, grace_left) = (earlier_policy(), self.grace_left(id));
        let cancellation = Cancellation { by, refund, session, unwritten, grace_left };
        let (shown, now) = (Money::inr(0), self.now);
        self.command_booking(id, Command::CancelLater { cancellation, shown, now })
    }

    /// How often the client of a booking may still lose less by its policy's grace.
    fn grace_left(&self, id: Id<Booking>) -> u16 {
        let facts = self.booking.tables.states.get(&id).and_then(State::facts);
        let grace = facts.and_then(|facts| Some((facts, facts.policy(&earlier_policy()).grace()?)));
        let Some((facts, grace)) = grace else { return 0 };
        let uses = self.booking.tables.uses_of_grace(facts.customer_id, self.now);
        GraceUses::of(grace, &TimeZone::UTC, &uses, self.now).left()
    }

    /// `UndoCancellation`.
    pub(crate) fn undo_cancellation(&mut self, id: Id<Booking>) -> Result<(), Error> {
        self.command_booking(id, Command::UndoCancellation)
    }

    /// `AcceptClaim`.
    pub(crate) fn accept_claim(&mut self, id: Id<Booking>) -> Result<(), Error> {
        self.answers(Service::Booking)?;
        let locked = self.lock_booking(id).ok_or(Error::Refused("NotFound".to_owned()))?;
        let free = self.place(&locked).free;
        let claimed = self.booking.tables.rows.get(&id).is_some_and(|row| row.claimed);
        self.command_booking(id, Command::AcceptClaim { claimed, free, now: self.now })
    }

    fn command_booking(&mut self, id: Id<Booking>, command: Command) -> Result<(), Error> {
        self.answers(Service::Booking)?;
        let mut locked = self.lock_booking(id).ok_or(Error::Refused("NotFound".to_owned()))?;
        let mut batch = Batch::by("usr");
        locked.apply(&mut batch, command)?;
        self.commit(batch)
    }

    /// `BlockTime`.
    pub(crate) fn block_time(&mut self, closed: &ClosedTime) -> Result<Id<Block>, Error> {
        self.answers(Service::Booking)?;
        let block_id = self.new_id::<Block>();
        let ClosedTime { practitioner_id, span } = *closed;
        let (stream, mut day) = self.load_day(practitioner_id, span.starts_at());
        let mut batch = Batch::by("usr");
        let command = day::Command::Block { block_id, span, now: self.now };
        apply_to_day(&mut batch, (&stream, &mut day), command)?;
        self.commit(batch).map(|()| block_id)
    }

    /// `UnblockTime`.
    pub(crate) fn unblock_time(
        &mut self,
        block_id: Id<Block>,
        closed: &ClosedTime,
    ) -> Result<(), Error> {
        self.answers(Service::Booking)?;
        let (stream, mut day) = self.load_day(closed.practitioner_id, closed.span.starts_at());
        let mut batch = Batch::by("usr");
        apply_to_day(&mut batch, (&stream, &mut day), day::Command::Unblock { block_id })?;
        self.commit(batch)
    }

    /// Whether a service answers at all.
    pub(crate) fn answers(&self, service: Service) -> Result<(), Error> {
        if self.is_up(service) { Ok(()) } else { Err(Error::Unavailable) }
    }

    /// A timer of booking has fallen due.
    pub(crate) fn fire_booking_timer(&mut self, key: &TimerKey) {
        let Some((_, attempts)) = self.claim::<BookingTables>(key) else { return };
        self.trace.note(self.now, "fires", &format_args!("{} {}", key.0, key.1));
        let Some((id, number)) = parse_subject(&key.1) else { return };
        let outcome = match key.0 {
            CREATE_MEETING => self.request_meeting(id, (key, attempts)),
            HOLD_END => self.end_hold(id),
            CANCELLATION_EFFECT => self.take_effect(id),
            MOVE_MEETING => self.move_meeting(id),
            PROPOSAL_END => self.lapse_proposal(id),
            _ => self.end_session(id, number),
        };
        self.conclude::<BookingTables>((key, attempts), outcome);
    }

    fn end_hold(&mut self, id: Id<Booking>) -> Result<(), Error> {
        let mut batch = Batch::by("booking");
        if let Some(mut locked) = self.lock_booking(id) {
            locked.apply(&mut batch, Command::Expire { now: self.now })?;
            if locked.state.held_until().is_none() {
                batch.end_timer(HOLD_END, &id.to_string());
            }
        }
        self.commit(batch)
    }

    fn take_effect(&mut self, id: Id<Booking>) -> Result<(), Error> {
        let mut batch = Batch::by("booking");
        if let Some(mut locked) = self.lock_booking(id) {
            let (unwritten, now) = (earlier_policy(), self.now);
            locked.apply(&mut batch, Command::TakeEffect { unwritten, now })?;
            if locked.state.pending_cancellation().is_some() {
                return Ok(());
            }
        }
        batch.end_timer(CANCELLATION_EFFECT, &id.to_string());
        self.commit(batch)
    }

    fn end_session(&mut self, id: Id<Booking>, number: Option<usize>) -> Result<(), Error> {
        let mut batch = Batch::by("booking");
        if let Some(mut locked) = self.lock_booking(id) {
            locked.apply(&mut batch, Command::Complete { now: self.now })?;
            if locked.state.expects(number) {
                return Ok(());
            }
        }
        let (kind, subject) = key(id, Timer::SessionEnd(number));
        batch.end_timer(kind, &subject);
        self.commit(batch)
    }

    /// Asks the meeting provider; the answer is written down some time later.
    fn request_meeting(&mut self, id: Id<Booking>, timer: (&TimerKey, i32)) -> Result<(), Error> {
        let needs = self
            .booking
            .tables
            .states
            .get(&id)
            .is_some_and(|state| matches!(state, State::Confirmed { .. }));
        if needs && self.fault(Fault::MeetingDown, 100) {
            return Err(Error::Unavailable);
        }
        let room = needs.then(|| {
            let next = format!("room{}", self.rooms.len() + 1);
            self.rooms.entry(id.to_string()).or_insert(next).clone()
        });
        let pause = self.rng.between(50, 3_000);
        let (key, attempts) = (timer.0.clone(), timer.1);
        self.defer(Service::Booking, pause, Job::Room { id, room, timer: (key, attempts) });
        Ok(())
    }

    /// Writes the room down.
    pub(crate) fn record_meeting(
        &mut self,
        id: Id<Booking>,
        room: Option<String>,
    ) -> Result<(), Error> {
        let mut batch = Batch::by("booking");
        if let Some((mut locked, room)) = self.lock_booking(id).zip(room) {
            locked.apply(&mut batch, Command::ScheduleMeeting { meeting: MeetingId(room) })?;
        }
        batch.end_timer(CREATE_MEETING, &id.to_string());
        self.commit(batch)
    }
}

/// booking takes an event of payments in.
pub(crate) fn on_payments(
    world: &mut World,
    batch: &mut Batch<BookingTables>,
    event: &Recorded,
) -> Result<(), Error> {
    let mutant = world.mutant;
    let (id, command) = match action_for(event)? {
        Some(Action::RefundRequested { id, refund }) => {
            batch.change(move |tables| tables.change_money(id, mutant, |it| it.request(refund)));
            return Ok(());
        }
        Some(Action::RefundProcessed { id, refund_id }) => {
            batch.change(move |it| it.change_money(id, mutant, |it| it.process(&refund_id)));
            return Ok(());
        }
        Some(Action::RefundFailed { id, failure }) => {
            batch.change(move |tables| tables.change_money(id, mutant, |it| it.fail(failure)));
            return Ok(());
        }
        Some(Action::Confirm { id, payment, minor }) => {
            pay_less(world, batch, id, (&payment, minor));
            let Some(locked) = world.lock_booking(id) else {
                return Err(Error::Refused("BookingNotFound".to_owned()));
            };
            let place = world.place(&locked);
            (id, Command::VerifyPayment { payment, placement: place, now: world.now })
        }
        Some(Action::Claim { id }) => {
            let Some(locked) = world.lock_booking(id) else { return Ok(()) };
            batch.change(move |tables: &mut BookingTables| {
                if let Some(row) = tables.rows.get_mut(&id) {
                    row.claimed = true;
                }
            });
            let place = world.place(&locked);
            let accept = world.scenario.accepts_claims.then_some(place);
            let now = world.now;
            if world.has(Mutant::ConfirmOnClaim) {
                let payment = PaymentId("pay_00000claimed00".to_owned());
                (id, Command::VerifyPayment { payment, placement: place, now })
            } else {
                (id, Command::ClaimPayment { grow_minutes: GROW_MINUTES, accept, now })
            }
        }
        // A failed attempt is only shown to the booking's owner.
        Some(Action::AttemptFailed { .. }) | None => return Ok(()),
    };
    let Some(mut locked) = world.lock_booking(id) else { return Ok(()) };
    locked.apply(batch, command)?;
    Ok(())
}

/// Writes down that less than the price was paid, because of a provider's offer.
fn pay_less(
    world: &World,
    batch: &mut Batch<BookingTables>,
    id: Id<Booking>,
    (payment, minor): (&PaymentId, Option<i64>),
) {
    let (payment, mutant) = (payment.0.clone(), world.mutant);
    let price = world.booking.tables.rows.get(&id).map_or(0, |known| known.row.price_minor);
    if let Some(minor) = minor.filter(|minor| *minor < price) {
        let change = move |tables: &mut BookingTables| {
            tables.change_money(id, mutant, |money| money.pay_less(&payment, minor));
        };
        batch.change(change);
    }
}

/// booking takes an event of notifications in: it shows whether the mail went out, and no more.
pub(crate) fn on_notifications(
    _world: &mut World,
    _batch: &mut Batch<BookingTables>,
    _event: &Recorded,
) -> Result<(), Error> {
    Ok(())
}
