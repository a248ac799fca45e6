//! What of the practice's bookings and calendars a staff member sees and changes: a practitioner
//! the own calendar and clients alone, others all. Asked on each call.

use kernel::Id;
use kernel::id::Booking;
use practice::LEAD_ID;
use staff::{Role, Staff};

use super::App;
use crate::domain::organisation::OrganisationError;
use crate::error::{Error, Rejection, refuse};
use crate::read_model::view::View;
use crate::read_model::{members, query};

/// The calendars and clients that belong to a staff member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// All of the practice.
    Practice {
        /// Whether clients' notes are shown.
        shows_notes: bool,
    },
    /// One practitioner's, with the notes.
    Practitioner(String),
    /// None: a practitioner to whom no calendar is linked.
    Nothing,
}

/// The scope of a staff member.
pub async fn scope_of(app: &App, staff: Staff) -> Result<Scope, Error> {
    match staff.role {
        Role::Owner => return Ok(Scope::Practice { shows_notes: true }),
        Role::Admin | Role::FrontDesk => return Ok(Scope::Practice { shows_notes: false }),
        Role::Practitioner => {}
    }
    let member = members::find(app.store.pool(), staff.id).await?;
    let linked = member.and_then(|member| member.practitioner_id);
    Ok(own_practitioner(app, linked).map_or(Scope::Nothing, Scope::Practitioner))
}

/// The practitioner of a member of that role: the linked one, or the only one of the practice.
#[must_use]
pub fn own_practitioner(app: &App, linked: Option<String>) -> Option<String> {
    linked.or_else(|| (!app.practice.has_several_practitioners()).then(|| LEAD_ID.to_owned()))
}

impl Scope {
    /// Whether a practitioner's calendar and clients belong to it.
    #[must_use]
    pub fn admits(&self, practitioner_id: &str) -> bool {
        match self {
            Self::Practice { .. } => true,
            Self::Practitioner(own) => own == practitioner_id,
            Self::Nothing => false,
        }
    }

    /// The practitioner that a query is about; `None` for all.
    #[must_use]
    pub fn only(&self) -> Option<&str> {
        match self {
            Self::Practice { .. } => None,
            Self::Practitioner(own) => Some(own),
            // No practitioner has an empty id.
            Self::Nothing => Some(""),
        }
    }

    /// The practitioner that a request means: the named one, or without a name the own one.
    ///
    /// # Errors
    /// `NotOwnCalendar`.
    pub fn practitioner(&self, asked: String) -> Result<String, Error> {
        match self {
            Self::Practice { .. } => Ok(asked),
            Self::Practitioner(own) if asked.is_empty() || *own == asked => Ok(own.clone()),
            Self::Practitioner(_) | Self::Nothing => {
                Err(refuse(OrganisationError::NotOwnCalendar.into()))
            }
        }
    }

    /// Whether a booking belongs to it now.
    ///
    /// # Errors
    /// `BookingNotFound`.
    pub async fn check_booking(&self, app: &App, booking_id: &str) -> Result<(), Error> {
        let not_found = || refuse(Rejection::BookingNotFound);
        if matches!(self, Self::Practice { .. }) {
            return Ok(());
        }
        let id: Id<Booking> = booking_id.parse().map_err(|_malformed| not_found())?;
        let found = query::practitioner_of(app.store.pool(), id).await?;
        found.filter(|it| self.admits(it)).map(|_own| ()).ok_or_else(not_found)
    }

    /// The booking as its staff member may see it.
    #[must_use]
    pub fn shown(&self, mut view: View) -> View {
        let shows_notes = match self {
            Self::Practice { shows_notes } => *shows_notes,
            Self::Practitioner(own) => *own == view.booking.practitioner_id,
            Self::Nothing => false,
        };
        if let Some(contact) = view.booking.contact.as_mut()
            && !shows_notes
        {
            contact.notes.clear();
        }
        view
    }
}
