//! Payment links in Razorpay's API: requests, reports, and the address to which their page leads.

use kernel::Id;
use kernel::id::PaymentLink;
use secrecy::ExposeSecret as _;
use serde_json::Value;
use url::form_urlencoded;

use super::settings::{NAME, Settings};
use super::{json, signature};
use crate::domain::fact::LinkId;
use crate::domain::link::{LinkFact, LinkStatus, ProviderLink};
use crate::providers::{LinkReport, LinkRequest, LinkReturn, ProviderError};

/// What payers read on the page. It tells the provider nothing about the session.
const DESCRIPTION: &str = "Your booking";
/// The longest address of a page that is believed.
const URL_CHARS_MAX: usize = 300;

/// The request body of a link: the whole price at once, no mails, no messages and no reminders by
/// the provider, and nothing about a person.
pub(super) fn body(wanted: LinkRequest, settings: &Settings) -> Value {
    let mut body = serde_json::json!({
        "amount": wanted.amount.minor,
        "currency": wanted.amount.currency.code(),
        "accept_partial": false,
        "description": DESCRIPTION,
        "reference_id": wanted.reference.to_string(),
        "expire_by": wanted.expires_at.seconds(),
        "notify": { "sms": false, "email": false },
        "reminder_enable": false,
        "notes": { "booking_id": wanted.booking_id.to_string() },
    });
    if let Some((fields, url)) = body.as_object_mut().zip(settings.link_return_url.as_ref()) {
        let url = format!("{url}?b={}", wanted.booking_id);
        fields.insert("callback_url".to_owned(), Value::String(url));
        fields.insert("callback_method".to_owned(), Value::String("get".to_owned()));
    }
    body
}

/// A link; `None` when it is none, or its state is unknown. Its page is an address of the web.
pub(super) fn read(entity: &Value) -> Option<LinkReport> {
    let url = json::text(entity, "short_url").filter(|url| is_page(url))?;
    Some(LinkReport {
        provider: NAME.to_owned(),
        link: ProviderLink { id: json::link_id(json::text(entity, "id")?)?, url: url.to_owned() },
        reference: json::text(entity, "reference_id").and_then(|text| text.parse().ok()),
        amount: json::amount(entity)?,
        fact: LinkFact {
            status: LinkStatus::from_word(json::text(entity, "status")?)?,
            order: json::text(entity, "order_id").and_then(json::order_id),
        },
    })
}

fn is_page(url: &str) -> bool {
    let scheme = url.starts_with("https://") || url.starts_with("http://");
    scheme && url.len() <= URL_CHARS_MAX && url.bytes().all(|b| b.is_ascii_graphic())
}

/// The link of a list that matches the request. The list is named after what it holds.
///
/// # Errors
/// When the link under our reference asks for another amount.
pub(super) fn find(list: &Value, wanted: LinkRequest) -> Result<Option<LinkReport>, ProviderError> {
    let named = list.get("payment_links").and_then(Value::as_array).into_iter().flatten();
    let found = named.chain(json::items(list)).filter_map(read);
    let own = |report: &LinkReport| report.reference == Some(wanted.reference);
    // The filter is the provider's, so the result is checked here.
    found.into_iter().find(own).map(|report| check(report, wanted)).transpose()
}

/// A report, if it is of the requested link.
pub(super) fn check(report: LinkReport, wanted: LinkRequest) -> Result<LinkReport, ProviderError> {
    if report.reference != Some(wanted.reference) {
        return Err(ProviderError::InvalidAnswer("a link of another reference"));
    }
    if report.amount != wanted.amount.into() {
        return Err(ProviderError::InvalidAnswer("a link of another amount under our reference"));
    }
    Ok(report)
}

pub(super) fn own(entity: &Value, id: &LinkId) -> Result<LinkReport, ProviderError> {
    read(entity)
        .filter(|report| report.link.id == *id)
        .ok_or(ProviderError::InvalidAnswer("not the link that was asked for"))
}

/// Reads what the page adds to our address.
pub(super) fn read_return(query: &str) -> Option<LinkReturn> {
    let field = |name: &str| {
        let found = form_urlencoded::parse(query.as_bytes()).find(|(key, _)| key == name);
        found.map(|(_, value)| value.into_owned()).unwrap_or_default()
    };
    Some(LinkReturn {
        link: json::link_id(&field("razorpay_payment_link_id"))?,
        reference: field("razorpay_payment_link_reference_id"),
        status: field("razorpay_payment_link_status"),
        payment_id: field("razorpay_payment_id"),
        signature: field("razorpay_signature"),
    })
}

/// Whether the provider signed it. Each part has its grammar, so that no other text of the same key
/// can be read as one of these.
pub(super) fn is_own_return(answer: &LinkReturn, settings: &Settings) -> bool {
    let LinkReturn { link, reference, status, payment_id, signature } = answer;
    let has_grammar = reference.parse::<Id<PaymentLink>>().is_ok()
        && LinkStatus::from_word(status).is_some()
        && json::payment_id(payment_id).is_some();
    let message = format!("{link}|{reference}|{status}|{payment_id}");
    let secret = settings.key_secret.expose_secret();
    has_grammar && signature::is_valid(secret, message.as_bytes(), signature)
}
