//! Orders: created, once per receipt on request, fetched and listed. An order's fields are checked
//! as strictly as the documentation describes.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use serde_json::Value;

use crate::clock;
use crate::faults::Kind;
use crate::ids;
use crate::provider::errors::{Answer, ApiError};
use crate::provider::requests::{ListFilter, read_amount, read_json, reject_unknown_fields};
use crate::provider::{capture_options, entities, notes};
use crate::state::{AppState, SharedState};
use crate::store::rows::{Change, Order, OrderStatus};

/// The documented fields of an order.
const FIELDS: [&str; 8] = [
    "amount",
    "currency",
    "receipt",
    "unique_receipt",
    "notes",
    "partial_payment",
    "first_payment_min_amount",
    "payment",
];

pub(crate) async fn create(State(app): State<SharedState>, body: Bytes) -> Answer {
    let given = read_json(&body)?;
    let order = read_order(&given)?;
    let unique = is_unique(&app, &given)?;
    let mut store = app.store();
    let receipt = order.receipt.as_deref().filter(|_| unique);
    if let Some(first) = receipt.and_then(|it| store.orders_by_receipt(it).first().copied()) {
        if first.amount == order.amount && first.currency == order.currency {
            return Ok(Json(entities::order(first)));
        }
        return Err(ApiError::bad_field("receipt", "Order receipt should be unique"));
    }
    let answer = entities::order(&order);
    store.commit(vec![Change::Order(Box::new(order))])?;
    Ok(Json(answer))
}

/// Whether the receipt must be unique. Only some pages of the documentation know that field, so a
/// fault can make the account refuse it or ignore it.
fn is_unique(app: &AppState, given: &Value) -> Result<bool, ApiError> {
    let Some(unique) = given.get("unique_receipt") else { return Ok(false) };
    let fault = app.faults.take("account.unique_receipt", &[Kind::Refuse, Kind::Drop]);
    match fault.map(|fault| fault.kind) {
        Some(Kind::Refuse) => Err(ApiError::extra_field("unique_receipt")),
        Some(_) => Ok(false),
        None => Ok(unique == &Value::Bool(true)),
    }
}

pub(crate) async fn list(
    State(app): State<SharedState>,
    Query(filter): Query<ListFilter>,
) -> Answer {
    let store = app.store();
    let mut orders: Vec<&Order> = match &filter.receipt {
        Some(receipt) => store.orders_by_receipt(receipt),
        None => store.orders().iter().collect(),
    };
    orders.reverse();
    let listed = orders.into_iter().filter(|order| filter.takes(order.created_at));
    let page = filter.page(listed, 100)?;
    Ok(Json(entities::collection(&page.map(entities::order).collect::<Vec<_>>())))
}

pub(crate) async fn fetch(State(app): State<SharedState>, Path(id): Path<String>) -> Answer {
    let store = app.store();
    let order = store.orders().get(&id).ok_or_else(ApiError::unknown_id)?;
    Ok(Json(entities::order(order)))
}

pub(crate) async fn payments(
    State(app): State<SharedState>,
    Path(id): Path<String>,
    Query(filter): Query<ListFilter>,
) -> Answer {
    let store = app.store();
    let order = store.orders().get(&id).ok_or_else(ApiError::unknown_id)?;
    let page = filter.page(store.payments_of(order).into_iter(), 100)?;
    Ok(Json(entities::collection(&page.map(entities::payment).collect::<Vec<_>>())))
}

fn read_order(given: &Value) -> Result<Order, ApiError> {
    reject_unknown_fields(given, &FIELDS)?;
    let amount = read_amount(given)?
        .ok_or_else(|| ApiError::bad_field("amount", "The amount field is required."))?;
    let currency = match given.get("currency").and_then(Value::as_str) {
        Some("INR") => "INR".to_owned(),
        Some(_) => return Err(ApiError::bad_field("currency", "Currency is not supported")),
        None => {
            return Err(ApiError::bad_field("currency", "The currency field is required."));
        }
    };
    let receipt = match given.get("receipt") {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) if text.chars().count() <= 40 => Some(text.clone()),
        Some(_) => {
            let description = "The receipt may not be greater than 40 characters.";
            return Err(ApiError::bad_field("receipt", description));
        }
    };
    let capture = capture_options::read(given.get("payment"))?;
    Ok(Order {
        id: ids::new_id("order"),
        amount,
        amount_paid: 0,
        currency,
        receipt,
        status: OrderStatus::Created,
        notes: notes::read(given.get("notes"))?,
        manual_capture: capture.manual,
        capture_within_minutes: capture.within_minutes,
        created_at: clock::now_s(),
        payments: Vec::new(),
        link_id: None,
    })
}
