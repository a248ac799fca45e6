//! Staff calls: refunds, explanations and ledger reads; who is authorized, and the audit log.

use anyhow::{Context as _, Result};
use contract::booking::v1::{BookingExpired, BookingRequested, BookingUnplaced};
use contract::common::v1::Money as WireMoney;
use contract::payments::v1::{
    CollectionState, ExplainOrderRequest, GetBalancesRequest, ListLedgerEntriesRequest,
    ListParkedEventsRequest, ListUnexplainedOrdersRequest, RefundPaymentRequest,
    RefundPaymentResponse, RetryParkedEventsRequest,
};
use eventstore::{NewEvent, new_id};
use kernel::Id;
use kernel::id::Customer;
use runtime::status::detail_of;
use tonic::{Code, Status};

use crate::world::{Held, PRICE, World, assert_refused};

async fn refund(
    world: &World,
    person: Id<Customer>,
    held: Held,
    (amount, key): (Option<i64>, &str),
) -> Result<Result<RefundPaymentResponse, Status>> {
    let asked = RefundPaymentRequest {
        booking_id: held.id.to_string(),
        idempotency_key: key.to_owned(),
        amount: amount.map(|minor_units| WireMoney { minor_units, currency_code: "INR".into() }),
    };
    let answer = world.staff.clone().refund_payment(world.request(person, asked)?).await;
    Ok(answer.map(tonic::Response::into_inner))
}

async fn audited(world: &World) -> Result<Vec<(String, String)>> {
    let sql = "select action, outcome from audit_log order by audit_id";
    Ok(sqlx::query_as(sql).fetch_all(world.store.pool()).await?)
}

fn rows(rows: &[(&str, &str)]) -> Vec<(String, String)> {
    rows.iter().map(|(action, outcome)| ((*action).to_owned(), (*outcome).to_owned())).collect()
}

#[tokio::test]
async fn every_method_of_staff_asks_for_the_second_factor() -> Result<()> {
    let world = World::new().await?;
    let owner = world.employ("owner");
    let answers = world.answers_to_one_factor(owner).await?;
    assert!(answers.len() > 5, "{answers:?}");
    for (method, answer) in answers {
        let status = answer.err().with_context(|| method.clone())?;
        let reason = detail_of(&status).map(|detail| detail.reason);
        assert_eq!(reason.as_deref(), Some("SECOND_FACTOR_REQUIRED"), "{method}");
    }
    Ok(())
}

#[tokio::test]
async fn staff_gives_parts_back_and_the_same_key_is_the_same_refund() -> Result<()> {
    let world = World::new().await?;
    let owner = world.employ("owner");
    let (held, payment_id) = world.paid().await?;
    let first = refund(&world, owner, held, (Some(20_000), "first-key")).await??;
    let again = refund(&world, owner, held, (Some(20_000), "first-key")).await??;
    assert_eq!(first, again);
    let other = refund(&world, owner, held, (Some(10_000), "first-key")).await?;
    assert_refused(other, Code::InvalidArgument, "IDEMPOTENCY_KEY_REUSED");
    // Another key is another refund, also while the first one is under way.
    let second = refund(&world, owner, held, (Some(20_000), "second-key")).await??;
    assert_ne!(first.refund_id, second.refund_id);
    for (amount, key) in [(10_001, "third-key"), (0, "fourth-key"), (-1, "fifth-key")] {
        let refused = refund(&world, owner, held, (Some(amount), key)).await?;
        assert_refused(refused, Code::InvalidArgument, "INVALID_AMOUNT");
    }
    // The key may be lost with a commit, or be deleted later: its refund stays the same.
    world
        .database
        .as_owner("delete from idempotency_keys where method like '%RefundPayment'")
        .await?;
    let known = refund(&world, owner, held, (Some(20_000), "first-key")).await??;
    assert_eq!(known, first);
    assert_eq!(world.check(held).await??, CollectionState::Paid);
    let rest = refund(&world, owner, held, (None, "sixth-key")).await??;
    assert_eq!(rest.amount.map(|it| it.minor_units), Some(10_000));
    let nothing = refund(&world, owner, held, (None, "seventh-key")).await?;
    assert_refused(nothing, Code::FailedPrecondition, "NOTHING_TO_REFUND");
    world.until_number("select count(*) from refunds where state = 'processed'", 3).await?;
    let refunds = world.provider_has("refunds").await?;
    let sum: i64 = refunds.iter().filter_map(|it| it["amount"].as_i64()).sum();
    assert_eq!((refunds.len(), sum), (3, PRICE));
    assert!(refunds.iter().all(|it| it["payment_id"] == payment_id.as_str()));
    assert_eq!(world.check(held).await??, CollectionState::Refunded);
    let asked = world.until(held, "RefundRequested").await?;
    assert_eq!(asked.payload["cause"], "staff");
    assert_eq!(asked.metadata.actor, owner.to_string());
    let outcomes: Vec<String> = audited(&world).await?.into_iter().map(|(_, it)| it).collect();
    assert_eq!(
        outcomes,
        [
            "done",
            "done",
            "IDEMPOTENCY_KEY_REUSED",
            "done",
            "INVALID_AMOUNT",
            "INVALID_AMOUNT",
            "INVALID_AMOUNT",
            "done",
            "done",
            "NOTHING_TO_REFUND"
        ]
    );
    Ok(())
}

