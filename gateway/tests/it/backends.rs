//! Fake backends: gRPC services with fixed responses, an identity server with keys, and the HTTP
//! port of payments. They record their requests.

use std::sync::{Arc, Mutex};

use axum::Json;
use axum::extract::{Request as HttpRequest, State};
use axum::response::{IntoResponse as _, Response as HttpResponse};
use contract::booking::v1::booking_service_server::{BookingService, BookingServiceServer};
use contract::booking::v1::*;
use contract::catalogue::v1::catalogue_service_server::{CatalogueService, CatalogueServiceServer};
use contract::catalogue::v1::*;
use contract::common::v1::{
    ConsumerLag, FeedEvent, ListConsumersRequest, ListConsumersResponse, ReadFeedRequest,
    ReadFeedResponse, consumers_service_server, feed_service_server,
};
use contract::payments::v1::payments_service_server::{PaymentsService, PaymentsServiceServer};
use contract::payments::v1::refund_request_service_server::{
    RefundRequestService, RefundRequestServiceServer,
};
use contract::payments::v1::*;
use futures::stream::{self, BoxStream, StreamExt as _};
use http::{HeaderMap, StatusCode};
use runtime::health::READY;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio_stream::wrappers::{ReceiverStream, TcpListenerStream};
use tonic::metadata::MetadataMap;
use tonic::{Request, Response, Status};
use tonic_health::server::HealthReporter;

pub(crate) mod calendars;
pub(crate) mod gotrue;
mod mails;
pub(crate) mod pages;
pub(crate) mod reviews;
mod staff;

/// A path with its query, the headers and the body.
type RecordedHttp = (String, HeaderMap, Vec<u8>);
type Watched = Result<WatchBookingResponse, Status>;

/// The requests that reached a backend.
#[derive(Clone, Default)]
pub(crate) struct RecordedRequests {
    pub(crate) metadata: Arc<Mutex<Vec<MetadataMap>>>,
    pub(crate) http: Arc<Mutex<Vec<RecordedHttp>>>,
}

impl RecordedRequests {
    fn note<T>(&self, request: &Request<T>) {
        self.metadata.lock().unwrap().push(request.metadata().clone());
    }

    /// A header of the last gRPC call.
    pub(crate) fn last(&self, name: &str) -> Option<String> {
        let all = self.metadata.lock().unwrap();
        let value = all.last()?.get(name)?;
        Some(value.to_str().unwrap().to_owned())
    }
}

#[derive(Clone)]
struct FakeBackend {
    seen: RecordedRequests,
    /// Source of the first watched booking's stream, which ends when the sender is dropped; further
    /// streams have one message and stay open.
    watch: Arc<Mutex<Option<mpsc::Receiver<Watched>>>>,
}

pub(crate) struct GrpcBackends {
    pub(crate) address: String,
    pub(crate) seen: RecordedRequests,
    pub(crate) watch: mpsc::Sender<Watched>,
    /// Their reported health.
    pub(crate) health: HealthReporter,
}

/// All gRPC services in one process; the gateway can't tell the difference.
pub(crate) async fn grpc() -> GrpcBackends {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let seen = RecordedRequests::default();
    let (watch, receiver) = mpsc::channel(8);
    let backend = FakeBackend { seen: seen.clone(), watch: Arc::new(Mutex::new(Some(receiver))) };
    let (reporter, health) = tonic_health::server::health_reporter();
    reporter.set_service_status(READY, tonic_health::ServingStatus::Serving).await;
    let server = tonic::transport::Server::builder()
        .add_service(health)
        .add_service(CatalogueServiceServer::new(backend.clone()))
        .add_service(BookingServiceServer::new(backend.clone()))
        .add_service(PaymentsServiceServer::new(backend.clone()))
        .add_service(RefundRequestServiceServer::new(backend.clone()));
    let server = mails::add_to(staff::add_to(server, &backend), &backend);
    let server = calendars::add_to(server, &backend);
    let server = pages::add_to(server, &backend);
    let server = reviews::add_to(server, &backend)
        .add_service(consumers_service_server::ConsumersServiceServer::new(backend.clone()))
        .add_service(feed_service_server::FeedServiceServer::new(backend))
        .serve_with_incoming(TcpListenerStream::new(listener));
    tokio::spawn(server);
    GrpcBackends { address, seen, watch, health: reporter }
}

