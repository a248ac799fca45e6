//! The Razorpay adapter: its HTTP API, its signatures and its JSON, which stays in this module.

mod api;
mod dispute;
mod json;
mod link;
mod settings;
mod settlement;
mod signature;

use kernel::{Money, Timestamp};
use secrecy::ExposeSecret as _;
use serde_json::{Value, json};
use url::form_urlencoded;

use self::api::Api;
pub use self::settings::Settings;
use crate::domain::dispute::Dispute;
use crate::domain::fact::{LinkId, OrderId, PaymentId, ProviderRefundId};
use crate::domain::settlement::{Line, Settlement};
use crate::providers::{
    LinkReport, LinkRequest, LinkReturn, Observation, OrderReport, OrderRequest, Page,
    PaymentReport, Provider, ProviderError, ProviderFuture, ProviderRefund, RefundRequest,
    ReturnError, ReturnForm, WebhookHeaders,
};

/// How long after their creation payments are captured automatically: three days, which is as long
/// as an order is polled (`polling.rs`). Banks may settle payments for that long, so each payment
/// that we can still see arrives as captured money, which is placed or refunded; no capture call is
/// necessary. Later ones stay authorised, and the provider voids them without a fee.
const CAPTURED_WITHIN_MINUTES: u32 = 72 * 60;
/// The longest manual capture time that the provider allows: five days.
const CAPTURABLE_WITHIN_MINUTES: u32 = 7_200;

/// The least amount that the provider refunds: one rupee.
const LEAST_REFUND_MINOR: i64 = 100;

/// The reason of a refusal because of an unsupported field.
const EXTRA_FIELD: &str = "extra_field_sent";

/// The provider.
#[derive(Debug, Clone)]
pub struct Razorpay {
    api: Api,
    settings: Settings,
}

impl Razorpay {
    /// The account that the settings name.
    pub fn new(settings: Settings) -> Result<Self, reqwest::Error> {
        Ok(Self { api: Api::new(&settings)?, settings })
    }
}

impl Provider for Razorpay {
    fn is_test_mode(&self) -> bool {
        self.settings.key_id.starts_with("rzp_test_")
    }

    fn names_account(&self) -> bool {
        self.settings.account_id.is_some()
    }

