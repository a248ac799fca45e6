//! Where sessions online take place: the table `[meetings]` of `practice.toml`.

use std::fmt;

use serde::Deserialize;

use super::embedding::is_host;
use super::problems::Problems;

/// The longest link.
const LINK_CHARS_MAX: usize = 1000;

/// Where sessions online take place, unless a practitioner has a place of their own.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Meetings {
    /// How rooms come about.
    pub provider: MeetingProvider,
    /// Of `link`: the practice's room.
    pub link: RoomLink,
    /// Practitioners with a place of their own.
    pub practitioners: Vec<PractitionerMeetings>,
}

/// Where the sessions of one practitioner take place. What is left out is the practice's.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PractitionerMeetings {
    /// The practitioner.
    pub practitioner_id: String,
    /// How rooms come about.
    pub provider: Option<MeetingProvider>,
    /// Of `link`: the practitioner's room.
    #[serde(default)]
    pub link: RoomLink,
}

/// How rooms come about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MeetingProvider {
    /// By a program of the practice's own, which the settings of booking name.
    #[default]
    Own,
    /// There is one that is always the same.
    Link,
}

/// The link to a room. It lets each person in who has it, so it is in no log.
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct RoomLink(String);

impl RoomLink {
    /// The link; empty where there is none.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<&str> for RoomLink {
    fn from(link: &str) -> Self {
        Self(link.to_owned())
    }
}

impl fmt::Debug for RoomLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_empty() { "no link" } else { "a link" })
    }
}

/// The place that holds for a practitioner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MeetingPlace {
    /// Each booking has a room that a program of the practice's own makes.
    Own,
    /// All meet at one link.
    Link(RoomLink),
}

/// What is shown to clients as a link to a room must be one.
pub(super) fn link(found: &mut Problems, key: &str, link: &RoomLink) {
    let why = "it must be a link that begins with https://, without a name or password in it";
    found.unless(link.is_empty() || is_link(link.as_str()), key, why);
}

/// Whether a text is an address by HTTPS with a host, without a user.
pub(super) fn is_link(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("https://") else { return false };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, _) = rest.split_at(end);
    let (host, port) = match authority.split_once(':') {
        Some((host, port)) => (host, port.parse::<u16>().is_ok()),
        None => (authority, true),
    };
    let is_plain = |b: u8| b.is_ascii_graphic() && !b"\\\"<>^`{|}".contains(&b);
    text.len() <= LINK_CHARS_MAX
        && text.bytes().all(is_plain)
        && is_host(&host.to_ascii_lowercase())
        && host.contains('.')
        && port
}
