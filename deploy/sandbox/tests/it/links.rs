//! Payment links: their fields, their states, their money, their page and their webhooks.

use serde_json::{Value, json};

use crate::payments::signed;
use crate::website::{Folder, Running, SECRET, Website, answer, refused, status, until};

const DAY_S: i64 = 24 * 60 * 60;

/// Seconds since 1970 by the machine's clock, which is the sandbox's.
#[expect(clippy::disallowed_methods, reason = "the sandbox's clock is the machine's")]
fn now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    i64::try_from(since.as_secs()).unwrap()
}

fn wanted(reference: &str, more: &Value) -> Value {
    let mut wanted = json!({
        "amount": 50_000, "currency": "INR", "accept_partial": false, "reference_id": reference,
        "description": "Your booking", "expire_by": now() + 20 * 60,
        "notify": { "sms": false, "email": false }, "reminder_enable": false,
        "notes": { "booking_id": "bkg_1" },
        "callback_url": "http://127.0.0.1:1/pay/link-return?b=bkg_1", "callback_method": "get",
    });
    wanted.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    wanted
}

async fn link(sandbox: &Running, reference: &str) -> Value {
    answer(sandbox.post("/v1/payment_links", &wanted(reference, &json!({})))).await
}

async fn fetched(sandbox: &Running, link: &Value) -> Value {
    answer(sandbox.get(&format!("/v1/payment_links/{}", link["id"].as_str().unwrap()))).await
}

async fn pay(sandbox: &Running, link: &Value, more: Value) -> Value {
    let mut asked = json!({ "link_id": link["id"] });
    asked.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    answer(sandbox.post("/api/pay", &asked)).await
}

#[tokio::test]
async fn a_link_has_the_documented_form_and_one_reference_for_ever() {
    let folder = Folder::new();
    let sandbox = Running::start(&folder, None).await;
    let made = link(&sandbox, "lnk_1").await;
    assert!(made["id"].as_str().unwrap().starts_with("plink_"));
    assert!(made["short_url"].as_str().unwrap().starts_with(&format!("{}/l/", sandbox.url)));
    assert_eq!((&made["status"], &made["payments"]), (&json!("created"), &Value::Null));
    assert_eq!(made.get("order_id"), None, "there is no order before its page is opened");
    let (status, error) =
        refused(sandbox.post("/v1/payment_links", &wanted("lnk_1", &json!({})))).await;
    assert_eq!(
        (status, error["field"].clone(), &error["reason"]),
        (400, Value::Null, &json!("NA"))
    );
    assert!(error["description"].as_str().unwrap().contains("already exists"), "{error}");
    let id = made["id"].as_str().unwrap();
    answer(sandbox.post(&format!("/v1/payment_links/{id}/cancel"), &json!({}))).await;
    let again = sandbox.post("/v1/payment_links", &wanted("lnk_1", &json!({})));
    assert_eq!(refused(again).await.0, 400, "a cancelled link keeps its reference");

    let found = answer(sandbox.get("/v1/payment_links?reference_id=lnk_1")).await;
    assert_eq!(found["payment_links"][0]["id"], made["id"]);
    let none = answer(sandbox.get("/v1/payment_links?reference_id=lnk_2")).await;
    assert_eq!(none, json!({ "payment_links": [] }));
    sandbox.fault(json!({ "target": "account.link_references", "kind": "drop" })).await;
    let blind = answer(sandbox.get("/v1/payment_links?reference_id=lnk_1")).await;
    assert_eq!(blind, json!({ "payment_links": [] }));
    assert_eq!(
        answer(sandbox.get("/v1/payment_links")).await["payment_links"][0]["id"],
        made["id"]
    );
}

