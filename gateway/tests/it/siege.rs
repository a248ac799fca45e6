//! Hostile clients of all kinds at once: they are cut off or refused, honest clients that share one
//! address are not, and nothing remains of them. `make siege` plays the same on a whole practice.

use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use futures::future::join_all;
use http::StatusCode;
use serde_json::json;
use siege::{Attack, KINDS, Prey, RunningAttack};
use tokio::time::timeout;

use crate::harness::{TestGateway, TestOptions, rate_limit, token};
use crate::raw_http::{self, TEST_TIMEOUT};

const HONEST: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 9));
const CLIENTS: usize = 40;
const ROUNDS: usize = 5;
/// The part of a full siege's connections.
const PART: usize = 15;
/// Enough for a client on a busy machine, and the longest that an attacker has to be waited for.
const PATIENCE: Duration = Duration::from_secs(10);
/// The longest attack; it ends when all attackers have met what stops them.
const LENGTH: Duration = Duration::from_secs(120);
/// More than the share of a network, which binds when half of all are in use.
const CONNECTIONS_AFTER: usize = 250;

async fn gateway() -> TestGateway {
    let mut options = TestOptions::default();
    // A client's library opens up to four connections at once.
    (options.connections.max, options.connections.share) = (800, 200);
    options.connections.head_timeout = PATIENCE;
    options.connections.write_timeout = PATIENCE / 5;
    (options.requests.max, options.requests.share) = (200, 100);
    options.requests.watchers_per_account = 4;
    (options.bodies.max_bytes, options.bodies.share_bytes) = (1 << 23, 1 << 19);
    options.bodies.timeout = PATIENCE;
    // The honest clients together ask less.
    options.rate_limits.address = rate_limit(500, 60);
    options.rate_limits.sign_in = rate_limit(50, 50);
    options.rate_limits.bad_webhooks = rate_limit(20, 10);
    TestGateway::with_options(options).await
}

/// Attackers of all kinds, each kind from an address of its own.
fn attackers(gateway: &TestGateway) -> Vec<RunningAttack> {
    let prey = Prey { token: token(), large_file: "/media/breath.mp4".to_owned() };
    let attacks = KINDS.iter().zip(1_u8..).map(|(kind, number)| {
        let source = Ipv4Addr::new(127, 0, 2, number);
        let connections = (kind.connections / PART).max(1);
        let (target, prey) = (gateway.address, prey.clone());
        let openings_max = 100;
        let attack = Attack { target, source, prey, connections, openings_max, length: LENGTH };
        siege::start(kind, attack)
    });
    attacks.collect()
}

/// Clients who share an address, each with a few requests.
async fn honest_clients(gateway: &TestGateway) {
    let clients = (0..CLIENTS).map(|_| async {
        let builder = reqwest::Client::builder().no_proxy().local_address(HONEST);
        let client = builder.build().unwrap();
        for _ in 0..ROUNDS {
            let page = client.get(gateway.url("/about")).send().await.unwrap();
            assert_eq!(page.status(), StatusCode::OK);
            let path = "/rpc/catalogue.v1.CatalogueService/ListFaqs";
            let call = client.post(gateway.url(path)).json(&json!({})).send().await.unwrap();
            assert_eq!(call.status(), StatusCode::OK);
        }
    });
    join_all(clients).await;
}

/// Waits until each kind of attackers has met what stops it.
async fn until_all_are_stopped(gateway: &TestGateway, attacks: &[RunningAttack]) {
    let waiting = async {
        while !attacks.iter().all(RunningAttack::was_met) {
            assert_eq!(gateway.get("/livez").await.status(), StatusCode::OK);
        }
    };
    if timeout(LENGTH, waiting).await.is_err() {
        for (kind, attack) in KINDS.iter().zip(attacks) {
            assert!(attack.was_met(), "{}: {:?}", kind.name, attack.outcome());
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn honest_clients_are_served_under_attack_and_nothing_remains_of_it() {
    let gateway = gateway().await;
    let attacks = attackers(&gateway);
    honest_clients(&gateway).await;
    until_all_are_stopped(&gateway, &attacks).await;
    drop(attacks);
    // Everything is free again: memory, places, requests in progress.
    let recovered = async { while !is_free(&gateway).await {} };
    timeout(TEST_TIMEOUT, recovered).await.expect("something remains of the attack");
}

/// Whether there is room for a large body, and for many connections of a network that has none.
async fn is_free(gateway: &TestGateway) -> bool {
    let large = vec![b'x'; 200 * 1024];
    let webhook = gateway.client.post(gateway.url("/webhooks/razorpay")).body(large);
    let is_taken = webhook.send().await.is_ok_and(|answer| answer.status() == StatusCode::OK);
    let mut kept = Vec::new();
    while is_taken && kept.len() < CONNECTIONS_AFTER {
        let mut stream = raw_http::connect_from(gateway, Ipv4Addr::new(127, 0, 0, 10)).await;
        if !raw_http::is_answered(&mut stream).await {
            return false;
        }
        kept.push(stream);
    }
    is_taken
}
