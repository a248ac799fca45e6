//! A minimal HTTP client, which asks a process of this machine whether it is ready, or for its
//! metrics.
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

const TIMEOUT: Duration = Duration::from_secs(3);
const BYTES_MAX: u64 = 4 * 1024 * 1024;

/// The answer of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The body as text.
    pub body: String,
}

/// Sends one GET request. Returns none after a timeout, or when the answer is not HTTP.
pub async fn get(port: u16, path: &str) -> Option<Answer> {
    timeout(TIMEOUT, try_get(port, path)).await.ok()?
}

async fn try_get(port: u16, path: &str) -> Option<Answer> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.ok()?;
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAccept: application/json\r\n\
         Connection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await.ok()?;
    let mut bytes = Vec::new();
    stream.take(BYTES_MAX).read_to_end(&mut bytes).await.ok()?;
    parse(&String::from_utf8_lossy(&bytes))
}

fn parse(text: &str) -> Option<Answer> {
    let (head, body) = text.split_once("\r\n\r\n")?;
    let status = head.strip_prefix("HTTP/1.")?.split_whitespace().nth(1)?.parse().ok()?;
    Some(Answer { status, body: body.trim().to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_and_body_are_read() {
        let answer = parse("HTTP/1.1 503 Service Unavailable\r\nx: y\r\n\r\n{\"a\":1}\n").unwrap();
        assert_eq!(answer, Answer { status: 503, body: "{\"a\":1}".to_owned() });
        assert_eq!(parse("SSH-2.0\r\n\r\n"), None);
    }
}
