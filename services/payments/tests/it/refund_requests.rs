//! Refunds that clients ask for: when they can be asked for, that there is one request for each
//! booking, and that what client and practice wrote stands in its row alone.

use anyhow::{Context as _, Result};
use contract::booking::v1::{BookingState, GetBookingFactsResponse};
use contract::common::v1::Money as WireMoney;
use contract::convert::{timestamp, to_wire};
use contract::payments::v1::payments_internal_service_client::PaymentsInternalServiceClient;
use contract::payments::v1::refund_request_service_client::RefundRequestServiceClient;
use contract::payments::v1::refund_request_staff_service_client::RefundRequestStaffServiceClient;
use contract::payments::v1::{
    AnswerRefundRequestRequest, AnswerRefundRequestResponse, GetRefundRequestMailRequest,
    GetRefundRequestMailResponse, GetRefundRequestRequest, GetRefundRequestResponse,
    ListRefundRequestsRequest, RefundPaymentRequest, RefundRequest, RefundRequestState,
    RequestRefundRequest,
};
use eventstore::new_id;
use futures::future::join_all;
use kernel::id::Customer;
use kernel::{Id, Money, Timestamp};
use runtime::status::detail_of;
use tonic::transport::Channel;
use tonic::{Code, Status};

use crate::world::{Held, PRICE, World, assert_refused};

pub(crate) const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;
/// What a client writes, and what the practice answers: in no event and no log.
pub(crate) const REASON: &str = "My illness came back\nand I could not follow.";
pub(crate) const ANSWER: &str = "We are sorry about that.";
const KEY: &str = "key-of-the-request";

fn channel(world: &World) -> Result<Channel> {
    Ok(runtime::channel::connect_lazy(world.url())?)
}

pub(crate) fn inr(minor_units: i64) -> WireMoney {
    Money::inr(minor_units).into()
}

/// What booking says of a booking whose sessions lie so, in seconds from now.
pub(crate) async fn sessions(world: &World, held: Held, (begins, ends): (i64, i64)) -> Result<()> {
    let now = world.store.now().await?;
    world.booking.knows(GetBookingFactsResponse {
        booking_id: held.id.to_string(),
        customer_id: held.customer.to_string(),
        price: Some(inr(PRICE)),
        state: BookingState::Completed.into(),
        starts_at: Some(to_wire(now.plus_seconds(begins))),
        first_starts_at: Some(to_wire(now.plus_seconds(begins))),
        ends_at: Some(to_wire(now.plus_seconds(ends))),
        ..GetBookingFactsResponse::default()
    });
    Ok(())
}

/// A paid booking whose session ended an hour ago.
pub(crate) async fn held(world: &World) -> Result<Held> {
    let (held, _) = world.paid().await?;
    sessions(world, held, (-2 * HOUR, -HOUR)).await?;
    Ok(held)
}

async fn ask_as(
    world: &World,
    customer: Id<Customer>,
    asked: RequestRefundRequest,
) -> Result<Result<RefundRequest, Status>> {
    let request = world.request(customer, asked)?;
    let answer = RefundRequestServiceClient::new(channel(world)?).request_refund(request).await;
    Ok(answer.map(|answer| answer.into_inner().request.unwrap_or_default()))
}

fn asked(held: Held, reason: &str, key: &str) -> RequestRefundRequest {
    RequestRefundRequest {
        idempotency_key: key.to_owned(),
        booking_id: held.id.to_string(),
        reason: reason.to_owned(),
    }
}

pub(crate) async fn ask(world: &World, held: Held) -> Result<Result<RefundRequest, Status>> {
    ask_as(world, held.customer, asked(held, REASON, KEY)).await
}

pub(crate) async fn look(
    world: &World,
    customer: Id<Customer>,
    held: Held,
) -> Result<Result<GetRefundRequestResponse, Status>> {
    let asked = GetRefundRequestRequest { booking_id: held.id.to_string() };
    let request = world.request(customer, asked)?;
    let answer = RefundRequestServiceClient::new(channel(world)?).get_refund_request(request).await;
    Ok(answer.map(tonic::Response::into_inner))
}

