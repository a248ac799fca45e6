//! What a client does on a booking's page by the key of a mail: where nothing is lost by the key
//! alone, else with a code that is mailed.

use booking::app::adopt_bookings::adopt_bookings;
use booking::app::free_session::Client;
use contract::booking::v1::{
    BookingState, CancelByPageRequest, GetBookingContactRequest, GetConsentCodeMailRequest,
    GetPageCalendarFileRequest, GetPaymentPageRequest, MoveByPageRequest, OpenJoinPageRequest,
    PaymentPage, PreviewPageCancellationRequest, PreviewPageCancellationResponse,
    PreviewPageMoveRequest, PreviewPageMoveResponse, RequestPageCodeRequest, TellLateByPageRequest,
    UndoByPageRequest,
};
use contract::convert::to_wire;
use kernel::id::Booking;
use kernel::{Id, Money, Timestamp};
use tonic::{Code, Status};

use crate::grpc_harness::{GrpcHarness, refused};
use crate::page_keys::key_of;
use crate::phone_bookings::{book_by_phone, new_phone_request};
use crate::world::{World, at, customer, new_package};

const UNMET: Code = Code::FailedPrecondition;

/// A page that a mail leads to.
struct Page {
    harness: GrpcHarness,
    id: Id<Booking>,
    key: String,
}

/// The key of the page of a booking that an account made.
async fn session_key_of(harness: &GrpcHarness, id: Id<Booking>, mail: &str) -> String {
    let request = GetBookingContactRequest {
        booking_id: id.to_string(),
        mail_id: mail.to_owned(),
        session_key_wanted: true,
        ..GetBookingContactRequest::default()
    };
    let answer = harness.internal("notifications").get_booking_contact(request).await.unwrap();
    answer.into_inner().session_key
}

/// A session of client 1 that is paid.
async fn paid(starts_at: Timestamp) -> Page {
    let harness = GrpcHarness::new().await;
    let id = harness.world.hold(customer(1), starts_at).await;
    harness.world.pay(id, "pay_1").await;
    harness.world.reaches(id, BookingState::MeetingScheduled).await;
    let key = session_key_of(&harness, id, "mal_1").await;
    Page { harness, id, key }
}

/// The same that staff booked by phone.
async fn paid_by_phone(starts_at: Timestamp) -> Page {
    let harness = GrpcHarness::new().await;
    let id = book_by_phone(&harness.world, new_phone_request(starts_at)).await.unwrap();
    harness.world.pay(id, "pay_1").await;
    harness.world.reaches(id, BookingState::MeetingScheduled).await;
    let key = key_of(&harness, id, "mal_1").await;
    Page { harness, id, key }
}

fn some_key() -> String {
    eventstore::new_uuid().to_string()
}

impl Page {
    fn world(&self) -> &World {
        &self.harness.world
    }

    async fn shown(&self) -> Result<PaymentPage, Status> {
        let request = GetPaymentPageRequest { page_key: self.key.clone() };
        Ok(self.harness.pages().get_payment_page(request).await?.into_inner().page.unwrap())
    }

    async fn what_comes_back(&self) -> Result<PreviewPageCancellationResponse, Status> {
        let (page_key, session_number) = (self.key.clone(), 0);
        let request = PreviewPageCancellationRequest { page_key, session_number };
        let answer = self.harness.session_pages().preview_page_cancellation(request).await;
        Ok(answer?.into_inner())
    }

    async fn cancel(&self, request: CancelByPageRequest) -> Result<PaymentPage, Status> {
        let answer = self.harness.session_pages().cancel_by_page(request).await;
        Ok(answer?.into_inner().page.unwrap())
    }

    fn cancelling(&self, shown: i64, code: &str) -> CancelByPageRequest {
        CancelByPageRequest {
            idempotency_key: some_key(),
            page_key: self.key.clone(),
            session_number: 0,
            shown_refund: Some(Money::inr(shown).into()),
            code: code.to_owned(),
        }
    }

    async fn undo(&self) -> Result<PaymentPage, Status> {
        let request = UndoByPageRequest { idempotency_key: some_key(), page_key: self.key.clone() };
        let answer = self.harness.session_pages().undo_by_page(request).await;
        Ok(answer?.into_inner().page.unwrap())
    }

    async fn times(&self) -> Result<PreviewPageMoveResponse, Status> {
        let page_key = self.key.clone();
        let request = PreviewPageMoveRequest { page_key, ..PreviewPageMoveRequest::default() };
        let answer = self.harness.session_pages().preview_page_move(request).await;
        Ok(answer?.into_inner())
    }

