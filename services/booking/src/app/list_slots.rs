//! The start times of a range of days, free or not; public.

use std::sync::Arc;

use contract::booking::v1 as wire;
use contract::convert::to_wire;
use jiff::civil::Date;
use kernel::Timestamp;

use super::App;
use super::practitioner_choice::eligible_practitioners;
use super::request::{is_service_id, parse_date, wanted_practitioner};
use crate::domain::availability::{Rules, Slot};
use crate::domain::practitioners::{Practitioner, slots_of_anyone};
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
    let offering = app.catalogue.offering(&request.service_id).await?;
    let wanted = wanted_practitioner(request.practitioner_id);
    let eligible = eligible_practitioners(app, &offering, wanted.as_deref())?;
    let now = app.store.now().await?;
    let last_date = app.rules.last_date(now);
    let today = app.rules.date_of(now);
    let horizon = (app.rules.bounds(today).0, app.rules.bounds(last_date).1);
    let mut calendars = Vec::with_capacity(eligible.len());
    for practitioner in eligible {
        let taken = query::occupied(app.store.pool(), &practitioner.id, horizon, now).await?;
        calendars.push(Calendar { practitioner, taken: taken.iter().map(|it| it.span).collect() });
    }
    let minutes = offering.duration_minutes;
    let mut shown = Vec::new();
    let mut date = from.unwrap_or(today);
    for _ in 0..days {
        shown.push(day(&calendars, (date, minutes), now));
        date = date.tomorrow().map_err(|_beyond| refuse(Rejection::InvalidDate))?;
    }
    let next_free = calendars.iter().filter_map(|it| it.rules().next_free(minutes, &it.taken, now));
    Ok(wire::ListSlotsResponse {
        days: shown,
        time_zone: view::zone_name(&app.practice),
        time_zone_label: app.practice.practice.zone_label.clone(),
        next_available_at: next_free.min().map(to_wire),
        last_date: last_date.to_string(),
    })
}

/// A practitioner's timetable and the times of it that are taken.
struct Calendar {
    practitioner: Arc<Practitioner>,
    taken: Vec<Span>,
}

impl Calendar {
    fn rules(&self) -> &Rules {
        &self.practitioner.rules
    }
}

fn day(calendars: &[Calendar], (date, minutes): (Date, i32), now: Timestamp) -> wire::SlotDay {
    let wire_slot = |slot: Slot| wire::Slot {
        starts_at: Some(to_wire(slot.span.starts_at())),
        ends_at: Some(to_wire(slot.span.ends_at())),
        available: slot.available,
    };
    let slots = calendars.iter().flat_map(|it| it.rules().slots(date, minutes, &it.taken, now));
    wire::SlotDay {
        date: date.to_string(),
        slots: slots_of_anyone(slots).into_iter().map(wire_slot).collect(),
        closed: !calendars.iter().any(|it| it.rules().is_open(date)),
    }
}

fn date(text: &str) -> Result<Date, Error> {
    parse_date(text).ok_or(refuse(Rejection::InvalidDate))
}
