//! Orders and payments, through the API and the checkout.

use std::time::Duration;

use sandbox::Settings;
use serde_json::{Value, json};

use crate::website::{Folder, Running, SECRET, Website, answer, refused, status, until};

#[tokio::test]
async fn the_same_receipt_gives_the_same_order() {
    let folder = Folder::new();
    let sandbox = Running::start(&folder, None).await;
    let first = sandbox.order("bkg_1", 50_000).await;
    let again = sandbox.order("bkg_1", 50_000).await;
    assert_eq!(first, again);
    assert_eq!(first["notes"], json!([]), "empty objects are lists, as in PHP");
    assert_eq!(first["status"], "created");

    let other = json!({
        "amount": 60_000, "currency": "INR", "receipt": "bkg_1", "unique_receipt": true,
    });
    let (status, error) = refused(sandbox.post("/v1/orders", &other)).await;
    assert_eq!((status, error["field"].as_str()), (400, Some("receipt")));

    let found = answer(sandbox.get("/v1/orders?receipt=bkg_1")).await;
    assert_eq!(found["count"], 1);
    assert_eq!(found["items"][0]["id"], first["id"]);
    assert_eq!(answer(sandbox.get("/v1/orders?receipt=bkg_2")).await["count"], 0);
}

#[tokio::test]
async fn a_malformed_order_is_refused_with_its_field() {
    let folder = Folder::new();
    let sandbox = Running::start(&folder, None).await;
    let cases = [
        (json!({ "currency": "INR" }), "amount"),
        (json!({ "amount": 99, "currency": "INR" }), "amount"),
        (json!({ "amount": 1.5, "currency": "INR" }), "amount"),
        (json!({ "amount": 500 }), "currency"),
        (json!({ "amount": 500, "currency": "INR", "receipt": "x".repeat(41) }), "receipt"),
        (json!({ "amount": 500, "currency": "INR", "notes": "words" }), "notes"),
        (json!({ "amount": 500, "currency": "INR", "expire_by": 1 }), "expire_by"),
        (capturing(&json!({ "capture": "soon" })), "capture"),
        (capturing(&json!({ "capture": "automatic" })), "automatic_expiry_period"),
        (capturing(&json!({ "capture": "automatic", "at": 1 })), "at"),
        (automatic(&json!({})), "automatic_expiry_period"),
        (automatic(&json!({ "automatic_expiry_period": 11 })), "automatic_expiry_period"),
        (automatic(&json!({ "automatic_expiry_period": "12" })), "automatic_expiry_period"),
        (automatic(&json!({ "automatic_expiry_period": 12, "refund": 1 })), "refund"),
        (automatic(&json!({ "automatic_expiry_period": 12, "refund_speed": 1 })), "refund_speed"),
        (
            automatic(&json!({ "automatic_expiry_period": 90, "manual_expiry_period": 60 })),
            "manual_expiry_period",
        ),
        (
            automatic(&json!({ "automatic_expiry_period": 90, "manual_expiry_period": 7201 })),
            "manual_expiry_period",
        ),
    ];
    for (wanted, field) in cases {
        let (status, error) = refused(sandbox.post("/v1/orders", &wanted)).await;
        assert_eq!(status, 400, "{wanted}");
        assert_eq!(error["code"], "BAD_REQUEST_ERROR");
        assert_eq!(error["field"], field, "{wanted}");
    }
    assert_eq!(sandbox.book().await["orders"], json!([]));
}

fn capturing(payment: &Value) -> Value {
    json!({ "amount": 50_000, "currency": "INR", "payment": payment })
}

fn automatic(options: &Value) -> Value {
    capturing(&json!({ "capture": "automatic", "capture_options": options }))
}

const FORM: &str = "application/x-www-form-urlencoded";

#[tokio::test]
async fn a_payment_is_created_until_its_payer_decides() {
    let (folder, website) = (Folder::new(), Website::open().await);
    let sandbox = Running::start(&folder, Some(&website)).await;
    let order = sandbox.order("bkg_1", 50_000).await;
    let begun = sandbox.pay(&order, "created").await;
    assert_eq!(begun["payment"]["status"], "created");
    let id = begun["payment_id"].as_str().unwrap();
    assert!(website.events().is_empty(), "nothing is told before the payer decides");

    let decide = async |approves: &str| {
        let url = format!("{}/checkout/bank/{id}", sandbox.url);
        let form = sandbox.http.post(url).header("content-type", FORM);
        form.body(format!("approves={approves}")).send().await.unwrap().status()
    };
    assert_eq!(decide("perhaps").await, 400);
    assert_eq!(decide("true").await, 200);
    website.wait_for(3).await;
    assert_eq!(website.events(), ["payment.authorized", "payment.captured", "order.paid"]);
    assert_eq!(decide("false").await, 400, "it is decided once");
}

