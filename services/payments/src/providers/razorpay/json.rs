//! Lenient readers of Razorpay's JSON. It comes from PHP: empty objects are lists, numbers may be
//! strings, and fields may be missing. Only required fields are read, and only they can fail.

use kernel::Id;
use kernel::id::Refund as RefundKind;
use serde_json::Value;

use crate::domain::fact::{
    Amount, DisputeId, Fact, LinkId, OrderFact, OrderId, Payment, PaymentId, ProviderRefundId,
    Status,
};
use crate::domain::refund::Progress;
use crate::providers::{OrderReport, PaymentReport, ProviderRefund, Receipt};

/// What follows an id's prefix.
const ID_CHARS: usize = 14;

/// The entries of a collection, which PHP also writes as an object; none if it is null or missing.
pub(super) fn items(list: &Value) -> impl Iterator<Item = &Value> {
    let items = list.get("items");
    let listed = items.and_then(Value::as_array).into_iter().flatten();
    listed.chain(items.and_then(Value::as_object).into_iter().flat_map(|map| map.values()))
}

/// A text field that is not empty.
pub(super) fn text<'v>(entity: &'v Value, field: &str) -> Option<&'v str> {
    entity.get(field).and_then(Value::as_str).filter(|text| !text.is_empty())
}

/// A whole number, also when it is written as a text.
pub(super) fn integer(entity: &Value, field: &str) -> Option<i64> {
    match entity.get(field)? {
        Value::Number(number) => number.as_i64(),
        Value::String(text) => text.parse().ok(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// An entity's amount in its own currency.
pub(super) fn amount(entity: &Value) -> Option<Amount> {
    let minor = integer(entity, "amount").filter(|minor| *minor >= 0)?;
    let currency = text(entity, "currency")?;
    let is_code = currency.len() == 3 && currency.bytes().all(|b| b.is_ascii_alphabetic());
    is_code.then(|| Amount { minor, currency: currency.to_ascii_uppercase() })
}

fn has_grammar(text: &str, prefix: &str) -> bool {
    text.strip_prefix(prefix).is_some_and(|rest| {
        rest.len() == ID_CHARS && rest.bytes().all(|b| b.is_ascii_alphanumeric())
    })
}

/// A payment's id, `pay_` and 14 letters or digits.
pub(super) fn payment_id(id: &str) -> Option<PaymentId> {
    has_grammar(id, "pay_").then(|| PaymentId::parse(id)).flatten()
}

/// An order's id, `order_` and 14 letters or digits; in some webhooks the prefix is missing.
pub(super) fn order_id(id: &str) -> Option<OrderId> {
    if has_grammar(id, "") {
        return OrderId::parse(&format!("order_{id}"));
    }
    has_grammar(id, "order_").then(|| OrderId::parse(id)).flatten()
}

/// A dispute's id, `disp_` and 14 letters or digits.
pub(super) fn dispute_id(id: &str) -> Option<DisputeId> {
    has_grammar(id, "disp_").then(|| DisputeId::parse(id)).flatten()
}

/// A payment link's id, `plink_` and 14 letters or digits.
pub(super) fn link_id(id: &str) -> Option<LinkId> {
    has_grammar(id, "plink_").then(|| LinkId::parse(id)).flatten()
}

/// Our id of a refund, when its receipt is one.
pub(super) fn refund_id(entity: &Value) -> Option<Id<RefundKind>> {
    text(entity, "receipt")?.parse().ok()
}

/// A provider's code as it is stored: short, with letters, digits and underscores only.
pub(super) fn word(text: &str) -> String {
    let fits = |letter: &char| letter.is_ascii_alphanumeric() || *letter == '_';
    text.chars().filter(fits).take(40).collect()
}

/// The state of an order. It is paid in full if both its status and its amount due, which must be
/// present, say so.
pub(super) fn order(entity: &Value, provider: &str) -> Option<OrderReport> {
    let fact = OrderFact {
        provider: provider.to_owned(),
        id: order_id(text(entity, "id")?)?,
        amount: amount(entity)?,
        is_paid_in_full: text(entity, "status") == Some("paid")
            && integer(entity, "amount_due") == Some(0),
    };
    let receipt = text(entity, "receipt").unwrap_or_default();
    // The order beneath a link bears the link's reference.
    let of_link = receipt.parse().ok().map(Receipt::Link);
    let receipt = receipt.parse().ok().map(Receipt::Collection).or(of_link);
    Some(OrderReport { fact, receipt })
}

/// A payment; `None` if it is none, or its state is unknown.
pub(super) fn payment(entity: &Value) -> Option<Payment> {
    let fact = Fact {
        status: Status::from_word(text(entity, "status")?)?,
        amount: amount(entity)?,
        order: text(entity, "order_id").and_then(order_id),
    };
    Some(Payment { id: payment_id(text(entity, "id")?)?, fact })
}

/// A payment with its refunded amount.
pub(super) fn report(entity: &Value) -> Option<PaymentReport> {
    let payment = payment(entity)?;
    let said = integer(entity, "amount_refunded").unwrap_or(0).max(0);
    let refunded_minor = match text(entity, "refund_status") {
        Some("full") => said.max(payment.fact.amount.minor),
        Some("partial") => said.max(1),
        Some(_) | None => said,
    };
    Some(PaymentReport { payment, refunded_minor })
}

/// A refund; `None` when it is none. One in an unknown state counts as pending.
pub(super) fn refund(entity: &Value) -> Option<ProviderRefund> {
    let id = text(entity, "id").filter(|id| has_grammar(id, "rfnd_"))?;
    let progress = match text(entity, "status")? {
        "processed" => Progress::Processed,
        "failed" => Progress::Failed,
        _ => Progress::Pending,
    };
    Some(ProviderRefund {
        id: ProviderRefundId::parse(id)?,
        payment: text(entity, "payment_id").and_then(payment_id),
        refund_id: refund_id(entity),
        amount: amount(entity)?,
        progress,
    })
}

/// How the provider reports that a payment is too old to be refunded: only in prose.
const TOO_OLD: [&str; 5] = ["6 months", "six months", "180 days", "too old", "older than"];

/// The reason code of a refused request: the error's reason, else its code.
pub(super) fn reason(body: &Value) -> String {
    let error = body.get("error");
    let description = error.and_then(|error| text(error, "description")).unwrap_or_default();
    let description = description.to_ascii_lowercase();
    if TOO_OLD.iter().any(|words| description.contains(words)) {
        return "payment_too_old".to_owned();
    }
    let word = |field: &str| {
        error.and_then(|error| text(error, field)).filter(|word| {
            *word != "NA"
                && word.len() <= 64
                && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        })
    };
    word("reason").or_else(|| word("code")).unwrap_or("refused").to_ascii_lowercase()
}
