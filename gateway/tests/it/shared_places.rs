//! One network does not take all connections; who comes when all are taken is told at once.

use std::net::Ipv4Addr;

use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::raw::{self, PATIENCE};
use crate::world::{Wishes, World};

const ONE: Ipv4Addr = Ipv4Addr::LOCALHOST;
const OTHER: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);

async fn world(most: usize, share: usize) -> World {
    let mut wishes = Wishes::default();
    (wishes.connections.most, wishes.connections.share) = (most, share);
    World::with(wishes).await
}

/// Connections that were answered and are kept.
async fn kept(world: &World, from: Ipv4Addr, how_many: usize) -> Vec<TcpStream> {
    let mut all = Vec::new();
    for _ in 0..how_many {
        let mut stream = raw::connect_from(world, from).await;
        assert!(raw::is_answered(&mut stream).await, "connection {}", all.len());
        all.push(stream);
    }
    all
}

async fn is_turned_away(world: &World, from: Ipv4Addr) -> bool {
    !raw::is_answered(&mut raw::connect_from(world, from).await).await
}

#[tokio::test]
async fn a_network_gets_no_more_than_its_share_once_half_is_taken() {
    let world = world(8, 2).await;
    let held = kept(&world, ONE, 4).await;
    assert!(is_turned_away(&world, ONE).await, "one network has more than half");
    let others = kept(&world, OTHER, 2).await;
    assert!(is_turned_away(&world, OTHER).await, "more than its share");
    // What is given back is there for others.
    drop(held);
    let again = async { while is_turned_away(&world, OTHER).await {} };
    timeout(PATIENCE, again).await.expect("no place came back");
    drop(others);
}

#[tokio::test]
async fn who_comes_when_all_is_taken_is_turned_away_at_once() {
    let world = world(2, 2).await;
    let held = kept(&world, ONE, 2).await;
    let mut late = raw::connect_from(&world, OTHER).await;
    assert_eq!(raw::until_closed(&mut late).await, "");
    drop(held);
    let again = async { while is_turned_away(&world, OTHER).await {} };
    timeout(PATIENCE, again).await.expect("no place came back");
}

#[tokio::test]
async fn behind_a_proxy_of_ours_all_may_come_from_it() {
    let mut wishes = Wishes { trust_proxy: true, ..Wishes::default() };
    (wishes.connections.most, wishes.connections.share) = (8, 1);
    let world = World::with(wishes).await;
    kept(&world, ONE, 8).await;
}