#[tokio::test]
async fn ten_who_give_all_back_at_once_give_it_back_once() -> Result<()> {
    let world = World::new().await?;
    let admin = world.employ("admin");
    let (held, _) = world.paid().await?;
    let keys: Vec<String> = (0..10).map(|number| format!("key-of-{number}")).collect();
    let asked = keys.iter().map(|key| refund(&world, admin, held, (None, key)));
    let answers = futures::future::try_join_all(asked).await?;
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1);
    for answer in answers.into_iter().filter(Result::is_err) {
        assert_refused(answer, Code::FailedPrecondition, "NOTHING_TO_REFUND");
    }
    world.until(held, "RefundProcessed").await?;
    assert_eq!(world.provider_has("refunds").await?.len(), 1);
    Ok(())
}

#[tokio::test]
async fn only_managers_refund_and_every_call_is_audited() -> Result<()> {
    let world = World::without_webhooks().await?;
    let (held, _) = world.paid().await?;
    let stranger = refund(&world, held.customer, held, (None, "some-key")).await?;
    assert_refused(stranger, Code::PermissionDenied, "STAFF_ONLY");
    for role in ["practitioner", "front_desk"] {
        let refused = refund(&world, world.employ(role), held, (None, "some-key")).await?;
        assert_refused(refused, Code::PermissionDenied, "ROLE_NOT_ALLOWED");
    }
    let desk = world.employ("front_desk");
    let mut staff = world.staff.clone();
    let refused = staff.get_balances(world.request(desk, GetBalancesRequest {})?).await;
    assert_refused(refused, Code::PermissionDenied, "ROLE_NOT_ALLOWED");
    let asked = ListUnexplainedOrdersRequest { include_young: true };
    let refused = staff.list_unexplained_orders(world.request(desk, asked)?).await;
    assert_refused(refused, Code::PermissionDenied, "ROLE_NOT_ALLOWED");
    let refused = staff.explain_order(world.request(desk, ExplainOrderRequest::default())?).await;
    assert_refused(refused, Code::PermissionDenied, "ROLE_NOT_ALLOWED");
    let asked = ListLedgerEntriesRequest { booking_id: held.id.to_string() };
    let refused = staff.list_ledger_entries(world.request(desk, asked)?).await;
    assert_refused(refused, Code::PermissionDenied, "ROLE_NOT_ALLOWED");
    let refused = staff.list_parked_events(world.request(desk, ListParkedEventsRequest {})?).await;
    assert_refused(refused, Code::PermissionDenied, "ROLE_NOT_ALLOWED");
    let asked = RetryParkedEventsRequest::default();
    let refused = staff.retry_parked_events(world.request(desk, asked)?).await;
    assert_refused(refused, Code::PermissionDenied, "ROLE_NOT_ALLOWED");
    let anonymous = staff.get_balances(GetBalancesRequest {}).await.unwrap_err();
    assert_eq!(anonymous.code(), Code::Unauthenticated);
    assert_eq!(world.count(held, "RefundRequested").await?, 0);
    assert_eq!(
        audited(&world).await?,
        rows(&[
            ("RefundPayment", "ROLE_NOT_ALLOWED"),
            ("RefundPayment", "ROLE_NOT_ALLOWED"),
            ("GetBalances", "ROLE_NOT_ALLOWED"),
            ("ListUnexplainedOrders", "ROLE_NOT_ALLOWED"),
            ("ExplainOrder", "ROLE_NOT_ALLOWED"),
            ("ListLedgerEntries", "ROLE_NOT_ALLOWED"),
            ("ListParkedEvents", "ROLE_NOT_ALLOWED"),
            ("RetryParkedEvents", "ROLE_NOT_ALLOWED"),
        ])
    );
    Ok(())
}

