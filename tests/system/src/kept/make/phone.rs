//! Bookings by phone with the keys of their pages, which this release never ends: one that waits,
//! one whose consent staff signed with the key, one that its client adopted.

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::customer::Customer;
use crate::practice::Practice;
use crate::reviews::{self, sign_in};
use crate::tokens::TokenIssuer;

const SERVICE: &str = "general-consultation";
const BOOKINGS: &str = "booking.v1.BookingStaffService";
const PAGE: &str = "booking.v1.PaymentPageService";
const PAYMENTS: &str = "payments.v1.PagePaymentService";
/// The longest hold of a booking by phone.
const HOLD_MINUTES: i32 = 7 * 24 * 60;

/// Makes them, and returns the `booking` and `page_key` of each.
pub(super) async fn make(practice: &Practice) -> Result<Vec<Value>> {
    let token = sign_in(practice).await?.context("the owner is not signed in")?;
    let issuer = TokenIssuer::of(practice).await?;
    let mut made = Vec::new();
    for kind in ["waits", "signed_by_staff", "adopted"] {
        let client = Customer::with_issued_token(practice, &issuer, &format!("kept-{kind}"))?;
        let caller = Caller { practice, token: &token, client };
        made.push(caller.book(kind).await.context(kind)?);
    }
    Ok(made)
}

/// A client on the phone.
struct Caller<'c, 'p> {
    practice: &'p Practice,
    token: &'c str,
    client: Customer<'p>,
}

impl Caller<'_, '_> {
    async fn book(&self, kind: &str) -> Result<Value> {
        let free = self.client.free_starts(SERVICE).await?;
        let body = json!({
            "idempotencyKey": format!("kept-phone-{kind}"), "serviceId": SERVICE,
            "startsAt": [free.get(free.len() / 2).context("no time")?],
            "mode": "SESSION_MODE_ONLINE", "sendMail": true, "holdMinutes": HOLD_MINUTES,
            "contact": {
                "firstName": "Asha", "lastName": "Canaryworth", "email": self.client.email,
                "phone": "+91 98765 43210", "notes": "canary-notes-of-a-person",
            },
        });
        let call = (BOOKINGS, "RequestPhoneBooking");
        let dress = |it: reqwest::RequestBuilder| it.bearer_auth(self.token);
        let held = reviews::call(self.practice, call, &body, dress).await?.ok()?;
        let key = held["pageKey"].as_str().context("no key")?;
        let booking = held["booking"]["booking"]["bookingId"].as_str().context("no booking")?;
        if kind != "waits" {
            self.agree_and_pay((kind, key)).await?;
        }
        if kind == "adopted" {
            let adopt = "booking.v1.BookingService/AdoptBookings";
            self.client.call(adopt, json!({})).await?.ok()?;
        }
        self.practice.wait_until_idle().await?;
        Ok(json!({ "kind": kind, "booking": booking, "page_key": key, "email": self.client.email }))
    }

    /// With nothing but the key, as the desk has it, too.
    async fn agree_and_pay(&self, (kind, key): (&str, &str)) -> Result<()> {
        self.call((PAGE, "RequestConsentCode"), json!({ "pageKey": key })).await?;
        let accept = json!({
            "pageKey": key, "termsAccepted": true, "consent": self.client.consent().await?,
            "consentCode": self.practice.consent_code(&self.client.email).await?,
        });
        self.call((PAGE, "AcceptTerms"), accept).await?;
        let start = json!({ "pageKey": key, "idempotencyKey": format!("kept-page-{kind}") });
        let started = self.call((PAYMENTS, "StartPagePayment"), start).await?;
        let link = started["linkId"].as_str().context("no link")?;
        let body = json!({ "link_id": link, "method": "upi" });
        self.practice.sandbox_post("/api/pay", &body).await.map(drop)
    }

    async fn call(&self, call: (&str, &str), body: Value) -> Result<Value> {
        reviews::call(self.practice, call, &body, |it| it).await?.ok()
    }
}
