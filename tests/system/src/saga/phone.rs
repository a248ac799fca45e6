//! A booking that staff make by phone: its client agrees and pays on the page, and adopts it.

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};
use testkit::until_within;

use super::{CounterGuard, RunningSaga, SagaRunner, TIMEOUT};
use crate::customer::{Answer, Customer};

const BOOKINGS: &str = "booking.v1.BookingStaffService";
const PAGE: &str = "booking.v1.PaymentPageService";
const PAYMENTS: &str = "payments.v1.PagePaymentService";
const MONEY: &str = "payments.v1.PaymentsStaffService";

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
    /// Has its page mailed again and agrees there. Returns the page's key and the price; none when
    /// its hold has ended, because the clocks may have moved beyond it.
    async fn agree(&self) -> Result<Option<(String, Value)>> {
        let mut body = self.request_body("page");
        body["sendMail"] = json!(true);
        let sent = self.runner.call_staff(BOOKINGS, "SendPaymentPage", body).await?;
        let page_key = sent.body["pageKey"].as_str();
        let Some(page_key) = page_key else { return self.wait_for_hold_end_as_owner().await };
        // Staff have seen the key, so the client signs with the code of a mail.
        let ask = json!({ "pageKey": page_key });
        let asked = self.customer.call(&format!("{PAGE}/RequestConsentCode"), ask).await?;
        let code = match asked.status {
            200 => self.runner.practice.consent_code(&self.customer.email).await.ok(),
            _ => None,
        };
        let accept = json!({
            "pageKey": page_key, "termsAccepted": true, "consent": self.customer.consent().await?,
            "consentCode": code.unwrap_or_default(),
        });
        let accepted = self.customer.call(&format!("{PAGE}/AcceptTerms"), accept).await?;
        if accepted.status != 200 {
            return self.wait_for_hold_end_as_owner().await;
        }
        Ok(Some((page_key.to_owned(), accepted.body["page"]["price"].clone())))
    }

    /// Pays by the page's link, and adopts the booking.
    pub(super) async fn follow_page(&self) -> Result<()> {
        let Some((page_key, _)) = self.agree().await? else { return Ok(()) };
        let start = json!({ "pageKey": page_key, "idempotencyKey": "page-link" });
        let started = self.customer.call(&format!("{PAYMENTS}/StartPagePayment"), start).await?;
        self.adopt().await?;
        let link = started.body["linkId"].as_str();
        let Some(link) = link else { return self.wait_for_hold_end().await };
        self.pay_link(link).await?;
        // The key has ended with the adoption, so this asks nothing of the provider.
        let check = json!({ "pageKey": page_key });
        self.customer.call(&format!("{PAYMENTS}/CheckPagePayment"), check).await?;
        self.wait_until_placed_or_refunded().await
    }

    /// Pays at the practice's desk. The practice cancels, and gives back there what it then owes,
    /// or what it owes because the hold had ended.
    pub(super) async fn pay_at_desk(&self) -> Result<()> {
        let Some((_, price)) = self.agree().await? else { return Ok(()) };
        self.adopt().await?;
        let mut body = self.request_body("desk");
        body["amount"] = price.clone();
        body["way"] = json!("DESK_WAY_UPI");
        body["reference"] = json!("412345678901");
        let paid = self.runner.call_staff(MONEY, "RecordDeskPayment", body.clone()).await?;
        if paid.status != 200 {
            return self.wait_for_hold_end().await;
        }
        self.wait_until_placed_or_owed().await?;
        let mut cancel = self.request_body("cancel");
        cancel["cancelledBy"] = json!("CANCELLED_BY_PRACTICE");
        let cancelled = self.runner.call_staff(BOOKINGS, "CancelBooking", cancel).await?;
        // Its session may have ended meanwhile.
        if cancelled.status != 200 && cancelled.reason() != "NOT_CANCELLABLE" {
            bail!("it is not cancelled: {}", cancelled.body);
        }
        if self.customer.booking(&self.booking_id).await?["state"] == "BOOKING_STATE_COMPLETED" {
            return Ok(());
        }
        body["idempotencyKey"] = json!(format!("give-back-{}", self.booking_id));
        body["way"] = json!("DESK_WAY_CASH");
        body["reference"] = json!("");
        {
            let _waiting = CounterGuard::new(&self.runner.waiting_for_outcome);
            until_within(TIMEOUT, "it is given back at the desk", async || {
                let asked = self.runner.call_staff(MONEY, "RecordDeskRefund", body.clone());
                Ok((asked.await?.status == 200).then_some(()))
            })
            .await?;
        }
        self.wait_until_refunded().await
    }

    /// Only an owner sees when the hold has ended.
    async fn wait_for_hold_end_as_owner(&self) -> Result<Option<(String, Value)>> {
        self.adopt().await?;
        self.wait_for_hold_end().await?;
        Ok(None)
    }

    async fn wait_until_placed_or_owed(&self) -> Result<()> {
        let _waiting = CounterGuard::new(&self.runner.waiting_for_outcome);
        self.until("it is placed, or its money is owed", |booking| {
            let states = [
                "BOOKING_STATE_MEETING_SCHEDULED",
                "BOOKING_STATE_COMPLETED",
                "BOOKING_STATE_PAID_UNPLACED",
            ];
            states.iter().any(|state| booking["state"] == *state)
        })
        .await
    }

    async fn adopt(&self) -> Result<Value> {
        self.customer.call("booking.v1.BookingService/AdoptBookings", json!({})).await?.ok()
    }
}
