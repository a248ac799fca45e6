//! Rebuilds the read models from the log, in batches. `project` writes one event at a time; here
//! independent events form a wave, and each kind of change in a wave is one statement. An event
//! that only changes a row inserted by the same batch is merged into that row, because most holds
//! just expire.

use std::collections::HashMap;

use eventstore::{StoreError, Tx};
use kernel::id::Booking;
use kernel::{Id, Timestamp};
use sqlx::types::Json;
use uuid::Uuid;

use super::project::{self, DayKey, mode_word, plain_state};
use crate::domain::booking::{self, Facts};
use crate::domain::day;
use crate::domain::span::Span;

/// What an event changes.
#[derive(Debug, Clone)]
pub enum Change {
    /// A booking.
    Booking {
        /// Its id or key.
        id: Id<Booking>,
        /// The event.
        event: booking::Event,
        /// When the event was recorded.
        at: Timestamp,
    },
    /// A practitioner's day.
    Day {
        /// Its id or key.
        key: DayKey,
        /// The event.
        event: day::Event,
    },
}

/// Projects a batch of events, in the order of the log.
///
/// # Errors
/// When the database does not answer, or already has a booking that the batch inserts: the tables
/// are truncated before the first batch.
pub async fn write(tx: &mut Tx, changes: &[Change]) -> Result<(), StoreError> {
    for part in changes.split_inclusive(is_move) {
        let (before, moved) = match part.split_last() {
            Some((last, before)) if is_move(last) => (before, Some(last)),
            _ => (part, None),
        };
        for wave in waves(before) {
            wave.write(tx).await?;
        }
        if let Some(Change::Booking { id, event, .. }) = moved {
            project::booking(tx, *id, event).await?;
        }
    }
    Ok(())
}

/// A move changes the row of a time that the events before it took, and is written between them and
/// those after it.
fn is_move(change: &Change) -> bool {
    matches!(change, Change::Booking { event: booking::Event::Moved { .. }, .. })
}

fn waves(changes: &[Change]) -> Vec<Wave<'_>> {
    let mut batch = Batch::default();
    for change in changes {
        batch.add(change);
    }
    batch.waves
}

/// A row inserted by this batch: its wave, and its index there.
type RowIndex = (usize, usize);

#[derive(Default)]
struct Batch<'c> {
    order: WaveOrder,
    waves: Vec<Wave<'c>>,
    bookings: HashMap<Id<Booking>, RowIndex>,
    reservations: HashMap<ReservationKey, RowIndex>,
}

impl<'c> Batch<'c> {
    fn add(&mut self, change: &'c Change) {
        if self.merge_into_new_row(change).is_some() {
            return;
        }
        let number = self.order.wave_of(change);
        if self.waves.len() <= number {
            self.waves.resize_with(number + 1, Wave::default);
        }
        let Some(wave) = self.waves.get_mut(number) else { return };
        match change {
            Change::Booking { id, event: booking::Event::Requested { .. }, .. } => {
                self.bookings.insert(*id, (number, wave.requested.len()));
            }
            Change::Day {
                key,
                event: day::Event::Held { booking_id, .. } | day::Event::Booked { booking_id, .. },
            } => {
                self.reservations.insert((key.from, booking_id.uuid()), (number, wave.taken.len()));
            }
            Change::Booking { .. } | Change::Day { .. } => {}
        }
        wave.add(change);
    }

    /// Merges a change into the row that this batch inserts, if nothing was written in between.
    fn merge_into_new_row(&mut self, change: &Change) -> Option<()> {
        match change {
            Change::Booking { id, event, .. } => {
                let word = plain_state(event)?;
                let (number, index) = *self.bookings.get(id)?;
                (self.order.bookings.get(id) == Some(&(number + 1))).then_some(())?;
                let made = self.waves.get_mut(number)?.requested.get_mut(index)?;
                made.state = word;
                made.until = None;
                made.version += 1;
            }
            Change::Day { key, event: day::Event::Released { booking_id } } => {
                let reservation = (key.from, booking_id.uuid());
                let (number, index) = *self.reservations.get(&reservation)?;
                let (next, _) = self.order.reservations.get(&reservation)?;
                (*next == number + 1).then_some(())?;
                self.waves.get_mut(number)?.taken.get_mut(index)?.live = false;
            }
            Change::Day { .. } => return None,
        }
        Some(())
    }
}

/// The key of a reservation: the day's first instant, and the booking's or block's id.
type ReservationKey = (Timestamp, Uuid);

