//! The free times that a client is shown first where the practice asks for another one.

use contract::convert::to_wire;
use kernel::id::Booking;
use kernel::{Id, Timestamp};

use super::App;
use super::list_slots::Calendar;
use super::move_dates::{check_dates, package_terms};
use super::schedule_meeting::load_state;
use crate::domain::span::Span;
use crate::domain::suggested_times::suggested;
use crate::error::Error;
use crate::read_model::query;
use crate::read_model::view::View;

/// The times for the session of a booking's open proposal; none without one. They are not held, and
/// found anew each time. Neither the old time nor what overlaps it is among them.
///
/// # Errors
/// When the database or the catalogue does not answer.
pub async fn suggested_times(
    app: &App,
    view: &View,
    now: Timestamp,
) -> Result<Vec<prost_types::Timestamp>, Error> {
    if view.booking.move_proposal.is_none() {
        return Ok(Vec::new());
    }
    let id: Id<Booking> = view.booking.booking_id.parse().map_err(Error::unavailable)?;
    let (_events, state) = load_state(app, id).await?;
    let (Some(facts), Some(proposal)) = (state.facts(), state.move_proposal()) else {
        return Ok(Vec::new());
    };
    let practitioner = app.practitioners.get(&facts.practitioner_id);
    let (Some(practitioner), Some(old)) = (practitioner, facts.session(proposal.session)) else {
        return Ok(Vec::new());
    };
    let terms = package_terms(app, id).await?;
    let others = query::other_sessions(app.store.pool(), facts, now).await?;
    let calendar = Calendar::read(app, practitioner, now, |_all| true).await?;
    let minutes = i32::try_from(old.minutes()).unwrap_or(0);
    let fits = |to: &Span| {
        !others.iter().any(|other| other.overlaps(to))
            && check_dates(app, facts, proposal.session, *to, terms.as_ref()).is_ok()
    };
    let free = calendar.free(minutes, now).into_iter().filter(fits);
    let starts = suggested(free, old.starts_at(), &app.rules, now);
    Ok(starts.into_iter().map(to_wire).collect())
}
