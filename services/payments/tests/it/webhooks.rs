//! The webhook port: what is accepted, what is refused, and what a repeat does.

use anyhow::{Context as _, Result};
use futures::future::try_join_all;
use runtime::health::{Probe, Unready, WEBHOOKS};
use serde_json::{Value, json};
use testkit::{Alarms, until};

use crate::signed_webhooks::{PAYMENT, captured, event, payment, post, send, sign};
use crate::world::{WEBHOOK_SECRET, WEBHOOK_SECRET_BEFORE, World};

const INBOX: &str = "select count(*) from webhook_inbox";

#[tokio::test]
async fn only_what_the_provider_signed_is_let_in() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    let order = world.start(held).await?.order_id;
    let body = captured(&order, 1);
    let good = sign(WEBHOOK_SECRET, &body)?;
    let mut altered = body.clone();
    *altered.last_mut().context("a body")? = b' ';
    assert_eq!(post(&world, altered, &good, "evt_1").await?, 400);
    assert_eq!(post(&world, body.clone(), "", "evt_1").await?, 400);
    assert_eq!(post(&world, body.clone(), &"0".repeat(64), "evt_1").await?, 400);
    let other_key = sign("demo-key-secret", &body)?;
    assert_eq!(post(&world, body.clone(), &other_key, "evt_1").await?, 400);
    let huge = vec![b' '; 1024 * 1024 + 1];
    let huge_good = sign(WEBHOOK_SECRET, &huge)?;
    assert_eq!(post(&world, huge, &huge_good, "evt_1").await?, 413);
    assert_eq!(world.number(INBOX).await?, 0);
    assert_eq!(world.names(held).await?, ["CollectionOpened", "OrderCreated"]);

    let before = sign(WEBHOOK_SECRET_BEFORE, &body)?;
    assert_eq!(post(&world, body, &before, "evt_1").await?, 200, "the secret was changed");
    world.until(held, "PaymentVerified").await?;
    Ok(())
}

#[tokio::test]
async fn a_replay_under_another_id_is_harmless() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    let order = world.start(held).await?.order_id;
    let body = captured(&order, 1);
    let good = sign(WEBHOOK_SECRET, &body)?;
    for event_id in ["evt_1", "evt_1", "evt_2", "evt_3"] {
        assert_eq!(post(&world, body.clone(), &good, event_id).await?, 200);
    }
    let later = captured(&order, 2);
    let good = sign(WEBHOOK_SECRET, &later)?;
    assert_eq!(post(&world, later, &good, "evt_1").await?, 200, "an id that was used before");
    let without_id = captured(&order, 3);
    let good = sign(WEBHOOK_SECRET, &without_id)?;
    assert_eq!(post(&world, without_id, &good, "").await?, 200);
    world.until_quiet().await?;
    assert_eq!(world.number(INBOX).await?, 3, "one row for each body");
    assert_eq!(
        world.names(held).await?,
        ["CollectionOpened", "OrderCreated", "PaymentObserved", "PaymentVerified"]
    );
    Ok(())
}

#[tokio::test]
async fn unknown_webhooks_are_accepted_and_ignored() -> Result<()> {
    let world = World::without_webhooks().await?;
    let unheard_of = json!({
        "id": "pay_AAAAAAAAAAAAAA", "amount": 1, "currency": "INR", "status": "pending",
    });
    let payload = json!({ "payment": { "entity": unheard_of } });
    let bodies: [Value; 3] = [
        json!({ "event": "settlement.processed", "payload": { "settlement": {} } }),
        json!({ "event": "payment.pending", "payload": payload }),
        json!(null),
    ];
    for body in bodies {
        let body = body.to_string().into_bytes();
        let good = sign(WEBHOOK_SECRET, &body)?;
        assert_eq!(post(&world, body, &good, "").await?, 200);
    }
    world.until_quiet().await?;
    assert_eq!(world.number(INBOX).await?, 3);
    Ok(())
}

