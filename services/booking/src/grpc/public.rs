//! The public service, called through the gateway. A booking does not exist for callers who don't
//! own it.

use std::pin::Pin;
use std::sync::Arc;

use contract::booking::v1 as wire;
use contract::booking::v1::booking_service_server::BookingService;
use contract::booking::v1::{
    AdoptBookingsRequest, AdoptBookingsResponse, Booking as WireBooking, CancelOwnBookingRequest,
    CancelOwnBookingResponse, CorrectContactRequest, CorrectContactResponse, GetBookingRequest,
    GetBookingResponse, GetCalendarFileRequest, GetCalendarFileResponse, GetMailPreferencesRequest,
    GetMailPreferencesResponse, ListOwnBookingsRequest, ListOwnBookingsResponse, ListSlotsRequest,
    ListSlotsResponse, MoveOwnBookingRequest, MoveOwnBookingResponse, OpenCheckoutRequest,
    OpenCheckoutResponse, PreviewOwnCancellationRequest, PreviewOwnCancellationResponse,
    PreviewOwnMoveRequest, PreviewOwnMoveResponse, ReleaseBookingRequest, ReleaseBookingResponse,
    RequestBookingRequest, RequestBookingResponse, SetMailPreferencesRequest,
    SetMailPreferencesResponse, TellLateRequest, TellLateResponse, UndoCancellationRequest,
    UndoCancellationResponse, WatchBookingRequest, WatchBookingResponse,
};
use contract::convert::to_wire;
use futures::Stream;
use kernel::Id;
use kernel::id::{Booking, Customer};
use runtime::Shutdown;
use runtime::caller::{User, Users};
use runtime::status::{reject, to_status};
use tonic::{Request, Response, Status};

use super::calendar;
use super::ownership::{load_owned, parse, record_booking_id};
use super::watch;
use super::watched_versions::WatchedVersions;
use crate::app::App;
use crate::app::adopt_bookings::adopt_bookings;
use crate::app::consent_proof;
use crate::app::free_session::Client;
use crate::app::grace::GraceUse;
use crate::app::join_page::address;
use crate::app::list_slots::list_slots;
use crate::app::mail_preferences::{get_mail_preferences, set_mail_preferences};
use crate::app::move_booking::move_own_booking;
use crate::app::move_times::preview_own_move;
use crate::app::open_checkout::open_checkout;
use crate::app::own_bookings::list_own_bookings;
use crate::app::own_cancellation::{
    ShownCancellation, cancel_own_booking, preview_own_cancellation, undo_cancellation,
};
use crate::app::own_details::{correct_contact, tell_late};
use crate::app::release_booking::release_booking;
use crate::app::request_booking::request_booking;
use crate::domain::consent::proof::{Channel, Proof};
use crate::error::Rejection;

/// The handler of the public service.
#[derive(Debug, Clone)]
pub struct PublicHandler {
    app: Arc<App>,
    users: Users,
    shutdown: Shutdown,
    versions: WatchedVersions,
}

impl PublicHandler {
    /// A handler for calls of signed-in users.
    #[must_use]
    pub fn new(app: Arc<App>, users: Users, shutdown: Shutdown) -> Self {
        let versions = WatchedVersions::new(app.store.clone());
        Self { app, users, shutdown, versions }
    }

    async fn wire_booking(
        &self,
        customer: Id<Customer>,
        id: Id<Booking>,
    ) -> Result<Option<WireBooking>, Status> {
        Ok(Some(load_owned(&self.app, customer, id).await?.booking))
    }
}

/// What a client's own cancellation would do, on the wire.
pub(super) fn wire_cancellation(shown: &ShownCancellation) -> PreviewOwnCancellationResponse {
    let own = &shown.own;
    let numbers = own.sessions.iter().filter_map(|number| i32::try_from(*number).ok());
    PreviewOwnCancellationResponse {
        session_numbers: numbers.collect(),
        refund: Some(own.refund.into()),
        at_once: own.at_once,
        grace: shown.grace.map(wire_grace),
    }
}

/// What comes back by grace, on the wire.
pub(super) fn wire_grace(used: GraceUse) -> wire::GraceUse {
    wire::GraceUse { refund: Some(used.refund.into()), again_at: Some(to_wire(used.again_at)) }
}

/// The client of an access token.
pub(super) fn client_of(user: &User) -> Client {
    let proved = user.email_verified && !user.email.is_empty();
    let proved_email = proved.then(|| user.email.clone());
    Client { proved_email, email: user.email.clone(), ..user.customer.into() }
}

