//! Where sessions online take place, as `[meetings]` of `practice.toml` says: a port with an
//! adapter for each kind of place. A provider gets the time and a generic title, but neither the
//! service nor the customer.

use std::collections::BTreeMap;

use practice::{MeetingPlace, Practice};
use secrecy::SecretString;

pub use self::error::MeetingError;
use self::own::OwnProvider;
pub use self::room::{Room, RoomRequest};

mod error;
mod own;
mod room;

/// What the places of a practice need beside its file.
#[derive(Debug, Clone, Default)]
pub struct MeetingSecrets {
    /// Of a program of the practice's own: where it answers, and our token.
    pub own: Option<(String, SecretString)>,
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
}

/// Where the sessions of a practice take place online.
#[derive(Debug, Clone)]
pub struct Meetings {
    /// Of practitioners whom the file does not know any more.
    usual: Option<Place>,
    by_practitioner: BTreeMap<String, Place>,
}

impl Meetings {
    /// The places of a practice.
    ///
    /// # Errors
    /// A place lacks its settings.
    pub fn new(practice: &Practice, secrets: &MeetingSecrets) -> Result<Self, UnusablePlace> {
        let own = secrets.own.as_ref();
        let own = own.map(|(url, token)| OwnProvider::new(url, token.clone())).transpose()?;
        let place = |id: &str| match practice.meeting_place(id) {
            MeetingPlace::Own => own.clone().map(Place::Own),
            MeetingPlace::Link(link) => Some(Place::Link(link.as_str().to_owned())),
        };
        let mut by_practitioner = BTreeMap::new();
        for practitioner in practice.all_practitioners() {
            let missing = || UnusablePlace::NoOwnProvider(practitioner.name.clone());
            let found = place(&practitioner.id).ok_or_else(missing)?;
            by_practitioner.insert(practitioner.id, found);
        }
        Ok(Self { usual: place(""), by_practitioner })
    }

    fn place(&self, practitioner_id: &str) -> Option<&Place> {
        self.by_practitioner.get(practitioner_id).or(self.usual.as_ref())
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
            Some(Place::Link(_)) | None => Err(MeetingError::NoPlace),
        }
    }
}
