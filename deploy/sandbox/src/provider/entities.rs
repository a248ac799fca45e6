//! Rows of the store in the JSON form of the provider. The real API is written in PHP: it sends an
//! empty object as an empty list, and so does this one.

use serde_json::{Map, Value, json};

use crate::state::AppState;

use crate::store::rows::{
    Adjustment, Failure, Link, Method, Order, OrderStatus, Payment, PaymentStatus, Refund,
    RefundStatus, SettledLine, Settlement,
};

/// The id of the sandbox's only account in webhooks.
pub(crate) const ACCOUNT_ID: &str = "acc_SandboxAcc0001";

pub(crate) fn order(row: &Order) -> Value {
    json!({
        "id": row.id,
        "entity": "order",
        "amount": row.amount,
        "amount_paid": row.amount_paid,
        "amount_due": (row.amount - row.amount_paid).max(0),
        "currency": row.currency,
        "receipt": row.receipt,
        "offer_id": null,
        "status": match row.status {
            OrderStatus::Created => "created",
            OrderStatus::Attempted => "attempted",
            OrderStatus::Paid => "paid",
        },
        "attempts": row.payments.len(),
        "notes": php_object(&row.notes),
        "created_at": row.created_at,
    })
}

/// The address of a link's page.
fn link_url(app: &AppState, link: &Link) -> String {
    format!("{}/l/{}", app.public_url, link.code)
}

/// A payment link. Calls show its captured payments, webhooks do not.
pub(crate) fn link(app: &AppState, row: &Link, payments: Option<&[&Payment]>) -> Value {
    let is_notified = |channel: &str| row.notify.get(channel).cloned().unwrap_or(json!(false));
    let mut entity = json!({
        "id": row.id,
        "accept_partial": row.accept_partial,
        "amount": row.amount,
        "amount_paid": row.amount_paid,
        "cancelled_at": row.cancelled_at,
        "created_at": row.created_at,
        "currency": row.currency,
        "customer": php_object(&row.customer),
        "description": row.description.as_deref().unwrap_or(""),
        "expire_by": row.expire_by,
        "expired_at": row.expired_at,
        "first_min_partial_amount": row.first_min_partial_amount,
        "notes": if row.notes.is_empty() { Value::Null } else { json!(row.notes) },
        "notify": {
            "email": is_notified("email"),
            "sms": is_notified("sms"),
            "whatsapp": is_notified("whatsapp"),
        },
        "reference_id": row.reference_id.as_deref().unwrap_or(""),
        "reminder_enable": row.reminder_enable,
        "reminders": [],
        "short_url": link_url(app, row),
        "status": row.status.word(),
        "updated_at": row.updated_at,
        "upi_link": false,
        "user_id": "",
        "whatsapp_link": false,
    });
    let Some(fields) = entity.as_object_mut() else { return entity };
    if let Some(url) = &row.callback_url {
        fields.insert("callback_url".to_owned(), json!(url));
        fields.insert("callback_method".to_owned(), json!("get"));
    }
    if let Some(order) = &row.order_id {
        fields.insert("order_id".to_owned(), json!(order));
    }
    let captured = payments.map(|payments| {
        let shown = payments.iter().map(|payment| {
            json!({
                "amount": payment.amount, "created_at": payment.created_at,
                "method": method_of(payment.method), "payment_id": payment.id,
                "status": "captured",
            })
        });
        shown.collect::<Vec<_>>()
    });
    if let Some(captured) = captured {
        let captured = if captured.is_empty() { Value::Null } else { Value::Array(captured) };
        fields.insert("payments".to_owned(), captured);
    }
    entity
}

/// An order in the webhooks of its payment link: without the prefix of its id, and with other
/// fields.
pub(crate) fn order_of_link(row: &Order) -> Value {
    let link_id = row.link_id.as_deref().unwrap_or_default();
    let mut entity = order(row);
    if let Some(fields) = entity.as_object_mut() {
        fields.remove("entity");
        fields.insert("id".to_owned(), json!(row.id.trim_start_matches("order_")));
        fields.insert("product_id".to_owned(), json!(link_id.trim_start_matches("plink_")));
        fields.insert("product_type".to_owned(), json!("payment_link_v2"));
        fields.insert("payment_capture".to_owned(), json!(true));
    }
    entity
}

pub(crate) fn payment(row: &Payment) -> Value {
    let (fee, tax) = if row.captured { fee_and_tax_of(row) } else { (0, 0) };
    let failure = |pick: fn(&Failure) -> &str| row.failure.as_ref().map(pick);
    let mut entity = json!({
        "id": row.id,
        "entity": "payment",
        "amount": row.amount,
        "currency": row.currency,
        "status": status_of(row),
        "order_id": Some(&row.order_id).filter(|id| !id.is_empty()),
        "invoice_id": null,
        "international": false,
        "method": method_of(row.method),
        "amount_refunded": row.amount_refunded,
        "refund_status": match row.amount_refunded {
            0 => None,
            some if some < row.amount => Some("partial"),
            _ => Some("full"),
        },
        "captured": row.captured,
        "description": null,
        "card_id": null,
        "bank": (row.method == Method::Netbanking).then_some("HDFC"),
        "wallet": (row.method == Method::Wallet).then_some("payzapp"),
        "vpa": row.vpa,
        "email": "void@razorpay.com",
        "contact": "+919999999999",
        "notes": php_object(&row.notes),
        "fee": row.captured.then_some(fee),
        "tax": row.captured.then_some(tax),
        "error_code": failure(|it| &it.code),
        "error_description": failure(|it| &it.description),
        "error_source": failure(|it| &it.source),
        "error_step": failure(|it| &it.step),
        "error_reason": failure(|it| &it.reason),
        "acquirer_data": acquirer_data(row),
        "created_at": row.created_at,
    });
    if let Some(fields) = entity.as_object_mut() {
        add_instrument(fields, row);
    }
    entity
}

