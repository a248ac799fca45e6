//! Requests for bookings that can all be granted: each for a time of its own, two of each customer,
//! made before they are needed, so that making them costs no measurement anything.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Context as _, Result, ensure};
use contract::booking::v1::{Contact, RequestBookingRequest, SessionMode};
use serde_json::json;
use system::{Practice, TokenIssuer};

use crate::timetable::{HORIZON_DAYS, SERVICE, STEP_MINUTES};

/// How many times a customer may hold, as the practice's rules have it.
const PER_CUSTOMER: u32 = 2;
/// The first days are left out, because their first times pass while this runs.
const FIRST_DAY: u32 = 2;
const DAY_SECONDS: u32 = 24 * 60 * 60;
/// The starts of a day in whose time the practice with its usual hours may have sold sessions
/// before: from eleven in the morning until half past six.
const USUAL_HOURS: std::ops::Range<u32> = 11 * 12..18 * 12 + 6;

/// One request for a booking.
#[derive(Debug, Clone)]
pub(crate) struct BookingRequest {
    /// Whose it is.
    pub(crate) token: Arc<str>,
    /// When the session starts, in seconds since 1970.
    pub(crate) starts_at: i64,
    email: Arc<str>,
    key: String,
}

impl BookingRequest {
    /// As the page asks it.
    pub(crate) fn json(&self) -> String {
        json!({
            "idempotencyKey": self.key, "serviceId": SERVICE, "startsAt": rfc3339(self.starts_at),
            "mode": "SESSION_MODE_ONLINE", "termsAccepted": true,
            "contact": {
                "firstName": "Asha", "lastName": "Verma", "email": &*self.email,
                "phone": "+91 98765 43210", "notes": "",
            },
        })
        .to_string()
    }

    /// As the gateway asks it.
    pub(crate) fn message(&self) -> RequestBookingRequest {
        RequestBookingRequest {
            idempotency_key: self.key.clone(),
            service_id: SERVICE.to_owned(),
            starts_at: Some(prost_types::Timestamp { seconds: self.starts_at, nanos: 0 }),
            mode: SessionMode::Online.into(),
            contact: Some(Contact {
                first_name: "Asha".to_owned(),
                last_name: "Verma".to_owned(),
                email: self.email.to_string(),
                phone: "+91 98765 43210".to_owned(),
                notes: String::new(),
            }),
            terms_accepted: true,
            practitioner_id: String::new(),
            scheduled_event_uri: String::new(),
            consent: None,
            package_id: String::new(),
            further_starts_at: Vec::new(),
            shown: None,
        }
    }
}

/// An instant as requests write it.
pub(crate) fn rfc3339(seconds: i64) -> String {
    jiff::Timestamp::from_second(seconds).map(|it| it.to_string()).unwrap_or_default()
}

/// All booking requests of a run. Start times are taken from the days in rotation, so that a day
/// has as few bookings as possible, because a full day's answer is longer.
#[derive(Debug)]
pub(crate) struct RequestPool {
    midnight: i64,
    next: AtomicU32,
    made: AtomicU32,
    ready: Mutex<VecDeque<BookingRequest>>,
    accepted: AtomicUsize,
}

