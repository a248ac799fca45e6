//! I8: streams and feeds have no holes and keep their order.

use std::collections::{BTreeMap, BTreeSet};

use crate::history::in_order;
use crate::snapshot::{EventRow, Log, Snapshot};
use crate::violation::{Finding, Invariant, Violation};

/// Checks every log on its own, and each consumer against the feed that it reads.
pub(crate) fn check(snapshot: &Snapshot) -> Vec<Violation> {
    let mut found = Finding::of(Invariant::I8);
    for (name, log) in snapshot.logs() {
        streams(name, log, &mut found);
        feed(name, log, &mut found);
        for checkpoint in &log.checkpoints {
            let Some(source) = snapshot.log_of(&checkpoint.source) else { continue };
            let last = source.events.iter().filter_map(|row| row.position).max().unwrap_or(0);
            if checkpoint.position > last {
                let (consumer, at) = (&checkpoint.consumer, checkpoint.position);
                found.add(format!("{consumer} is at {at} of a feed that ends at {last}"));
            }
        }
    }
    found.violations
}

fn streams(name: &str, log: &Log, found: &mut Finding) {
    let mut expected: BTreeMap<&str, i64> = BTreeMap::new();
    let mut last_seq: BTreeMap<&str, i64> = BTreeMap::new();
    let mut ids = BTreeSet::new();
    for EventRow { seq, event, .. } in in_order(log) {
        let stream = event.stream_id.as_str();
        let version = expected.entry(stream).or_insert(0);
        *version += 1;
        if event.version != *version {
            found.add(format!("{name}: {stream} has {} where {version} belongs", event.version));
            *version = event.version;
        }
        if last_seq.insert(stream, *seq).is_some_and(|before| before >= *seq) {
            found.add(format!("{name}: {stream} was not appended in its order"));
        }
        if !ids.insert(event.event_id) {
            found.add(format!("{name}: two events are {}", event.event_id));
        }
    }
}

fn feed(name: &str, log: &Log, found: &mut Finding) {
    let waiting: BTreeSet<i64> = log.outbox.iter().copied().collect();
    let mut numbered: Vec<(i64, &EventRow)> = Vec::new();
    for row in &log.events {
        match row.position {
            Some(position) if waiting.contains(&row.seq) => {
                found.add(format!("{name}: {position} has its place and waits for one"));
            }
            Some(position) => numbered.push((position, row)),
            None if waiting.contains(&row.seq) => {}
            None => found.add(format!("{name}: event {} can never be seen by others", row.seq)),
        }
    }
    numbered.sort_by_key(|(position, _)| *position);
    let mut versions: BTreeMap<&str, i64> = BTreeMap::new();
    let mut expected = 0;
    for (position, row) in numbered {
        expected += 1;
        if position != expected {
            found.add(format!("{name}: the feed has {position} where {expected} belongs"));
            expected = position;
        }
        let (stream, version) = (row.event.stream_id.as_str(), row.event.version);
        if versions.insert(stream, version).is_some_and(|before| before >= version) {
            found.add(format!("{name}: the feed turns {stream} around at {position}"));
        }
    }
}
