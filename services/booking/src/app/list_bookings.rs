//! Bookings and closed times of a range of days, for staff and for the day sheet.

use contract::booking::v1 as wire;
use contract::convert::timestamp;
use jiff::civil::Date;
use kernel::Timestamp;
use prost::Message as _;

use super::App;
use super::request::parse_date;
use super::staff_scope::Scope;
use crate::error::{Error, Rejection, refuse};
use crate::read_model::query::{self, Blocked};
use crate::read_model::view::{self, View};

/// The maximum number of days of one request.
const DAYS_MAX: i32 = 92;
/// The maximum number of bookings of one response.
const BOOKINGS_MAX: i64 = 500;
/// The maximum size of the bookings in bytes, so that long notes don't exceed the message limit.
const BYTES_MAX: usize = 1_500_000;

/// States of bookings that take place or have taken place.
const TAKES_PLACE: [wire::BookingState; 4] = [
    wire::BookingState::Confirmed,
    wire::BookingState::MeetingScheduled,
    wire::BookingState::Completed,
    wire::BookingState::NoShow,
];

/// What of some days is listed.
#[derive(Debug)]
pub struct Listed<T> {
    /// What was found, by start time.
    pub found: Vec<T>,
    /// Whether more exists than is listed.
    pub more: bool,
    /// The days that were asked for, for the audit log: "2026-11-24/2026-11-30".
    pub range: String,
    /// The first of these days, "2026-11-24".
    pub first: String,
}

/// The bookings whose first session is on one of the given local days, as far as a staff member may
/// see them.
///
/// # Errors
/// When the request is invalid.
pub async fn list_bookings(
    app: &App,
    request: &wire::ListBookingsRequest,
    scope: &Scope,
) -> Result<Listed<View>, Error> {
    let days = Days::read(app, &request.from_date, request.days).await?;
    let words: Vec<&str> =
        request.states.iter().flat_map(|state| view::state_words(*state)).collect();
    let states = if request.states.is_empty() { None } else { Some(words.as_slice()) };
    let pool = app.store.pool();
    let filter = (states, scope.only());
    let instants = days.instants(app);
    let mut ids = query::bookings_between(pool, instants, filter, BOOKINGS_MAX + 1).await?;
    let listed = usize::try_from(BOOKINGS_MAX).unwrap_or(usize::MAX);
    let more = ids.len() > listed;
    ids.truncate(listed);
    let views = view::load_all(pool, &app.practice, &ids).await?;
    let mut views: Vec<View> = views.into_iter().map(|view| scope.shown(view)).collect();
    let all = views.len();
    let mut bytes = 0_usize;
    let fits = |view: &&View| {
        bytes = bytes.saturating_add(view.booking.encoded_len());
        bytes <= BYTES_MAX
    };
    let fitting = views.iter().take_while(fits).count();
    views.truncate(fitting);
    Ok(Listed {
        found: views,
        more: more || fitting < all,
        range: days.text(),
        first: days.first.to_string(),
    })
}

/// The bookings that take place on a local day, each with its sessions of that day, by start time.
///
/// # Errors
/// When the date is malformed.
pub async fn list_day_sessions(app: &App, date: &str) -> Result<Vec<wire::Booking>, Error> {
    let date = parse_date(date).ok_or(refuse(Rejection::InvalidDay))?;
    let (from, to) = app.rules.bounds(date);
    let words: Vec<&str> =
        TAKES_PLACE.iter().flat_map(|state| view::state_words((*state).into())).collect();
    let pool = app.store.pool();
    let filter = (Some(words.as_slice()), None);
    // A day holds no more than its practitioners can give, so none is left out.
    let ids = query::bookings_between(pool, (from, to), filter, i64::MAX).await?;
    let views = view::load_all(pool, &app.practice, &ids).await?;
    let mut bookings: Vec<wire::Booking> = views.into_iter().map(|view| view.booking).collect();
    for booking in &mut bookings {
        let is_here = |it: &wire::Session| start(it).is_some_and(|at| at >= from && at < to);
        booking.sessions.retain(|it| !it.cancelled && is_here(it));
    }
    bookings.retain(|booking| !booking.sessions.is_empty());
    bookings.sort_by_key(|booking| booking.sessions.first().and_then(start));
    Ok(bookings)
}

fn start(session: &wire::Session) -> Option<Timestamp> {
    session.starts_at.as_ref().and_then(timestamp)
}

/// The closed times of a range of local days, by start time: of all practitioners, or of the staff
/// member's own calendar.
///
/// # Errors
/// When the request is invalid.
pub async fn list_blocked_times(
    app: &App,
    request: &wire::ListBlockedTimesRequest,
    scope: &Scope,
) -> Result<Listed<Blocked>, Error> {
    let days = Days::read(app, &request.from_date, request.days).await?;
    let found = query::blocked_between(app.store.pool(), days.instants(app), scope.only()).await?;
    Ok(Listed { found, more: false, range: days.text(), first: days.first.to_string() })
}

/// A range of local days.
struct Days {
    first: Date,
    last: Date,
}

impl Days {
    async fn read(app: &App, from: &str, days: i32) -> Result<Self, Error> {
        let days = match days {
            0 => 1,
            days @ 1..=DAYS_MAX => days,
            _ => return Err(refuse(Rejection::RangeTooLong(DAYS_MAX))),
        };
        let first = if from.is_empty() {
            app.rules.date_of(app.store.now().await?)
        } else {
            parse_date(from).ok_or(refuse(Rejection::InvalidDate))?
        };
        let last = first
            .checked_add(jiff::Span::new().days(days - 1))
            .map_err(|_beyond| refuse(Rejection::InvalidDate))?;
        Ok(Self { first, last })
    }

    /// The instants at which it starts and ends.
    fn instants(&self, app: &App) -> (Timestamp, Timestamp) {
        (app.rules.bounds(self.first).0, app.rules.bounds(self.last).1)
    }

    fn text(&self) -> String {
        format!("{}/{}", self.first, self.last)
    }
}