pub(crate) fn refund(row: &Refund) -> Value {
    json!({
        "id": row.id,
        "entity": "refund",
        "amount": row.amount,
        "currency": row.currency,
        "payment_id": row.payment_id,
        "notes": php_object(&row.notes),
        "receipt": row.receipt,
        "acquirer_data": { "arn": null },
        "created_at": row.created_at,
        "batch_id": null,
        "status": match row.status {
            RefundStatus::Pending => "pending",
            RefundStatus::Processed => "processed",
            RefundStatus::Failed => "failed",
        },
        "speed_processed": "normal",
        "speed_requested": row.speed,
    })
}

pub(crate) fn settlement(row: &Settlement) -> Value {
    json!({
        "id": row.id,
        "entity": "settlement",
        "amount": row.amount,
        "status": "processed",
        "fees": row.fees,
        "tax": row.tax,
        "utr": row.utr,
        "created_at": row.created_at,
    })
}

pub(crate) fn adjustment(row: &Adjustment) -> Value {
    json!({
        "id": row.id,
        "entity": "adjustment",
        "amount": row.amount,
        "currency": row.currency,
        "description": row.description,
        "settlement_id": row.settlement,
        "dispute_id": row.dispute_id,
        "created_at": row.created_at,
    })
}

/// A line of the settlement report.
pub(crate) fn settled_line(settlement: &Settlement, line: &SettledLine) -> Value {
    json!({
        "entity_id": line.entity_id,
        "type": line.kind,
        "debit": line.debit,
        "credit": line.credit,
        "amount": line.amount,
        "currency": line.currency,
        "fee": line.fee,
        "tax": line.tax,
        "on_hold": false,
        "settled": true,
        "created_at": line.created_at,
        "settled_at": settlement.created_at,
        "settlement_id": settlement.id,
        "settlement_utr": settlement.utr,
        "posted_at": null,
        "credit_type": if line.of_credits { "fee" } else { "default" },
        "description": line.description,
        "notes": "[]",
        "payment_id": line.payment_id,
        "order_id": line.order_id,
        "order_receipt": line.order_receipt,
        "method": line.method.map(method_of),
        "card_network": null,
        "card_issuer": null,
        "card_type": null,
        "dispute_id": line.dispute_id,
    })
}

pub(crate) fn collection(items: &[Value]) -> Value {
    json!({ "entity": "collection", "count": items.len(), "items": items })
}

fn php_object(map: &Map<String, Value>) -> Value {
    if map.is_empty() { json!([]) } else { Value::Object(map.clone()) }
}

fn status_of(row: &Payment) -> &'static str {
    match row.status {
        PaymentStatus::Created => "created",
        PaymentStatus::Authorized => "authorized",
        PaymentStatus::Captured => "captured",
        PaymentStatus::Refunded => "refunded",
        PaymentStatus::Failed => "failed",
    }
}

pub(crate) fn method_of(method: Method) -> &'static str {
    match method {
        Method::Card => "card",
        Method::Upi => "upi",
        Method::Netbanking => "netbanking",
        Method::Wallet => "wallet",
    }
}

fn acquirer_data(row: &Payment) -> Value {
    match (row.status, row.method) {
        (PaymentStatus::Created | PaymentStatus::Failed, _) => json!([]),
        (_, Method::Upi) => json!({ "rrn": digits_of(&row.id, 12) }),
        (_, Method::Card) => json!({ "auth_code": digits_of(&row.id, 6) }),
        (_, Method::Netbanking | Method::Wallet) => {
            json!({ "bank_transaction_id": digits_of(&row.id, 7) })
        }
    }
}

fn add_instrument(fields: &mut Map<String, Value>, row: &Payment) {
    if row.method == Method::Upi {
        fields.insert("upi".to_owned(), json!({ "vpa": row.vpa, "payer_account_type": null }));
    }
    if row.method == Method::Card {
        let id = row.id.replacen("pay_", "card_", 1);
        fields.insert("card_id".to_owned(), json!(id));
        let card = json!({
            "id": id, "entity": "card", "name": "", "last4": row.last4, "network": "Visa",
            "type": "credit", "issuer": null, "international": false, "emi": false,
            "sub_type": "consumer",
        });
        fields.insert("card".to_owned(), card);
    }
}

/// Digits that look like a bank's reference. The same payment always has the same ones.
fn digits_of(id: &str, length: usize) -> String {
    id.bytes().rev().cycle().take(length).map(|byte| char::from(b'0' + byte % 10)).collect()
}

/// The provider's fee for a payment, with its tax. It is the fee that was added for the payer, or
/// else the provider's price.
pub(crate) fn fee_and_tax_of(row: &Payment) -> (i64, i64) {
    match row.added_fee {
        0 => fee_and_tax(row.amount),
        fee => (fee, fee - (fee * 100 + 59) / 118),
    }
}

/// 2 % and, on that, 18 % tax, both rounded half up. The fee includes the tax.
fn fee_and_tax(amount: i64) -> (i64, i64) {
    let base = (amount * 2 + 50) / 100;
    let tax = (base * 18 + 50) / 100;
    (base + tax, tax)
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    #[test]
    fn empty_notes_are_a_list_as_in_php() {
        assert_eq!(super::php_object(&Map::new()), json!([]));
    }

    #[test]
    fn the_fee_is_the_published_one() {
        assert_eq!(super::fee_and_tax(1_000), (24, 4));
        assert_eq!(super::fee_and_tax(50_000), (1_180, 180));
    }
}
