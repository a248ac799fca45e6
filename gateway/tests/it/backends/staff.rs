//! Fake staff services: they record the request, accept members and reject customers, as the real
//! ones do.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use contract::booking::v1 as booking;
use contract::booking::v1::booking_calendar_staff_service_server::{
    BookingCalendarStaffService, BookingCalendarStaffServiceServer,
};
use contract::booking::v1::booking_staff_service_server::{
    BookingStaffService, BookingStaffServiceServer,
};
use contract::booking::v1::organisation_staff_service_server::{
    OrganisationStaffService, OrganisationStaffServiceServer,
};
use contract::booking::v1::waiting_staff_service_server::{
    WaitingStaffService, WaitingStaffServiceServer,
};
use contract::notifications::v1 as notifications;
use contract::notifications::v1::notifications_staff_service_server::{
    NotificationsStaffService, NotificationsStaffServiceServer,
};
use contract::payments::v1 as payments;
use contract::payments::v1::payments_staff_service_server::{
    PaymentsStaffService, PaymentsStaffServiceServer,
};
use contract::payments::v1::refund_request_staff_service_server::{
    RefundRequestStaffService, RefundRequestStaffServiceServer,
};
use runtime::status::reject;
use serde_json::Value;
use staff::StaffError;
use tonic::transport::server::Router;
use tonic::{Request, Response, Status};

use super::FakeBackend;
use crate::harness::CUSTOMER;

/// Adds the services.
pub(super) fn add_to(server: Router, backend: &FakeBackend) -> Router {
    server
        .add_service(BookingStaffServiceServer::new(backend.clone()))
        .add_service(BookingCalendarStaffServiceServer::new(backend.clone()))
        .add_service(OrganisationStaffServiceServer::new(backend.clone()))
        .add_service(WaitingStaffServiceServer::new(backend.clone()))
        .add_service(PaymentsStaffServiceServer::new(backend.clone()))
        .add_service(RefundRequestStaffServiceServer::new(backend.clone()))
        .add_service(NotificationsStaffServiceServer::new(backend.clone()))
}

/// The caller's id, from the token of the call.
fn subject<T>(request: &Request<T>) -> String {
    let token = request.metadata().get("authorization").unwrap().to_str().unwrap();
    let payload = URL_SAFE_NO_PAD.decode(token.split('.').nth(1).unwrap()).unwrap();
    let claims: Value = serde_json::from_slice(&payload).unwrap();
    claims["sub"].as_str().unwrap().to_owned()
}

/// A service whose methods all respond in the same way.
macro_rules! staff_service {
    ($service:ident { $($method:ident: $request:ty => $answer:ty;)+ }) => {
        #[tonic::async_trait]
        impl $service for FakeBackend {
            $(async fn $method(
                &self,
                request: Request<$request>,
            ) -> Result<Response<$answer>, Status> {
                self.seen.note(&request);
                if subject(&request) == CUSTOMER {
                    return Err(reject(&StaffError::StaffOnly));
                }
                Ok(Response::new(<$answer>::default()))
            })+
        }
    };
}

staff_service! { BookingStaffService {
    propose_move: booking::ProposeMoveRequest => booking::ProposeMoveResponse;
    withdraw_move_proposal: booking::WithdrawMoveProposalRequest =>
        booking::WithdrawMoveProposalResponse;
    get_own_role: booking::GetOwnRoleRequest => booking::GetOwnRoleResponse;
    list_bookings: booking::ListBookingsRequest => booking::ListBookingsResponse;
    list_blocked_times: booking::ListBlockedTimesRequest => booking::ListBlockedTimesResponse;
    block_time: booking::BlockTimeRequest => booking::BlockTimeResponse;
    unblock_time: booking::UnblockTimeRequest => booking::UnblockTimeResponse;
    cancel_booking: booking::CancelBookingRequest => booking::CancelBookingResponse;
    preview_cancellation: booking::PreviewCancellationRequest
        => booking::PreviewCancellationResponse;
    preview_move: booking::PreviewMoveRequest => booking::PreviewMoveResponse;
    move_booking: booking::MoveBookingRequest => booking::MoveBookingResponse;
    accept_claim: booking::AcceptClaimRequest => booking::AcceptClaimResponse;
    release_hold: booking::ReleaseHoldRequest => booking::ReleaseHoldResponse;
    mark_attendance: booking::MarkAttendanceRequest => booking::MarkAttendanceResponse;
    find_bookings: booking::FindBookingsRequest => booking::FindBookingsResponse;
    request_phone_booking: booking::RequestPhoneBookingRequest
        => booking::RequestPhoneBookingResponse;
    send_payment_page: booking::SendPaymentPageRequest => booking::SendPaymentPageResponse;
    get_join_page: booking::GetJoinPageRequest => booking::GetJoinPageResponse;
    get_booking_history: booking::GetBookingHistoryRequest => booking::GetBookingHistoryResponse;
    list_parked_events: booking::ListParkedEventsRequest => booking::ListParkedEventsResponse;
    retry_parked_events: booking::RetryParkedEventsRequest => booking::RetryParkedEventsResponse;
} }

