//! The public calls, forwarded one to one to the services. The gateway reads a message only to
//! convert between JSON and protobuf; it does not interpret it.

use std::sync::Arc;
use std::time::Duration;

use buffa::Message;
use buffa::view::MessageView;
use connectrpc::client::{CallOptions, ClientConfig, HttpClient, call_server_stream, call_unary};
use connectrpc::interceptor::{StreamRequest, StreamResponse, UnaryRequest, UnaryResponse};
use connectrpc::{
    ConnectError, ConnectRpcService, DeadlinePolicy, ErrorCode, HasMessageView, Interceptor,
    JsonDeserialize, JsonSerialize, Limits, Next, NextStream, PayloadStream, Protocol,
    RequestContext, Response, Router, ServiceRequest, ServiceResult, ServiceStream, Spec,
    SpecOrigin, StreamMessage,
};
use futures::StreamExt as _;
use http::{HeaderMap, Uri, header};
use kernel::Id;
use kernel::id::Review;
use runtime::{Shutdown, telemetry};
use tokio::time::timeout;

use crate::caller::Caller;
use crate::error_response;
use crate::grant::{self, GrantCookie, PanelMetadata};
use crate::procedures::UNSUBSCRIBE;
use crate::wire::booking::v1 as booking;
use crate::wire::catalogue::v1 as catalogue;
use crate::wire::notifications::v1 as notifications;
use crate::wire::payments::v1 as payments;
use crate::wire::reviews::v1 as reviews;

/// Far more than any valid request; it protects memory.
pub(crate) const BODY_BYTES_MAX: usize = 256 * 1024;
/// Maximum deadline; a caller may ask for less.
const DEADLINE: Duration = Duration::from_secs(15);
/// A stream without a message for this long has hung; booking ends its streams after a minute.
const STREAM_IDLE_TIMEOUT: Duration = Duration::from_secs(90);
/// A service on the same network accepts at once or not at all.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// How long a review's document waits for its content.
const LOOKUP_TIMEOUT: Duration = Duration::from_secs(1);
/// Timeout of an unsubscribe request.
const UNSUBSCRIBE_TIMEOUT: Duration = Duration::from_secs(5);

/// Addresses of the public services.
#[derive(Clone, Debug)]
pub struct Upstreams {
    /// The catalogue's gRPC address.
    pub catalogue: Uri,
    /// Booking's gRPC address.
    pub booking: Uri,
    /// The gRPC address of payments.
    pub payments: Uri,
    /// The gRPC address of notifications.
    pub notifications: Uri,
    /// The gRPC address of reviews.
    pub reviews: Uri,
}

/// The services below /rpc, without authorization and limits.
pub(crate) fn service(
    upstreams: &Upstreams,
    grants: GrantCookie,
    shutdown: &Shutdown,
) -> ConnectRpcService {
    let to = |address: &Uri| Arc::new(Upstream::new(address.clone(), shutdown.clone()));
    let (booking, payments) = (to(&upstreams.booking), to(&upstreams.payments));
    let (reviews, notifications) = (to(&upstreams.reviews), to(&upstreams.notifications));
    let router = Router::new()
        .add_service(Arc::new(Catalogue(to(&upstreams.catalogue))))
        .add_service(Arc::new(Booking(booking.clone())))
        .add_service(Arc::new(BookingStaff(booking)))
        .add_service(Arc::new(Payments(payments.clone())))
        .add_service(Arc::new(PaymentsStaff(payments)))
        .add_service(Arc::new(Notifications(notifications.clone())))
        .add_service(Arc::new(NotificationsStaff(notifications)))
        .add_service(Arc::new(Reviews(reviews.clone())))
        .add_service(Arc::new(ReviewsStaff(reviews, grants)));
    let limits = Limits::unlimited()
        .with_max_request_body_size(BODY_BYTES_MAX)
        .with_max_message_size(BODY_BYTES_MAX);
    let deadlines = DeadlinePolicy::new()
        .with_max(DEADLINE)
        .with_default_timeout(DEADLINE)
        .with_inter_message_timeout(STREAM_IDLE_TIMEOUT);
    ConnectRpcService::new(router)
        .with_limits(limits)
        .with_deadline_policy(deadlines)
        .with_interceptor(ErrorInterceptor)
}

