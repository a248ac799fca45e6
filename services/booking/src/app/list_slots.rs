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
use crate::domain::practitioners::{OccupiedTime, Practitioner, slots_of_anyone};
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
    let days = dates(&request.from_date, request.days)?;
    if !is_service_id(&request.service_id) {
        return Err(refuse(Rejection::ServiceNotFound));
    }
    let offering = app.catalogue.offering(&request.service_id).await?;
    let wanted = wanted_practitioner(request.practitioner_id);
    let eligible = eligible_practitioners(app, &offering, wanted.as_deref())?;
    let now = app.store.now().await?;
    let mut calendars = Vec::with_capacity(eligible.len());
    for practitioner in eligible {
        calendars.push(Calendar::read(app, &practitioner, now, |_all| true).await?);
    }
    days.list(app, &calendars, offering.duration_minutes, now)
}

/// The days that a request asks for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Days {
    /// The first; `None` for today.
    from: Option<Date>,
    count: i32,
}

/// Reads which days are asked for.
///
/// # Errors
/// `RangeTooLong` or `InvalidDate`.
pub(super) fn dates(from: &str, days: i32) -> Result<Days, Error> {
    let count = match days {
        0 => DAYS_USUAL,
        days @ 1..=DAYS_MAX => days,
        _ => return Err(refuse(Rejection::RangeTooLong(DAYS_MAX))),
    };
    Ok(Days { from: if from.is_empty() { None } else { Some(date(from)?) }, count })
}

impl Days {
    /// The starts of sessions of this length in these calendars.
    ///
    /// # Errors
    /// `InvalidDate` beyond the last date that there is.
    pub(super) fn list(
        self,
        app: &App,
        calendars: &[Calendar],
        minutes: i32,
        now: Timestamp,
    ) -> Result<wire::ListSlotsResponse, Error> {
        let mut shown = Vec::new();
        let mut date = self.from.unwrap_or_else(|| app.rules.date_of(now));
        for _ in 0..self.count {
            shown.push(day(calendars, (date, minutes), now));
            date = date.tomorrow().map_err(|_beyond| refuse(Rejection::InvalidDate))?;
        }
        let next_free =
            calendars.iter().filter_map(|it| it.rules().next_free(minutes, &it.taken, now));
        Ok(wire::ListSlotsResponse {
            days: shown,
            time_zone: view::zone_name(&app.practice),
            time_zone_label: app.practice.practice.zone_label.clone(),
            next_available_at: next_free.min().map(to_wire),
            last_date: app.rules.last_date(now).to_string(),
        })
    }
}

/// A practitioner's timetable and the times of it that are taken.
pub(super) struct Calendar {
    practitioner: Arc<Practitioner>,
    taken: Vec<Span>,
}

impl Calendar {
    /// Those of a practitioner as far as can be booked, of the taken times those that `counts`.
    pub(super) async fn read(
        app: &App,
        practitioner: &Arc<Practitioner>,
        now: Timestamp,
        counts: impl Fn(&OccupiedTime) -> bool,
    ) -> Result<Self, Error> {
        let (today, last_date) = (app.rules.date_of(now), app.rules.last_date(now));
        let horizon = (app.rules.bounds(today).0, app.rules.bounds(last_date).1);
        let taken = query::occupied(app.store.pool(), &practitioner.id, horizon, now).await?;
        let taken = taken.into_iter().filter(counts).map(|it| it.span).collect();
        Ok(Self { practitioner: Arc::clone(practitioner), taken })
    }

    /// The free times of sessions of this length as far as can be booked, in order.
    pub(super) fn free(&self, minutes: i32, now: Timestamp) -> Vec<Span> {
        let rules = self.rules();
        let last = rules.last_date(now);
        let dates = std::iter::successors(Some(rules.date_of(now)), |date| date.tomorrow().ok());
        dates
            .take_while(|date| *date <= last)
            .flat_map(|date| rules.slots(date, minutes, &self.taken, now))
            .filter(|slot| slot.available)
            .map(|slot| slot.span)
            .collect()
    }

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