pub(crate) fn service(id: &str) -> Service {
    Service {
        service_id: id.to_owned(),
        title: "Energy Healing".to_owned(),
        detailed_description: "Long enough to be worth compressing. ".repeat(100),
        ..Service::default()
    }
}

#[tonic::async_trait]
impl CatalogueService for FakeBackend {
    async fn get_practice(
        &self,
        _request: Request<GetPracticeRequest>,
    ) -> Result<Response<GetPracticeResponse>, Status> {
        Ok(Response::new(GetPracticeResponse::default()))
    }

    async fn list_services(
        &self,
        _request: Request<ListServicesRequest>,
    ) -> Result<Response<ListServicesResponse>, Status> {
        panic!("a service that breaks off in the middle of a call")
    }

    async fn get_service(
        &self,
        request: Request<GetServiceRequest>,
    ) -> Result<Response<GetServiceResponse>, Status> {
        self.seen.note(&request);
        let id = request.into_inner().service_id;
        if id == "unknown" {
            let mut status = runtime::status::not_found("SERVICE_NOT_FOUND");
            status.metadata_mut().insert("x-internal", "secret".parse().unwrap());
            return Err(status);
        }
        Ok(Response::new(GetServiceResponse { service: Some(service(&id)) }))
    }

    async fn list_quiz_areas(
        &self,
        _request: Request<ListQuizAreasRequest>,
    ) -> Result<Response<ListQuizAreasResponse>, Status> {
        Err(Status::internal("relation quiz_areas does not exist"))
    }

    async fn list_faqs(
        &self,
        _request: Request<ListFaqsRequest>,
    ) -> Result<Response<ListFaqsResponse>, Status> {
        Ok(Response::new(ListFaqsResponse::default()))
    }

    async fn get_meditation_guide(
        &self,
        _request: Request<GetMeditationGuideRequest>,
    ) -> Result<Response<GetMeditationGuideResponse>, Status> {
        let guide = MeditationGuide { minutes: 10, ..MeditationGuide::default() };
        Ok(Response::new(GetMeditationGuideResponse { guide: Some(guide) }))
    }

    async fn get_consent_terms(
        &self,
        _request: Request<GetConsentTermsRequest>,
    ) -> Result<Response<GetConsentTermsResponse>, Status> {
        Ok(Response::new(GetConsentTermsResponse::default()))
    }
}

#[tonic::async_trait]
impl BookingService for FakeBackend {
    type WatchBookingStream = BoxStream<'static, Watched>;

    /// Never responds for the service `slow`.
    async fn list_slots(
        &self,
        request: Request<ListSlotsRequest>,
    ) -> Result<Response<ListSlotsResponse>, Status> {
        self.seen.note(&request);
        if request.into_inner().service_id == "slow" {
            std::future::pending::<()>().await;
        }
        Ok(Response::new(ListSlotsResponse::default()))
    }

    async fn request_booking(
        &self,
        request: Request<RequestBookingRequest>,
    ) -> Result<Response<RequestBookingResponse>, Status> {
        self.seen.note(&request);
        Err(runtime::status::invalid(
            "contact.email",
            "INVALID_EMAIL",
            "Please enter a valid e-mail address.",
        ))
    }

    async fn open_checkout(
        &self,
        _request: Request<OpenCheckoutRequest>,
    ) -> Result<Response<OpenCheckoutResponse>, Status> {
        Ok(Response::new(OpenCheckoutResponse::default()))
    }

    async fn release_booking(
        &self,
        _request: Request<ReleaseBookingRequest>,
    ) -> Result<Response<ReleaseBookingResponse>, Status> {
        Ok(Response::new(ReleaseBookingResponse::default()))
    }

    async fn get_booking(
        &self,
        request: Request<GetBookingRequest>,
    ) -> Result<Response<GetBookingResponse>, Status> {
        self.seen.note(&request);
        let booking_id = request.into_inner().booking_id;
        let booking = Booking { booking_id, version: 7, ..Booking::default() };
        Ok(Response::new(GetBookingResponse { booking: Some(booking) }))
    }

