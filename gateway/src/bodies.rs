//! Reading of bodies that have to be complete before they are forwarded: each has a maximum size
//! and a deadline, and all together share one memory budget with a share per network. Uploads of
//! pictures are streamed (`proxy/pictures.rs`); each takes a fixed part of the budget.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use bytes::{Bytes, BytesMut};
use connectrpc::{ConnectError, ErrorCode};
use futures::StreamExt as _;
use http::{HeaderMap, StatusCode, header};
use tokio::time::timeout;

use crate::config::BodySettings;
use crate::error_response::{over_budget, too_large};
use crate::header_tokens::ENVELOPE_ENCODING;
use crate::network_quota::{NetworkQuota, QuotaPermit};
use crate::refusals::Refusal;

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

impl BodyError {
    /// The error of a call.
    pub(crate) fn to_error(self) -> ConnectError {
        match self {
            Self::TooLarge => too_large().with_http_status(StatusCode::PAYLOAD_TOO_LARGE),
            Self::TimedOut => ConnectError::new(ErrorCode::DeadlineExceeded, "")
                .with_http_status(StatusCode::REQUEST_TIMEOUT),
            Self::OverBudget => over_budget(),
        }
    }
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
                    return Err(no_memory());
                }
                bytes.extend_from_slice(&chunk);
            }
            Ok(())
        };
        timeout(self.timeout, reading).await.unwrap_or_else(|_elapsed| {
            Refusal::BodyTimeout.count();
            Err(BodyError::TimedOut)
        })?;
        Ok(BufferedBody { bytes: bytes.freeze(), permit })
    }

    /// Reads the message of a call. A compressed one counts as large as it may become, because it
    /// is in memory as a whole later on.
    pub(crate) async fn read_message(
        &self,
        address: IpAddr,
        request: Request,
        max_bytes: usize,
    ) -> Result<(Request, QuotaPermit), BodyError> {
        let (parts, body) = request.into_parts();
        let BufferedBody { bytes, permit } = self.read(address, body, max_bytes).await?;
        if is_compressed(&parts.headers) && !permit.try_grow(max_bytes.saturating_sub(bytes.len()))
        {
            return Err(no_memory());
        }
        Ok((Request::from_parts(parts, Body::from(bytes)), permit))
    }

    /// Memory for a body that is streamed; `None` if the budget is used up.
    pub(crate) fn reserve(&self, address: IpAddr, bytes: usize) -> Option<QuotaPermit> {
        let permit = self.quota.try_acquire(address, bytes);
        if permit.is_none() {
            Refusal::BodyBudget.count();
        }
        permit
    }
}

fn no_memory() -> BodyError {
    Refusal::BodyBudget.count();
    BodyError::OverBudget
}

/// Whether a message is compressed, as a whole or in its envelope.
fn is_compressed(headers: &HeaderMap) -> bool {
    let encodings = [header::CONTENT_ENCODING, ENVELOPE_ENCODING];
    encodings.into_iter().filter_map(|name| headers.get(name)).any(|value| value != "identity")
}
