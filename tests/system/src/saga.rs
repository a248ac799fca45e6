//! Runs bookings from the request to the end, each by one plan: paid, late, abandoned, claimed,
//! wrong. A client repeats a call without an answer with the same key, as the page does.

mod disputes;
mod late;
mod links;
mod members;
mod moves;
mod newer;
mod owner;
mod own;
mod phone;
mod plan;
mod staff;
mod waiting;
pub(crate) mod weekly;

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};
use testkit::until_within;

use crate::customer::Customer;
use crate::pause::wait_for;
use crate::practice::Practice;
use crate::tokens::TokenIssuer;

pub use plan::Plan;

/// How long a booking may take to end, kills, leases and late webhooks included.
const TIMEOUT: Duration = Duration::from_secs(240);
/// Longer than any hold.
const HOLD_MINUTES: i64 = 31;
/// How often it is checked whether all sagas wait for time to pass.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// After how many checks in which all sagas wait for an end the clocks are moved.
const POLLS_BEFORE_ADVANCE: u32 = 40;
/// By how much they are moved first. Each further move is twice as far until a saga ends: a mail is
/// retried after minutes, a refund is renewed after an hour.
const FIRST_ADVANCE_MINUTES: i64 = 2;
/// With fewer free slots than this the clocks move on, and new days can be booked.
const FREE_SLOTS_MIN: usize = 30;
/// The booked services; their lengths differ, so that slots overlap without being equal.
const SERVICES: [&str; 4] =
    ["general-consultation", "energy-healing", "karmic-healing", "meditation"];

/// A service that the starter package is offered for.
const PACKAGED: &str = "karmic-healing";

/// What costs nothing.
const CONSULTATION: &str = "free-consultation";

/// Runs sagas in one practice, and moves the clocks when all of them wait for time to pass.
pub struct SagaRunner<'p> {
    practice: &'p Practice,
    issuer: TokenIssuer,
    staff: Customer<'p>,
    count: AtomicU64,
    active: AtomicUsize,
    waiting_for_hold: AtomicUsize,
    waiting_for_outcome: AtomicUsize,
}

/// Increments a counter until it is dropped.
struct CounterGuard<'c>(&'c AtomicUsize);

impl<'c> CounterGuard<'c> {
    fn new(counter: &'c AtomicUsize) -> Self {
        counter.fetch_add(1, Ordering::SeqCst);
        Self(counter)
    }
}

impl Drop for CounterGuard<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A booking in progress.
struct RunningSaga<'s, 'p> {
    runner: &'s SagaRunner<'p>,
    customer: Customer<'p>,
    service: &'static str,
    starts_at: String,
    booking_id: String,
}

impl<'p> SagaRunner<'p> {
    /// A runner for this practice.
    ///
    /// # Errors
    /// When its signing key cannot be read.
    pub async fn new(practice: &'p Practice) -> Result<Self> {
        let issuer = TokenIssuer::of(practice).await?;
        Ok(Self {
            practice,
            staff: owner::new_owner(practice, &issuer).await?,
            issuer,
            count: AtomicU64::new(0),
            active: AtomicUsize::new(0),
            waiting_for_hold: AtomicUsize::new(0),
            waiting_for_outcome: AtomicUsize::new(0),
        })
    }

