//! The internal service, for other services. The gateway does not route it; each method checks its
//! callers.

use std::sync::Arc;

use contract::booking::v1::booking_internal_service_server::BookingInternalService;
use contract::booking::v1::{
    Attendance, GetBookingContactRequest, GetBookingContactResponse, GetBookingFactsRequest,
    GetBookingFactsResponse, GetConsentCodeMailRequest, GetConsentCodeMailResponse,
    GetStaffInvitationRequest, GetStaffInvitationResponse, GetStaffRoleRequest,
    GetStaffRoleResponse, GetWaitingOfferRequest, GetWaitingOfferResponse, ListDaySessionsRequest,
    ListDaySessionsResponse, Session, SessionMark, SessionMode,
};
use contract::convert::to_wire;
use kernel::id::{Booking, Customer, StaffInvitation};
use kernel::{CommandError, Id};
use runtime::caller::{Aal, Peers};
use runtime::status::{reject, to_status};
use staff::Staff;
use tonic::{Request, Response, Status};

use super::calendar;
use super::ownership::parse;
use crate::app::App;
use crate::app::consent_codes::{CodeMail, code_mail};
use crate::app::join_page::{address, mailed_room};
use crate::app::list_bookings::list_day_sessions;
use crate::app::mail_preferences::to_wire as to_wire_preferences;
use crate::app::page_keys::{NewPageKey, PageKeyPurpose, find_open, find_session_page, issue};
use crate::app::payment_page::consent_missing;
use crate::app::staff_scope::scope_of;
use crate::app::standing::standing_of;
use crate::app::suggested_times::suggested_times;
use crate::app::waiting::offer_mail;
use crate::domain::booking::Origin;
use crate::domain::consent::code::{CodePurpose, CodesOf};
use crate::domain::organisation::{InvitationState, OrganisationError};
use crate::error::{Error, Rejection};
use crate::read_model::staff::role_of;
use crate::read_model::view::{self, View};
use crate::read_model::{invitations, members};
use crate::repository::mail_preferences;

/// The keys of a mail: of the page of payment, of the page that leads to the sessions, and of the
/// page of a booking without one of payment.
#[derive(Default)]
struct MailKeys {
    page: String,
    join: String,
    session: String,
}

/// The handler of the internal service.
#[derive(Debug, Clone)]
pub struct InternalHandler {
    app: Arc<App>,
    peers: Peers,
}

impl InternalHandler {
    /// A handler for calls of other services.
    #[must_use]
    pub fn new(app: Arc<App>, peers: Peers) -> Self {
        Self { app, peers }
    }

    /// The keys of a mail.
    async fn keys(
        &self,
        view: &View,
        asked: &GetBookingContactRequest,
    ) -> Result<MailKeys, Status> {
        let booking_id = parse(&view.booking.booking_id)?;
        let has_page = view.origin == Origin::Phone;
        if asked.mail_id.is_empty() {
            // A release before, whose mails all have the same key.
            let key = has_page.then(|| self.app.page_keys.key(booking_id));
            return Ok(MailKeys { page: key.unwrap_or_default(), ..MailKeys::default() });
        }
        let email = view.booking.contact.as_ref().map(|contact| contact.email.to_lowercase());
        let email = email.unwrap_or_default();
        let issue = async |purpose, is_wanted: bool| {
            if !is_wanted {
                return Ok(String::new());
            }
            let (made_for, mailed_to) = (asked.mail_id.as_str(), email.as_str());
            let new = NewPageKey { booking_id, purpose, made_for, mailed_to, seen_by_staff: false };
            issue(&self.app, &new).await.map_err(|error| to_status(&error))
        };
        let page = issue(PageKeyPurpose::Page, has_page && asked.page_key_wanted).await?;
        let is_joined = asked.join_key_wanted && view.booking.mode() == SessionMode::Online;
        let join = issue(PageKeyPurpose::Join, is_joined).await?;
        let is_session_page = asked.session_key_wanted && !has_page;
        let session = issue(PageKeyPurpose::Session, is_session_page).await?;
        Ok(MailKeys { page, join, session })
    }

    /// The mail of a code for a purpose.
    async fn code_mail(
        &self,
        asked: &GetConsentCodeMailRequest,
        purpose: CodePurpose,
    ) -> Result<Response<GetConsentCodeMailResponse>, Status> {
        let of = CodesOf { booking_id: parse(&asked.booking_id)?, purpose };
        let mail = code_mail(&self.app, of, asked.request_number).await;
        let CodeMail { email, first_name, code, minutes } =
            mail.map_err(|error| to_status(&error))?;
        let valid_minutes = i32::try_from(minutes).unwrap_or(i32::MAX);
        Ok(Response::new(GetConsentCodeMailResponse { email, first_name, code, valid_minutes }))
    }