impl RequestPool {
    /// None yet, from the practice's next midnights on.
    pub(crate) async fn new(practice: &Practice) -> Result<Self> {
        let mut database = practice.database("booking").await?;
        let sql = "select extract(epoch from date_trunc('day', clock_now() at time zone
                   'Asia/Kolkata') at time zone 'Asia/Kolkata')::bigint";
        let midnight = sqlx::query_scalar(sql).fetch_one(&mut database).await?;
        Ok(Self {
            midnight,
            next: AtomicU32::new(0),
            made: AtomicU32::new(0),
            ready: Mutex::default(),
            accepted: AtomicUsize::new(0),
        })
    }

    /// A free start time, in seconds since 1970.
    ///
    /// # Errors
    /// When all are taken.
    pub(crate) fn time(&self) -> Result<i64> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let starts = starts_at(self.midnight, number);
        starts.context("every time of a year is taken: restart the run with fewer bookings")
    }

    /// Makes sure that `count` booking requests are ready.
    ///
    /// # Errors
    /// When times run out or a token cannot be made.
    pub(crate) fn refill(&self, issuer: &TokenIssuer, count: usize) -> Result<()> {
        let missing = count.saturating_sub(self.queue().len());
        let customers = missing.div_ceil(usize::try_from(PER_CUSTOMER)?);
        let mut people = Vec::with_capacity(customers);
        for _ in 0..customers {
            let number = self.made.fetch_add(1, Ordering::Relaxed);
            let email = format!("asha.{number}@customers.example");
            let (_id, token) = issuer.token(&email)?;
            let (token, email): (Arc<str>, Arc<str>) = (token.into(), email.into());
            people.push((number, token, email));
        }
        // No customer asks for two times at once: first bookings of all, then second bookings.
        for which in 0..PER_CUSTOMER {
            for (number, token, email) in &people {
                let key = format!("bench-{number:07}-{which}");
                let (token, email) = (Arc::clone(token), Arc::clone(email));
                let booking = BookingRequest { token, starts_at: self.time()?, email, key };
                self.queue().push_back(booking);
            }
        }
        Ok(())
    }

    /// Drops what is ready: tokens name the practice's address, which a restart changes. Their
    /// times are left out from then on.
    pub(crate) fn discard(&self) {
        self.queue().clear();
    }

    /// The next one.
    ///
    /// # Errors
    /// When none was made; then what was measured would be wrong.
    pub(crate) fn take(&self) -> Result<BookingRequest> {
        let booking = self.queue().pop_front();
        booking.context("more was asked for than was prepared: prepare more")
    }

    /// Notes that one was granted.
    pub(crate) fn record_accepted(&self) {
        self.accepted.fetch_add(1, Ordering::Relaxed);
    }

    /// How many were.
    pub(crate) fn accepted(&self) -> usize {
        self.accepted.load(Ordering::Relaxed)
    }

    fn queue(&self) -> MutexGuard<'_, VecDeque<BookingRequest>> {
        self.ready.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How many days have times.
fn days() -> u32 {
    HORIZON_DAYS - FIRST_DAY
}

/// The time with this number: one of each day, then the next of each day.
fn starts_at(midnight: i64, number: u32) -> Option<i64> {
    let (day, turn) = (number % days() + FIRST_DAY, number / days());
    let length = USUAL_HOURS.end - USUAL_HOURS.start;
    let place = if turn < USUAL_HOURS.start { turn } else { turn + length };
    let second = place * STEP_MINUTES * 60;
    (second < DAY_SECONDS).then(|| midnight + i64::from(day * DAY_SECONDS + second))
}

/// Refuses a run whose rows are not what was acknowledged.
///
/// # Errors
/// When a booking is missing, or one exists that wasn't acknowledged.
pub(crate) fn check_row_count(acknowledged: usize, rows: i64) -> Result<()> {
    let rows = usize::try_from(rows)?;
    ensure!(
        rows == acknowledged,
        "{acknowledged} bookings were acknowledged, but {rows} are there"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_time_is_another_one_until_the_year_is_full() {
        let all: Vec<i64> = (0..).map_while(|number| starts_at(1000, number)).collect();
        let distinct: HashSet<&i64> = all.iter().collect();
        assert_eq!(all.len(), distinct.len());
        assert_eq!(all.len(), usize::try_from(days() * (288 - 90)).unwrap());
        assert!(all.iter().all(|start| (start - 1000) % 300 == 0));
    }

    #[test]
    fn days_fill_evenly() {
        let first = starts_at(0, 0).unwrap();
        assert_eq!(starts_at(0, 1).unwrap() - first, i64::from(DAY_SECONDS));
        assert_eq!(starts_at(0, days()).unwrap() - first, 300);
    }

    #[test]
    fn instants_are_written_as_the_contract_wants() {
        assert_eq!(rfc3339(1_795_498_200), "2026-11-24T05:30:00Z");
    }

    #[test]
    fn a_row_too_few_and_a_row_too_many_are_refused() {
        assert!(check_row_count(2, 2).is_ok());
        assert!(check_row_count(2, 1).is_err() && check_row_count(2, 3).is_err());
    }
}
