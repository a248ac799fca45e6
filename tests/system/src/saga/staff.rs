//! Staff in a saga: cancels, refunds, accepts a claim, blocks a time.

use anyhow::{Context as _, Result, ensure};
use checker::snapshot::Ack;
use serde_json::{Value, json};

use super::{CounterGuard, RunningSaga, SagaRunner};
use crate::customer::Answer;

pub(super) const BOOKINGS: &str = "booking.v1.BookingStaffService";
const MONEY: &str = "payments.v1.PaymentsStaffService";

impl SagaRunner<'_> {
    pub(super) async fn call_staff(
        &self,
        service: &str,
        method: &str,
        body: Value,
    ) -> Result<Answer> {
        let staff = self.staff.as_staff(&self.issuer)?;
        staff.call(&format!("{service}/{method}"), body).await
    }

    /// Blocks a minute outside of the bookable hours and unblocks it.
    pub(super) async fn block_and_unblock(&self, number: u64) -> Result<()> {
        let free = self.staff.free_starts("meditation").await?;
        let last = free.last().and_then(|start| start.get(..10)).context("no day")?;
        let body = json!({
            "idempotencyKey": format!("block-{number}-{last}"), "date": last,
            "fromTime": format!("{:02}:{:02}", 19 + number % 4, number / 4 % 60),
            "toTime": format!("{:02}:{:02}", 19 + number % 4, number / 4 % 60 + 1),
        });
        let blocked = self.call_staff(BOOKINGS, "BlockTime", body).await?;
        // Another runner may have blocked this minute.
        let Some(block) = blocked.body["blockedTime"]["blockId"].as_str() else { return Ok(()) };
        self.practice.record_ack(Ack::Blocked(block.parse()?));
        self.call_staff(BOOKINGS, "UnblockTime", json!({ "blockId": block })).await?.ok()?;
        self.practice.record_ack(Ack::Unblocked(block.parse()?));
        Ok(())
    }
}

impl RunningSaga<'_, '_> {
    pub(super) fn request_body(&self, what: &str) -> Value {
        let key = format!("{what}-{}", self.booking_id);
        json!({ "bookingId": self.booking_id, "idempotencyKey": key })
    }

    /// The practice cancels with a full refund. A session that has ended is not cancelled.
    pub(super) async fn cancel(&self) -> Result<()> {
        let mut body = self.request_body("cancel");
        body["cancelledBy"] = json!("CANCELLED_BY_PRACTICE");
        let answer = self.runner.call_staff(BOOKINGS, "CancelBooking", body).await?;
        if answer.status != 200 {
            return Ok(());
        }
        self.runner.practice.record_ack(Ack::Cancelled(self.booking_id.parse()?));
        self.wait_until_refunded().await
    }

    /// The practice cancels one session of a package. One that has ended is not cancelled, nor one
    /// of a package that could not be placed.
    pub(super) async fn cancel_session(&self, number: i32) -> Result<()> {
        let mut body = self.request_body("cancel-session");
        body["cancelledBy"] = json!("CANCELLED_BY_PRACTICE");
        body["sessionNumber"] = json!(number);
        let answer = self.runner.call_staff(BOOKINGS, "CancelBooking", body).await?;
        if answer.status == 200 {
            self.runner.practice.record_ack(Ack::Cancelled(self.booking_id.parse()?));
        }
        Ok(())
    }

    /// The practice refunds the money and keeps the session.
    pub(super) async fn refund_by_staff(&self) -> Result<()> {
        let answer =
            self.runner.call_staff(MONEY, "RefundPayment", self.request_body("refund")).await?;
        let Some(refund) = answer.body["refundId"].as_str() else { return Ok(()) };
        self.runner.practice.record_ack(Ack::RefundRequested(refund.parse()?));
        self.wait_until_refunded().await
    }

    /// Accepts a claim that the client has not made: it is refused and audited.
    pub(super) async fn expect_claim_refused(&self) -> Result<()> {
        let asked = self.request_body("accept-nothing");
        let answer = self.runner.call_staff(BOOKINGS, "AcceptClaim", asked).await?;
        ensure!(answer.status != 200, "a claim was accepted that nobody has made");
        Ok(())
    }

    /// Accepts the client's claim as soon as booking has received it.
    pub(super) async fn accept_claim(&self) -> Result<()> {
        let _waiting = CounterGuard::new(&self.runner.waiting_for_outcome);
        let method = "AcceptClaim";
        let accepted = testkit::until_within(super::TIMEOUT, "the claim is heard", async || {
            let answer =
                self.runner.call_staff(BOOKINGS, method, self.request_body("accept")).await?;
            Ok((answer.reason() != "NOT_CLAIMED").then_some(answer))
        })
        .await?;
        // The money or another client may have been faster.
        if accepted.status == 200 {
            let ack = Ack::ClaimAccepted(self.booking_id.parse()?);
            self.runner.practice.record_ack(ack);
        }
        Ok(())
    }
}