/// Assigns each event to a wave after the events it depends on.
#[derive(Default)]
struct WaveOrder {
    bookings: HashMap<Id<Booking>, usize>,
    reservations: HashMap<ReservationKey, (usize, Option<Span>)>,
    /// Released times of each day (`None`: any time) and their waves. A reservation must come after
    /// the release of an overlapping one.
    released: HashMap<Timestamp, Vec<(Option<Span>, usize)>>,
}

impl WaveOrder {
    fn wave_of(&mut self, change: &Change) -> usize {
        match change {
            Change::Booking { id, .. } => {
                let next = self.bookings.entry(*id).or_default();
                *next += 1;
                *next - 1
            }
            Change::Day { key, event } => self.wave_on_day(key.from, event),
        }
    }

    fn wave_on_day(&mut self, from: Timestamp, event: &day::Event) -> usize {
        use day::Event;
        let (id, span) = match event {
            Event::Held { booking_id, span, .. } | Event::Booked { booking_id, span } => {
                (booking_id.uuid(), Some(*span))
            }
            Event::Blocked { block_id, span } => (block_id.uuid(), Some(*span)),
            Event::HoldExtended { booking_id, .. } | Event::Released { booking_id } => {
                (booking_id.uuid(), None)
            }
            Event::Unblocked { block_id } => (block_id.uuid(), None),
        };
        let (next, had) = self.reservations.get(&(from, id)).copied().unwrap_or_default();
        let others = self.released.get(&from).map_or(0, |times| {
            let takes = |it: &&(Option<Span>, usize)| {
                span.is_some_and(|span| it.0.is_none_or(|time| time.overlaps(&span)))
            };
            times.iter().filter(takes).map(|(_, wave)| wave + 1).max().unwrap_or(0)
        });
        let wave = next.max(others);
        if matches!(event, Event::Released { .. } | Event::Unblocked { .. }) {
            self.released.entry(from).or_default().push((had, wave));
        }
        self.reservations.insert((from, id), (wave + 1, span.or(had)));
        wave
    }
}

/// A row of `bookings`.
struct NewBooking<'c> {
    facts: &'c Facts,
    state: &'static str,
    until: Option<Timestamp>,
    at: Timestamp,
    version: i64,
}

/// A row of `slot_reservations`.
struct NewSlot<'c> {
    key: &'c DayKey,
    booking_id: Id<Booking>,
    span: Span,
    until: Option<Timestamp>,
    live: bool,
}

impl<'c> NewSlot<'c> {
    fn live(
        key: &'c DayKey,
        booking_id: Id<Booking>,
        span: Span,
        until: Option<Timestamp>,
    ) -> Self {
        Self { key, booking_id, span, until, live: true }
    }
}