pub(crate) fn answer_of(
    request_id: &str,
    minor: Option<i64>,
    key: &str,
) -> AnswerRefundRequestRequest {
    AnswerRefundRequestRequest {
        idempotency_key: key.to_owned(),
        request_id: request_id.to_owned(),
        amount: minor.map(inr),
        answer: ANSWER.to_owned(),
    }
}

pub(crate) async fn answer(
    world: &World,
    person: Id<Customer>,
    asked: AnswerRefundRequestRequest,
) -> Result<Result<AnswerRefundRequestResponse, Status>> {
    let request = world.request(person, asked)?;
    let mut client = RefundRequestStaffServiceClient::new(channel(world)?);
    Ok(client.answer_refund_request(request).await.map(tonic::Response::into_inner))
}

pub(crate) async fn list(
    world: &World,
    person: Id<Customer>,
    include_answered: bool,
) -> Result<Result<Vec<RefundRequest>, Status>> {
    let request = world.request(person, ListRefundRequestsRequest { include_answered })?;
    let mut client = RefundRequestStaffServiceClient::new(channel(world)?);
    Ok(client.list_refund_requests(request).await.map(|listed| listed.into_inner().requests))
}

pub(crate) async fn mail_of(
    world: &World,
    caller: &'static str,
    request_id: &str,
) -> Result<Result<GetRefundRequestMailResponse, Status>> {
    let peers = world.keys.peers(caller)?;
    let channel = runtime::channel::peer(world.url(), "payments", &peers)?;
    let asked = GetRefundRequestMailRequest { request_id: request_id.to_owned() };
    let answer = PaymentsInternalServiceClient::new(channel).get_refund_request_mail(asked).await;
    Ok(answer.map(tonic::Response::into_inner))
}

fn known(at: Option<Timestamp>) -> Result<Timestamp> {
    at.context("a time")
}

/// The names of the events of a request's stream.
pub(crate) async fn names(world: &World, request: &RefundRequest) -> Result<Vec<String>> {
    let id: Id<kernel::id::RefundRequest> = request.request_id.parse()?;
    let events = world.store.load(&format!("refund-request-{}", id.uuid())).await?;
    let name = |kind: &str| kind.rsplit('.').next().unwrap_or_default().to_owned();
    Ok(events.iter().map(|event| name(&event.event_type)).collect())
}

#[tokio::test]
async fn a_client_asks_once_for_a_booking_and_is_told_until_when_there_is_an_answer() -> Result<()>
{
    let world = World::new().await?;
    let held = held(&world).await?;
    let before = look(&world, held.customer, held).await??;
    assert!(before.request.is_none());
    let (from, until) = (
        known(before.from_at.as_ref().and_then(timestamp))?,
        known(before.until_at.as_ref().and_then(timestamp))?,
    );
    assert_eq!(until.seconds_since(from), HOUR + 2 * DAY);
    let first = ask(&world, held).await??;
    assert_eq!((first.state(), first.number.as_str()), (RefundRequestState::Open, "R-1"));
    assert_eq!((first.reason.as_str(), first.answer.as_str()), (REASON, ""));
    let asked_at = known(first.requested_at.as_ref().and_then(timestamp))?;
    assert_eq!(
        known(first.answer_by_at.as_ref().and_then(timestamp))?.seconds_since(asked_at),
        2 * DAY
    );
    // "5-7 business days" of practice.toml, with the weekends between them.
    assert_eq!(
        known(first.close_by_at.as_ref().and_then(timestamp))?.seconds_since(asked_at),
        13 * DAY
    );
    // The same key, another key and another reason are the same request.
    assert_eq!(ask(&world, held).await??, first);
    let again = asked(held, "Another reason", "another-key-of-it");
    assert_eq!(ask_as(&world, held.customer, again).await??, first);
    let reused = asked(held, "Another reason", KEY);
    let reused = ask_as(&world, held.customer, reused).await?;
    assert_refused(reused, Code::InvalidArgument, "IDEMPOTENCY_KEY_REUSED");
    assert_eq!(look(&world, held.customer, held).await??.request, Some(first.clone()));
    assert_eq!(names(&world, &first).await?, ["RefundAsked"]);
    assert_eq!(world.number("select count(*) from refund_requests").await?, 1);
    assert_eq!(world.count(held, "RefundRequested").await?, 0, "nothing goes back by itself");
    Ok(())
}

