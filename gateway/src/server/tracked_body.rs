//! Bodies that tell the connection how far they are: a request is in flight until the last byte of
//! its response is in the socket or dropped.

use std::mem;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use axum::body::Body;
use axum::response::Response;
use bytes::{Buf, Bytes};
use http::Extensions;
use hyper::body::{Frame, Incoming, SizeHint};

use crate::server::activity::{Activity, ClientTurn};

/// Counts a request as in flight, from its head on.
pub(super) struct OpenRequest {
    activity: Arc<Activity>,
    /// Whether the whole response was taken from its body. The body of a response to HEAD is never
    /// asked for.
    is_answered: AtomicBool,
    /// Those of the response: permits in them are held until it is sent.
    _extensions: Extensions,
}

impl OpenRequest {
    pub(super) fn start(activity: &Arc<Activity>) -> Self {
        activity.request_started();
        let (activity, is_answered) = (activity.clone(), AtomicBool::new(false));
        Self { activity, is_answered, _extensions: Extensions::new() }
    }

    /// The request's body, counted.
    pub(super) fn body(&self, body: Incoming) -> Body {
        Body::new(CountedBody { body, activity: self.activity.clone() })
    }

    /// The response to be sent.
    pub(super) fn track(
        mut self,
        mut answer: Response,
        is_head: bool,
    ) -> http::Response<TrackedBody> {
        self._extensions = mem::take(answer.extensions_mut());
        let whole = is_head || hyper::body::Body::is_end_stream(answer.body());
        self.is_answered.store(whole, Ordering::Relaxed);
        let turn = Some(ClientTurn::new(&self.activity));
        answer.map(|body| TrackedBody { body, turn, request: Arc::new(self) })
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        self.activity.request_ended(self.is_answered.load(Ordering::Relaxed));
    }
}

/// A request body whose bytes are counted.
struct CountedBody {
    body: Incoming,
    activity: Arc<Activity>,
}

impl hyper::body::Body for CountedBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let counted = self.get_mut();
        let polled = Pin::new(&mut counted.body).poll_frame(context);
        if let Poll::Ready(Some(Ok(frame))) = &polled {
            counted.activity.body_bytes_were_read(frame.data_ref().map_or(0, Bytes::len));
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

/// A response body.
pub(super) struct TrackedBody {
    body: Body,
    request: Arc<OpenRequest>,
    /// There is one unless the body has to wait for its own source.
    turn: Option<ClientTurn>,
}

impl hyper::body::Body for TrackedBody {
    type Data = TrackedData;
    type Error = axum::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<TrackedData>, axum::Error>>> {
        let tracked = self.get_mut();
        let polled = Pin::new(&mut tracked.body).poll_frame(context);
        match &polled {
            Poll::Pending => tracked.turn = None,
            Poll::Ready(Some(_)) if tracked.turn.is_none() => {
                tracked.turn = Some(ClientTurn::new(&tracked.request.activity));
            }
            Poll::Ready(Some(_) | None) => {}
        }
        if matches!(polled, Poll::Ready(None)) || tracked.body.is_end_stream() {
            tracked.request.is_answered.store(true, Ordering::Relaxed);
        }
        polled.map_ok(|frame| {
            frame.map_data(|bytes| TrackedData {
                bytes,
                _turn: ClientTurn::new(&tracked.request.activity),
                _request: tracked.request.clone(),
            })
        })
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A part of a response that waits to be sent.
pub(super) struct TrackedData {
    bytes: Bytes,
    _turn: ClientTurn,
    _request: Arc<OpenRequest>,
}

impl Buf for TrackedData {
    fn remaining(&self) -> usize {
        self.bytes.remaining()
    }

    fn chunk(&self) -> &[u8] {
        self.bytes.chunk()
    }

    fn advance(&mut self, count: usize) {
        self.bytes.advance(count);
    }
}
