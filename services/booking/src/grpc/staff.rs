//! The staff service. Each method states the roles allowed, and every call is recorded in the audit
//! log.

use std::sync::Arc;

use contract::booking::v1::booking_staff_service_server::BookingStaffService;
use contract::booking::v1::{
    AcceptClaimRequest, AcceptClaimResponse, BlockTimeRequest, BlockTimeResponse, BlockedTime,
    CancelBookingRequest, CancelBookingResponse, CancellationRefund, CancelledBy,
    FindBookingsRequest, FindBookingsResponse, GetBookingHistoryRequest, GetBookingHistoryResponse,
    GetJoinPageRequest, GetJoinPageResponse, GetOwnRoleRequest, GetOwnRoleResponse,
    ListBlockedTimesRequest, ListBlockedTimesResponse, ListBookingsRequest, ListBookingsResponse,
    ListParkedEventsRequest, ListParkedEventsResponse, MarkAttendanceRequest,
    MarkAttendanceResponse, MoveBookingRequest, MoveBookingResponse, PreviewCancellationRequest,
    PreviewCancellationResponse, PreviewMoveRequest, PreviewMoveResponse, ProposeMoveRequest,
    ProposeMoveResponse, ReleaseHoldRequest, ReleaseHoldResponse, RequestPhoneBookingRequest,
    RequestPhoneBookingResponse, RetryParkedEventsRequest, RetryParkedEventsResponse,
    SendPaymentPageRequest, SendPaymentPageResponse, StaffBooking, UnblockTimeRequest,
    UnblockTimeResponse, WithdrawMoveProposalRequest, WithdrawMoveProposalResponse,
};
use contract::convert::{practice_late_to_wire, to_wire};
use eventstore::{Act, StaffAuthorizer};
use kernel::Id;
use kernel::id::{Block, Booking, Kind};
use messaging::{ParkedEvents, history};
use runtime::caller::Users;
use runtime::status::to_status;
use service::ParkedHandler;
use staff::{Level, Role, Staff};
use tonic::{Request, Response, Status};

use super::agreement::{wire_accepted_terms, wire_consent};
use super::audited::audited;
use super::ownership::record_booking_id;
use super::public::wire_grace;
use super::wire_role::wire_role;
use super::wire_staff::{wire_blocked_time, wire_booking, wire_reason};
use crate::app::App;
use crate::app::accept_claim::{self, accept_claim};
use crate::app::block_time::{self, block_time};
use crate::app::booking_history::booking_history;
use crate::app::cancel_booking::{self, Cancelled, cancel_booking, preview_cancellation};
use crate::app::find_bookings::find_bookings;
use crate::app::join_page::join_page;
use crate::app::list_bookings::{list_blocked_times, list_bookings};
use crate::app::mark_attendance::{self, mark_attendance};
use crate::app::move_booking::{self, move_booking};
use crate::app::move_times::preview_move;
use crate::app::propose_move::{self, propose_move, withdraw_move_proposal};
use crate::app::release_hold::{self, release_hold};
use crate::app::request_phone_booking::request_phone_booking;
use crate::app::requester::PHONE_METHOD;
use crate::app::send_payment_page::{self, key_for_staff, send_payment_page};
use crate::app::staff_scope::{Scope, scope_of};
use crate::app::standing::StaffTable;
use crate::app::unblock_time::{self, unblock_time};
use crate::error::Error;
use crate::read_model::query;
use crate::read_model::staff::role_of;
use crate::read_model::view;

/// The handler of the staff service.
#[derive(Debug, Clone)]
pub struct StaffHandler {
    app: Arc<App>,
    users: Users,
    authorizer: StaffAuthorizer,
    parked: ParkedHandler,
}

impl StaffHandler {
    /// A handler for calls of staff, whose roles are in this service's table.
    #[must_use]
    pub fn new(app: Arc<App>, users: Users, parked: ParkedEvents) -> Self {
        let roles = Arc::new(StaffTable(app.store.clone()));
        let authorizer = StaffAuthorizer::new(users.clone(), roles, app.store.clone());
        let parked = ParkedHandler::new(authorizer.clone(), parked);
        Self { app, users, authorizer, parked }
    }

