//! A booking as it changes, for as long as somebody looks: at most a minute, until the process is
//! asked to stop, or until the watcher's token ends.

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
use crate::app::{App, Error, Rejection};
use crate::read_model::query;
use crate::read_model::view::View;

/// How long one stream lasts at most; the client connects again.
const STREAM_LIFETIME: Duration = Duration::from_secs(60);
/// How often is looked when this process has committed nothing: another one may have.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// How long a watcher waits after it was woken, so that many commits cost it one look; and by how
/// much watchers differ in that, so that they do not all look at the same moment.
const DEBOUNCE: Duration = Duration::from_millis(80);
const JITTER_MILLIS: u64 = 40;

/// Who watches what.
#[derive(Debug, Clone)]
pub(super) struct Watch {
    pub(super) app: Arc<App>,
    pub(super) customer: Id<Customer>,
    pub(super) id: Id<Booking>,
}

type Item = Result<WatchBookingResponse, Status>;

impl Watch {
    /// What the watcher gets: the booking now, and again whenever its version has grown.
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

    /// Every commit of this process wakes every watcher, and most are about other bookings: so only
    /// the version is asked for until it has grown.
    async fn newer_than(&self, version: i64) -> Result<View, Status> {
        let store = &self.app.store;
        loop {
            store.changed(POLL_INTERVAL).await;
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
