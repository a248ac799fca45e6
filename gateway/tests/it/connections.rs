//! Connections that say nothing, or nothing any more, are closed; those that are used are not.

use std::time::Duration;

use axum::body::Body;
use http::{Request, StatusCode};
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::AsyncReadExt as _;
use tokio::time::timeout;

use crate::raw::{self, PATIENCE};
use crate::streams::{Envelopes, booking};
use crate::world::{Wishes, World, token};

const SHORT: Duration = Duration::from_millis(300);
/// Enough for a test's own first request on a busy machine.
const HEAD: Duration = Duration::from_secs(1);
const PREFACE: &str = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// Settings without any, as a frame.
const SETTINGS: [u8; 9] = [0, 0, 0, 4, 0, 0, 0, 0, 0];

async fn impatient(idle: Duration) -> World {
    let mut wishes = Wishes::default();
    (wishes.connections.head, wishes.connections.idle) = (HEAD, idle);
    wishes.bodies.patience = SHORT;
    World::with(wishes).await
}

/// Waits until connections that were opened now, one after the other, have been closed.
async fn until_silent_ones_are_closed(world: &World, how_many: u32) {
    for _ in 0..how_many {
        assert_eq!(raw::until_closed(&mut raw::connect(world).await).await, "");
    }
}

#[tokio::test]
async fn a_connection_that_does_not_ask_is_closed() {
    let world = impatient(PATIENCE).await;
    for begun in ["", "P", "PRI * HT", PREFACE, "GET / HTTP/1.1\r\nhost:"] {
        let mut stream = raw::connect(&world).await;
        raw::send(&mut stream, begun).await;
        let said = raw::until_closed(&mut stream).await;
        assert!(!said.contains("200"), "{begun}: {said}");
    }
}

type Sender = http2::SendRequest<Body>;

/// A connection that speaks HTTP/2 and answers pings, and a task that ends with it.
async fn http2(world: &World) -> (Sender, tokio::task::JoinHandle<()>) {
    let stream = TokioIo::new(raw::connect(world).await);
    let (sender, connection) = http2::handshake(TokioExecutor::new(), stream).await.unwrap();
    let task = tokio::spawn(async move {
        // How it ends is the other side's affair.
        connection.await.ok();
    });
    (sender, task)
}

async fn ask(world: &World, sender: &mut Sender) {
    let request = Request::get(world.url("/")).body(Body::empty()).unwrap();
    let answer = sender.send_request(request).await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    let body = axum::body::to_bytes(Body::new(answer.into_body()), 100).await.unwrap();
    assert_eq!(body, "<h1>home</h1>");
}

#[tokio::test]
async fn an_http2_connection_without_a_request_is_closed() {
    let world = impatient(PATIENCE).await;
    let (_sender, ended) = http2(&world).await;
    timeout(PATIENCE, ended).await.expect("it is still open").unwrap();
}

#[tokio::test]
async fn an_http2_connection_that_asks_no_more_is_closed() {
    let mut wishes = Wishes::default();
    wishes.connections.idle = SHORT;
    let world = World::with(wishes).await;
    let (mut sender, ended) = http2(&world).await;
    ask(&world, &mut sender).await;
    timeout(PATIENCE, ended).await.expect("it is still open").unwrap();
}

#[tokio::test]
async fn a_connection_is_kept_while_an_answer_is_under_way() {
    let world = impatient(SHORT).await;
    let mut stream = Envelopes::open(&world, Some(token())).await;
    world.grpc.watch.send(Ok(booking(1))).await.unwrap();
    assert_eq!(stream.next().await.unwrap().0, 0);
    until_silent_ones_are_closed(&world, 3).await;
    world.grpc.watch.send(Ok(booking(2))).await.unwrap();
    let (_, message) = stream.next().await.unwrap();
    assert_eq!(message["booking"]["version"], "2");
}

#[tokio::test]
async fn a_slow_upload_is_waited_for() {
    let world = impatient(SHORT).await;
    let mut stream = raw::connect(&world).await;
    let head = "POST /uploads/reviews HTTP/1.1\r\nhost: x\r\ncontent-type: image/png\r\n\
                content-length: 8\r\nconnection: close\r\n\r\nRIFF";
    raw::send(&mut stream, head).await;
    until_silent_ones_are_closed(&world, 3).await;
    raw::send(&mut stream, "more").await;
    let said = raw::until_closed(&mut stream).await;
    assert!(said.starts_with("HTTP/1.1 201"), "{said}");
}

#[tokio::test]
async fn a_connection_that_asks_again_is_kept() {
    let mut wishes = Wishes::default();
    wishes.connections.idle = SHORT;
    let world = World::with(wishes).await;
    let mut kept = raw::connect(&world).await;
    let (mut other, _other_ends) = http2(&world).await;
    let begun = tokio::time::Instant::now();
    while begun.elapsed() < SHORT * 4 {
        assert!(raw::is_answered(&mut kept).await);
        ask(&world, &mut other).await;
    }
}

#[tokio::test]
async fn one_connection_has_64_requests_at_once_at_most() {
    let world = World::new().await;
    let mut stream = raw::connect(&world).await;
    raw::send(&mut stream, PREFACE).await;
    raw::send(&mut stream, SETTINGS).await;
    let mut head = [0; 9];
    stream.read_exact(&mut head).await.unwrap();
    let [a, b, c, kind, ..] = head;
    assert_eq!(kind, 4, "the first frame of a server is its settings");
    let mut settings = vec![0; u32::from_be_bytes([0, a, b, c]) as usize];
    stream.read_exact(&mut settings).await.unwrap();
    let streams = settings.chunks(6).find(|setting| setting.starts_with(&[0, 3])).unwrap();
    assert_eq!(streams[2..], [0, 0, 0, 64]);
}
