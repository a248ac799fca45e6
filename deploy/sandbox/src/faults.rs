//! Faults on order: what goes wrong next, where, and how often. They are asked for through
//! `/api/faults`, taken one by one as they strike, and forgotten by a restart.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::extract::{MatchedPath, Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::Response;
use serde::{Deserialize, Serialize};

use crate::clock;
use crate::provider::errors::ApiError;
use crate::world::Shared;

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    /// The answer comes later.
    Delay,
    /// The connection is closed without an answer, and nothing was done.
    Drop,
    /// An error is answered, and nothing was done.
    Status,
    /// It is done, but the caller never hears of it.
    TimeoutAfterSuccess,
    /// A webhook or a mail arrives twice.
    Duplicate,
    /// A webhook is overtaken by the next one.
    Reorder,
    /// A payment fails and turns out to have been authorised later.
    LateAuthorisation,
    /// The other side says no.
    Refuse,
    /// The first mail of a sender to a recipient is refused, a repeat is accepted.
    Greylist,
}

/// The kinds that any HTTP interface can suffer from.
const OVER_HTTP: [Kind; 5] =
    [Kind::Delay, Kind::Drop, Kind::Status, Kind::TimeoutAfterSuccess, Kind::Refuse];

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Fault {
    #[serde(default, skip_deserializing)]
    pub(crate) id: u64,
    /// A name such as `orders.create`, a family such as `orders`, or `*`.
    pub(crate) target: String,
    pub(crate) kind: Kind,
    /// How often it is still applied; 0 means until it is cleared.
    #[serde(default = "once")]
    pub(crate) times: u32,
    pub(crate) delay_ms: Option<u64>,
    pub(crate) status: Option<u16>,
    pub(crate) code: Option<String>,
    /// Only mails to this address, or with `@domain` to every address of the domain.
    pub(crate) recipient: Option<String>,
}

fn once() -> u32 {
    1
}

impl Fault {
    fn strikes(&self, target: &str) -> bool {
        let rest = target.strip_prefix(self.target.as_str());
        self.target == "*" || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }

    /// Whether it applies to one of these recipients; a fault without a recipient applies to all.
    fn is_for(&self, recipients: &[String]) -> bool {
        let Some(wanted) = &self.recipient else { return true };
        recipients.iter().any(|it| {
            let it = if wanted.starts_with('@') {
                it.rfind('@').and_then(|at| it.get(at..))
            } else {
                Some(it.as_str())
            };
            it.is_some_and(|it| it.eq_ignore_ascii_case(wanted))
        })
    }

    /// The pause this fault makes, or a usual one.
    pub(crate) fn pause(&self, usual_ms: u64) -> Duration {
        Duration::from_millis(self.delay_ms.unwrap_or(usual_ms))
    }
}

#[derive(Default)]
pub(crate) struct Faults {
    list: Mutex<Vec<Fault>>,
    next_id: AtomicU64,
    /// Who wrote to whom, and when first, while mails are greylisted.
    greylist: Mutex<BTreeMap<(String, String), i64>>,
}

impl Faults {
    pub(crate) fn add(&self, mut fault: Fault) -> Fault {
        fault.id = self.next_id.fetch_add(1, Ordering::Relaxed) + 1;
        self.lock().push(fault.clone());
        fault
    }

    pub(crate) fn list(&self) -> Vec<Fault> {
        self.lock().clone()
    }

