//! Payment links: created, fetched, listed, cancelled. Their fields are checked as strictly as the
//! documentation describes, and as users found where it is silent: a reference is used once for
//! ever.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::clock;
use crate::faults::Kind;
use crate::ids;
use crate::provider::errors::{Answer, ApiError};
use crate::provider::requests::{read_amount, read_json, reject_unknown_fields};
use crate::provider::{entities, notes, webhooks};
use crate::state::{AppState, SharedState};
use crate::store::Store;
use crate::store::rows::{Change, Link, LinkStatus, Order, OrderStatus};

/// The documented fields of a link.
const FIELDS: [&str; 14] = [
    "amount",
    "currency",
    "accept_partial",
    "first_min_partial_amount",
    "upi_link",
    "description",
    "reference_id",
    "customer",
    "expire_by",
    "notify",
    "reminder_enable",
    "notes",
    "callback_url",
    "callback_method",
];
/// The longest reference and the longest description.
const REFERENCE_CHARS_MAX: usize = 40;
const DESCRIPTION_CHARS_MAX: usize = 2_048;
/// The longest note of a link; those of orders may have one more.
const NOTE_CHARS_MAX: usize = 255;
/// How soon and how late a link may end.
const EXPIRY_SECONDS: (i64, i64) = (15 * 60, 184 * 24 * 60 * 60);
/// How long the code in a link's address is.
const CODE_CHARS: usize = 7;

pub(crate) async fn create(State(app): State<SharedState>, body: Bytes) -> Answer {
    let link = read_link(&read_json(&body)?)?;
    let mut store = app.store();
    let reference = link.reference_id.as_deref();
    if let Some(reference) = reference.filter(|it| store.link_by_reference(it).is_some()) {
        return Err(ApiError::bad_link(format!(
            "payment link with given reference_id: {reference} already exists. Please create a \
             payment link with a different reference_id"
        )));
    }
    let answer = entities::link(&app, &link, Some(&[]));
    let id = link.id.clone();
    store.commit(vec![Change::Link(Box::new(link))])?;
    drop(store);
    tokio::spawn(expire_when_due(app, id));
    Ok(Json(answer))
}

#[derive(Deserialize)]
pub(crate) struct LinkFilter {
    reference_id: Option<String>,
    payment_id: Option<String>,
    count: Option<usize>,
    skip: Option<usize>,
}

/// The links of the account, newest first. The list has a name of its own. A fault keeps a link
/// from being found by its reference, as users report it of the real list.
pub(crate) async fn list(
    State(app): State<SharedState>,
    Query(filter): Query<LinkFilter>,
) -> Answer {
    let is_blind = filter.reference_id.is_some()
        && app.faults.take("account.link_references", &[Kind::Drop]).is_some();
    let store = app.store();
    let of_payment = |link: &Link| match &filter.payment_id {
        None => true,
        Some(id) => {
            let payment = store.payments().get(id);
            payment.is_some_and(|payment| link.order_id.as_ref() == Some(&payment.order_id))
        }
    };
    let of_reference = |link: &Link| {
        filter.reference_id.is_none() || (!is_blind && link.reference_id == filter.reference_id)
    };
    let links = store.links().iter().rev();
    let found = links.filter(|link| of_reference(link) && of_payment(link));
    let page = found.skip(filter.skip.unwrap_or(0)).take(filter.count.unwrap_or(10).min(100));
    let items: Vec<_> = page.map(|link| with_payments(&app, &store, link)).collect();
    Ok(Json(json!({ "payment_links": items })))
}

pub(crate) async fn fetch(State(app): State<SharedState>, Path(id): Path<String>) -> Answer {
    let store = app.store();
    let link = store.links().get(&id).ok_or_else(ApiError::unknown_id)?;
    Ok(Json(with_payments(&app, &store, link)))
}

pub(crate) async fn cancel(
    State(app): State<SharedState>,
    Path(id): Path<String>,
    body: Bytes,
) -> Answer {
    reject_unknown_fields(&read_json(&body)?, &[])?;
    end(&app, &id, LinkStatus::Cancelled)
}

/// A link with its captured payments, as the calls show it.
pub(crate) fn with_payments(app: &AppState, store: &Store, link: &Link) -> Value {
    let order = link.order_id.as_ref().and_then(|id| store.orders().get(id));
    let payments = order.map(|order| store.payments_of(order)).unwrap_or_default();
    let captured: Vec<_> = payments.into_iter().filter(|payment| payment.captured).collect();
    entities::link(app, link, Some(&captured))
}

