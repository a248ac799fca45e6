//! The gRPC services: the feed of this service's events, and the staff service for mails and parked
//! events.

pub mod public;
mod staff;

use eventstore::{StaffAuthorizer, Store};
use messaging::{FeedServer, ParkedEvents};
use runtime::caller::Peers;
use tonic::service::Routes;

use crate::grpc::staff::StaffHandler;

/// The services that may read this service's feed.
const READERS: &[&str] = &["booking"];

/// Every gRPC service of this process.
#[must_use]
pub fn routes(
    store: Store,
    peers: &Peers,
    authorizer: StaffAuthorizer,
    parked: ParkedEvents,
) -> Routes {
    Routes::new(FeedServer::service(store.clone(), peers.clone(), READERS))
        .add_service(StaffHandler::service(store, authorizer, parked))
}
