//! Refunds: once per key, pending at first, and never more than was paid.

use reqwest::RequestBuilder;
use serde_json::{Value, json};

use crate::website::{Folder, Running, Website, answer, refused, status, until};

async fn paid(sandbox: &Running) -> String {
    let order = sandbox.order("bkg_1", 50_000).await;
    sandbox.pay(&order, "captured").await["payment_id"].as_str().unwrap().to_owned()
}

fn refund(sandbox: &Running, payment: &str, key: &str, body: &Value) -> RequestBuilder {
    let path = format!("/v1/payments/{payment}/refund");
    sandbox.post(&path, body).header("X-Refund-Idempotency", key)
}

#[tokio::test]
async fn the_same_key_refunds_once_and_another_body_conflicts() {
    let (folder, website) = (Folder::new(), Website::open().await);
    let sandbox = Running::start(&folder, Some(&website)).await;
    let payment = paid(&sandbox).await;
    let wanted = json!({ "amount": 50_000, "speed": "normal" });
    let first = answer(refund(&sandbox, &payment, "rfn_0000001", &wanted)).await;
    assert_eq!(first["status"], "pending");
    let again = answer(refund(&sandbox, &payment, "rfn_0000001", &wanted)).await;
    assert_eq!(first["id"], again["id"]);
    let other = json!({ "amount": 40_000, "speed": "normal" });
    assert_eq!(status(refund(&sandbox, &payment, "rfn_0000001", &other)).await, 409);
    assert_eq!(status(refund(&sandbox, &payment, "short", &wanted)).await, 400);

    let path = format!("/v1/refunds/{}", first["id"].as_str().unwrap());
    until(async || answer(sandbox.get(&path)).await["status"] == "processed").await;
    let list = answer(sandbox.get(&format!("/v1/payments/{payment}/refunds"))).await;
    assert_eq!(list["count"], 1);
    website.wait_for(5).await;
    assert!(website.events().contains(&"refund.created".to_owned()));
    let arrived = website.arrived();
    let told = arrived.iter().find(|it| it.event() == "refund.processed").unwrap().json();
    assert_eq!(told["contains"], json!(["refund", "payment"]));
    assert_eq!(told["payload"]["refund"]["entity"]["payment_id"], payment.as_str());
}

#[tokio::test]
async fn parts_add_up_and_never_exceed_the_payment() {
    let folder = Folder::new();
    let sandbox = Running::start(&folder, None).await;
    let payment = paid(&sandbox).await;
    let path = format!("/v1/payments/{payment}");
    answer(refund(&sandbox, &payment, "rfn_0000001", &json!({ "amount": 20_000 }))).await;
    let part = answer(sandbox.get(&path)).await;
    assert_eq!(
        (part["status"].as_str(), part["refund_status"].as_str()),
        (Some("captured"), Some("partial"),)
    );
    let more = json!({ "amount": 30_001 });
    let (code, error) = refused(refund(&sandbox, &payment, "rfn_0000002", &more)).await;
    assert_eq!((code, error["field"].as_str()), (400, Some("amount")));
    answer(refund(&sandbox, &payment, "rfn_0000003", &json!({}))).await;
    let full = answer(sandbox.get(&path)).await;
    assert_eq!(
        (full["status"].as_str(), full["amount_refunded"].as_i64()),
        (Some("refunded"), Some(50_000),)
    );
    let nothing_left = refund(&sandbox, &payment, "rfn_0000004", &json!({ "amount": 100 }));
    assert_eq!(status(nothing_left).await, 400);
}

#[tokio::test]
async fn a_refund_that_fails_gives_its_amount_back() {
    let (folder, website) = (Folder::new(), Website::open().await);
    let sandbox = Running::start(&folder, Some(&website)).await;
    let payment = paid(&sandbox).await;
    answer(refund(&sandbox, &payment, "rfn_0000001", &json!({ "amount": 2_468 }))).await;
    until(async || website.events().contains(&"refund.failed".to_owned())).await;
    let path = format!("/v1/payments/{payment}");
    assert_eq!(answer(sandbox.get(&path)).await["amount_refunded"], 0);

    sandbox.fault(json!({ "target": "refunds.process", "kind": "refuse" })).await;
    answer(refund(&sandbox, &payment, "rfn_0000002", &json!({ "amount": 50_000 }))).await;
    until(async || answer(sandbox.get(&path)).await["status"] == "captured").await;
}