    /// The practice of the sagas.
    #[must_use]
    pub fn practice(&self) -> &'p Practice {
        self.practice
    }

    /// Runs these sagas concurrently, and moves the clocks when all of them wait for it.
    ///
    /// The first saga that does not end.
    pub async fn run_all(&self, plans: &[Plan]) -> Result<()> {
        let sagas = futures::future::try_join_all(plans.iter().map(|plan| self.run_one(*plan)));
        tokio::select! {
            ended = sagas => ended.map(|_all| ()),
            stopped = self.advance_clocks_when_idle() => stopped,
        }
    }

    /// Moves the clocks whenever all sagas wait for time to pass.
    ///
    /// # Errors
    /// When they cannot be moved.
    pub async fn advance_clocks_when_idle(&self) -> Result<()> {
        let (mut idle, mut advance, mut before) = (0, FIRST_ADVANCE_MINUTES, 0);
        loop {
            wait_for(POLL_INTERVAL).await;
            let active = self.active.load(Ordering::SeqCst);
            let (holds, ends) = (
                self.waiting_for_hold.load(Ordering::SeqCst),
                self.waiting_for_outcome.load(Ordering::SeqCst),
            );
            let all_wait = active > 0 && holds + ends == active;
            idle = if all_wait { idle + 1 } else { 0 };
            if active != before {
                (advance, before) = (FIRST_ADVANCE_MINUTES, active);
            }
            if all_wait && holds > 0 {
                self.practice.advance_clocks(HOLD_MINUTES).await?;
            } else if idle > POLLS_BEFORE_ADVANCE {
                self.practice.advance_clocks(advance).await?;
                (idle, advance) = (0, advance * 2);
            }
        }
    }

    /// Runs one booking to its end.
    ///
    /// When it does not end.
    pub async fn run_one(&self, plan: Plan) -> Result<()> {
        let _active = CounterGuard::new(&self.active);
        match plan {
            Plan::Blocked => {
                let number = self.next_number();
                self.block_and_unblock(number).await.context("Blocked")?;
                self.invite(number).await.context("Invited")
            }
            Plan::LateAndTaken => self.pay_late_for_a_taken_time().await,
            _ => self.run_saga(plan).await.map(drop),
        }
    }

    /// Holds a slot and follows the plan.
    async fn run_saga(&self, plan: Plan) -> Result<RunningSaga<'_, 'p>> {
        let number = self.next_number();
        let saga =
            self.hold_slot(number, plan).await.with_context(|| format!("{plan:?} {number}"))?;
        let id = &saga.booking_id;
        saga.follow(plan).await.with_context(|| format!("{plan:?} {number} {id}"))?;
        Ok(saga)
    }

    /// Keys and slots differ between several runners in one practice, too.
    fn next_number(&self) -> u64 {
        self.count.fetch_add(1, Ordering::SeqCst)
    }

    /// Holds a free slot; if another client is faster, it tries the next one.
    async fn hold_slot(&self, number: u64, plan: Plan) -> Result<RunningSaga<'_, 'p>> {
        let customer = Customer::with_issued_token(self.practice, &self.issuer, "Saga")?;
        let index = usize::try_from(number)?;
        let service = match plan {
            Plan::Free => CONSULTATION,
            Plan::Package | Plan::PackageInPart => PACKAGED,
            _ => SERVICES[index % SERVICES.len()],
        };
        for attempt in 0..40 {
            let mut free = customer.free_starts(service).await?;
            if free.len() < FREE_SLOTS_MIN {
                // Another day enters the booking horizon.
                self.practice.advance_clocks(24 * 60).await?;
                continue;
            }
            // Sagas with adjacent numbers choose different slots.
            let dates = weekly::weekly(&free, (index * 7 + attempt) % free.len());
            let starts_at = free.swap_remove((index * 7 + attempt) % free.len());
            let key = format!("saga-{number}-{attempt}");
            let asked = if matches!(plan, Plan::Package | Plan::PackageInPart) {
                customer.try_hold_package(service, &dates, &key).await?
            } else if matches!(plan, Plan::ByPhone | Plan::AtDesk) {
                self.try_hold_by_phone(&customer, (service, &starts_at), &key).await?
            } else {
                customer.try_hold_with_consent(service, &starts_at, &key).await?
            };
            if let Ok(booking_id) = asked {
                return Ok(RunningSaga { runner: self, customer, service, starts_at, booking_id });
            }
        }
        bail!("no time could be held");
    }
}

impl RunningSaga<'_, '_> {
    async fn follow(&self, plan: Plan) -> Result<()> {
        match plan {
            Plan::HeldOnly => return self.wait_for_hold_end().await,
            Plan::Free => return self.expect_nothing_to_pay().await,
            Plan::ByPhone => return self.follow_page().await,
            Plan::AtDesk => return self.pay_at_desk().await,
            Plan::Released => {
                let key = format!("withdraw-{}", self.booking_id);
                self.customer.withdraw_consent(&key).await?;
                let report_id = self.booking_id.trim_start_matches("bkg_");
                self.customer.report(report_id, &self.booking_id).await?;
                // If the hold has ended, there is nothing to release.
                return match self.customer.release(&self.booking_id).await {
                    Ok(()) => Ok(()),
                    Err(_refused) => self.wait_for_hold_end().await,
                };
            }
            Plan::Waited => return self.give_back_to_the_wait_list().await,
            Plan::ByLink | Plan::LinkThenCheckout | Plan::LinkAbandoned | Plan::LinkPaidLate => {
                return self.follow_link(plan).await;
            }
            _ => {}
        }
        let order = match self.customer.order(&self.booking_id).await {
            Ok(order) => order,
            // The hold has ended before the order was made.
            Err(refused) if refused.to_string().contains("failed_precondition") => {
                return self.wait_for_hold_end().await;
            }
            Err(error) => return Err(error),
        };
        match plan {
            Plan::Abandoned => self.wait_for_hold_end().await,
            Plan::LateAndFree => {
                self.wait_for_hold_end().await?;
                self.pay(&order, json!({})).await?;
                self.wait_until_placed_or_refunded().await
            }
            Plan::LateAndTaken => {
                self.wait_for_hold_end().await?;
                self.book_for_rival().await?;
                self.pay(&order, json!({})).await?;
                self.wait_until_placed_or_refunded().await
            }
            _ => {
                // The hold may have ended; the money is late then.
                drop(self.customer.open_checkout(&self.booking_id).await);
                self.pay_by_plan(plan, &order).await
            }
        }
    }

    /// No payment can be started for what costs nothing, and it is placed.
    async fn expect_nothing_to_pay(&self) -> Result<()> {
        if let Ok(order) = self.customer.order(&self.booking_id).await {
            bail!("{order} was made for what costs nothing");
        }
        self.wait_until_placed_or_refunded().await
    }

