//! Where sessions online take place, as `[meetings]` of `practice.toml` says: a port with an
//! adapter for each kind of place. A provider gets the time and a generic title, but neither the
//! service nor the customer.

use std::collections::BTreeMap;

use kernel::{Id, Timestamp};
use practice::{MeetingPlace, Practice};
use secrecy::SecretString;
use uuid::Uuid;

pub use self::error::{MeetingError, ZoomRefusal};
use self::jitsi::Jitsi;
use self::marks::RoomNames;
use self::own::OwnProvider;
pub use self::room::{Pass, Room, RoomRequest};
pub use self::zoom::{Zoom, ZoomMeeting, ZoomSettings};
use crate::domain::span::Span;

mod error;
mod jitsi;
mod marks;
mod own;
mod room;
mod zoom;

/// When a trial's meeting would be, in seconds since 1970: in the year 2100.
const TRIAL_SECONDS: i64 = 4_102_444_800;

/// What the places of a practice need beside its file.
#[derive(Debug, Clone, Default)]
pub struct MeetingSecrets {
    /// Of a program of the practice's own: where it answers, and our token.
    pub own: Option<(String, SecretString)>,
    /// Of a Jitsi server that wants tokens: the application's secret.
    pub jitsi: Option<SecretString>,
    /// The account at Zoom.
    pub zoom: Option<ZoomSettings>,
}

/// Why the places cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum UnusablePlace {
    /// There is no program of the practice's own.
    #[error(
        "BOOKING_MEETING_URL is not set, and [meetings] of practice.toml names no other provider \
         for {0}"
    )]
    NoOwnProvider(String),
    /// The tokens of a Jitsi server can't be signed.
    #[error("[meetings] of practice.toml has app_id, and BOOKING_MEETING_JITSI_SECRET is not set")]
    NoJitsiSecret,
    /// There is no account at Zoom.
    #[error(
        "[meetings] of practice.toml has provider = \"zoom\", and BOOKING_MEETING_ZOOM_ACCOUNT is \
         not set"
    )]
    NoZoomAccount,
    /// The key of rooms' names cannot be one.
    #[error("BOOKING_FEED_KEY cannot be a key")]
    WeakKey,
    /// No connections can be made.
    #[error("no client can be made")]
    Client(#[from] reqwest::Error),
}

/// Where sessions of one practitioner take place.
#[derive(Debug, Clone)]
enum Place {
    /// A program of the practice's own makes a room for each booking.
    Own(OwnProvider),
    /// It is always the same room.
    Link(String),
    /// Each booking has a room of its own on this server.
    Jitsi(Jitsi),
    /// Each booking has a meeting of this user.
    Zoom(String),
}

/// The adapters that a practice has settings for.
struct Adapters {
    own: Option<OwnProvider>,
    zoom: Option<Zoom>,
    names: RoomNames,
    jitsi: Option<SecretString>,
}

impl Adapters {
    fn place(&self, wanted: MeetingPlace) -> Result<Place, UnusablePlace> {
        match wanted {
            MeetingPlace::Own => {
                let missing = || UnusablePlace::NoOwnProvider(String::new());
                self.own.clone().map(Place::Own).ok_or_else(missing)
            }
            MeetingPlace::Link(link) => Ok(Place::Link(link.as_str().to_owned())),
            MeetingPlace::Jitsi(place) => {
                let secret = self.jitsi.clone().filter(|_| place.app_id.is_some());
                if place.app_id.is_some() && secret.is_none() {
                    return Err(UnusablePlace::NoJitsiSecret);
                }
                Ok(Place::Jitsi(Jitsi::new(place, self.names.clone(), secret)))
            }
            MeetingPlace::Zoom(_) if self.zoom.is_none() => Err(UnusablePlace::NoZoomAccount),
            MeetingPlace::Zoom(user) => Ok(Place::Zoom(user)),
        }
    }
}

/// Where the sessions of a practice take place online.
#[derive(Debug, Clone)]
pub struct Meetings {
    /// Of practitioners whom the file does not know any more.
    usual: Option<Place>,
    by_practitioner: BTreeMap<String, Place>,
    names: RoomNames,
    /// Also where no place is there any more, because what was made there ends by it.
    zoom: Option<Zoom>,
}

/// What has to be written down before a provider is asked that knows no idempotency key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Intent {
    /// The provider's user, whose meeting it becomes.
    pub user: String,
    /// The mark by which it is found.
    pub mark: String,
}

