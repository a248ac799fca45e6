//! The start times of a range of days, free or not; public.

use contract::booking::v1 as wire;
use contract::convert::to_wire;
use jiff::civil::Date;
use kernel::Timestamp;
use practice::PRACTITIONER_ID;

use super::App;
use super::request::{is_service_id, parse_date};
use crate::domain::availability::Slot;
use crate::domain::span::Span;
use crate::error::{Error, Rejection, refuse};
use crate::read_model::{query, view};

/// The maximum number of days of one request, and the default.
const DAYS_MAX: i32 = 42;
const DAYS_USUAL: i32 = 7;

/// Lists the start times.
///
/// # Errors
/// When the request is invalid or the catalogue does not answer.
pub async fn list_slots(
    app: &App,
    request: wire::ListSlotsRequest,
) -> Result<wire::ListSlotsResponse, Error> {
    let days = match request.days {
        0 => DAYS_USUAL,
        days @ 1..=DAYS_MAX => days,
        _ => return Err(refuse(Rejection::RangeTooLong(DAYS_MAX))),
    };
    if !is_service_id(&request.service_id) {
        return Err(refuse(Rejection::ServiceNotFound));
    }
    let from = if request.from_date.is_empty() { None } else { Some(date(&request.from_date)?) };
    let minutes = app.catalogue.offering(&request.service_id).await?.duration_minutes;
    let now = app.store.now().await?;
    let rules = &app.rules;
    let today = rules.date_of(now);
    let last_date = rules.last_date(now);
    let horizon = (rules.bounds(today).0, rules.bounds(last_date).1);
    let taken = query::taken(app.store.pool(), PRACTITIONER_ID, horizon, now).await?;
    let mut shown = Vec::new();
    let mut date = from.unwrap_or(today);
    for _ in 0..days {
        shown.push(day(app, (date, minutes), &taken, now));
        date = date.tomorrow().map_err(|_beyond| refuse(Rejection::InvalidDate))?;
    }
    Ok(wire::ListSlotsResponse {
        days: shown,
        time_zone: view::zone_name(&app.practice),
        time_zone_label: app.practice.practice.zone_label.clone(),
        next_available_at: rules.next_free(minutes, &taken, now).map(to_wire),
        last_date: last_date.to_string(),
    })
}

fn day(app: &App, (date, minutes): (Date, i32), taken: &[Span], now: Timestamp) -> wire::SlotDay {
    let shown = |slot: Slot| wire::Slot {
        starts_at: Some(to_wire(slot.span.starts_at())),
        ends_at: Some(to_wire(slot.span.ends_at())),
        available: slot.available,
    };
    wire::SlotDay {
        date: date.to_string(),
        slots: app.rules.slots(date, minutes, taken, now).into_iter().map(shown).collect(),
        closed: !app.rules.is_open(date),
    }
}

fn date(text: &str) -> Result<Date, Error> {
    parse_date(text).ok_or(refuse(Rejection::InvalidDate))
}
