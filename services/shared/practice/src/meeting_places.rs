//! Which place of `[meetings]` holds for a practitioner, and what is allowed there.

use std::collections::HashSet;

use super::meetings::{MeetingPlace, MeetingProvider, RoomLink, link};
use super::problems::Problems;
use super::values::{LEAD_ID, Practice};

impl Practice {
    /// Where the sessions of a practitioner take place online; of one that the file does not know,
    /// where those of the practice do.
    #[must_use]
    pub fn meeting_place(&self, practitioner_id: &str) -> MeetingPlace {
        let meetings = &self.meetings;
        let own = meetings.practitioners.iter().find(|it| it.practitioner_id == practitioner_id);
        match own.and_then(|it| it.provider).unwrap_or(meetings.provider) {
            MeetingProvider::Own => MeetingPlace::Own,
            MeetingProvider::Link => {
                let link = own.map(|it| &it.link).filter(|it| !it.is_empty());
                MeetingPlace::Link(link.unwrap_or(&meetings.link).clone())
            }
        }
    }
}

/// Checks the table.
pub(super) fn problems(found: &mut Problems, practice: &Practice) {
    let meetings = &practice.meetings;
    let mut ids = HashSet::new();
    link(found, "meetings.link", &meetings.link);
    for own in &meetings.practitioners {
        let id = &own.practitioner_id;
        let key = "meetings.practitioners.practitioner_id";
        let is_known = practice.all_practitioners().iter().any(|it| it.id == *id);
        found.unless(is_known, key, &format!("{id:?} is no practitioner of this file"));
        found.unless(ids.insert(id), key, "a practitioner stands only once");
        let key = format!("meetings.practitioners.{id}.link");
        link(found, &key, &own.link);
        let provider = own.provider.unwrap_or(meetings.provider);
        let is_read = provider == MeetingProvider::Link || own.link.is_empty();
        found.unless(is_read, &key, "only provider = \"link\" has one");
    }
    let places = practice.all_practitioners().into_iter();
    let places: Vec<_> = places.map(|it| (practice.meeting_place(&it.id), it.id)).collect();
    for (place, id) in &places {
        if *place == MeetingPlace::Link(RoomLink::default()) {
            let key = match id.as_str() {
                LEAD_ID => "meetings.link".to_owned(),
                id => format!("meetings.practitioners.{id}.link"),
            };
            found.unless(false, &key, "with provider = \"link\" it must be given");
        }
    }
    let is_read = places.iter().any(|(place, _)| matches!(place, MeetingPlace::Link(_)));
    let is_spare = meetings.link.is_empty() || is_read;
    found.unless(is_spare, "meetings.link", "only provider = \"link\" has one");
}

#[cfg(test)]
mod tests;
