//! A client on raw sockets, which sends arbitrary bytes and reads the response.

use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;

use crate::harness::TestGateway;

/// Longer than any test takes; it ends a test that hangs.
pub(crate) const TEST_TIMEOUT: Duration = Duration::from_secs(120);

pub(crate) async fn connect(gateway: &TestGateway) -> TcpStream {
    connect_from(gateway, Ipv4Addr::LOCALHOST).await
}

/// A connection from one of the machine's own networks, 127.0.0.1, 127.0.0.2 and so on.
pub(crate) async fn connect_from(gateway: &TestGateway, from: Ipv4Addr) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(SocketAddr::from((from, 0))).unwrap();
    socket.connect(gateway.address).await.unwrap()
}

pub(crate) async fn send(stream: &mut TcpStream, bytes: impl AsRef<[u8]>) {
    stream.write_all(bytes.as_ref()).await.unwrap();
}

/// Everything read until the gateway closes the connection. It must close it.
pub(crate) async fn until_closed(stream: &mut TcpStream) -> String {
    let mut read = Vec::new();
    let ended = timeout(TEST_TIMEOUT, stream.read_to_end(&mut read)).await;
    match ended.expect("the connection is still open") {
        // Unread data turns the close into a reset.
        Err(error) if error.kind() != ErrorKind::ConnectionReset => panic!("{error}"),
        _ => String::from_utf8_lossy(&read).into_owned(),
    }
}

/// Sends a request without a body and returns the whole response.
pub(crate) async fn ask(gateway: &TestGateway, line: &str) -> String {
    let mut stream = connect(gateway).await;
    let head = format!(
        "{line} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
    );
    send(&mut stream, head).await;
    until_closed(&mut stream).await
}

/// Whether a request on an open connection is answered; if not, the connection was closed.
pub(crate) async fn is_answered(stream: &mut TcpStream) -> bool {
    if stream.write_all(b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n").await.is_err() {
        return false;
    }
    let mut read = Vec::new();
    while !read.ends_with(b"<h1>home</h1>") {
        let mut piece = [0; 4096];
        match timeout(TEST_TIMEOUT, stream.read(&mut piece)).await.expect("no answer, no end") {
            Ok(length) if length > 0 => read.extend_from_slice(&piece[..length]),
            _closed => return false,
        }
    }
    true
}
