//! I3: a client's request for a refund that was granted has a refund of its sum, one that was not
//! has none from it; and its row says what its events say.

use std::collections::BTreeMap;

use contract::convert::money;
use contract::payments::v1::{RefundAsked, RefundRequestAnswered};
use kernel::Id;
use kernel::id::RefundRequest;
use payments::app::answer_refund_request::refund_of;
use payments::contract::refund_request::stream;
use payments::domain::refund::{Cause, Refund};
use payments::domain::refund_request::RequestState;

use crate::history::History;
use crate::snapshot::{RefundRequestRow, Snapshot};
use crate::violation::{Finding, Invariant, Violation};

/// What the events of a request say.
#[derive(Debug, Clone, PartialEq, Eq)]
enum RequestEvent {
    /// It was made.
    Asked,
    /// It was answered, and this goes back.
    Answered(Option<i64>),
}

/// Goes through all requests.
pub(crate) fn check(snapshot: &Snapshot, history: &History) -> Vec<Violation> {
    let mut found = Finding::of(Invariant::I3);
    let told = told(snapshot);
    for row in &snapshot.payments.refund_requests {
        let collection = history.collections.get(&row.booking_id);
        let refund = collection.and_then(|it| it.refunds.get(&refund_of(row.request_id)));
        if let Some(what) = fault(row, refund) {
            found.add(format!("{} of {} {what}", row.request_id, row.booking_id));
        }
        let last = told.get(&stream(row.request_id)).and_then(|past| past.last());
        if last != Some(&said(row)) {
            let what = format!("{} is {} and its events say {last:?}", row.request_id, row.state);
            found.add(what);
        }
    }
    for name in told.keys() {
        let is_there = |row: &RefundRequestRow| stream(row.request_id) == *name;
        if !snapshot.payments.refund_requests.iter().any(is_there) {
            found.add(format!("{name} has events and no row"));
        }
    }
    found.violations
}

/// What is wrong between a request and the refund that is made for it alone.
fn fault(row: &RefundRequestRow, refund: Option<&Refund>) -> Option<String> {
    let is_granted = row.state == RequestState::Granted.word();
    match refund {
        None if is_granted => Some("is granted and has no refund".to_owned()),
        None => None,
        Some(_) if !is_granted => Some(format!("is {} and has a refund", row.state)),
        Some(refund) => {
            let sum = (Some(refund.amount.minor), Some(&refund.amount.currency));
            let is_its = (row.amount_minor, row.amount_currency.as_ref()) == sum;
            let fits = is_its && refund.cause == Cause::Staff;
            (!fits).then(|| {
                let (granted, minor) = (row.amount_minor, refund.amount.minor);
                format!("is granted with {granted:?} and its refund is of {minor}")
            })
        }
    }
}

/// What a row says.
fn said(row: &RefundRequestRow) -> RequestEvent {
    if row.state == RequestState::Open.word() {
        RequestEvent::Asked
    } else {
        RequestEvent::Answered(row.amount_minor)
    }
}

/// What the events of each request say, in their order.
fn told(snapshot: &Snapshot) -> BTreeMap<String, Vec<RequestEvent>> {
    let mut told: BTreeMap<String, Vec<(i64, RequestEvent)>> = BTreeMap::new();
    for stored in snapshot.payments.log.events.iter().map(|row| &row.event) {
        let said = if let Ok(Some(_)) = stored.get::<RefundAsked>() {
            RequestEvent::Asked
        } else if let Ok(Some(event)) = stored.get::<RefundRequestAnswered>() {
            RequestEvent::Answered(event.amount.as_ref().and_then(money).map(|amount| amount.minor))
        } else {
            continue;
        };
        told.entry(stored.stream_id.clone()).or_default().push((stored.version, said));
    }
    let in_order = |mut past: Vec<(i64, RequestEvent)>| {
        past.sort_by_key(|(version, _)| *version);
        past.into_iter().map(|(_, said)| said).collect()
    };
    told.into_iter().map(|(name, past)| (name, in_order(past))).collect()
}

/// The mails that the events of requests ask for.
pub(crate) fn mails(snapshot: &Snapshot) -> Vec<(&'static str, Id<RefundRequest>)> {
    let mut mails = Vec::new();
    for stored in snapshot.payments.log.events.iter().map(|row| &row.event) {
        let (id, kinds): (_, &[&'static str]) = match (stored.get(), stored.get()) {
            (Ok(Some(RefundAsked { request_id, .. })), _) => {
                (request_id, &["refund_asked", "refund_asked_notice"])
            }
            (_, Ok(Some(RefundRequestAnswered { request_id, .. }))) => {
                (request_id, &["refund_answered"])
            }
            _ => continue,
        };
        if let Ok(id) = id.parse() {
            mails.extend(kinds.iter().map(|kind| (*kind, id)));
        }
    }
    mails
}

#[cfg(test)]
mod tests {
    use payments::domain::fact::{Amount, PaymentId};

    use super::*;

    fn row(state: &str, minor: Option<i64>) -> RefundRequestRow {
        RefundRequestRow {
            request_id: eventstore::new_id(),
            booking_id: eventstore::new_id(),
            state: state.to_owned(),
            amount_minor: minor,
            amount_currency: minor.map(|_minor| "INR".to_owned()),
        }
    }

    fn refund(minor: i64, cause: Cause) -> Refund {
        let amount = Amount { minor, currency: "INR".to_owned() };
        Refund::requested(PaymentId::parse("pay_A1b2C3d4E5f6G7").unwrap(), amount, cause)
    }

    #[test]
    fn a_request_and_its_refund_agree() {
        let of_staff = refund(20_000, Cause::Staff);
        assert_eq!(fault(&row("granted", Some(20_000)), Some(&of_staff)), None);
        assert_eq!(fault(&row("open", None), None), None);
        assert_eq!(fault(&row("declined", None), None), None);
        for (row, refund) in [
            (row("granted", Some(20_000)), None),
            (row("granted", Some(20_001)), Some(&of_staff)),
            (row("granted", Some(20_000)), Some(&refund(20_000, Cause::Cancelled))),
            (row("open", None), Some(&of_staff)),
            (row("declined", None), Some(&of_staff)),
        ] {
            assert!(fault(&row, refund).is_some(), "{row:?}");
        }
    }
}