#[tokio::test]
async fn an_approval_expires_after_a_kill_too() {
    let (folder, website) = (Folder::new(), Website::open().await);
    let mut settings = Settings::for_tests(folder.path(), Some(website.url.clone()));
    settings.timing.approval_timeout = Duration::from_millis(300);
    let sandbox = Running::with(settings.clone()).await;
    let order = sandbox.order("bkg_1", 50_000).await;
    sandbox.pay(&order, "created").await;
    sandbox.kill().await;

    let _again = Running::with(settings).await;
    let told = website.wait_for(1).await.remove(0).json();
    let failed = &told["payload"]["payment"]["entity"];
    assert_eq!((&told["event"], &failed["status"]), (&json!("payment.failed"), &json!("failed")));
    assert_eq!(failed["error_reason"], "payment_timed_out");
}

#[tokio::test]
async fn a_payment_that_is_late_for_its_order_waits_for_a_capture() {
    let folder = Folder::new();
    let sandbox = Running::start(&folder, None).await;
    let options = json!({
        "automatic_expiry_period": 60, "manual_expiry_period": 7200, "refund_speed": "normal",
    });
    let create = || answer(sandbox.post("/v1/orders", &automatic(&options)));
    for (minutes, status) in [(59, "captured"), (62, "authorized")] {
        let order = create().await;
        let wanted = json!({ "order_id": order["id"], "begun_minutes_ago": minutes });
        let paid = answer(sandbox.post("/api/pay", &wanted)).await;
        assert_eq!(paid["payment"]["status"], status, "{minutes}");
    }
}

#[tokio::test]
async fn unknown_fields_are_refused() {
    let folder = Folder::new();
    let sandbox = Running::start(&folder, None).await;
    let order = sandbox.order("bkg_1", 50_000).await;
    let payment = sandbox.pay(&order, "captured").await;
    let path = format!("/v1/payments/{}", payment["payment_id"].as_str().unwrap());
    for call in ["capture", "refund"] {
        let given = json!({ "amount": 50_000, "currency": "INR", "customer": "Asha" });
        let (status, error) = refused(sandbox.post(&format!("{path}/{call}"), &given)).await;
        assert_eq!((status, error["reason"].as_str()), (400, Some("extra_field_sent")), "{call}");
    }
}

#[tokio::test]
async fn only_the_scheme_basic_is_accepted() {
    let folder = Folder::new();
    let sandbox = Running::start(&folder, None).await;
    let url = format!("{}/v1/orders", sandbox.url);
    let pair = "cnpwX3Rlc3RfZGVtbzpkZW1vLWtleS1zZWNyZXQ=";
    for (word, expected) in [("Basic", 200), ("basic", 401), ("BASIC", 401)] {
        let request = sandbox.http.get(&url).header("authorization", format!("{word} {pair}"));
        assert_eq!(status(request).await, expected, "{word}");
    }
    assert_eq!(status(sandbox.http.get(&url)).await, 401);
}

#[tokio::test]
async fn an_order_takes_one_captured_payment_after_any_number_of_failures() {
    let folder = Folder::new();
    let sandbox = Running::start(&folder, None).await;
    let order = sandbox.order("bkg_1", 50_000).await;
    let id = order["id"].as_str().unwrap();
    let failed = sandbox.pay(&order, "failed").await;
    assert_eq!(failed["payment"]["error_reason"], "payment_failed");
    assert_eq!(answer(sandbox.get(&format!("/v1/orders/{id}"))).await["status"], "attempted");

    let paid = sandbox.pay(&order, "captured").await;
    let message = format!("{id}|{}", paid["payment_id"].as_str().unwrap());
    assert_eq!(paid["razorpay_signature"], signed(SECRET, message.as_bytes()));
    let now = answer(sandbox.get(&format!("/v1/orders/{id}"))).await;
    assert_eq!(now["status"], "paid");
    assert_eq!((now["amount_due"].as_i64(), now["attempts"].as_i64()), (Some(0), Some(2)));

    let wanted = json!({ "order_id": id });
    assert_eq!(status(sandbox.post("/api/pay", &wanted)).await, 400);
    let items = answer(sandbox.get(&format!("/v1/orders/{id}/payments"))).await;
    assert_eq!(items["count"], 2);
    let payment = format!("/v1/payments/{}", paid["payment_id"].as_str().unwrap());
    assert_eq!(answer(sandbox.get(&payment)).await["status"], "captured");
    assert_eq!(status(sandbox.get("/v1/payments/pay_00000000000000")).await, 400);
}

