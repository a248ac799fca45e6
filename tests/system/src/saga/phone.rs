//! A booking that staff make by phone: its client agrees and pays on the page, and adopts it.

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::{RunningSaga, SagaRunner};
use crate::customer::{Answer, Customer};

const BOOKINGS: &str = "booking.v1.BookingStaffService";
const PAGE: &str = "booking.v1.PaymentPageService";
const PAYMENTS: &str = "payments.v1.PagePaymentService";

impl SagaRunner<'_> {
    /// Holds a slot for a client on the phone, or returns the refusal.
    pub(super) async fn try_hold_by_phone(
        &self,
        customer: &Customer<'_>,
        (service, starts_at): (&str, &str),
        key: &str,
    ) -> Result<Result<String, Answer>> {
        let body = json!({
            "idempotencyKey": key, "serviceId": service, "startsAt": [starts_at],
            "mode": "SESSION_MODE_ONLINE", "sendMail": true,
            "contact": {
                "firstName": "Asha", "lastName": "Canaryworth", "email": customer.email,
            },
        });
        let held = self.call_staff(BOOKINGS, "RequestPhoneBooking", body).await?;
        if held.status != 200 {
            return Ok(Err(held));
        }
        let booking_id = held.body["booking"]["booking"]["bookingId"].as_str();
        Ok(Ok(booking_id.context("no booking")?.to_owned()))
    }
}

impl RunningSaga<'_, '_> {
    /// Has its page mailed again, agrees there, adopts it, and pays by the page's link.
    pub(super) async fn follow_page(&self) -> Result<()> {
        let mut body = self.request_body("page");
        body["sendMail"] = json!(true);
        let sent = self.runner.call_staff(BOOKINGS, "SendPaymentPage", body).await?;
        // The clocks may have moved beyond its hold.
        let Some(page_key) = sent.body["pageKey"].as_str() else {
            return self.wait_for_hold_end_as_owner().await;
        };
        let accept = json!({
            "pageKey": page_key, "termsAccepted": true, "consent": self.customer.consent().await?,
        });
        let accepted = self.customer.call(&format!("{PAGE}/AcceptTerms"), accept).await?;
        if accepted.status != 200 {
            return self.wait_for_hold_end_as_owner().await;
        }
        self.adopt().await?;
        let start = json!({ "pageKey": page_key, "idempotencyKey": "page-link" });
        let started = self.customer.call(&format!("{PAYMENTS}/StartPagePayment"), start).await?;
        let link = started.body["linkId"].as_str();
        let Some(link) = link else { return self.wait_for_hold_end().await };
        self.pay_link(link).await?;
        let check = json!({ "pageKey": page_key });
        self.customer.call(&format!("{PAYMENTS}/CheckPagePayment"), check).await?;
        self.wait_until_placed_or_refunded().await
    }

    /// Only an owner sees when the hold has ended.
    async fn wait_for_hold_end_as_owner(&self) -> Result<()> {
        self.adopt().await?;
        self.wait_for_hold_end().await
    }

    async fn adopt(&self) -> Result<Value> {
        self.customer.call("booking.v1.BookingService/AdoptBookings", json!({})).await?.ok()
    }
}
