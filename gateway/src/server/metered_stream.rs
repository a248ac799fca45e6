//! The socket of a connection, which tells what is read and written, and breaks off under a flood.

use std::io::{Error, ErrorKind, IoSlice, Result};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use crate::server::activity::Activity;

pub(super) struct MeteredStream {
    stream: TcpStream,
    activity: Arc<Activity>,
}

impl MeteredStream {
    pub(super) fn new(stream: TcpStream, activity: Arc<Activity>) -> Self {
        // Small responses are sent at once, without Nagle's delay.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(error = %error, "a connection keeps its delay");
        }
        Self { stream, activity }
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
        let before = buffer.filled().len();
        let polled = Pin::new(&mut metered.stream).poll_read(context, buffer);
        metered.activity.bytes_were_read(buffer.filled().len().saturating_sub(before));
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
