//! The public calls, forwarded one to one to the services. The gateway reads a message only to
//! convert between JSON and protobuf; it does not interpret it.

use std::sync::Arc;
use std::time::Duration;

use connectrpc::interceptor::{StreamRequest, StreamResponse, UnaryRequest, UnaryResponse};
use connectrpc::{
    ConnectError, ConnectRpcService, DeadlinePolicy, Interceptor, Limits, Next, NextStream,
    PayloadStream, RequestContext, Router, ServiceRequest, ServiceResult, ServiceStream,
    StreamMessage,
};
use futures::StreamExt as _;
use http::{Uri, header};
use runtime::Shutdown;

use crate::caller::Caller;
use crate::config::Upstreams;
use crate::error_response;
use crate::grant::GrantCookie;
use crate::upstream::Upstream;
use crate::wire::booking::v1 as booking;
use crate::wire::catalogue::v1 as catalogue;
use crate::wire::notifications::v1 as notifications;
use crate::wire::payments::v1 as payments;
use crate::wire::reviews::v1 as reviews;

/// Far more than any valid call has, packed and unpacked; it protects memory.
pub(crate) const MESSAGE_BYTES_MAX: usize = 256 * 1024;
/// Maximum deadline; a caller may ask for less.
const DEADLINE: Duration = Duration::from_secs(15);
/// A stream without a message for this long has hung; booking ends its streams after a minute.
const STREAM_IDLE_TIMEOUT: Duration = Duration::from_secs(90);

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
        .add_service(Arc::new(BookingStaff(booking.clone())))
        .add_service(Arc::new(BookingCalendar(booking.clone())))
        .add_service(Arc::new(BookingCalendarStaff(booking.clone())))
        .add_service(Arc::new(Consent(booking.clone())))
        .add_service(Arc::new(ConsentStaff(booking.clone())))
        .add_service(Arc::new(Widget(booking.clone())))
        .add_service(Arc::new(Organisation(booking.clone())))
        .add_service(Arc::new(OrganisationStaff(booking.clone())))
        .add_service(Arc::new(JoinPage(booking.clone())))
        .add_service(Arc::new(PaymentPage(booking)))
        .add_service(Arc::new(Payments(payments.clone())))
        .add_service(Arc::new(PagePayment(payments.clone())))
        .add_service(Arc::new(PaymentsStaff(payments)))
        .add_service(Arc::new(Notifications(notifications.clone())))
        .add_service(Arc::new(NotificationsStaff(notifications)))
        .add_service(Arc::new(Reviews(reviews.clone())))
        .add_service(Arc::new(ReviewsStaff(reviews, grants)));
    let limits = Limits::unlimited()
        .with_max_request_body_size(MESSAGE_BYTES_MAX)
        .with_max_message_size(MESSAGE_BYTES_MAX);
    let deadlines = DeadlinePolicy::new()
        .with_max(DEADLINE)
        .with_default_timeout(DEADLINE)
        .with_inter_message_timeout(STREAM_IDLE_TIMEOUT);
    ConnectRpcService::new(router)
        .with_limits(limits)
        .with_deadline_policy(deadlines)
        .with_interceptor(ErrorInterceptor)
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
struct BookingCalendar(Arc<Upstream>);
struct BookingCalendarStaff(Arc<Upstream>);
struct Consent(Arc<Upstream>);
struct ConsentStaff(Arc<Upstream>);
struct Widget(Arc<Upstream>);
struct Organisation(Arc<Upstream>);
struct OrganisationStaff(Arc<Upstream>);
struct JoinPage(Arc<Upstream>);
struct PaymentPage(Arc<Upstream>);
struct Payments(Arc<Upstream>);
struct PagePayment(Arc<Upstream>);
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
        get_consent_terms:
            catalogue::GetConsentTermsRequest => catalogue::GetConsentTermsResponse;
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
        adopt_bookings: booking::AdoptBookingsRequest => booking::AdoptBookingsResponse;
    }

    async fn watch_booking(
        &self,
        ctx: RequestContext,
        request: ServiceRequest<'_, booking::WatchBookingRequest>,
    ) -> ServiceResult<ServiceStream<StreamMessage<booking::WatchBookingResponse>>> {
        self.0.watch(&ctx, request.to_owned_message()).await
    }
}

impl booking::ConsentService for Consent {
    forward! {
        get_consent: booking::GetConsentRequest => booking::GetConsentResponse;
        get_consent_file: booking::GetConsentFileRequest => booking::GetConsentFileResponse;
        withdraw_consent: booking::WithdrawConsentRequest => booking::WithdrawConsentResponse;
    }
}

impl booking::ConsentStaffService for ConsentStaff {
    forward! {
        verify_consent_file:
            booking::VerifyConsentFileRequest => booking::VerifyConsentFileResponse;
        list_withdrawn_consents: booking::ListWithdrawnConsentsRequest
            => booking::ListWithdrawnConsentsResponse;
    }
}

impl booking::WidgetService for Widget {
    forward! {
        report_booking: booking::ReportBookingRequest => booking::ReportBookingResponse;
        get_report: booking::GetReportRequest => booking::GetReportResponse;
    }
}

