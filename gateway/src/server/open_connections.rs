//! The table of open connections with a share per network. While no more than half of the maximum
//! are open there is no limit per network; then a network gets no more than its share. A connection
//! that finds no room takes the place of an idle one, if another network has more of them.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::caller::network_prefix;
use crate::server::activity::Activity;

/// The share of all connections that makes room at once, so that a flood does not search the table
/// for each connection.
const EVICTED_AT_ONCE: usize = 64;
/// How long no room is looked for after none was found.
const EVICTION_PAUSE: Duration = Duration::from_millis(100);

pub(super) struct OpenConnections {
    max: usize,
    share: usize,
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    total: usize,
    by_network: HashMap<IpAddr, HashMap<u64, Arc<Activity>>>,
    last_id: u64,
    /// No room is looked for before this time.
    no_eviction_until: Option<Instant>,
}

impl OpenConnections {
    pub(super) fn new(max: usize, share: usize) -> Arc<Self> {
        Arc::new(Self { max, share, table: Mutex::default() })
    }

    /// A place for a connection, released on drop; `None` if there is none.
    pub(super) fn try_open(
        self: &Arc<Self>,
        address: IpAddr,
        is_our_proxy: bool,
    ) -> Option<OpenConnection> {
        let network = network_prefix(address);
        let now = Instant::now();
        let mut table = self.table();
        let in_network = table.by_network.get(&network).map_or(0, HashMap::len);
        // Connections of a proxy of ours belong to many clients.
        if table.total >= self.max / 2 && in_network >= self.share && !is_our_proxy {
            return None;
        }
        if table.total >= self.max && !table.evict(in_network, self.max / EVICTED_AT_ONCE, now) {
            return None;
        }
        let activity = Activity::new(now);
        table.last_id = table.last_id.wrapping_add(1);
        let id = table.last_id;
        table.by_network.entry(network).or_default().insert(id, activity.clone());
        table.total = table.total.saturating_add(1);
        drop(table);
        Some(OpenConnection { all: self.clone(), network, id, activity })
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    /// Evicts idle connections of the network that has most of them, those first that are idle for
    /// longest. It is left with no fewer than the network that needs room will have.
    fn evict(&mut self, in_network: usize, at_most: usize, now: Instant) -> bool {
        if self.no_eviction_until.is_some_and(|until| now < until) {
            return false;
        }
        let needed = in_network.saturating_add(1);
        let mut larger: Vec<(usize, IpAddr)> = self
            .by_network
            .iter()
            .map(|(network, connections)| (connections.len(), *network))
            .filter(|(count, _)| *count > needed)
            .collect();
        larger.sort_unstable_by_key(|(count, _)| Reverse(*count));
        // That the largest network finds no room says nothing about the others.
        let pause = (!larger.is_empty()).then_some(now + EVICTION_PAUSE);
        for (count, network) in larger {
            let mut idle = self.idle_of(network);
            idle.sort_unstable();
            idle.truncate(at_most.clamp(1, count.saturating_sub(needed)));
            for (_, id) in &idle {
                if let Some(activity) = self.remove(network, *id) {
                    activity.evict();
                }
            }
            if !idle.is_empty() {
                return true;
            }
        }
        self.no_eviction_until = pause;
        false
    }

    fn idle_of(&self, network: IpAddr) -> Vec<(Instant, u64)> {
        let connections = self.by_network.get(&network).into_iter().flatten();
        connections.filter_map(|(id, activity)| Some((activity.idle_since()?, *id))).collect()
    }

    fn remove(&mut self, network: IpAddr, id: u64) -> Option<Arc<Activity>> {
        let connections = self.by_network.get_mut(&network)?;
        let removed = connections.remove(&id)?;
        // Networks without connections are removed, so the table stays bounded.
        if connections.is_empty() {
            self.by_network.remove(&network);
        }
        self.total = self.total.saturating_sub(1);
        Some(removed)
    }
}

/// The place of one connection.
pub(super) struct OpenConnection {
    all: Arc<OpenConnections>,
    network: IpAddr,
    id: u64,
    pub(super) activity: Arc<Activity>,
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        // An evicted one has no place any more.
        self.all.table().remove(self.network, self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::{OpenConnection, OpenConnections};
    use std::net::IpAddr;
    use std::sync::Arc;
    use tokio::time::advance;

    fn address(number: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, number])
    }

    fn open(all: &Arc<OpenConnections>, number: u8) -> Option<OpenConnection> {
        all.try_open(address(number), false)
    }

    #[tokio::test(start_paused = true)]
    async fn a_network_gets_its_share_once_half_is_taken() {
        let all = OpenConnections::new(10, 2);
        let mut held: Vec<_> = (0..5).map(|_| open(&all, 1).unwrap()).collect();
        assert!(open(&all, 1).is_none(), "more than half of all for one network");
        assert!(all.try_open(address(1), true).is_some(), "our proxy has many clients");
        held.extend((0..2).map(|_| open(&all, 2).unwrap()));
        assert!(open(&all, 2).is_none(), "more than its share");
        held.clear();
        assert!(all.table().by_network.is_empty());
        assert_eq!(all.table().total, 0);
    }

    #[tokio::test(start_paused = true)]
    async fn an_ipv6_prefix_is_one_network() {
        let all = OpenConnections::new(2, 1);
        let open = |text: &str| all.try_open(text.parse().unwrap(), false);
        let _one = open("2001:db8::1").unwrap();
        assert!(open("2001:db8::2").is_none());
        assert!(open("2001:db8:0:1::1").is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn the_largest_network_finds_no_room_and_others_do() {
        let all = OpenConnections::new(4, 4);
        let _large = [1, 1, 1].map(|number| open(&all, number).unwrap());
        let _other = open(&all, 2).unwrap();
        assert!(open(&all, 1).is_none());
        assert!(open(&all, 3).is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn the_longest_idle_connection_of_the_largest_network_gives_way() {
        let all = OpenConnections::new(6, 6);
        let mut large = Vec::new();
        for _ in 0..4 {
            large.push(open(&all, 1).unwrap());
            advance(super::EVICTION_PAUSE).await;
        }
        let _small = [open(&all, 2).unwrap(), open(&all, 2).unwrap()];
        large[0].activity.request_started();
        let _new = open(&all, 3).unwrap();
        let evicted =
            |index: usize| !all.table().by_network[&address(1)].contains_key(&large[index].id);
        assert_eq!([0, 1, 2, 3].map(evicted), [false, true, false, false]);
        large[1].activity.evicted().await;
        // The others have no more than the newcomer's network would have.
        let _second = open(&all, 3).unwrap();
        assert!(open(&all, 3).is_none());
        assert_eq!(all.table().total, 6);
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_in_use_does_not_give_way() {
        let all = OpenConnections::new(2, 2);
        let held = [open(&all, 1).unwrap(), open(&all, 1).unwrap()];
        held.iter().for_each(|one| one.activity.request_started());
        assert!(open(&all, 2).is_none());
        held[1].activity.request_ended(true);
        assert!(open(&all, 2).is_none(), "the table is not searched again at once");
        advance(super::EVICTION_PAUSE).await;
        assert!(open(&all, 2).is_some());
    }
}
