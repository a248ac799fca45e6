//! The service as its callers see it, over gRPC: who may ask what, and what a watcher gets.

use std::sync::Arc;

use booking::process::mail::OnNotifications;
use booking::read_model::query;
use contract::booking::v1::booking_internal_service_client::BookingInternalServiceClient;
use contract::booking::v1::booking_service_client::BookingServiceClient;
use contract::booking::v1::{
    BookingState, GetBookingContactRequest, GetBookingFactsRequest, GetBookingRequest,
    GetCalendarFileRequest, ListSlotsRequest, MailState, WatchBookingRequest,
};
use contract::notifications::v1::{MailFailed, MailKind, MailSent};
use kernel::id::{Booking, Customer};
use kernel::{Id, Timestamp};
use runtime::caller::{UserSettings, Users};
use runtime::channel::{self, PeerChannel};
use runtime::server::Server;
use runtime::status::detail_of;
use testkit::TestUsers;
use tonic::transport::Channel;
use tonic::{Code, Request, Status};

use crate::provider;
use crate::world::{World, asha, at, customer, wanted};

/// In the year 2100.
const FAR: u64 = 4_102_444_800;

struct Served {
    world: World,
    users: TestUsers,
    url: String,
}

impl Served {
    async fn new() -> Self {
        let world = World::new().await;
        let users = TestUsers::new("http://127.0.0.1/auth/v1").unwrap();
        let settings = UserSettings {
            jwks_url: provider::jwks(users.jwks()).await,
            issuer: users.issuer.clone(),
        };
        let verifier = Users::new(&settings).unwrap();
        let address = "127.0.0.1:0".parse().unwrap();
        let server = Server::bind(address, &world.shutdown).await.unwrap();
        let url = format!("http://{}", server.address().unwrap());
        let routes = booking::routes(&world.desk, verifier, &world.peers, &world.shutdown);
        tokio::spawn(server.serve(routes));
        Self { world, users, url }
    }

    fn public(&self) -> BookingServiceClient<Channel> {
        BookingServiceClient::new(channel::connect_lazy(&self.url).unwrap())
    }

    fn internal(&self, service: &'static str) -> BookingInternalServiceClient<PeerChannel> {
        let peers = self.world.keys.peers(service).unwrap();
        BookingInternalServiceClient::new(channel::peer(&self.url, "booking", &peers).unwrap())
    }

    /// A request with a customer's token.
    fn by<T>(&self, customer: Id<Customer>, message: T) -> Request<T> {
        self.until(customer, FAR, message)
    }

    fn until<T>(&self, customer: Id<Customer>, end: u64, message: T) -> Request<T> {
        let sub = customer.uuid().to_string();
        let token = self.users.token(&sub, "asha@example.org", end).unwrap();
        let mut request = Request::new(message);
        let value = format!("Bearer {token}").parse().unwrap();
        request.metadata_mut().insert("authorization", value);
        request
    }

    async fn booked(&self) -> Id<Booking> {
        let request = self.by(customer(1), wanted("meditation", at(1, 11)));
        let answer = self.public().request_booking(request).await.unwrap();
        answer.into_inner().booking.unwrap().booking_id.parse().unwrap()
    }
}

fn get(id: Id<Booking>) -> GetBookingRequest {
    GetBookingRequest { booking_id: id.to_string() }
}

#[track_caller]
fn refused<T: std::fmt::Debug>(answer: Result<T, Status>, code: Code, reason: &str, field: &str) {
    let status = answer.unwrap_err();
    let detail = detail_of(&status).unwrap();
    assert_eq!(
        (status.code(), detail.reason.as_str(), detail.field.as_str()),
        (code, reason, field)
    );
}

