//! Bodies that have to be read as a whole before they can be passed on: each within its size and a
//! deadline, and all of them together within one budget of memory, of which one network gets its
//! share. Pictures are not among them: no upload is ever held as a whole (`pictures.rs`).

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

use crate::shares::{Held, Shares};

/// How much memory bodies may take, and how long one may take to come in.
#[derive(Clone, Copy, Debug)]
pub struct BodySettings {
    /// `GATEWAY_BODIES_MIB`: bytes of all bodies in flight.
    pub most: usize,
    /// `GATEWAY_BODIES_SHARE_MIB`: bytes of one network's, once more than half is taken.
    pub share: usize,
    /// `GATEWAY_BODY_SECONDS`: for a whole body below /auth, /webhooks and /unsubscribe.
    pub patience: Duration,
}

pub(crate) struct Bodies {
    shares: Arc<Shares>,
    patience: Duration,
}

/// A body that was read, and its part of the budget, for as long as it is kept.
pub(crate) struct Whole {
    pub(crate) bytes: Bytes,
    pub(crate) held: Held,
}

/// Why a body was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unread {
    /// It is too large, or it broke off and nobody hears the answer.
    TooLarge,
    /// Its end did not come in time.
    TooSlow,
    /// The memory for bodies is taken.
    NoRoom,
}

impl Bodies {
    pub(crate) fn new(settings: &BodySettings) -> Self {
        Self { shares: Shares::new(settings.most, settings.share), patience: settings.patience }
    }

    /// Reads a body of at most so many bytes.
    pub(crate) async fn read(
        &self,
        address: IpAddr,
        body: Body,
        most: usize,
    ) -> Result<Whole, Unread> {
        let held = self.shares.nothing_yet(address);
        let mut bytes = BytesMut::new();
        let mut pieces = body.into_data_stream();
        let reading = async {
            while let Some(piece) = pieces.next().await {
                let piece = piece.map_err(|_broken_off| Unread::TooLarge)?;
                if bytes.len().saturating_add(piece.len()) > most {
                    return Err(Unread::TooLarge);
                }
                if !held.grow(piece.len()) {
                    return Err(Unread::NoRoom);
                }
                bytes.extend_from_slice(&piece);
            }
            Ok(())
        };
        timeout(self.patience, reading).await.unwrap_or(Err(Unread::TooSlow))?;
        Ok(Whole { bytes: bytes.freeze(), held })
    }

    /// A request whose body takes from the budget while somebody else reads it, and what it holds,
    /// which is to be kept until the request is answered. Where there is no room, the body breaks
    /// off and the answer says so.
    pub(crate) fn counted(&self, address: IpAddr, request: Request) -> (Request, Arc<Held>) {
        let held = Arc::new(self.shares.nothing_yet(address));
        let counted = request.map(|body| Body::new(Counted { body, held: held.clone() }));
        (counted, held)
    }
}

/// A body that takes from the budget as it comes in.
struct Counted {
    body: Body,
    held: Arc<Held>,
}

#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("there is no memory for the body")]
struct NoRoom;

impl hyper::body::Body for Counted {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let counted = self.get_mut();
        let polled = Pin::new(&mut counted.body).poll_frame(context);
        if let Poll::Ready(Some(Ok(frame))) = &polled
            && !counted.held.grow(frame.data_ref().map_or(0, Bytes::len))
        {
            return Poll::Ready(Some(Err(axum::Error::new(NoRoom))));
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