#[tokio::test]
async fn a_second_payment_of_a_paid_order_is_refunded_at_once() {
    let folder = Folder::new();
    let sandbox = Running::start(&folder, None).await;
    let order = sandbox.order("bkg_1", 50_000).await;
    sandbox.pay(&order, "captured").await;
    let again = json!({ "order_id": order["id"], "again": true });
    let second = answer(sandbox.post("/api/pay", &again)).await;
    assert_eq!(second["payment"]["status"], "refunded");
    assert_eq!(second["payment"]["refund_status"], "full");
    until(async || sandbox.book().await["refunds"][0]["status"] == "processed").await;
}

#[tokio::test]
async fn an_authorised_payment_waits_for_its_capture() {
    let folder = Folder::new();
    let sandbox = Running::start(&folder, None).await;
    let order = sandbox.order("bkg_1", 50_000).await;
    let payment = sandbox.pay(&order, "authorized").await;
    assert_eq!(payment["payment"]["captured"], false);
    let path = format!("/v1/payments/{}/capture", payment["payment_id"].as_str().unwrap());
    for wrong in [
        json!({ "amount": 40_000, "currency": "INR" }),
        json!({ "amount": 50_000, "currency": "USD" }),
        json!({ "amount": 50_000 }),
    ] {
        assert_eq!(status(sandbox.post(&path, &wrong)).await, 400, "{wrong}");
    }
    let right = json!({ "amount": 50_000, "currency": "INR" });
    assert_eq!(answer(sandbox.post(&path, &right)).await["status"], "captured");
    assert_eq!(status(sandbox.post(&path, &right)).await, 400, "it is captured already");
}

#[tokio::test]
async fn an_uncaptured_authorised_payment_is_refunded_after_days() {
    let folder = Folder::new();
    let mut settings = Settings::for_tests(folder.path(), None);
    settings.timing.uncaptured_refund_after = Duration::from_millis(300);
    let sandbox = Running::with(settings).await;
    let order = sandbox.order("bkg_1", 50_000).await;
    let [first, second] =
        [sandbox.pay(&order, "authorized").await, sandbox.order("bkg_2", 50_000).await];
    until(async || {
        let path = format!("/v1/payments/{}", first["payment_id"].as_str().unwrap());
        let payment = answer(sandbox.get(&path)).await;
        payment["status"] == "refunded" && payment["captured"] == false
    })
    .await;
    assert_eq!(sandbox.book().await["refunds"][0]["amount"], 50_000);
    // A payment that was captured in time is not refunded by this control.
    let kept = sandbox.pay(&second, "captured").await;
    let back = json!({ "payment_id": kept["payment_id"] });
    assert_eq!(status(sandbox.post("/api/give-back", &back)).await, 400);
}

#[tokio::test]
async fn a_list_with_a_count_of_zero_is_refused() {
    let folder = Folder::new();
    let sandbox = Running::start(&folder, None).await;
    for path in ["/v1/orders?count=0", "/v1/payments?count=0"] {
        let (status, error) = refused(sandbox.get(path)).await;
        assert_eq!((status, error["field"].as_str()), (400, Some("count")), "{path}");
    }
}

#[tokio::test]
async fn the_checkout_declines_its_test_card_and_takes_the_others() {
    let folder = Folder::new();
    let sandbox = Running::start(&folder, None).await;
    let order = sandbox.order("bkg_1", 50_000).await;
    let path = format!("/checkout/orders/{}/payments", order["id"].as_str().unwrap());
    let card = |last4: &str| json!({ "key_id": "rzp_test_demo", "method": "card", "last4": last4 });
    let no = answer(sandbox.post(&path, &card("0002"))).await;
    assert_eq!(no["answer"], Value::Null);
    assert_eq!(no["failure"]["metadata"]["order_id"], order["id"]);
    let upi = json!({ "key_id": "rzp_test_demo", "method": "upi", "approve": false });
    assert_eq!(answer(sandbox.post(&path, &upi)).await["failure"]["source"], "customer");
    let collect = json!({ "key_id": "rzp_test_demo", "method": "upi", "flow": "collect" });
    let nothing = answer(sandbox.post(&path, &collect)).await;
    assert_eq!(nothing["failure"]["source"], "business", "requests to UPI IDs lead to nothing");
    let stranger = json!({ "key_id": "rzp_test_other", "method": "upi", "approve": true });
    assert_eq!(status(sandbox.post(&path, &stranger)).await, 401);

    let yes = answer(sandbox.post(&path, &card("1111"))).await;
    let answer_given = &yes["answer"];
    let id = answer_given["razorpay_payment_id"].as_str().unwrap();
    let message = format!("{}|{id}", order["id"].as_str().unwrap());
    assert_eq!(answer_given["razorpay_signature"], signed(SECRET, message.as_bytes()));
}

