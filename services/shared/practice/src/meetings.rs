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
    /// Of `jitsi`: the server's address, for example "https://meet.example.org".
    pub server: String,
    /// Of `jitsi`, where the server wants tokens: the id of our application there.
    pub app_id: String,
    /// Of `jitsi`, where the server wants tokens: the audience that it accepts; "jitsi" without it.
    pub audience: String,
    /// Of `zoom`: the user who holds the meetings, by mail address; "me" for the app's owner.
    pub user: String,
    /// The room of a session that has none a day before it, because the provider is away.
    pub fallback_link: RoomLink,
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
    /// Of `zoom`: the practitioner's user.
    #[serde(default)]
    pub user: String,
    /// The practitioner's room of a session that has none a day before it.
    #[serde(default)]
    pub fallback_link: RoomLink,
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
    /// On a server of Jitsi, when the first person enters.
    Jitsi,
    /// As meetings of the practice's account at Zoom.
    Zoom,
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
    /// Each booking has a room of its own on a server of Jitsi.
    Jitsi(JitsiPlace),
    /// Each booking has a meeting of this user of Zoom.
    Zoom(String),
}

/// A server of Jitsi.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JitsiPlace {
    /// Its address, without a slash at its end.
    pub server: String,
    /// The id of our application, where it wants tokens.
    pub app_id: Option<String>,
    /// The audience that it accepts.
    pub audience: String,
}

impl JitsiPlace {
    /// What a token is about: the tenant, which is the address's path, else the host.
    #[must_use]
    pub fn subject(&self) -> &str {
        let place = self.server.split_once("://").map_or(self.server.as_str(), |(_, rest)| rest);
        let (host, path) = place.split_once('/').unwrap_or((place, ""));
        let host = host.split(':').next().unwrap_or(host);
        if path.is_empty() { host } else { path }
    }
}

impl Meetings {
    pub(super) fn jitsi(&self) -> JitsiPlace {
        let audience = if self.audience.is_empty() { "jitsi" } else { &self.audience };
        JitsiPlace {
            server: self.server.trim_end_matches('/').to_lowercase(),
            app_id: Some(self.app_id.clone()).filter(|it| !it.is_empty()),
            audience: audience.to_owned(),
        }
    }

    pub(super) fn of(&self, practitioner_id: &str) -> Option<&PractitionerMeetings> {
        self.practitioners.iter().find(|it| it.practitioner_id == practitioner_id)
    }
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