#[tokio::test]
async fn a_webhook_of_an_unknown_order_is_kept_until_it_is_known() -> Result<()> {
    let world = World::new().await?;
    let held = world.held().await?;
    let lost = json!({ "target": "orders.create", "kind": "timeout_after_success", "delay_ms": 1 });
    world.fault(lost).await?;
    world.fault(json!({ "target": "orders.fetch.list", "kind": "status" })).await?;
    assert!(world.try_start(held).await?.is_err());
    let orders = world.provider_has("orders").await?;
    let order = orders[0]["id"].as_str().context("an id")?;
    // The order, whose receipt shows its owner, cannot be fetched either.
    world.fault(json!({ "target": "orders.fetch.one", "kind": "drop", "times": 0 })).await?;
    world.pay(order, json!({})).await?;
    let waiting = "select count(*) from webhook_inbox where waits_for_order_id is not null";
    world.until_number(waiting, 3).await?;
    assert_eq!(world.names(held).await?, ["CollectionOpened"]);
    world.fault(json!({ "target": "orders.fetch.payments", "kind": "drop", "times": 0 })).await?;
    assert_eq!(world.start(held).await?.order_id, order);
    world.until(held, "PaymentVerified").await?;
    world.until_quiet().await?;
    assert_eq!(world.number(waiting).await?, 0);
    Ok(())
}

/// The id is a header that the signature does not cover.
#[tokio::test]
async fn an_id_that_came_before_hides_no_other_webhook() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    let order = world.start(held).await?.order_id;
    let other = json!({ "event": "settlement.processed" }).to_string().into_bytes();
    let body = captured(&order, 1);
    for (body, rows) in [(other, 1), (body.clone(), 2), (body, 2)] {
        let good = sign(WEBHOOK_SECRET, &body)?;
        assert_eq!(post(&world, body, &good, "evt_same").await?, 200);
        assert_eq!(world.number(INBOX).await?, rows);
    }
    world.until(held, "PaymentVerified").await?;
    Ok(())
}

#[tokio::test]
async fn each_provider_has_its_own_address() -> Result<()> {
    let world = World::without_webhooks().await?;
    let url = world.webhook_url.replace("razorpay", "another");
    let body = json!({ "event": "settlement.processed" }).to_string().into_bytes();
    let good = sign(WEBHOOK_SECRET, &body)?;
    let post = world.http.post(&url).header("x-razorpay-signature", good).body(body);
    assert_eq!(post.send().await?.status(), 404);
    assert_eq!(world.number(INBOX).await?, 0);
    Ok(())
}

#[tokio::test]
async fn the_health_port_reports_the_state() -> Result<()> {
    let world = World::without_webhooks().await?;
    let url = world.webhook_url.replace("/webhooks/razorpay", "/healthz");
    assert_eq!(world.http.get(&url).send().await?.status(), 200);
    Ok(())
}

#[tokio::test]
async fn a_hundred_identical_webhooks_at_once_are_one_verification() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    let order = world.start(held).await?.order_id;
    let body = captured(&order, 1);
    let good = sign(WEBHOOK_SECRET, &body)?;
    // Half of them under one id, half under ids of their own: the id is not signed.
    let ids: Vec<String> =
        (0..100).map(|n| format!("evt_{}", if n % 2 == 0 { 0 } else { n })).collect();
    let posts = ids.iter().map(|id| post(&world, body.clone(), &good, id));
    assert!(try_join_all(posts).await?.iter().all(|status| *status == 200));
    // And the same payment in a hundred bodies that differ.
    let bodies: Vec<Vec<u8>> = (2..102).map(|created_at| captured(&order, created_at)).collect();
    try_join_all(bodies.into_iter().map(|body| send(&world, body))).await?;
    world.until_quiet().await?;
    assert_eq!(world.number(INBOX).await?, 101);
    assert_eq!(
        world.names(held).await?,
        ["CollectionOpened", "OrderCreated", "PaymentObserved", "PaymentVerified"]
    );
    Ok(())
}

/// What is known costs no timer and no event; what is new needs no timer either.
#[tokio::test]
async fn a_payment_on_a_known_order_is_folded_where_its_webhook_is_stored() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    let order = world.start(held).await?.order_id;
    // A timer for a webhook is refused.
    world.database.as_owner(FOLDS_BY_TIMER).await?;
    let told =
        |name: &str, status: &str, at| event(name, &[("payment", payment(&order, status))], at);
    for (name, status, events) in [
        ("payment.authorized", "authorized", 3),
        ("payment.captured", "captured", 5),
        ("payment.authorized", "authorized", 5),
        ("order.paid", "captured", 5),
    ] {
        send(&world, told(name, status, events)).await?;
        assert_eq!(world.names(held).await?.len(), usize::try_from(events)?, "{name}");
    }
    assert_eq!(world.count(held, "PaymentVerified").await?, 1);
    let folded = "select count(*) from webhook_inbox
                  where folded_at is not null and payment_id is not null";
    assert_eq!(world.number(folded).await?, 4);
    let timers = "select count(*) from timers where kind in ('fold-webhook', 'poll-order')";
    assert_eq!(world.number(timers).await?, 0);
    Ok(())
}

