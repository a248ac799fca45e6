//! Streams a booking's changes, for at most a minute, until shutdown, or until the watcher's token
//! expires.

use std::sync::Arc;
use std::time::Duration;

use contract::booking::v1::WatchBookingResponse;
use futures::future::BoxFuture;
use futures::{Stream, StreamExt as _, stream};
use kernel::Id;
use kernel::id::{Booking, Customer};
use runtime::Shutdown;
use runtime::status::{reject, to_status};
use tonic::Status;

use super::ownership::load_owned;
use crate::app::App;
use crate::error::{Error, Rejection};
use crate::read_model::query;
use crate::read_model::view::View;

/// The maximum length of a stream; then the client reconnects.
const STREAM_LIFETIME: Duration = Duration::from_secs(60);
/// The poll interval when this process commits nothing, because another process may have.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// How long a watcher waits after a wake-up, so that many commits cost one query; and the jitter
/// between watchers, so that they don't all query at once.
const DEBOUNCE: Duration = Duration::from_millis(80);
const JITTER_MILLIS: u64 = 40;

/// A watcher and its booking.
#[derive(Debug, Clone)]
pub(super) struct Watch {
    pub(super) app: Arc<App>,
    pub(super) customer: Id<Customer>,
    pub(super) id: Id<Booking>,
}

type Item = Result<WatchBookingResponse, Status>;

impl Watch {
    /// The booking now, and again whenever its version has grown.
    pub(super) fn stream(
        self,
        first: View,
        token_life: Duration,
        shutdown: &Shutdown,
    ) -> impl Stream<Item = Item> + Send + use<> {
        let version = first.booking.version;
        let now = stream::once(async move { Ok(response(first)) });
        let later = stream::unfold(Some((self, version)), |state| async move {
            let (watch, version) = state?;
            match watch.newer_than(version).await {
                Ok(view) => {
                    let version = view.booking.version;
                    Some((Ok(response(view)), Some((watch, version))))
                }
                Err(status) => Some((Err(status), None)),
            }
        });
        let end = tokio::time::sleep(STREAM_LIFETIME.min(token_life));
        let stop: BoxFuture<'static, ()> = Box::pin(shutdown.wait());
        now.chain(later).take_until(Box::pin(async move {
            tokio::select! {
                () = end => {}
                () = stop => {}
            }
        }))
    }

    /// Every commit of this process wakes every watcher, and most are about other bookings, so only
    /// the version is queried until it has grown.
    async fn newer_than(&self, version: i64) -> Result<View, Status> {
        let store = &self.app.store;
        loop {
            store.wait_for_commit(POLL_INTERVAL).await;
            tokio::time::sleep(self.debounce()).await;
            let found = query::version(store.pool(), self.customer, self.id)
                .await
                .map_err(|error| to_status(&Error::from(error)))?
                .ok_or_else(|| reject(&Rejection::BookingNotFound))?;
            if found > version {
                return load_owned(&self.app, self.customer, self.id).await;
            }
        }
    }

    fn debounce(&self) -> Duration {
        let (_time, random) = self.id.uuid().as_u64_pair();
        DEBOUNCE.saturating_add(Duration::from_millis(random % JITTER_MILLIS))
    }
}

fn response(view: View) -> WatchBookingResponse {
    WatchBookingResponse { booking: Some(view.booking) }
}
