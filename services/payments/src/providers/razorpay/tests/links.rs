//! Payment links: what is asked for, what the documented webhooks say, and the signed way back.

use kernel::Timestamp;

use super::super::link;
use super::*;
use crate::domain::link::LinkStatus;
use crate::providers::LinkRequest;

fn wanted() -> LinkRequest {
    LinkRequest {
        reference: format!("lnk_{}", "1".repeat(32)).parse().unwrap(),
        booking_id: format!("bkg_{}", "2".repeat(32)).parse().unwrap(),
        amount: Money::inr(50_000),
        expires_at: Timestamp::from_seconds(1_800_000_000).unwrap(),
    }
}

/// Nothing about a person, no mails and no reminders of the provider's, and no parts.
#[test]
fn a_link_is_asked_for_like_this() {
    let provider = razorpay(None);
    let asked = json!({
        "amount": 50_000,
        "currency": "INR",
        "accept_partial": false,
        "description": "Your booking",
        "reference_id": "lnk_11111111111111111111111111111111",
        "expire_by": 1_800_000_000,
        "notify": { "sms": false, "email": false },
        "reminder_enable": false,
        "notes": { "booking_id": "bkg_22222222222222222222222222222222" },
        "callback_url":
            "https://site.example/pay/link-return?b=bkg_22222222222222222222222222222222",
        "callback_method": "get",
    });
    assert_eq!(link::body(wanted(), &provider.settings), asked);
    let reference = asked["reference_id"].as_str().unwrap();
    assert!(reference.len() <= 40 && !reference.contains('|'));
    let nowhere = Settings { link_return_url: None, ..provider.settings };
    let body = link::body(wanted(), &nowhere);
    assert_eq!((body.get("callback_url"), body.get("callback_method")), (None, None));
}

/// The documented samples, shortened to what matters: the order of the payload has no prefix, notes
/// and reminders have many forms, and an expired link may have an order.
fn sample(event: &str, link: &Value, more: &Value) -> Vec<u8> {
    let mut payload = json!({ "payment_link": { "entity": link } });
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let event = json!({
        "account_id": "acc_OU2H3nkLn9jDVo", "entity": "event", "event": event,
        "created_at": 1_749_618_314, "payload": payload,
    });
    event.to_string().into_bytes()
}

fn entity(status: &str, order: Option<&str>) -> Value {
    let mut entity = json!({
        "accept_partial": false, "amount": 1_000, "amount_paid": 0, "currency": "INR",
        "customer": [], "notes": null, "reminders": { "status": "failed" },
        "id": "plink_QflcnnZqCekuvL", "reference_id": "lnk_11111111111111111111111111111111",
        "short_url": "https://rzp.io/rzp/twH5w1Y", "status": status,
    });
    if let Some(order) = order {
        entity.as_object_mut().unwrap().insert("order_id".to_owned(), json!(order));
    }
    entity
}

#[test]
fn the_documented_webhooks_say_these_things() {
    let provider = razorpay(None);
    let said = |raw: &[u8]| provider.read_webhook(raw).iter().map(words).collect::<Vec<_>>();
    let payment = json!({
        "order": { "entity": { "id": "QflczVVaNJciLq", "receipt": "lnk_1", "status": "paid" } },
        "payment": { "entity": {
            "id": "pay_Qfldmt5StKZFCB", "amount": 1_000, "currency": "INR", "status": "captured",
            "order_id": "order_QflczVVaNJciLq",
        } },
    });
    let own = "lnk_11111111111111111111111111111111";
    let link = entity("paid", Some("order_QflczVVaNJciLq"));
    assert_eq!(
        said(&sample("payment_link.paid", &link, &payment)),
        [
            format!("link plink_QflcnnZqCekuvL paid {own} order_QflczVVaNJciLq"),
            "payment pay_Qfldmt5StKZFCB captured 1000 INR order_QflczVVaNJciLq".to_owned(),
        ],
        "the link comes first, because it says whose the order is"
    );
    for (status, order, shown) in [
        ("cancelled", None, "-"),
        ("expired", Some("order_Qb2g8aDXbi3yQd"), "order_Qb2g8aDXbi3yQd"),
        ("partially_paid", Some("QflczVVaNJciLq"), "order_QflczVVaNJciLq"),
    ] {
        let raw = sample(&format!("payment_link.{status}"), &entity(status, order), &json!({}));
        assert_eq!(said(&raw), [format!("link plink_QflcnnZqCekuvL {status} {own} {shown}")]);
    }
    let strange = [
        entity("paused", None),
        json!({ "id": "plink_1" }),
        Value::Null,
        json!([]),
        json!({ "id": "plink_QflcnnZqCekuvL", "status": "paid", "short_url": "javascript:1" }),
    ];
    for link in strange {
        assert_eq!(said(&sample("payment_link.paid", &link, &json!({}))), Vec::<String>::new());
    }
}

