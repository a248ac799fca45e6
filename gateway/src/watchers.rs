//! The streams that an account has open: each takes memory and connections, so an account gets a
//! few, whatever addresses it calls from.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kernel::Id;
use kernel::id::Customer;

use crate::refusals::Refusal;

pub(crate) struct Watchers {
    per_account: usize,
    open: Mutex<HashMap<Id<Customer>, usize>>,
}

impl Watchers {
    pub(crate) fn new(per_account: usize) -> Arc<Self> {
        Arc::new(Self { per_account, open: Mutex::default() })
    }

    /// A permit for one more stream, released on drop; `None` if the account has too many.
    pub(crate) fn try_open(self: &Arc<Self>, account: Id<Customer>) -> Option<WatcherPermit> {
        let mut open = self.open();
        let count = open.get(&account).copied().unwrap_or(0);
        if count >= self.per_account {
            Refusal::OpenStreams.count();
            return None;
        }
        open.insert(account, count.saturating_add(1));
        drop(open);
        Some(WatcherPermit { watchers: self.clone(), account })
    }

    fn open(&self) -> MutexGuard<'_, HashMap<Id<Customer>, usize>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One open stream of an account.
pub(crate) struct WatcherPermit {
    watchers: Arc<Watchers>,
    account: Id<Customer>,
}

impl Drop for WatcherPermit {
    fn drop(&mut self) {
        let mut open = self.watchers.open();
        let Some(count) = open.get_mut(&self.account) else { return };
        *count = count.saturating_sub(1);
        // Accounts without streams are removed, so the table stays bounded.
        if *count == 0 {
            open.remove(&self.account);
        }
    }
}