/// A list that cannot be emptied would not be read.
#[tokio::test]
async fn what_staff_explains_leaves_the_list_until_its_amount_changes() -> Result<()> {
    let world = World::without_webhooks().await?;
    let owner = world.employ("owner");
    let (held, payment_id) = world.paid().await?;
    let mut staff = world.staff.clone();
    let list = async || {
        let asked = ListUnexplainedOrdersRequest { include_young: true };
        let mut staff = world.staff.clone();
        let answer = staff.list_unexplained_orders(world.request(owner, asked)?).await?;
        let orders = answer.into_inner().orders;
        anyhow::Ok(orders.into_iter().map(|it| (it.reason, it.subject)).collect::<Vec<_>>())
    };
    let row = ("CAPTURED_NOT_PLACED".to_owned(), payment_id.clone());
    assert_eq!(list().await?, std::slice::from_ref(&row));
    let mut explain = async |reason: &str, subject: &str, explanation: &str| {
        let asked = ExplainOrderRequest {
            reason: reason.to_owned(),
            subject: subject.to_owned(),
            explanation: explanation.to_owned(),
        };
        anyhow::Ok(staff.explain_order(world.request(owner, asked)?).await)
    };
    for odd in ["", " a ", &"a".repeat(501), "bell \u{7}"] {
        let refused = explain(&row.0, &row.1, odd).await?;
        assert_refused(refused, Code::InvalidArgument, "INVALID_EXPLANATION");
    }
    for (reason, subject) in [("MISMATCHED", row.1.as_str()), (&row.0, "pay_1"), ("NONE", "")] {
        let refused = explain(reason, subject, "kept for her next session").await?;
        assert_refused(refused, Code::NotFound, "NOTHING_UNEXPLAINED");
    }
    for _ in 0..2 {
        explain(&row.0, &row.1, "kept for her next session").await??;
    }
    assert_eq!(list().await?, []);
    // Something happens to that money: it is another case.
    refund(&world, owner, held, (Some(10_000), "some-key")).await??;
    world.until(held, "RefundProcessed").await?;
    assert_eq!(list().await?, [row]);
    Ok(())
}

