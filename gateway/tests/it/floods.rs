//! Clients that flood a connection, or don't read their responses, are cut off.

use std::time::Duration;

use axum::body::Body;
use http::{Request, StatusCode};
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy, sink};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;

use crate::harness::{TestGateway, TestOptions};
use crate::raw_http::{self, TEST_TIMEOUT};

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// GET / of a host x, compressed.
const GET: [u8; 6] = [0x82, 0x86, 0x84, 0x41, 0x01, b'x'];
/// The same with POST.
const POST: [u8; 6] = [0x83, 0x86, 0x84, 0x41, 0x01, b'x'];
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const PRIORITY: u8 = 2;
const RESET: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const WINDOW_UPDATE: u8 = 8;
const CONTINUATION: u8 = 9;
/// A kind that no standard knows, which has to be ignored.
const UNKNOWN: u8 = 0x40;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

/// A frame of HTTP/2.
fn frame((kind, flags): (u8, u8), stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    let mut bytes = length[1..].to_vec();
    bytes.extend([kind, flags]);
    bytes.extend(stream.to_be_bytes());
    bytes.extend(payload);
    bytes
}

/// The beginning of a connection, and frames.
fn http2_start(frames: &[Vec<u8>]) -> Vec<u8> {
    [PREFACE.to_vec(), frame((SETTINGS, 0), 0, &[]), frames.concat()].concat()
}

/// A named flood: how it begins, and the bytes that follow without end.
struct Flood {
    name: &'static str,
    start: Vec<u8>,
    piece: Box<dyn Fn(u32) -> Vec<u8> + Send>,
}

fn flood(
    name: &'static str,
    start: Vec<u8>,
    piece: impl Fn(u32) -> Vec<u8> + Send + 'static,
) -> Flood {
    Flood { name, start, piece: Box::new(piece) }
}

fn http2_floods() -> Vec<Flood> {
    let started = || http2_start(&[]);
    let asked = |flags, head: &[u8]| http2_start(&[frame((HEADERS, flags), 1, head)]);
    vec![
        flood("pings", started(), |_| frame((PING, 0), 0, &[0; 8])),
        flood("settings", started(), |_| frame((SETTINGS, 0), 0, &[])),
        flood("window updates", asked(END_HEADERS | END_STREAM, &GET), |_| {
            frame((WINDOW_UPDATE, 0), 0, &1_u32.to_be_bytes())
        }),
        flood("priorities", started(), |_| frame((PRIORITY, 0), 1, &[0, 0, 0, 0, 1])),
        flood("unknown frames", started(), |_| frame((UNKNOWN, 0), 0, &[0; 64])),
        flood("continuations", asked(END_STREAM, &GET), |_| {
            frame((CONTINUATION, 0), 1, b"\x00\x01a\x01b")
        }),
        flood("empty continuations", asked(END_STREAM, &GET), |_| frame((CONTINUATION, 0), 1, &[])),
        flood("empty data", asked(END_HEADERS, &POST), |_| frame((DATA, 0), 1, &[])),
        flood("tiny data", asked(END_HEADERS, &POST), |_| frame((DATA, 0), 1, b"x")),
        flood("resets", started(), |turn| {
            let stream = turn * 2 + 1;
            let ask = frame((HEADERS, END_HEADERS | END_STREAM), stream, &GET);
            [ask, frame((RESET, 0), stream, &8_u32.to_be_bytes())].concat()
        }),
    ]
}

fn http1_floods() -> Vec<Flood> {
    let post = |rest: &str| {
        let line =
            "POST /policy-reports HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json";
        format!("{line}\r\n{rest}").into_bytes()
    };
    let chunked = || post("transfer-encoding: chunked\r\n\r\n");
    vec![
        flood("headers", b"GET / HTTP/1.1\r\n".to_vec(), |_| b"a: b\r\n".to_vec()),
        flood("one long header", b"GET / HTTP/1.1\r\na: ".to_vec(), |_| vec![b'a'; 100]),
        flood("a long address", b"GET /".to_vec(), |_| vec![b'a'; 100]),
        flood("chunk extensions", [chunked(), b"1;".to_vec()].concat(), |_| vec![b'a'; 100]),
        flood("tiny chunks", chunked(), |_| b"1\r\nx\r\n".to_vec()),
        flood("trailers", [chunked(), b"0\r\n".to_vec()].concat(), |_| b"a: b\r\n".to_vec()),
        flood("line ends", Vec::new(), |_| b"\r\n".to_vec()),
    ]
}

