//! A client's own cancellation in a saga: asked for, taken back, asked for again, and in effect.

use anyhow::Result;
use checker::snapshot::Ack;
use serde_json::{Value, json};

use super::{CounterGuard, RunningSaga};

impl RunningSaga<'_, '_> {
    /// The client cancels, takes it back, and cancels again. Money that went back because the
    /// time was taken leaves nothing to cancel.
    pub(super) async fn cancel_own(&self) -> Result<()> {
        for act in ["own-1", "undo", "own-2"] {
            let method = if act == "undo" { "UndoCancellation" } else { "CancelOwnBooking" };
            let answer = self.call_own(method, act).await?;
            // The clocks may have been moved beyond its time for being taken back.
            let is_over = method == "CancelOwnBooking" && answer.status != 200;
            if is_over {
                return Ok(());
            }
        }
        let _waiting = CounterGuard::new(&self.runner.waiting_for_outcome);
        self.until("its cancellation is in effect", |booking| {
            booking["state"] == "BOOKING_STATE_CANCELLED"
        })
        .await?;
        self.runner.practice.record_ack(Ack::Cancelled(self.booking_id.parse()?));
        Ok(())
    }

    async fn call_own(&self, method: &str, act: &str) -> Result<crate::customer::Answer> {
        let mut body: Value = self.request_body(act);
        if method == "CancelOwnBooking" {
            body["shownRefund"] = json!({ "minorUnits": "0", "currencyCode": "INR" });
        }
        self.customer.call(&format!("booking.v1.BookingService/{method}"), body).await
    }
}
