//! The page of a booking that staff made by phone. Its callers have no account: the key in its
//! address lets them in, and a wrong one finds no booking.

use std::sync::Arc;

use contract::booking::v1::payment_page_service_server::PaymentPageService;
use contract::booking::v1::{
    AcceptTermsRequest, AcceptTermsResponse, BookingState, GetPageCalendarFileRequest,
    GetPageCalendarFileResponse, GetPaymentPageRequest, GetPaymentPageResponse, PaymentPage,
    RenewPageKeyRequest, RenewPageKeyResponse, RequestConsentCodeRequest,
    RequestConsentCodeResponse,
};
use contract::common::v1::{DeskWay, Money};
use contract::convert::to_wire;
use runtime::caller::Users;
use runtime::status::{reject, to_status};
use tonic::metadata::MetadataMap;
use tonic::{Request, Response, Status};

use super::calendar;
use super::ownership::record_booking_id;
use crate::app::App;
use crate::app::consent_codes::request_consent_code;
use crate::app::consent_proof;
use crate::app::join_page::{calendar_address, key_of_page};
use crate::app::payment_page::{Page, PageSigner, accept_terms, page, refund_due_at};
use crate::app::renew_page_key::renew_page_key;
use crate::domain::booking::Origin;
use crate::domain::consent::code::VALID_MINUTES;
use crate::domain::consent::proof::Channel;
use crate::domain::page_standing::PageStanding;
use crate::error::Rejection;

/// The handler of the page's service.
#[derive(Debug, Clone)]
pub struct PaymentPageHandler {
    app: Arc<App>,
    users: Users,
}

impl PaymentPageHandler {
    /// A handler for calls with a page's key. A caller may be signed in as well.
    #[must_use]
    pub fn new(app: Arc<App>, users: Users) -> Self {
        Self { app, users }
    }

    /// Who signs. A token that is not good signs no account in: the page needs none.
    async fn signer(&self, metadata: &MetadataMap) -> PageSigner {
        let proof = consent_proof::told(metadata, Channel::Page);
        let user = match metadata.contains_key("authorization") {
            true => self.users.verify(metadata).await.ok(),
            false => None,
        };
        PageSigner { proof, account: user.map(|user| (user.customer, user.email)) }
    }

    async fn page(&self, key: &str) -> Result<Page, Status> {
        let page = page(&self.app, key).await.map_err(|error| to_status(&error))?;
        record_booking_id(page.key.booking_id);
        Ok(page)
    }
}

/// What a page shows on the wire.
pub(super) async fn wire_page(app: &App, page: Page) -> Result<PaymentPage, Status> {
    let join_key = key_of_page(app, &page.key).await.map_err(|error| to_status(&error))?;
    // What is given back at the practice's desk arrives when the client comes by.
    let is_at_desk = page.key.view.booking.paid_at_desk() != DeskWay::Unspecified;
    let is_due = page.refund.coming > 0 && !is_at_desk;
    let due_at = refund_due_at(&app.practice, &page.refund).filter(|_| is_due);
    let refund_due_at = due_at.map(to_wire);
    let booking = page.key.view.booking;
    let currency = booking.price.as_ref().map(|price| price.currency_code.clone());
    let some_money = |minor_units: i64| {
        let currency_code = currency.clone().unwrap_or_default();
        (minor_units > 0).then_some(Money { minor_units, currency_code })
    };
    let money = PaymentPage {
        booking_id: booking.booking_id,
        price: booking.price,
        state: booking.state,
        payment_state: booking.payment_state,
        terms_accepted: !page.key.view.terms_missing,
        paid: booking.paid,
        paid_at_desk: booking.paid_at_desk,
        refunded: some_money(page.refund.back),
        refund_coming: some_money(page.refund.coming),
        refund_due_at,
        refund_owed: booking.refund_owed,
        given_by_bank: booking.given_by_bank,
        ..PaymentPage::default()
    };
    if page.key.standing != PageStanding::Whole {
        return Ok(money_only(money));
    }
    Ok(PaymentPage {
        service_id: booking.service_id,
        practitioner_id: booking.practitioner_id,
        pending_cancellation: booking.pending_cancellation,
        move_proposal: booking.move_proposal,
        told_late: booking.told_late,
        of_account: page.key.view.origin != Origin::Phone,
        join_key,
        service_title: booking.service_title,
        package: booking.package,
        sessions: booking.sessions,
        cancellation_policy: booking.cancellation_policy,
        time_zone: booking.time_zone,
        mode: booking.mode,
        location: booking.location,
        practitioner_name: booking.practitioner_name,
        held_until_at: booking.held_until_at,
        first_name: booking.contact.map(|contact| contact.first_name).unwrap_or_default(),
        needs_consent: page.needs_consent,
        needs_consent_code: page.needs_code,
        ..money
    })
}

