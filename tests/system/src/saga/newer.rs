//! What releases have added since the first one that is kept: bookings of each kind, and acts of
//! staff whose events an earlier release does not know. The drill of an upgrade goes back with
//! them.

use anyhow::{Context as _, Result, ensure};
use checker::snapshot::Ack;
use serde_json::{Value, json};
use testkit::until_within;

use super::{Plan, RunningSaga, SagaRunner, TIMEOUT};
use crate::customer::Customer;

const BOOKINGS: &str = "booking.v1.BookingStaffService";
const MONEY: &str = "payments.v1.PaymentsStaffService";

/// The kinds of bookings that came after 05e2ca1.
const PLANS: [Plan; 7] = [
    Plan::ByLink,
    Plan::Free,
    Plan::Package,
    Plan::PackageInPart,
    Plan::ByPhone,
    Plan::Disputed,
    Plan::RefundedByStaff,
];

/// Bookings that wait for an act of staff.
pub(crate) struct Acts<'s, 'p> {
    /// A package, of which a session is to be cancelled.
    package: RunningSaga<'s, 'p>,
    /// A session that has begun, whose client did not come.
    begun: RunningSaga<'s, 'p>,
    /// By phone, to be taken back.
    by_phone: RunningSaga<'s, 'p>,
}

impl Acts<'_, '_> {
    /// The id of the booking whose attendance staff mark.
    pub(crate) fn marked(&self) -> &str {
        &self.begun.booking_id
    }
}

impl<'p> SagaRunner<'p> {
    /// Runs a booking of each newer kind, and lets a refund go that a dispute holds.
    ///
    /// # Errors
    /// When one does not end.
    pub(crate) async fn run_newer(&self) -> Result<()> {
        self.run_all(&PLANS).await?;
        self.release_a_refund().await.context("a refund that is let go")
    }

    /// Makes the bookings that staff act on.
    ///
    /// # Errors
    /// When one is not placed.
    pub(crate) async fn prepare_acts(&self) -> Result<Acts<'_, 'p>> {
        let package = self.placed(1_001, Plan::Package).await.context("a package")?;
        let begun = self.begun(1_002).await.context("a session that has begun")?;
        // Its hold would have ended while the clocks were moved.
        let by_phone = self.hold_slot(1_003, Plan::ByPhone).await.context("by phone")?;
        Ok(Acts { package, begun, by_phone })
    }

    /// Cancels a session, marks one, and takes a booking back: booking alone has to run for it.
    pub(crate) async fn act(&self, acts: &Acts<'_, 'p>) -> Result<()> {
        acts.package.cancel_session(2).await?;
        let mut mark = acts.begun.request_body("mark");
        mark["attendance"] = json!("ATTENDANCE_NO_SHOW");
        self.call_staff(BOOKINGS, "MarkAttendance", mark).await?.ok().context("marking")?;
        let back = acts.by_phone.request_body("take-back");
        self.call_staff(BOOKINGS, "ReleaseHold", back).await?.ok().context("taking back")?;
        self.practice.record_ack(Ack::Released(acts.by_phone.booking_id.parse()?));
        Ok(())
    }

    /// A booking that is paid and placed.
    async fn placed(&self, number: u64, plan: Plan) -> Result<RunningSaga<'_, 'p>> {
        let saga = self.hold_slot(number, plan).await?;
        saga.pay_until_placed().await?;
        Ok(saga)
    }

    /// A booking of the next free time, when that has come.
    async fn begun(&self, number: u64) -> Result<RunningSaga<'_, 'p>> {
        let customer = Customer::with_issued_token(self.practice, &self.issuer, "Saga")?;
        let service = "meditation";
        let free = customer.free_starts(service).await?;
        let starts_at = free.first().context("no time is free")?.clone();
        let key = format!("saga-{number}");
        let booking_id = customer.hold(service, &starts_at, &key).await?;
        let saga = RunningSaga { runner: self, customer, service, starts_at, booking_id };
        saga.pay_until_placed().await?;
        let mut database = self.practice.database("booking").await?;
        let minutes = "select ceil(extract(epoch from $1::timestamptz - clock_now()) / 60)::bigint";
        let minutes: i64 =
            sqlx::query_scalar(minutes).bind(&saga.starts_at).fetch_one(&mut database).await?;
        self.practice.advance_clocks(minutes + 1).await?;
        Ok(saga)
    }

    /// Staff let a refund go that waits for the end of a dispute.
    async fn release_a_refund(&self) -> Result<()> {
        let saga = self.hold_slot(1_000, Plan::Cancelled).await?;
        let paid = saga.pay_until_placed().await?.context("the answer was lost")?;
        // For a chargeback the provider has the money already, and nothing is let go.
        let body = json!({ "payment_id": paid["payment_id"], "days": 60, "phase": "retrieval" });
        let begun = saga.call_sandbox("/api/dispute", &body).await?.context("no dispute")?;
        let dispute = begun["id"].as_str().context("no dispute")?.to_owned();
        saga.wait_for_dispute_state(&dispute, "open").await?;
        let mut cancel = saga.request_body("cancel");
        cancel["cancelledBy"] = json!("CANCELLED_BY_PRACTICE");
        self.call_staff(BOOKINGS, "CancelBooking", cancel).await?.ok()?;
        self.practice.record_ack(Ack::Cancelled(saga.booking_id.parse()?));
        let body = json!({ "bookingId": saga.booking_id });
        until_within(TIMEOUT, "its refund is held and let go", async || {
            let answer = self.call_staff(MONEY, "ReleaseRefund", body.clone()).await?;
            Ok((answer.status == 200).then_some(()))
        })
        .await?;
        saga.wait_until_refunded().await?;
        saga.set_dispute_state(&dispute, "won").await?;
        saga.wait_for_dispute_state(&dispute, "won").await
    }
}

impl RunningSaga<'_, '_> {
    async fn pay_until_placed(&self) -> Result<Option<Value>> {
        let order = self.customer.order(&self.booking_id).await?;
        let paid = self.pay(&order, json!({})).await?;
        self.wait_until_placed_or_refunded().await?;
        let booking = self.customer.booking(&self.booking_id).await?;
        ensure!(booking["paymentState"] == "PAYMENT_STATE_PAID", "{booking}");
        Ok(paid)
    }
}