impl Meetings {
    /// The places of a practice. Names of rooms are made with the key.
    ///
    /// # Errors
    /// A place lacks its settings.
    pub fn new(
        practice: &Practice,
        secrets: &MeetingSecrets,
        key: &SecretString,
    ) -> Result<Self, UnusablePlace> {
        let own = secrets.own.as_ref();
        let own = own.map(|(url, token)| OwnProvider::new(url, token.clone())).transpose()?;
        let zoom = secrets.zoom.clone().map(Zoom::new).transpose()?;
        let names = RoomNames::new(key).ok_or(UnusablePlace::WeakKey)?;
        let adapters = Adapters { own, zoom, names, jitsi: secrets.jitsi.clone() };
        let mut by_practitioner = BTreeMap::new();
        for practitioner in practice.all_practitioners() {
            let place = adapters.place(practice.meeting_place(&practitioner.id));
            let place = place.map_err(|error| match error {
                UnusablePlace::NoOwnProvider(_) => UnusablePlace::NoOwnProvider(practitioner.name),
                other => other,
            })?;
            by_practitioner.insert(practitioner.id, place);
        }
        let usual = adapters.place(practice.meeting_place("")).ok();
        let Adapters { names, zoom, .. } = adapters;
        Ok(Self { usual, by_practitioner, names, zoom })
    }

    fn place(&self, practitioner_id: &str) -> Option<&Place> {
        self.by_practitioner.get(practitioner_id).or(self.usual.as_ref())
    }

    /// What has to be written down before this room is asked for, if anything has to.
    #[must_use]
    pub fn intent(&self, request: &RoomRequest) -> Option<Intent> {
        match self.place(&request.practitioner_id)? {
            Place::Zoom(user) => {
                Some(Intent { user: user.clone(), mark: self.names.of(request.booking_id) })
            }
            Place::Own(_) | Place::Link(_) | Place::Jitsi(_) => None,
        }
    }

    /// The account at Zoom.
    #[must_use]
    pub fn zoom(&self) -> Option<&Zoom> {
        self.zoom.as_ref()
    }

    /// Creates the room of a booking; a repeated call returns the same one.
    ///
    /// # Errors
    /// Why no room was created yet.
    pub async fn create(&self, request: &RoomRequest) -> Result<Room, MeetingError> {
        match self.place(&request.practitioner_id) {
            Some(Place::Own(provider)) => provider.create(request).await,
            Some(Place::Link(link)) if !link.is_empty() => {
                Ok(Room { meeting_id: request.booking_id.to_string(), join_url: link.clone() })
            }
            Some(Place::Jitsi(jitsi)) => Ok(jitsi.room(request.booking_id)),
            // Its meetings are made by `zoom`, after an intent is written down.
            Some(Place::Zoom(_) | Place::Link(_)) | None => Err(MeetingError::NoPlace),
        }
    }

    /// Tries the place of a practitioner's sessions: makes a meeting and removes it, where the
    /// provider can. A program of the practice's own has one room for all trials.
    ///
    /// # Errors
    /// Why there would be no room.
    pub async fn try_place(&self, practitioner_id: &str) -> Result<&'static str, MeetingError> {
        let request = trial(practitioner_id).ok_or(MeetingError::NoPlace)?;
        match self.place(practitioner_id) {
            Some(Place::Zoom(user)) => {
                let zoom = self.zoom.as_ref().ok_or(MeetingError::NoPlace)?;
                let made = zoom.create(user, &request, "a trial, to be removed").await?;
                zoom.delete(&made.number).await?;
                Ok("a meeting at Zoom was made and removed")
            }
            Some(Place::Jitsi(jitsi)) => {
                jitsi.answers().await?;
                Ok("the Jitsi server answers")
            }
            Some(Place::Own(_)) => {
                self.create(&request).await?;
                Ok("your own provider made a room")
            }
            Some(Place::Link(_)) | None => {
                self.create(&request).await?;
                Ok("a fixed link, which needs no provider")
            }
        }
    }

    /// A stored link as a person can use it: a server that wants tokens gets one.
    #[must_use]
    pub fn entrance(&self, link: String, pass: Pass) -> String {
        let places = self.by_practitioner.values().chain(&self.usual);
        let mut found = places.filter_map(|place| match place {
            Place::Jitsi(jitsi) => jitsi.entrance(&link, pass),
            Place::Own(_) | Place::Link(_) | Place::Zoom(_) => None,
        });
        found.next().unwrap_or(link)
    }
}

/// What a trial asks for: always the same, so that a provider with idempotency keys makes one room.
fn trial(practitioner_id: &str) -> Option<RoomRequest> {
    let starts_at = Timestamp::from_seconds(TRIAL_SECONDS)?;
    Some(RoomRequest {
        booking_id: Id::from_uuid(Uuid::nil()),
        practitioner_id: practitioner_id.to_owned(),
        title: "A trial".to_owned(),
        session: Span::new(starts_at, starts_at.plus_minutes(15))?,
        is_package: false,
        time_zone: "UTC".to_owned(),
    })
}
