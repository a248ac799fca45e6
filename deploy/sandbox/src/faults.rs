//! Injected faults: what fails, where, and how often. They are added through `/api/faults`, used up
//! one by one, and cleared by a restart.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::clock;

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    /// The answer is delayed.
    Delay,
    /// The connection is closed without an answer, and the request is not handled.
    Drop,
    /// The answer is an error, and the request is not handled.
    Status,
    /// The request is handled, but its answer is lost.
    TimeoutAfterSuccess,
    /// A webhook or a mail arrives twice.
    Duplicate,
    /// A webhook is sent after the next one.
    Reorder,
    /// A payment fails and is authorised later.
    LateAuthorisation,
    /// The third party refuses.
    Refuse,
    /// The first mail of a sender to a recipient is refused, and a repeated one is accepted.
    Greylist,
    /// A calendar's answer has no end.
    Endless,
    /// A calendar's answer is far too large.
    Huge,
    /// A calendar's server sends to the address in `code`, or to itself.
    Redirect,
    /// A calendar's server sends a beginning and nothing more.
    Hang,
    /// The scheduling provider's list is empty.
    Empty,
}

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
    /// Restricts it to mails to this address, or with `@domain` to all addresses of the domain.
    pub(crate) recipient: Option<String>,
}

fn once() -> u32 {
    1
}

impl Fault {
    fn applies_at(&self, target: &str) -> bool {
        let rest = target.strip_prefix(self.target.as_str());
        self.target == "*" || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }

    /// Whether it applies to one of these recipients. A fault without a recipient applies to all.
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

    /// The fault's delay, or a default.
    pub(crate) fn pause(&self, usual_ms: u64) -> Duration {
        Duration::from_millis(self.delay_ms.unwrap_or(usual_ms))
    }
}

#[derive(Default)]
pub(crate) struct Faults {
    list: Mutex<Vec<Fault>>,
    next_id: AtomicU64,
    /// Greylisted pairs of sender and recipient, with the time of the first attempt.
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

    /// Takes the oldest fault of these kinds that applies to the target.
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
            kinds.contains(&fault.kind) && fault.applies_at(target) && fault.is_for(recipients)
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

    /// Whether a mail is refused because the sender's first attempt was too recent or is this one.
    /// The fault applies to every sender until it is cleared.
    pub(crate) fn is_greylisted(&self, from: &str, to: &str) -> bool {
        let recipients = [to.to_owned()];
        let list = self.lock();
        let ordered = list.iter().find(|fault| {
            fault.kind == Kind::Greylist
                && fault.applies_at("smtp_rcpt")
                && fault.is_for(&recipients)
        });
        let Some(fault) = ordered else { return false };
        let wait = i64::try_from(fault.delay_ms.unwrap_or_default()).unwrap_or(i64::MAX);
        let (now, key) = (clock::now_ms(), (from.to_lowercase(), to.to_lowercase()));
        let mut first_attempts = self.greylist.lock().unwrap_or_else(PoisonError::into_inner);
        match first_attempts.get(&key) {
            Some(first) => now.saturating_sub(*first) < wait,
            None => first_attempts.insert(key, now).is_none(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Fault>> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::{Fault, Faults, Kind};

    fn ordered(target: &str, times: u32) -> Fault {
        let given = serde_json::json!({ "target": target, "kind": "delay", "times": times });
        serde_json::from_value(given).unwrap()
    }

    #[test]
    fn a_family_of_targets_includes_only_its_members() {
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
    fn a_fault_for_a_recipient_applies_to_no_other_recipient() {
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
    fn a_greylisted_mail_is_accepted_when_it_is_repeated() {
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