    fn moving(&self, shown: Timestamp, to: Timestamp, code: &str) -> MoveByPageRequest {
        MoveByPageRequest {
            idempotency_key: some_key(),
            page_key: self.key.clone(),
            session_number: 0,
            shown_starts_at: Some(to_wire(shown)),
            starts_at: Some(to_wire(to)),
            code: code.to_owned(),
        }
    }

    async fn relocate(&self, request: MoveByPageRequest) -> Result<PaymentPage, Status> {
        let answer = self.harness.session_pages().move_by_page(request).await;
        Ok(answer?.into_inner().page.unwrap())
    }

    async fn late(&self, minutes: i32) -> Result<PaymentPage, Status> {
        let (page_key, session_number) = (self.key.clone(), 0);
        let request = TellLateByPageRequest { page_key, session_number, minutes };
        let answer = self.harness.session_pages().tell_late_by_page(request).await;
        Ok(answer?.into_inner().page.unwrap())
    }

    async fn ask(&self) -> Result<i32, Status> {
        let request = RequestPageCodeRequest { page_key: self.key.clone() };
        let answer = self.harness.session_pages().request_page_code(request).await;
        Ok(answer?.into_inner().valid_minutes)
    }

    /// The newest code, as notifications mails it.
    async fn mailed(&self) -> Result<String, Status> {
        let sql = "select coalesce(max(number), 0) from consent_codes where booking_id = $1";
        let pool = self.world().app.store.pool();
        let number = sqlx::query_scalar(sql).bind(self.id).fetch_one(pool).await.unwrap();
        let request =
            GetConsentCodeMailRequest { booking_id: self.id.to_string(), request_number: number };
        let mail = self.harness.internal("notifications").get_page_code_mail(request).await?;
        let mail = mail.into_inner();
        assert_eq!((mail.email.as_str(), mail.first_name.as_str()), ("asha@example.org", "Asha"));
        Ok(mail.code)
    }

    async fn code(&self) -> String {
        assert_eq!(self.ask().await.unwrap(), 15);
        self.mailed().await.unwrap()
    }

    async fn starts(&self) -> Vec<Option<prost_types::Timestamp>> {
        let view = self.world().view(self.id).await;
        view.booking.sessions.iter().map(|session| session.starts_at).collect()
    }

    /// Nothing has happened to it.
    async fn stands(&self) {
        let history = self.world().booking_history(self.id).await;
        let acted =
            |name: &&String| name.starts_with("BookingMoved") || name.starts_with("BookingCancel");
        assert_eq!(history.iter().filter(acted).count(), 0, "{history:?}");
    }
}

fn other_than(code: &str) -> &'static str {
    if code == "000000" { "000001" } else { "000000" }
}

#[tokio::test]
async fn what_gives_all_back_is_cancelled_and_undone_by_the_key_alone() {
    for page in [paid(at(3, 11)).await, paid_by_phone(at(3, 11)).await] {
        let before = page.shown().await.unwrap();
        let shown = page.what_comes_back().await.unwrap();
        assert!(!shown.code_needed);
        let shown = shown.cancellation.unwrap();
        assert_eq!((shown.refund, shown.at_once), (Some(Money::inr(50_000).into()), false));
        let greedy = page.cancel(page.cancelling(50_001, "")).await;
        refused(greedy, Code::Aborted, "REFUND_FELL", "shown_refund");
        let request = page.cancelling(50_000, "");
        for _press in 0..2 {
            let after = page.cancel(request.clone()).await.unwrap();
            let pending = after.pending_cancellation.unwrap();
            assert_eq!(pending.refund, Some(Money::inr(50_000).into()));
        }
        let other = CancelByPageRequest { session_number: 1, ..request.clone() };
        let other = page.cancel(other).await;
        refused(other, Code::InvalidArgument, "IDEMPOTENCY_KEY_REUSED", "idempotency_key");
        assert_eq!(page.undo().await.unwrap(), before);
        assert_eq!(page.undo().await.unwrap(), before);
        page.cancel(page.cancelling(50_000, "")).await.unwrap();
        page.world().minutes_later(3).await;
        page.world().reaches(page.id, BookingState::Cancelled).await;
        refused(page.undo().await, UNMET, "CANCELLATION_TOOK_EFFECT", "");
        let after = page.shown().await.unwrap();
        assert!(after.money_only && after.sessions.is_empty());
        refused(page.ask().await, UNMET, "NOT_CANCELLABLE", "");
    }
}

