//! Webhooks: signed, in their envelope, sent again until they are accepted, and with injected
//! faults.

use std::collections::HashSet;
use std::time::Duration;

use sandbox::Settings;
use serde_json::json;

use crate::payments::signed;
use crate::website::{Folder, Running, Website, answer, until};

#[tokio::test]
async fn a_payment_sends_webhooks_with_valid_signatures() {
    let (folder, website) = (Folder::new(), Website::open().await);
    let sandbox = Running::start(&folder, Some(&website)).await;
    let order = sandbox.order("bkg_1", 50_000).await;
    let paid = sandbox.pay(&order, "captured").await;
    let arrived = website.wait_for(3).await;
    assert_eq!(website.events(), ["payment.authorized", "payment.captured", "order.paid"]);
    for webhook in &arrived {
        assert_eq!(webhook.signature, signed("demo-webhook-secret", &webhook.body));
        assert_eq!(webhook.json()["entity"], "event");
        assert_eq!(webhook.json()["account_id"], "acc_SandboxAcc0001");
    }
    let captured = arrived[1].json();
    assert_eq!(captured["contains"], json!(["payment"]));
    assert_eq!(captured["payload"]["payment"]["entity"]["id"], paid["payment_id"]);
    assert_eq!(captured["payload"]["payment"]["entity"]["order_id"], order["id"]);
    assert_eq!(arrived[2].json()["payload"]["order"]["entity"]["status"], "paid");
}

#[tokio::test]
async fn events_that_are_not_simulated_have_the_same_envelope() {
    let (folder, website) = (Folder::new(), Website::open().await);
    let sandbox = Running::start(&folder, Some(&website)).await;
    let downtime = json!({ "id": "down_F1cxDoHWD4fkQt", "method": "netbanking", "end": null });
    let told = json!({
        "event": "payment.downtime.started", "entities": { "payment.downtime": downtime },
    });
    let sent = answer(sandbox.post("/api/event", &told)).await;
    let arrived = website.wait_for(1).await.remove(0);
    assert_eq!(arrived.event_id, sent["event_id"]);
    assert_eq!(arrived.signature, signed("demo-webhook-secret", &arrived.body));
    assert_eq!(arrived.event(), "payment.downtime.started");
    assert_eq!(arrived.json()["contains"], json!(["payment.downtime"]));
    assert_eq!(arrived.json()["payload"]["payment.downtime"]["entity"], downtime);
}

#[tokio::test]
async fn a_refused_webhook_is_sent_again_with_the_same_id_and_bytes() {
    let (folder, website) = (Folder::new(), Website::open().await);
    let sandbox = Running::start(&folder, Some(&website)).await;
    website.refuse_next(2);
    let order = sandbox.order("bkg_1", 50_000).await;
    sandbox.pay(&order, "failed").await;
    let arrived = website.wait_for(3).await;
    assert_eq!(arrived.iter().map(|it| &it.event_id).collect::<HashSet<_>>().len(), 1);
    assert_eq!(arrived.iter().map(|it| &it.body).collect::<HashSet<_>>().len(), 1);
    until(async || sandbox.book().await["webhooks"][0]["state"] == "delivered").await;
}

#[tokio::test]
async fn faults_duplicate_reorder_and_drop_webhooks() {
    let (folder, website) = (Folder::new(), Website::open().await);
    let sandbox = Running::start(&folder, Some(&website)).await;
    sandbox.fault(json!({ "target": "webhook.payment.authorized", "kind": "reorder" })).await;
    sandbox.fault(json!({ "target": "webhook.payment.captured", "kind": "duplicate" })).await;
    sandbox.fault(json!({ "target": "webhook.order.paid", "kind": "drop" })).await;
    let order = sandbox.order("bkg_1", 50_000).await;
    sandbox.pay(&order, "captured").await;
    website.wait_for(3).await;
    until(async || {
        let book = sandbox.book().await;
        book["webhooks"].as_array().unwrap().iter().all(|it| it["state"] != "waiting")
    })
    .await;
    let events = website.events();
    assert_eq!(events[0], "payment.captured", "{events:?}");
    assert_eq!(events.iter().filter(|it| *it == "payment.captured").count(), 2);
    assert!(!events.contains(&"order.paid".to_owned()));
}

#[tokio::test]
async fn a_failed_payment_is_authorised_late() {
    let (folder, website) = (Folder::new(), Website::open().await);
    let sandbox = Running::start(&folder, Some(&website)).await;
    sandbox
        .fault(json!({ "target": "checkout.pay", "kind": "late_authorisation", "delay_ms": 50 }))
        .await;
    let order = sandbox.order("bkg_1", 50_000).await;
    let path = format!("/checkout/orders/{}/payments", order["id"].as_str().unwrap());
    let upi = json!({ "key_id": "rzp_test_demo", "method": "upi", "approve": true });
    let heard = crate::website::answer(sandbox.post(&path, &upi)).await;
    assert!(heard["failure"].is_object(), "the page hears of a failure");
    website.wait_for(4).await;
    let expected = ["payment.failed", "payment.authorized", "payment.captured", "order.paid"];
    assert_eq!(website.events(), expected);
}

#[tokio::test]
async fn undelivered_webhooks_and_late_payments_survive_a_kill() {
    let (folder, website) = (Folder::new(), Website::open().await);
    let sandbox = Running::start(&folder, Some(&website)).await;
    website.refuse_next(1_000);
    let order = sandbox.order("bkg_1", 50_000).await;
    let wanted = json!({ "order_id": order["id"], "outcome": "late", "delay_ms": 200 });
    let late = crate::website::answer(sandbox.post("/api/pay", &wanted)).await;
    website.wait_for(1).await;
    sandbox.kill().await;

    website.refuse_next(0);
    let sandbox = Running::start(&folder, Some(&website)).await;
    let payment = format!("/v1/payments/{}", late["payment_id"].as_str().unwrap());
    let status = async || crate::website::answer(sandbox.get(&payment)).await["status"].clone();
    until(async || status().await == "captured").await;
    until(async || {
        let book = sandbox.book().await;
        book["webhooks"].as_array().unwrap().iter().all(|it| it["state"] == "delivered")
    })
    .await;
}

#[tokio::test]
async fn after_a_day_of_failures_the_address_is_switched_off_until_a_person_switches_it_on() {
    let (folder, website) = (Folder::new(), Website::open().await);
    let mut settings = Settings::for_tests(folder.path(), Some(website.url.clone()));
    settings.timing.webhook_retry_period = Duration::from_millis(200);
    let sandbox = Running::with(settings).await;
    website.refuse_next(1_000);
    let order = sandbox.order("bkg_1", 50_000).await;
    sandbox.pay(&order, "failed").await;
    until(async || answer(sandbox.get("/api/switches")).await["webhooks_off"] == true).await;
    assert_eq!(sandbox.book().await["webhooks"][0]["state"], "given_up");
    website.refuse_next(0);
    // From here on no webhook is sent for any event, now or later.
    sandbox.pay(&order, "failed").await;
    assert_eq!(sandbox.book().await["webhooks"].as_array().map(Vec::len), Some(1));
    answer(sandbox.post("/api/switches", &json!({}))).await;
    sandbox.pay(&order, "failed").await;
    until(async || sandbox.book().await["webhooks"][1]["state"] == "delivered").await;
}
