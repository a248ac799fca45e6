//! The gateway as a process of its own.

use std::net::SocketAddr;
use std::process::Stdio;

use http::StatusCode;
use serde_json::json;
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio::time::timeout;

use crate::backends;
use crate::harness::site;
use crate::raw_http::{self, TEST_TIMEOUT};

/// Too few files for a hundred connections.
const FILES: &str = "64";
const VISITORS: usize = 100;

/// A process with a low soft limit of open files and these settings; killed on drop.
fn start(address: &str, settings: &[(&str, &str)]) -> Child {
    let somewhere = "http://127.0.0.1:1";
    let mut command = Command::new("sh");
    command.args([
        "-c",
        &format!("ulimit -Sn {FILES}; exec \"$0\""),
        env!("CARGO_BIN_EXE_gateway"),
    ]);
    for name in [
        "CATALOGUE_URL",
        "BOOKING_URL",
        "PAYMENTS_URL",
        "NOTIFICATIONS_URL",
        "REVIEWS_URL",
        "IDENTITY_URL",
        "PAYMENTS_HTTP_URL",
        "REVIEWS_HTTP_URL",
        "TOKEN_JWKS_URL",
        "TOKEN_ISSUER",
    ] {
        command.env(name, somewhere);
    }
    command.env("SUKOON_MODE", "development").env("PUBLIC_URL", format!("http://{address}"));
    // No connection times out during the test.
    command.env("GATEWAY_HEAD_SECONDS", "600");
    command.env("GATEWAY_LISTEN", address).env("GATEWAY_WEB_DIR", site());
    command.envs(settings.iter().copied());
    command.stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    command.spawn().unwrap()
}

async fn until_it_listens(address: SocketAddr) {
    let ready = async { while TcpStream::connect(address).await.is_err() {} };
    timeout(TEST_TIMEOUT, ready).await.expect("it does not listen");
}

#[tokio::test]
async fn a_low_limit_of_open_files_is_raised_at_the_start() {
    let free = testkit::free_address().unwrap();
    let mut process = start(&free.to_string(), &[]);
    until_it_listens(free).await;
    let mut kept = Vec::new();
    for visitor in 0..VISITORS {
        let mut stream = TcpStream::connect(free).await.unwrap();
        assert!(raw_http::is_answered(&mut stream).await, "visitor {visitor} of {VISITORS}");
        kept.push(stream);
    }
    process.kill().await.unwrap();
}

#[tokio::test]
async fn no_proxy_of_the_environment_sees_what_goes_to_our_services() {
    let free = testkit::free_address().unwrap();
    let (identity, requests) = backends::http(json!({})).await;
    let (proxy, seen_by_proxy) = backends::http(json!({})).await;
    let settings = [("IDENTITY_URL", &*identity), ("HTTP_PROXY", &*proxy), ("http_proxy", &*proxy)];
    let mut process = start(&free.to_string(), &settings);
    until_it_listens(free).await;
    let client = runtime::http::inner_client().unwrap();
    let asked = client.get(format!("http://{free}/auth/v1/settings")).send().await.unwrap();
    assert_eq!(asked.status(), StatusCode::OK);
    assert_eq!(requests.http.lock().unwrap().len(), 1);
    assert!(seen_by_proxy.http.lock().unwrap().is_empty());
    process.kill().await.unwrap();
}
