//! Bookings in progress, each in another state, with the expected outcome: `then` is `pay`,
//! `pay_link`, `placed`, `refunded`, `expired` or `cancel`.

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use testkit::until;

use crate::customer::Customer;
use crate::practice::Practice;
use crate::reviews::sign_in;

const SERVICE: &str = "general-consultation";
const STAFF: &str = "booking.v1.BookingStaffService";
/// One minute longer than the longest hold.
const HOLD_MINUTES: i64 = 31;

/// Makes them, first those that need time to pass. The sandbox's faults stay on.
pub(super) async fn make(practice: &Practice) -> Result<Vec<Value>> {
    let bookings = OpenBookings { practice };
    bookings.staff().await?;
    let mut open = vec![bookings.completed().await?, bookings.to_be_cancelled().await?];
    bookings.fault("refunds.create", "drop", None).await?;
    open.push(bookings.cancelled().await?);
    open.push(bookings.paid_too_late().await?);
    open.push(bookings.with_mail_in_state("retrying", ("smtp", "status")).await?);
    open.push(bookings.with_mail_in_state("failed", ("smtp_rcpt", "refuse")).await?);
    bookings.fault("meetings.create", "status", None).await?;
    open.push(bookings.without_a_room().await?);
    for (name, then) in [("kept-held", "pay"), ("kept-left", "expired")] {
        let (customer, booking, _) = bookings.held(name).await?;
        open.push(expectation(&customer, &booking, then));
    }
    for (name, then) in [("kept-opened", "pay"), ("kept-abandoned", "expired")] {
        let (customer, booking, _) = bookings.opened(name).await?;
        open.push(expectation(&customer, &booking, then));
    }
    for (name, then) in [("kept-link", "pay_link"), ("kept-link-left", "expired")] {
        let (customer, booking, _) = bookings.held(name).await?;
        let link = customer.link(&booking).await?;
        let mut entry = expectation(&customer, &booking, then);
        entry["link"] = json!(link);
        open.push(entry);
    }
    open.push(bookings.declined().await?);
    open.push(bookings.claimed().await?);
    open.push(bookings.paid_unreported().await?);
    Ok(open)
}

fn expectation(customer: &Customer<'_>, booking: &str, then: &str) -> Value {
    json!({ "email": customer.email, "booking": booking, "then": then })
}

struct OpenBookings<'p> {
    practice: &'p Practice,
}

impl<'p> OpenBookings<'p> {
    async fn fault(&self, target: &str, kind: &str, recipient: Option<&str>) -> Result<()> {
        let mut fault = json!({ "target": target, "kind": kind, "times": 0 });
        if let Some(recipient) = recipient {
            fault["recipient"] = json!(recipient);
        }
        self.practice.sandbox_post("/api/faults", &fault).await?;
        Ok(())
    }

    /// One staff member of each role besides the owner.
    async fn staff(&self) -> Result<()> {
        let mut database = self.practice.database("booking").await?;
        for role in ["admin", "practitioner", "front_desk"] {
            sqlx::query("insert into staff_members (user_id, role) values ($1, $2)")
                .bind(eventstore::new_uuid())
                .bind(role)
                .execute(&mut database)
                .await?;
        }
        Ok(())
    }

    /// Holds a slot that is days away, so that it is still free when it is paid late.
    async fn held(&self, name: &str) -> Result<(Customer<'p>, String, String)> {
        let customer = Customer::new(self.practice, name).await?;
        let free = customer.free_starts(SERVICE).await?;
        let start = free.get(free.len() / 2).context("no free time")?.clone();
        let booking = customer.hold(SERVICE, &start, name).await?;
        Ok((customer, booking, start))
    }

    async fn opened(&self, name: &str) -> Result<(Customer<'p>, String, String)> {
        let (customer, booking, _start) = self.held(name).await?;
        let order = customer.order(&booking).await?;
        customer.open_checkout(&booking).await?;
        Ok((customer, booking, order))
    }

    async fn paid(&self, name: &str) -> Result<(Customer<'p>, String)> {
        let (customer, booking, order) = self.opened(name).await?;
        self.practice.pay(&order).await?;
        customer.wait_for_state(&booking, "BOOKING_STATE_MEETING_SCHEDULED").await?;
        Ok((customer, booking))
    }

