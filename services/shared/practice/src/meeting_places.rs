//! Which place of `[meetings]` holds for a practitioner, and what is allowed there.

use std::collections::HashSet;

use super::meetings::{MeetingPlace, MeetingProvider, RoomLink, is_link, link};
use super::problems::Problems;
use super::values::{LEAD_ID, Practice};

/// The longest name that a provider knows.
const NAME_CHARS_MAX: usize = 200;

impl Practice {
    /// Where the sessions of a practitioner take place online; of one that the file does not know,
    /// where those of the practice do.
    #[must_use]
    pub fn meeting_place(&self, practitioner_id: &str) -> MeetingPlace {
        let meetings = &self.meetings;
        let own = meetings.of(practitioner_id);
        match own.and_then(|it| it.provider).unwrap_or(meetings.provider) {
            MeetingProvider::Own => MeetingPlace::Own,
            MeetingProvider::Link => {
                let link = own.map(|it| &it.link).filter(|it| !it.is_empty());
                MeetingPlace::Link(link.unwrap_or(&meetings.link).clone())
            }
            MeetingProvider::Jitsi => MeetingPlace::Jitsi(meetings.jitsi()),
            MeetingProvider::Zoom => {
                let user = own.map(|it| &it.user).filter(|it| !it.is_empty());
                MeetingPlace::Zoom(user.unwrap_or(&meetings.user).clone())
            }
        }
    }

    /// The room of a practitioner's session that has none a day before it, if there is such a room.
    #[must_use]
    pub fn fallback_link(&self, practitioner_id: &str) -> Option<&RoomLink> {
        let own = self.meetings.of(practitioner_id).map(|it| &it.fallback_link);
        let link = own.filter(|it| !it.is_empty()).unwrap_or(&self.meetings.fallback_link);
        Some(link).filter(|it| !it.is_empty())
    }
}

/// Checks the table.
pub(super) fn problems(found: &mut Problems, practice: &Practice) {
    let meetings = &practice.meetings;
    let mut ids = HashSet::new();
    link(found, "meetings.link", &meetings.link);
    link(found, "meetings.fallback_link", &meetings.fallback_link);
    for own in &meetings.practitioners {
        let id = &own.practitioner_id;
        let key = "meetings.practitioners.practitioner_id";
        let is_known = practice.all_practitioners().iter().any(|it| it.id == *id);
        found.unless(is_known, key, &format!("{id:?} is no practitioner of this file"));
        found.unless(ids.insert(id), key, "a practitioner stands only once");
        let key = |name: &str| format!("meetings.practitioners.{id}.{name}");
        link(found, &key("link"), &own.link);
        link(found, &key("fallback_link"), &own.fallback_link);
        let provider = own.provider.unwrap_or(meetings.provider);
        let is_read = provider == MeetingProvider::Link || own.link.is_empty();
        found.unless(is_read, &key("link"), "only provider = \"link\" has one");
        let is_read = provider == MeetingProvider::Zoom || own.user.is_empty();
        found.unless(is_read, &key("user"), "only provider = \"zoom\" has one");
    }
    let mut used = HashSet::new();
    for practitioner in practice.all_practitioners() {
        let place = practice.meeting_place(&practitioner.id);
        needed(found, &place, &practitioner.id);
        used.insert(std::mem::discriminant(&place));
    }
    let is_used = |place: &MeetingPlace| used.contains(&std::mem::discriminant(place));
    let by_link = is_used(&MeetingPlace::Link(RoomLink::default()));
    let by_jitsi = is_used(&MeetingPlace::Jitsi(meetings.jitsi()));
    let by_zoom = is_used(&MeetingPlace::Zoom(String::new()));
    for (name, is_given, is_read, provider) in [
        ("link", !meetings.link.is_empty(), by_link, "link"),
        ("server", !meetings.server.is_empty(), by_jitsi, "jitsi"),
        ("app_id", !meetings.app_id.is_empty(), by_jitsi, "jitsi"),
        ("audience", !meetings.audience.is_empty(), by_jitsi, "jitsi"),
        ("user", !meetings.user.is_empty(), by_zoom, "zoom"),
    ] {
        let why = format!("only provider = \"{provider}\" has one");
        found.unless(!is_given || is_read, &format!("meetings.{name}"), &why);
    }
    let is_wanted = meetings.audience.is_empty() || !meetings.app_id.is_empty();
    found.unless(is_wanted, "meetings.audience", "only a server with app_id wants one");
}

/// Checks that a practitioner's place is whole.
fn needed(found: &mut Problems, place: &MeetingPlace, practitioner_id: &str) {
    let key = |name: &str| match practitioner_id {
        LEAD_ID => format!("meetings.{name}"),
        id => format!("meetings.practitioners.{id}.{name}"),
    };
    let is_name = |text: &str| {
        (1..=NAME_CHARS_MAX).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_graphic())
    };
    match place {
        MeetingPlace::Own => {}
        MeetingPlace::Link(link) => {
            let why = "with provider = \"link\" it must be given";
            found.unless(!link.is_empty(), &key("link"), why);
        }
        MeetingPlace::Jitsi(jitsi) => {
            // A server on the machine itself is for trials.
            let is_trial = jitsi.server.starts_with("http://127.0.0.1:");
            let is_plain = !jitsi.server.contains(['?', '#']);
            let why = "it must be the address of a Jitsi server, such as https://meet.example.org";
            let good = is_plain && (is_trial || is_link(&jitsi.server));
            found.unless(good, "meetings.server", why);
            let names = [("app_id", jitsi.app_id.as_deref()), ("audience", Some(&*jitsi.audience))];
            for (name, text) in names {
                let why = "it must be a word without spaces";
                found.unless(text.is_none_or(is_name), &format!("meetings.{name}"), why);
            }
        }
        MeetingPlace::Zoom(user) => {
            let why = "with provider = \"zoom\" it must be a user's mail address, or \"me\"";
            let is_user = user == "me" || (is_name(user) && user.split('@').count() == 2);
            found.unless(is_user, &key("user"), why);
        }
    }
}

#[cfg(test)]
mod tests;
