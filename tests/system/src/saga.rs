//! Bookings from the first click to their end, each in a way of its own: paid, late, abandoned,
//! claimed, wrong. A customer repeats what has no answer, with the same key, as the page does.

mod disputed;
mod staff;

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};
use testkit::until_within;

use crate::customer::Customer;
use crate::pause::wait_for;
use crate::practice::Practice;
use crate::tokens::Mint;

/// How long a booking may take to its end: kills, leases and late webhooks included.
const PATIENCE: Duration = Duration::from_secs(240);
/// Longer than any hold.
const HOLD_MINUTES: i64 = 31;
/// How often the stage looks whether everybody waits for time to pass.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// For how many looks everybody has to wait for an end before time is helped along.
const LOOKS_BEFORE_HELP: u32 = 40;
/// How far it is helped at first. Each time after that it is twice as far, as long as nobody came
/// to an end: a mail is tried again after minutes, another refund is asked for after an hour.
const HELP_MINUTES: i64 = 2;
/// With fewer free times than these, time moves on, and new days can be booked.
const FREE_MIN: usize = 30;
/// What is booked; the lengths differ, so that times overlap without being equal.
const SERVICES: [&str; 4] =
    ["general-consultation", "energy-healing", "karmic-healing", "meditation"];

/// A way in which a booking goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Plan {
    /// Paid by card, and the checkout's answer is handed in.
    Answered,
    /// The browser is closed at the moment of payment: the webhook tells.
    WebhookOnly,
    /// No webhook comes either: the poll finds it.
    PollOnly,
    /// The first try is declined, the second works.
    SecondTry,
    /// The bank finds the money seconds after it said no.
    LateOutcome,
    /// The customer says that it is paid before it is.
    Claimed,
    /// Held, and no more.
    HeldOnly,
    /// An order is made, and nobody pays it.
    Abandoned,
    /// Held and given back.
    Released,
    /// Paid after the hold ended; nobody took the time.
    LateAndFree,
    /// Paid after the hold ended and another took the time.
    LateAndTaken,
    /// Another amount is paid than was asked for.
    WrongAmount,
    /// Paid twice.
    PaidTwice,
    /// Paid, and cancelled by the practice, which gives everything back.
    Cancelled,
    /// Paid, and given back by the practice, which keeps the session.
    RefundedByStaff,
    /// The practice takes the customer's word, and the money comes later.
    ClaimAccepted,
    /// Paid and placed, and disputed later; the payer's bank decides for one side or the other.
    Disputed,
    /// No booking: the practice closes an evening, and opens it again.
    Blocked,
}

impl Plan {
    /// All of them.
    pub const ALL: [Self; 18] = [
        Self::Answered,
        Self::WebhookOnly,
        Self::PollOnly,
        Self::SecondTry,
        Self::LateOutcome,
        Self::Claimed,
        Self::HeldOnly,
        Self::Abandoned,
        Self::Released,
        Self::LateAndFree,
        Self::LateAndTaken,
        Self::WrongAmount,
        Self::PaidTwice,
        Self::Cancelled,
        Self::RefundedByStaff,
        Self::ClaimAccepted,
        Self::Disputed,
        Self::Blocked,
    ];
}

/// Where sagas run. Time passes here when everybody waits for it.
pub struct Stage<'p> {
    practice: &'p Practice,
    mint: Mint,
    staff: Customer<'p>,
    count: AtomicU64,
    active: AtomicUsize,
    for_a_hold: AtomicUsize,
    for_an_end: AtomicUsize,
}

/// One more of a counter until this value is dropped.
struct Counted<'c>(&'c AtomicUsize);