/// Whether a client came to a session is not said, either.
fn money_only(page: PaymentPage) -> PaymentPage {
    let state = match page.state() {
        BookingState::NoShow => BookingState::Completed,
        other => other,
    };
    PaymentPage { money_only: true, state: state.into(), ..page }
}

#[tonic::async_trait]
impl PaymentPageService for PaymentPageHandler {
    async fn get_payment_page(
        &self,
        request: Request<GetPaymentPageRequest>,
    ) -> Result<Response<GetPaymentPageResponse>, Status> {
        let page = self.page(&request.get_ref().page_key).await?;
        let page = wire_page(&self.app, page).await?;
        Ok(Response::new(GetPaymentPageResponse { page: Some(page) }))
    }

    async fn accept_terms(
        &self,
        request: Request<AcceptTermsRequest>,
    ) -> Result<Response<AcceptTermsResponse>, Status> {
        let signer = self.signer(request.metadata()).await;
        let accepted = accept_terms(&self.app, signer, request.into_inner()).await;
        let page = accepted.map_err(|error| to_status(&error))?;
        let page = wire_page(&self.app, page).await?;
        Ok(Response::new(AcceptTermsResponse { page: Some(page) }))
    }

    async fn request_consent_code(
        &self,
        request: Request<RequestConsentCodeRequest>,
    ) -> Result<Response<RequestConsentCodeResponse>, Status> {
        let requested = request_consent_code(&self.app, &request.get_ref().page_key).await;
        requested.map_err(|error| to_status(&error))?;
        let valid_minutes = i32::try_from(VALID_MINUTES).unwrap_or(i32::MAX);
        Ok(Response::new(RequestConsentCodeResponse { valid_minutes }))
    }

    async fn get_page_calendar_file(
        &self,
        request: Request<GetPageCalendarFileRequest>,
    ) -> Result<Response<GetPageCalendarFileResponse>, Status> {
        let key = self.page(&request.get_ref().page_key).await?.key;
        if key.standing != PageStanding::Whole || !key.view.is_placed() {
            return Err(reject(&Rejection::NotConfirmed));
        }
        // A calendar leads to the session alone, and not to the money.
        let join = calendar_address(&self.app, &key).await.map_err(|error| to_status(&error))?;
        let content = calendar::file(&self.app.practice, &key.view, &join)
            .ok_or_else(|| reject(&Rejection::NotConfirmed))?;
        let filename = calendar::filename(&self.app.practice, &key.view);
        Ok(Response::new(GetPageCalendarFileResponse { filename, content }))
    }

    async fn renew_page_key(
        &self,
        request: Request<RenewPageKeyRequest>,
    ) -> Result<Response<RenewPageKeyResponse>, Status> {
        let origin = self.app.origin_hashes.origin(request.metadata());
        let renewed = renew_page_key(&self.app, origin, &request.get_ref().page_key).await;
        renewed.map_err(|error| to_status(&error))?;
        Ok(Response::new(RenewPageKeyResponse {}))
    }
}