    async fn scope(&self, staff: Staff) -> Result<Scope, Status> {
        scope_of(&self.app, staff).await.map_err(|error| to_status(&error))
    }

    /// The scope of a staff member, to which a booking must belong.
    async fn scope_with_booking(
        &self,
        (staff, act): (Staff, Act<'_>),
        booking_id: &str,
    ) -> Result<Scope, Status> {
        let scope = self.scope(staff).await?;
        let checked = scope.check_booking(&self.app, booking_id).await;
        audited(&self.authorizer, staff, act, checked).await?;
        Ok(scope)
    }

    /// The key of a booking's page, which the caller sees.
    async fn page_key(
        &self,
        id: Id<Booking>,
        staff: Staff,
        method: &str,
        key: &str,
    ) -> Result<String, Status> {
        let key = key_for_staff(&self.app, id, staff, method, key).await;
        key.map_err(|error| to_status(&error))
    }

    async fn booking(
        &self,
        id: Id<Booking>,
        scope: &Scope,
    ) -> Result<Option<StaffBooking>, Status> {
        record_booking_id(id);
        let view = view::load(self.app.store.pool(), &self.app.practice, id).await;
        let view = view.map_err(|error| to_status(&Error::from(error)))?;
        Ok(view.map(|view| wire_booking(scope.shown(view))))
    }

    async fn blocked(&self, id: Id<Block>) -> Result<Option<BlockedTime>, Status> {
        let blocked = query::block(self.app.store.pool(), id).await;
        let blocked = blocked.map_err(|error| to_status(&Error::from(error)))?;
        Ok(blocked.as_ref().map(|blocked| wire_blocked_time(&self.app.practice, blocked)))
    }
}

/// Others than managers may only cancel for the customer and by the policy, practitioners their own
/// bookings. A cancellation by the practice always refunds everything.
fn who_may_cancel(refund: i32, cancelled_by: i32) -> &'static [Role] {
    let by_policy = refund == i32::from(CancellationRefund::Unspecified);
    let own_wish = cancelled_by == i32::from(CancelledBy::Practice);
    if by_policy && !own_wish { Role::ALL } else { Role::MANAGERS }
}

/// The subject for the audit log: a well-formed id, or nothing.
fn subject<K: Kind>(text: &str) -> &str {
    if text.parse::<Id<K>>().is_ok() { text } else { "" }
}