#[tokio::test]
async fn a_malformed_link_is_refused() {
    let folder = Folder::new();
    let sandbox = Running::start(&folder, None).await;
    let long = |length: usize| "x".repeat(length);
    let cases = [
        (json!({ "amount": 99 }), "amount"),
        (json!({ "amount": null }), "amount"),
        (json!({ "currency": "USD" }), "currency"),
        (json!({ "accept_partial": "no" }), "accept_partial"),
        (json!({ "first_min_partial_amount": 100 }), "first_min_partial_amount"),
        (
            json!({ "accept_partial": true, "first_min_partial_amount": 99 }),
            "first_min_partial_amount",
        ),
        (json!({ "upi_link": true }), "upi_link"),
        (json!({ "description": long(2_049) }), "description"),
        (json!({ "reference_id": long(41) }), "reference_id"),
        (json!({ "customer": { "email": "nobody" } }), "email"),
        (json!({ "customer": { "contact": "12" } }), "contact"),
        (json!({ "customer": { "age": 7 } }), "age"),
        (json!({ "notify": { "sms": 1 } }), "notify"),
        (json!({ "notify": { "email": true } }), "notify"),
        (json!({ "notify": { "post": true } }), "post"),
        (json!({ "notes": { "a": long(256) } }), "notes"),
        (json!({ "expire_by": now() + 200 * DAY_S }), "expire_by"),
        (json!({ "expire_by": "soon" }), "expire_by"),
        (json!({ "callback_url": "ftp://a.example" }), "callback_url"),
        (json!({ "callback_method": "post" }), "callback_method"),
        (json!({ "reminder_enable": 1 }), "reminder_enable"),
        (json!({ "receipt": "col_1" }), "receipt"),
        (json!({ "unique_receipt": true }), "unique_receipt"),
    ];
    for (more, field) in cases {
        let (status, error) = refused(sandbox.post("/v1/payment_links", &wanted("a", &more))).await;
        assert_eq!((status, error["field"].as_str()), (400, Some(field)), "{more}");
    }
    for (more, said) in [
        (json!({ "expire_by": now() + 14 * 60 }), "15 minutes"),
        (json!({ "expire_by": 1 }), "15 minutes"),
    ] {
        let (status, error) = refused(sandbox.post("/v1/payment_links", &wanted("a", &more))).await;
        assert_eq!(status, 400);
        assert!(error["description"].as_str().unwrap().contains(said), "{error}");
    }
    assert_eq!(sandbox.book().await["payment_links"], json!([]));
}

#[tokio::test]
async fn the_order_beneath_a_link_comes_with_its_page_and_bears_its_reference() {
    let (folder, website) = (Folder::new(), Website::open().await);
    let sandbox = Running::start(&folder, Some(&website)).await;
    let made = link(&sandbox, "lnk_1").await;
    let url = made["short_url"].as_str().unwrap();
    let page = sandbox.http.get(url).send().await.unwrap();
    assert!(page.text().await.unwrap().contains("Pay ₹500 now"));
    let opened = fetched(&sandbox, &made).await;
    let order_id = opened["order_id"].as_str().unwrap();
    let order = answer(sandbox.get(&format!("/v1/orders/{order_id}"))).await;
    assert_eq!((&order["receipt"], &order["amount"]), (&json!("lnk_1"), &json!(50_000)));
    sandbox.http.get(url).send().await.unwrap();
    assert_eq!(
        sandbox.book().await["orders"].as_array().unwrap().len(),
        1,
        "opened twice, one order"
    );

    let path = format!("/checkout/orders/{order_id}/payments");
    let card = json!({ "key_id": "rzp_test_demo", "method": "card", "last4": "1111" });
    let paid = answer(sandbox.post(&path, &card)).await;
    let payment = paid["answer"]["razorpay_payment_id"].as_str().unwrap();
    website.wait_for(4).await;
    let events = ["payment.authorized", "payment.captured", "order.paid", "payment_link.paid"];
    assert_eq!(website.events(), events);
    let told = website.arrived()[3].json();
    assert_eq!(told["contains"], json!(["payment_link", "order", "payment"]));
    let entity = |name: &str| told["payload"][name]["entity"].clone();
    assert_eq!(entity("payment_link")["order_id"], order_id);
    assert_eq!(entity("payment")["order_id"], order_id);
    assert_eq!(format!("order_{}", entity("order")["id"].as_str().unwrap()), order_id);

    let done = fetched(&sandbox, &made).await;
    assert_eq!((&done["status"], &done["amount_paid"]), (&json!("paid"), &json!(50_000)));
    assert_eq!(done["payments"][0]["payment_id"], payment);
    let found = answer(sandbox.get(&format!("/v1/payment_links?payment_id={payment}"))).await;
    assert_eq!(found["payment_links"][0]["id"], made["id"]);

    let back = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).no_proxy();
    let back = back.build().unwrap().get(format!("{url}/return")).send().await.unwrap();
    assert_eq!(back.status(), 303);
    let to = reqwest::Url::parse(back.headers()["location"].to_str().unwrap()).unwrap();
    let field = |name: &str| {
        to.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned()).unwrap()
    };
    assert_eq!(
        (field("b"), field("razorpay_payment_link_status")),
        ("bkg_1".into(), "paid".into())
    );
    let message = format!("{}|lnk_1|paid|{payment}", made["id"].as_str().unwrap());
    assert_eq!(field("razorpay_signature"), signed(SECRET, message.as_bytes()));
    let again = sandbox.http.get(url).send().await.unwrap().text().await.unwrap();
    assert!(again.contains("has been paid"), "{again}");
}

