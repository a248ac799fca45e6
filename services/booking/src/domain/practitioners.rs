//! The practitioners with their timetables: what anyone of them offers, and which one is asked
//! first.

use std::collections::BTreeMap;
use std::sync::Arc;

use kernel::Timestamp;
use practice::Practice;

use super::availability::{NotBookable, Rules, Slot};
use super::span::Span;

/// A person that gives sessions.
#[derive(Debug, Clone)]
pub struct Practitioner {
    /// A stable id, part of stream names.
    pub id: String,
    /// The timetable.
    pub rules: Rules,
}

/// All practitioners, in the practice's order.
#[derive(Debug, Clone)]
pub struct Practitioners(Vec<Arc<Practitioner>>);

/// An occupied time of a practitioner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OccupiedTime {
    /// When.
    pub span: Span,
    /// Whether it is a session and not a closed time.
    pub is_session: bool,
}

/// The occupied times of a practitioner on the days of a request.
#[derive(Debug, Clone)]
pub struct DayLoad {
    /// The practitioner.
    pub practitioner: Arc<Practitioner>,
    /// Sessions, live holds and closed times.
    pub occupied: Vec<OccupiedTime>,
}

impl Practitioners {
    /// The practitioners of a practice.
    #[must_use]
    pub fn of(practice: &Practice) -> Self {
        let zone = &practice.practice.zone;
        let all = practice.all_practitioners().into_iter().map(|one| Practitioner {
            id: one.id,
            rules: Rules { zone: zone.clone(), hours: one.hours },
        });
        Self::new(all)
    }

    /// These practitioners, at least one, in this order.
    #[must_use]
    pub fn new(all: impl IntoIterator<Item = Practitioner>) -> Self {
        Self(all.into_iter().map(Arc::new).collect())
    }

    /// The practitioner of this id.
    #[must_use]
    pub fn get(&self, practitioner_id: &str) -> Option<&Arc<Practitioner>> {
        self.0.iter().find(|one| one.id == practitioner_id)
    }

    /// Those with one of these ids; all without ids.
    #[must_use]
    pub fn of_service(&self, practitioner_ids: &[String]) -> Vec<Arc<Practitioner>> {
        let gives = |one: &&Arc<Practitioner>| {
            practitioner_ids.is_empty() || practitioner_ids.contains(&one.id)
        };
        self.0.iter().filter(gives).cloned().collect()
    }

    /// The ids of all.
    #[must_use]
    pub fn ids(&self) -> Vec<String> {
        self.0.iter().map(|one| one.id.clone()).collect()
    }

    /// Whether there is more than one.
    #[must_use]
    pub fn are_several(&self) -> bool {
        self.0.len() > 1
    }
}

/// The slots that anyone has: one is available when it is with one of the practitioners.
#[must_use]
pub fn slots_of_anyone(slots: impl IntoIterator<Item = Slot>) -> Vec<Slot> {
    let mut by_start: BTreeMap<Timestamp, Slot> = BTreeMap::new();
    for slot in slots {
        let known = by_start.entry(slot.span.starts_at()).or_insert(slot);
        known.available |= slot.available;
    }
    by_start.into_values().collect()
}

impl DayLoad {
    fn sessions(&self) -> usize {
        self.occupied.iter().filter(|time| time.is_session).count()
    }

    /// Why the practitioner cannot take the sessions, if so.
    /// `Taken` only if the timetable has all starts.
    fn refusal(
        &self,
        (starts, minutes): (&[Timestamp], i32),
        now: Timestamp,
    ) -> Option<NotBookable> {
        let taken: Vec<Span> = self.occupied.iter().map(|time| time.span).collect();
        let rules = &self.practitioner.rules;
        let refusals: Vec<NotBookable> = starts
            .iter()
            .filter_map(|starts_at| rules.offer(*starts_at, minutes, &taken, now).err())
            .collect();
        let other = refusals.iter().find(|refusal| **refusal != NotBookable::Taken);
        other.or(refusals.first()).copied()
    }
}

/// The practitioners that are asked for sessions of so many minutes, in order: of those that are
/// free at all starts the one with the fewest sessions on these days first, and of equals the first
/// of the practice. When none is free, one of those whose time is taken, so that the client learns
/// that.
#[must_use]
pub fn order_for_anyone(
    days: Vec<DayLoad>,
    wanted: (&[Timestamp], i32),
    now: Timestamp,
) -> Vec<Arc<Practitioner>> {
    let (mut free, mut others) = (Vec::new(), Vec::new());
    for day in days {
        match day.refusal(wanted, now) {
            None => free.push(day),
            Some(refusal) => others.push((refusal != NotBookable::Taken, day)),
        }
    }
    // Both sorts are stable, so equals stay in the practice's order.
    free.sort_by_key(DayLoad::sessions);
    others.sort_by_key(|(is_no_start, _)| *is_no_start);
    if free.is_empty() {
        others.truncate(1);
        free.extend(others.into_iter().map(|(_, day)| day));
    }
    free.into_iter().map(|day| day.practitioner).collect()
}

#[cfg(test)]
mod tests;
