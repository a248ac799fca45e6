//! The wait list in a saga: a time is given back, one client declines it, and the next one takes
//! it.

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use testkit::until_within;

use super::{CounterGuard, RunningSaga, TIMEOUT};
use crate::customer::Customer;

impl<'p> RunningSaga<'_, 'p> {
    /// Two clients wait before the time is given back.
    pub(super) async fn give_back_to_the_wait_list(&self) -> Result<()> {
        let first = self.waiting_client("first").await?;
        let second = self.waiting_client("second").await?;
        if self.customer.release(&self.booking_id).await.is_err() {
            self.wait_for_hold_end().await?;
        }
        if let Some(offer) = self.offer_to(&first).await.context("the first")? {
            let mut declined = json!({ "waitingId": waiting_id(&first).await? });
            declined["offerId"] = offer["offerId"].clone();
            // It may have lapsed meanwhile.
            first.call("booking.v1.WaitingService/DeclineOffer", declined).await?;
        }
        leave(&first).await?;
        if let Some(offer) = self.offer_to(&second).await.context("the second")? {
            self.take(&second, &offer).await.context("taking")?;
        }
        leave(&second).await
    }

    async fn waiting_client(&self, who: &str) -> Result<Customer<'p>> {
        let runner = self.runner;
        let customer = Customer::with_issued_token(runner.practice, &runner.issuer, "Waiting")?;
        let wish = json!({ "serviceId": self.service, "mode": "SESSION_MODE_ONLINE" });
        let asked = json!({
            "idempotencyKey": format!("wait-{who}-{}", self.booking_id),
            "wish": wish,
            "firstName": "Waiting",
        });
        customer.call("booking.v1.WaitingService/JoinWaiting", asked).await?.ok()?;
        Ok(customer)
    }

    /// The offer to a client, or nothing where other clients have taken what became free.
    async fn offer_to(&self, client: &Customer<'_>) -> Result<Option<Value>> {
        let _waiting = CounterGuard::new(&self.runner.waiting_for_outcome);
        until_within(TIMEOUT, "a time is offered, or all of them were taken", async || {
            let taken = client.call("booking.v1.WaitingService/ListOwnWaiting", json!({})).await?;
            let offer = taken.ok()?["waiting"][0]["offer"].clone();
            if !offer.is_null() {
                return Ok(Some(Some(offer)));
            }
            let free = client.free_starts(self.service).await?;
            Ok((!free.contains(&self.starts_at) && self.is_taken().await?).then_some(None))
        })
        .await
    }

    /// Whether the time that was given back is booked or held by another client.
    async fn is_taken(&self) -> Result<bool> {
        let sql = "select count(*) from slot_reservations where live and booking_id is not null
                   and starts_at <= $1::text::timestamptz and ends_at > $1::text::timestamptz";
        let pool = self.runner.practice.pool("booking")?;
        let count: i64 = sqlx::query_scalar(sql).bind(&self.starts_at).fetch_one(&pool).await?;
        Ok(count > 0)
    }

    async fn take(&self, client: &Customer<'_>, offer: &Value) -> Result<()> {
        let starts_at = offer["startsAt"].as_str().context("no start")?;
        let key = format!("take-{}", self.booking_id);
        // It may have lapsed meanwhile, and so may the hold.
        let Ok(booking_id) = client.try_hold(self.service, starts_at, &key).await? else {
            return Ok(());
        };
        let Ok(order) = client.order(&booking_id).await else { return Ok(()) };
        self.pay(&order, json!({})).await?;
        let _waiting = CounterGuard::new(&self.runner.waiting_for_outcome);
        until_within(TIMEOUT, "it is placed or refunded", async || {
            let booking = client.booking(&booking_id).await?;
            let is_over = booking["state"] == "BOOKING_STATE_MEETING_SCHEDULED"
                || booking["paymentState"] == "PAYMENT_STATE_REFUNDED";
            Ok(is_over.then_some(()))
        })
        .await
    }
}

async fn waiting_id(client: &Customer<'_>) -> Result<Value> {
    let listed = client.call("booking.v1.WaitingService/ListOwnWaiting", json!({})).await?.ok()?;
    Ok(listed["waiting"][0]["waitingId"].clone())
}

/// A client that has booked is not on the list any more.
async fn leave(client: &Customer<'_>) -> Result<()> {
    let id = waiting_id(client).await?;
    if id.is_null() {
        return Ok(());
    }
    let asked = json!({ "waitingId": id });
    client.call("booking.v1.WaitingService/LeaveWaiting", asked).await?.ok()?;
    Ok(())
}