/// Refuses a timer for a webhook.
const FOLDS_BY_TIMER: &str = "
    create function refuse() returns trigger language plpgsql as
    $$ begin raise exception 'a timer is set'; end $$;
    create trigger no_timers before insert on timers for each row
    when (new.kind = 'fold-webhook') execute function refuse()";

#[tokio::test]
async fn a_webhook_that_cannot_be_folded_at_once_is_stored_and_folded_later() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    let order = world.start(held).await?.order_id;
    let broken = "
        create function refuse() returns trigger language plpgsql as
        $$ begin raise exception 'away'; end $$;
        create trigger away before insert on payments for each row execute function refuse()";
    world.database.as_owner(broken).await?;
    send(&world, captured(&order, 1)).await?;
    let waits = "select count(*) from webhook_inbox w join timers t on t.subject = w.event_id
                 where t.kind = 'fold-webhook' and w.folded_at is null";
    assert_eq!(world.number(waits).await?, 1);
    assert_eq!(world.names(held).await?, ["CollectionOpened", "OrderCreated"]);
    world.database.as_owner("drop trigger away on payments").await?;
    world.until(held, "PaymentVerified").await?;
    world.until_number(waits, 0).await
}

/// A transaction that holds a collection for long delays no answer to the provider.
#[tokio::test]
async fn a_webhook_waits_for_no_lock_longer_than_its_provider_does() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    let order = world.start(held).await?.order_id;
    let mut holder = world.store.pool().begin().await?;
    let lock = "select take_locks(array[$1])";
    let stream = format!("collection-{}", held.id.uuid());
    sqlx::query(lock).bind(stream).execute(&mut *holder).await?;
    send(&world, captured(&order, 1)).await?;
    let waits = "select count(*) from timers where kind = 'fold-webhook'";
    assert_eq!(world.number(waits).await?, 1);
    holder.rollback().await?;
    world.until(held, "PaymentVerified").await?;
    Ok(())
}

#[tokio::test]
async fn a_signed_webhook_with_a_changed_amount_confirms_nothing_and_raises_an_alarm() -> Result<()>
{
    let alarms = Alarms::listen();
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    let order = world.start(held).await?.order_id;
    let mut cheap = payment(&order, "captured");
    cheap["amount"] = json!(100);
    send(&world, event("payment.captured", &[("payment", cheap)], 1)).await?;
    let mismatched = world.until(held, "PaymentMismatched").await?;
    assert_eq!(mismatched.payload["reason"], "amount");
    world.until_quiet().await?;
    assert_eq!(world.count(held, "PaymentVerified").await?, 0);
    assert_eq!(alarms.count("money that does not match"), 1);
    let listed = "select count(*) from payments where counted = 'mismatched'";
    assert_eq!(world.number(listed).await?, 1);
    // A truth that comes later about the same payment changes nothing.
    send(&world, captured(&order, 2)).await?;
    world.until_quiet().await?;
    assert_eq!(world.count(held, "PaymentVerified").await?, 0);
    Ok(())
}

#[tokio::test]
async fn a_webhook_of_another_account_is_dropped_and_reported() -> Result<()> {
    let alarms = Alarms::listen();
    let world = World::without_webhooks().await?;
    let probe = Probe::new(world.url())?;
    let told = async |wanted: Result<(), Unready>| {
        until("the concern is told", async || {
            Ok((probe.concern(WEBHOOKS).await == wanted).then_some(()))
        })
        .await
    };
    let held = world.held().await?;
    let order = world.start(held).await?.order_id;
    let mut of_another: Value = serde_json::from_slice(&captured(&order, 1))?;
    of_another["account_id"] = json!("acc_AAAAAAAAAAAAAA");
    let body = of_another.to_string().into_bytes();
    let good = sign(WEBHOOK_SECRET, &body)?;
    assert_eq!(post(&world, body, &good, "evt_1").await?, 200, "or the address is switched off");
    assert_eq!(world.number(INBOX).await?, 0);
    assert_eq!(alarms.count("check PAYMENTS_ACCOUNT_ID"), 1);
    told(Err(Unready::Concerned)).await?;
    // One that does not say whose it is has a good signature all the same.
    let mut silent: Value = serde_json::from_slice(&captured(&order, 1))?;
    silent.as_object_mut().context("an object")?.remove("account_id");
    send(&world, silent.to_string().into_bytes()).await?;
    world.until(held, "PaymentVerified").await?;
    told(Ok(())).await?;
    Ok(())
}