    async fn list_own_bookings(
        &self,
        _request: Request<ListOwnBookingsRequest>,
    ) -> Result<Response<ListOwnBookingsResponse>, Status> {
        Ok(Response::new(ListOwnBookingsResponse::default()))
    }

    async fn preview_own_cancellation(
        &self,
        _request: Request<PreviewOwnCancellationRequest>,
    ) -> Result<Response<PreviewOwnCancellationResponse>, Status> {
        Ok(Response::new(PreviewOwnCancellationResponse::default()))
    }

    async fn cancel_own_booking(
        &self,
        _request: Request<CancelOwnBookingRequest>,
    ) -> Result<Response<CancelOwnBookingResponse>, Status> {
        Ok(Response::new(CancelOwnBookingResponse::default()))
    }

    async fn get_mail_preferences(
        &self,
        _request: Request<GetMailPreferencesRequest>,
    ) -> Result<Response<GetMailPreferencesResponse>, Status> {
        Ok(Response::new(GetMailPreferencesResponse::default()))
    }

    async fn set_mail_preferences(
        &self,
        _request: Request<SetMailPreferencesRequest>,
    ) -> Result<Response<SetMailPreferencesResponse>, Status> {
        Ok(Response::new(SetMailPreferencesResponse::default()))
    }

    async fn preview_own_move(
        &self,
        _request: Request<PreviewOwnMoveRequest>,
    ) -> Result<Response<PreviewOwnMoveResponse>, Status> {
        Ok(Response::new(PreviewOwnMoveResponse::default()))
    }

    async fn move_own_booking(
        &self,
        _request: Request<MoveOwnBookingRequest>,
    ) -> Result<Response<MoveOwnBookingResponse>, Status> {
        Ok(Response::new(MoveOwnBookingResponse::default()))
    }

    async fn correct_contact(
        &self,
        _request: Request<CorrectContactRequest>,
    ) -> Result<Response<CorrectContactResponse>, Status> {
        Ok(Response::new(CorrectContactResponse::default()))
    }

    async fn tell_late(
        &self,
        _request: Request<TellLateRequest>,
    ) -> Result<Response<TellLateResponse>, Status> {
        Ok(Response::new(TellLateResponse::default()))
    }

    async fn undo_cancellation(
        &self,
        _request: Request<UndoCancellationRequest>,
    ) -> Result<Response<UndoCancellationResponse>, Status> {
        Ok(Response::new(UndoCancellationResponse::default()))
    }

    async fn get_calendar_file(
        &self,
        _request: Request<GetCalendarFileRequest>,
    ) -> Result<Response<GetCalendarFileResponse>, Status> {
        Ok(Response::new(GetCalendarFileResponse::default()))
    }

    async fn adopt_bookings(
        &self,
        request: Request<AdoptBookingsRequest>,
    ) -> Result<Response<AdoptBookingsResponse>, Status> {
        self.seen.note(&request);
        Ok(Response::new(AdoptBookingsResponse::default()))
    }

    async fn watch_booking(
        &self,
        request: Request<WatchBookingRequest>,
    ) -> Result<Response<Self::WatchBookingStream>, Status> {
        self.seen.note(&request);
        let receiver = self.watch.lock().unwrap().take();
        Ok(Response::new(match receiver {
            Some(receiver) => ReceiverStream::new(receiver).boxed(),
            None => stream::once(async { Ok(WatchBookingResponse::default()) })
                .chain(stream::pending())
                .boxed(),
        }))
    }
}

#[tonic::async_trait]
impl PaymentsService for FakeBackend {
    async fn start_payment(
        &self,
        _request: Request<StartPaymentRequest>,
    ) -> Result<Response<StartPaymentResponse>, Status> {
        Ok(Response::new(StartPaymentResponse {
            order_id: "order_1".to_owned(),
            ..Default::default()
        }))
    }

    async fn submit_checkout_answer(
        &self,
        _request: Request<SubmitCheckoutAnswerRequest>,
    ) -> Result<Response<SubmitCheckoutAnswerResponse>, Status> {
        Ok(Response::new(SubmitCheckoutAnswerResponse::default()))
    }

    async fn check_payment(
        &self,
        _request: Request<CheckPaymentRequest>,
    ) -> Result<Response<CheckPaymentResponse>, Status> {
        Ok(Response::new(CheckPaymentResponse::default()))
    }