/// Cancels a link, or lets it expire; only one without money can be.
pub(crate) fn end(app: &SharedState, id: &str, status: LinkStatus) -> Answer {
    let mut store = app.store();
    let mut link = store.links().get(id).cloned().ok_or_else(ApiError::unknown_id)?;
    let is_open = match status {
        LinkStatus::Expired => !link.status.is_over(),
        _ => link.status == LinkStatus::Created,
    };
    if !is_open {
        let word = link.status.word();
        return Err(ApiError::bad_link(format!(
            "Payment Link cannot be cancelled as it is already {word}"
        )));
    }
    let now = clock::now_s();
    link.status = status;
    link.updated_at = now;
    let event = match status {
        LinkStatus::Expired => {
            link.expired_at = now;
            "payment_link.expired"
        }
        _ => {
            link.cancelled_at = now;
            "payment_link.cancelled"
        }
    };
    let parts = vec![("payment_link", entities::link(app, &link, None))];
    let delivery = webhooks::envelope(app, event, parts);
    let sent = delivery.iter().map(|it| it.id.clone()).collect();
    let answer = with_payments(app, &store, &link);
    let mut changes = vec![Change::Link(Box::new(link))];
    changes.extend(delivery.map(|it| Change::Delivery(Box::new(it))));
    store.commit(changes)?;
    drop(store);
    webhooks::start(app, sent);
    Ok(Json(answer))
}

/// Waits until a link is due to expire.
pub(crate) async fn expire_when_due(app: SharedState, id: String) {
    let due = app.store().links().get(&id).map(|link| link.expire_by.saturating_mul(1_000));
    let Some(due) = due.filter(|due| *due > 0) else { return };
    clock::wait_until(due).await;
    // A link that is over by then stays as it is.
    drop(end(&app, &id, LinkStatus::Expired));
}

/// The order beneath a link, which is created when its page is opened.
pub(crate) fn open_order(app: &SharedState, id: &str) -> Result<Order, ApiError> {
    let mut store = app.store();
    let mut link = store.links().get(id).cloned().ok_or_else(ApiError::unknown_id)?;
    if let Some(order) = link.order_id.as_ref().and_then(|id| store.orders().get(id)) {
        return Ok(order.clone());
    }
    let order = Order {
        id: ids::new_id("order"),
        amount: link.amount,
        amount_paid: 0,
        currency: link.currency.clone(),
        receipt: link.reference_id.clone(),
        status: OrderStatus::Created,
        notes: link.notes.clone(),
        manual_capture: false,
        capture_within_minutes: None,
        created_at: clock::now_s(),
        payments: Vec::new(),
        link_id: Some(link.id.clone()),
    };
    link.order_id = Some(order.id.clone());
    store.commit(vec![Change::Order(Box::new(order.clone())), Change::Link(Box::new(link))])?;
    Ok(order)
}

fn read_link(given: &Value) -> Result<Link, ApiError> {
    reject_unknown_fields(given, &FIELDS)?;
    let amount = read_amount(given)?
        .ok_or_else(|| ApiError::bad_field("amount", "amount: cannot be blank."))?;
    let accept_partial = flag(given, "accept_partial")?;
    if flag(given, "upi_link")? {
        return Err(ApiError::bad_field("upi_link", "UPI Payment Links is not supported."));
    }
    let now = clock::now_s();
    Ok(Link {
        id: ids::new_id("plink"),
        code: ids::random_text(CODE_CHARS),
        amount,
        amount_paid: 0,
        currency: read_currency(given)?,
        accept_partial,
        first_min_partial_amount: read_first_part(given, amount, accept_partial)?,
        description: text(given, "description", DESCRIPTION_CHARS_MAX)?,
        reference_id: text(given, "reference_id", REFERENCE_CHARS_MAX)?,
        customer: read_customer(given)?,
        notify: read_notify(given)?,
        reminder_enable: flag(given, "reminder_enable")?,
        notes: read_notes(given)?,
        expire_by: read_expiry(given, now)?,
        callback_url: read_callback(given)?,
        status: LinkStatus::Created,
        order_id: None,
        created_at: now,
        updated_at: now,
        cancelled_at: 0,
        expired_at: 0,
    })
}

fn read_currency(given: &Value) -> Result<String, ApiError> {
    match given.get("currency") {
        None => Ok("INR".to_owned()),
        Some(Value::String(code)) if code == "INR" => Ok(code.clone()),
        Some(_) => Err(ApiError::bad_field("currency", "Currency is not supported")),
    }
}

