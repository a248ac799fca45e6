//! `ReadFeed`: a source serves its own events to those who consume them.

use contract::common::v1::feed_service_client::FeedServiceClient;
use contract::common::v1::feed_service_server::{FeedService, FeedServiceServer};
use contract::common::v1::{ReadFeedRequest, ReadFeedResponse};
use eventstore::{Recorded, Store, feed};
use kernel::CommandError;
use runtime::BoxError;
use runtime::caller::Peers;
use runtime::channel::{self, InvalidUrl, PeerChannel};
use runtime::status::to_status;
use tonic::{Request, Response, Status};

use crate::wire;

/// How many events a reader asks for at once.
const BATCH: i32 = 200;
/// The most that are given at once.
const LIMIT_MAX: i32 = 500;

/// Serves a service's feed to the services that may read it.
#[derive(Debug, Clone)]
pub struct FeedServer {
    store: Store,
    peers: Peers,
    readers: &'static [&'static str],
}

impl FeedServer {
    /// Serves the feed of `store` to the services called `readers`.
    #[must_use]
    pub fn service(
        store: Store,
        peers: Peers,
        readers: &'static [&'static str],
    ) -> FeedServiceServer<Self> {
        FeedServiceServer::new(Self { store, peers, readers })
    }
}

/// Reading a feed is never refused by a rule.
#[derive(Debug, thiserror::Error)]
#[error("never")]
struct Never;

impl kernel::Reject for Never {
    fn code(&self) -> kernel::Code {
        kernel::Code::Unavailable
    }
    fn reason(&self) -> &'static str {
        "NEVER"
    }
}

#[tonic::async_trait]
impl FeedService for FeedServer {
    async fn read_feed(
        &self,
        request: Request<ReadFeedRequest>,
    ) -> Result<Response<ReadFeedResponse>, Status> {
        self.peers.verify(request.metadata(), self.readers)?;
        let asked = request.into_inner();
        let limit = if asked.limit <= 0 { BATCH } else { asked.limit.min(LIMIT_MAX) };
        let events = feed::read(self.store.pool(), asked.after_position, i64::from(limit))
            .await
            .map_err(|error| to_status(&CommandError::<Never>::from(error)))?;
        Ok(Response::new(ReadFeedResponse { events: events.iter().map(wire::to_row).collect() }))
    }
}

/// Reads another service's feed.
#[derive(Debug, Clone)]
pub struct FeedReader {
    client: FeedServiceClient<PeerChannel>,
}

impl FeedReader {
    /// Reads the feed of the service `source` at `url`.
    ///
    /// # Errors
    /// When the URL is not one.
    pub fn new(url: &str, source: &'static str, peers: &Peers) -> Result<Self, InvalidUrl> {
        let channel = channel::peer(url, source, peers)?;
        // Rows are small, but many of them are asked for at once.
        let client = FeedServiceClient::new(channel).max_decoding_message_size(16 * 1024 * 1024);
        Ok(Self { client })
    }

    /// The events behind a position, in order and without a hole.
    ///
    /// # Errors
    /// When the source does not answer, or answers with what cannot be read.
    pub async fn read(&self, after_position: i64) -> Result<Vec<Recorded>, BoxError> {
        let request = ReadFeedRequest { after_position, limit: BATCH };
        let rows = self.client.clone().read_feed(request).await?.into_inner().events;
        rows.into_iter()
            .map(|row| wire::from_row(row).ok_or_else(|| "an event could not be read".into()))
            .collect()
    }
}
