//! What others call: the feed of this service's events, and nothing else.

use eventstore::Store;
use messaging::FeedServer;
use runtime::caller::Peers;
use tonic::service::Routes;

/// Who may read this service's feed.
const READERS: &[&str] = &["booking"];

/// Every gRPC service of this process.
#[must_use]
pub fn routes(store: Store, peers: &Peers) -> Routes {
    Routes::new(FeedServer::service(store, peers.clone(), READERS))
}