/// Sends without end until the gateway closes the connection.
async fn is_cut_off(stream: TcpStream, flood: &Flood) -> bool {
    let (mut read, mut write) = stream.into_split();
    let reading = tokio::spawn(async move {
        // The responses don't matter here.
        copy(&mut read, &mut sink()).await.ok();
    });
    let sending = async {
        let mut turn = 0;
        let mut bytes = flood.start.clone();
        while write.write_all(&bytes).await.is_ok() {
            bytes = (turn..turn + 100).flat_map(|turn| (flood.piece)(turn)).collect();
            turn += 100;
        }
    };
    let cut_off = timeout(TEST_TIMEOUT, sending).await.is_ok();
    reading.abort();
    cut_off
}

#[tokio::test]
async fn a_flood_ends_the_connection() {
    let gateway = TestGateway::new().await;
    for flood in http2_floods().into_iter().chain(http1_floods()) {
        let stream = raw_http::connect(&gateway).await;
        assert!(is_cut_off(stream, &flood).await, "{}", flood.name);
    }
    assert_eq!(gateway.get("/").await.status(), StatusCode::OK);
}

async fn with_a_short_write_timeout() -> TestGateway {
    let mut options = TestOptions::default();
    // The first request is waited for as long as on a busy machine.
    options.connections.head_timeout = Duration::from_secs(3);
    options.connections.write_timeout = Duration::from_millis(300);
    TestGateway::with_options(options).await
}

#[tokio::test]
async fn a_client_that_reads_nothing_is_cut_off() {
    let gateway = with_a_short_write_timeout().await;
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let mut stream = socket.connect(gateway.address).await.unwrap();
    let request = b"GET /media/breath.mp4 HTTP/1.1\r\nhost: localhost\r\n\r\n";
    // It asks until the responses fill all buffers, and then waits.
    let asking = async { while stream.write_all(request).await.is_ok() {} };
    timeout(TEST_TIMEOUT, asking).await.expect("the connection is still open");
}

#[tokio::test]
async fn an_http2_client_that_opens_no_window_is_cut_off() {
    let gateway = with_a_short_write_timeout().await;
    let stream = TokioIo::new(raw_http::connect(&gateway).await);
    let mut narrow = http2::Builder::new(TokioExecutor::new());
    narrow.initial_stream_window_size(1);
    let (mut sender, connection) = narrow.handshake(stream).await.unwrap();
    let ended = tokio::spawn(async move {
        // The result doesn't matter here.
        connection.await.ok();
    });
    let request = Request::get(gateway.url("/media/breath.mp4")).body(Body::empty()).unwrap();
    let unread = sender.send_request(request).await.unwrap();
    assert_eq!(unread.status(), StatusCode::OK);
    timeout(TEST_TIMEOUT, ended).await.expect("the connection is still open").unwrap();
}

#[tokio::test]
async fn a_head_has_16_kibibytes_at_most() {
    let gateway = TestGateway::new().await;
    for (length, expected) in [(8 * 1024, "HTTP/1.1 200"), (17 * 1024, "HTTP/1.1 431")] {
        let mut stream = raw_http::connect(&gateway).await;
        let long = "a".repeat(length);
        let head =
            format!("GET / HTTP/1.1\r\nhost: localhost\r\na: {long}\r\nconnection: close\r\n\r\n");
        // It may be refused before all was sent.
        stream.write_all(head.as_bytes()).await.ok();
        let mut start = [0; 12];
        timeout(TEST_TIMEOUT, stream.read_exact(&mut start)).await.unwrap().unwrap();
        assert_eq!(String::from_utf8_lossy(&start), expected, "{length} bytes");
    }
}
