//! One kept-alive connection that speaks HTTP/1.1 and no more of it than a measurement needs: it
//! shares the machine's cores with what it measures, so it has to be cheap.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use bytes::{Buf as _, BytesMut};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::Instant;

/// What is read at a time.
const CHUNK_BYTES: usize = 64 * 1024;
/// No answer that is measured is larger.
const ANSWER_BYTES_MAX: usize = 8 * 1024 * 1024;
/// What ends a head.
const HEAD_END: &[u8] = b"\r\n\r\n";

/// A connection that was idle for longer is reopened, as browsers do: servers close idle ones.
const IDLE_MAX: Duration = Duration::from_secs(5);

/// A response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reply {
    /// HTTP status.
    pub(crate) status: u16,
    /// The content.
    pub(crate) body: Vec<u8>,
}

/// A connection on which one request is under way at a time.
#[derive(Debug)]
pub(crate) struct HttpClient {
    address: SocketAddr,
    /// The own address; any if it is unspecified.
    source: Ipv4Addr,
    stream: TcpStream,
    read: BytesMut,
    used: Instant,
}

impl HttpClient {
    /// Connects.
    ///
    /// # Errors
    /// When no server listens there.
    pub(crate) async fn open(address: SocketAddr) -> Result<Self> {
        Self::open_from(Ipv4Addr::UNSPECIFIED, address).await
    }

    /// Connects from one of the machine's own addresses.
    ///
    /// # Errors
    /// When no server listens there.
    pub(crate) async fn open_from(source: Ipv4Addr, address: SocketAddr) -> Result<Self> {
        let stream = if source.is_unspecified() {
            TcpStream::connect(address).await?
        } else {
            let socket = TcpSocket::new_v4()?;
            socket.bind(SocketAddr::from((source, 0)))?;
            socket.connect(address).await?
        };
        stream.set_nodelay(true)?;
        let read = BytesMut::with_capacity(CHUNK_BYTES);
        Ok(Self { address, source, stream, read, used: Instant::now() })
    }

    /// Sends a whole request and waits for its whole answer.
    ///
    /// # Errors
    /// When the connection ends or what comes is not an answer.
    pub(crate) async fn send(&mut self, request: &[u8]) -> Result<Reply> {
        if self.used.elapsed() > IDLE_MAX {
            *self = Self::open_from(self.source, self.address).await?;
        }
        self.stream.write_all(request).await?;
        loop {
            if let Some((reply, length)) = parse(&self.read)? {
                self.read.advance(length);
                self.used = Instant::now();
                return Ok(reply);
            }
            self.read.reserve(CHUNK_BYTES);
            if self.stream.read_buf(&mut self.read).await? == 0 {
                bail!("the connection was closed before its answer was complete");
            }
            if self.read.len() > ANSWER_BYTES_MAX {
                bail!("an answer is larger than anything that is asked for here");
            }
        }
    }
}

/// A GET for a target, with further head lines that each end with a line break.
pub(crate) fn get(host: SocketAddr, target: &str, lines: &str) -> Vec<u8> {
    format!("GET {target} HTTP/1.1\r\nhost: {host}\r\n{lines}\r\n").into_bytes()
}

/// A POST of JSON to a target.
pub(crate) fn post(host: SocketAddr, target: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!(
        "POST {target} HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\n\
         content-length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}

/// A call over Connect with a JSON body, with the token's account as the caller.
pub(crate) fn call(host: SocketAddr, method: &str, token: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!(
        "POST /rpc/{method} HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\n\
         authorization: Bearer {token}\r\ncontent-length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}

/// The answer at the beginning of these bytes with its whole length, once it is complete.
fn parse(bytes: &[u8]) -> Result<Option<(Reply, usize)>> {
    let Some(end) = bytes.windows(HEAD_END.len()).position(|window| window == HEAD_END) else {
        return Ok(None);
    };
    let (head, rest) = bytes.split_at(end + HEAD_END.len());
    let head = std::str::from_utf8(head).context("a head that is no text")?;
    let mut lines = head.split("\r\n");
    let status = lines.next().and_then(|line| line.strip_prefix("HTTP/1.1 "));
    let status = status.and_then(|line| line.get(..3)?.parse().ok()).context("no status")?;
    let mut length = 0;
    for line in lines {
        let Some((name, value)) = line.split_once(':') else { continue };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().context("a length that is none")?;
        }
        if name.eq_ignore_ascii_case("transfer-encoding") {
            let whole = chunks(rest)?;
            return Ok(whole.map(|(body, used)| (Reply { status, body }, head.len() + used)));
        }
    }
    let body = rest.get(..length).map(<[u8]>::to_vec);
    Ok(body.map(|body| (Reply { status, body }, head.len() + length)))
}

/// A body that comes in pieces, and how many bytes it took, once its last piece is there.
fn chunks(bytes: &[u8]) -> Result<Option<(Vec<u8>, usize)>> {
    let (mut body, mut at) = (Vec::new(), 0);
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        let Some(end) = rest.windows(2).position(|window| window == b"\r\n") else {
            return Ok(None);
        };
        let size = std::str::from_utf8(rest.get(..end).unwrap_or_default())?;
        let size = usize::from_str_radix(size.split(';').next().unwrap_or_default().trim(), 16)?;
        let from = at + end + 2;
        let Some(piece) = bytes.get(from..from + size + 2) else { return Ok(None) };
        body.extend_from_slice(piece.get(..size).unwrap_or_default());
        at = from + size + 2;
        if size == 0 {
            return Ok(Some((body, at)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(text: &str) -> Option<(Reply, usize)> {
        parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn an_answer_is_complete_when_its_length_is_there() {
        let text = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
        for cut in 0..text.len() {
            assert_eq!(whole(&text[..cut]), None, "{cut}");
        }
        let (reply, length) = whole(&format!("{text}HTTP/1.1")).unwrap();
        assert_eq!(reply, Reply { status: 200, body: b"hello".to_vec() });
        assert_eq!(length, text.len());
    }

    #[test]
    fn an_answer_in_pieces_is_put_together() {
        let text = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n\
                    3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\n\r\n";
        for cut in 0..text.len() {
            assert_eq!(whole(&text[..cut]), None, "{cut}");
        }
        let (reply, length) = whole(text).unwrap();
        assert_eq!((reply.body.as_slice(), length), (&b"hello"[..], text.len()));
    }

    #[test]
    fn a_status_without_content_is_an_answer() {
        let (reply, _length) = whole("HTTP/1.1 429 Too Many Requests\r\n\r\n").unwrap();
        assert_eq!(reply, Reply { status: 429, body: Vec::new() });
    }

    #[test]
    fn what_is_no_answer_is_refused() {
        assert!(parse(b"SMTP ready\r\n\r\n").is_err());
        assert!(parse(b"HTTP/1.1 200 OK\r\ncontent-length: many\r\n\r\n").is_err());
    }

    #[test]
    fn requests_are_whole() {
        let host = SocketAddr::from(([127, 0, 0, 1], 8080));
        let sent = String::from_utf8(call(host, "a.B/C", "secret", "{}")).unwrap();
        assert!(sent.starts_with("POST /rpc/a.B/C HTTP/1.1\r\nhost: 127.0.0.1:8080\r\n"));
        assert!(sent.ends_with("content-length: 2\r\n\r\n{}"), "{sent}");
        let sent = String::from_utf8(get(host, "/", "accept-encoding: gzip\r\n")).unwrap();
        assert!(sent.ends_with("accept-encoding: gzip\r\n\r\n"), "{sent}");
    }
}