fn without_subject(action: &'static str) -> Act<'static> {
    Act { action, subject: "" }
}

#[tonic::async_trait]
impl BookingStaffService for StaffHandler {
    /// Not recorded in the audit log: callers ask for their own role only.
    async fn get_own_role(
        &self,
        request: Request<GetOwnRoleRequest>,
    ) -> Result<Response<GetOwnRoleResponse>, Status> {
        let user = self.users.verify(request.metadata()).await?;
        let role = role_of(self.app.store.pool(), user.customer).await;
        let role = role.map_err(|error| to_status(&Error::unavailable(error)))?;
        Ok(Response::new(GetOwnRoleResponse { role: wire_role(role).into() }))
    }

    async fn list_bookings(
        &self,
        request: Request<ListBookingsRequest>,
    ) -> Result<Response<ListBookingsResponse>, Status> {
        let act = without_subject("ListBookings");
        let staff = self.authorizer.authorize(request.metadata(), act, Role::ALL).await?;
        let scope = self.scope(staff).await?;
        let listed = list_bookings(&self.app, request.get_ref(), &scope).await;
        let listed = audited(&self.authorizer, staff, act, listed).await?;
        self.authorizer.audit_read(staff, Act { subject: &listed.range, ..act }).await?;
        let bookings = listed.found.into_iter().map(wire_booking).collect();
        Ok(Response::new(ListBookingsResponse {
            bookings,
            more: listed.more,
            from_date: listed.first,
        }))
    }

    async fn list_blocked_times(
        &self,
        request: Request<ListBlockedTimesRequest>,
    ) -> Result<Response<ListBlockedTimesResponse>, Status> {
        let act = without_subject("ListBlockedTimes");
        let staff = self.authorizer.authorize(request.metadata(), act, Role::ALL).await?;
        let scope = self.scope(staff).await?;
        let listed = list_blocked_times(&self.app, request.get_ref(), &scope).await;
        let listed = audited(&self.authorizer, staff, act, listed).await?;
        self.authorizer.audit_read(staff, Act { subject: &listed.range, ..act }).await?;
        let practice = &self.app.practice;
        let blocked_times =
            listed.found.iter().map(|time| wire_blocked_time(practice, time)).collect();
        Ok(Response::new(ListBlockedTimesResponse { blocked_times }))
    }

    async fn block_time(
        &self,
        request: Request<BlockTimeRequest>,
    ) -> Result<Response<BlockTimeResponse>, Status> {
        let act = without_subject(block_time::METHOD);
        let staff = self.authorizer.authorize(request.metadata(), act, Role::ALL).await?;
        let mut request = request.into_inner();
        let scope = self.scope(staff).await?;
        let own = scope.practitioner(std::mem::take(&mut request.practitioner_id));
        request.practitioner_id = audited(&self.authorizer, staff, act, own).await?;
        let blocked = block_time(&self.app, staff, request).await;
        let id = audited(&self.authorizer, staff, act, blocked).await?;
        let blocked_time = self.blocked(id).await?;
        Ok(Response::new(BlockTimeResponse { blocked_time }))
    }

    async fn unblock_time(
        &self,
        request: Request<UnblockTimeRequest>,
    ) -> Result<Response<UnblockTimeResponse>, Status> {
        let (metadata, _extensions, request) = request.into_parts();
        let block_id = request.block_id.clone();
        let act = Act { action: unblock_time::METHOD, subject: subject::<Block>(&block_id) };
        let staff = self.authorizer.authorize(&metadata, act, Role::ALL).await?;
        let scope = self.scope(staff).await?;
        let opened = unblock_time(&self.app, (staff, &scope), request).await;
        audited(&self.authorizer, staff, act, opened).await?;
        Ok(Response::new(UnblockTimeResponse {}))
    }

    async fn cancel_booking(
        &self,
        request: Request<CancelBookingRequest>,
    ) -> Result<Response<CancelBookingResponse>, Status> {
        let (metadata, _extensions, request) = request.into_parts();
        let booking_id = request.booking_id.clone();
        let act = Act { action: cancel_booking::METHOD, subject: subject::<Booking>(&booking_id) };
        let allowed = who_may_cancel(request.refund, request.cancelled_by);
        // Against the policy it gives money back as a refund does.
        let is_plain = allowed == Role::ALL;
        let level = if is_plain { Level::of(act.action) } else { Level::JustNow };
        let staff = self.authorizer.authorize_at(&metadata, act, (allowed, level)).await?;
        let scope = self.scope_with_booking((staff, act), &booking_id).await?;
        let cancelled = cancel_booking(&self.app, staff, request).await;
        let Cancelled { id, refund, unpaid } =
            audited(&self.authorizer, staff, act, cancelled).await?;
        let (booking, refund) = (self.booking(id, &scope).await?, Some(refund.into()));
        Ok(Response::new(CancelBookingResponse { booking, refund, unpaid }))
    }

    async fn preview_cancellation(
        &self,
        request: Request<PreviewCancellationRequest>,
    ) -> Result<Response<PreviewCancellationResponse>, Status> {
        let (metadata, _extensions, request) = request.into_parts();
        let booking_id = request.booking_id.clone();
        let act = Act { action: "PreviewCancellation", subject: subject::<Booking>(&booking_id) };
        let allowed = who_may_cancel(request.refund, request.cancelled_by);
        let staff = self.authorizer.authorize(&metadata, act, allowed).await?;
        let scope = self.scope_with_booking((staff, act), &booking_id).await?;
        let preview = preview_cancellation(&self.app, staff, &request).await;
        let preview = audited(&self.authorizer, staff, act, preview).await?;
        self.authorizer.audit_read(staff, act).await?;
        let booking = self.booking(preview.id, &scope).await?;
        let all = booking.as_ref().and_then(|staff| staff.booking.as_ref());
        let all = all.map(|booking| booking.sessions.as_slice()).unwrap_or_default();
        let of_number = |number: &usize| all.get(number.checked_sub(1)?).cloned();
        let sessions = preview.sum.sessions.iter().filter_map(of_number).collect();
        Ok(Response::new(PreviewCancellationResponse {
            booking,
            sessions,
            refund: Some(preview.sum.refund.into()),
            unpaid: preview.sum.unpaid,
            practice_late: practice_late_to_wire(preview.practice_late),
            grace: preview.grace.map(wire_grace),
        }))
    }

    async fn preview_move(
        &self,
        request: Request<PreviewMoveRequest>,
    ) -> Result<Response<PreviewMoveResponse>, Status> {
        let (metadata, _extensions, request) = request.into_parts();
        let booking_id = request.booking_id.clone();
        let act = Act { action: "PreviewMove", subject: subject::<Booking>(&booking_id) };
        let staff = self.authorizer.authorize(&metadata, act, Role::ALL).await?;
        let scope = self.scope_with_booking((staff, act), &booking_id).await?;
        let own = scope.practitioner(request.practitioner_id.clone());
        audited(&self.authorizer, staff, act, own).await?;
        let times = preview_move(&self.app, &request).await;
        let (id, slots) = audited(&self.authorizer, staff, act, times).await?;
        self.authorizer.audit_read(staff, act).await?;
        let booking = self.booking(id, &scope).await?;
        Ok(Response::new(PreviewMoveResponse { booking, slots: Some(slots) }))
    }

    async fn move_booking(
        &self,
        request: Request<MoveBookingRequest>,
    ) -> Result<Response<MoveBookingResponse>, Status> {
        let (metadata, _extensions, request) = request.into_parts();
        let booking_id = request.booking_id.clone();
        let act = Act { action: move_booking::METHOD, subject: subject::<Booking>(&booking_id) };
        let staff = self.authorizer.authorize(&metadata, act, Role::ALL).await?;
        let scope = self.scope_with_booking((staff, act), &booking_id).await?;
        let own = scope.practitioner(request.practitioner_id.clone());
        audited(&self.authorizer, staff, act, own).await?;
        let moved = move_booking(&self.app, staff, request).await;
        let id = audited(&self.authorizer, staff, act, moved).await?;
        let booking = self.booking(id, &scope).await?;
        Ok(Response::new(MoveBookingResponse { booking }))
    }

    async fn release_hold(
        &self,
        request: Request<ReleaseHoldRequest>,
    ) -> Result<Response<ReleaseHoldResponse>, Status> {
        let (metadata, _extensions, request) = request.into_parts();
        let booking_id = request.booking_id.clone();
        let act = Act { action: release_hold::METHOD, subject: subject::<Booking>(&booking_id) };
        let staff = self.authorizer.authorize(&metadata, act, Role::ALL).await?;
        let scope = self.scope_with_booking((staff, act), &booking_id).await?;
        let released = release_hold(&self.app, staff, request).await;
        let id = audited(&self.authorizer, staff, act, released).await?;
        let booking = self.booking(id, &scope).await?;
        Ok(Response::new(ReleaseHoldResponse { booking }))
    }

    async fn mark_attendance(
        &self,
        request: Request<MarkAttendanceRequest>,
    ) -> Result<Response<MarkAttendanceResponse>, Status> {
        let (metadata, _extensions, request) = request.into_parts();
        let booking_id = request.booking_id.clone();
        let act = Act { action: mark_attendance::METHOD, subject: subject::<Booking>(&booking_id) };
        let staff = self.authorizer.authorize(&metadata, act, Role::ALL).await?;
        let scope = self.scope_with_booking((staff, act), &booking_id).await?;
        let marked = mark_attendance(&self.app, staff, request).await;
        let id = audited(&self.authorizer, staff, act, marked).await?;
        let booking = self.booking(id, &scope).await?;
        Ok(Response::new(MarkAttendanceResponse { booking }))
    }

    async fn find_bookings(
        &self,
        request: Request<FindBookingsRequest>,
    ) -> Result<Response<FindBookingsResponse>, Status> {
        let act = without_subject("FindBookings");
        let staff = self.authorizer.authorize(request.metadata(), act, Role::ALL).await?;
        let scope = self.scope(staff).await?;
        let found = find_bookings(&self.app, &request.get_ref().reference, &scope).await;
        let found = audited(&self.authorizer, staff, act, found).await?;
        self.authorizer.audit_read(staff, act).await?;
        let bookings = found.into_iter().map(wire_booking).collect();
        Ok(Response::new(FindBookingsResponse { bookings }))
    }

    async fn accept_claim(
        &self,
        request: Request<AcceptClaimRequest>,
    ) -> Result<Response<AcceptClaimResponse>, Status> {
        let (metadata, _extensions, request) = request.into_parts();
        let booking_id = request.booking_id.clone();
        let act = Act { action: accept_claim::METHOD, subject: subject::<Booking>(&booking_id) };
        let staff = self.authorizer.authorize(&metadata, act, Role::MANAGERS).await?;
        let accepted = accept_claim(&self.app, staff, request).await;
        let id = audited(&self.authorizer, staff, act, accepted).await?;
        let booking = self.booking(id, &self.scope(staff).await?).await?;
        Ok(Response::new(AcceptClaimResponse { booking }))
    }

    async fn request_phone_booking(
        &self,
        request: Request<RequestPhoneBookingRequest>,
    ) -> Result<Response<RequestPhoneBookingResponse>, Status> {
        let act = without_subject(PHONE_METHOD);
        let staff = self.authorizer.authorize(request.metadata(), act, Role::ALL).await?;
        let mut request = request.into_inner();
        let scope = self.scope(staff).await?;
        let own = scope.practitioner(std::mem::take(&mut request.practitioner_id));
        request.practitioner_id = audited(&self.authorizer, staff, act, own).await?;
        let key = request.idempotency_key.clone();
        let held = request_phone_booking(&self.app, staff, request).await;
        let held = audited(&self.authorizer, staff, act, held).await?;
        record_booking_id(held.id);
        let page_key = self.page_key(held.id, staff, PHONE_METHOD, &key).await?;
        let booking = wire_booking(scope.shown(held.view));
        Ok(Response::new(RequestPhoneBookingResponse { booking: Some(booking), page_key }))
    }

    async fn send_payment_page(
        &self,
        request: Request<SendPaymentPageRequest>,
    ) -> Result<Response<SendPaymentPageResponse>, Status> {
        let (metadata, _extensions, request) = request.into_parts();
        let booking_id = request.booking_id.clone();
        let act =
            Act { action: send_payment_page::METHOD, subject: subject::<Booking>(&booking_id) };
        let staff = self.authorizer.authorize(&metadata, act, Role::ALL).await?;
        let scope = self.scope_with_booking((staff, act), &booking_id).await?;
        let key = request.idempotency_key.clone();
        let sent = send_payment_page(&self.app, staff, request).await;
        let id = audited(&self.authorizer, staff, act, sent).await?;
        let page_key = self.page_key(id, staff, send_payment_page::METHOD, &key).await?;
        let booking = self.booking(id, &scope).await?;
        Ok(Response::new(SendPaymentPageResponse { booking, page_key }))
    }

    async fn get_join_page(
        &self,
        request: Request<GetJoinPageRequest>,
    ) -> Result<Response<GetJoinPageResponse>, Status> {
        let booking_id = request.get_ref().booking_id.clone();
        let act = Act { action: "GetJoinPage", subject: subject::<Booking>(&booking_id) };
        let staff = self.authorizer.authorize(request.metadata(), act, Role::ALL).await?;
        let scope = self.scope_with_booking((staff, act), &booking_id).await?;
        let page = join_page(&self.app, &booking_id, &scope).await;
        let page = audited(&self.authorizer, staff, act, page).await?;
        self.authorizer.audit_read(staff, act).await?;
        Ok(Response::new(page))
    }

    async fn propose_move(
        &self,
        request: Request<ProposeMoveRequest>,
    ) -> Result<Response<ProposeMoveResponse>, Status> {
        let (metadata, _extensions, request) = request.into_parts();
        let booking_id = request.booking_id.clone();
        let act = Act { action: propose_move::METHOD, subject: subject::<Booking>(&booking_id) };
        let staff = self.authorizer.authorize(&metadata, act, Role::ALL).await?;
        let scope = self.scope_with_booking((staff, act), &booking_id).await?;
        let proposed = propose_move(&self.app, staff, request).await;
        let id = audited(&self.authorizer, staff, act, proposed).await?;
        let booking = self.booking(id, &scope).await?;
        Ok(Response::new(ProposeMoveResponse { booking }))
    }

    async fn withdraw_move_proposal(
        &self,
        request: Request<WithdrawMoveProposalRequest>,
    ) -> Result<Response<WithdrawMoveProposalResponse>, Status> {
        let (metadata, _extensions, request) = request.into_parts();
        let booking_id = request.booking_id.clone();
        let act = Act { action: propose_move::WITHDRAW, subject: subject::<Booking>(&booking_id) };
        let staff = self.authorizer.authorize(&metadata, act, Role::ALL).await?;
        let scope = self.scope_with_booking((staff, act), &booking_id).await?;
        let withdrawn = withdraw_move_proposal(&self.app, staff, &request).await;
        let id = audited(&self.authorizer, staff, act, withdrawn).await?;
        let booking = self.booking(id, &scope).await?;
        Ok(Response::new(WithdrawMoveProposalResponse { booking }))
    }

    async fn get_booking_history(
        &self,
        request: Request<GetBookingHistoryRequest>,
    ) -> Result<Response<GetBookingHistoryResponse>, Status> {
        let booking_id = request.get_ref().booking_id.clone();
        let act = Act { action: "GetBookingHistory", subject: subject::<Booking>(&booking_id) };
        let staff = self.authorizer.authorize(request.metadata(), act, Role::MANAGERS).await?;
        let found = booking_history(&self.app, &booking_id).await;
        let found = audited(&self.authorizer, staff, act, found).await?;
        self.authorizer.audit_read(staff, act).await?;
        let scope = self.scope(staff).await?;
        Ok(Response::new(GetBookingHistoryResponse {
            booking: Some(wire_booking(scope.shown(found.view))),
            terms_accepted_at: found.terms_accepted_at.map(to_wire),
            entries: history(&found.events),
            consent: found.consent.map(wire_consent),
            accepted_terms: found.accepted_terms.map(wire_accepted_terms),
            move_reasons: found.move_reasons.into_iter().map(wire_reason).collect(),
        }))
    }

    async fn list_parked_events(
        &self,
        request: Request<ListParkedEventsRequest>,
    ) -> Result<Response<ListParkedEventsResponse>, Status> {
        let events = self.parked.list(request.metadata()).await?;
        Ok(Response::new(ListParkedEventsResponse { events }))
    }

    async fn retry_parked_events(
        &self,
        request: Request<RetryParkedEventsRequest>,
    ) -> Result<Response<RetryParkedEventsResponse>, Status> {
        let (metadata, _extensions, asked) = request.into_parts();
        let (handled, events) = self.parked.retry(&metadata, &asked.stream_id).await?;
        Ok(Response::new(RetryParkedEventsResponse { handled, events }))
    }
}