/// One service behind the gateway.
struct Upstream {
    http: HttpClient,
    config: ClientConfig,
    shutdown: Shutdown,
}

impl Upstream {
    fn new(address: Uri, shutdown: Shutdown) -> Self {
        let http = HttpClient::builder().connect_timeout(CONNECT_TIMEOUT).plaintext_http2_only();
        let config = ClientConfig::new(address).with_protocol(Protocol::Grpc);
        Self { http, config, shutdown }
    }

    async fn unary<Req, Answer, View>(
        &self,
        ctx: &RequestContext,
        request: Req,
    ) -> ServiceResult<Answer>
    where
        Req: Message + JsonSerialize,
        Answer: HasMessageView<View<'static> = View> + JsonDeserialize,
        View: MessageView<'static, Owned = Answer> + Send,
    {
        let spec = client_spec(ctx)?;
        let mut options = call_options(ctx);
        if let Some(left) = ctx.time_remaining() {
            options = options.with_timeout(left);
        }
        let answer = call_unary::<_, Req, View>(&self.http, &self.config, spec, request, options);
        let answer = answer.await.map_err(|error| upstream_error(spec, error))?;
        // Views can't be serialized to JSON, so the message is taken out of its buffer.
        Response::ok(answer.into_owned())
    }

    /// A call that the gateway itself makes, for a client that doesn't speak Connect.
    async fn call<Req, Answer, View>(
        &self,
        spec: Spec,
        request: Req,
        time_limit: Duration,
    ) -> Result<Answer, ConnectError>
    where
        Req: Message + JsonSerialize,
        Answer: HasMessageView<View<'static> = View> + JsonDeserialize,
        View: MessageView<'static, Owned = Answer> + Send,
    {
        let mut headers = HeaderMap::new();
        telemetry::inject_headers(&mut headers);
        let headers = headers.iter().map(|(name, value)| (name.clone(), value.clone()));
        let options = CallOptions::default().with_headers(headers).with_timeout(time_limit);
        let spec = spec.with_origin(SpecOrigin::Client);
        let response = call_unary::<_, Req, View>(&self.http, &self.config, spec, request, options);
        match timeout(time_limit, response).await {
            Ok(answer) => Ok(answer?.into_owned()),
            Err(_elapsed) => Err(ConnectError::new(ErrorCode::DeadlineExceeded, "no answer")),
        }
    }

    /// Forwards a stream without a deadline: a forwarded deadline would cut it off.
    async fn watch(
        &self,
        ctx: &RequestContext,
        request: booking::WatchBookingRequest,
    ) -> ServiceResult<ServiceStream<StreamMessage<booking::WatchBookingResponse>>> {
        let spec = client_spec(ctx)?;
        let stream = call_server_stream::<_, _, booking::WatchBookingResponseView<'static>>(
            &self.http,
            &self.config,
            spec,
            request,
            call_options(ctx),
        );
        let stream = stream.await.map_err(|error| upstream_error(spec, error))?;
        let items = futures::stream::try_unfold(stream, move |mut stream| async move {
            let item = stream.message::<booking::WatchBookingResponse>().await;
            let item = item.map_err(|error| upstream_error(spec, error))?;
            Ok(item.map(|item| (item, stream)))
        });
        Ok(Response::stream(items.take_until(self.shutdown.wait())))
    }
}

/// The requested method, as the client side of the backend call.
fn client_spec(ctx: &RequestContext) -> Result<Spec, ConnectError> {
    let spec = ctx.spec().ok_or_else(|| ConnectError::internal("a route without its method"))?;
    Ok(spec.with_origin(SpecOrigin::Client))
}

/// Result of a review's lookup.
pub(crate) enum ReviewLookupResult {
    /// The review is public.
    Found(Box<reviews::GetReviewResponse>),
    /// There is no such review, or it was deleted.
    Missing,
    /// No response in time.
    Unavailable,
}

/// Looks up public reviews for their documents.
pub(crate) struct ReviewLookup(Upstream);

