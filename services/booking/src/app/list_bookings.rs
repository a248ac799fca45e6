//! The bookings and the closed times of some days, for staff.

use contract::booking::v1 as wire;
use kernel::Timestamp;
use prost::Message as _;
use runtime::practice::PRACTITIONER_ID;

use super::request::parse_date;
use super::{Desk, Error, Rejection, refuse};
use crate::read_model::query::{self, Blocked};
use crate::read_model::view::{self, View};

/// The most days that are listed at once.
const DAYS_MAX: i32 = 92;
/// The most bookings that are listed at once.
const BOOKINGS_MAX: i64 = 500;
/// The most that they are together; long notes must not make an answer that nobody carries.
const BYTES_MAX: usize = 1_500_000;

/// The bookings whose first session is on one of some local days, in the order of their sessions;
/// and whether there are more than are listed.
///
/// # Errors
/// When the request is wrong.
pub async fn list_bookings(
    desk: &Desk,
    asked: &wire::ListBookingsRequest,
) -> Result<(Vec<View>, bool), Error> {
    let range = instants(desk, &asked.from_date, asked.days).await?;
    let words: Vec<&str> =
        asked.states.iter().flat_map(|state| view::state_words(*state)).collect();
    let wanted = if asked.states.is_empty() { None } else { Some(words.as_slice()) };
    let pool = desk.store.pool();
    let mut ids = query::bookings_between(pool, range, wanted, BOOKINGS_MAX + 1).await?;
    let listed = usize::try_from(BOOKINGS_MAX).unwrap_or(usize::MAX);
    let more = ids.len() > listed;
    ids.truncate(listed);
    let mut views = view::load_all(pool, &desk.practice, &ids).await?;
    let all = views.len();
    let mut bytes = 0_usize;
    let fits = |view: &&View| {
        bytes = bytes.saturating_add(view.booking.encoded_len());
        bytes <= BYTES_MAX
    };
    let fitting = views.iter().take_while(fits).count();
    views.truncate(fitting);
    Ok((views, more || fitting < all))
}

/// The times of some local days that are closed, in order.
///
/// # Errors
/// When the request is wrong.
pub async fn list_blocked_times(
    desk: &Desk,
    asked: &wire::ListBlockedTimesRequest,
) -> Result<Vec<Blocked>, Error> {
    let range = instants(desk, &asked.from_date, asked.days).await?;
    Ok(query::blocked_between(desk.store.pool(), PRACTITIONER_ID, range).await?)
}

/// The first instant of some local days, and the first one behind them.
async fn instants(desk: &Desk, from: &str, days: i32) -> Result<(Timestamp, Timestamp), Error> {
    let days = match days {
        0 => 1,
        days @ 1..=DAYS_MAX => days,
        _ => return Err(refuse(Rejection::RangeTooLong(DAYS_MAX))),
    };
    let from = if from.is_empty() {
        desk.rules.date_of(desk.store.now().await?)
    } else {
        parse_date(from).ok_or(refuse(Rejection::InvalidDate))?
    };
    let last = from
        .checked_add(jiff::Span::new().days(days - 1))
        .map_err(|_beyond| refuse(Rejection::InvalidDate))?;
    Ok((desk.rules.bounds(from).0, desk.rules.bounds(last).1))
}
