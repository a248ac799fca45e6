//! Signatures with the provider's formulas, and JSON as it really comes.

use std::sync::LazyLock;

use hmac::{Hmac, KeyInit as _, Mac as _};
use kernel::Money;
use proptest::prelude::*;
use secrecy::SecretString;
use serde_json::{Value, json};
use sha2::Sha256;

use super::{Razorpay, Settings, json as lenient, order_body};
use crate::domain::fact::OrderId;
use crate::providers::{Observation, OrderRequest, Provider as _, ReturnError};

mod links;

fn razorpay(previous: Option<&str>) -> Razorpay {
    Razorpay::new(Settings {
        url: "http://127.0.0.1:1/v1".to_owned(),
        key_id: "rzp_test_x".to_owned(),
        key_secret: SecretString::from("key-secret"),
        webhook_secret: SecretString::from("webhook-secret"),
        webhook_secret_previous: previous.map(SecretString::from),
        link_return_url: Some("https://site.example/pay/link-return".to_owned()),
        account_id: None,
    })
    .unwrap()
}

/// The provider's documentation makes the first of the options mandatory.
#[test]
fn an_order_says_how_long_its_payments_are_captured() {
    let wanted = OrderRequest {
        receipt: format!("col_{}", "1".repeat(32)).parse().unwrap(),
        booking_id: format!("bkg_{}", "2".repeat(32)).parse().unwrap(),
        amount: Money::inr(50_000),
    };
    let asked = json!({
        "amount": 50_000,
        "currency": "INR",
        "receipt": "col_11111111111111111111111111111111",
        "unique_receipt": true,
        "payment": {
            "capture": "automatic",
            "capture_options": {
                "automatic_expiry_period": 4_320,
                "manual_expiry_period": 7_200,
                "refund_speed": "normal",
            },
        },
        "notes": { "booking_id": "bkg_22222222222222222222222222222222" },
    });
    assert_eq!(order_body(wanted, true), asked);
}

