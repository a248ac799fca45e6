//! Settlements: what is paid out, the daily report, and the controls that change both.

use serde_json::{Value, json};

use crate::website::{Folder, Running, Website, answer, refused, status, until};

async fn report(sandbox: &Running, day: &str) -> Vec<Value> {
    let mut parts = day.split('-');
    let mut part = || parts.next().unwrap();
    let asked = format!(
        "/v1/settlements/recon/combined?year={}&month={}&day={}&count=1000",
        part(),
        part(),
        part()
    );
    answer(sandbox.get(&asked)).await["items"].as_array().unwrap().clone()
}

async fn settle(sandbox: &Running, day: &str) -> Value {
    answer(sandbox.post("/api/settle", &json!({ "day": day }))).await
}

async fn refund(sandbox: &Running, payment: &Value, amount: i64) -> Value {
    let wanted = json!({ "payment_id": payment["payment_id"], "amount": amount });
    let refund = answer(sandbox.post("/api/refund", &wanted)).await;
    let path = format!("/v1/refunds/{}", refund["id"].as_str().unwrap());
    until(async || answer(sandbox.get(&path)).await["status"] == "processed").await;
    refund
}

#[tokio::test]
async fn captured_payments_are_paid_out_once_less_fees_and_refunds() {
    let (folder, website) = (Folder::new(), Website::open().await);
    let sandbox = Running::start(&folder, Some(&website)).await;
    let order = sandbox.order("bkg_1", 50_000).await;
    let payment = sandbox.pay(&order, "captured").await;
    sandbox.pay(&sandbox.order("bkg_2", 50_000).await, "failed").await;
    sandbox.pay(&sandbox.order("bkg_3", 50_000).await, "authorized").await;
    let refund = refund(&sandbox, &payment, 10_000).await;
    let settled = settle(&sandbox, "2026-11-20").await;
    let settlement = &settled["settlement"];
    assert_eq!(settlement["entity"], "settlement");
    assert_eq!(settlement["amount"], 50_000 - 1_180 - 10_000);
    assert_eq!((&settlement["fees"], &settlement["tax"]), (&json!(1_180), &json!(180)));

    let lines = report(&sandbox, "2026-11-20").await;
    assert_eq!(lines, settled["lines"].as_array().unwrap().clone());
    let [first, second] = lines.as_slice() else { panic!("{lines:?}") };
    assert_eq!(first["entity_id"], payment["payment_id"]);
    assert_eq!(first["type"], "payment");
    assert_eq!((&first["credit"], &first["debit"]), (&json!(48_820), &json!(0)));
    assert_eq!((&first["fee"], &first["tax"]), (&json!(1_180), &json!(180)));
    assert_eq!(first["order_id"], order["id"]);
    assert_eq!(first["order_receipt"], "bkg_1");
    assert_eq!(first["settlement_id"], settlement["id"]);
    assert_eq!(first["settlement_utr"], settlement["utr"]);
    assert_eq!(second["entity_id"], refund["id"]);
    assert_eq!(second["payment_id"], payment["payment_id"]);
    assert_eq!((&second["credit"], &second["debit"]), (&json!(0), &json!(10_000)));
    assert_eq!(report(&sandbox, "2026-11-19").await, Vec::<Value>::new());
    assert_eq!(settle(&sandbox, "2026-11-21").await["settlement"], Value::Null, "once");
    until(async || website.events().contains(&"settlement.processed".to_owned())).await;
}

