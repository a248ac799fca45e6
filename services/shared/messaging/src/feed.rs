//! `ReadFeed`: a source serves its own events to their consumers.

use contract::common::v1::feed_service_client::FeedServiceClient;
use contract::common::v1::feed_service_server::{FeedService, FeedServiceServer};
use contract::common::v1::{ReadFeedRequest, ReadFeedResponse};
use eventstore::checkpoint::FeedPosition;
use eventstore::{Recorded, Store, feed};
use kernel::{CommandError, Reject as _};
use runtime::BoxError;
use runtime::caller::Peers;
use runtime::channel::{self, InvalidUrl, PeerChannel};
use runtime::status::{detail_of, reject, to_status};
use tonic::{Request, Response, Status};
use uuid::Uuid;

use crate::wire;

/// The page size of a reader.
const BATCH: i32 = 200;
/// The largest page.
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

kernel::rejections! {
    /// Why a read is refused.
    enum Refusal {
        Rewound: FailedPrecondition "FEED_REWOUND", "The feed was restored from an older copy.";
    }
}

/// Why a feed could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The source was restored from a copy older than the reader's place.
    #[error("the feed was restored from an older copy")]
    Rewound,
    /// The service does not answer, or its answer cannot be read.
    #[error("the feed could not be read")]
    Unavailable(#[source] BoxError),
}

#[tonic::async_trait]
impl FeedService for FeedServer {
    async fn read_feed(
        &self,
        request: Request<ReadFeedRequest>,
    ) -> Result<Response<ReadFeedResponse>, Status> {
        self.peers.verify(request.metadata(), self.readers)?;
        let asked = request.into_inner();
        let failed = |error| to_status(&CommandError::<Refusal>::from(error));
        let limit = if asked.limit <= 0 { BATCH } else { asked.limit.min(LIMIT_MAX) };
        // The event at the reader's place is read as well: the feed may have another one there.
        let known: Option<Uuid> = asked.after_event_id.parse().ok();
        let before = i64::from(known.is_some());
        let (after, most) = (asked.after_position - before, i64::from(limit) + before);
        let mut events = feed::read(self.store.pool(), after, most).await.map_err(failed)?;
        if let Some(known) = known {
            let at_place = events.first().map(|event| (event.position, event.event_id));
            if at_place != Some((asked.after_position, known)) {
                return Err(reject(&Refusal::Rewound));
            }
            events.remove(0);
        }
        let is_full = i32::try_from(events.len()).is_ok_and(|many| many == limit);
        let last_position = match events.last() {
            Some(_) if is_full => feed::last_position(self.store.pool()).await.map_err(failed)?,
            Some(last) => last.position,
            None => asked.after_position,
        };
        let events = events.iter().map(wire::to_row).collect();
        Ok(Response::new(ReadFeedResponse { events, last_position }))
    }
}

/// A page of a feed.
#[derive(Debug, Clone)]
pub struct Page {
    /// The events, in order and without a hole.
    pub events: Vec<Recorded>,
    /// The newest position of the feed; 0 if the service does not say.
    pub last_position: i64,
}

/// Reads another service's feed.
#[derive(Debug, Clone)]
pub struct FeedReader {
    client: FeedServiceClient<PeerChannel>,
}

impl FeedReader {
    /// Reads the feed of the service `source` at `url`.
    pub fn new(url: &str, source: &'static str, peers: &Peers) -> Result<Self, InvalidUrl> {
        let channel = channel::peer(url, source, peers)?;
        // Rows are small, but a page has many.
        let client = FeedServiceClient::new(channel).max_decoding_message_size(16 * 1024 * 1024);
        Ok(Self { client })
    }

    /// The events behind a place, in order and without a hole.
    ///
    /// # Errors
    /// `Rewound` when the feed has another event at that place.
    pub async fn read(&self, after: FeedPosition) -> Result<Page, ReadError> {
        let request = ReadFeedRequest {
            after_position: after.position,
            limit: BATCH,
            after_event_id: after.event_id.map(|id| id.to_string()).unwrap_or_default(),
        };
        let answered = self.client.clone().read_feed(request).await;
        let ReadFeedResponse { events, last_position } = answered.map_err(read_error)?.into_inner();
        let events = events
            .into_iter()
            .map(|row| wire::from_row(row).ok_or("an event could not be read"))
            .collect::<Result<_, _>>()
            .map_err(|error| ReadError::Unavailable(error.into()))?;
        Ok(Page { events, last_position })
    }
}

fn read_error(status: Status) -> ReadError {
    match detail_of(&status) {
        Some(detail) if detail.reason == Refusal::Rewound.reason() => ReadError::Rewound,
        _ => ReadError::Unavailable(status.into()),
    }
}