impl<'c> Counted<'c> {
    fn new(counter: &'c AtomicUsize) -> Self {
        counter.fetch_add(1, Ordering::SeqCst);
        Self(counter)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A booking on its way.
struct Running<'s, 'p> {
    stage: &'s Stage<'p>,
    customer: Customer<'p>,
    service: &'static str,
    starts_at: String,
    booking_id: String,
}

impl<'p> Stage<'p> {
    /// A stage in a practice.
    ///
    /// # Errors
    /// When its signing key cannot be read.
    pub async fn new(practice: &'p Practice) -> Result<Self> {
        let mint = Mint::of(practice).await?;
        Ok(Self {
            practice,
            staff: staff::hired(practice, &mint).await?,
            mint,
            count: AtomicU64::new(0),
            active: AtomicUsize::new(0),
            for_a_hold: AtomicUsize::new(0),
            for_an_end: AtomicUsize::new(0),
        })
    }

    /// The practice that they run in.
    #[must_use]
    pub fn practice(&self) -> &'p Practice {
        self.practice
    }

    /// Runs these sagas side by side, and lets time pass when they all wait for it.
    ///
    /// # Errors
    /// The first that does not come to its end.
    pub async fn play(&self, plans: &[Plan]) -> Result<()> {
        let sagas = futures::future::try_join_all(plans.iter().map(|plan| self.saga(*plan)));
        tokio::select! {
            ended = sagas => ended.map(|_all| ()),
            stopped = self.time_passes() => stopped,
        }
    }

    /// Moves the clocks whenever all sagas wait for it.
    ///
    /// # Errors
    /// When they cannot be moved.
    pub async fn time_passes(&self) -> Result<()> {
        let (mut idle, mut help, mut before) = (0, HELP_MINUTES, 0);
        loop {
            wait_for(LOOK_EVERY).await;
            let active = self.active.load(Ordering::SeqCst);
            let (holds, ends) =
                (self.for_a_hold.load(Ordering::SeqCst), self.for_an_end.load(Ordering::SeqCst));
            let all_wait = active > 0 && holds + ends == active;
            idle = if all_wait { idle + 1 } else { 0 };
            if active != before {
                (help, before) = (HELP_MINUTES, active);
            }
            if all_wait && holds > 0 {
                self.practice.advance_clocks(HOLD_MINUTES).await?;
            } else if idle > LOOKS_BEFORE_HELP {
                self.practice.advance_clocks(help).await?;
                (idle, help) = (0, help * 2);
            }
        }
    }

    /// One booking from its beginning to its end.
    ///
    /// # Errors
    /// When it does not come to its end.
    pub async fn saga(&self, plan: Plan) -> Result<()> {
        let _active = Counted::new(&self.active);
        // Keys and times of several stages in one practice shall differ too.
        let number = self.count.fetch_add(1, Ordering::SeqCst);
        if plan == Plan::Blocked {
            return self.evening_closed(number).await.context("Blocked");
        }
        let running = self.held(number).await.with_context(|| format!("{plan:?} {number}"))?;
        let id = running.booking_id.clone();
        running.go(plan).await.with_context(|| format!("{plan:?} {number} {id}"))
    }

    /// Holds a time that is free; somebody else may be faster, then another one.
    async fn held(&self, number: u64) -> Result<Running<'_, 'p>> {
        let customer = Customer::minted(self.practice, &self.mint, "Saga")?;
        let index = usize::try_from(number)?;
        let service = SERVICES[index % SERVICES.len()];
        for attempt in 0..40 {
            let mut free = customer.free_starts(service).await?;
            if free.len() < FREE_MIN {
                // Another day comes into the calendar.
                self.practice.advance_clocks(24 * 60).await?;
                continue;
            }
            // Neighbours in number shall not all want the same time.
            let starts_at = free.swap_remove((index * 7 + attempt) % free.len());
            let key = format!("saga-{number}-{attempt}");
            let asked = customer.ask_for(service, &starts_at, &key).await?;
            if let Ok(booking_id) = asked {
                return Ok(Running { stage: self, customer, service, starts_at, booking_id });
            }
        }
        bail!("no time could be held");
    }
}

impl Running<'_, '_> {
    async fn go(&self, plan: Plan) -> Result<()> {
        match plan {
            Plan::HeldOnly => return self.hold_ends().await,
            Plan::Released => {
                // The hold may have ended meanwhile; then there is nothing to give back.
                return match self.customer.release(&self.booking_id).await {
                    Ok(()) => Ok(()),
                    Err(_refused) => self.hold_ends().await,
                };
            }
            _ => {}
        }
        let order = match self.customer.order(&self.booking_id).await {
            Ok(order) => order,
            // Time has passed, and the page shows the way back.
            Err(refused) if refused.to_string().contains("failed_precondition") => {
                return self.hold_ends().await;
            }
            Err(error) => return Err(error),
        };
        match plan {
            Plan::Abandoned => self.hold_ends().await,
            Plan::LateAndFree => {
                self.hold_ends().await?;
                self.pay(&order, json!({})).await?;
                self.placed_or_refunded().await
            }
            Plan::LateAndTaken => {
                self.hold_ends().await?;
                self.taken_by_another().await?;
                self.pay(&order, json!({})).await?;
                self.placed_or_refunded().await
            }
            _ => {
                // Time may have passed, and then the money comes late.
                drop(self.customer.open_checkout(&self.booking_id).await);
                self.check_out(plan, &order).await
            }
        }
    }

    /// Somebody else books and pays the time; a mere hold would end while the late money is on its
    /// way. Whoever has it now, it is taken.
    async fn taken_by_another(&self) -> Result<()> {
        let stage = self.stage;
        let customer = Customer::minted(stage.practice, &stage.mint, "Quick")?;
        let key = format!("quick-{}", self.booking_id);
        let Ok(booking_id) = customer.ask_for(self.service, &self.starts_at, &key).await? else {
            return Ok(());
        };
        let (service, starts_at) = (self.service, self.starts_at.clone());
        let quick = Running { stage, customer, service, starts_at, booking_id };
        // Time may have passed for this one too.
        let Ok(order) = quick.customer.order(&quick.booking_id).await else { return Ok(()) };
        quick.pay(&order, json!({})).await?;
        quick.placed_or_refunded().await
    }

