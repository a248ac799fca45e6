//! Dropped requests: connections that are closed while their request is being handled.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::Result;
use futures::stream::{self, StreamExt as _};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::customer::Customer;
use crate::pause::wait_for;
use crate::practice::{Practice, STORES};
use crate::tokens::TokenIssuer;

/// How many requests are dropped at the same time.
const CONCURRENCY: usize = 16;
/// How many clients send them; each may hold two slots, so few are enough.
const CLIENTS: usize = 24;
/// How often idle transactions are counted; the server ends them after 15 seconds.
const POLL_INTERVAL: Duration = Duration::from_secs(2);
/// The longest wait before a connection is closed; most answers take about as long or longer.
const WAIT_MICROS_MAX: u64 = 25_000;

/// Drops requests in flight.
pub struct RequestDropper<'p> {
    clients: Vec<Customer<'p>>,
}

impl<'p> RequestDropper<'p> {
    /// With issued tokens for its clients.
    ///
    /// When the tokens cannot be issued.
    pub async fn new(practice: &'p Practice) -> Result<Self> {
        let issuer = TokenIssuer::of(practice).await?;
        let clients =
            (0..CLIENTS).map(|_one| Customer::with_issued_token(practice, &issuer, "Hasty"));
        Ok(Self { clients: clients.collect::<Result<_>>()? })
    }

    /// Sends so many requests and drops each. Returns how many had no answer yet.
    ///
    /// Never; missing answers are intended.
    pub async fn drop_many(&self, count: usize, seed: u64) -> Result<usize> {
        let mut rng = StdRng::seed_from_u64(seed);
        let starts = match self.clients.first() {
            // Without an answer a fixed start is used, which is not offered.
            Some(one) => timeout(Duration::from_secs(5), one.free_starts("meditation")).await,
            None => return Ok(0),
        };
        let starts = starts.map_or_else(|_late| Vec::new(), Result::unwrap_or_default);
        let requests: Vec<_> = (0..count)
            .filter_map(|index| {
                let one = self.clients.choose(&mut rng)?;
                let (method, body) = request(one, &starts, index, &mut rng);
                Some((one, method, body, rng.random_range(0..WAIT_MICROS_MAX)))
            })
            .collect();
        let dropped = stream::iter(requests).map(|(one, method, body, micros)| async move {
            let asked = one.call_once(method, &body);
            timeout(Duration::from_micros(micros), asked).await.is_err()
        });
        let dropped = dropped.buffer_unordered(CONCURRENCY);
        Ok(dropped.filter(|dropped| std::future::ready(*dropped)).count().await)
    }
}

fn request(
    one: &Customer<'_>,
    starts: &[String],
    index: usize,
    rng: &mut StdRng,
) -> (&'static str, Value) {
    let key = format!("hasty-{}-{index}", rng.random::<u32>());
    let booking = format!("bkg_{}", eventstore::new_uuid().simple());
    let body = json!({ "bookingId": booking, "idempotencyKey": key });
    match rng.random_range(0..6) {
        0 => ("booking.v1.BookingService/OpenCheckout", body),
        1 => ("payments.v1.PaymentsService/StartPayment", body),
        2 => ("booking.v1.BookingService/ReleaseBooking", body),
        _ => {
            let start = starts.choose(rng).map_or("2027-01-01T05:30:00Z", String::as_str);
            let wish = one.request("meditation", start, &key);
            ("booking.v1.BookingService/RequestBooking", wish)
        }
    }
}

/// How many database sessions have been idle in a transaction for more than ten seconds:
/// connections that a dropped request left in a pool.
pub async fn idle_transactions(practice: &Practice) -> Result<usize> {
    let database = practice.pool("booking")?;
    let found: i64 = sqlx::query_scalar(
        "select count(*) from pg_stat_activity
         where usename = any ($1) and state like 'idle in transaction%'
           and state_change < clock_timestamp() - interval '10 seconds'",
    )
    .bind(STORES)
    .fetch_one(&database)
    .await?;
    Ok(usize::try_from(found)?)
}

/// Counts such sessions repeatedly and keeps the highest count.
pub(super) async fn watch(practice: &Practice, worst: &AtomicUsize) -> Result<()> {
    loop {
        // A database that is down has no sessions, and a stopped process keeps its own open until
        // it continues.
        if let Ok(seen) = idle_transactions(practice).await
            && !is_stopped(practice)
        {
            worst.fetch_max(seen, Ordering::SeqCst);
        }
        wait_for(POLL_INTERVAL).await;
    }
}

/// Whether a service with a database is stopped by SIGSTOP.
fn is_stopped(practice: &Practice) -> bool {
    let state = |service: &str| {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", practice.pid(service).ok()?));
        stat.ok()?.rsplit_once(") ")?.1.chars().next()
    };
    STORES.iter().any(|service| state(service) == Some('T'))
}
