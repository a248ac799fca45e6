//! Signatures with the provider's formulas, and JSON as it really comes.

use hmac::{Hmac, KeyInit as _, Mac as _};
use secrecy::SecretString;
use serde_json::{Value, json};
use sha2::Sha256;

use super::{Razorpay, Settings, json as lenient};
use crate::domain::fact::{OrderId, Status};
use crate::domain::refund::Progress;
use crate::provider::{Observation, Provider as _, Refusal};

fn razorpay(previous: Option<&str>) -> Razorpay {
    Razorpay::new(Settings {
        url: "http://127.0.0.1:1/v1".to_owned(),
        key_id: "rzp_test_x".to_owned(),
        key_secret: SecretString::from("key-secret"),
        webhook_secret: SecretString::from("webhook-secret"),
        webhook_secret_previous: previous.map(SecretString::from),
        account_id: None,
    })
    .unwrap()
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
        assert_eq!(refused, Err(Refusal::Forged), "{forged}");
    }
    let other_order = OrderId::parse("order_CCCCCCCCCCCCCC").unwrap();
    assert_eq!(provider.verify_return(&other_order, payment, &good), Err(Refusal::Forged));
    for malformed in ["", "pay_BBBBBBBBBBBBB", "pay_BBBBBBBBBBBBB|", "plink_BBBBBBBBBBBBBB"] {
        let refused = provider.verify_return(&order, malformed, &good);
        assert_eq!(refused, Err(Refusal::Malformed), "{malformed}");
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
        assert!(!razorpay(None).verify_webhook(&now, &altered), "byte {index}");
        altered[index] ^= 1;
    }
}

fn payment(order_id: &Value, amount: &Value, notes: &Value) -> Value {
    json!({
        "id": "pay_BBBBBBBBBBBBBB", "entity": "payment", "amount": amount, "currency": "INR",
        "status": "captured", "order_id": order_id, "notes": notes, "fee": null,
        "acquirer_data": [], "method": "upi", "upi": {"vpa": "x@y"}, "email": "a@b.example",
    })
}

#[test]
fn json_of_every_shape_is_read() {
    let order = json!("order_AAAAAAAAAAAAAA");
    for notes in [json!([]), json!({}), json!({"a": "b"}), json!(null), json!("words")] {
        for amount in [json!(50_000), json!("50000")] {
            let read = lenient::payment(&payment(&order, &amount, &notes)).unwrap();
            assert_eq!(read.fact.amount.minor, 50_000);
            assert_eq!(read.fact.status, Status::Captured);
            assert_eq!(read.fact.order.unwrap().as_str(), "order_AAAAAAAAAAAAAA");
        }
    }
    let without = lenient::payment(&payment(&json!(null), &json!(1), &json!([]))).unwrap();
    assert_eq!(without.fact.order, None);
    for list in [json!({}), json!({"items": null}), json!({"items": {}}), json!([])] {
        assert_eq!(lenient::items(&list).count(), 0, "{list}");
    }
    for amount in [json!(1.5), json!("1.5"), json!(null), json!([])] {
        assert_eq!(lenient::payment(&payment(&order, &amount, &json!([]))), None, "{amount}");
    }
}

#[test]
fn the_word_of_a_refusal_is_its_reason_or_its_code() {
    let body = |reason: &str| json!({"error": {"code": "BAD_REQUEST_ERROR", "reason": reason}});
    assert_eq!(lenient::reason(&body("input_validation_failed")), "input_validation_failed");
    assert_eq!(lenient::reason(&body("NA")), "bad_request_error");
    assert_eq!(lenient::reason(&body("a sentence with blanks")), "bad_request_error");
    assert_eq!(lenient::reason(&json!({"message": "no"})), "refused");
    let words = "Refund is currently not supported for payments older than 6 months";
    let too_old = json!({"error": {"code": "BAD_REQUEST_ERROR", "description": words}});
    assert_eq!(lenient::reason(&too_old), "payment_too_old");
}

#[test]
fn a_webhook_tells_of_payments_and_refunds_and_may_tell_of_anything_else() {
    let order = json!("order_AAAAAAAAAAAAAA");
    let event = json!({
        "entity": "event", "event": "refund.processed", "contains": ["refund", "payment"],
        "payload": {
            // This one comes without its prefix, which is why nothing looks at it.
            "order": {"entity": {"id": "AAAAAAAAAAAAAA"}},
            "payment": {"entity": payment(&order, &json!(50_000), &json!([]))},
            "refund": {"entity": {
                "id": "rfnd_CCCCCCCCCCCCCC", "amount": 50_000, "currency": "INR",
                "receipt": "rfn_00000000000000000000000000000001", "status": "processed",
            }},
        },
    });
    let told = razorpay(None).read_webhook(event.to_string().as_bytes());
    let [Observation::Payment(payment), Observation::Refund(refund)] = told.as_slice() else {
        panic!("{told:?}");
    };
    assert_eq!(payment.id.as_str(), "pay_BBBBBBBBBBBBBB");
    assert_eq!(refund.progress, Progress::Processed);
    let ours = refund.refund_id.unwrap().to_string();
    assert_eq!(ours, "rfn_00000000000000000000000000000001");
    for other in ["", "null", "[]", "{}", r#"{"event":"settlement.processed","payload":[]}"#] {
        assert_eq!(razorpay(None).read_webhook(other.as_bytes()), Vec::new(), "{other}");
    }
}
