//! The mails that this process is delivering.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::mails::mail::MailId;

/// The ids of the mails in flight.
#[derive(Debug, Clone, Default)]
pub(super) struct InFlight(Arc<Mutex<BTreeSet<MailId>>>);

/// Keeps one mail in the set until dropped.
#[derive(Debug)]
pub(super) struct InFlightGuard {
    all: InFlight,
    id: MailId,
}

impl InFlight {
    /// Whether this mail is in flight.
    pub(super) fn contains(&self, id: MailId) -> bool {
        self.ids().contains(&id)
    }

    /// Adds a mail; `None` when it is in flight already.
    pub(super) fn begin(&self, id: MailId) -> Option<InFlightGuard> {
        self.ids().insert(id).then(|| InFlightGuard { all: self.clone(), id })
    }

    fn ids(&self) -> MutexGuard<'_, BTreeSet<MailId>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for InFlightGuard {
    fn drop(&mut self) {
        self.all.ids().remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::InFlight;
    use crate::mails::mail::MailId;

    #[test]
    fn a_mail_is_in_flight_once_at_a_time() {
        let all = InFlight::default();
        let [one, other] = [1, 2].map(|number| MailId::from_uuid(Uuid::from_u128(number)));
        let guard = all.begin(one).unwrap();
        assert!(all.contains(one) && !all.contains(other));
        assert!(all.begin(one).is_none());
        assert!(all.begin(other).is_some(), "others go on");
        drop(guard);
        assert!(!all.contains(one) && all.begin(one).is_some());
    }
}
