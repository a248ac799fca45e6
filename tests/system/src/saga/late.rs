//! Money that comes when another client has taken the time.

use anyhow::Result;
use serde_json::json;

use super::{Plan, RunningSaga, SagaRunner};
use crate::customer::Customer;

/// How often the plan is played until another client really has the time. The time may be held by
/// a saga whose own hold ends before the late money comes.
const TRIES: usize = 8;

impl SagaRunner<'_> {
    /// Plays the plan until its money was given back because the time was taken.
    pub(super) async fn pay_late_for_a_taken_time(&self) -> Result<()> {
        for _try in 0..TRIES {
            let saga = self.run_saga(Plan::LateAndTaken).await?;
            let booking = saga.customer.booking(&saga.booking_id).await?;
            if booking["paymentState"] == "PAYMENT_STATE_REFUNDED" {
                break;
            }
        }
        Ok(())
    }
}

impl RunningSaga<'_, '_> {
    /// Another client books and pays the slot: a mere hold would end before the late money arrives.
    /// If the slot is taken already, that is enough.
    pub(super) async fn book_for_rival(&self) -> Result<()> {
        let runner = self.runner;
        let customer = Customer::with_issued_token(runner.practice, &runner.issuer, "Quick")?;
        let key = format!("quick-{}", self.booking_id);
        let Ok(booking_id) = customer.try_hold(self.service, &self.starts_at, &key).await? else {
            return Ok(());
        };
        let (service, starts_at) = (self.service, self.starts_at.clone());
        let rival = RunningSaga { runner, customer, service, starts_at, booking_id };
        // This hold may have ended, too.
        let Ok(order) = rival.customer.order(&rival.booking_id).await else { return Ok(()) };
        rival.pay(&order, json!({})).await?;
        rival.wait_until_placed_or_refunded().await
    }
}
