//! Load on the gateway while stores and processes fail: bookings at a fixed rate, each asked for
//! again with its key until it is acknowledged, and a share of them paid.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::Result;
use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use rand::seq::SliceRandom as _;
use tokio::time::{Instant, MissedTickBehavior, interval};

use crate::customer::Customer;
use crate::pause::wait_for;
use crate::practice::Practice;
use crate::tokens::TokenIssuer;

/// What is booked.
const SERVICE: &str = "meditation";
/// How long a booking is asked for again until it counts as not acknowledged.
const GIVE_UP_AFTER: Duration = Duration::from_secs(150);
/// The pauses between two tries, as the page has them for reads.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LAST_PAUSE: Duration = Duration::from_secs(2);

/// How much is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Rate {
    /// Bookings in a second.
    pub per_second: u32,
    /// For how many seconds.
    pub seconds: u32,
    /// One booking of so many is paid.
    pub paid_of: u32,
}

impl Rate {
    /// How many bookings are asked for.
    #[must_use]
    pub fn bookings(&self) -> u32 {
        self.per_second * self.seconds
    }
}

/// What the clients have seen.
#[derive(Debug, Default, Clone)]
pub(crate) struct Tally {
    /// When each acknowledged booking was asked for the last time and when it was acknowledged.
    pub(crate) acknowledged: Vec<(Instant, Instant)>,
    /// Answers that ask to try again, by their status.
    pub(crate) refusals: BTreeMap<u16, usize>,
    /// Answers without words for people.
    pub(crate) wordless: usize,
    /// Calls without an answer: the connection broke or the time was over.
    pub(crate) unanswered: usize,
    /// Bookings that were refused for good or not acknowledged in the end.
    pub(crate) given_up: Vec<String>,
    /// How many bookings were paid at the provider.
    pub(crate) paid: usize,
}

impl Tally {
    /// How many answers had this status.
    pub(crate) fn answers(&self, status: u16) -> usize {
        self.refusals.get(&status).copied().unwrap_or_default()
    }

    /// How long it took from `since` until a booking was acknowledged that was asked for later.
    pub(crate) fn gap_since(&self, since: Instant) -> Option<Duration> {
        let later = self.acknowledged.iter().filter(|(asked, _)| *asked >= since);
        later.map(|(_, at)| at.duration_since(since)).min()
    }

    /// The longest time between two acknowledgements.
    pub(crate) fn slowest(&self) -> Option<Duration> {
        let mut times: Vec<Instant> = self.acknowledged.iter().map(|(_, at)| *at).collect();
        times.sort_unstable();
        times.iter().zip(times.iter().skip(1)).map(|(one, next)| *next - *one).max()
    }

    /// How many were acknowledged from one moment to another.
    pub(crate) fn acknowledged_between(&self, since: Instant, until: Instant) -> usize {
        self.acknowledged.iter().filter(|(_, at)| (since..until).contains(at)).count()
    }
}

/// Clients that book.
pub(crate) struct Load<'p> {
    practice: &'p Practice,
    issuer: TokenIssuer,
    starts: Mutex<Vec<String>>,
    rate: Rate,
    tally: Mutex<Tally>,
}

impl<'p> Load<'p> {
    /// Clients of this practice; they book nothing yet.
    ///
    /// # Errors
    /// When it does not list its free times.
    pub(crate) async fn new(practice: &'p Practice, rate: Rate) -> Result<Self> {
        let issuer = TokenIssuer::of(practice).await?;
        let reader = Customer::with_issued_token(practice, &issuer, "Load")?;
        let mut starts = reader.free_starts(SERVICE).await?;
        // Neighbours in the list are of one day, whose bookings wait for each other.
        starts.shuffle(&mut rand::rng());
        let wanted = usize::try_from(rate.bookings())?;
        anyhow::ensure!(starts.len() >= wanted, "only {} times are free", starts.len());
        Ok(Self { practice, issuer, starts: Mutex::new(starts), rate, tally: Mutex::default() })
    }

    /// Books at the rate, and returns when the last booking has its answer.
    ///
    /// # Errors
    /// When a customer's token cannot be made.
    pub(crate) async fn run(&self) -> Result<()> {
        let mut due = interval(Duration::from_secs(1) / self.rate.per_second.max(1));
        // A late tick is made up for: the rate does not depend on the answers.
        due.set_missed_tick_behavior(MissedTickBehavior::Burst);
        let mut running = FuturesUnordered::new();
        let mut asked = 0;
        loop {
            let is_over = asked >= self.rate.bookings();
            if is_over && running.is_empty() {
                return Ok(());
            }
            tokio::select! {
                _ = due.tick(), if !is_over => {
                    running.push(self.book(asked));
                    asked += 1;
                }
                Some(booked) = running.next(), if !running.is_empty() => booked?,
            }
        }
    }

    /// What the clients have seen until now.
    pub(crate) fn tally(&self) -> Tally {
        self.seen().clone()
    }

    async fn book(&self, number: u32) -> Result<()> {
        let customer = Customer::with_issued_token(self.practice, &self.issuer, "Load")?;
        let start = self.starts.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let start = start.unwrap_or_default();
        let request = customer.request(SERVICE, &start, &format!("load-{number:06}"));
        let Some(booking_id) = self.ask(&customer, &request).await else { return Ok(()) };
        if !number.is_multiple_of(self.rate.paid_of) {
            return Ok(());
        }
        let paid = async {
            let order = customer.order(&booking_id).await?;
            self.practice.pay(&order).await
        };
        match paid.await {
            Ok(_answer) => self.seen().paid += 1,
            Err(error) => self.seen().given_up.push(format!("paying {booking_id}: {error:#}")),
        }
        Ok(())
    }

    /// Asks for a booking until it is acknowledged.
    async fn ask(&self, customer: &Customer<'_>, request: &serde_json::Value) -> Option<String> {
        let began = Instant::now();
        let mut pause = FIRST_PAUSE;
        let mut last = String::new();
        while began.elapsed() < GIVE_UP_AFTER {
            let asked = Instant::now();
            let call = customer.call_once("booking.v1.BookingService/RequestBooking", request);
            match call.await {
                Ok(answer) if answer.status == 200 => {
                    let id = answer.body["booking"]["bookingId"].as_str()?.to_owned();
                    self.seen().acknowledged.push((asked, Instant::now()));
                    return Some(id);
                }
                Ok(answer) => {
                    let mut seen = self.seen();
                    *seen.refusals.entry(answer.status).or_default() += 1;
                    let has_words =
                        answer.body["message"].as_str().is_some_and(|it| !it.is_empty());
                    seen.wordless += usize::from(!has_words || answer.reason().is_empty());
                    last = format!("{} {}", answer.status, answer.body["message"]);
                    let again = answer.status >= 500 || answer.status == 429;
                    if !again && answer.reason() != "CONFLICT" {
                        break;
                    }
                }
                Err(error) => {
                    self.seen().unanswered += 1;
                    last = format!("{error:#}");
                }
            }
            wait_for(pause).await;
            pause = (pause * 2).min(LAST_PAUSE);
        }
        self.seen().given_up.push(last);
        None
    }

    fn seen(&self) -> MutexGuard<'_, Tally> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
