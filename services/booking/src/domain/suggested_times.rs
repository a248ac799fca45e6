//! Which times a client is shown first in place of one that the practice can't hold.

use jiff::civil::Date;
use kernel::Timestamp;

use super::availability::Rules;
use super::span::Span;

/// How many times are shown.
const SHOWN: usize = 3;
/// How far ahead of now they are at least, in minutes.
const AHEAD_MINUTES: i64 = 120;
/// Seconds of a day.
const DAY_SECONDS: i64 = 24 * 60 * 60;

/// Of free times, which come by their starts, those nearest to the old one, on different days where
/// there are as many; the nearest first. A day later at the same hour is nearer than an evening.
#[must_use]
pub fn suggested(
    free: impl IntoIterator<Item = Span>,
    old: Timestamp,
    rules: &Rules,
    now: Timestamp,
) -> Vec<Timestamp> {
    let earliest = now.plus_minutes(AHEAD_MINUTES);
    let distance = |start: &Timestamp| distance(start.seconds_since(old));
    let starts = free.into_iter().map(|span| span.starts_at());
    let mut nearest: Vec<Timestamp> = starts.filter(|start| *start >= earliest).collect();
    // Of two as near as each other the earlier one comes first.
    nearest.sort_by_key(distance);
    let (mut chosen, mut others) = (Vec::new(), Vec::new());
    let mut dates: Vec<Date> = Vec::new();
    for start in nearest {
        let date = rules.date_of(start);
        if dates.contains(&date) {
            others.push(start);
        } else {
            dates.push(date);
            chosen.push(start);
        }
    }
    chosen.extend(others);
    chosen.truncate(SHOWN);
    chosen.sort_by_key(distance);
    chosen
}

/// By how many days so many seconds are apart, and by how many seconds the time of day differs.
const fn distance(seconds: i64) -> (i64, i64) {
    let days = (seconds + DAY_SECONDS / 2).div_euclid(DAY_SECONDS);
    (days.abs(), (seconds - days * DAY_SECONDS).abs())
}

#[cfg(test)]
mod tests;
