//! A client who books with the calls of the web application.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use checker::snapshot::Ack;
use contract::common::v1::ErrorDetail;
use prost::Message as _;
use reqwest::StatusCode;
use reqwest::header::RETRY_AFTER;
use serde_json::{Value, json};
use testkit::{until, until_within};

use crate::practice::Practice;
use crate::tokens::TokenIssuer;

/// How long a call is retried: every part may be killed in that time, more than once.
const TIMEOUT: Duration = Duration::from_secs(240);

/// The password of every account that these tests make.
pub const PASSWORD: &str = "quiet river stones";

/// The answer to a call.
#[derive(Debug, Clone)]
pub struct Answer {
    /// HTTP status.
    pub status: u16,
    /// The JSON body: the message, or the error.
    pub body: Value,
}

impl Answer {
    /// The reason of the error, or an empty text.
    #[must_use]
    pub fn reason(&self) -> String {
        let details = self.body["details"].as_array().into_iter().flatten();
        details
            .filter_map(|detail| STANDARD_NO_PAD.decode(detail["value"].as_str()?).ok())
            .find_map(|bytes| Some(ErrorDetail::decode(bytes.as_slice()).ok()?.reason))
            .unwrap_or_default()
    }

    /// The body of a success answer.
    ///
    /// # Errors
    /// When it is an error.
    pub fn ok(self) -> Result<Value> {
        if self.status == 200 { Ok(self.body) } else { bail!("{} {}", self.status, self.body) }
    }
}

/// The access token of a new session. While too many passwords wait for their turn identity answers
/// 503 with `Retry-After`, and it is asked again.
async fn token_of(practice: &Practice, call: &str, body: &Value) -> Result<String> {
    let url = format!("{}/auth/v1/{call}", practice.url);
    let session: Value = until("identity hashes a password", async || {
        let answer = practice.http.post(&url).json(body).send().await?;
        let is_busy = answer.status() == StatusCode::SERVICE_UNAVAILABLE
            && answer.headers().contains_key(RETRY_AFTER);
        Ok(if is_busy { None } else { Some(answer.json().await?) })
    })
    .await?;
    let token = session["access_token"].as_str().with_context(|| format!("{session}"))?;
    Ok(token.to_owned())
}

/// A signed-in person.
pub struct Customer<'p> {
    practice: &'p Practice,
    token: String,
    user_id: Option<uuid::Uuid>,
    /// The person's address.
    pub email: String,
}

impl<'p> Customer<'p> {
    /// Creates an account (mail confirmation is off) and signs in.
    pub async fn new(practice: &'p Practice, name: &str) -> Result<Self> {
        let email = address(name);
        let body = json!({
            "email": email, "password": PASSWORD,
            "data": { "firstName": name, "lastName": "Canaryworth" },
        });
        let token = token_of(practice, "signup", &body).await?;
        Ok(Self { practice, token, user_id: None, email })
    }

    /// Signs in an existing client with [`PASSWORD`].
    pub async fn signed_in(practice: &'p Practice, email: &str) -> Result<Self> {
        let body = json!({ "email": email, "password": PASSWORD });
        let token = token_of(practice, "token?grant_type=password", &body).await?;
        Ok(Self { practice, token, user_id: None, email: email.to_owned() })
    }

    /// A person with an issued access token and no account.
    pub fn with_issued_token(
        practice: &'p Practice,
        issuer: &TokenIssuer,
        name: &str,
    ) -> Result<Self> {
        let email = address(name);
        let (user_id, token) = issuer.token(&email)?;
        Ok(Self { practice, token, user_id: Some(user_id), email })
    }

    /// The same person of staff, who has shown the second factor just now.
    pub fn as_staff(&self, issuer: &TokenIssuer) -> Result<Self> {
        let (user_id, email) = (self.user_id()?, self.email.clone());
        let token = issuer.staff_token(user_id, &email)?;
        Ok(Self { practice: self.practice, token, user_id: Some(user_id), email })
    }

    /// The user id of an issued token.
    ///
    /// # Errors
    /// When the token came from a sign-up.
    pub fn user_id(&self) -> Result<uuid::Uuid> {
        self.user_id.context("only minted tokens tell it")
    }

    /// The access token.
    #[must_use]
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Calls `service.method` once.
    ///
    /// # Errors
    /// When there is no answer at all.
    pub async fn call_once(&self, method: &str, body: &Value) -> Result<Answer> {
        let url = format!("{}/rpc/{method}", self.practice.url);
        let asked = self.practice.http.post(url).bearer_auth(&self.token).json(body);
        let answer = asked.send().await?;
        let status = answer.status().as_u16();
        let body: Value = answer.json().await.unwrap_or(Value::Null);
        // A granted hold counts as acknowledged for every caller.
        let given = body["booking"]["bookingId"].as_str().filter(|_| status == 200);
        if method.ends_with("/RequestBooking")
            && let Some(id) = given
        {
            self.practice.record_ack(Ack::Requested(id.parse()?));
        }
        Ok(Answer { status, body })
    }