#[tonic::async_trait]
impl BookingService for PublicHandler {
    async fn list_slots(
        &self,
        request: Request<ListSlotsRequest>,
    ) -> Result<Response<ListSlotsResponse>, Status> {
        let listed = list_slots(&self.app, request.into_inner()).await;
        listed.map(Response::new).map_err(|error| to_status(&error))
    }

    async fn request_booking(
        &self,
        request: Request<RequestBookingRequest>,
    ) -> Result<Response<RequestBookingResponse>, Status> {
        let user = self.users.verify(request.metadata()).await?;
        let origin = self.app.origin_hashes.origin(request.metadata());
        let proof = Proof {
            session_id: user.session_id,
            ..consent_proof::told(request.metadata(), Channel::Account)
        };
        let client = Client { origin, proof, ..client_of(&user) };
        let held = request_booking(&self.app, client, request.into_inner())
            .await
            .map_err(|error| to_status(&error))?;
        record_booking_id(held.id);
        Ok(Response::new(RequestBookingResponse { booking: Some(held.view.booking) }))
    }

    async fn open_checkout(
        &self,
        request: Request<OpenCheckoutRequest>,
    ) -> Result<Response<OpenCheckoutResponse>, Status> {
        let user = self.users.verify(request.metadata()).await?;
        let request = request.into_inner();
        let id = parse(&request.booking_id)?;
        open_checkout(&self.app, user.customer, id, &request.idempotency_key)
            .await
            .map_err(|error| to_status(&error))?;
        let booking = self.wire_booking(user.customer, id).await?;
        Ok(Response::new(OpenCheckoutResponse { booking }))
    }

    async fn release_booking(
        &self,
        request: Request<ReleaseBookingRequest>,
    ) -> Result<Response<ReleaseBookingResponse>, Status> {
        let user = self.users.verify(request.metadata()).await?;
        let request = request.into_inner();
        let id = parse(&request.booking_id)?;
        release_booking(&self.app, user.customer, id, &request.idempotency_key)
            .await
            .map_err(|error| to_status(&error))?;
        let booking = self.wire_booking(user.customer, id).await?;
        Ok(Response::new(ReleaseBookingResponse { booking }))
    }

    async fn get_booking(
        &self,
        request: Request<GetBookingRequest>,
    ) -> Result<Response<GetBookingResponse>, Status> {
        let user = self.users.verify(request.metadata()).await?;
        let id = parse(&request.into_inner().booking_id)?;
        let booking = self.wire_booking(user.customer, id).await?;
        Ok(Response::new(GetBookingResponse { booking }))
    }

    async fn list_own_bookings(
        &self,
        request: Request<ListOwnBookingsRequest>,
    ) -> Result<Response<ListOwnBookingsResponse>, Status> {
        let user = self.users.verify(request.metadata()).await?;
        let listed = list_own_bookings(&self.app, user.customer, request.get_ref()).await;
        listed.map(Response::new).map_err(|error| to_status(&error))
    }

    async fn get_mail_preferences(
        &self,
        request: Request<GetMailPreferencesRequest>,
    ) -> Result<Response<GetMailPreferencesResponse>, Status> {
        let user = self.users.verify(request.metadata()).await?;
        let preferences = get_mail_preferences(&self.app, user.customer).await;
        preferences.map(Response::new).map_err(|error| to_status(&error))
    }

    async fn set_mail_preferences(
        &self,
        request: Request<SetMailPreferencesRequest>,
    ) -> Result<Response<SetMailPreferencesResponse>, Status> {
        let user = self.users.verify(request.metadata()).await?;
        let set = set_mail_preferences(&self.app, user.customer, request.into_inner()).await;
        set.map(Response::new).map_err(|error| to_status(&error))
    }

    async fn preview_own_cancellation(
        &self,
        request: Request<PreviewOwnCancellationRequest>,
    ) -> Result<Response<PreviewOwnCancellationResponse>, Status> {
        let user = self.users.verify(request.metadata()).await?;
        let request = request.into_inner();
        parse(&request.booking_id)?;
        let own = preview_own_cancellation(&self.app, user.customer, &request)
            .await
            .map_err(|error| to_status(&error))?;
        Ok(Response::new(wire_cancellation(&own)))
    }

    async fn cancel_own_booking(
        &self,
        request: Request<CancelOwnBookingRequest>,
    ) -> Result<Response<CancelOwnBookingResponse>, Status> {
        let user = self.users.verify(request.metadata()).await?;
        let request = request.into_inner();
        parse(&request.booking_id)?;
        let id = cancel_own_booking(&self.app, user.customer, request)
            .await
            .map_err(|error| to_status(&error))?;
        let booking = self.wire_booking(user.customer, id).await?;
        Ok(Response::new(CancelOwnBookingResponse { booking }))
    }