#[tokio::test]
async fn only_a_link_without_money_is_cancelled_and_none_that_is_over_takes_money() {
    let (folder, website) = (Folder::new(), Website::open().await);
    let sandbox = Running::start(&folder, Some(&website)).await;
    let cancel = |link: &Value| {
        let path = format!("/v1/payment_links/{}/cancel", link["id"].as_str().unwrap());
        sandbox.post(&path, &json!({}))
    };
    let paid = link(&sandbox, "lnk_paid").await;
    pay(&sandbox, &paid, json!({})).await;
    let part = link(&sandbox, "lnk_part").await;
    pay(&sandbox, &part, json!({ "amount": 20_000, "part": true })).await;
    assert_eq!(fetched(&sandbox, &part).await["status"], "partially_paid");
    let expired = link(&sandbox, "lnk_expired").await;
    let end = json!({ "link_id": expired["id"], "becomes": "expired" });
    answer(sandbox.post("/api/link", &end)).await;
    for refused_link in [&paid, &part, &expired] {
        assert_eq!(refused(cancel(refused_link)).await.0, 400, "{refused_link}");
    }
    let open = link(&sandbox, "lnk_open").await;
    let cancelled = answer(cancel(&open)).await;
    assert_eq!(cancelled["status"], "cancelled");
    assert!(cancelled["cancelled_at"].as_i64().unwrap() > 0);
    assert_eq!(refused(cancel(&open)).await.0, 400, "it is cancelled once");
    until(async || website.events().contains(&"payment_link.cancelled".to_owned())).await;
    assert!(website.events().contains(&"payment_link.expired".to_owned()));
    for over in [&expired, &open, &paid] {
        let asked = json!({ "link_id": over["id"] });
        assert_eq!(status(sandbox.post("/api/pay", &asked)).await, 400, "{over}");
    }
    let unknown = sandbox.get("/v1/payment_links/plink_00000000000000");
    assert_eq!(refused(unknown).await.0, 400);
}

/// A bank's answer comes when it comes: the link stays what it was, and its order is paid.
#[tokio::test]
async fn money_comes_after_the_end_of_a_link_and_in_parts() {
    let (folder, website) = (Folder::new(), Website::open().await);
    let sandbox = Running::start(&folder, Some(&website)).await;
    let late = link(&sandbox, "lnk_late").await;
    let begun = pay(&sandbox, &late, json!({ "outcome": "created" })).await;
    let path = format!("/v1/payment_links/{}/cancel", late["id"].as_str().unwrap());
    answer(sandbox.post(&path, &json!({}))).await;
    let url = format!("{}/checkout/bank/{}", sandbox.url, begun["payment_id"].as_str().unwrap());
    let form = sandbox.http.post(url).header("content-type", "application/x-www-form-urlencoded");
    assert!(form.body("approves=true").send().await.unwrap().status().is_success());
    let seen = fetched(&sandbox, &late).await;
    assert_eq!((&seen["status"], &seen["amount_paid"]), (&json!("cancelled"), &json!(50_000)));
    let order = format!("/v1/orders/{}", seen["order_id"].as_str().unwrap());
    assert_eq!(answer(sandbox.get(&order)).await["status"], "paid");
    until(async || website.events().contains(&"order.paid".to_owned())).await;
    assert!(!website.events().contains(&"payment_link.paid".to_owned()), "no event of the link");

    let ended = link(&sandbox, "lnk_ended").await;
    let end = json!({ "link_id": ended["id"], "becomes": "expired" });
    answer(sandbox.post("/api/link", &end)).await;
    pay(&sandbox, &ended, json!({ "over": true })).await;
    assert_eq!(fetched(&sandbox, &ended).await["status"], "expired");

    let parts = link(&sandbox, "lnk_parts").await;
    pay(&sandbox, &parts, json!({ "amount": 20_000, "part": true })).await;
    pay(&sandbox, &parts, json!({ "amount": 30_000, "part": true })).await;
    let whole = fetched(&sandbox, &parts).await;
    assert_eq!((&whole["status"], &whole["amount_paid"]), (&json!("paid"), &json!(50_000)));
    assert_eq!(whole["payments"].as_array().unwrap().len(), 2);
    until(async || website.events().contains(&"payment_link.paid".to_owned())).await;
    assert!(website.events().contains(&"payment_link.partially_paid".to_owned()));
}

#[tokio::test]
async fn a_link_survives_a_kill() {
    let folder = Folder::new();
    let sandbox = Running::start(&folder, None).await;
    let made = link(&sandbox, "lnk_1").await;
    pay(&sandbox, &made, json!({})).await;
    sandbox.kill().await;
    let sandbox = Running::start(&folder, None).await;
    assert_eq!(fetched(&sandbox, &made).await["status"], "paid");
    let again = sandbox.post("/v1/payment_links", &wanted("lnk_1", &json!({})));
    assert_eq!(refused(again).await.0, 400);
}
