//! One network can't take all connections, a connection over the maximum is closed at once, and
//! idle ones give way.

use std::net::Ipv4Addr;

use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::harness::{TestGateway, TestOptions, token};
use crate::raw_http::{self, TEST_TIMEOUT};
use crate::streams::Envelopes;

const ONE: Ipv4Addr = Ipv4Addr::LOCALHOST;
const OTHER: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);

async fn gateway(most: usize, share: usize) -> TestGateway {
    let mut options = TestOptions::default();
    (options.connections.max, options.connections.share) = (most, share);
    TestGateway::with_options(options).await
}

/// Open connections that have been answered once.
async fn open_connections(
    gateway: &TestGateway,
    from: Ipv4Addr,
    how_many: usize,
) -> Vec<TcpStream> {
    let mut all = Vec::new();
    for _ in 0..how_many {
        let mut stream = raw_http::connect_from(gateway, from).await;
        assert!(raw_http::is_answered(&mut stream).await, "connection {}", all.len());
        all.push(stream);
    }
    all
}

async fn is_closed(gateway: &TestGateway, from: Ipv4Addr) -> bool {
    !raw_http::is_answered(&mut raw_http::connect_from(gateway, from).await).await
}

#[tokio::test]
async fn a_network_gets_no_more_than_its_share_once_half_is_taken() {
    let gateway = gateway(8, 2).await;
    let held = open_connections(&gateway, ONE, 4).await;
    assert!(is_closed(&gateway, ONE).await, "one network has more than half");
    let others = open_connections(&gateway, OTHER, 2).await;
    assert!(is_closed(&gateway, OTHER).await, "more than its share");
    // Released capacity is available to others.
    drop(held);
    let again = async { while is_closed(&gateway, OTHER).await {} };
    timeout(TEST_TIMEOUT, again).await.expect("no place came back");
    drop(others);
}

#[tokio::test]
async fn a_connection_over_the_maximum_is_closed_at_once() {
    let gateway = gateway(2, 2).await;
    let streams = [(); 2].map(|()| Envelopes::open(&gateway, Some(token())));
    let held = futures::future::join_all(streams).await;
    let mut late = raw_http::connect_from(&gateway, OTHER).await;
    assert_eq!(raw_http::until_closed(&mut late).await, "");
    drop(held);
    let again = async { while is_closed(&gateway, OTHER).await {} };
    timeout(TEST_TIMEOUT, again).await.expect("no place came back");
}

#[tokio::test]
async fn an_idle_connection_gives_way_to_another_network() {
    let gateway = gateway(2, 2).await;
    let mut held = open_connections(&gateway, ONE, 2).await;
    let others = open_connections(&gateway, OTHER, 1).await;
    assert_eq!(raw_http::until_closed(&mut held[0]).await, "");
    assert!(raw_http::is_answered(&mut held[1]).await, "it is not the larger network any more");
    assert!(is_closed(&gateway, OTHER).await, "the networks have as many");
    drop(others);
}

#[tokio::test]
async fn only_a_listed_proxy_is_free_of_the_share() {
    let proxies = "127.0.0.2/32".parse().unwrap();
    let mut options = TestOptions { proxies, ..TestOptions::default() };
    (options.connections.max, options.connections.share) = (8, 1);
    let gateway = TestGateway::with_options(options).await;
    let _clients = open_connections(&gateway, OTHER, 6).await;
    let _own = open_connections(&gateway, ONE, 1).await;
    assert!(is_closed(&gateway, ONE).await, "more than its share");
}

#[tokio::test]
async fn behind_a_trusted_proxy_the_share_does_not_apply() {
    let mut options = TestOptions { trust_proxy: true, ..TestOptions::default() };
    (options.connections.max, options.connections.share) = (8, 1);
    let gateway = TestGateway::with_options(options).await;
    open_connections(&gateway, ONE, 8).await;
}