    pub(crate) fn clear(&self) {
        self.lock().clear();
        self.greylist.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Takes the oldest fault that strikes here, if it is of a kind that can.
    pub(crate) fn take(&self, target: &str, kinds: &[Kind]) -> Option<Fault> {
        self.take_for(target, kinds, &[])
    }

    /// The same for a mail to these recipients.
    pub(crate) fn take_for(
        &self,
        target: &str,
        kinds: &[Kind],
        recipients: &[String],
    ) -> Option<Fault> {
        let mut list = self.lock();
        let found = |fault: &Fault| {
            kinds.contains(&fault.kind) && fault.strikes(target) && fault.is_for(recipients)
        };
        let at = list.iter().position(found)?;
        let fault = list.get_mut(at)?;
        let taken = fault.clone();
        match fault.times {
            0 => {}
            1 => drop(list.remove(at)),
            left => fault.times = left - 1,
        }
        Some(taken)
    }

    /// Whether a mail is refused because the sender's first attempt was too recent or is missing.
    /// It applies until it is cleared, to each first mail of a sender.
    pub(crate) fn is_greylisted(&self, from: &str, to: &str) -> bool {
        let recipients = [to.to_owned()];
        let list = self.lock();
        let ordered = list.iter().find(|fault| {
            fault.kind == Kind::Greylist && fault.strikes("smtp_rcpt") && fault.is_for(&recipients)
        });
        let Some(fault) = ordered else { return false };
        let wait = i64::try_from(fault.delay_ms.unwrap_or_default()).unwrap_or(i64::MAX);
        let (now, key) = (clock::now_ms(), (from.to_lowercase(), to.to_lowercase()));
        let mut seen = self.greylist.lock().unwrap_or_else(PoisonError::into_inner);
        match seen.get(&key) {
            Some(first) => now.saturating_sub(*first) < wait,
            None => seen.insert(key, now).is_none(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Fault>> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The name under which a route's faults are ordered.
fn target_of(method: &Method, path: &str) -> Option<&'static str> {
    Some(match (method.as_str(), path) {
        ("POST", "/v1/orders") => "orders.create",
        ("GET", "/v1/orders") => "orders.fetch.list",
        ("GET", "/v1/orders/{id}") => "orders.fetch.one",
        ("GET", "/v1/orders/{id}/payments") => "orders.fetch.payments",
        ("GET", "/v1/payments") => "payments.fetch.list",
        ("GET", "/v1/payments/{id}") => "payments.fetch.one",
        ("GET", "/v1/payments/{id}/refunds") => "payments.fetch.refunds",
        ("POST", "/v1/payments/{id}/capture") => "payments.capture",
        ("POST", "/v1/payments/{id}/refund") => "refunds.create",
        ("GET", "/v1/refunds/{id}") => "refunds.fetch",
        ("GET", "/v1/settlements") => "settlements.fetch.list",
        ("GET", "/v1/settlements/recon/combined") => "settlements.fetch.recon",
        ("GET", "/v1/settlements/{id}") => "settlements.fetch.one",
        ("GET", "/v1/checkout.js") => "checkout.script",
        ("POST", "/checkout/orders/{id}/payments") => "checkout.pay",
        ("POST", "/meetings") => "meetings.create",
        _ => return None,
    })
}

/// Lets the ordered fault strike around a request.
pub(crate) async fn strike(State(world): State<Shared>, request: Request, next: Next) -> Response {
    let path = request.extensions().get::<MatchedPath>().cloned();
    let target = path.and_then(|path| target_of(request.method(), path.as_str()));
    let kinds = match target {
        // A refusal of the bank is a declined payment, which the checkout itself plays.
        Some("checkout.pay") => OVER_HTTP.get(..4).unwrap_or_default(),
        _ => &OVER_HTTP[..],
    };
    let Some(fault) = target.and_then(|target| world.faults.take(target, kinds)) else {
        return next.run(request).await;
    };
    match fault.kind {
        Kind::Drop => hang_up(),
        Kind::Status => ApiError::ordered(fault.status.unwrap_or(500), fault.code),
        Kind::Refuse => ApiError::ordered(fault.status.unwrap_or(400), fault.code),
        Kind::TimeoutAfterSuccess => {
            drop(next.run(request).await);
            tokio::time::sleep(fault.pause(30_000)).await;
            hang_up()
        }
        Kind::Delay
        | Kind::Duplicate
        | Kind::Reorder
        | Kind::LateAuthorisation
        | Kind::Greylist => {
            tokio::time::sleep(fault.pause(1_000)).await;
            next.run(request).await
        }
    }
}

/// Closes the connection without a byte of an answer. HTTP has no word for that, so the
/// connection's task is unwound, which is how its socket gets closed; no panic is reported.
fn hang_up() -> Response {
    let reason: Box<dyn Any + Send> = Box::new("an ordered fault");
    std::panic::resume_unwind(reason)
}

#[cfg(test)]
mod tests {
    use super::{Fault, Faults, Kind};

    fn ordered(target: &str, times: u32) -> Fault {
        let given = serde_json::json!({ "target": target, "kind": "delay", "times": times });
        serde_json::from_value(given).unwrap()
    }

    #[test]
    fn a_family_strikes_its_members_and_nobody_else() {
        let faults = Faults::default();
        faults.add(ordered("orders", 2));
        assert!(faults.take("ordersmith", &[Kind::Delay]).is_none());
        assert!(faults.take("orders.create", &[Kind::Drop]).is_none());
        assert!(faults.take("orders.create", &[Kind::Delay]).is_some());
        assert!(faults.take("orders", &[Kind::Delay]).is_some());
        assert!(faults.take("orders", &[Kind::Delay]).is_none());
    }

    #[test]
    fn zero_times_means_until_it_is_cleared() {
        let faults = Faults::default();
        faults.add(ordered("*", 0));
        assert!((0..3).all(|_| faults.take("smtp", &[Kind::Delay]).is_some()));
        faults.clear();
        assert!(faults.take("smtp", &[Kind::Delay]).is_none());
    }

    fn of_mail(fault: serde_json::Value) -> Fault {
        serde_json::from_value(fault).unwrap()
    }

    #[test]
    fn a_fault_for_a_recipient_strikes_nobody_else() {
        let faults = Faults::default();
        let ordered = serde_json::json!({
            "target": "smtp_rcpt", "kind": "refuse", "times": 0, "recipient": "@gone.example",
        });
        faults.add(of_mail(ordered));
        let to =
            |it: &str| faults.take_for("smtp_rcpt", &[Kind::Refuse], &[it.to_owned()]).is_some();
        assert!(to("asha@GONE.example"));
        assert!(!to("asha@here.example") && !to("asha@not-gone.example") && !to("nobody"));
        assert!(faults.take("smtp_rcpt", &[Kind::Refuse]).is_none());
    }

    #[test]
    fn who_is_greylisted_is_taken_when_they_come_again() {
        let faults = Faults::default();
        assert!(!faults.is_greylisted("a@b.example", "c@d.example"));
        let ordered = serde_json::json!({ "target": "smtp_rcpt", "kind": "greylist", "times": 0 });
        faults.add(of_mail(ordered));
        assert!(faults.is_greylisted("a@b.example", "c@d.example"));
        assert!(!faults.is_greylisted("A@b.example", "c@D.example"));
        assert!(faults.is_greylisted("a@b.example", "e@f.example"));
        faults.clear();
        let later = serde_json::json!({
            "target": "smtp_rcpt", "kind": "greylist", "delay_ms": 3_600_000,
        });
        faults.add(of_mail(later));
        for _try in 0..2 {
            assert!(faults.is_greylisted("a@b.example", "c@d.example"), "not for an hour");
        }
    }
}