#[tokio::test]
async fn a_settlement_survives_a_kill_and_is_listed() {
    let folder = Folder::new();
    let sandbox = Running::start(&folder, None).await;
    sandbox.pay(&sandbox.order("bkg_1", 50_000).await, "captured").await;
    let first = settle(&sandbox, "2026-11-20").await;
    answer(sandbox.post("/api/adjustment", &json!({ "amount": -700 }))).await;
    let second = settle(&sandbox, "2026-11-21").await;
    assert_eq!(second["settlement"]["amount"], -700);
    assert_eq!(second["lines"][0]["type"], "adjustment");
    assert_eq!(second["lines"][0]["debit"], 700);
    sandbox.kill().await;
    let sandbox = Running::start(&folder, None).await;
    let listed = answer(sandbox.get("/v1/settlements")).await;
    assert_eq!(listed["items"], json!([second["settlement"], first["settlement"]]));
    let id = first["settlement"]["id"].as_str().unwrap();
    assert_eq!(answer(sandbox.get(&format!("/v1/settlements/{id}"))).await, first["settlement"]);
    assert_eq!(status(sandbox.get("/v1/settlements/setl_unknown")).await, 400);
    assert_eq!(report(&sandbox, "2026-11-20").await.len(), 1);
    let month = "/v1/settlements/recon/combined?year=2026&month=11&count=1&skip=1";
    assert_eq!(answer(sandbox.get(month)).await["items"], second["lines"]);
    assert_eq!(sandbox.book().await["settlements"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_control_falsifies_a_report_and_corrects_it() {
    let folder = Folder::new();
    let sandbox = Running::start(&folder, None).await;
    sandbox.pay(&sandbox.order("bkg_1", 50_000).await, "captured").await;
    let settled = settle(&sandbox, "2026-11-20").await;
    let line = &settled["lines"][0];
    let forge = async |more: Value| {
        let mut body = json!({
            "settlement_id": line["settlement_id"], "entity_id": line["entity_id"],
        });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        answer(sandbox.post("/api/settlement-line", &body)).await
    };
    forge(json!({ "amount": 60_000, "credit": 58_820 })).await;
    assert_eq!(report(&sandbox, "2026-11-20").await[0]["amount"], 60_000);
    forge(json!({ "hidden": true })).await;
    assert_eq!(report(&sandbox, "2026-11-20").await.len(), 0);
    forge(json!({ "hidden": false, "amount": 50_000, "credit": 48_820 })).await;
    assert_eq!(report(&sandbox, "2026-11-20").await, settled["lines"].as_array().unwrap().clone());

    sandbox.fault(json!({ "target": "settlements.fetch", "kind": "status" })).await;
    let asked = "/v1/settlements/recon/combined?year=2026&month=11&day=20";
    assert_eq!(status(sandbox.get(asked)).await, 500);
    assert_eq!(status(sandbox.get(asked)).await, 200);
}

#[tokio::test]
async fn payments_are_listed_newest_first_by_age_and_page() {
    let folder = Folder::new();
    let sandbox = Running::start(&folder, None).await;
    for receipt in ["bkg_1", "bkg_2", "bkg_3"] {
        sandbox.pay(&sandbox.order(receipt, 50_000).await, "captured").await;
    }
    let all = answer(sandbox.get("/v1/payments?count=100")).await;
    assert_eq!(all["count"], 3);
    let page = answer(sandbox.get("/v1/payments?count=2&skip=2")).await;
    assert_eq!(page["items"], json!([all["items"][2]]));
    let newest = all["items"][0]["created_at"].as_i64().unwrap();
    let later = format!("/v1/payments?from={}", newest + 1);
    assert_eq!(answer(sandbox.get(&later)).await["count"], 0);
    let until = format!("/v1/payments?from=0&to={newest}");
    assert_eq!(answer(sandbox.get(&until)).await["count"], 3);
    sandbox.fault(json!({ "target": "payments.fetch.list", "kind": "status" })).await;
    assert_eq!(status(sandbox.get("/v1/payments")).await, 500);
}

#[tokio::test]
async fn a_payment_on_the_providers_own_pages_has_no_order() {
    let (folder, website) = (Folder::new(), Website::open().await);
    let sandbox = Running::start(&folder, Some(&website)).await;
    let wanted = json!({ "amount": 12_300, "method": "upi" });
    let payment = answer(sandbox.post("/api/pay", &wanted)).await;
    assert_eq!(payment["payment"]["order_id"], Value::Null);
    assert_eq!(payment["payment"]["status"], "captured");
    let (code, error) = refused(sandbox.post("/api/pay", &json!({}))).await;
    assert_eq!((code, error["field"].as_str()), (400, Some("amount")));
    let refund = refund(&sandbox, &payment, 2_300).await;
    assert_eq!((&refund["receipt"], &refund["amount"]), (&Value::Null, &json!(2_300)));
    until(async || website.events() == ["payment.captured", "refund.created", "refund.processed"])
        .await;
    let settled = settle(&sandbox, "2026-11-20").await;
    assert_eq!(settled["lines"][0]["order_id"], Value::Null);
    assert_eq!(settled["settlement"]["amount"], 12_300 - 290 - 2_300);
    let dollars = json!({ "amount": 900, "currency": "USD" });
    let payment = answer(sandbox.post("/api/pay", &dollars)).await;
    assert_eq!(payment["payment"]["currency"], "USD");
}