#[tokio::test]
async fn ten_requests_at_once_are_one() -> Result<()> {
    let world = World::new().await?;
    let held = held(&world).await?;
    let keys: Vec<String> = (0..10).map(|number| format!("key-of-{number}")).collect();
    let all = keys.iter().map(|key| ask_as(&world, held.customer, asked(held, REASON, key)));
    let mut found = Vec::new();
    for one in join_all(all).await {
        found.push(one??);
    }
    assert!(found.iter().all(|request| request == &found[0]), "{found:?}");
    assert_eq!(names(&world, &found[0]).await?, ["RefundAsked"]);
    Ok(())
}

#[tokio::test]
async fn a_refund_is_asked_for_from_the_first_session_until_two_days_after_the_last() -> Result<()>
{
    let world = World::new().await?;
    let (held, _) = world.paid().await?;
    world.database.stop_clock().await?;
    sessions(&world, held, (1, HOUR)).await?;
    let early = ask(&world, held).await?;
    assert_refused(early, Code::FailedPrecondition, "SESSION_NOT_BEGUN");
    sessions(&world, held, (-3 * DAY, -2 * DAY)).await?;
    let late = ask(&world, held).await?;
    assert_refused(late, Code::FailedPrecondition, "REFUND_TIME_OVER");
    assert_eq!(world.number("select count(*) from refund_requests").await?, 0);
    sessions(&world, held, (-3 * DAY, 1 - 2 * DAY)).await?;
    let request = ask(&world, held).await??;
    // What was asked in time stays, also when it is asked again after it.
    sessions(&world, held, (-9 * DAY, -8 * DAY)).await?;
    assert_eq!(ask(&world, held).await??, request);
    let other = asked(held, "", "a-key-after-the-time");
    assert_eq!(ask_as(&world, held.customer, other).await??, request);
    Ok(())
}

#[tokio::test]
async fn bad_requests_are_refused_and_leave_nothing() -> Result<()> {
    let world = World::new().await?;
    let held = held(&world).await?;
    let stranger = new_id();
    for refused in [
        ask_as(&world, stranger, asked(held, REASON, KEY)).await?.map(drop),
        look(&world, stranger, held).await?.map(drop),
        ask_as(
            &world,
            held.customer,
            RequestRefundRequest { booking_id: "bkg_1".to_owned(), ..asked(held, "", KEY) },
        )
        .await?
        .map(drop),
    ] {
        assert_refused(refused, Code::NotFound, "BOOKING_NOT_FOUND");
    }
    let long = ask_as(&world, held.customer, asked(held, &"a".repeat(1_001), KEY)).await?;
    let detail = long.as_ref().err().and_then(detail_of).context("a detail")?;
    assert_eq!(detail.field, "reason");
    assert_refused(long, Code::InvalidArgument, "INVALID_REASON");
    let short = ask_as(&world, held.customer, asked(held, "", "short")).await?;
    assert_refused(short, Code::InvalidArgument, "INVALID_IDEMPOTENCY_KEY");
    // Not paid at all, and given back already.
    let unpaid = world.held().await?;
    sessions(&world, unpaid, (-HOUR, 0)).await?;
    let nothing = ask(&world, unpaid).await?;
    assert_refused(nothing, Code::FailedPrecondition, "NOTHING_TO_REFUND");
    let seen = look(&world, unpaid.customer, unpaid).await??;
    assert_eq!(seen, GetRefundRequestResponse::default());
    let owner = world.employ("owner");
    refund_all(&world, owner, held).await?;
    let nothing = ask(&world, held).await?;
    assert_refused(nothing, Code::FailedPrecondition, "NOTHING_TO_REFUND");
    assert_eq!(look(&world, held.customer, held).await??.until_at, None);
    assert_eq!(world.number("select count(*) from refund_requests").await?, 0);
    let anonymous = RefundRequestServiceClient::new(channel(&world)?);
    let anonymous = anonymous.clone().request_refund(asked(held, "", KEY)).await;
    assert_eq!(anonymous.unwrap_err().code(), Code::Unauthenticated);
    Ok(())
}

