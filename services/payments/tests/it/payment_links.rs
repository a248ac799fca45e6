//! What the tests of payment links share: starting one, paying it, and asking what it has come to.

use anyhow::{Context as _, Result};
use contract::booking::v1::{BookingState, GetBookingFactsResponse};
use contract::convert::to_wire;
use contract::payments::v1::{
    CheckPaymentRequest, CheckPaymentResponse, PaymentMethod, StartPaymentRequest,
    StartPaymentResponse,
};
use kernel::Money;
use serde_json::{Value, json};
use tonic::Status;

use crate::world::{Held, PRICE, World};

impl World {
    /// Starts a payment in a way, under a key of its own.
    pub(crate) async fn try_start_by(
        &self,
        held: Held,
        method: PaymentMethod,
        key: &str,
    ) -> Result<Result<StartPaymentResponse, Status>> {
        let asked = StartPaymentRequest {
            booking_id: held.id.to_string(),
            idempotency_key: key.to_owned(),
            method: method.into(),
        };
        let request = self.request(held.customer, asked)?;
        let answer = self.client.clone().start_payment(request).await;
        Ok(answer.map(tonic::Response::into_inner))
    }

    pub(crate) async fn try_link(
        &self,
        held: Held,
    ) -> Result<Result<StartPaymentResponse, Status>> {
        self.try_start_by(held, PaymentMethod::Link, "key-of-this-link").await
    }

    pub(crate) async fn link(&self, held: Held) -> Result<StartPaymentResponse> {
        Ok(self.try_link(held).await??)
    }

    /// Its time is held for another quarter of an hour.
    pub(crate) async fn hold_again(&self, held: Held) -> Result<()> {
        let until = self.store.now().await?.plus_minutes(15);
        self.booking.knows(GetBookingFactsResponse {
            booking_id: held.id.to_string(),
            customer_id: held.customer.to_string(),
            price: Some(Money::inr(PRICE).into()),
            held_until_at: Some(to_wire(until)),
            state: BookingState::AwaitingPayment.into(),
            starts_at: Some(to_wire(until.plus_minutes(24 * 60))),
            ..GetBookingFactsResponse::default()
        });
        Ok(())
    }

    /// Pays a link at the sandbox; `more` says how.
    pub(crate) async fn pay_link(&self, link_id: &str, more: Value) -> Result<Value> {
        let mut wanted = json!({ "link_id": link_id });
        let fields = wanted.as_object_mut().context("an object")?;
        fields.extend(more.as_object().context("an object")?.clone());
        self.tell("/api/pay", &wanted).await
    }

    /// What happens to a link at the provider.
    pub(crate) async fn link_becomes(&self, link_id: &str, state: &str) -> Result<()> {
        self.tell("/api/link", &json!({ "link_id": link_id, "becomes": state })).await.map(drop)
    }

    /// The states of the links that the provider has, oldest first.
    pub(crate) async fn link_states(&self) -> Result<Vec<String>> {
        let links = self.provider_has("payment_links").await?;
        let state = |link: &Value| Some(link.get("status")?.as_str()?.to_owned());
        Ok(links.iter().filter_map(state).collect())
    }

    /// Waits until the provider's links have these states.
    pub(crate) async fn until_links(&self, wanted: &[&str]) -> Result<()> {
        testkit::until("the links' states", async || {
            Ok((self.link_states().await? == wanted).then_some(()))
        })
        .await
    }

    pub(crate) async fn check_link(
        &self,
        held: Held,
    ) -> Result<Result<CheckPaymentResponse, Status>> {
        let asked = CheckPaymentRequest { booking_id: held.id.to_string() };
        let answer = self.client.clone().check_payment(self.request(held.customer, asked)?).await;
        Ok(answer.map(tonic::Response::into_inner))
    }

    /// The payments that were verified and those that are sent back, of a booking.
    pub(crate) async fn verified_and_back(&self, held: Held) -> Result<(usize, usize)> {
        let verified = self.count(held, "PaymentVerified").await?;
        Ok((verified, self.count(held, "RefundRequested").await?))
    }
}