fn flag(given: &Value, name: &'static str) -> Result<bool, ApiError> {
    match given.get(name) {
        None => Ok(false),
        Some(Value::Bool(value)) => Ok(*value),
        Some(_) => Err(ApiError::bad_field(name, "The field must be true or false.")),
    }
}

fn text(given: &Value, name: &'static str, most: usize) -> Result<Option<String>, ApiError> {
    match given.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if text.chars().count() <= most => Ok(Some(text.clone())),
        Some(_) => Err(ApiError::bad_field(name, "The text is too long.")),
    }
}

fn read_first_part(given: &Value, amount: i64, is_allowed: bool) -> Result<i64, ApiError> {
    let refused = |why| Err(ApiError::bad_field("first_min_partial_amount", why));
    match given.get("first_min_partial_amount").map(Value::as_i64) {
        None => Ok(0),
        Some(_) if !is_allowed => refused("Partial payments are not accepted by this link."),
        Some(Some(part)) if (100..=amount).contains(&part) => Ok(part),
        Some(_) => refused("The first part must be between INR 1.00 and the amount."),
    }
}

fn read_expiry(given: &Value, now: i64) -> Result<i64, ApiError> {
    let (soonest, latest) = EXPIRY_SECONDS;
    match given.get("expire_by").map(Value::as_i64) {
        None | Some(Some(0)) => Ok(0),
        Some(Some(at)) if at < now + soonest => {
            let description = "expire_by should be at least 15 minutes after current time.";
            Err(ApiError::bad_link(description.to_owned()))
        }
        Some(Some(at)) if at <= now + latest => Ok(at),
        Some(_) => Err(ApiError::bad_field("expire_by", "expire_by exceeds six months.")),
    }
}

fn read_notes(given: &Value) -> Result<Map<String, Value>, ApiError> {
    let notes = notes::read(given.get("notes"))?;
    let fits =
        |value: &Value| value.as_str().is_none_or(|text| text.chars().count() <= NOTE_CHARS_MAX);
    if !notes.values().all(fits) {
        return Err(ApiError::bad_field("notes", "notes values are longer than 255 characters"));
    }
    Ok(notes)
}

fn read_customer(given: &Value) -> Result<Map<String, Value>, ApiError> {
    let Some(customer) = given.get("customer") else { return Ok(Map::new()) };
    reject_unknown_fields(customer, &["name", "email", "contact"])?;
    let fields = customer.as_object().cloned().unwrap_or_default();
    let text = |name: &str| fields.get(name).and_then(Value::as_str);
    let is_contact = |it: &str| {
        let digits = it.trim_start_matches('+');
        (8..=15).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let are_texts = fields.values().all(Value::is_string);
    if !are_texts || text("email").is_some_and(|it| !it.contains('@')) {
        return Err(ApiError::bad_field("email", "email must be a valid email address"));
    }
    if text("contact").is_some_and(|it| !is_contact(it)) {
        return Err(ApiError::bad_field("contact", "Contact number is not valid"));
    }
    Ok(fields)
}

fn read_notify(given: &Value) -> Result<Map<String, Value>, ApiError> {
    let Some(notify) = given.get("notify") else { return Ok(Map::new()) };
    reject_unknown_fields(notify, &["sms", "email", "whatsapp"])?;
    let fields = notify.as_object().cloned().unwrap_or_default();
    if !fields.values().all(Value::is_boolean) {
        return Err(ApiError::bad_field("notify", "notify holds true or false only"));
    }
    let customer = given.get("customer").unwrap_or(&Value::Null);
    for (channel, needed) in [("email", "email"), ("sms", "contact")] {
        if fields.get(channel) == Some(&Value::Bool(true)) && customer.get(needed).is_none() {
            return Err(ApiError::bad_field("notify", "Whom to notify is not given"));
        }
    }
    Ok(fields)
}

fn read_callback(given: &Value) -> Result<Option<String>, ApiError> {
    let url = text(given, "callback_url", DESCRIPTION_CHARS_MAX)?;
    let method = text(given, "callback_method", REFERENCE_CHARS_MAX)?;
    match (&url, method.as_deref()) {
        (None, None) => Ok(None),
        (Some(at), Some("get")) if at.starts_with("https://") || at.starts_with("http://") => {
            Ok(url)
        }
        (Some(_), Some("get")) => Err(ApiError::bad_field("callback_url", "Invalid URL")),
        _ => Err(ApiError::bad_field("callback_method", "callback_method must be get")),
    }
}