staff_service! { BookingCalendarStaffService {
    list_calendar_feeds: booking::ListCalendarFeedsRequest => booking::ListCalendarFeedsResponse;
    renew_calendar_feed: booking::RenewCalendarFeedRequest => booking::RenewCalendarFeedResponse;
    stop_calendar_feed: booking::StopCalendarFeedRequest => booking::StopCalendarFeedResponse;
    list_calendar_sources: booking::ListCalendarSourcesRequest
        => booking::ListCalendarSourcesResponse;
    read_calendar_source: booking::ReadCalendarSourceRequest => booking::ReadCalendarSourceResponse;
} }

staff_service! { OrganisationStaffService {
    list_members: booking::ListMembersRequest => booking::ListMembersResponse;
    list_invitations: booking::ListInvitationsRequest => booking::ListInvitationsResponse;
    list_membership_changes: booking::ListMembershipChangesRequest
        => booking::ListMembershipChangesResponse;
    invite_member: booking::InviteMemberRequest => booking::InviteMemberResponse;
    resend_invitation: booking::ResendInvitationRequest => booking::ResendInvitationResponse;
    withdraw_invitation: booking::WithdrawInvitationRequest => booking::WithdrawInvitationResponse;
    change_role: booking::ChangeRoleRequest => booking::ChangeRoleResponse;
    remove_member: booking::RemoveMemberRequest => booking::RemoveMemberResponse;
} }

staff_service! { WaitingStaffService {
    list_waiting: booking::ListWaitingRequest => booking::ListWaitingResponse;
    offer_time: booking::OfferTimeRequest => booking::OfferTimeResponse;
    end_waiting: booking::EndWaitingRequest => booking::EndWaitingResponse;
} }

staff_service! { PaymentsStaffService {
    give_back_kept: payments::GiveBackKeptRequest => payments::GiveBackKeptResponse;
    get_kept_amount: payments::GetKeptAmountRequest => payments::GetKeptAmountResponse;
    refund_payment: payments::RefundPaymentRequest => payments::RefundPaymentResponse;
    release_refund: payments::ReleaseRefundRequest => payments::ReleaseRefundResponse;
    record_desk_payment: payments::RecordDeskPaymentRequest
        => payments::RecordDeskPaymentResponse;
    record_desk_refund: payments::RecordDeskRefundRequest => payments::RecordDeskRefundResponse;
    list_unexplained_orders: payments::ListUnexplainedOrdersRequest
        => payments::ListUnexplainedOrdersResponse;
    explain_order: payments::ExplainOrderRequest => payments::ExplainOrderResponse;
    get_balances: payments::GetBalancesRequest => payments::GetBalancesResponse;
    check_provider: payments::CheckProviderRequest => payments::CheckProviderResponse;
    get_payment_history: payments::GetPaymentHistoryRequest => payments::GetPaymentHistoryResponse;
    list_ledger_entries: payments::ListLedgerEntriesRequest
        => payments::ListLedgerEntriesResponse;
    list_parked_events: payments::ListParkedEventsRequest => payments::ListParkedEventsResponse;
    retry_parked_events: payments::RetryParkedEventsRequest => payments::RetryParkedEventsResponse;
} }

staff_service! { RefundRequestStaffService {
    list_refund_requests: payments::ListRefundRequestsRequest
        => payments::ListRefundRequestsResponse;
    answer_refund_request: payments::AnswerRefundRequestRequest
        => payments::AnswerRefundRequestResponse;
} }

staff_service! { NotificationsStaffService {
    list_mails: notifications::ListMailsRequest => notifications::ListMailsResponse;
    retry_mail: notifications::RetryMailRequest => notifications::RetryMailResponse;
    settle_mail: notifications::SettleMailRequest => notifications::SettleMailResponse;
    list_parked_events: notifications::ListParkedEventsRequest
        => notifications::ListParkedEventsResponse;
    retry_parked_events: notifications::RetryParkedEventsRequest
        => notifications::RetryParkedEventsResponse;
} }
