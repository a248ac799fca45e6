//! All gRPC services of the process.

use std::sync::Arc;

use contract::payments::v1::page_payment_service_server::PagePaymentServiceServer;
use contract::payments::v1::payments_internal_service_server::PaymentsInternalServiceServer;
use contract::payments::v1::payments_service_server::PaymentsServiceServer;
use contract::payments::v1::payments_staff_service_server::PaymentsStaffServiceServer;
use contract::payments::v1::refund_request_service_server::RefundRequestServiceServer;
use contract::payments::v1::refund_request_staff_service_server::RefundRequestStaffServiceServer;
use eventstore::StaffAuthorizer;
use messaging::{FeedServer, ParkedEvents};
use runtime::Revised;
use runtime::caller::{Peers, Users};
use tonic::service::Routes;

use super::PublicHandler;
use super::internal::InternalHandler;
use super::page::PageHandler;
use super::refund_requests::{RefundRequestHandler, RefundRequestStaffHandler};
use super::staff::StaffHandler;
use crate::app::App;

/// The services that may read this service's feed.
const READERS: &[&str] = &["booking", "notifications"];

/// Makes them of the revision that is in use.
#[must_use]
pub fn of(
    revised: &Revised<App>,
    users: Users,
    peers: &Peers,
    staff: StaffAuthorizer,
    parked: ParkedEvents,
) -> Routes {
    let peers = peers.clone();
    revised.routes(move |app| all(&app, users.clone(), &peers, staff.clone(), parked.clone()))
}

fn all(
    app: &Arc<App>,
    users: Users,
    peers: &Peers,
    staff: StaffAuthorizer,
    parked: ParkedEvents,
) -> Routes {
    service::routes![
        PaymentsServiceServer::new(PublicHandler::new(Arc::clone(app), users.clone())),
        RefundRequestServiceServer::new(RefundRequestHandler::new(Arc::clone(app), users)),
        PagePaymentServiceServer::new(PageHandler::new(Arc::clone(app))),
        RefundRequestStaffServiceServer::new(RefundRequestStaffHandler::new(
            Arc::clone(app),
            staff.clone(),
        )),
        PaymentsStaffServiceServer::new(StaffHandler::new(Arc::clone(app), staff, parked)),
        PaymentsInternalServiceServer::new(InternalHandler::new(Arc::clone(app), peers.clone())),
        FeedServer::service(app.store.clone(), peers.clone(), READERS),
    ]
}
