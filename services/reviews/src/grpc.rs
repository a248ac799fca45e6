//! The only module that uses request and response types. Rejections become gRPC statuses here.

pub mod public;
pub mod internal;
pub mod staff;

use std::sync::Arc;

use contract::reviews::v1::reviews_internal_service_server::ReviewsInternalServiceServer;
use contract::reviews::v1::reviews_service_server::ReviewsServiceServer;
use contract::reviews::v1::reviews_staff_service_server::ReviewsStaffServiceServer;
use messaging::FeedServer;
use runtime::Revised;
use runtime::caller::{Peers, Users};
use tonic::service::Routes;

use self::internal::Internal;
use self::public::Public;
use self::staff::StaffHandler;
use crate::app::App;

/// Services that may read this service's feed.
const READERS: &[&str] = &["notifications"];

/// Every gRPC service of this process, of the revision that is in use.
#[must_use]
pub fn routes(revised: &Revised<App>, users: Users, peers: &Peers, staff: StaffHandler) -> Routes {
    let peers = peers.clone();
    revised.routes(move |app| all(&app, users.clone(), &peers, staff.with(Arc::clone(&app))))
}

fn all(app: &Arc<App>, users: Users, peers: &Peers, staff: StaffHandler) -> Routes {
    service::routes![
        ReviewsServiceServer::new(Public::new(Arc::clone(app), users)),
        ReviewsInternalServiceServer::new(Internal::new(Arc::clone(app), peers.clone())),
        ReviewsStaffServiceServer::new(staff),
        FeedServer::service(app.store.clone(), peers.clone(), READERS),
    ]
}