#[tokio::test]
async fn somebody_elses_booking_does_not_exist() {
    let served = Served::new().await;
    let id = served.booked().await;
    let own = served.public().get_booking(served.by(customer(1), get(id))).await.unwrap();
    assert_eq!(own.into_inner().booking.unwrap().contact, Some(asha()));
    let missing = (Code::NotFound, "BOOKING_NOT_FOUND", "");
    let theirs = served.public().get_booking(served.by(customer(2), get(id))).await;
    refused(theirs, missing.0, missing.1, missing.2);
    let watch = WatchBookingRequest { booking_id: id.to_string() };
    let watched = served.public().watch_booking(served.by(customer(2), watch)).await;
    refused(watched.map(|_| ()), missing.0, missing.1, missing.2);
    let file = GetCalendarFileRequest { booking_id: id.to_string() };
    let filed = served.public().get_calendar_file(served.by(customer(2), file)).await;
    refused(filed, missing.0, missing.1, missing.2);
    let none = GetBookingRequest { booking_id: "bkg_nonsense".to_owned() };
    let nothing = served.public().get_booking(served.by(customer(1), none)).await;
    refused(nothing, missing.0, missing.1, missing.2);
}

#[tokio::test]
async fn free_times_are_public_and_everything_else_is_not() {
    let served = Served::new().await;
    let listed = ListSlotsRequest { service_id: "meditation".to_owned(), ..Default::default() };
    let slots = served.public().list_slots(listed).await.unwrap().into_inner();
    assert_eq!(slots.days.len(), 7);
    let asked = served.public().request_booking(wanted("meditation", at(1, 11))).await;
    refused(asked, Code::Unauthenticated, "TOKEN_MISSING", "");
    let id = served.booked().await;
    let got = served.public().get_booking(get(id)).await;
    refused(got, Code::Unauthenticated, "TOKEN_MISSING", "");
}

#[tokio::test]
async fn refusals_name_reason_and_field() {
    let served = Served::new().await;
    let mut wrong = wanted("meditation", at(1, 11));
    wrong.contact = Some(contract::booking::v1::Contact { email: "asha".to_owned(), ..asha() });
    let answer = served.public().request_booking(served.by(customer(1), wrong)).await;
    refused(answer, Code::InvalidArgument, "INVALID_EMAIL", "contact.email");
    let far = wanted("meditation", "9999-06-01T05:30:00Z".parse().unwrap());
    let answer = served.public().request_booking(served.by(customer(1), far)).await;
    refused(answer, Code::InvalidArgument, "INVALID_START", "starts_at");
    served.booked().await;
    let late = served.by(customer(2), wanted("meditation", at(1, 11)));
    let answer = served.public().request_booking(late).await;
    refused(answer, Code::Aborted, "SLOT_TAKEN", "starts_at");
}

#[tokio::test]
async fn each_internal_call_has_its_own_callers() {
    let served = Served::new().await;
    let id = served.booked().await;
    let facts = || GetBookingFactsRequest { booking_id: id.to_string() };
    let contact = || GetBookingContactRequest { booking_id: id.to_string() };
    let told = served.internal("payments").get_booking_facts(facts()).await.unwrap().into_inner();
    assert_eq!(told.customer_id, customer(1).to_string());
    assert_eq!(told.price.as_ref().unwrap().minor_units, 50_000);
    assert_eq!(told.state(), BookingState::Held);
    assert!(told.held_until_at.is_some());
    let told =
        served.internal("notifications").get_booking_contact(contact()).await.unwrap().into_inner();
    assert_eq!(told.booking.unwrap().contact, Some(asha()));
    assert_eq!(told.calendar_file, "");
    let denied = (Code::PermissionDenied, "CALLER_NOT_ALLOWED");
    let wrong = served.internal("notifications").get_booking_facts(facts()).await;
    refused(wrong, denied.0, denied.1, "");
    let wrong = served.internal("payments").get_booking_contact(contact()).await;
    refused(wrong, denied.0, denied.1, "");
    // A person's token opens no internal door.
    let mut plain = BookingInternalServiceClient::new(channel::connect_lazy(&served.url).unwrap());
    let wrong = plain.get_booking_contact(served.by(customer(1), contact())).await;
    refused(wrong, Code::Unauthenticated, "CALLER_TOKEN_MISSING", "");
}