fn mac(secret: &str, message: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(message);
    mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn the_published_vector_of_the_formula_holds() {
    // RFC 4231, test case 2.
    let hex = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
    assert_eq!(mac("Jefe", b"what do ya want for nothing?"), hex);
}

#[test]
fn a_return_is_bound_to_our_order_and_its_payment() {
    let provider = razorpay(None);
    let order = OrderId::parse("order_AAAAAAAAAAAAAA").unwrap();
    let payment = "pay_BBBBBBBBBBBBBB";
    let good = mac("key-secret", format!("{order}|{payment}").as_bytes());
    assert_eq!(provider.verify_return(&order, payment, &good).unwrap().as_str(), payment);
    let swapped = mac("key-secret", format!("{payment}|{order}").as_bytes());
    let other_key = mac("webhook-secret", format!("{order}|{payment}").as_bytes());
    for forged in ["", "00", &good[1..], &swapped, &other_key, &"g".repeat(64)] {
        let refused = provider.verify_return(&order, payment, forged);
        assert_eq!(refused, Err(ReturnError::Forged), "{forged}");
    }
    let other_order = OrderId::parse("order_CCCCCCCCCCCCCC").unwrap();
    assert_eq!(provider.verify_return(&other_order, payment, &good), Err(ReturnError::Forged));
    for malformed in ["", "pay_BBBBBBBBBBBBB", "pay_BBBBBBBBBBBBB|", "plink_BBBBBBBBBBBBBB"] {
        let refused = provider.verify_return(&order, malformed, &good);
        assert_eq!(refused, Err(ReturnError::Malformed), "{malformed}");
    }
}

#[test]
fn a_webhook_is_signed_over_its_bytes_with_this_secret_or_the_one_before() {
    let body = br#"{"event":"payment.captured",  "x":"\/"}"#;
    let now = mac("webhook-secret", body);
    let before = mac("old-secret", body);
    assert!(razorpay(None).verify_webhook(&now, body));
    assert!(!razorpay(None).verify_webhook(&before, body));
    assert!(razorpay(Some("old-secret")).verify_webhook(&before, body));
    let mut altered = body.to_vec();
    for index in 0..altered.len() {
        altered[index] ^= 1;
        assert!(!PROVIDER.verify_webhook(&now, &altered), "byte {index}");
        altered[index] ^= 1;
    }
}

/// The observations as text.
fn words(told: &Observation) -> String {
    let or_none = |id: Option<String>| id.unwrap_or_else(|| "-".to_owned());
    match told {
        Observation::Payment(it) => {
            let (fact, order) =
                (&it.fact, or_none(it.fact.order.as_ref().map(ToString::to_string)));
            let (minor, currency) = (fact.amount.minor, &fact.amount.currency);
            format!("payment {} {} {minor} {currency} {order}", it.id, fact.status.word())
        }
        Observation::Link(it) => {
            let order = or_none(it.fact.order.as_ref().map(ToString::to_string));
            let own = or_none(it.reference.map(|id| id.to_string()));
            format!("link {} {} {own} {order}", it.link.id, it.fact.status.word())
        }
        Observation::Dispute(it) => format!("dispute {} {}", it.id, it.fact.state.word()),
        Observation::Refund(it) => {
            let payment = or_none(it.payment.as_ref().map(ToString::to_string));
            let own = or_none(it.refund_id.map(|id| id.to_string()));
            let (minor, currency) = (it.amount.minor, &it.amount.currency);
            format!("refund {} {payment} {own} {minor} {currency} {:?}", it.id, it.progress)
        }
    }
}

fn texts(row: &Value, field: &str) -> Vec<String> {
    let list = row[field].as_array().unwrap();
    list.iter().map(|it| it.as_str().unwrap().to_owned()).collect()
}

/// Every documented shape of the provider's JSON.
#[test]
fn webhooks_of_every_shape_are_read() {
    let rows: Vec<Value> = serde_json::from_str(include_str!("fixtures/webhooks.json")).unwrap();
    let provider = &*PROVIDER;
    assert!(rows.len() > 40);
    for row in rows {
        let told = provider.read_webhook(row["body"].to_string().as_bytes());
        let told: Vec<String> = told.iter().map(words).collect();
        assert_eq!(told, texts(&row, "tells"), "{}", row["name"]);
    }
}

#[test]
fn answers_of_every_shape_are_read() {
    let all: Value = serde_json::from_str(include_str!("fixtures/answers.json")).unwrap();
    for row in all["lists"].as_array().unwrap() {
        let read = lenient::items(&row["body"]).filter_map(lenient::report);
        let told: Vec<String> = read.map(|it| words(&Observation::Payment(it.payment))).collect();
        assert_eq!(told, texts(row, "tells"), "{}", row["name"]);
    }
    for row in all["errors"].as_array().unwrap() {
        assert_eq!(lenient::reason(&row["body"]), row["word"].as_str().unwrap(), "{row}");
    }
}

#[test]
fn what_has_gone_back_is_read_from_either_field() {
    let refunded = |amount: Value, status: Value| {
        let entity = json!({
            "id": "pay_BBBBBBBBBBBBBB", "amount": 50_000, "currency": "INR", "status": "captured",
            "amount_refunded": amount, "refund_status": status,
        });
        lenient::report(&entity).unwrap().refunded_minor
    };
    assert_eq!(refunded(json!(0), json!(null)), 0);
    assert_eq!(refunded(json!(null), json!(null)), 0);
    assert_eq!(refunded(json!("20000"), json!("partial")), 20_000);
    assert_eq!(refunded(json!(null), json!("partial")), 1, "some, and it has to be asked how much");
    assert_eq!(refunded(json!([]), json!("full")), 50_000);
    assert_eq!(refunded(json!(-5), json!(null)), 0);
}

#[test]
fn a_webhook_of_another_account_is_known_by_its_name() {
    let settings = Settings { account_id: Some("acc_A".to_owned()), ..razorpay(None).settings };
    let ours = Razorpay::new(settings).unwrap();
    assert!(ours.is_of_another_account(br#"{"account_id":"acc_B"}"#));
    for raw in [&br#"{"account_id":"acc_A"}"#[..], b"{}", b"", b"\xff", br#"{"account_id":7}"#] {
        assert!(!ours.is_of_another_account(raw), "{raw:?}");
    }
    assert!(!razorpay(None).is_of_another_account(br#"{"account_id":"acc_B"}"#));
}

#[test]
fn what_is_deep_or_huge_is_read_without_breaking() {
    let deep = format!("{}1{}", r#"{"payload":"#.repeat(200_000), "}".repeat(200_000));
    assert_eq!(razorpay(None).read_webhook(deep.as_bytes()), Vec::new());
    for number in ["1e999999999", "-0", &"9".repeat(100_000)] {
        let body = format!(r#"{{"payload":{{"payment":{{"entity":{{"amount":{number}}}}}}}}}"#);
        assert_eq!(razorpay(None).read_webhook(body.as_bytes()), Vec::new());
    }
}

/// A change of a text of bytes.
#[derive(Debug, Clone)]
enum Change {
    Set(prop::sample::Index, u8),
    Insert(prop::sample::Index, u8),
    Cut(prop::sample::Index),
}

fn any_change() -> impl Strategy<Value = Change> {
    prop_oneof![
        (any::<prop::sample::Index>(), any::<u8>()).prop_map(|(at, byte)| Change::Set(at, byte)),
        (any::<prop::sample::Index>(), any::<u8>()).prop_map(|(at, byte)| Change::Insert(at, byte)),
        any::<prop::sample::Index>().prop_map(Change::Cut),
    ]
}

fn changed(body: &[u8], changes: &[Change]) -> Vec<u8> {
    let mut body = body.to_vec();
    for change in changes {
        let size = body.len();
        match change {
            Change::Set(at, byte) if size > 0 => body[at.index(size)] = *byte,
            Change::Insert(at, byte) => body.insert(at.index(size + 1), *byte),
            Change::Cut(at) => body.truncate(at.index(size + 1)),
            Change::Set(..) => {}
        }
    }
    body
}

/// With two live secrets; made once, because a client takes its time to build.
static PROVIDER: LazyLock<Razorpay> = LazyLock::new(|| razorpay(Some("old-secret")));

const BODY: &[u8] = br#"{"event":"payment.captured","payload":{"payment":{"entity":{"amount":50000,
"currency":"INR","id":"pay_BBBBBBBBBBBBBB","order_id":"order_AAAAAAAAAAAAAA",
"status":"captured"}}}}"#;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5_000))]

    /// No forged body is accepted, and none causes a panic.
    #[test]
    fn no_body_that_was_changed_is_accepted(
        changes in proptest::collection::vec(any_change(), 1..5)
    ) {
        let provider = &*PROVIDER;
        let forged = changed(BODY, &changes);
        prop_assume!(forged != BODY);
        for secret in ["webhook-secret", "old-secret"] {
            let good = mac(secret, BODY);
            prop_assert!(provider.verify_webhook(&good, BODY));
            prop_assert!(!provider.verify_webhook(&good, &forged));
        }
        // Whatever it says, reading it ends.
        prop_assert!(provider.read_webhook(&forged).len() <= 2);
        provider.is_of_another_account(&forged);
    }

    #[test]
    fn no_signature_that_was_changed_is_accepted(
        changes in proptest::collection::vec(any_change(), 1..5)
    ) {
        let good = mac("webhook-secret", BODY);
        let forged = changed(good.as_bytes(), &changes);
        let forged = String::from_utf8_lossy(&forged);
        prop_assume!(!forged.eq_ignore_ascii_case(&good));
        prop_assert!(!PROVIDER.verify_webhook(&forged, BODY));
    }
}
