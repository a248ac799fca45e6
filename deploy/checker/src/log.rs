//! I8: streams and feeds have no holes and keep their order.

use std::collections::BTreeSet;

use uuid::Uuid;

use crate::history::in_order;
use crate::snapshot::{Log, Snapshot};
use crate::violation::{Finding, Invariant, Violation};

/// Checks every log on its own, and each consumer against the feed that it reads.
pub(crate) fn check(snapshot: &Snapshot) -> Vec<Violation> {
    let mut found = Finding::of(Invariant::I8);
    for (name, log) in snapshot.logs() {
        whole_log(name, log, &mut found);
        for checkpoint in &log.checkpoints {
            let Some(source) = snapshot.log_of(&checkpoint.source) else { continue };
            let last = source.events.iter().filter_map(|row| row.position).max().unwrap_or(0);
            behind_its_end((&checkpoint.consumer, checkpoint.position), last, &mut found);
        }
    }
    found.violations
}

fn whole_log(name: &str, log: &Log, found: &mut Finding) {
    let waiting: BTreeSet<i64> = log.outbox.iter().copied().collect();
    let mut ids: BTreeSet<Uuid> = BTreeSet::new();
    let mut streams = Streams::of(name);
    for row in in_order(log) {
        let (stream, version) = (row.event.stream_id.as_str(), row.event.version);
        let place = Place { seq: row.seq, position: row.position, stream, version };
        streams.add(place, waiting.contains(&row.seq), found);
        if !ids.insert(row.event.event_id) {
            found.add(format!("{name}: two events are {}", row.event.event_id));
        }
    }
    let mut positions: Vec<i64> = log.events.iter().filter_map(|row| row.position).collect();
    positions.sort_unstable();
    let mut feed = Feed::of(name);
    positions.into_iter().for_each(|position| feed.add(position, found));
}

/// A consumer cannot be further than the feed that it reads.
pub(crate) fn behind_its_end((consumer, at): (&str, i64), last: i64, found: &mut Finding) {
    if at > last {
        found.add(format!("{consumer} is at {at} of a feed that ends at {last}"));
    }
}

/// Where an event stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'s> {
    /// `events.seq`.
    pub(crate) seq: i64,
    /// Its position in the feed; none while it has none.
    pub(crate) position: Option<i64>,
    /// Its stream.
    pub(crate) stream: &'s str,
    /// Its number there, from 1.
    pub(crate) version: i64,
}

/// The events of a log, which come stream by stream in the order of their versions.
pub(crate) struct Streams<'n> {
    name: &'n str,
    before: Option<PreviousEvent>,
}

/// What the next event of the same stream is compared with.
struct PreviousEvent {
    stream: String,
    version: i64,
    seq: i64,
    position: Option<i64>,
}

impl<'n> Streams<'n> {
    /// Those of a service.
    pub(crate) fn of(name: &'n str) -> Self {
        Self { name, before: None }
    }

    /// Compares an event with the one before it. `waits` says whether it is in the outbox.
    pub(crate) fn add(&mut self, event: Place<'_>, waits: bool, found: &mut Finding) {
        let Place { seq, position, stream, version } = event;
        let name = self.name;
        let before = self.before.as_ref().filter(|it| it.stream == stream);
        let expected = before.map_or(1, |it| it.version + 1);
        if version != expected {
            found.add(format!("{name}: {stream} has {version} where {expected} belongs"));
        }
        if before.is_some_and(|it| it.seq >= seq) {
            found.add(format!("{name}: {stream} was not appended in its order"));
        }
        let earlier = before.and_then(|it| it.position);
        if let (Some(earlier), Some(position)) = (earlier, position)
            && position <= earlier
        {
            found.add(format!("{name}: the feed turns {stream} around at {earlier}"));
        }
        match position {
            Some(position) if waits => {
                found.add(format!("{name}: {position} has its place and waits for one"));
            }
            None if !waits => {
                found.add(format!("{name}: event {seq} can never be seen by others"));
            }
            Some(_) | None => {}
        }
        // An event without a position does not hide the order of those around it.
        let position = position.or(earlier);
        self.before = Some(PreviousEvent { stream: stream.to_owned(), version, seq, position });
    }
}

/// The positions of a feed, which come in their order.
pub(crate) struct Feed<'n> {
    name: &'n str,
    last: i64,
}

impl<'n> Feed<'n> {
    /// That of a service.
    pub(crate) fn of(name: &'n str) -> Self {
        Self { name, last: 0 }
    }

    /// Compares a position with the one before it.
    pub(crate) fn add(&mut self, position: i64, found: &mut Finding) {
        let (name, expected) = (self.name, self.last + 1);
        if position != expected {
            found.add(format!("{name}: the feed has {position} where {expected} belongs"));
        }
        self.last = position;
    }
}