#[tokio::test]
async fn any_signed_body_is_stored_without_an_error() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    let order = world.start(held).await?.order_id;
    let odd = |field: &str, value: Value| {
        let mut payment = payment(&order, "captured");
        payment[field] = value;
        event("payment.captured", &[("payment", payment)], 1)
    };
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let bodies = vec![
        Vec::new(),
        b"not JSON".to_vec(),
        vec![0xff, 0xfe, 0x00, 0x80],
        b"\"\xff\"".to_vec(),
        deep.into_bytes(),
        br#"{"event":"payment.captured","payload":{"payment":{"entity":{"amount":1e999}}}}"#
            .to_vec(),
        odd("amount", json!(u64::MAX)),
        odd("amount", json!(-1)),
        odd("amount", json!("99999999999999999999")),
        odd("currency", json!("IN\u{0}")),
        odd("id", json!("pay_'; drop--")),
        odd("order_id", json!("order_\u{0}AAAAAAAAAAAAA")),
        odd("status", json!({"captured": true})),
        odd("order_id", json!(null)),
    ];
    let count = i64::try_from(bodies.len())?;
    for body in bodies {
        send(&world, body).await?;
    }
    world.until_quiet().await?;
    assert_eq!(world.number(INBOX).await?, count);
    assert_eq!(world.names(held).await?, ["CollectionOpened", "OrderCreated"]);
    assert_eq!(world.number("select count(*) from timers where kind = 'fold-webhook'").await?, 0);
    Ok(())
}

#[tokio::test]
async fn a_captured_payment_whose_webhook_does_not_come_raises_one_alarm() -> Result<()> {
    const SILENT: &str = "no webhook has told of a captured payment";
    let alarms = Alarms::listen();
    let world = World::without_webhooks().await?;
    let (told, told_payment) = world.paid().await?;
    let (_, untold_payment) = world.paid().await?;
    // This one comes five minutes later.
    let orders = world.provider_has("payments").await?;
    let known = orders.iter().find(|it| it["id"] == told_payment.as_str()).context("a payment")?;
    send(&world, event("payment.captured", &[("payment", known.clone())], 1)).await?;
    world.until_quiet().await?;
    let waits = "select count(*) from timers where kind = 'expect-webhook'";
    assert_eq!(world.number(waits).await?, 2);
    world.move_clock(9 * 60).await?;
    assert_eq!(alarms.count(SILENT), 0);
    world.move_clock(10 * 60 + 1).await?;
    world.until_number(waits, 0).await?;
    assert_eq!(alarms.count(SILENT), 1, "{untold_payment} and nothing else");
    assert_eq!(world.count(told, "PaymentVerified").await?, 1);
    assert_ne!(told_payment, PAYMENT);
    Ok(())
}

#[tokio::test]
async fn two_refunds_reported_backwards_and_twice_are_summed() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    let order = world.start(held).await?.order_id;
    let refund = |id: &str, amount: i64, status: &str| {
        json!({
            "id": id, "entity": "refund", "amount": amount, "currency": "INR", "receipt": null,
            "payment_id": PAYMENT, "status": status, "notes": [],
        })
    };
    let told = |name: &str, refund: Value| {
        let parts = [("refund", refund), ("payment", payment(&order, "captured"))];
        event(name, &parts, 1)
    };
    for _ in 0..2 {
        let (one, two) = ("rfnd_AAAAAAAAAAAAAA", "rfnd_BBBBBBBBBBBBBB");
        send(&world, told("refund.processed", refund(two, 10_000, "processed"))).await?;
        send(&world, told("refund.processed", refund(one, 20_000, "processed"))).await?;
        send(&world, told("refund.created", refund(two, 10_000, "pending"))).await?;
        send(&world, told("refund.created", refund(one, 20_000, "created"))).await?;
    }
    world.until_quiet().await?;
    let sum = "select sum(amount_minor)::bigint from refunds where state = 'processed'";
    assert_eq!(world.number(sum).await?, 30_000);
    for (name, times) in [("RefundDiscovered", 2), ("RefundProcessed", 2), ("PaymentVerified", 1)] {
        assert_eq!(world.count(held, name).await?, times, "{name}");
    }
    Ok(())
}