    /// A booking exists for a member of the practice to whose scope it belongs.
    async fn check_scope(&self, staff_user_id: &str, view: &View) -> Result<(), Status> {
        let not_found = || reject(&Rejection::BookingNotFound);
        let id: Id<Customer> = staff_user_id.parse().map_err(|_malformed| not_found())?;
        let role = role_of(self.app.store.pool(), id).await;
        let role = role.map_err(|error| to_status(&Error::unavailable(error)))?;
        let staff = Staff { id, role: role.ok_or_else(not_found)? };
        let scope = scope_of(&self.app, staff).await.map_err(|error| to_status(&error))?;
        let is_its = scope.admits(&view.booking.practitioner_id);
        if is_its { Ok(()) } else { Err(not_found()) }
    }

    async fn view(&self, id: Id<Booking>) -> Result<View, Status> {
        view::load(self.app.store.pool(), &self.app.practice, id)
            .await
            .map_err(|error| to_status(&Error::from(error)))?
            .ok_or_else(|| reject(&Rejection::BookingNotFound))
    }
}

/// The times to choose from, where the practice asks for another one.
async fn suggested_for(app: &App, view: &View) -> Result<Vec<prost_types::Timestamp>, Error> {
    let now = app.store.now().await?;
    suggested_times(app, view, now).await
}

/// The first and the last session that take place; of all, where none does.
fn outermost(sessions: &[Session]) -> (Option<&Session>, Option<&Session>) {
    let kept = || sessions.iter().filter(|session| !session.cancelled);
    (kept().next().or(sessions.first()), kept().next_back().or(sessions.last()))
}

#[tonic::async_trait]
impl BookingInternalService for InternalHandler {
    async fn get_booking_facts(
        &self,
        request: Request<GetBookingFactsRequest>,
    ) -> Result<Response<GetBookingFactsResponse>, Status> {
        self.peers.verify(request.metadata(), &["payments"])?;
        let asked = request.into_inner();
        let view = if asked.page_key.is_empty() {
            self.view(parse(&asked.booking_id)?).await?
        } else {
            // Payments knows no key that has ended.
            let found = if asked.reads_only {
                find_session_page(&self.app, &asked.page_key).await
            } else {
                find_open(&self.app, &asked.page_key, PageKeyPurpose::Page).await
            };
            let found = found.map_err(|error| match error {
                CommandError::Rejected(_) => reject(&Rejection::BookingNotFound),
                other => to_status(&other),
            });
            found?.view
        };
        if !asked.staff_user_id.is_empty() {
            self.check_scope(&asked.staff_user_id, &view).await?;
        }
        let consent_missing = consent_missing(&self.app, &view).await;
        let consent_missing = consent_missing.map_err(|error| to_status(&error))?;
        let (first, last) = outermost(&view.booking.sessions);
        let first_starts_at = first.and_then(|session| session.starts_at);
        let ends_at = last.and_then(|session| session.ends_at);
        Ok(Response::new(GetBookingFactsResponse {
            terms_missing: view.terms_missing,
            consent_missing,
            by_phone: view.origin.is_by_phone(),
            customer_id: view.customer_id.to_string(),
            booking_id: view.booking.booking_id,
            price: view.booking.price,
            held_until_at: view.booking.held_until_at,
            state: view.booking.state,
            starts_at: view.booking.sessions.last().and_then(|session| session.starts_at),
            ends_at,
            first_starts_at,
        }))
    }

    async fn get_booking_contact(
        &self,
        request: Request<GetBookingContactRequest>,
    ) -> Result<Response<GetBookingContactResponse>, Status> {
        self.peers.verify(request.metadata(), &["notifications"])?;
        let asked = request.into_inner();
        let mut view = self.view(parse(&asked.booking_id)?).await?;
        let practice = &self.app.practice;
        let keys = self.keys(&view, &asked).await?;
        let join = address(&self.app, &view.booking.booking_id, &keys.join);
        let calendar_file = match usize::try_from(asked.cancelled_session_number) {
            Ok(number @ 1..) => calendar::cancellation_of(practice, &view, number),
            _ => calendar::file(practice, &view, &join)
                .or_else(|| calendar::cancellation(practice, &view)),
        };
        let calendar_file = calendar_file.unwrap_or_default();
        let suggested = suggested_for(&self.app, &view).await;
        let suggested_starts_at = suggested.map_err(|error| to_status(&error))?;
        let named = mailed_room(&self.app, &mut view.booking).await;
        named.map_err(|error| to_status(&error))?;
        let chosen = mail_preferences::of(self.app.store.pool(), view.customer_id).await;
        let chosen = chosen.map_err(|error| to_status(&Error::from(error)))?;
        Ok(Response::new(GetBookingContactResponse {
            booking: Some(view.booking),
            calendar_file,
            page_key: keys.page,
            join_key: keys.join,
            session_key: keys.session,
            attended_sessions: attended(&view.marks),
            mail_preferences: chosen.as_ref().map(to_wire_preferences),
            suggested_starts_at,
        }))
    }

