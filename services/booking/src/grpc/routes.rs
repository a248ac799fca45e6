//! All gRPC services of the process.

use std::sync::Arc;

use contract::booking::v1::booking_calendar_service_server::BookingCalendarServiceServer;
use contract::booking::v1::booking_calendar_staff_service_server::BookingCalendarStaffServiceServer;
use contract::booking::v1::booking_internal_service_server::BookingInternalServiceServer;
use contract::booking::v1::booking_service_server::BookingServiceServer;
use contract::booking::v1::booking_staff_service_server::BookingStaffServiceServer;
use contract::booking::v1::consent_service_server::ConsentServiceServer;
use contract::booking::v1::consent_staff_service_server::ConsentStaffServiceServer;
use contract::booking::v1::join_page_service_server::JoinPageServiceServer;
use contract::booking::v1::organisation_service_server::OrganisationServiceServer;
use contract::booking::v1::organisation_staff_service_server::OrganisationStaffServiceServer;
use contract::booking::v1::payment_page_service_server::PaymentPageServiceServer;
use contract::booking::v1::session_page_service_server::SessionPageServiceServer;
use contract::booking::v1::waiting_service_server::WaitingServiceServer;
use contract::booking::v1::waiting_staff_service_server::WaitingStaffServiceServer;
use contract::booking::v1::widget_service_server::WidgetServiceServer;
use messaging::{FeedServer, ParkedEvents};
use runtime::caller::{Peers, Users};
use runtime::{Revised, Shutdown};
use tonic::service::Routes;

use super::calendars::{CalendarHandler, CalendarStaffHandler};
use super::consent::ConsentHandler;
use super::internal::InternalHandler;
use super::join_page::JoinPageHandler;
use super::organisation::OrganisationHandler;
use super::payment_page::PaymentPageHandler;
use super::public::PublicHandler;
use super::session_page::SessionPageHandler;
use super::staff::StaffHandler;
use super::waiting::WaitingHandler;
use super::widget::WidgetHandler;
use crate::app::App;

/// The services that may read this service's feed.
const FEED_READERS: &[&str] = &["payments", "notifications", "reviews"];

/// Makes them of the revision that is in use.
#[must_use]
pub fn of(
    revised: &Revised<App>,
    users: Users,
    peers: &Peers,
    shutdown: &Shutdown,
    parked: ParkedEvents,
) -> Routes {
    let (peers, shutdown) = (peers.clone(), shutdown.clone());
    revised.routes(move |app| all(&app, users.clone(), &peers, &shutdown, parked.clone()))
}

/// The same of one revision.
#[must_use]
pub fn all(
    app: &Arc<App>,
    users: Users,
    peers: &Peers,
    shutdown: &Shutdown,
    parked: ParkedEvents,
) -> Routes {
    let app = || Arc::clone(app);
    let consent = ConsentHandler::new(app(), users.clone());
    let organisation = OrganisationHandler::new(app(), users.clone());
    let waiting = WaitingHandler::new(app(), users.clone());
    service::routes![
        BookingInternalServiceServer::new(InternalHandler::new(app(), peers.clone())),
        BookingStaffServiceServer::new(StaffHandler::new(app(), users.clone(), parked)),
        BookingCalendarServiceServer::new(CalendarHandler::new(app(), users.clone())),
        BookingCalendarStaffServiceServer::new(CalendarStaffHandler::new(app(), users.clone())),
        ConsentServiceServer::new(consent.clone()),
        ConsentStaffServiceServer::new(consent),
        OrganisationServiceServer::new(organisation.clone()),
        OrganisationStaffServiceServer::new(organisation),
        WaitingServiceServer::new(waiting.clone()),
        WaitingStaffServiceServer::new(waiting),
        WidgetServiceServer::new(WidgetHandler::new(app(), users.clone())),
        PaymentPageServiceServer::new(PaymentPageHandler::new(app(), users.clone())),
        SessionPageServiceServer::new(SessionPageHandler::new(app())),
        JoinPageServiceServer::new(JoinPageHandler::new(app(), users.clone())),
        BookingServiceServer::new(PublicHandler::new(app(), users, shutdown.clone())),
        FeedServer::service(app().store.clone(), peers.clone(), FEED_READERS),
    ]
}
