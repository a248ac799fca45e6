//! What the gateway has only so much of (connections, memory for bodies), and how much of it each
//! network holds. One network may hold much while there is plenty; once more than half is taken, it
//! gets no more than its share, so that one client alone never takes everything.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::limits::network;

pub(crate) struct Shares {
    most: usize,
    share: usize,
    taken: Mutex<Taken>,
}

#[derive(Default)]
struct Taken {
    all: usize,
    by_network: HashMap<IpAddr, usize>,
}

impl Shares {
    /// `share` binds a network only while more than half of `most` is taken.
    pub(crate) fn new(most: usize, share: usize) -> Arc<Self> {
        Arc::new(Self { most, share, taken: Mutex::default() })
    }

    /// Something of it for an address, given back when the answer is dropped; nothing if there is
    /// no room.
    pub(crate) fn take(self: &Arc<Self>, address: IpAddr, amount: usize) -> Option<Held> {
        let held = self.nothing_yet(address);
        held.grow(amount).then_some(held)
    }

    /// For what is to grow.
    pub(crate) fn nothing_yet(self: &Arc<Self>, address: IpAddr) -> Held {
        Held {
            shares: self.clone(),
            network: network(address),
            amount: AtomicUsize::new(0),
            refused: AtomicBool::new(false),
        }
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Taken {
    fn give(&mut self, network: IpAddr, amount: usize, (most, share): (usize, usize)) -> bool {
        let all = self.all.saturating_add(amount);
        let own = self.by_network.get(&network).copied().unwrap_or(0).saturating_add(amount);
        if all > most || (all > most / 2 && own > share) {
            return false;
        }
        self.all = all;
        self.by_network.insert(network, own);
        true
    }

    fn take_back(&mut self, network: IpAddr, amount: usize) {
        self.all = self.all.saturating_sub(amount);
        let Some(own) = self.by_network.get_mut(&network) else { return };
        *own = own.saturating_sub(amount);
        // Only networks that hold something are remembered, so the table cannot grow.
        if *own == 0 {
            self.by_network.remove(&network);
        }
    }
}

/// What one connection or one body holds.
pub(crate) struct Held {
    shares: Arc<Shares>,
    network: IpAddr,
    amount: AtomicUsize,
    refused: AtomicBool,
}

impl Held {
    /// Takes more; whether there was room for it.
    pub(crate) fn grow(&self, more: usize) -> bool {
        if more == 0 {
            return true;
        }
        let limits = (self.shares.most, self.shares.share);
        let given = self.shares.taken().give(self.network, more, limits);
        if given {
            self.amount.fetch_add(more, Ordering::Relaxed);
        } else {
            self.refused.store(true, Ordering::Relaxed);
        }
        given
    }

    /// Whether there was once no room for more.
    pub(crate) fn was_refused(&self) -> bool {
        self.refused.load(Ordering::Relaxed)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let amount = *self.amount.get_mut();
        if amount > 0 {
            self.shares.taken().take_back(self.network, amount);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Shares;
    use std::net::IpAddr;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn a_network_gets_its_share_once_half_is_taken() {
        let shares = Shares::new(10, 2);
        let one = address("192.0.2.1");
        let mut held: Vec<_> = (0..5).map(|_| shares.take(one, 1).unwrap()).collect();
        assert!(shares.take(one, 1).is_none(), "more than half of all for one network");
        let other = address("192.0.2.2");
        held.extend((0..2).map(|_| shares.take(other, 1).unwrap()));
        assert!(shares.take(other, 1).is_none(), "more than its share");
        held.extend((3..6).map(|n| shares.take(address(&format!("192.0.2.{n}")), 1).unwrap()));
        assert!(shares.take(address("192.0.2.9"), 1).is_none(), "more than there is");
        held.clear();
        assert!(shares.taken().by_network.is_empty());
        assert_eq!(shares.taken().all, 0);
    }

    #[test]
    fn an_ipv6_line_is_one_network() {
        let shares = Shares::new(2, 1);
        let _one = shares.take(address("2001:db8::1"), 1).unwrap();
        assert!(shares.take(address("2001:db8::2"), 1).is_none());
        assert!(shares.take(address("2001:db8:0:1::1"), 1).is_some());
    }

    #[test]
    fn what_is_held_grows_as_far_as_there_is_room() {
        let shares = Shares::new(100, 20);
        let held = shares.nothing_yet(address("192.0.2.1"));
        assert!(held.grow(50) && !held.was_refused());
        assert!(!held.grow(1) && held.was_refused());
        let other = shares.take(address("192.0.2.2"), 20).unwrap();
        assert!(!other.grow(1));
        drop(held);
        assert!(other.grow(1));
    }
}