impl booking::OrganisationService for Organisation {
    forward! {
        list_my_memberships:
            booking::ListMyMembershipsRequest => booking::ListMyMembershipsResponse;
        get_invitation: booking::GetInvitationRequest => booking::GetInvitationResponse;
        accept_invitation:
            booking::AcceptInvitationRequest => booking::AcceptInvitationResponse;
        decline_invitation:
            booking::DeclineInvitationRequest => booking::DeclineInvitationResponse;
        leave_practice: booking::LeavePracticeRequest => booking::LeavePracticeResponse;
    }
}

impl booking::OrganisationStaffService for OrganisationStaff {
    forward! {
        list_members: booking::ListMembersRequest => booking::ListMembersResponse;
        list_invitations: booking::ListInvitationsRequest => booking::ListInvitationsResponse;
        list_membership_changes: booking::ListMembershipChangesRequest
            => booking::ListMembershipChangesResponse;
        invite_member: booking::InviteMemberRequest => booking::InviteMemberResponse;
        resend_invitation:
            booking::ResendInvitationRequest => booking::ResendInvitationResponse;
        withdraw_invitation:
            booking::WithdrawInvitationRequest => booking::WithdrawInvitationResponse;
        change_role: booking::ChangeRoleRequest => booking::ChangeRoleResponse;
        remove_member: booking::RemoveMemberRequest => booking::RemoveMemberResponse;
    }
}

impl booking::JoinPageService for JoinPage {
    forward! {
        open_join_page: booking::OpenJoinPageRequest => booking::OpenJoinPageResponse;
        get_own_join_page: booking::GetOwnJoinPageRequest => booking::GetOwnJoinPageResponse;
    }
}

impl booking::PaymentPageService for PaymentPage {
    forward! {
        get_payment_page: booking::GetPaymentPageRequest => booking::GetPaymentPageResponse;
        accept_terms: booking::AcceptTermsRequest => booking::AcceptTermsResponse;
        request_consent_code:
            booking::RequestConsentCodeRequest => booking::RequestConsentCodeResponse;
        get_page_calendar_file: booking::GetPageCalendarFileRequest
            => booking::GetPageCalendarFileResponse;
        renew_page_key: booking::RenewPageKeyRequest => booking::RenewPageKeyResponse;
    }
}

impl payments::PagePaymentService for PagePayment {
    forward! {
        start_page_payment:
            payments::StartPagePaymentRequest => payments::StartPagePaymentResponse;
        check_page_payment:
            payments::CheckPagePaymentRequest => payments::CheckPagePaymentResponse;
        list_page_receipts:
            payments::ListPageReceiptsRequest => payments::ListPageReceiptsResponse;
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
        preview_cancellation: booking::PreviewCancellationRequest
            => booking::PreviewCancellationResponse;
        accept_claim: booking::AcceptClaimRequest => booking::AcceptClaimResponse;
        release_hold: booking::ReleaseHoldRequest => booking::ReleaseHoldResponse;
        mark_attendance:
            booking::MarkAttendanceRequest => booking::MarkAttendanceResponse;
        find_bookings: booking::FindBookingsRequest => booking::FindBookingsResponse;
        request_phone_booking:
            booking::RequestPhoneBookingRequest => booking::RequestPhoneBookingResponse;
        send_payment_page:
            booking::SendPaymentPageRequest => booking::SendPaymentPageResponse;
        get_join_page: booking::GetJoinPageRequest => booking::GetJoinPageResponse;
        get_booking_history:
            booking::GetBookingHistoryRequest => booking::GetBookingHistoryResponse;
        list_parked_events:
            booking::ListParkedEventsRequest => booking::ListParkedEventsResponse;
        retry_parked_events:
            booking::RetryParkedEventsRequest => booking::RetryParkedEventsResponse;
    }
}

/// The calendar of a secret address is no call that is listed, and is served over HTTP.
impl booking::BookingCalendarService for BookingCalendar {
    forward! {
        get_session_calendar:
            booking::GetSessionCalendarRequest => booking::GetSessionCalendarResponse;
        get_calendar_booking:
            booking::GetCalendarBookingRequest => booking::GetCalendarBookingResponse;
        open_scheduling_visit:
            booking::OpenSchedulingVisitRequest => booking::OpenSchedulingVisitResponse;
        take_scheduled_event:
            booking::TakeScheduledEventRequest => booking::TakeScheduledEventResponse;
    }
}

impl booking::BookingCalendarStaffService for BookingCalendarStaff {
    forward! {
        list_calendar_feeds:
            booking::ListCalendarFeedsRequest => booking::ListCalendarFeedsResponse;
        renew_calendar_feed:
            booking::RenewCalendarFeedRequest => booking::RenewCalendarFeedResponse;
        stop_calendar_feed:
            booking::StopCalendarFeedRequest => booking::StopCalendarFeedResponse;
        list_calendar_sources:
            booking::ListCalendarSourcesRequest => booking::ListCalendarSourcesResponse;
        read_calendar_source:
            booking::ReadCalendarSourceRequest => booking::ReadCalendarSourceResponse;
    }
}

impl payments::PaymentsStaffService for PaymentsStaff {
    forward! {
        refund_payment: payments::RefundPaymentRequest => payments::RefundPaymentResponse;
        release_refund: payments::ReleaseRefundRequest => payments::ReleaseRefundResponse;
        record_desk_payment:
            payments::RecordDeskPaymentRequest => payments::RecordDeskPaymentResponse;
        record_desk_refund:
            payments::RecordDeskRefundRequest => payments::RecordDeskRefundResponse;
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