    async fn pay_by_plan(&self, plan: Plan, order: &str) -> Result<()> {
        match plan {
            Plan::PollOnly => {
                let fault = json!({ "target": "webhook", "kind": "drop", "times": 2 });
                drop(self.runner.practice.sandbox_post("/api/faults", &fault).await);
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
                return self.wait_until_refunded().await;
            }
            Plan::PaidTwice => {
                self.pay(order, json!({})).await?;
                self.pay(order, json!({ "again": true })).await?;
            }
            Plan::Cancelled => {
                self.pay(order, json!({})).await?;
                self.wait_until_placed_or_refunded().await?;
                return self.cancel().await;
            }
            Plan::CancelledByClient => {
                self.pay(order, json!({})).await?;
                self.wait_until_placed_or_refunded().await?;
                return self.cancel_own().await;
            }
            Plan::Moved => {
                self.pay(order, json!({})).await?;
                return self.relocate().await;
            }
            Plan::PackageInPart => {
                self.pay(order, json!({})).await?;
                self.wait_until_placed_or_refunded().await?;
                return self.cancel_session(2).await;
            }
            Plan::RefundedByStaff => {
                self.pay(order, json!({})).await?;
                self.wait_until_placed_or_refunded().await?;
                return self.refund_by_staff().await;
            }
            Plan::Disputed => {
                let paid = self.pay(order, json!({})).await?;
                self.wait_until_placed_or_refunded().await?;
                return self.dispute(paid).await;
            }
            Plan::ClaimAccepted => {
                self.expect_claim_refused().await?;
                self.customer.claim(&self.booking_id).await?;
                self.accept_claim().await?;
                self.pay(order, json!({})).await?;
            }
            Plan::Answered => {
                if let Some(paid) = self.pay(order, json!({})).await? {
                    self.customer.submit_checkout_answer(&self.booking_id, &paid).await?;
                }
            }
            _ => drop(self.pay(order, json!({})).await?),
        }
        self.wait_until_placed_or_refunded().await
    }

    /// Pays at the provider. Returns none when it was paid and the answer was lost.
    async fn pay(&self, order: &str, how: Value) -> Result<Option<Value>> {
        self.call_pay(json!({ "order_id": order, "method": "upi" }), how).await
    }

    async fn call_pay(&self, mut body: Value, how: Value) -> Result<Option<Value>> {
        if let (Some(body), Value::Object(how)) = (body.as_object_mut(), how) {
            body.extend(how);
        }
        self.call_sandbox("/api/pay", &body).await
    }

    /// Calls the sandbox's provider. Returns none when it was done and the answer was lost.
    async fn call_sandbox(&self, path: &str, body: &Value) -> Result<Option<Value>> {
        let practice = self.runner.practice;
        let mut tries = 0;
        until_within(TIMEOUT, "it is done at the provider", async || {
            tries += 1;
            let url = format!("{}{path}", practice.sandbox);
            let asked = practice.http.post(url).json(body).send().await;
            match asked {
                Ok(answer) if answer.status() == 200 => Ok(answer.json().await.ok().map(Some)),
                // A repeat of a call that succeeded is refused.
                Ok(answer) if answer.status().is_client_error() && tries > 1 => Ok(Some(None)),
                Ok(answer) if answer.status().is_client_error() => {
                    bail!("the sandbox refuses: {}", answer.text().await?)
                }
                _ => Ok(None),
            }
        })
        .await
    }

    /// Waits until the slot is not held any more.
    async fn wait_for_hold_end(&self) -> Result<()> {
        let _waiting = CounterGuard::new(&self.runner.waiting_for_hold);
        self.until("its hold has ended", |booking| {
            let held = ["BOOKING_STATE_HELD", "BOOKING_STATE_AWAITING_PAYMENT"];
            !held.iter().any(|state| booking["state"] == *state)
        })
        .await
    }

    /// Waits until the booking is placed or its money is refunded.
    async fn wait_until_placed_or_refunded(&self) -> Result<()> {
        let _waiting = CounterGuard::new(&self.runner.waiting_for_outcome);
        self.until("it is placed, or its money is back", |booking| {
            let placed = ["BOOKING_STATE_MEETING_SCHEDULED", "BOOKING_STATE_COMPLETED"];
            placed.iter().any(|state| booking["state"] == *state)
                || booking["paymentState"] == "PAYMENT_STATE_REFUNDED"
        })
        .await
    }

    async fn wait_until_refunded(&self) -> Result<()> {
        let _waiting = CounterGuard::new(&self.runner.waiting_for_outcome);
        self.until("its money is back", |booking| {
            booking["paymentState"] == "PAYMENT_STATE_REFUNDED"
        })
        .await
    }

    async fn until(&self, what: &str, is_so: fn(&Value) -> bool) -> Result<()> {
        let mut last = Value::Null;
        let waited = until_within(TIMEOUT, what, async || {
            last = self.customer.booking(&self.booking_id).await?;
            Ok(is_so(&last).then_some(()))
        })
        .await;
        waited.with_context(|| format!("it is {} {}", last["state"], last["paymentState"]))
    }
}