#[test]
fn a_link_of_another_business_has_no_reference_of_ours() {
    for reference in [json!("23"), json!(""), Value::Null, json!("lnk_1"), json!(7)] {
        let mut other = entity("paid", None);
        other["reference_id"] = reference.clone();
        assert_eq!(link::read(&other).unwrap().reference, None, "{reference}");
    }
}

#[test]
fn a_list_is_searched_for_our_reference_and_amount() {
    let of = |reference: &str, amount: i64| {
        let mut entity = entity("created", None);
        entity["reference_id"] = json!(reference);
        entity["amount"] = json!(amount);
        entity
    };
    let own = "lnk_11111111111111111111111111111111";
    let listed = |items: &[Value]| json!({ "payment_links": items });
    let found = link::find(&listed(&[of("23", 1), of(own, 50_000)]), wanted()).unwrap();
    assert_eq!(found.unwrap().fact.status, LinkStatus::Created);
    assert!(link::find(&listed(&[of("23", 50_000)]), wanted()).unwrap().is_none());
    assert!(link::find(&json!({ "items": [of(own, 50_000)] }), wanted()).unwrap().is_some());
    assert!(link::find(&json!({}), wanted()).unwrap().is_none());
    assert!(link::find(&listed(&[of(own, 50_001)]), wanted()).is_err(), "another amount");
}

#[test]
fn a_way_back_is_bound_to_link_reference_state_and_payment() {
    let provider = razorpay(None);
    let own = "lnk_11111111111111111111111111111111";
    let signed = |message: &str| mac("key-secret", message.as_bytes());
    let query = |link: &str, reference: &str, status: &str, payment: &str, signature: &str| {
        format!(
            "b=bkg_1&razorpay_payment_id={payment}&razorpay_payment_link_id={link}\
             &razorpay_payment_link_reference_id={reference}\
             &razorpay_payment_link_status={status}&razorpay_signature={signature}"
        )
    };
    let (plink, pay) = ("plink_AAAAAAAAAAAAAA", "pay_BBBBBBBBBBBBBB");
    let good = signed(&format!("{plink}|{own}|paid|{pay}"));
    let is_own = |query: &str| {
        provider.read_link_return(query).is_some_and(|it| provider.is_own_link_return(&it))
    };
    assert!(is_own(&query(plink, own, "paid", pay, &good)));
    for (link, reference, status, payment) in [
        ("plink_CCCCCCCCCCCCCC", own, "paid", pay),
        (plink, "lnk_22222222222222222222222222222222", "paid", pay),
        (plink, own, "expired", pay),
        (plink, own, "paid", "pay_CCCCCCCCCCCCCC"),
    ] {
        assert!(!is_own(&query(link, reference, status, payment, &good)), "{link} {status}");
    }
    // Another text of the same key, cut differently, is none.
    for (reference, status, payment) in [("", "paid", pay), (own, "", pay), (own, "paid", "")] {
        let message = format!("{plink}|{reference}|{status}|{payment}");
        assert!(!is_own(&query(plink, reference, status, payment, &signed(&message))), "{message}");
    }
    assert!(!is_own(&query(plink, own, "paid", pay, "")));
    for nothing in ["", "b=bkg_1", "razorpay_payment_link_id=order_AAAAAAAAAAAAAA"] {
        assert!(provider.read_link_return(nothing).is_none(), "{nothing}");
    }
}