    async fn undo_cancellation(
        &self,
        request: Request<UndoCancellationRequest>,
    ) -> Result<Response<UndoCancellationResponse>, Status> {
        let user = self.users.verify(request.metadata()).await?;
        let request = request.into_inner();
        parse(&request.booking_id)?;
        let id = undo_cancellation(&self.app, user.customer, &request)
            .await
            .map_err(|error| to_status(&error))?;
        let booking = self.wire_booking(user.customer, id).await?;
        Ok(Response::new(UndoCancellationResponse { booking }))
    }

    async fn preview_own_move(
        &self,
        request: Request<PreviewOwnMoveRequest>,
    ) -> Result<Response<PreviewOwnMoveResponse>, Status> {
        let user = self.users.verify(request.metadata()).await?;
        let times = preview_own_move(&self.app, user.customer, request.get_ref()).await;
        times.map(Response::new).map_err(|error| to_status(&error))
    }

    async fn move_own_booking(
        &self,
        request: Request<MoveOwnBookingRequest>,
    ) -> Result<Response<MoveOwnBookingResponse>, Status> {
        let user = self.users.verify(request.metadata()).await?;
        let request = request.into_inner();
        parse(&request.booking_id)?;
        let id = move_own_booking(&self.app, user.customer, request)
            .await
            .map_err(|error| to_status(&error))?;
        let booking = self.wire_booking(user.customer, id).await?;
        Ok(Response::new(MoveOwnBookingResponse { booking }))
    }

    async fn correct_contact(
        &self,
        request: Request<CorrectContactRequest>,
    ) -> Result<Response<CorrectContactResponse>, Status> {
        let user = self.users.verify(request.metadata()).await?;
        let corrected = correct_contact(&self.app, user.customer, request.into_inner()).await;
        let id = corrected.map_err(|error| to_status(&error))?;
        let booking = self.wire_booking(user.customer, id).await?;
        Ok(Response::new(CorrectContactResponse { booking }))
    }

    async fn tell_late(
        &self,
        request: Request<TellLateRequest>,
    ) -> Result<Response<TellLateResponse>, Status> {
        let user = self.users.verify(request.metadata()).await?;
        let told = tell_late(&self.app, user.customer, request.get_ref()).await;
        let id = told.map_err(|error| to_status(&error))?;
        let booking = self.wire_booking(user.customer, id).await?;
        Ok(Response::new(TellLateResponse { booking }))
    }

    async fn get_calendar_file(
        &self,
        request: Request<GetCalendarFileRequest>,
    ) -> Result<Response<GetCalendarFileResponse>, Status> {
        let user = self.users.verify(request.metadata()).await?;
        let id = parse(&request.into_inner().booking_id)?;
        let view = load_owned(&self.app, user.customer, id).await?;
        // Its owner signs in: what is saved by hand may end in a calendar that others read.
        let join = address(&self.app, &view.booking.booking_id, "");
        let content = calendar::file(&self.app.practice, &view, &join)
            .ok_or_else(|| reject(&Rejection::NotConfirmed))?;
        let filename = calendar::filename(&self.app.practice, &view);
        Ok(Response::new(GetCalendarFileResponse { filename, content }))
    }

    async fn adopt_bookings(
        &self,
        request: Request<AdoptBookingsRequest>,
    ) -> Result<Response<AdoptBookingsResponse>, Status> {
        let user = self.users.verify(request.metadata()).await?;
        let adopted = adopt_bookings(&self.app, client_of(&user)).await;
        let adopted = adopted.map_err(|error| to_status(&error))?;
        let booking_ids = adopted.iter().map(ToString::to_string).collect();
        Ok(Response::new(AdoptBookingsResponse { booking_ids }))
    }

    type WatchBookingStream =
        Pin<Box<dyn Stream<Item = Result<WatchBookingResponse, Status>> + Send>>;

    async fn watch_booking(
        &self,
        request: Request<WatchBookingRequest>,
    ) -> Result<Response<Self::WatchBookingStream>, Status> {
        let user = self.users.verify(request.metadata()).await?;
        let id = parse(&request.into_inner().booking_id)?;
        let first = load_owned(&self.app, user.customer, id).await?;
        let (app, versions) = (Arc::clone(&self.app), self.versions.clone());
        let watch = watch::Watch { app, versions, customer: user.customer, id };
        let stream = watch.stream(first, user.time_left(), &self.shutdown);
        Ok(Response::new(Box::pin(stream)))
    }
}
