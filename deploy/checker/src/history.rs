//! What the logs say happened, read once for all checks.

use std::collections::BTreeMap;

use booking::contract::{read_booking_event, read_day_event};
use booking::domain::booking::{BookingLife, Event as BookingEvent, State as BookingState};
use booking::domain::day::Event as DayEvent;
use eventstore::Recorded;
use kernel::id::Booking;
use kernel::{Id, Timestamp, fold};
use payments::contract::read_collection_event;
use payments::domain::collection::{Collection, CollectionLife, Event as MoneyEvent, State};
use uuid::Uuid;

use crate::moves::Moves;
use crate::snapshot::{EventRow, Log, Snapshot};

/// An event with what stands around it in its row.
#[derive(Debug, Clone)]
pub(crate) struct HistoryEvent<E> {
    /// What happened.
    pub(crate) event: E,
    /// When it was recorded.
    pub(crate) at: Timestamp,
}

/// The stories of all streams.
#[derive(Debug, Default)]
pub(crate) struct History {
    /// Of each booking.
    pub(crate) bookings: BTreeMap<Id<Booking>, Vec<HistoryEvent<BookingEvent>>>,
    /// The moves of each booking's sessions.
    pub(crate) moves: Moves,
    /// Of each practitioner's day, by its stream.
    pub(crate) days: BTreeMap<String, Vec<HistoryEvent<DayEvent>>>,
    /// Of each booking's money.
    pub(crate) money: BTreeMap<Id<Booking>, Vec<HistoryEvent<MoneyEvent>>>,
    /// Where each booking stands, by its events.
    pub(crate) states: BTreeMap<Id<Booking>, BookingState>,
    /// What is known of each booking's money, by its events.
    pub(crate) collections: BTreeMap<Id<Booking>, Collection>,
    /// Events that no program of ours can have written.
    pub(crate) unreadable: Vec<String>,
}

impl History {
    /// Reads the logs of a snapshot.
    pub(crate) fn read(snapshot: &Snapshot) -> Self {
        let mut history = Self::default();
        for row in in_order(&snapshot.booking.log) {
            history.read_booking(&row.event);
        }
        for row in in_order(&snapshot.payments.log) {
            history.read_money(&row.event);
        }
        history.states = history.booking_states();
        history.collections = history.open_collections();
        history
    }

    fn read_booking(&mut self, stored: &Recorded) {
        let at = stored.recorded_at;
        if let Some(id) = id_of(&stored.stream_id, "booking-") {
            self.moves.take_in(id, stored);
            match read_booking_event(stored) {
                Ok(event) => self.bookings.entry(id).or_default().push(HistoryEvent { event, at }),
                Err(error) => self.unreadable.push(error.to_string()),
            }
        } else if stored.stream_id.starts_with("day-") {
            match read_day(stored) {
                Ok(event) => self.days.entry(stored.stream_id.clone()).or_default().push(event),
                Err(error) => self.unreadable.push(error),
            }
        }
    }

    fn read_money(&mut self, stored: &Recorded) {
        let Some(id) = id_of(&stored.stream_id, "collection-") else { return };
        match read_collection_event(stored) {
            Ok(event) => {
                let past = HistoryEvent { event, at: stored.recorded_at };
                self.money.entry(id).or_default().push(past);
            }
            Err(error) => self.unreadable.push(error.to_string()),
        }
    }

    fn booking_states(&self) -> BTreeMap<Id<Booking>, BookingState> {
        let state = |past: &Vec<HistoryEvent<BookingEvent>>| {
            fold::<BookingLife>(past.iter().map(|it| &it.event))
        };
        self.bookings.iter().map(|(id, past)| (*id, state(past))).collect()
    }

    fn open_collections(&self) -> BTreeMap<Id<Booking>, Collection> {
        let open = |past: &Vec<HistoryEvent<MoneyEvent>>| match fold::<CollectionLife>(
            past.iter().map(|it| &it.event),
        ) {
            State::Absent => None,
            State::Open(collection) => Some(*collection),
        };
        self.money.iter().filter_map(|(id, past)| Some((*id, open(past)?))).collect()
    }
}

/// An event of a day; the error says that no program of ours can have written it.
pub(crate) fn read_day(stored: &Recorded) -> Result<HistoryEvent<DayEvent>, String> {
    let event = read_day_event(stored).map_err(|error| error.to_string())?;
    Ok(HistoryEvent { event, at: stored.recorded_at })
}

/// Whether a booking's time and money are settled in its favour.
pub(crate) fn is_live(state: &BookingState) -> bool {
    matches!(
        state,
        BookingState::Confirmed { .. }
            | BookingState::MeetingScheduled { .. }
            | BookingState::Completed { .. }
    )
}

/// The booking in a stream's name.
fn id_of(stream: &str, prefix: &str) -> Option<Id<Booking>> {
    Uuid::parse_str(stream.strip_prefix(prefix)?).ok().map(Id::from_uuid)
}

/// The events of a log, stream by stream, in the order of their versions.
pub(crate) fn in_order(log: &Log) -> Vec<&EventRow> {
    let mut rows: Vec<&EventRow> = log.events.iter().collect();
    rows.sort_by(|a, b| {
        let (a, b) = (&a.event, &b.event);
        a.stream_id.cmp(&b.stream_id).then(a.version.cmp(&b.version))
    });
    rows
}
