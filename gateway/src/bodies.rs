//! Reading of bodies that have to be complete before they are forwarded: each has a maximum size
//! and a deadline, and all together share one memory budget with a share per network. Pictures are
//! not among them: uploads are streamed (`proxy/pictures.rs`).

use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use bytes::{Bytes, BytesMut};
use futures::StreamExt as _;
use hyper::body::{Frame, SizeHint};
use tokio::time::timeout;

use crate::config::BodySettings;
use crate::network_quota::{NetworkQuota, QuotaPermit};

pub(crate) struct BodyReader {
    quota: Arc<NetworkQuota>,
    timeout: Duration,
}

/// A body in memory with its permit, which is released on drop.
pub(crate) struct BufferedBody {
    pub(crate) bytes: Bytes,
    pub(crate) permit: QuotaPermit,
}

/// Why a body was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyError {
    /// It is too large, or the connection broke off and no response can be sent.
    TooLarge,
    /// It did not end before the timeout.
    TimedOut,
    /// The memory budget is used up.
    OverBudget,
}

impl BodyReader {
    pub(crate) fn new(settings: &BodySettings) -> Self {
        Self {
            quota: NetworkQuota::new(settings.max_bytes, settings.share_bytes),
            timeout: settings.timeout,
        }
    }

    /// Reads a body of at most `max_bytes`.
    pub(crate) async fn read(
        &self,
        address: IpAddr,
        body: Body,
        max_bytes: usize,
    ) -> Result<BufferedBody, BodyError> {
        let permit = self.quota.empty_permit(address);
        let mut bytes = BytesMut::new();
        let mut chunks = body.into_data_stream();
        let reading = async {
            while let Some(chunk) = chunks.next().await {
                let chunk = chunk.map_err(|_broken_off| BodyError::TooLarge)?;
                if bytes.len().saturating_add(chunk.len()) > max_bytes {
                    return Err(BodyError::TooLarge);
                }
                if !permit.try_grow(chunk.len()) {
                    return Err(BodyError::OverBudget);
                }
                bytes.extend_from_slice(&chunk);
            }
            Ok(())
        };
        timeout(self.timeout, reading).await.unwrap_or(Err(BodyError::TimedOut))?;
        Ok(BufferedBody { bytes: bytes.freeze(), permit })
    }

    /// Meters a body that another part reads: each chunk acquires memory from the budget. The
    /// permit must be kept until the request is answered. Over budget the body breaks off, and
    /// `QuotaPermit::was_denied` is true.
    pub(crate) fn metered(&self, address: IpAddr, request: Request) -> (Request, Arc<QuotaPermit>) {
        let permit = Arc::new(self.quota.empty_permit(address));
        let metered = request.map(|body| Body::new(MeteredBody { body, permit: permit.clone() }));
        (metered, permit)
    }
}

/// A body that acquires memory from the budget as it is read.
struct MeteredBody {
    body: Body,
    permit: Arc<QuotaPermit>,
}

#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("there is no memory for the body")]
struct OverBudget;

impl hyper::body::Body for MeteredBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let metered = self.get_mut();
        let polled = Pin::new(&mut metered.body).poll_frame(context);
        if let Poll::Ready(Some(Ok(frame))) = &polled
            && !metered.permit.try_grow(frame.data_ref().map_or(0, Bytes::len))
        {
            return Poll::Ready(Some(Err(axum::Error::new(OverBudget))));
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