#[tokio::test]
async fn where_money_is_lost_a_forwarded_mail_cancels_nothing() {
    let page = paid(at(0, 15)).await;
    let shown = page.what_comes_back().await.unwrap();
    assert!(shown.code_needed);
    assert_eq!(shown.cancellation.unwrap().refund, Some(Money::inr(0).into()));
    refused(page.cancel(page.cancelling(0, "")).await, UNMET, "PAGE_CODE_REQUIRED", "code");
    refused(page.cancel(page.cancelling(0, "123456")).await, UNMET, "PAGE_CODE_ENDED", "code");
    let code = page.code().await;
    let wrong = page.cancel(page.cancelling(0, other_than(&code))).await;
    refused(wrong, UNMET, "PAGE_CODE_WRONG", "code");
    page.stands().await;
    // As it was pasted.
    let request = page.cancelling(0, &format!(" {} {}", &code[..3], &code[3..]));
    let after = page.cancel(request.clone()).await.unwrap();
    assert!(after.pending_cancellation.is_some());
    // A repeat gets the first answer, whatever became of its code.
    for code in ["", other_than(&code)] {
        let again = CancelByPageRequest { code: code.to_owned(), ..request.clone() };
        assert_eq!(page.cancel(again).await.unwrap(), after);
    }
    // The code is used up: another act asks for another one.
    page.undo().await.unwrap();
    refused(page.cancel(page.cancelling(0, &code)).await, UNMET, "PAGE_CODE_ENDED", "code");
    refused(page.mailed().await, Code::NotFound, "BOOKING_NOT_FOUND", "");
}