/// Events that can be written in any order.
#[derive(Default)]
struct Wave<'c> {
    requested: Vec<NewBooking<'c>>,
    states: Vec<(Id<Booking>, &'static str)>,
    taken: Vec<NewSlot<'c>>,
    released: Vec<(&'c DayKey, Id<Booking>)>,
    /// Rare changes, written one at a time.
    others: Vec<&'c Change>,
}

impl<'c> Wave<'c> {
    fn add(&mut self, change: &'c Change) {
        use booking::Event::Requested;
        use day::Event::{Blocked, Booked, Held, HoldExtended, Released, Unblocked};
        match change {
            Change::Booking { event: Requested { facts, until }, at, .. } => {
                let (state, until) = ("held", Some(*until));
                self.requested.push(NewBooking { facts, state, until, at: *at, version: 1 });
            }
            Change::Booking { id, event, .. } => match plain_state(event) {
                Some(word) => self.states.push((*id, word)),
                None => self.others.push(change),
            },
            Change::Day { key, event } => match event {
                Held { booking_id, span, until } => {
                    self.taken.push(NewSlot::live(key, *booking_id, *span, Some(*until)));
                }
                Booked { booking_id, span } => {
                    self.taken.push(NewSlot::live(key, *booking_id, *span, None));
                }
                Released { booking_id } => self.released.push((key, *booking_id)),
                HoldExtended { .. } | Blocked { .. } | Unblocked { .. } => {
                    self.others.push(change);
                }
            },
        }
    }

    async fn write(&self, tx: &mut Tx) -> Result<(), StoreError> {
        self.insert_bookings(tx).await?;
        self.set_states(tx).await?;
        self.insert_reservations(tx).await?;
        self.release_reservations(tx).await?;
        for change in &self.others {
            match change {
                Change::Booking { id, event, .. } => project::booking(tx, *id, event).await?,
                Change::Day { key, event } => project::day(tx, key, event).await?,
            }
        }
        Ok(())
    }

    async fn insert_bookings(&self, tx: &mut Tx) -> Result<(), StoreError> {
        if self.requested.is_empty() {
            return Ok(());
        }
        let all = &self.requested;
        sqlx::query(
            "insert into bookings (booking_id, customer_id, service_id, service_title, price_minor,
                                   price_currency, practitioner_id, mode, state, held_until_at,
                                   requested_at, version, package_id, package_title,
                                   package_notice_hours, by_phone,
                                   cancellation_policy, last_ends_at)
             select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::bigint[],
                                  $6::text[], $7::text[], $8::text[], $9::text[],
                                  $10::timestamptz[], $11::timestamptz[], $12::bigint[],
                                  $13::text[], $14::text[], $15::integer[], $16::boolean[],
                                  $17::jsonb[], $18::timestamptz[])",
        )
        .bind(column(all, |new| new.facts.booking_id.uuid()))
        .bind(column(all, |new| new.facts.customer_id.uuid()))
        .bind(column(all, |new| new.facts.service_id.as_str()))
        .bind(column(all, |new| new.facts.service_title.as_str()))
        .bind(column(all, |new| new.facts.price.minor))
        .bind(column(all, |new| new.facts.price.currency.code()))
        .bind(column(all, |new| new.facts.practitioner_id.as_str()))
        .bind(column(all, |new| mode_word(new.facts.mode)))
        .bind(column(all, |new| new.state))
        .bind(column(all, |new| new.until))
        .bind(column(all, |new| new.at))
        .bind(column(all, |new| new.version))
        .bind(column(all, |new| new.facts.package.as_ref().map(|it| it.id.as_str())))
        .bind(column(all, |new| new.facts.package.as_ref().map(|it| it.title.as_str())))
        .bind(column(all, |new| new.facts.package.as_ref().map(|it| it.notice_hours)))
        .bind(column(all, |new| new.facts.is_by_phone()))
        .bind(column(all, |new| new.facts.policy.as_deref().map(Json)))
        .bind(column(all, |new| new.facts.last_ends_at()))
        .execute(tx.connection())
        .await?;
        Ok(())
    }

    async fn set_states(&self, tx: &mut Tx) -> Result<(), StoreError> {
        if self.states.is_empty() {
            return Ok(());
        }
        sqlx::query(
            "update bookings b
             set state = n.state, held_until_at = null, version = version + 1,
                 pending_cancellation = case when n.state = 'completed'
                                             then null else pending_cancellation end,
                 move_proposal = case when n.state = 'completed' then null else move_proposal end
             from unnest($1::uuid[], $2::text[]) as n (booking_id, state)
             where b.booking_id = n.booking_id",
        )
        .bind(column(&self.states, |(id, _)| id.uuid()))
        .bind(column(&self.states, |(_, word)| *word))
        .execute(tx.connection())
        .await?;
        Ok(())
    }

    async fn insert_reservations(&self, tx: &mut Tx) -> Result<(), StoreError> {
        if self.taken.is_empty() {
            return Ok(());
        }
        let all = &self.taken;
        sqlx::query(
            "insert into slot_reservations (booking_id, practitioner_id, starts_at, ends_at,
                                            held_until_at, live)
             select * from unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::timestamptz[],
                                  $5::timestamptz[], $6::boolean[])
             on conflict (booking_id, starts_at)
             do update set held_until_at = excluded.held_until_at, live = excluded.live",
        )
        .bind(column(all, |new| new.booking_id.uuid()))
        .bind(column(all, |new| new.key.practitioner_id.as_str()))
        .bind(column(all, |new| new.span.starts_at()))
        .bind(column(all, |new| new.span.ends_at()))
        .bind(column(all, |new| new.until))
        .bind(column(all, |new| new.live))
        .execute(tx.connection())
        .await?;
        Ok(())
    }

    async fn release_reservations(&self, tx: &mut Tx) -> Result<(), StoreError> {
        if self.released.is_empty() {
            return Ok(());
        }
        sqlx::query(
            "update slot_reservations r set live = false
             from unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[])
                  as n (booking_id, day, next_day)
             where r.booking_id = n.booking_id and r.starts_at >= n.day
               and r.starts_at < n.next_day",
        )
        .bind(column(&self.released, |(_, id)| id.uuid()))
        .bind(column(&self.released, |(key, _)| key.from))
        .bind(column(&self.released, |(key, _)| key.to))
        .execute(tx.connection())
        .await?;
        Ok(())
    }
}

/// The values of one column.
fn column<'r, R, T>(rows: &'r [R], value: impl FnMut(&'r R) -> T) -> Vec<T> {
    rows.iter().map(value).collect()
}