    /// Retries a call until the answer is not "try again", as the web application does.
    ///
    /// When there is no answer for minutes.
    pub async fn call(&self, method: &str, body: Value) -> Result<Answer> {
        let last = Mutex::new(String::new());
        let answers = format!("{method} answers");
        let waited = until_within(TIMEOUT, &answers, async || {
            let answered = self.call_once(method, &body).await;
            let again = |answer: &Answer| answer.status >= 500 || answer.status == 429;
            *last.lock().unwrap_or_else(PoisonError::into_inner) = format!("{answered:?}");
            Ok(answered.ok().filter(|answer| !again(answer)))
        });
        waited.await.with_context(|| format!("the last answer: {last:?}"))
    }

    /// Free starts of a service in the coming days, soonest first.
    pub async fn free_starts(&self, service: &str) -> Result<Vec<String>> {
        let body = json!({ "serviceId": service, "days": 42 });
        let listed = self.call("booking.v1.BookingService/ListSlots", body).await?.ok()?;
        let days = listed["days"].as_array().cloned().unwrap_or_default();
        let slots = days.iter().filter_map(|day| day["slots"].as_array()).flatten();
        let free = slots.filter(|slot| slot["available"] == true);
        Ok(free.filter_map(|slot| slot["startsAt"].as_str()).map(str::to_owned).collect())
    }

    /// The body of `RequestBooking`.
    #[must_use]
    pub fn request(&self, service: &str, starts_at: &str, key: &str) -> Value {
        json!({
            "idempotencyKey": key, "serviceId": service, "startsAt": starts_at,
            "mode": "SESSION_MODE_ONLINE", "termsAccepted": true,
            "contact": {
                "firstName": "Asha", "lastName": "Canaryworth", "email": self.email,
                "phone": "+91 98765 43210", "notes": "canary-notes-of-a-person",
            },
        })
    }

    /// The body of `RequestBooking` for a starter package.
    #[must_use]
    pub fn package_request(&self, service: &str, starts: &[String], key: &str) -> Value {
        let (first, further) = starts.split_first().unzip();
        let mut request = self.request(service, first.map_or("", String::as_str), key);
        request["packageId"] = json!("starter");
        request["furtherStartsAt"] = json!(further.unwrap_or_default());
        request
    }

    /// Holds the slots of a package with a consent to today's terms, or returns the refusal.
    pub async fn try_hold_package(
        &self,
        service: &str,
        starts: &[String],
        key: &str,
    ) -> Result<Result<String, Answer>> {
        let mut request = self.package_request(service, starts, key);
        request["consent"] = self.consent().await?;
        self.send_request(request).await
    }

    /// Holds a slot and returns the booking's id.
    pub async fn hold(&self, service: &str, starts_at: &str, key: &str) -> Result<String> {
        self.try_hold(service, starts_at, key).await?.map_err(|refused| anyhow!("{refused:?}"))
    }

    /// Holds a slot, or returns the refusal.
    pub async fn try_hold(
        &self,
        service: &str,
        starts_at: &str,
        key: &str,
    ) -> Result<Result<String, Answer>> {
        self.send_request(self.request(service, starts_at, key)).await
    }

    /// Holds a slot with a consent to today's terms, or returns the refusal.
    pub async fn try_hold_with_consent(
        &self,
        service: &str,
        starts_at: &str,
        key: &str,
    ) -> Result<Result<String, Answer>> {
        let mut request = self.request(service, starts_at, key);
        request["consent"] = self.consent().await?;
        self.send_request(request).await
    }

    /// A consent to today's terms, as it is sent with a booking.
    pub async fn consent(&self) -> Result<Value> {
        let method = "catalogue.v1.CatalogueService/GetConsentTerms";
        let told = self.call(method, json!({})).await?.ok()?;
        Ok(json!({
            "version": told["terms"]["version"], "fullName": "Asha Canaryworth",
            "email": self.email, "signature": "canary-signature-of-a-consent",
            "acceptedDeclaration": true,
        }))
    }

    /// The own consent and whether it is in force, as booking answers.
    pub async fn own_consent(&self) -> Result<Value> {
        self.call("booking.v1.ConsentService/GetConsent", json!({})).await?.ok()
    }

    /// The text of the file of a consent.
    pub async fn consent_file(&self, consent_id: &str) -> Result<String> {
        let body = json!({ "consentId": consent_id });
        let file = self.call("booking.v1.ConsentService/GetConsentFile", body).await?.ok()?;
        Ok(file["content"].as_str().context("no file")?.to_owned())
    }

    /// Withdraws the own consent.
    pub async fn withdraw_consent(&self, key: &str) -> Result<()> {
        let body = json!({ "idempotencyKey": key });
        self.call("booking.v1.ConsentService/WithdrawConsent", body).await?.ok()?;
        Ok(())
    }