    /// A session that is over and whose follow-up mail is not due yet.
    async fn completed(&self) -> Result<Value> {
        let customer = Customer::new(self.practice, "kept-over").await?;
        let start = customer.free_starts(SERVICE).await?.remove(0);
        let booking = customer.hold(SERVICE, &start, "kept-over").await?;
        let order = customer.order(&booking).await?;
        self.practice.pay(&order).await?;
        customer.wait_for_state(&booking, "BOOKING_STATE_MEETING_SCHEDULED").await?;
        for _hour in 0..48 {
            if customer.booking(&booking).await?["state"] == "BOOKING_STATE_COMPLETED" {
                break;
            }
            self.practice.advance_clocks(60).await?;
            self.practice.wait_until_idle().await?;
        }
        customer.wait_for_state(&booking, "BOOKING_STATE_COMPLETED").await?;
        Ok(expectation(&customer, &booking, "placed"))
    }

    /// A future session that the practice cancels in the next release.
    async fn to_be_cancelled(&self) -> Result<Value> {
        let (customer, booking) = self.paid("kept-coming").await?;
        Ok(expectation(&customer, &booking, "cancel"))
    }

    /// Cancelled, while the provider accepts no refund.
    async fn cancelled(&self) -> Result<Value> {
        let (customer, booking) = self.paid("kept-cancelled").await?;
        let token = sign_in(self.practice).await?.context("the owner is not signed in")?;
        let body = json!({
            "bookingId": booking, "idempotencyKey": "kept-cancel",
            "cancelledBy": "CANCELLED_BY_PRACTICE",
        });
        let url = format!("{}/rpc/{STAFF}/CancelBooking", self.practice.url);
        let call = self.practice.http.post(url).bearer_auth(token).json(&body);
        call.send().await?.error_for_status()?;
        customer.wait_for_state(&booking, "BOOKING_STATE_CANCELLED").await?;
        Ok(expectation(&customer, &booking, "refunded"))
    }

    /// Paid after another client took the slot, while the provider accepts no refund.
    async fn paid_too_late(&self) -> Result<Value> {
        let (late, booking, start) = self.held("kept-late").await?;
        let order = late.order(&booking).await?;
        self.practice.advance_clocks(HOLD_MINUTES).await?;
        late.wait_for_state(&booking, "BOOKING_STATE_EXPIRED").await?;
        let quick = Customer::new(self.practice, "kept-quick").await?;
        let taken = quick.hold(SERVICE, &start, "kept-quick").await?;
        self.practice.pay(&quick.order(&taken).await?).await?;
        quick.wait_for_state(&taken, "BOOKING_STATE_MEETING_SCHEDULED").await?;
        self.practice.pay(&order).await?;
        late.wait_for_state(&booking, "BOOKING_STATE_PAID_UNPLACED").await?;
        Ok(expectation(&late, &booking, "refunded"))
    }

    /// A confirmed booking whose mail is not delivered.
    async fn with_mail_in_state(&self, state: &str, (target, kind): (&str, &str)) -> Result<Value> {
        let (customer, booking, order) = self.opened(&format!("kept-{state}")).await?;
        self.fault(target, kind, Some(&customer.email)).await?;
        self.practice.pay(&order).await?;
        let mut database = self.practice.database("notifications").await?;
        until(&format!("a mail is {state}"), async || {
            let found: i64 = sqlx::query_scalar("select count(*) from mails where state = $1")
                .bind(state)
                .fetch_one(&mut database)
                .await?;
            Ok((found > 0).then_some(()))
        })
        .await?;
        Ok(expectation(&customer, &booking, "placed"))
    }

    /// Confirmed, while the meeting provider makes no rooms.
    async fn without_a_room(&self) -> Result<Value> {
        let (customer, booking, order) = self.opened("kept-confirmed").await?;
        self.practice.pay(&order).await?;
        customer.wait_for_state(&booking, "BOOKING_STATE_CONFIRMED").await?;
        Ok(expectation(&customer, &booking, "placed"))
    }

    async fn declined(&self) -> Result<Value> {
        let (customer, booking, order) = self.opened("kept-declined").await?;
        let card = json!({ "order_id": order, "method": "card", "outcome": "failed" });
        self.practice.sandbox_post("/api/pay", &card).await?;
        until("the failed try is known", async || {
            let state = customer.booking(&booking).await?["paymentState"].clone();
            Ok((state == "PAYMENT_STATE_FAILED").then_some(()))
        })
        .await?;
        Ok(expectation(&customer, &booking, "pay"))
    }

    async fn claimed(&self) -> Result<Value> {
        let (customer, booking, _order) = self.opened("kept-claimed").await?;
        customer.claim(&booking).await?;
        Ok(expectation(&customer, &booking, "pay"))
    }

    /// Paid, while neither webhooks nor answers arrive from the provider.
    async fn paid_unreported(&self) -> Result<Value> {
        let (customer, booking, order) = self.opened("kept-unheard").await?;
        self.fault("webhook", "drop", None).await?;
        self.fault("orders.fetch", "drop", None).await?;
        self.practice.pay(&order).await?;
        Ok(expectation(&customer, &booking, "placed"))
    }
}