    async fn claim_payment(
        &self,
        _request: Request<ClaimPaymentRequest>,
    ) -> Result<Response<ClaimPaymentResponse>, Status> {
        Ok(Response::new(ClaimPaymentResponse::default()))
    }

    async fn list_receipts(
        &self,
        request: Request<ListReceiptsRequest>,
    ) -> Result<Response<ListReceiptsResponse>, Status> {
        self.seen.note(&request);
        let receipt = Receipt { serial: "SUK/26-27/00001".to_owned(), ..Receipt::default() };
        let receipts = vec![receipt];
        Ok(Response::new(ListReceiptsResponse { receipts, ..ListReceiptsResponse::default() }))
    }

    async fn set_payer(
        &self,
        _request: Request<SetPayerRequest>,
    ) -> Result<Response<SetPayerResponse>, Status> {
        Ok(Response::new(SetPayerResponse::default()))
    }

    async fn list_own_receipts(
        &self,
        _request: Request<ListOwnReceiptsRequest>,
    ) -> Result<Response<ListOwnReceiptsResponse>, Status> {
        Ok(Response::new(ListOwnReceiptsResponse::default()))
    }
}

#[tonic::async_trait]
impl RefundRequestService for FakeBackend {
    async fn request_refund(
        &self,
        _request: Request<RequestRefundRequest>,
    ) -> Result<Response<RequestRefundResponse>, Status> {
        Ok(Response::new(RequestRefundResponse::default()))
    }

    async fn get_refund_request(
        &self,
        _request: Request<GetRefundRequestRequest>,
    ) -> Result<Response<GetRefundRequestResponse>, Status> {
        Ok(Response::new(GetRefundRequestResponse::default()))
    }
}

/// It would respond; the gateway must not call it.
#[tonic::async_trait]
impl feed_service_server::FeedService for FakeBackend {
    async fn read_feed(
        &self,
        _request: Request<ReadFeedRequest>,
    ) -> Result<Response<ReadFeedResponse>, Status> {
        let events = vec![FeedEvent::default()];
        Ok(Response::new(ReadFeedResponse { events, last_position: 1 }))
    }
}

/// All consumers, with a fixed lag.
#[tonic::async_trait]
impl consumers_service_server::ConsumersService for FakeBackend {
    async fn list_consumers(
        &self,
        _request: Request<ListConsumersRequest>,
    ) -> Result<Response<ListConsumersResponse>, Status> {
        let consumers = vec![ConsumerLag {
            consumer: "payments-on-booking".to_owned(),
            events_behind: 12,
            seconds_behind: 3,
        }];
        Ok(Response::new(ListConsumersResponse { consumers }))
    }
}

/// An HTTP server that records its requests, serves `keys` where an identity server does, and
/// chooses its response by the path.
pub(crate) async fn http(keys: serde_json::Value) -> (String, RecordedRequests) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let seen = RecordedRequests::default();
    let router = axum::Router::new()
        .route("/.well-known/jwks.json", axum::routing::get(move || async move { Json(keys) }))
        .fallback(answer)
        .with_state(seen.clone());
    tokio::spawn(async move { axum::serve(listener, router).await });
    (address, seen)
}

async fn answer(State(seen): State<RecordedRequests>, request: HttpRequest) -> HttpResponse {
    let (parts, body) = request.into_parts();
    let body = axum::body::to_bytes(body, usize::MAX).await.unwrap().to_vec();
    let path = parts.uri.path_and_query().unwrap().to_string();
    seen.http.lock().unwrap().push((path.clone(), parts.headers, body.clone()));
    if path.starts_with("/verify") {
        let to = [("location", "http://127.0.0.1/sign-in#access_token=x")];
        return (StatusCode::SEE_OTHER, to).into_response();
    }
    if path.starts_with("/webhooks/") && body == b"forged" {
        return StatusCode::BAD_REQUEST.into_response();
    }
    if path.starts_with("/pay/return") && body.starts_with(b"error") {
        return StatusCode::NO_CONTENT.into_response();
    }
    (StatusCode::OK, [("x-from", "neighbour"), ("keep-alive", "timeout=5")], body).into_response()
}