    fn name(&self) -> &'static str {
        settings::NAME
    }

    fn least_refund_minor(&self) -> i64 {
        LEAST_REFUND_MINOR
    }

    fn create_order(&self, wanted: OrderRequest) -> ProviderFuture<'_, OrderId> {
        Box::pin(async move {
            let unique = self.api.post("/orders", &order_body(wanted, true), None).await;
            let made = match unique {
                // Not every account supports the field. A refusal has created nothing, and each
                // later attempt looks up the receipt first.
                Err(ProviderError::Refused { reason }) if reason == EXTRA_FIELD => {
                    self.api.post("/orders", &order_body(wanted, false), None).await?
                }
                made => made?,
            };
            own_order(&made, wanted).map(|(_created_at, id)| id)
        })
    }

    fn find_order(&self, wanted: OrderRequest) -> ProviderFuture<'_, Option<OrderId>> {
        Box::pin(async move {
            let receipt = wanted.receipt.to_string();
            let list = self.api.get("/orders", &[("receipt", &receipt), ("count", "100")]).await?;
            let mut found = json::items(&list)
                // The filter is the provider's, so the result is checked here.
                .filter(|order| json::text(order, "receipt") == Some(receipt.as_str()))
                .map(|order| own_order(order, wanted))
                .collect::<Result<Vec<_>, _>>()?;
            found.sort();
            Ok(found.into_iter().next().map(|(_created_at, id)| id))
        })
    }

    fn create_link(&self, wanted: LinkRequest) -> ProviderFuture<'_, LinkReport> {
        Box::pin(async move {
            let body = link::body(wanted, &self.settings);
            let made = self.api.post("/payment_links", &body, None).await?;
            let made = link::read(&made).ok_or(ProviderError::InvalidAnswer("not a link"))?;
            link::check(made, wanted)
        })
    }

    fn find_link(&self, wanted: LinkRequest) -> ProviderFuture<'_, Option<LinkReport>> {
        Box::pin(async move {
            let reference = wanted.reference.to_string();
            let list = self.api.get("/payment_links", &[("reference_id", &reference)]).await?;
            link::find(&list, wanted)
        })
    }

    fn link<'a>(&'a self, id: &'a LinkId) -> ProviderFuture<'a, LinkReport> {
        Box::pin(async move {
            link::own(&self.api.get(&format!("/payment_links/{id}"), &[]).await?, id)
        })
    }

    fn cancel_link<'a>(&'a self, id: &'a LinkId) -> ProviderFuture<'a, LinkReport> {
        Box::pin(async move {
            let path = format!("/payment_links/{id}/cancel");
            match self.api.post(&path, &json!({}), None).await {
                Ok(entity) => link::own(&entity, id),
                Err(ProviderError::Refused { .. }) => self.link(id).await,
                Err(error) => Err(error),
            }
        })
    }

    fn order<'a>(&'a self, id: &'a OrderId) -> ProviderFuture<'a, OrderReport> {
        Box::pin(async move {
            let order = self.api.get(&format!("/orders/{id}"), &[]).await?;
            json::order(&order, self.name())
                .filter(|order| order.fact.id == *id)
                .ok_or(ProviderError::InvalidAnswer("not the order that was asked for"))
        })
    }

    fn payments_of<'a>(&'a self, order: &'a OrderId) -> ProviderFuture<'a, Vec<PaymentReport>> {
        Box::pin(async move {
            let list =
                self.api.get(&format!("/orders/{order}/payments"), &[("count", "100")]).await?;
            Ok(json::items(&list).filter_map(json::report).collect())
        })
    }

    fn payment<'a>(&'a self, id: &'a PaymentId) -> ProviderFuture<'a, PaymentReport> {
        Box::pin(
            async move { own_payment(&self.api.get(&format!("/payments/{id}"), &[]).await?, id) },
        )
    }

    fn capture<'a>(
        &'a self,
        id: &'a PaymentId,
        amount: Money,
    ) -> ProviderFuture<'a, PaymentReport> {
        Box::pin(async move {
            let body = json!({ "amount": amount.minor, "currency": amount.currency.code() });
            match self.api.post(&format!("/payments/{id}/capture"), &body, None).await {
                Ok(entity) => own_payment(&entity, id),
                // It may have been captured a moment before; then a capture is refused, too.
                Err(ProviderError::Refused { .. }) => self.payment(id).await,
                Err(error) => Err(error),
            }
        })
    }

    fn refund<'a>(&'a self, wanted: &'a RefundRequest) -> ProviderFuture<'a, ProviderRefund> {
        Box::pin(async move {
            let receipt = wanted.refund_id.to_string();
            let body = json!({
                "amount": wanted.amount.minor,
                "speed": "normal",
                "receipt": receipt,
            });
            let key = match wanted.refusals {
                0 => receipt,
                refusals => format!("{receipt}-{refusals}"),
            };
            let path = format!("/payments/{}/refund", wanted.payment);
            own_refund(&self.api.post(&path, &body, Some(&key)).await?)
        })
    }

    fn refunds_of<'a>(&'a self, payment: &'a PaymentId) -> ProviderFuture<'a, Vec<ProviderRefund>> {
        Box::pin(async move {
            let path = format!("/payments/{payment}/refunds");
            let list = self.api.get(&path, &[("count", "100")]).await?;
            let of_payment = |refund| ProviderRefund { payment: Some(payment.clone()), ..refund };
            Ok(json::items(&list).filter_map(json::refund).map(of_payment).collect())
        })
    }

    fn fetch_refund<'a>(&'a self, id: &'a ProviderRefundId) -> ProviderFuture<'a, ProviderRefund> {
        Box::pin(async move { own_refund(&self.api.get(&format!("/refunds/{id}"), &[]).await?) })
    }

    fn settlement_lines(&self, at: Timestamp, skip: usize) -> ProviderFuture<'_, Page<Line>> {
        Box::pin(settlement::lines(&self.api, at, skip))
    }

    fn settlements(
        &self,
        from: Timestamp,
        to: Timestamp,
        skip: usize,
    ) -> ProviderFuture<'_, Page<Settlement>> {
        Box::pin(settlement::settlements(&self.api, (from, to), skip))
    }

    fn payments_between(
        &self,
        from: Timestamp,
        to: Timestamp,
        skip: usize,
    ) -> ProviderFuture<'_, Page<PaymentReport>> {
        Box::pin(settlement::payments(&self.api, (from, to), skip))
    }

    fn disputes_between(
        &self,
        from: Timestamp,
        to: Timestamp,
        skip: usize,
    ) -> ProviderFuture<'_, Page<Dispute>> {
        Box::pin(settlement::disputes(&self.api, self.name(), (from, to), skip))
    }

    fn verify_return(
        &self,
        order: &OrderId,
        payment_id: &str,
        signature: &str,
    ) -> Result<PaymentId, ReturnError> {
        let payment = json::payment_id(payment_id).ok_or(ReturnError::Malformed)?;
        let message = format!("{order}|{payment}");
        let secret = self.settings.key_secret.expose_secret();
        if signature::is_valid(secret, message.as_bytes(), signature) {
            Ok(payment)
        } else {
            Err(ReturnError::Forged)
        }
    }

    fn read_return(&self, form: &[u8]) -> Option<ReturnForm> {
        let field = |name: &str| {
            let found = form_urlencoded::parse(form).find(|(key, _)| key == name);
            found.map(|(_, value)| value.into_owned())
        };
        let payment_id = field("razorpay_payment_id")?;
        Some(ReturnForm { payment_id, signature: field("razorpay_signature").unwrap_or_default() })
    }

    fn read_link_return(&self, query: &str) -> Option<LinkReturn> {
        link::read_return(query)
    }

    fn is_own_link_return(&self, answer: &LinkReturn) -> bool {
        link::is_own_return(answer, &self.settings)
    }

    fn webhook_headers(&self) -> WebhookHeaders {
        WebhookHeaders { signature: "x-razorpay-signature", event_id: "x-razorpay-event-id" }
    }

    fn verify_webhook(&self, signature: &str, raw: &[u8]) -> bool {
        let previous = self.settings.webhook_secret_previous.as_ref();
        [Some(&self.settings.webhook_secret), previous]
            .into_iter()
            .flatten()
            .any(|secret| signature::is_valid(secret.expose_secret(), raw, signature))
    }

    fn is_of_another_account(&self, raw: &[u8]) -> bool {
        let Some(own) = &self.settings.account_id else { return false };
        let event = serde_json::from_slice::<Value>(raw).unwrap_or_default();
        json::text(&event, "account_id").is_some_and(|named| named != own)
    }

    fn read_webhook(&self, raw: &[u8]) -> Vec<Observation> {
        let Ok(event) = serde_json::from_slice::<Value>(raw) else { return Vec::new() };
        let entity = |name: &str| event.pointer(&format!("/payload/{name}/entity"));
        // The link comes first, because it says whose the payment's order is.
        let link = entity("payment_link").and_then(link::read).map(Observation::Link);
        let payment = entity("payment").and_then(json::payment).map(Observation::Payment);
        let refund = entity("refund").and_then(json::refund).map(Observation::Refund);
        let dispute = entity("dispute").and_then(|it| dispute::read(it, self.name(), &event));
        let dispute = dispute.map(Observation::Dispute);
        link.into_iter().chain(payment).chain(refund).chain(dispute).collect()
    }
}