    async fn check_out(&self, plan: Plan, order: &str) -> Result<()> {
        match plan {
            Plan::PollOnly => {
                let fault = json!({ "target": "webhook", "kind": "drop", "times": 2 });
                drop(self.stage.practice.sandbox_post("/api/faults", &fault).await);
                self.pay(order, json!({})).await?;
            }
            Plan::SecondTry => {
                self.pay(order, json!({ "outcome": "failed" })).await?;
                self.pay(order, json!({})).await?;
            }
            Plan::LateOutcome => {
                self.pay(order, json!({ "outcome": "late", "delay_ms": 1500 })).await?;
            }
            Plan::Claimed => {
                self.customer.claim(&self.booking_id).await?;
                self.pay(order, json!({})).await?;
            }
            Plan::WrongAmount => {
                self.pay(order, json!({ "amount": 100 })).await?;
                return self.refunded().await;
            }
            Plan::PaidTwice => {
                self.pay(order, json!({})).await?;
                self.pay(order, json!({ "again": true })).await?;
            }
            Plan::Cancelled => {
                self.pay(order, json!({})).await?;
                self.placed_or_refunded().await?;
                return self.cancelled().await;
            }
            Plan::RefundedByStaff => {
                self.pay(order, json!({})).await?;
                self.placed_or_refunded().await?;
                return self.refunded_by_staff().await;
            }
            Plan::Disputed => {
                let paid = self.pay(order, json!({})).await?;
                self.placed_or_refunded().await?;
                return self.disputed(paid).await;
            }
            Plan::ClaimAccepted => {
                self.claim_refused().await?;
                self.customer.claim(&self.booking_id).await?;
                self.claim_accepted().await?;
                self.pay(order, json!({})).await?;
            }
            Plan::Answered => {
                if let Some(paid) = self.pay(order, json!({})).await? {
                    self.customer.hand_in(&self.booking_id, &paid).await?;
                }
            }
            _ => drop(self.pay(order, json!({})).await?),
        }
        self.placed_or_refunded().await
    }

    /// Pays at the provider. Gives nothing when it was paid and the checkout's answer got lost.
    async fn pay(&self, order: &str, how: Value) -> Result<Option<Value>> {
        let mut body = json!({ "order_id": order, "method": "upi" });
        if let (Some(body), Some(how)) = (body.as_object_mut(), how.as_object()) {
            body.extend(how.clone());
        }
        self.at_provider("/api/pay", &body).await
    }

    /// Has something happen at the provider. Gives nothing when it was done and the answer got
    /// lost.
    async fn at_provider(&self, path: &str, body: &Value) -> Result<Option<Value>> {
        let practice = self.stage.practice;
        let mut tries = 0;
        until_within(PATIENCE, "it is done at the provider", async || {
            tries += 1;
            let url = format!("{}{path}", practice.sandbox);
            let asked = practice.http.post(url).json(body).send().await;
            match asked {
                Ok(answer) if answer.status() == 200 => Ok(answer.json().await.ok().map(Some)),
                // Whoever asks again for what was done already is refused.
                Ok(answer) if answer.status().is_client_error() && tries > 1 => Ok(Some(None)),
                Ok(answer) if answer.status().is_client_error() => {
                    bail!("the sandbox refuses: {}", answer.text().await?)
                }
                _ => Ok(None),
            }
        })
        .await
    }

    /// Waits until the time is not held any more.
    async fn hold_ends(&self) -> Result<()> {
        let _waits = Counted::new(&self.stage.for_a_hold);
        self.until("its hold has ended", |booking| {
            let held = ["BOOKING_STATE_HELD", "BOOKING_STATE_AWAITING_PAYMENT"];
            !held.iter().any(|state| booking["state"] == *state)
        })
        .await
    }

    /// Waits until the money has done its work, or is back.
    async fn placed_or_refunded(&self) -> Result<()> {
        let _waits = Counted::new(&self.stage.for_an_end);
        self.until("it is placed, or its money is back", |booking| {
            let placed = ["BOOKING_STATE_MEETING_SCHEDULED", "BOOKING_STATE_COMPLETED"];
            placed.iter().any(|state| booking["state"] == *state)
                || booking["paymentState"] == "PAYMENT_STATE_REFUNDED"
        })
        .await
    }

    async fn refunded(&self) -> Result<()> {
        let _waits = Counted::new(&self.stage.for_an_end);
        self.until("its money is back", |booking| {
            booking["paymentState"] == "PAYMENT_STATE_REFUNDED"
        })
        .await
    }

    async fn until(&self, what: &str, is_so: fn(&Value) -> bool) -> Result<()> {
        let mut last = Value::Null;
        let waited = until_within(PATIENCE, what, async || {
            last = self.customer.booking(&self.booking_id).await?;
            Ok(is_so(&last).then_some(()))
        })
        .await;
        waited.with_context(|| format!("it is {} {}", last["state"], last["paymentState"]))
    }
}