#[tokio::test]
async fn the_calendar_file_comes_with_the_confirmation() {
    let served = Served::new().await;
    let id = served.booked().await;
    let asked = || {
        let request = GetCalendarFileRequest { booking_id: id.to_string() };
        served.by(customer(1), request)
    };
    let early = served.public().get_calendar_file(asked()).await;
    refused(early, Code::FailedPrecondition, "BOOKING_NOT_CONFIRMED", "");
    served.world.pay(id, "pay_1").await;
    served.world.reaches(id, BookingState::MeetingScheduled).await;
    let file = served.public().get_calendar_file(asked()).await.unwrap().into_inner();
    assert_eq!(file.filename, "session-2026-11-25.ics");
    assert!(file.content.contains("DTSTART:20261125T053000Z\r\n"));
    let contact = GetBookingContactRequest { booking_id: id.to_string() };
    let told = served.internal("notifications").get_booking_contact(contact).await.unwrap();
    assert_eq!(told.into_inner().calendar_file, file.content);
}

#[tokio::test]
async fn a_watcher_sees_each_change_and_the_end() {
    let served = Served::new().await;
    let id = served.booked().await;
    let watch = WatchBookingRequest { booking_id: id.to_string() };
    let request = served.by(customer(1), watch);
    let mut stream = served.public().watch_booking(request).await.unwrap().into_inner();
    let first = stream.message().await.unwrap().unwrap().booking.unwrap();
    assert_eq!(first.state(), BookingState::Held);
    served.world.pay(id, "pay_1").await;
    let mut last = first;
    while last.state() != BookingState::MeetingScheduled {
        let next = stream.message().await.unwrap().unwrap().booking.unwrap();
        assert!(next.version > last.version);
        last = next;
    }
    let about = |kind: MailKind| MailSent {
        mail_id: "mal_1".to_owned(),
        booking_id: id.to_string(),
        kind: kind.into(),
    };
    let failed = MailFailed {
        mail_id: "mal_1".to_owned(),
        booking_id: id.to_string(),
        kind: MailKind::BookingConfirmed.into(),
        r#final: false,
    };
    served.world.react(Arc::new(OnNotifications), &about(MailKind::PracticeNotice)).await;
    served.world.react(Arc::new(OnNotifications), &failed).await;
    let told = stream.message().await.unwrap().unwrap().booking.unwrap();
    assert_eq!(told.mail_state(), MailState::Failed);
    served.world.react(Arc::new(OnNotifications), &about(MailKind::BookingConfirmed)).await;
    let told = stream.message().await.unwrap().unwrap().booking.unwrap();
    assert_eq!(told.mail_state(), MailState::Sent);
    served.world.shutdown.trigger();
    assert_eq!(stream.message().await.unwrap(), None);
}

#[tokio::test]
async fn a_watcher_hears_nothing_of_other_bookings() {
    let served = Served::new().await;
    let id = served.booked().await;
    let pool = served.world.desk.store.pool();
    let known = query::version(pool, customer(1), id).await.unwrap();
    assert_eq!(known, Some(1));
    assert_eq!(query::version(pool, customer(2), id).await.unwrap(), None);
    let watch = WatchBookingRequest { booking_id: id.to_string() };
    let request = served.by(customer(1), watch);
    let mut stream = served.public().watch_booking(request).await.unwrap().into_inner();
    let first = stream.message().await.unwrap().unwrap().booking.unwrap();
    assert_eq!(Some(first.version), known);
    // Other bookings wake the watcher; what it hears next is still about its own.
    for (other, hour) in (100..).zip(12..16) {
        served.world.hold(customer(other), at(2, hour)).await;
    }
    served.world.pay(id, "pay_1").await;
    let told = stream.message().await.unwrap().unwrap().booking.unwrap();
    assert_eq!((told.booking_id, told.version > first.version), (id.to_string(), true));
}

#[tokio::test]
async fn a_stream_ends_with_its_token() {
    let served = Served::new().await;
    let id = served.booked().await;
    let now: Timestamp = sqlx::query_scalar("select clock_timestamp()")
        .fetch_one(served.world.desk.store.pool())
        .await
        .unwrap();
    let end = u64::try_from(now.seconds()).unwrap() + 2;
    let watch = WatchBookingRequest { booking_id: id.to_string() };
    let request = served.until(customer(1), end, watch);
    let mut stream = served.public().watch_booking(request).await.unwrap().into_inner();
    assert!(stream.message().await.unwrap().is_some());
    assert_eq!(stream.message().await.unwrap(), None);
}