impl ReviewLookup {
    /// At the gRPC address of reviews.
    pub(crate) fn new(address: &Uri, shutdown: &Shutdown) -> Self {
        Self(Upstream::new(address.clone(), shutdown.clone()))
    }

    /// Looks up a review.
    pub(crate) async fn find(&self, id: Id<Review>) -> ReviewLookupResult {
        let spec = reviews::REVIEWS_SERVICE_GET_REVIEW_SPEC;
        let request = reviews::GetReviewRequest { review_id: id.to_string(), ..Default::default() };
        let response =
            self.0.call::<_, reviews::GetReviewResponse, _>(spec, request, LOOKUP_TIMEOUT);
        match response.await {
            Ok(answer) => ReviewLookupResult::Found(Box::new(answer)),
            Err(error) if error.code == ErrorCode::NotFound => ReviewLookupResult::Missing,
            Err(_unknown) => ReviewLookupResult::Unavailable,
        }
    }
}

/// Unsubscribes on behalf of mail programs.
pub(crate) struct UnsubscribeClient(Upstream);

impl UnsubscribeClient {
    /// At the gRPC address of notifications.
    pub(crate) fn new(address: &Uri, shutdown: &Shutdown) -> Self {
        Self(Upstream::new(address.clone(), shutdown.clone()))
    }

    /// Unsubscribes from the mails that the link's token stands for.
    pub(crate) async fn unsubscribe(&self, token: String) -> Result<(), ConnectError> {
        let request = notifications::UnsubscribeRequest { token, ..Default::default() };
        let response = self.0.call::<_, notifications::UnsubscribeResponse, _>(
            UNSUBSCRIBE,
            request,
            UNSUBSCRIBE_TIMEOUT,
        );
        response.await.map(|_answer| ()).map_err(|error| upstream_error(UNSUBSCRIBE, error))
    }
}

/// What is forwarded besides the message: credentials and trace.
fn call_options(ctx: &RequestContext) -> CallOptions {
    let mut headers = HeaderMap::new();
    if let Some(token) = ctx.header(header::AUTHORIZATION) {
        headers.insert(header::AUTHORIZATION, token.clone());
    }
    if let Some(panel) = ctx.extensions().get::<PanelMetadata>() {
        let passed = [(grant::GRANT, &panel.grant), (grant::ADDRESS, &panel.address)];
        headers.extend(passed.into_iter().filter_map(|(name, it)| Some((name, it.clone()?))));
    }
    telemetry::inject_headers(&mut headers);
    let headers = headers.iter().map(|(name, value)| (name.clone(), value.clone()));
    CallOptions::default().with_headers(headers)
}

/// Logs a failed call, here only, with the transport's text, and converts the error.
fn upstream_error(spec: Spec, error: ConnectError) -> ConnectError {
    if !error_response::has_detail(&error) {
        let code = error.code.as_str();
        tracing::warn!(procedure = spec.procedure, code, %error, "a service gave no answer");
    }
    error_response::from_upstream(error)
}

/// Converts the errors of all calls and streams into the standard format.
struct ErrorInterceptor;

#[connectrpc::async_trait]
impl Interceptor for ErrorInterceptor {
    async fn intercept_unary(
        &self,
        request: UnaryRequest,
        next: Next<'_>,
    ) -> Result<UnaryResponse, ConnectError> {
        let reference = reference_id(&request.ctx);
        next.run(request).await.map_err(|error| error_response::to_public_error(&error, &reference))
    }

    async fn intercept_streaming(
        &self,
        request: StreamRequest,
        inbound: PayloadStream,
        next: NextStream<'_>,
    ) -> Result<StreamResponse, ConnectError> {
        let reference = reference_id(&request.ctx);
        let answer = next.run(request, inbound).await;
        let answer = answer.map_err(|error| error_response::to_public_error(&error, &reference))?;
        Ok(answer.map_body(|items| -> PayloadStream {
            Box::pin(items.map(move |item| {
                item.map_err(|error| error_response::to_public_error(&error, &reference))
            }))
        }))
    }
}

fn reference_id(ctx: &RequestContext) -> String {
    let caller = ctx.extensions().get::<Caller>();
    caller.map(|caller| caller.reference.clone()).unwrap_or_default()
}