#[tokio::test]
async fn the_books_are_shown_to_managers() -> Result<()> {
    let world = World::without_webhooks().await?;
    let owner = world.employ("owner");
    let (held, payment_id) = world.paid().await?;
    let mut staff = world.staff.clone();
    let balances = staff.get_balances(world.request(owner, GetBalancesRequest {})?).await?;
    let balances = balances.into_inner().balances;
    let sum: i64 =
        balances.iter().filter_map(|it| it.balance.as_ref()).map(|it| it.minor_units).sum();
    assert_eq!(sum, 0);
    let of = |account: &str| {
        let row = balances.iter().find(|it| it.account == account);
        row.and_then(|it| it.balance.as_ref()).map(|it| it.minor_units)
    };
    assert_eq!((of("provider_clearing"), of("customer_advance")), (Some(PRICE), Some(-PRICE)));
    let asked = ListLedgerEntriesRequest { booking_id: held.id.to_string() };
    let entries = staff.list_ledger_entries(world.request(owner, asked)?).await?.into_inner();
    assert_eq!(entries.entries[0].kind, "captured");
    assert_eq!(entries.entries[0].lines.len(), 2);
    let requested = BookingRequested {
        booking_id: held.id.to_string(),
        customer_id: held.customer.to_string(),
        ..Default::default()
    };
    world.booking.publishes(NewEvent::of(&requested)?, None).await?;
    let expired = BookingExpired { booking_id: held.id.to_string() };
    world.booking.publishes(NewEvent::of(&expired)?, None).await?;
    let known = "select count(*) from known_bookings where state = 'expired'";
    world.until_number(known, 1).await?;
    let asked = ListUnexplainedOrdersRequest { include_young: true };
    let orders = staff.list_unexplained_orders(world.request(owner, asked)?).await?.into_inner();
    let known = orders.orders.iter().find(|it| it.payment_id == payment_id);
    assert!(known.is_some_and(|it| !it.reason.is_empty() && it.since_at.is_some()), "{orders:?}");
    Ok(())
}

#[tokio::test]
async fn an_unknown_or_unpaid_booking_cannot_be_refunded() -> Result<()> {
    let world = World::without_webhooks().await?;
    let owner = world.employ("owner");
    let unknown = Held { id: new_id(), customer: owner };
    let refused = refund(&world, owner, unknown, (None, "some-key")).await?;
    assert_refused(refused, Code::NotFound, "BOOKING_NOT_FOUND");
    let held = world.held().await?;
    world.start(held).await?;
    let refused = refund(&world, owner, held, (None, "some-other-key")).await?;
    assert_refused(refused, Code::FailedPrecondition, "NOTHING_TO_REFUND");
    Ok(())
}

#[tokio::test]
async fn parked_events_are_listed_and_retried() -> Result<()> {
    let world = World::without_webhooks().await?;
    let owner = world.employ("owner");
    let (held, payment_id) = world.paid().await?;
    let unreadable = BookingUnplaced {
        booking_id: held.id.to_string(),
        payment_id: "not the id of a payment".to_owned(),
    };
    world.booking.publishes(NewEvent::of(&unreadable)?, None).await?;
    let good = BookingUnplaced { booking_id: held.id.to_string(), payment_id };
    world.booking.publishes(NewEvent::of(&good)?, None).await?;
    world.until_number("select count(*) from parked_events", 2).await?;
    let mut staff = world.staff.clone();
    let listed =
        staff.list_parked_events(world.request(owner, ListParkedEventsRequest {})?).await?;
    let listed = listed.into_inner().events;
    assert_eq!(listed.len(), 2, "the later one waits behind the earlier one of its stream");
    assert_eq!(listed[0].consumer, "payments-on-booking");
    assert_eq!(listed[0].event_type, "booking.v1.BookingUnplaced");
    let asked = RetryParkedEventsRequest { stream_id: listed[0].stream_id.clone() };
    let tried = staff.retry_parked_events(world.request(owner, asked)?).await?.into_inner();
    assert_eq!((tried.handled, tried.events.len()), (0, 2), "it is still not readable");
    world.database.as_owner("delete from parked_events where position = 1").await?;
    let asked = RetryParkedEventsRequest::default();
    let tried = staff.retry_parked_events(world.request(owner, asked)?).await?.into_inner();
    assert_eq!((tried.handled, tried.events.len()), (1, 0));
    world.until(held, "RefundProcessed").await?;
    Ok(())
}
