//! The socket of a connection, which tells what is read and written, breaks off under a flood, and
//! lets other connections have their turn.

use std::io::{Error, ErrorKind, IoSlice, Result};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use crate::server::activity::Activity;

/// What a connection reads before other tasks have their turn. tokio allows 128 reads, in which
/// small frames keep a thread busy for milliseconds while honest requests wait.
const BYTES_PER_TURN: usize = 16 * 1024;

pub(super) struct MeteredStream {
    stream: TcpStream,
    activity: Arc<Activity>,
    /// Read since other tasks had their turn.
    turn_bytes: usize,
}

impl MeteredStream {
    pub(super) fn new(stream: TcpStream, activity: Arc<Activity>) -> Self {
        // Small responses are sent at once, without Nagle's delay.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(error = %error, "a connection keeps its delay");
        }
        Self { stream, activity, turn_bytes: 0 }
    }

    fn metered_write(&self, written: Poll<Result<usize>>) -> Poll<Result<usize>> {
        match &written {
            Poll::Ready(Ok(bytes)) => self.activity.bytes_were_written(*bytes),
            Poll::Ready(Err(_broken)) => {}
            Poll::Pending => self.activity.write_was_blocked(),
        }
        written
    }
}

impl AsyncRead for MeteredStream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        let metered = self.get_mut();
        if metered.activity.is_flood() {
            return Poll::Ready(Err(Error::new(ErrorKind::ConnectionAborted, "a flood")));
        }
        if metered.turn_bytes >= BYTES_PER_TURN {
            metered.turn_bytes = 0;
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        let before = buffer.filled().len();
        let polled = Pin::new(&mut metered.stream).poll_read(context, buffer);
        let bytes = buffer.filled().len().saturating_sub(before);
        metered.turn_bytes = match polled {
            Poll::Ready(_) => metered.turn_bytes.saturating_add(bytes),
            Poll::Pending => 0,
        };
        metered.activity.bytes_were_read(bytes);
        polled
    }
}

impl AsyncWrite for MeteredStream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<Result<usize>> {
        let metered = self.get_mut();
        let written = Pin::new(&mut metered.stream).poll_write(context, bytes);
        metered.metered_write(written)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        let metered = self.get_mut();
        let written = Pin::new(&mut metered.stream).poll_write_vectored(context, pieces);
        metered.metered_write(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::{Activity, BYTES_PER_TURN, MeteredStream};
    use std::future::poll_fn;
    use std::pin::Pin;
    use std::task::Poll;
    use tokio::io::{AsyncRead as _, AsyncWriteExt as _, ReadBuf};
    use tokio::net::{TcpListener, TcpStream};
    use tokio::time::Instant;

    #[tokio::test]
    async fn a_connection_that_sends_without_a_pause_lets_others_have_their_turn() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (server, _) = listener.accept().await.unwrap();
        client.write_all(&vec![0; BYTES_PER_TURN * 4]).await.unwrap();
        server.readable().await.unwrap();
        let mut metered = MeteredStream::new(server, Activity::new(Instant::now()));
        let (mut total, mut largest) = (0, 0);
        while total < BYTES_PER_TURN * 4 {
            let turn = poll_fn(|context| {
                let mut bytes = 0;
                loop {
                    let mut space = [0; 1024];
                    let mut buffer = ReadBuf::new(&mut space);
                    match Pin::new(&mut metered).poll_read(context, &mut buffer) {
                        Poll::Ready(read) => read.unwrap(),
                        Poll::Pending if bytes == 0 => return Poll::Pending,
                        Poll::Pending => return Poll::Ready(bytes),
                    }
                    bytes += buffer.filled().len();
                }
            });
            let bytes = turn.await;
            (total, largest) = (total + bytes, largest.max(bytes));
        }
        assert_eq!(largest, BYTES_PER_TURN);
    }
}