struct Catalogue(Arc<Upstream>);
struct Booking(Arc<Upstream>);
struct BookingStaff(Arc<Upstream>);
struct Payments(Arc<Upstream>);
struct PaymentsStaff(Arc<Upstream>);
struct Notifications(Arc<Upstream>);
struct NotificationsStaff(Arc<Upstream>);
struct Reviews(Arc<Upstream>);
struct ReviewsStaff(Arc<Upstream>, GrantCookie);

/// One method per line: name, request, response.
macro_rules! forward {
    ($($method:ident: $request:ty => $answer:ty;)+) => {$(
        async fn $method(
            &self,
            ctx: RequestContext,
            request: ServiceRequest<'_, $request>,
        ) -> ServiceResult<$answer> {
            self.0.unary::<_, $answer, _>(&ctx, request.to_owned_message()).await
        }
    )+};
}

impl catalogue::CatalogueService for Catalogue {
    forward! {
        get_practice: catalogue::GetPracticeRequest => catalogue::GetPracticeResponse;
        list_services: catalogue::ListServicesRequest => catalogue::ListServicesResponse;
        get_service: catalogue::GetServiceRequest => catalogue::GetServiceResponse;
        list_quiz_areas:
            catalogue::ListQuizAreasRequest => catalogue::ListQuizAreasResponse;
        list_faqs: catalogue::ListFaqsRequest => catalogue::ListFaqsResponse;
        get_meditation_guide: catalogue::GetMeditationGuideRequest
            => catalogue::GetMeditationGuideResponse;
    }
}

impl booking::BookingService for Booking {
    forward! {
        list_slots: booking::ListSlotsRequest => booking::ListSlotsResponse;
        request_booking: booking::RequestBookingRequest => booking::RequestBookingResponse;
        open_checkout: booking::OpenCheckoutRequest => booking::OpenCheckoutResponse;
        release_booking: booking::ReleaseBookingRequest => booking::ReleaseBookingResponse;
        get_booking: booking::GetBookingRequest => booking::GetBookingResponse;
        get_calendar_file:
            booking::GetCalendarFileRequest => booking::GetCalendarFileResponse;
    }

    async fn watch_booking(
        &self,
        ctx: RequestContext,
        request: ServiceRequest<'_, booking::WatchBookingRequest>,
    ) -> ServiceResult<ServiceStream<StreamMessage<booking::WatchBookingResponse>>> {
        self.0.watch(&ctx, request.to_owned_message()).await
    }
}

impl payments::PaymentsService for Payments {
    forward! {
        start_payment: payments::StartPaymentRequest => payments::StartPaymentResponse;
        submit_checkout_answer: payments::SubmitCheckoutAnswerRequest
            => payments::SubmitCheckoutAnswerResponse;
        check_payment: payments::CheckPaymentRequest => payments::CheckPaymentResponse;
        claim_payment: payments::ClaimPaymentRequest => payments::ClaimPaymentResponse;
        list_receipts: payments::ListReceiptsRequest => payments::ListReceiptsResponse;
        set_payer: payments::SetPayerRequest => payments::SetPayerResponse;
    }
}

impl booking::BookingStaffService for BookingStaff {
    forward! {
        get_own_role: booking::GetOwnRoleRequest => booking::GetOwnRoleResponse;
        list_bookings: booking::ListBookingsRequest => booking::ListBookingsResponse;
        list_blocked_times:
            booking::ListBlockedTimesRequest => booking::ListBlockedTimesResponse;
        block_time: booking::BlockTimeRequest => booking::BlockTimeResponse;
        unblock_time: booking::UnblockTimeRequest => booking::UnblockTimeResponse;
        cancel_booking: booking::CancelBookingRequest => booking::CancelBookingResponse;
        accept_claim: booking::AcceptClaimRequest => booking::AcceptClaimResponse;
        get_booking_history:
            booking::GetBookingHistoryRequest => booking::GetBookingHistoryResponse;
        list_parked_events:
            booking::ListParkedEventsRequest => booking::ListParkedEventsResponse;
        retry_parked_events:
            booking::RetryParkedEventsRequest => booking::RetryParkedEventsResponse;
    }
}

