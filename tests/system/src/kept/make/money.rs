//! What faults of this release leave behind in money: disputes that a refund does not know of,
//! refunds in parts, refunds that the provider never takes. Each entry names its `kind` with the
//! booking and its payment, because a later release's checker may always call it wrong.

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use testkit::until;

use crate::customer::Customer;
use crate::practice::Practice;
use crate::reviews::{self, sign_in};
use crate::saga::weekly::weekly;

const SERVICE: &str = "general-consultation";
/// One that the starter package is offered for.
const PACKAGED: &str = "mental-health";
const BOOKINGS: &str = "booking.v1.BookingStaffService";
const MONEY: &str = "payments.v1.PaymentsStaffService";
const PLACED: &str = "BOOKING_STATE_MEETING_SCHEDULED";

/// Makes them, and returns what each is. A release that refuses a fault has none of it.
pub(super) async fn make(practice: &Practice) -> Result<Vec<Value>> {
    let token = sign_in(practice).await?.context("the owner is not signed in")?;
    let desk = FrontDesk { practice, token };
    let made = [
        desk.refunded_beside_a_lost_dispute().await,
        desk.part_disputed().await,
        desk.share_disputed().await,
        desk.refunded_in_parts().await,
        desk.package_refunded_in_parts().await,
        desk.cancelled_session_by_session().await,
        desk.refunded_less_than_a_rupee().await,
        desk.left_with_less_than_a_rupee().await,
        desk.held_by_an_open_dispute().await,
    ];
    Ok(made.into_iter().flatten().collect())
}

/// A paid booking with its payment at the provider.
struct Paid<'p> {
    customer: Customer<'p>,
    booking: String,
    payment: String,
    price: i64,
}

impl Paid<'_> {
    fn entry(&self, kind: &str) -> Value {
        json!({
            "kind": kind, "email": self.customer.email, "booking": self.booking,
            "payment": self.payment,
        })
    }
}

struct FrontDesk<'p> {
    practice: &'p Practice,
    token: String,
}

impl<'p> FrontDesk<'p> {
    async fn call(&self, call: (&str, &str), body: Value) -> Result<Value> {
        let answer =
            reviews::call(self.practice, call, &body, |it| it.bearer_auth(&self.token)).await?;
        answer.ok().with_context(|| format!("{call:?} {body}"))
    }