#[tokio::test]
async fn a_session_is_moved_with_a_code() {
    for page in [paid(at(3, 11)).await, paid_by_phone(at(3, 11)).await] {
        let times = page.times().await.unwrap();
        assert!(times.code_needed);
        assert_eq!(times.r#move.unwrap().moves_left, 3);
        let request = page.moving(at(3, 11), at(5, 14), "");
        refused(page.relocate(request.clone()).await, UNMET, "PAGE_CODE_REQUIRED", "code");
        let code = page.code().await;
        // What the timetable refuses uses no code up.
        let night = page.relocate(page.moving(at(3, 11), at(5, 3), &code)).await;
        refused(night, UNMET, "SLOT_NOT_OFFERED", "starts_at");
        let wrong = MoveByPageRequest { code: other_than(&code).to_owned(), ..request.clone() };
        refused(page.relocate(wrong).await, UNMET, "PAGE_CODE_WRONG", "code");
        page.stands().await;
        let request = MoveByPageRequest { code: code.clone(), ..request };
        let after = page.relocate(request.clone()).await.unwrap();
        assert_eq!(after.sessions[0].starts_at, Some(to_wire(at(5, 14))));
        assert_eq!(page.relocate(request).await.unwrap(), after);
        assert_eq!(page.starts().await, [Some(to_wire(at(5, 14)))]);
        let back = page.relocate(page.moving(at(5, 14), at(3, 11), &code)).await;
        refused(back, UNMET, "PAGE_CODE_ENDED", "code");
        assert_eq!(page.starts().await, [Some(to_wire(at(5, 14)))]);
        // The next act gets a code of its own at once.
        assert_ne!(page.code().await, code);
    }
}

#[tokio::test]
async fn two_presses_with_one_code_are_one_act() {
    let page = paid(at(3, 11)).await;
    let code = page.code().await;
    let (one, two) = tokio::join!(
        page.relocate(page.moving(at(3, 11), at(5, 14), &code)),
        page.relocate(page.moving(at(3, 11), at(6, 14), &code)),
    );
    assert_eq!([&one, &two].iter().filter(|answer| answer.is_ok()).count(), 1, "{one:?} {two:?}");
    let history = page.world().booking_history(page.id).await;
    assert_eq!(history.iter().filter(|name| *name == "BookingMoved").count(), 1);
}

#[tokio::test]
async fn a_code_has_five_tries_a_quarter_of_an_hour_and_one_booking() {
    let page = paid(at(3, 11)).await;
    let code = page.code().await;
    // Asked twice, it is one mail.
    page.ask().await.unwrap();
    assert_eq!(page.mailed().await.unwrap(), code);
    let moving = |code: &str| page.relocate(page.moving(at(3, 11), at(5, 14), code));
    for _try in 0..5 {
        refused(moving(other_than(&code)).await, UNMET, "PAGE_CODE_WRONG", "code");
    }
    refused(moving(&code).await, UNMET, "PAGE_CODE_ENDED", "code");
    // A newer one ends the one before it.
    page.world().minutes_later(1).await;
    let second = page.code().await;
    page.world().minutes_later(1).await;
    let third = page.code().await;
    refused(moving(&second).await, UNMET, "PAGE_CODE_WRONG", "code");
    page.world().minutes_later(15).await;
    refused(moving(&third).await, UNMET, "PAGE_CODE_ENDED", "code");
    for _mail in 0..2 {
        page.world().minutes_later(1).await;
        page.ask().await.unwrap();
    }
    page.world().minutes_later(1).await;
    refused(page.ask().await, Code::ResourceExhausted, "TOO_MANY_PAGE_CODES", "");
    page.stands().await;
    // The code of one booking moves no other.
    let world = page.world();
    let other = world.hold(customer(2), at(4, 11)).await;
    world.pay(other, "pay_2").await;
    let key = session_key_of(&page.harness, other, "mal_2").await;
    let newest = page.mailed().await.unwrap();
    let foreign = MoveByPageRequest { page_key: key, ..page.moving(at(4, 11), at(5, 14), &newest) };
    refused(page.relocate(foreign).await, UNMET, "PAGE_CODE_ENDED", "code");
}

#[tokio::test]
async fn a_code_of_one_purpose_serves_no_other() {
    let harness = GrpcHarness::new().await;
    let id = book_by_phone(&harness.world, new_phone_request(at(3, 11))).await.unwrap();
    let key = key_of(&harness, id, "mal_1").await;
    let page = Page { harness, id, key };
    let asked = contract::booking::v1::RequestConsentCodeRequest { page_key: page.key.clone() };
    page.harness.pages().request_consent_code(asked).await.unwrap();
    let consent = crate::payment_pages::mailed_code(&page.harness, &id.to_string()).await;
    // Nothing of it is to come yet.
    refused(page.ask().await, UNMET, "NOT_CANCELLABLE", "");
    page.world().pay(id, "pay_1").await;
    page.world().reaches(id, BookingState::MeetingScheduled).await;
    let moving = |code: &str| page.relocate(page.moving(at(3, 11), at(5, 14), code));
    refused(moving(&consent).await, UNMET, "PAGE_CODE_ENDED", "code");
    let code = page.code().await;
    assert_ne!(code, consent);
    refused(moving(&consent).await, UNMET, "PAGE_CODE_WRONG", "code");
    moving(&code).await.unwrap();
}

#[tokio::test]
async fn a_client_says_to_be_late_by_the_key_alone() {
    let page = paid(at(0, 12)).await;
    refused(page.late(10).await, UNMET, "NOT_LATE", "");
    page.world().minutes_later(2 * 60 + 1).await;
    refused(page.late(7).await, Code::InvalidArgument, "INVALID_MINUTES", "minutes");
    let told = page.late(10).await.unwrap().told_late.unwrap();
    assert_eq!((told.session_number, told.minutes), (1, 10));
    assert_eq!(page.late(0).await.unwrap().told_late, None);
}

#[tokio::test]
async fn the_page_leads_to_its_sessions_and_tells_nothing_personal() {
    let page = paid(at(3, 11)).await;
    let shown = page.shown().await.unwrap();
    assert!(shown.of_account && !shown.needs_consent && shown.join_url.is_empty());
    assert_eq!((shown.first_name.as_str(), shown.service_id.as_str()), ("Asha", "meditation"));
    assert_eq!(shown.practitioner_id, "lead");
    let told = format!("{shown:?}");
    for hidden in ["Rao", "asha@", "usr_"] {
        assert!(!told.contains(hidden), "{hidden}: {told}");
    }
    assert_eq!(page.shown().await.unwrap().join_key, shown.join_key);
    let join = OpenJoinPageRequest { join_key: shown.join_key.clone() };
    let join = page.harness.join_pages().open_join_page(join).await.unwrap().into_inner();
    assert_eq!(join.page.unwrap().booking_id, page.id.to_string());
    // The way to the session opens no page, and the key of the page signs and pays nothing.
    let join_key = Page { harness: page.harness, key: shown.join_key, ..page };
    refused(join_key.shown().await, Code::NotFound, "BOOKING_NOT_FOUND", "");
    refused(join_key.what_comes_back().await, Code::NotFound, "BOOKING_NOT_FOUND", "");
    refused(join_key.ask().await, Code::NotFound, "BOOKING_NOT_FOUND", "");
    let key = session_key_of(&join_key.harness, join_key.id, "mal_1").await;
    let page = Page { key, ..join_key };
    let accept = contract::booking::v1::AcceptTermsRequest {
        page_key: page.key.clone(),
        terms_accepted: true,
        ..Default::default()
    };
    let accepted = page.harness.pages().accept_terms(accept).await;
    refused(accepted, Code::NotFound, "BOOKING_NOT_FOUND", "");
    let file = GetPageCalendarFileRequest { page_key: page.key.clone() };
    let file = page.harness.pages().get_page_calendar_file(file).await.unwrap().into_inner();
    assert!(file.content.contains("/join#key="), "{}", file.content);
}

#[tokio::test]
async fn a_mail_has_one_page_and_each_mail_its_own_key() {
    let page = paid(at(3, 11)).await;
    assert_eq!(session_key_of(&page.harness, page.id, "mal_1").await, page.key);
    assert_ne!(session_key_of(&page.harness, page.id, "mal_2").await, page.key);
    let phone = paid_by_phone(at(3, 11)).await;
    assert_eq!(session_key_of(&phone.harness, phone.id, "mal_1").await, "");
    assert!(!phone.shown().await.unwrap().of_account);
}

#[tokio::test]
async fn an_adopted_booking_has_a_page_by_new_mails_only() {
    let page = paid_by_phone(at(3, 11)).await;
    let client = Client { proved_email: Some("asha@example.org".to_owned()), ..customer(1).into() };
    adopt_bookings(&page.world().app, client).await.unwrap();
    refused(page.shown().await, UNMET, "BOOKING_ADOPTED", "");
    refused(page.what_comes_back().await, UNMET, "BOOKING_ADOPTED", "");
    refused(page.cancel(page.cancelling(50_000, "")).await, UNMET, "BOOKING_ADOPTED", "");
    refused(page.undo().await, UNMET, "BOOKING_ADOPTED", "");
    refused(page.times().await, UNMET, "BOOKING_ADOPTED", "");
    let moved = page.relocate(page.moving(at(3, 11), at(5, 14), "123456")).await;
    refused(moved, UNMET, "BOOKING_ADOPTED", "");
    refused(page.late(10).await, UNMET, "BOOKING_ADOPTED", "");
    refused(page.ask().await, UNMET, "BOOKING_ADOPTED", "");
    page.stands().await;
    let key = session_key_of(&page.harness, page.id, "mal_2").await;
    let page = Page { key, ..page };
    assert!(page.shown().await.unwrap().of_account);
    page.cancel(page.cancelling(50_000, "")).await.unwrap();
}

#[tokio::test]
async fn an_ended_page_cancels_nothing() {
    let page = paid(at(1, 11)).await;
    page.world().minutes_later(2 * 24 * 60).await;
    page.world().reaches(page.id, BookingState::Completed).await;
    assert!(page.shown().await.unwrap().money_only);
    refused(page.cancel(page.cancelling(0, "")).await, UNMET, "NOT_CANCELLABLE", "");
    page.world().minutes_later(60 * 24 * 60).await;
    refused(page.what_comes_back().await, UNMET, "PAGE_OVER", "");
    refused(page.ask().await, UNMET, "PAGE_OVER", "");
    let key = "A".repeat(43);
    let page = Page { key, ..page };
    refused(page.what_comes_back().await, Code::NotFound, "BOOKING_NOT_FOUND", "");
    refused(page.ask().await, Code::NotFound, "BOOKING_NOT_FOUND", "");
}

#[tokio::test]
async fn one_session_of_a_package_is_cancelled_by_the_key() {
    let harness = GrpcHarness::new().await;
    let package = new_package([at(0, 15), at(3, 13), at(5, 13)]);
    let id = harness.world.request(customer(1), package).await.unwrap();
    harness.world.pay(id, "pay_1").await;
    harness.world.reaches(id, BookingState::MeetingScheduled).await;
    let key = session_key_of(&harness, id, "mal_1").await;
    let page = Page { harness, id, key };
    // Of the first one nothing comes back any more.
    let all = page.what_comes_back().await.unwrap();
    assert!(all.code_needed);
    let share = all.cancellation.unwrap().refund.unwrap().minor_units;
    refused(page.cancel(page.cancelling(share, "")).await, UNMET, "PAGE_CODE_REQUIRED", "code");
    let second = CancelByPageRequest { session_number: 2, ..page.cancelling(150_000, "") };
    let after = page.cancel(second).await.unwrap();
    assert_eq!(after.pending_cancellation.unwrap().session_number, 2);
}