impl payments::PaymentsStaffService for PaymentsStaff {
    forward! {
        refund_payment: payments::RefundPaymentRequest => payments::RefundPaymentResponse;
        list_unexplained_orders: payments::ListUnexplainedOrdersRequest
            => payments::ListUnexplainedOrdersResponse;
        explain_order: payments::ExplainOrderRequest => payments::ExplainOrderResponse;
        get_balances: payments::GetBalancesRequest => payments::GetBalancesResponse;
        check_provider: payments::CheckProviderRequest => payments::CheckProviderResponse;
        get_payment_history:
            payments::GetPaymentHistoryRequest => payments::GetPaymentHistoryResponse;
        list_ledger_entries:
            payments::ListLedgerEntriesRequest => payments::ListLedgerEntriesResponse;
        list_parked_events:
            payments::ListParkedEventsRequest => payments::ListParkedEventsResponse;
        retry_parked_events:
            payments::RetryParkedEventsRequest => payments::RetryParkedEventsResponse;
    }
}

impl notifications::NotificationsService for Notifications {
    forward! {
        send_contact_message: notifications::SendContactMessageRequest
            => notifications::SendContactMessageResponse;
        request_meditation_guide: notifications::RequestMeditationGuideRequest
            => notifications::RequestMeditationGuideResponse;
        unsubscribe:
            notifications::UnsubscribeRequest => notifications::UnsubscribeResponse;
        resubscribe:
            notifications::ResubscribeRequest => notifications::ResubscribeResponse;
    }
}

impl notifications::NotificationsStaffService for NotificationsStaff {
    forward! {
        list_mails: notifications::ListMailsRequest => notifications::ListMailsResponse;
        retry_mail: notifications::RetryMailRequest => notifications::RetryMailResponse;
        settle_mail: notifications::SettleMailRequest => notifications::SettleMailResponse;
        list_parked_events: notifications::ListParkedEventsRequest
            => notifications::ListParkedEventsResponse;
        retry_parked_events: notifications::RetryParkedEventsRequest
            => notifications::RetryParkedEventsResponse;
    }
}

impl reviews::ReviewsService for Reviews {
    forward! {
        submit_review: reviews::SubmitReviewRequest => reviews::SubmitReviewResponse;
        list_reviews: reviews::ListReviewsRequest => reviews::ListReviewsResponse;
        get_review: reviews::GetReviewRequest => reviews::GetReviewResponse;
        get_statistics: reviews::GetStatisticsRequest => reviews::GetStatisticsResponse;
        check_badge: reviews::CheckBadgeRequest => reviews::CheckBadgeResponse;
    }
}

impl reviews::ReviewsStaffService for ReviewsStaff {
    forward! {
        get_moderation: reviews::GetModerationRequest => reviews::GetModerationResponse;
        lock: reviews::LockRequest => reviews::LockResponse;
        list_staff_reviews:
            reviews::ListStaffReviewsRequest => reviews::ListStaffReviewsResponse;
        delete_review: reviews::DeleteReviewRequest => reviews::DeleteReviewResponse;
        restore_review: reviews::RestoreReviewRequest => reviews::RestoreReviewResponse;
        list_parked_events:
            reviews::ListParkedEventsRequest => reviews::ListParkedEventsResponse;
        retry_parked_events:
            reviews::RetryParkedEventsRequest => reviews::RetryParkedEventsResponse;
    }

    /// The grant is moved from the response into a cookie, so that no script ever sees it.
    async fn unlock(
        &self,
        ctx: RequestContext,
        request: ServiceRequest<'_, reviews::UnlockRequest>,
    ) -> ServiceResult<reviews::UnlockResponse> {
        let request = request.to_owned_message();
        let answer = self.0.unary::<_, reviews::UnlockResponse, _>(&ctx, request).await;
        let mut answer = answer?;
        let grant = std::mem::take(&mut answer.body.grant);
        let cookie = self.1.set(&grant);
        let cookie = cookie.ok_or_else(|| ConnectError::internal("a grant of another form"))?;
        answer.headers.insert(header::SET_COOKIE, cookie);
        Ok(answer)
    }
}
