//! The practitioners of `practice.toml`: the first one and the others.

use super::values::{Availability, FurtherPractitioner, LEAD_ID, Practice};

/// A practitioner with the hours that hold for them.
#[derive(Debug, Clone)]
pub struct Practitioner {
    /// A stable id, part of stream names.
    pub id: String,
    /// The name that clients read.
    pub name: String,
    /// When their sessions can start.
    pub hours: Availability,
}

impl FurtherPractitioner {
    /// The hours that hold for this practitioner in a practice with these.
    pub(super) fn hours(&self, practice: &Availability) -> Availability {
        let mut hours = practice.clone();
        if let Some(weekdays) = &self.weekdays {
            hours.weekdays.clone_from(weekdays);
        }
        if let Some(closed_dates) = &self.closed_dates {
            hours.closed_dates.clone_from(closed_dates);
        }
        if let Some(blocked_times) = &self.blocked_times {
            hours.blocked_times.clone_from(blocked_times);
        }
        hours.first_start = self.first_start.unwrap_or(hours.first_start);
        hours.last_start = self.last_start.unwrap_or(hours.last_start);
        hours
    }
}

impl Practice {
    /// All practitioners, the first one of the practice before the others, which are in the file's
    /// order.
    #[must_use]
    pub fn all_practitioners(&self) -> Vec<Practitioner> {
        let lead = Practitioner {
            id: LEAD_ID.to_owned(),
            name: self.practice.practitioner_name.clone(),
            hours: self.availability.clone(),
        };
        let others = self.practitioners.iter().map(|further| Practitioner {
            id: further.practitioner_id.clone(),
            name: further.name.clone(),
            hours: further.hours(&self.availability),
        });
        std::iter::once(lead).chain(others).collect()
    }

    /// Whether sessions are given by more than one practitioner.
    #[must_use]
    pub fn has_several_practitioners(&self) -> bool {
        !self.practitioners.is_empty()
    }

    /// The name of a practitioner; of one that is no longer in the file, the practice's own name.
    #[must_use]
    pub fn name_of_practitioner(&self, practitioner_id: &str) -> &str {
        if practitioner_id == LEAD_ID {
            return &self.practice.practitioner_name;
        }
        let known = self.practitioners.iter().find(|it| it.practitioner_id == practitioner_id);
        known.map_or(&self.practice.name, |it| &it.name)
    }
}