    async fn get_consent_code_mail(
        &self,
        request: Request<GetConsentCodeMailRequest>,
    ) -> Result<Response<GetConsentCodeMailResponse>, Status> {
        self.peers.verify(request.metadata(), &["notifications"])?;
        let asked = request.into_inner();
        self.code_mail(&asked, CodePurpose::Consent).await
    }

    async fn get_page_code_mail(
        &self,
        request: Request<GetConsentCodeMailRequest>,
    ) -> Result<Response<GetConsentCodeMailResponse>, Status> {
        self.peers.verify(request.metadata(), &["notifications"])?;
        let asked = request.into_inner();
        self.code_mail(&asked, CodePurpose::Page).await
    }

    async fn get_waiting_offer(
        &self,
        request: Request<GetWaitingOfferRequest>,
    ) -> Result<Response<GetWaitingOfferResponse>, Status> {
        self.peers.verify(request.metadata(), &["notifications"])?;
        let mail = offer_mail(&self.app, &request.get_ref().offer_id).await;
        mail.map(Response::new).map_err(|error| to_status(&error))
    }

    async fn list_day_sessions(
        &self,
        request: Request<ListDaySessionsRequest>,
    ) -> Result<Response<ListDaySessionsResponse>, Status> {
        self.peers.verify(request.metadata(), &["notifications"])?;
        let listed = list_day_sessions(&self.app, &request.get_ref().date).await;
        let bookings = listed.map_err(|error| to_status(&error))?;
        Ok(Response::new(ListDaySessionsResponse { bookings }))
    }

    async fn get_staff_role(
        &self,
        request: Request<GetStaffRoleRequest>,
    ) -> Result<Response<GetStaffRoleResponse>, Status> {
        self.peers.verify(request.metadata(), &["payments", "notifications", "reviews"])?;
        let GetStaffRoleRequest { user_id, used_second_factor } = request.into_inner();
        let Ok(person) = user_id.parse::<Id<Customer>>() else {
            return Ok(Response::new(GetStaffRoleResponse::default()));
        };
        let reach = if used_second_factor { Aal::Aal2 } else { Aal::Aal1 };
        let standing = standing_of(self.app.store.pool(), person, reach)
            .await
            .map_err(|error| to_status(&Error::unavailable(error)))?;
        Ok(Response::new(standing.map_or_else(GetStaffRoleResponse::default, |standing| {
            let second_factor_required = standing.needs_second_factor;
            GetStaffRoleResponse { role: standing.role.word().to_owned(), second_factor_required }
        })))
    }

    async fn get_staff_invitation(
        &self,
        request: Request<GetStaffInvitationRequest>,
    ) -> Result<Response<GetStaffInvitationResponse>, Status> {
        self.peers.verify(request.metadata(), &["notifications"])?;
        let gone = || reject(&Rejection::from(OrganisationError::InvitationNotFound));
        let failed = |error| to_status(&Error::from(error));
        let id: Id<StaffInvitation> =
            request.into_inner().invitation_id.parse().map_err(|_malformed| gone())?;
        let pool = self.app.store.pool();
        let found = invitations::with_token(pool, id).await.map_err(failed)?;
        let (invitation, (token, hash)) = found.ok_or_else(gone)?;
        let now = self.app.store.now().await.map_err(failed)?;
        if invitation.state(now) != InvitationState::Pending {
            return Err(gone());
        }
        let inviter = invitation.invited_by;
        let mut addresses = members::addresses(pool, &[inviter]).await.map_err(failed)?;
        Ok(Response::new(GetStaffInvitationResponse {
            email: invitation.email,
            role: invitation.role.word().to_owned(),
            invited_by: addresses.remove(&inviter).unwrap_or_default(),
            key: self.app.invitation_keys.key(token, &hash).ok_or_else(gone)?,
            expires_at: Some(to_wire(invitation.expires_at)),
        }))
    }
}

/// The numbers of the sessions to which the client came, as staff said.
fn attended(marks: &[SessionMark]) -> Vec<i32> {
    let came =
        |mark: &&SessionMark| matches!(mark.attendance(), Attendance::Came | Attendance::Late);
    marks.iter().filter(came).map(|mark| mark.session_number).collect()
}

#[cfg(test)]
mod tests {
    use contract::booking::v1::Session;

    use super::outermost;

    #[test]
    fn a_cancelled_session_is_neither_the_first_nor_the_last() {
        let of = |cancelled: [bool; 3]| {
            let session = |(cancelled, moves)| Session { cancelled, moves, ..Session::default() };
            let sessions: Vec<Session> = cancelled.into_iter().zip(1..).map(session).collect();
            let (first, last) = outermost(&sessions);
            (first.map(|one| one.moves), last.map(|one| one.moves))
        };
        assert_eq!(of([false, false, false]), (Some(1), Some(3)));
        assert_eq!(of([true, false, true]), (Some(2), Some(2)));
        assert_eq!(of([true, true, true]), (Some(1), Some(3)));
        assert_eq!(outermost(&[]), (None, None));
    }
}