/// The request body of an order. Automatic capture is refused without the time in which it
/// captures. `unique` makes a repeat of the request the same order.
fn order_body(wanted: OrderRequest, unique: bool) -> Value {
    let mut body = json!({
        "amount": wanted.amount.minor,
        "currency": wanted.amount.currency.code(),
        "receipt": wanted.receipt.to_string(),
        "payment": {
            "capture": "automatic",
            "capture_options": {
                "automatic_expiry_period": CAPTURED_WITHIN_MINUTES,
                "manual_expiry_period": CAPTURABLE_WITHIN_MINUTES,
                "refund_speed": "normal",
            },
        },
        "notes": { "booking_id": wanted.booking_id.to_string() },
    });
    if let Some(fields) = body.as_object_mut().filter(|_| unique) {
        fields.insert("unique_receipt".to_owned(), Value::Bool(true));
    }
    body
}

/// An order's age and id, if the order matches the request.
fn own_order(order: &Value, wanted: OrderRequest) -> Result<(Timestamp, OrderId), ProviderError> {
    let id = json::order_id(json::text(order, "id").unwrap_or_default())
        .ok_or(ProviderError::InvalidAnswer("an order without an id"))?;
    if json::amount(order) != Some(wanted.amount.into()) {
        return Err(ProviderError::InvalidAnswer("an order of another amount under our receipt"));
    }
    let created_at = json::integer(order, "created_at").and_then(Timestamp::from_seconds);
    Ok((created_at.unwrap_or(Timestamp::EPOCH), id))
}

fn own_payment(entity: &Value, id: &PaymentId) -> Result<PaymentReport, ProviderError> {
    json::report(entity)
        .filter(|report| report.payment.id == *id)
        .ok_or(ProviderError::InvalidAnswer("not the payment that was asked for"))
}

fn own_refund(entity: &Value) -> Result<ProviderRefund, ProviderError> {
    json::refund(entity).ok_or(ProviderError::InvalidAnswer("not a refund"))
}

#[cfg(test)]
mod tests;
