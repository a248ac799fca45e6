//! A quota of a limited resource (memory for bodies, requests in progress) with a share per
//! network. Up to half of the capacity there is no limit per network; once more than half is in
//! use, a network gets no more than its share, so that one client never takes everything.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::caller::network_prefix;

pub(crate) struct NetworkQuota {
    capacity: usize,
    share: usize,
    usage: Mutex<QuotaUsage>,
}

#[derive(Default)]
struct QuotaUsage {
    total: usize,
    by_network: HashMap<IpAddr, usize>,
}

impl NetworkQuota {
    /// `share` limits a network only while more than half of `capacity` is in use.
    pub(crate) fn new(capacity: usize, share: usize) -> Arc<Self> {
        Arc::new(Self { capacity, share, usage: Mutex::default() })
    }

    /// A permit for the address, released on drop; `None` if there is no capacity.
    pub(crate) fn try_acquire(
        self: &Arc<Self>,
        address: IpAddr,
        amount: usize,
    ) -> Option<QuotaPermit> {
        let permit = self.empty_permit(address);
        permit.try_grow(amount).then_some(permit)
    }

    /// A permit of size zero, to be grown.
    pub(crate) fn empty_permit(self: &Arc<Self>, address: IpAddr) -> QuotaPermit {
        QuotaPermit {
            quota: self.clone(),
            network: network_prefix(address),
            amount: AtomicUsize::new(0),
        }
    }

    fn usage(&self) -> MutexGuard<'_, QuotaUsage> {
        self.usage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl QuotaUsage {
    fn try_add(
        &mut self,
        network: IpAddr,
        amount: usize,
        (capacity, share): (usize, usize),
    ) -> bool {
        let total = self.total.saturating_add(amount);
        let in_network = self.by_network.get(&network).copied().unwrap_or(0).saturating_add(amount);
        if total > capacity || (total > capacity / 2 && in_network > share) {
            return false;
        }
        self.total = total;
        self.by_network.insert(network, in_network);
        true
    }

    fn release(&mut self, network: IpAddr, amount: usize) {
        self.total = self.total.saturating_sub(amount);
        let Some(in_network) = self.by_network.get_mut(&network) else { return };
        *in_network = in_network.saturating_sub(amount);
        // Networks without permits are removed, so the table stays bounded.
        if *in_network == 0 {
            self.by_network.remove(&network);
        }
    }
}

/// The part of the quota that one request or one body holds.
pub(crate) struct QuotaPermit {
    quota: Arc<NetworkQuota>,
    network: IpAddr,
    amount: AtomicUsize,
}

impl QuotaPermit {
    /// Acquires more; returns whether there was capacity.
    pub(crate) fn try_grow(&self, more: usize) -> bool {
        if more == 0 {
            return true;
        }
        let limits = (self.quota.capacity, self.quota.share);
        let granted = self.quota.usage().try_add(self.network, more, limits);
        if granted {
            self.amount.fetch_add(more, Ordering::Relaxed);
        }
        granted
    }
}

impl Drop for QuotaPermit {
    fn drop(&mut self) {
        let amount = *self.amount.get_mut();
        if amount > 0 {
            self.quota.usage().release(self.network, amount);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::NetworkQuota;
    use std::net::IpAddr;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn a_network_gets_its_share_once_half_is_taken() {
        let quota = NetworkQuota::new(10, 2);
        let one = address("192.0.2.1");
        let mut permits: Vec<_> = (0..5).map(|_| quota.try_acquire(one, 1).unwrap()).collect();
        assert!(quota.try_acquire(one, 1).is_none(), "more than half of all for one network");
        let other = address("192.0.2.2");
        permits.extend((0..2).map(|_| quota.try_acquire(other, 1).unwrap()));
        assert!(quota.try_acquire(other, 1).is_none(), "more than its share");
        permits.extend(
            (3..6).map(|n| quota.try_acquire(address(&format!("192.0.2.{n}")), 1).unwrap()),
        );
        assert!(quota.try_acquire(address("192.0.2.9"), 1).is_none(), "more than there is");
        permits.clear();
        assert!(quota.usage().by_network.is_empty());
        assert_eq!(quota.usage().total, 0);
    }

    #[test]
    fn an_ipv6_prefix_is_one_network() {
        let quota = NetworkQuota::new(2, 1);
        let _one = quota.try_acquire(address("2001:db8::1"), 1).unwrap();
        assert!(quota.try_acquire(address("2001:db8::2"), 1).is_none());
        assert!(quota.try_acquire(address("2001:db8:0:1::1"), 1).is_some());
    }

    #[test]
    fn a_permit_grows_while_there_is_capacity() {
        let quota = NetworkQuota::new(100, 20);
        let permit = quota.empty_permit(address("192.0.2.1"));
        assert!(permit.try_grow(50));
        assert!(!permit.try_grow(1));
        let other = quota.try_acquire(address("192.0.2.2"), 20).unwrap();
        assert!(!other.try_grow(1));
        drop(permit);
        assert!(other.try_grow(1));
    }
}
