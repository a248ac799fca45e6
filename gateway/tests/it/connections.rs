//! Silent and idle connections are closed; used ones are kept.

use std::time::Duration;

use axum::body::Body;
use http::{Request, StatusCode};
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::AsyncReadExt as _;
use tokio::time::timeout;

use crate::harness::{TestGateway, TestOptions, token};
use crate::raw_http::{self, TEST_TIMEOUT};
use crate::streams::{Envelopes, booking};

const SHORT: Duration = Duration::from_millis(300);
/// Enough for a test's own first request on a busy machine.
const HEAD: Duration = Duration::from_secs(1);
/// Long beside the pause between two requests, also on a busy machine.
const IDLE: Duration = Duration::from_secs(10);
const PREFACE: &str = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// An empty SETTINGS frame.
const SETTINGS: [u8; 9] = [0, 0, 0, 4, 0, 0, 0, 0, 0];

async fn with_short_timeouts(idle: Duration) -> TestGateway {
    let mut options = TestOptions::default();
    (options.connections.head_timeout, options.connections.idle_timeout) = (HEAD, idle);
    options.bodies.timeout = SHORT;
    TestGateway::with_options(options).await
}

/// Opens connections one after the other and waits until each is closed.
async fn until_silent_ones_are_closed(gateway: &TestGateway, how_many: u32) {
    for _ in 0..how_many {
        assert_eq!(raw_http::until_closed(&mut raw_http::connect(gateway).await).await, "");
    }
}

#[tokio::test]
async fn a_connection_that_does_not_ask_is_closed() {
    let gateway = with_short_timeouts(TEST_TIMEOUT).await;
    for begun in ["", "P", "PRI * HT", PREFACE, "GET / HTTP/1.1\r\nhost:"] {
        let mut stream = raw_http::connect(&gateway).await;
        raw_http::send(&mut stream, begun).await;
        let response = raw_http::until_closed(&mut stream).await;
        assert!(!response.contains("200"), "{begun}: {response}");
    }
}

type Sender = http2::SendRequest<Body>;

/// A connection that speaks HTTP/2 and answers pings, and a task that ends with it.
async fn http2(gateway: &TestGateway) -> (Sender, tokio::task::JoinHandle<()>) {
    let stream = TokioIo::new(raw_http::connect(gateway).await);
    let (sender, connection) = http2::handshake(TokioExecutor::new(), stream).await.unwrap();
    let task = tokio::spawn(async move {
        // The result doesn't matter here.
        connection.await.ok();
    });
    (sender, task)
}

async fn ask(gateway: &TestGateway, sender: &mut Sender) {
    let request = Request::get(gateway.url("/")).body(Body::empty()).unwrap();
    let answer = sender.send_request(request).await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    let body = axum::body::to_bytes(Body::new(answer.into_body()), 100).await.unwrap();
    assert_eq!(body, "<h1>home</h1>");
}

#[tokio::test]
async fn an_http2_connection_without_a_request_is_closed() {
    let gateway = with_short_timeouts(TEST_TIMEOUT).await;
    let (_sender, ended) = http2(&gateway).await;
    timeout(TEST_TIMEOUT, ended).await.expect("it is still open").unwrap();
}

#[tokio::test]
async fn an_idle_http2_connection_is_closed() {
    let mut options = TestOptions::default();
    options.connections.idle_timeout = SHORT;
    let gateway = TestGateway::with_options(options).await;
    let (mut sender, ended) = http2(&gateway).await;
    ask(&gateway, &mut sender).await;
    timeout(TEST_TIMEOUT, ended).await.expect("it is still open").unwrap();
}

#[tokio::test]
async fn a_connection_is_kept_while_an_answer_is_under_way() {
    let gateway = with_short_timeouts(SHORT).await;
    let mut stream = Envelopes::open(&gateway, Some(token())).await;
    gateway.grpc.watch.send(Ok(booking(1))).await.unwrap();
    assert_eq!(stream.next().await.unwrap().0, 0);
    until_silent_ones_are_closed(&gateway, 3).await;
    gateway.grpc.watch.send(Ok(booking(2))).await.unwrap();
    let (_, message) = stream.next().await.unwrap();
    assert_eq!(message["booking"]["version"], "2");
}

#[tokio::test]
async fn a_slow_upload_is_waited_for() {
    let gateway = with_short_timeouts(SHORT).await;
    let mut stream = raw_http::connect(&gateway).await;
    let head = "POST /uploads/reviews HTTP/1.1\r\nhost: localhost\r\ncontent-type: image/png\r\n\
                content-length: 8\r\nconnection: close\r\n\r\nRIFF";
    raw_http::send(&mut stream, head).await;
    until_silent_ones_are_closed(&gateway, 3).await;
    raw_http::send(&mut stream, "more").await;
    let response = raw_http::until_closed(&mut stream).await;
    assert!(response.starts_with("HTTP/1.1 201"), "{response}");
}

#[tokio::test]
async fn a_connection_with_new_requests_is_kept() {
    let mut options = TestOptions::default();
    options.connections.idle_timeout = IDLE;
    let gateway = TestGateway::with_options(options).await;
    let mut kept = raw_http::connect(&gateway).await;
    let (mut other, _other_ends) = http2(&gateway).await;
    let mut silent = raw_http::connect(&gateway).await;
    assert!(raw_http::is_answered(&mut silent).await);
    // They are used until one that is younger, and silent, was closed.
    while timeout(IDLE / 20, silent.read(&mut [0])).await.is_err() {
        assert!(raw_http::is_answered(&mut kept).await);
        ask(&gateway, &mut other).await;
    }
    assert!(raw_http::is_answered(&mut kept).await);
    ask(&gateway, &mut other).await;
}

#[tokio::test]
async fn one_connection_has_64_requests_at_once_at_most() {
    let gateway = TestGateway::new().await;
    let mut stream = raw_http::connect(&gateway).await;
    raw_http::send(&mut stream, PREFACE).await;
    raw_http::send(&mut stream, SETTINGS).await;
    let mut head = [0; 9];
    stream.read_exact(&mut head).await.unwrap();
    let [a, b, c, kind, ..] = head;
    assert_eq!(kind, 4, "the first frame of a server is its settings");
    let mut settings = vec![0; u32::from_be_bytes([0, a, b, c]) as usize];
    stream.read_exact(&mut settings).await.unwrap();
    let streams = settings.chunks(6).find(|setting| setting.starts_with(&[0, 3])).unwrap();
    assert_eq!(streams[2..], [0, 0, 0, 64]);
}
