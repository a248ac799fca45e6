//! A fake of booking's calendars: the secret's first letter decides the response.

use contract::booking::v1::booking_calendar_service_server::{
    BookingCalendarService, BookingCalendarServiceServer,
};
use contract::booking::v1::{
    GetCalendarBookingRequest, GetCalendarBookingResponse, GetOwnCalendarRequest,
    GetOwnCalendarResponse, GetSessionCalendarRequest, GetSessionCalendarResponse,
    OpenSchedulingVisitRequest, OpenSchedulingVisitResponse, RenewOwnCalendarRequest,
    RenewOwnCalendarResponse, StopOwnCalendarRequest, StopOwnCalendarResponse,
    TakeScheduledEventRequest, TakeScheduledEventResponse,
};
use tonic::transport::server::Router;
use tonic::{Request, Response, Status};

use super::FakeBackend;

pub(crate) const CALENDAR: &str = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n";

/// Adds the service.
pub(super) fn add_to(server: Router, backend: &FakeBackend) -> Router {
    server.add_service(BookingCalendarServiceServer::new(backend.clone()))
}

#[tonic::async_trait]
impl BookingCalendarService for FakeBackend {
    async fn get_session_calendar(
        &self,
        request: Request<GetSessionCalendarRequest>,
    ) -> Result<Response<GetSessionCalendarResponse>, Status> {
        self.seen.note(&request);
        match request.get_ref().secret.as_bytes() {
            [b'g', ..] => {
                Ok(Response::new(GetSessionCalendarResponse { content: CALENDAR.to_owned() }))
            }
            [b'x', ..] => Err(runtime::status::not_found("CALENDAR_FEED_NOT_FOUND")),
            _ => Err(Status::unavailable("the database does not answer")),
        }
    }

    async fn get_calendar_booking(
        &self,
        request: Request<GetCalendarBookingRequest>,
    ) -> Result<Response<GetCalendarBookingResponse>, Status> {
        self.seen.note(&request);
        Ok(Response::new(GetCalendarBookingResponse::default()))
    }

    async fn open_scheduling_visit(
        &self,
        request: Request<OpenSchedulingVisitRequest>,
    ) -> Result<Response<OpenSchedulingVisitResponse>, Status> {
        self.seen.note(&request);
        Ok(Response::new(OpenSchedulingVisitResponse::default()))
    }

    async fn take_scheduled_event(
        &self,
        request: Request<TakeScheduledEventRequest>,
    ) -> Result<Response<TakeScheduledEventResponse>, Status> {
        self.seen.note(&request);
        Ok(Response::new(TakeScheduledEventResponse::default()))
    }

    async fn get_own_calendar(
        &self,
        request: Request<GetOwnCalendarRequest>,
    ) -> Result<Response<GetOwnCalendarResponse>, Status> {
        self.seen.note(&request);
        Ok(Response::new(GetOwnCalendarResponse::default()))
    }

    async fn renew_own_calendar(
        &self,
        request: Request<RenewOwnCalendarRequest>,
    ) -> Result<Response<RenewOwnCalendarResponse>, Status> {
        self.seen.note(&request);
        Ok(Response::new(RenewOwnCalendarResponse::default()))
    }

    async fn stop_own_calendar(
        &self,
        request: Request<StopOwnCalendarRequest>,
    ) -> Result<Response<StopOwnCalendarResponse>, Status> {
        self.seen.note(&request);
        Ok(Response::new(StopOwnCalendarResponse::default()))
    }
}