    /// Says that the widget on another site is to be told of a booking, and reads what it is told.
    pub async fn report(&self, report_id: &str, booking_id: &str) -> Result<String> {
        let key = format!("report-{booking_id}");
        let body = json!({
            "idempotencyKey": key, "reportId": report_id, "bookingId": booking_id,
        });
        self.call("booking.v1.WidgetService/ReportBooking", body).await?.ok()?;
        let body = json!({ "reportId": report_id });
        let told = self.call("booking.v1.WidgetService/GetReport", body).await?.ok()?;
        Ok(told["state"].as_str().unwrap_or_default().to_owned())
    }

    async fn send_request(&self, request: Value) -> Result<Result<String, Answer>> {
        let held = self.call("booking.v1.BookingService/RequestBooking", request).await?;
        if held.status != 200 {
            return Ok(Err(held));
        }
        let id = held.body["booking"]["bookingId"].as_str().context("no booking")?.to_owned();
        Ok(Ok(id))
    }

    /// Starts the payment and returns the order's id.
    pub async fn order(&self, booking_id: &str) -> Result<String> {
        let body =
            json!({ "bookingId": booking_id, "idempotencyKey": format!("order-{booking_id}") });
        let started = self.call("payments.v1.PaymentsService/StartPayment", body).await?.ok()?;
        let order_id = started["orderId"].as_str().context("no order")?.to_owned();
        let booking_id = booking_id.parse()?;
        let order = order_id.clone();
        self.practice.record_ack(Ack::OrderStarted { booking_id, order_id: order });
        Ok(order_id)
    }

    /// Starts the payment by a link and returns the provider's id of it.
    pub async fn link(&self, booking_id: &str) -> Result<String> {
        let body = json!({
            "bookingId": booking_id, "idempotencyKey": format!("link-{booking_id}"),
            "method": "PAYMENT_METHOD_LINK",
        });
        let started = self.call("payments.v1.PaymentsService/StartPayment", body).await?.ok()?;
        let link_id = started["linkId"].as_str().context("no link")?.to_owned();
        let booking_id = booking_id.parse()?;
        let link = link_id.clone();
        self.practice.record_ack(Ack::LinkStarted { booking_id, link_id: link });
        Ok(link_id)
    }

    /// Reports that checkout is being opened.
    pub async fn open_checkout(&self, booking_id: &str) -> Result<()> {
        let body =
            json!({ "bookingId": booking_id, "idempotencyKey": format!("open-{booking_id}") });
        self.call("booking.v1.BookingService/OpenCheckout", body).await?.ok()?;
        self.practice.record_ack(Ack::CheckoutOpened(booking_id.parse()?));
        Ok(())
    }

    /// Releases the slot.
    pub async fn release(&self, booking_id: &str) -> Result<()> {
        let body =
            json!({ "bookingId": booking_id, "idempotencyKey": format!("back-{booking_id}") });
        self.call("booking.v1.BookingService/ReleaseBooking", body).await?.ok()?;
        self.practice.record_ack(Ack::Released(booking_id.parse()?));
        Ok(())
    }

    /// Claims that the booking is paid.
    pub async fn claim(&self, booking_id: &str) -> Result<()> {
        let body =
            json!({ "bookingId": booking_id, "idempotencyKey": format!("paid-{booking_id}") });
        self.call("payments.v1.PaymentsService/ClaimPayment", body).await?.ok()?;
        self.practice.record_ack(Ack::Claimed(booking_id.parse()?));
        Ok(())
    }

    /// Submits the checkout's answer.
    pub async fn submit_checkout_answer(&self, booking_id: &str, paid: &Value) -> Result<Answer> {
        let body = json!({
            "bookingId": booking_id, "idempotencyKey": format!("answer-{booking_id}"),
            "paymentId": paid["razorpay_payment_id"], "signature": paid["razorpay_signature"],
        });
        self.call("payments.v1.PaymentsService/SubmitCheckoutAnswer", body).await
    }

    /// The booking as its client reads it.
    ///
    /// # Errors
    /// When booking does not answer or does not know it.
    pub async fn booking(&self, booking_id: &str) -> Result<Value> {
        let body = json!({ "bookingId": booking_id });
        let read = self.call("booking.v1.BookingService/GetBooking", body).await?.ok()?;
        Ok(read["booking"].clone())
    }

    /// Waits until the booking is in this state, for example `BOOKING_STATE_CONFIRMED`.
    ///
    /// When it does not reach the state.
    pub async fn wait_for_state(&self, booking_id: &str, state: &str) -> Result<Value> {
        until(&format!("{booking_id} is {state}"), async || {
            let booking = self.booking(booking_id).await?;
            Ok((booking["state"] == state).then_some(booking))
        })
        .await
    }

    /// The mails to this person, newest first.
    pub async fn mails(&self) -> Result<Vec<Value>> {
        self.practice.inbox_of(&self.email).await
    }
}

/// A unique address.
pub(crate) fn address(name: &str) -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::SeqCst);
    format!("{}.{count}@customers.example", name.to_lowercase())
}