#[tokio::test]
async fn the_checkout_script_defines_what_websites_expect() {
    let folder = Folder::new();
    let sandbox = Running::start(&folder, None).await;
    let script = sandbox.http.get(format!("{}/v1/checkout.js", sandbox.url)).send().await.unwrap();
    assert_eq!(script.headers()["cross-origin-resource-policy"], "cross-origin");
    let text = script.text().await.unwrap();
    assert!(text.contains("window.Razorpay = Razorpay"));
    // The frame has another origin than the script, and this process serves both.
    let frame = sandbox.url.replace("127.0.0.1", "localhost");
    assert_ne!(frame, sandbox.url);
    assert!(text.contains(&format!("new URL(\"{frame}\")")), "{text}");
    // The real script does the same, and a content policy has to allow it.
    for inline in ["setAttribute('style'", "innerHTML = KEYFRAMES", "window.location.href"] {
        assert!(text.contains(inline), "{inline}");
    }
    for forbidden in ["eval(", "new Function"] {
        assert!(!text.contains(forbidden), "{forbidden} is not in the real script either");
    }
}

#[tokio::test]
async fn the_checkout_log_shows_what_pages_send() {
    let folder = Folder::new();
    let sandbox = Running::start(&folder, None).await;
    let page = "http://127.0.0.1/page?a=b";
    let told = |key: &str| json!({ "key_id": key, "referer": page, "config": { "x": 1 } });
    let path = "/checkout/orders/order_1/opened";
    assert_eq!(status(sandbox.post(path, &told("rzp_test_other"))).await, 401);
    assert_eq!(status(sandbox.post(path, &json!({ "key_id": "rzp_test_demo" }))).await, 400);
    assert_eq!(status(sandbox.post(path, &told("rzp_test_demo"))).await, 204);
    let kept = json!([{ "order_id": "order_1", "referer": page, "config": { "x": 1 } }]);
    assert_eq!(answer(sandbox.get("/api/checkouts")).await, kept);
}

/// HMAC-SHA256 in hexadecimal, implemented again so that the sandbox does not check itself.
pub(crate) fn signed(secret: &str, message: &[u8]) -> String {
    use hmac::{Hmac, KeyInit, Mac};
    let mut mac = Hmac::<sha2::Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(message);
    mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[tokio::test]
async fn a_fee_and_an_offer_pay_their_order_and_a_banks_mistake_does_not() {
    let folder = Folder::new();
    let sandbox = Running::start(&folder, None).await;
    for (switches, amount) in [
        (json!({ "convenience_fee_percent": 2 }), 51_000),
        (json!({ "offer_percent": 10 }), 45_000),
    ] {
        answer(sandbox.post("/api/switches", &switches)).await;
        let order = sandbox.order(&format!("bkg_{amount}"), 50_000).await;
        let paid = sandbox.pay(&order, "captured").await;
        assert_eq!(paid["payment"]["amount"], amount);
        let order =
            answer(sandbox.get(&format!("/v1/orders/{}", order["id"].as_str().unwrap()))).await;
        let stands = (&order["status"], &order["amount"], &order["amount_due"]);
        assert_eq!(stands, (&json!("paid"), &json!(50_000), &json!(0)));
    }
    let order = sandbox.order("bkg_wrong", 50_000).await;
    let wanted = json!({ "order_id": order["id"], "amount": 60_000 });
    answer(sandbox.post("/api/pay", &wanted)).await;
    let order = answer(sandbox.get(&format!("/v1/orders/{}", order["id"].as_str().unwrap()))).await;
    assert_eq!((&order["status"], &order["amount_due"]), (&json!("attempted"), &json!(50_000)));
}
