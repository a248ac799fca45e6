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
use tokio::sync::watch;
use tonic::Status;

use super::ownership::load_owned;
use super::watched_versions::WatchedVersions;
use crate::app::App;
use crate::read_model::view::View;

/// The maximum length of a stream; then the client reconnects.
const STREAM_LIFETIME: Duration = Duration::from_secs(60);

/// A watcher and its booking.
#[derive(Debug, Clone)]
pub(super) struct Watch {
    pub(super) app: Arc<App>,
    pub(super) versions: WatchedVersions,
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
        let versions = self.versions.subscribe(self.id);
        let later = stream::unfold(Some((self, version, versions)), |state| async move {
            let (watch, version, mut versions) = state?;
            match watch.newer_than(version, &mut versions).await {
                Ok(view) => {
                    let version = view.booking.version;
                    Some((Ok(response(view)), Some((watch, version, versions))))
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

    /// The booking, once its version has grown.
    async fn newer_than(
        &self,
        version: i64,
        versions: &mut watch::Receiver<i64>,
    ) -> Result<View, Status> {
        // It is closed only at the process's end.
        drop(versions.wait_for(|found| *found > version).await);
        load_owned(&self.app, self.customer, self.id).await
    }
}

fn response(view: View) -> WatchBookingResponse {
    WatchBookingResponse { booking: Some(view.booking) }
}