pub(crate) async fn refund_all(world: &World, person: Id<Customer>, held: Held) -> Result<()> {
    let all = RefundPaymentRequest {
        booking_id: held.id.to_string(),
        idempotency_key: "all-of-it-goes-back".to_owned(),
        amount: None,
    };
    world.staff.clone().refund_payment(world.request(person, all)?).await?;
    Ok(())
}

#[tokio::test]
async fn what_was_written_stands_in_the_row_alone() -> Result<()> {
    let world = World::new().await?;
    let (held, owner) = (held(&world).await?, world.employ("owner"));
    let request = ask(&world, held).await??;
    let mail = mail_of(&world, "notifications", &request.request_id).await??;
    assert_eq!((mail.number.as_str(), mail.answered), ("R-1", false));
    let other = mail_of(&world, "booking", &request.request_id).await?;
    assert_eq!(other.unwrap_err().code(), Code::PermissionDenied);
    let unknown = new_id::<kernel::id::RefundRequest>().to_string();
    let unknown = mail_of(&world, "notifications", &unknown).await?;
    assert_refused(unknown, Code::NotFound, "REFUND_REQUEST_NOT_FOUND");
    answer(&world, owner, answer_of(&request.request_id, Some(PRICE), "it-goes-back")).await??;
    for words in ["illness", "sorry about"] {
        for table in [
            "events",
            "audit_log",
            "idempotency_keys",
            "timers",
            "refunds",
            "collections",
            "known_bookings",
            "parked_events",
        ] {
            let sql = format!("select count(*) from {table} t where t::text like '%{words}%'");
            let found: i64 =
                sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).fetch_one(world.store.pool()).await?;
            assert_eq!(found, 0, "{words} in {table}");
        }
    }
    let audited: Vec<(String, String, String)> = sqlx::query_as(
        "select action, subject, outcome from audit_log where action like '%RefundRequest%'",
    )
    .fetch_all(world.store.pool())
    .await?;
    let done = ("AnswerRefundRequest".to_owned(), request.request_id, "done".to_owned());
    assert_eq!(audited, [done]);
    Ok(())
}

#[tokio::test]
async fn what_was_written_is_deleted_ninety_days_after_the_answer() -> Result<()> {
    let world = World::new().await?;
    let owner = world.employ("owner");
    let (first, second) = (held(&world).await?, held(&world).await?);
    let request = ask(&world, first).await??;
    ask(&world, second).await??;
    answer(&world, owner, answer_of(&request.request_id, None, "the-first-answer")).await??;
    let words = "select count(*) from refund_requests where reason is not null";
    world.move_clock(90 * DAY - HOUR).await?;
    sweep(&world).await?;
    assert_eq!(world.number(words).await?, 2);
    assert_eq!(list(&world, owner, true).await??.len(), 2);
    world.move_clock(90 * DAY + HOUR).await?;
    sweep(&world).await?;
    assert_eq!(world.number(words).await?, 1, "what waits for an answer stays");
    let kept = "select count(*) from refund_requests where answer is null and state = 'declined'";
    assert_eq!(world.number(kept).await?, 1);
    assert_eq!(list(&world, owner, true).await??.len(), 1);
    // Nor without an end: thirteen days after it was asked for, the money should have been back.
    world.move_clock(104 * DAY).await?;
    sweep(&world).await?;
    assert_eq!(world.number(words).await?, 0);
    Ok(())
}

async fn sweep(world: &World) -> Result<()> {
    let due = "update timers set due_at = clock_now() where kind = 'sweep-webhooks'";
    world.database.as_owner(due).await?;
    let done = "select count(*) from timers
                where kind = 'sweep-webhooks' and due_at > clock_now() + interval '1 hour'";
    world.until_number(done, 1).await
}
