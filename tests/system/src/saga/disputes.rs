//! The payer's bank in a saga: it disputes a payment and decides.

use anyhow::{Result, ensure};
use serde_json::{Value, json};
use testkit::until_within;

use super::{CounterGuard, RunningSaga, TIMEOUT};

impl RunningSaga<'_, '_> {
    /// The payment is disputed, reviewed and decided; its id says for which side. A payment whose
    /// answer was lost, or which was refunded, is left alone.
    pub(super) async fn dispute(&self, paid: Option<Value>) -> Result<()> {
        let Some(payment) = paid.as_ref().and_then(|paid| paid["payment_id"].as_str()) else {
            return Ok(());
        };
        let booking = self.customer.booking(&self.booking_id).await?;
        if booking["paymentState"] != "PAYMENT_STATE_PAID" {
            return Ok(());
        }
        let is_lost = payment.bytes().last().is_some_and(|last| last % 2 == 0);
        let body = json!({ "payment_id": payment, "at_onset": self.service == "meditation" });
        let Some(begun) = self.call_sandbox("/api/dispute", &body).await? else { return Ok(()) };
        let dispute = begun["id"].as_str().unwrap_or_default();
        self.set_dispute_state(dispute, "under_review").await?;
        let end = if is_lost { "lost" } else { "won" };
        self.set_dispute_state(dispute, end).await?;
        self.wait_for_dispute_state(dispute, end).await
    }

    pub(super) async fn set_dispute_state(&self, dispute: &str, state: &str) -> Result<()> {
        let body = json!({ "dispute_id": dispute, "state": state });
        self.call_sandbox("/api/dispute-state", &body).await.map(drop)
    }

    /// Waits until payments has the dispute's outcome.
    pub(super) async fn wait_for_dispute_state(&self, dispute: &str, end: &str) -> Result<()> {
        let _waiting = CounterGuard::new(&self.runner.waiting_for_outcome);
        let practice = self.runner.practice;
        let mut last = None;
        let waited = until_within(TIMEOUT, "how a dispute ended is known", async || {
            // A database that is down is queried again.
            let Ok(database) = practice.pool("payments") else { return Ok(None) };
            let asked = sqlx::query_scalar("select state from disputes where dispute_id = $1");
            let state: Result<Option<String>, _> =
                asked.bind(dispute).fetch_optional(&database).await;
            let Ok(state) = state else { return Ok(None) };
            let is_so = state.as_deref() == Some(end);
            last = state;
            Ok(is_so.then_some(()))
        });
        let ended = waited.await;
        ensure!(ended.is_ok(), "{dispute} should be {end} and is {last:?}");
        Ok(())
    }
}
