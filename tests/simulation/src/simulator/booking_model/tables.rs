//! booking's tables, and the questions that its commands ask of them.

use std::collections::BTreeMap;

use booking::contract::{read_booking_event, read_day_event};
use booking::domain::booking::{BookingLife, ConfirmationBasis, Event, Facts, State};
use booking::domain::day::{self, PractitionerDay};
use booking::domain::span::Span;
use booking::read_model::project::mode_word;
use eventstore::Recorded;
use kernel::id::{Booking, Customer};
use kernel::{Decider, Id, Timestamp};

use super::super::mutant::Mutant;
use super::super::offerings::{SlotRequest, rules};
use super::super::service::{Error, Service};
use super::super::store::Tables;
use super::refunds::ShownMoney;
use checker::practitioner_of;
use checker::snapshot::{BookingRow, Holder, ReservationRow};

/// A row of `bookings`, with what only decisions need.
#[derive(Debug, Clone)]
pub(crate) struct BookingRecord {
    pub(crate) row: BookingRow,
    pub(crate) claimed: bool,
    pub(crate) money: ShownMoney,
    requested_at: Timestamp,
}

/// Whose key, of which call, which key.
type Key = (String, &'static str, String);

/// booking's tables. The states are the streams, folded once.
#[derive(Debug, Default)]
pub(crate) struct BookingTables {
    pub(crate) states: BTreeMap<Id<Booking>, State>,
    pub(crate) days: BTreeMap<String, day::State>,
    pub(crate) days_before: BTreeMap<String, day::State>,
    pub(crate) rows: BTreeMap<Id<Booking>, BookingRecord>,
    pub(crate) reservations: BTreeMap<(Holder, Timestamp), ReservationRow>,
    pub(crate) keys: BTreeMap<Key, Id<Booking>>,
    /// When sessions were cancelled with grace, of which booking.
    graces: Vec<(Id<Booking>, Timestamp)>,
}

impl Tables for BookingTables {
    const SERVICE: Service = Service::Booking;

    fn project(&mut self, event: &Recorded, mutant: Option<Mutant>) -> Result<(), Error> {
        let skips = mutant == Some(Mutant::SkipProjection) && event.event_id.as_u128() % 23 == 7;
        if event.stream_id.starts_with("day-") {
            let known = read_day_event(event).map_err(Error::broken)?;
            let state = self.days.entry(event.stream_id.clone()).or_default();
            self.days_before.insert(event.stream_id.clone(), state.clone());
            *state = PractitionerDay::evolve(std::mem::take(state), &known);
            if !skips {
                self.project_day(&event.stream_id, &known);
            }
            return Ok(());
        }
        let known = read_booking_event(event).map_err(Error::broken)?;
        let correlated = event.stream_id.strip_prefix("booking-").unwrap_or_default();
        let id = uuid::Uuid::parse_str(correlated).map(Id::from_uuid).map_err(Error::broken)?;
        let state = self.states.entry(id).or_default();
        *state = BookingLife::evolve(std::mem::take(state), &known);
        if let Event::Cancelled { by_grace: true, .. }
        | Event::SessionCancelled { by_grace: true, .. } = &known
        {
            self.graces.push((id, event.recorded_at));
        }
        if !skips {
            self.project_booking((id, mutant), &known, event.recorded_at);
        }
        Ok(())
    }
}

impl BookingTables {
    /// When a client has used grace; what has not taken effect counts as of now.
    pub(super) fn uses_of_grace(&self, customer: Id<Customer>, now: Timestamp) -> Vec<Timestamp> {
        let is_its = |state: &State| state.facts().is_some_and(|it| it.customer_id == customer);
        let used = self.graces.iter().filter(|(id, _)| self.states.get(id).is_some_and(is_its));
        let pending = self.states.values().filter(|state| is_its(state));
        let pending = pending.filter_map(State::pending_cancellation);
        let pending = pending.map(|it| usize::from(it.grace_times)).sum::<usize>();
        used.map(|(_, at)| *at).chain(std::iter::repeat_n(now, pending)).collect()
    }

    /// Remembers what a key was answered with.
    pub(super) fn store_idempotency_key(&mut self, key: Key, id: Id<Booking>) {
        self.keys.insert(key, id);
    }

    fn project_booking(
        &mut self,
        (id, mutant): (Id<Booking>, Option<Mutant>),
        event: &Event,
        at: Timestamp,
    ) {
        if let Event::Requested { facts, until } = event {
            self.rows.insert(id, requested(facts, *until, at));
            return;
        }
        if let Event::Confirmed { basis: ConfirmationBasis::Payment(payment), .. }
        | Event::Paid { payment }
        | Event::Unplaced { payment } = event
        {
            self.change_money(id, mutant, |money| money.pay(&payment.0));
        }
        if let Event::Cancelled { refund, .. } = event {
            self.change_money(id, mutant, |money| money.promise(refund.minor));
        }
        if let Event::Moved { from, to, practitioner, .. } = event {
            self.move_row(id, (*from, *to), practitioner.as_deref());
        }
        self.project_state(id, event);
        self.change_money(id, mutant, |_| ());
    }

    /// Changes what is known of a booking's money; its payment state follows.
    pub(super) fn change_money(
        &mut self,
        id: Id<Booking>,
        mutant: Option<Mutant>,
        change: impl FnOnce(&mut ShownMoney),
    ) {
        let Some(record) = self.rows.get_mut(&id) else { return };
        change(&mut record.money);
        let price = record.row.price_minor;
        if mutant == Some(Mutant::StateByOneRefund) {
            record.money.settle_by_one(price);
        } else {
            record.money.settle(price, &record.row.state);
        }
        record.money.word().clone_into(&mut record.row.payment_state);
    }

    fn project_state(&mut self, id: Id<Booking>, event: &Event) {
        let Some(BookingRecord { row, .. }) = self.rows.get_mut(&id) else { return };
        let state = match event {
            Event::Requested { .. }
            | Event::Paid { .. }
            | Event::SessionCompleted { .. }
            | Event::SessionCancelled { .. }
            | Event::PageRequested { .. }
            | Event::ConsentCodeRequested { .. }
            | Event::PageCodeRequested { .. }
            | Event::AttendanceMarked { .. }
            | Event::CancellationRequested(_)
            | Event::CancellationUndone
            | Event::MoveProposed(_)
            | Event::MoveProposalWithdrawn { .. }
            // Clients of the simulation have accounts.
            | Event::Adopted { .. } => return,
            Event::Moved { practitioner, .. } => {
                let Some(practitioner) = practitioner else { return };
                practitioner.clone_into(&mut row.practitioner_id);
                // The room was that of the practitioner before.
                if row.state == "meeting_scheduled" {
                    "confirmed".clone_into(&mut row.state);
                }
                return;
            }
            Event::CheckoutOpened { until } => {
                row.held_until_at = Some(*until);
                row.checkout_opened = true;
                "awaiting_payment".clone_into(&mut row.state);
                return;
            }
            // Money that comes for a cancelled booking does not change that it is cancelled.
            Event::Unplaced { .. } if row.state == "cancelled" => return,
            Event::Unplaced { .. } => "paid_unplaced",
            Event::Confirmed { .. } => "confirmed",
            Event::MeetingScheduled { .. } => "meeting_scheduled",
            Event::Expired => "expired",
            Event::Released => "released",
            Event::Cancelled { .. } => "cancelled",
            Event::Completed => "completed",
        };
        row.held_until_at = None;
        state.clone_into(&mut row.state);
    }

    fn project_day(&mut self, stream: &str, event: &day::Event) {
        let practitioner_id = practitioner_of(stream);
        match event {
            day::Event::Held { booking_id, span, until } => {
                self.take(practitioner_id, Holder::Booking(*booking_id), (*span, Some(*until)));
            }
            day::Event::Booked { booking_id, span } => {
                self.take(practitioner_id, Holder::Booking(*booking_id), (*span, None));
            }
            day::Event::Blocked { block_id, span } => {
                self.take(practitioner_id, Holder::Block(*block_id), (*span, None));
            }
            day::Event::HoldExtended { booking_id, until } => {
                let rows = self.rows_of(Holder::Booking(*booking_id), stream);
                for row in rows.filter(|row| row.live) {
                    row.held_until_at = Some(*until);
                }
            }
            day::Event::Released { booking_id } => {
                let rows = self.rows_of(Holder::Booking(*booking_id), stream);
                rows.for_each(|row| row.live = false);
            }
            day::Event::Unblocked { block_id } => {
                self.rows_of(Holder::Block(*block_id), stream).for_each(|row| row.live = false);
            }
        }
    }

    /// A session's row gets its new time and practitioner, whose day then books it.
    fn move_row(&mut self, id: Id<Booking>, (from, to): (Span, Span), whose: Option<&str>) {
        let holder = Holder::Booking(id);
        if let Some(row) = self.reservations.remove(&(holder, from.starts_at())) {
            let (starts_at, ends_at) = (to.starts_at(), to.ends_at());
            let practitioner_id = whose.map_or(row.practitioner_id, str::to_owned);
            let moved = ReservationRow { starts_at, ends_at, practitioner_id, ..row };
            self.reservations.insert((holder, starts_at), moved);
        }
    }

    /// A holder's rows on the day of a stream.
    fn rows_of<'s>(
        &'s mut self,
        holder: Holder,
        stream: &'s str,
    ) -> impl Iterator<Item = &'s mut ReservationRow> {
        let rules = rules();
        let is_there = move |at| stream.ends_with(&rules.date_of(at).to_string());
        let rows = self.reservations.values_mut().filter(move |row| row.holder == holder);
        rows.filter(move |row| is_there(row.starts_at))
    }

    fn take(
        &mut self,
        practitioner_id: &str,
        holder: Holder,
        (span, until): (Span, Option<Timestamp>),
    ) {
        let row = ReservationRow {
            holder,
            practitioner_id: practitioner_id.to_owned(),
            starts_at: span.starts_at(),
            ends_at: span.ends_at(),
            held_until_at: until,
            live: true,
        };
        self.reservations.insert((holder, span.starts_at()), row);
    }

    /// Whose other rows are live in a practitioner's time; none for a time that is closed.
    pub(super) fn overlapping_reservations(
        &self,
        (practitioner_id, span): (&str, Span),
        except: Id<Booking>,
    ) -> impl Iterator<Item = Option<Id<Booking>>> {
        let live = self
            .reservations
            .values()
            .filter(move |row| row.live && row.practitioner_id == practitioner_id);
        live.filter(move |row| row.starts_at < span.ends_at() && span.starts_at() < row.ends_at)
            .map(|row| match row.holder {
                Holder::Booking(id) => Some(id),
                Holder::Block(_) => None,
            })
            .filter(move |other| *other != Some(except))
    }

    /// A practitioner's rows that are live now.
    pub(super) fn live_rows_of(
        &self,
        practitioner_id: &str,
        now: Timestamp,
    ) -> impl Iterator<Item = &ReservationRow> {
        let is_live = move |row: &&ReservationRow| {
            row.live && row.held_until_at.is_none_or(|until| until > now)
        };
        let of_it = move |row: &&ReservationRow| row.practitioner_id == practitioner_id;
        self.reservations.values().filter(is_live).filter(of_it)
    }

    /// Whether a session of the customer, held or booked, overlaps a time.
    pub(super) fn overlaps_own(
        &self,
        customer_id: Id<Customer>,
        span: Span,
        now: Timestamp,
    ) -> bool {
        self.overlaps_other(customer_id, (Id::from_uuid(uuid::Uuid::nil()), span), now)
    }

    /// The same of another booking than this one.
    pub(super) fn overlaps_other(
        &self,
        customer_id: Id<Customer>,
        (except, span): (Id<Booking>, Span),
        now: Timestamp,
    ) -> bool {
        self.reservations.values().any(|row| {
            let Holder::Booking(id) = row.holder else { return false };
            row.live
                && id != except
                && row.held_until_at.is_none_or(|until| until > now)
                && row.starts_at < span.ends_at()
                && span.starts_at() < row.ends_at
                && self.rows.get(&id).is_some_and(|it| it.row.customer_id == customer_id)
        })
    }

    /// Whether a customer has a free session that was not cancelled.
    pub(super) fn has_free_session(&self, customer_id: Id<Customer>) -> bool {
        let mut rows = self.rows.values().map(|it| &it.row);
        rows.any(|row| {
            row.customer_id == customer_id && row.price_minor == 0 && row.state != "cancelled"
        })
    }

    /// How many live holds a customer has.
    pub(super) fn live_holds(&self, customer_id: Id<Customer>, now: Timestamp) -> usize {
        let rows = self.rows.values().map(|it| &it.row);
        rows.filter(|row| row.customer_id == customer_id)
            .filter(|row| row.held_until_at.is_some_and(|until| until > now))
            .count()
    }

    /// The booking by which a customer holds exactly this already.
    pub(super) fn existing_hold(
        &self,
        slot_request: &SlotRequest,
        spans: &[Span],
        now: Timestamp,
    ) -> Option<Id<Booking>> {
        let mut rows = self.rows.values().map(|it| &it.row);
        let same = rows.find(|row| {
            let is_held = |span: &Span| {
                let key = (Holder::Booking(row.booking_id), span.starts_at());
                let held = self.reservations.get(&key);
                held.is_some_and(|it| it.live && it.ends_at == span.ends_at())
            };
            let facts = self.states.get(&row.booking_id).and_then(State::facts);
            let is_package = facts.is_some_and(|facts| facts.package.is_some());
            is_package == slot_request.is_package()
                && row.customer_id == slot_request.customer_id
                && row.service_id == slot_request.offering.id
                && row.mode == mode_word(slot_request.mode)
                && row.held_until_at.is_some_and(|until| until > now)
                && spans.iter().all(is_held)
                && slot_request.practitioner_id.is_none_or(|wanted| row.practitioner_id == wanted)
        });
        same.map(|row| row.booking_id)
    }

    fn is_at_its_time(&self, other: Id<Booking>, facts: &Facts) -> bool {
        let mut rows = self.reservations.values();
        rows.any(|row| {
            let meets =
                |mine: &Span| row.starts_at < mine.ends_at() && mine.starts_at() < row.ends_at;
            row.holder == Holder::Booking(other) && row.live && facts.sessions.iter().any(meets)
        })
    }

    /// Whether the customer has another live booking in the place of this one: of its service and
    /// asked for later, or at its time.
    pub(super) fn is_replaced(&self, facts: &Facts, now: Timestamp) -> bool {
        let Some(this) = self.rows.get(&facts.booking_id) else { return false };
        self.rows.values().any(|other| {
            let row = &other.row;
            let is_placed = ["confirmed", "meeting_scheduled"].contains(&row.state.as_str())
                && self.reservations.values().any(|it| {
                    it.holder == Holder::Booking(row.booking_id) && it.live && it.ends_at > now
                });
            row.booking_id != facts.booking_id
                && row.customer_id == facts.customer_id
                && ((row.service_id == facts.service_id && other.requested_at >= this.requested_at)
                    || self.is_at_its_time(row.booking_id, facts))
                && (row.held_until_at.is_some_and(|until| until > now) || is_placed)
        })
    }
}

fn requested(facts: &Facts, until: Timestamp, at: Timestamp) -> BookingRecord {
    let row = BookingRow {
        booking_id: facts.booking_id,
        customer_id: facts.customer_id,
        service_id: facts.service_id.clone(),
        price_minor: facts.price.minor,
        price_currency: facts.price.currency.code().to_owned(),
        practitioner_id: facts.practitioner_id.clone(),
        mode: mode_word(facts.mode).to_owned(),
        state: "held".to_owned(),
        held_until_at: Some(until),
        checkout_opened: false,
        payment_state: "pending".to_owned(),
    };
    BookingRecord { row, claimed: false, money: ShownMoney::default(), requested_at: at }
}
