//! Staff in a saga: cancels, refunds, accepts a claim, blocks a time.

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use simulation::checker::snapshot::Ack;

use super::{Counted, Running, Stage};
use crate::customer::{Answer, Customer};
use crate::practice::Practice;
use crate::tokens::Mint;

const BOOKINGS: &str = "booking.v1.BookingStaffService";
const MONEY: &str = "payments.v1.PaymentsStaffService";

/// A new staff member with the role of owner.
pub(super) async fn hired<'p>(practice: &'p Practice, mint: &Mint) -> Result<Customer<'p>> {
    let staff = Customer::minted(practice, mint, "Staff")?;
    let mut database = practice.database("booking").await?;
    sqlx::query("insert into staff_members (user_id, role) values ($1, 'owner')")
        .bind(staff.user_id()?)
        .execute(&mut database)
        .await?;
    Ok(staff)
}

impl Stage<'_> {
    async fn act(&self, service: &str, method: &str, body: Value) -> Result<Answer> {
        self.staff.call(&format!("{service}/{method}"), body).await
    }

    /// Blocks a minute outside of the bookable hours and unblocks it.
    pub(super) async fn evening_closed(&self, number: u64) -> Result<()> {
        let free = self.staff.free_starts("meditation").await?;
        let last = free.last().and_then(|start| start.get(..10)).context("no day")?;
        let body = json!({
            "idempotencyKey": format!("block-{number}-{last}"), "date": last,
            "fromTime": format!("{:02}:{:02}", 19 + number % 4, number / 4 % 60),
            "toTime": format!("{:02}:{:02}", 19 + number % 4, number / 4 % 60 + 1),
        });
        let blocked = self.act(BOOKINGS, "BlockTime", body).await?;
        // Another runner may have blocked this minute.
        let Some(block) = blocked.body["blockedTime"]["blockId"].as_str() else { return Ok(()) };
        self.practice.acknowledged(Ack::Blocked(block.parse()?));
        self.act(BOOKINGS, "UnblockTime", json!({ "blockId": block })).await?.ok()?;
        self.practice.acknowledged(Ack::Unblocked(block.parse()?));
        Ok(())
    }
}

impl Running<'_, '_> {
    fn asked(&self, what: &str) -> Value {
        let key = format!("{what}-{}", self.booking_id);
        json!({ "bookingId": self.booking_id, "idempotencyKey": key })
    }

    /// The practice cancels with a full refund. A session that has ended is not cancelled.
    pub(super) async fn cancelled(&self) -> Result<()> {
        let mut body = self.asked("cancel");
        body["cancelledBy"] = json!("CANCELLED_BY_PRACTICE");
        let answer = self.stage.act(BOOKINGS, "CancelBooking", body).await?;
        if answer.status != 200 {
            return Ok(());
        }
        self.stage.practice.acknowledged(Ack::Cancelled(self.booking_id.parse()?));
        self.refunded().await
    }

    /// The practice refunds the money and keeps the session.
    pub(super) async fn refunded_by_staff(&self) -> Result<()> {
        let answer = self.stage.act(MONEY, "RefundPayment", self.asked("refund")).await?;
        let Some(refund) = answer.body["refundId"].as_str() else { return Ok(()) };
        self.stage.practice.acknowledged(Ack::RefundRequested(refund.parse()?));
        self.refunded().await
    }

    /// Accepts a claim that the client has not made: it is refused and audited.
    pub(super) async fn claim_refused(&self) -> Result<()> {
        let asked = self.asked("accept-nothing");
        let answer = self.stage.act(BOOKINGS, "AcceptClaim", asked).await?;
        ensure!(answer.status != 200, "a claim was accepted that nobody has made");
        Ok(())
    }

    /// Accepts the client's claim as soon as booking has received it.
    pub(super) async fn claim_accepted(&self) -> Result<()> {
        let _waits = Counted::new(&self.stage.for_an_end);
        let method = "AcceptClaim";
        let accepted = testkit::until_within(super::PATIENCE, "the claim is heard", async || {
            let answer = self.stage.act(BOOKINGS, method, self.asked("accept")).await?;
            Ok((answer.reason() != "NOT_CLAIMED").then_some(answer))
        })
        .await?;
        // The money or another client may have been faster.
        if accepted.status == 200 {
            let ack = Ack::ClaimAccepted(self.booking_id.parse()?);
            self.stage.practice.acknowledged(ack);
        }
        Ok(())
    }
}