    async fn paid(&self, name: &str, is_package: bool) -> Result<Paid<'p>> {
        let customer = Customer::new(self.practice, name).await?;
        let service = if is_package { PACKAGED } else { SERVICE };
        let free = customer.free_starts(service).await?;
        let booking = if is_package {
            let starts = weekly(&free, free.len() / 2);
            let held = customer.try_hold_package(service, &starts, name).await?;
            held.ok().context("no package was held")?
        } else {
            customer.hold(SERVICE, free.get(free.len() / 2).context("no time")?, name).await?
        };
        let paid = self.practice.pay(&customer.order(&booking).await?).await?;
        let payment = paid["payment_id"].as_str().context("no payment")?.to_owned();
        let known = customer.wait_for_state(&booking, PLACED).await?;
        let price = known["price"]["minorUnits"].as_str().context("no price")?.parse()?;
        Ok(Paid { customer, booking, payment, price })
    }

    /// The payer's bank takes this amount from the practice, or all of it.
    async fn dispute(&self, paid: &Paid<'_>, amount: Option<i64>, end: &str) -> Result<String> {
        let mut body = json!({ "payment_id": paid.payment, "days": 60 });
        if let Some(amount) = amount {
            body["amount"] = json!(amount);
        }
        let opened = self.practice.sandbox_post("/api/dispute", &body).await?;
        let dispute = opened["id"].as_str().context("no dispute")?.to_owned();
        self.end_dispute(&dispute, end).await?;
        Ok(dispute)
    }

    async fn end_dispute(&self, dispute: &str, end: &str) -> Result<()> {
        if end != "open" {
            let body = json!({ "dispute_id": dispute, "state": end });
            self.practice.sandbox_post("/api/dispute-state", &body).await?;
        }
        let mut payments = self.practice.database("payments").await?;
        until(&format!("{dispute} is {end}"), async || {
            let sql = "select state from disputes where dispute_id = $1";
            let state: Option<String> =
                sqlx::query_scalar(sql).bind(dispute).fetch_optional(&mut payments).await?;
            Ok((state.as_deref() == Some(end)).then_some(()))
        })
        .await
    }

    async fn cancel(&self, paid: &Paid<'_>, session: i32) -> Result<()> {
        let key = format!("cancel-{session}-{}", paid.booking);
        let body = json!({
            "bookingId": paid.booking, "idempotencyKey": key,
            "cancelledBy": "CANCELLED_BY_PRACTICE", "sessionNumber": session,
        });
        self.call((BOOKINGS, "CancelBooking"), body).await?;
        self.practice.wait_until_idle().await
    }

    async fn refund(&self, paid: &Paid<'_>, amount: Option<i64>, key: &str) -> Result<()> {
        let key = format!("{key}-{}", paid.booking);
        let mut body = json!({ "bookingId": paid.booking, "idempotencyKey": key });
        if let Some(amount) = amount {
            body["amount"] = json!({ "minorUnits": amount.to_string(), "currencyCode": "INR" });
        }
        self.call((MONEY, "RefundPayment"), body).await?;
        self.practice.wait_until_idle().await
    }

    async fn until_refund_failed(&self, paid: &Paid<'_>) -> Result<()> {
        let mut payments = self.practice.database("payments").await?;
        until("the refund has failed", async || {
            let sql = "select count(*) from refunds where payment_id = $1 and state = 'failed'";
            let failed: i64 =
                sqlx::query_scalar(sql).bind(&paid.payment).fetch_one(&mut payments).await?;
            Ok((failed > 0).then_some(()))
        })
        .await
    }

    /// The bank gave all of it back, and staff paid it a second time.
    async fn refunded_beside_a_lost_dispute(&self) -> Result<Value> {
        let paid = self.paid("kept-twice", false).await?;
        let dispute = self.dispute(&paid, None, "open").await?;
        self.cancel(&paid, 0).await?;
        self.end_dispute(&dispute, "lost").await?;
        self.until_refund_failed(&paid).await?;
        self.refund(&paid, None, "kept-refund").await?;
        Ok(paid.entry("refunded_beside_a_lost_dispute"))
    }

    /// A lost dispute of ₹200 refused the refund of all.
    async fn part_disputed(&self) -> Result<Value> {
        let paid = self.paid("kept-swallowed", false).await?;
        self.dispute(&paid, Some(20_000), "lost").await?;
        self.cancel(&paid, 0).await?;
        self.until_refund_failed(&paid).await?;
        Ok(paid.entry("part_disputed"))
    }

    /// A lost dispute of one session refused the refunds of the two others.
    async fn share_disputed(&self) -> Result<Value> {
        let paid = self.paid("kept-share", true).await?;
        self.dispute(&paid, Some(paid.price / 3), "lost").await?;
        self.cancel(&paid, 3).await?;
        self.cancel(&paid, 2).await?;
        self.until_refund_failed(&paid).await?;
        Ok(paid.entry("share_disputed"))
    }

    async fn in_parts(&self, paid: &Paid<'_>) -> Result<()> {
        let third = paid.price / 3;
        for (part, amount) in [(1, Some(third)), (2, Some(third)), (3, None)] {
            self.refund(paid, amount, &format!("kept-part-{part}")).await?;
        }
        Ok(())
    }

    /// All of it went back in three parts, and the booking is paid.
    async fn refunded_in_parts(&self) -> Result<Value> {
        let paid = self.paid("kept-parts", false).await?;
        self.in_parts(&paid).await?;
        Ok(paid.entry("refunded_in_parts"))
    }

    async fn package_refunded_in_parts(&self) -> Result<Value> {
        let paid = self.paid("kept-package-parts", true).await?;
        self.in_parts(&paid).await?;
        self.cancel(&paid, 0).await?;
        Ok(paid.entry("package_refunded_in_parts"))
    }

    async fn cancelled_session_by_session(&self) -> Result<Value> {
        let paid = self.paid("kept-sessions", true).await?;
        for session in [3, 2, 1] {
            self.cancel(&paid, session).await?;
        }
        Ok(paid.entry("cancelled_session_by_session"))
    }

    /// Half a rupee, which the provider never takes, while the session stands.
    async fn refunded_less_than_a_rupee(&self) -> Result<Value> {
        let paid = self.paid("kept-half-rupee", false).await?;
        self.refund(&paid, Some(50), "kept-refund").await?;
        Ok(paid.entry("refunded_less_than_a_rupee"))
    }

    /// All but half a rupee went back, and then it was cancelled.
    async fn left_with_less_than_a_rupee(&self) -> Result<Value> {
        let paid = self.paid("kept-rest", false).await?;
        self.refund(&paid, Some(paid.price - 50), "kept-refund").await?;
        self.cancel(&paid, 0).await?;
        Ok(paid.entry("left_with_less_than_a_rupee"))
    }

    /// Cancelled while a dispute is open, so that the refund waits for its end.
    async fn held_by_an_open_dispute(&self) -> Result<Value> {
        let paid = self.paid("kept-disputed", false).await?;
        let dispute = self.dispute(&paid, None, "open").await?;
        self.cancel(&paid, 0).await?;
        let mut entry = paid.entry("held_by_an_open_dispute");
        entry["dispute"] = json!(dispute);
        Ok(entry)
    }
}
