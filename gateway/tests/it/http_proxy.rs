//! Forwarding over HTTP: the identity server and the payment provider's webhooks, and the health of
//! all parts.

use http::StatusCode;
use serde_json::{Value, json};

use crate::harness::{TestGateway, TestOptions};
use crate::raw_http;

#[tokio::test]
async fn the_identity_server_is_reached_below_auth() {
    let gateway = TestGateway::new().await;
    let answer = gateway
        .client
        .post(gateway.url("/auth/v1/token?grant_type=password"))
        .header("apikey", "public")
        .header("x-forwarded-for", "203.0.113.5")
        .header("x-forwarded-host", "evil.example")
        .header("connection", "keep-alive, x-hop")
        .header("x-hop", "1")
        .body(r#"{"email":"a@b.example"}"#)
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    assert_eq!(answer.headers()["x-from"], "neighbour");
    assert_eq!(answer.headers()["cache-control"], "no-store");
    assert!(!answer.headers().contains_key("keep-alive"));
    assert!(!answer.headers().contains_key("set-cookie"));
    assert_eq!(answer.text().await.unwrap(), r#"{"email":"a@b.example"}"#);

    let seen = gateway.identity.http.lock().unwrap();
    let (path, headers, _) = seen.last().unwrap();
    assert_eq!(path, "/token?grant_type=password");
    assert_eq!(headers["apikey"], "public");
    assert_eq!(headers["x-forwarded-for"], "127.0.0.1");
    assert_eq!(headers["x-forwarded-host"], "127.0.0.1:8080");
    assert!(!headers.contains_key("x-hop"));
    assert!(headers.contains_key("traceparent"));
}

#[tokio::test]
async fn device_tokens_reach_the_identity_server_from_the_cookie_only() {
    let gateway = TestGateway::new().await;
    let ask = |cookie: &'static str| {
        let url = gateway.url("/auth/v1/token?grant_type=password");
        let request = gateway.client.post(url).header("x-device-token", "forged");
        request.header("cookie", cookie).body("{}").send()
    };
    for (cookie, passed_on) in [("admin=x; device=abc.def", Some("abc.def")), ("admin=x", None)] {
        let answer = ask(cookie).await.unwrap();
        assert!(!answer.headers().contains_key("x-device-token"));
        let seen = gateway.identity.http.lock().unwrap();
        let (_, headers, _) = seen.last().unwrap();
        let told = headers.get("x-device-token").map(|value| value.to_str().unwrap());
        assert_eq!(told, passed_on);
        assert!(!headers.contains_key("cookie"));
    }
}

#[tokio::test]
async fn the_identity_servers_redirects_reach_the_browser() {
    let gateway = TestGateway::new().await;
    let answer = gateway.get("/auth/v1/verify?token=123456&type=signup").await;
    assert_eq!(answer.status(), StatusCode::SEE_OTHER);
    assert_eq!(answer.headers()["location"], "http://127.0.0.1/sign-in#access_token=x");
}

#[tokio::test]
async fn calls_for_administrators_are_reachable_by_setting_only() {
    let paths = ["/admin/users", "/admin", "/admin/generate_link", "/invite"];
    let closed = TestGateway::new().await;
    for path in paths {
        let answer = closed.get(&format!("/auth/v1{path}")).await;
        assert_eq!(answer.status(), StatusCode::NOT_FOUND, "{path}");
        assert_eq!(answer.text().await.unwrap(), "404 page not found");
    }
    let options = TestOptions { identity_admin: true, ..TestOptions::default() };
    let open = TestGateway::with_options(options).await;
    for path in paths {
        let answer = open.get(&format!("/auth/v1{path}")).await;
        assert_ne!(answer.text().await.unwrap(), "404 page not found", "{path}");
    }
}

#[tokio::test]
async fn without_an_identity_server_the_error_has_its_format() {
    let gateway =
        TestGateway::with_options(TestOptions { without_services: true, ..TestOptions::default() })
            .await;
    let ask = || gateway.client.get(gateway.url("/auth/v1/user"));
    let answer = ask().send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(answer.headers()["x-sb-error-code"], "service_unavailable");
    let error: Value = answer.json().await.unwrap();
    assert_eq!(
        (&error["code"], &error["error_code"]),
        (&json!(503), &json!("service_unavailable"))
    );
    let answer = ask().header("x-supabase-api-version", "2024-01-01").send().await.unwrap();
    let error: Value = answer.json().await.unwrap();
    assert_eq!(error["code"], "service_unavailable");
}

#[tokio::test]
async fn a_sign_in_that_is_too_large_is_refused() {
    let gateway = TestGateway::new().await;
    let large =
        gateway.client.post(gateway.url("/auth/v1/signup")).body("x".repeat(1024 * 1024 + 1));
    let answer = large.send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::PAYLOAD_TOO_LARGE);
    let error: Value = answer.json().await.unwrap();
    assert_eq!(error["error_code"], "request_entity_too_large");
}

#[tokio::test]
async fn a_webhook_passes_byte_for_byte() {
    let gateway = TestGateway::new().await;
    // JSON that no serializer would reproduce, and bytes that are not text.
    let mut body = br#"{ "b":1,"a" : 1e2, "a":2 }"#.to_vec();
    body.extend([0, 255, 13, 10]);
    let answer = gateway
        .client
        .post(gateway.url("/webhooks/razorpay"))
        .header("x-razorpay-signature", "0123abcd")
        .header("x-razorpay-event-id", "evt_1")
        .header("content-type", "application/json")
        .body(body.clone())
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    let seen = gateway.payments.http.lock().unwrap();
    let (path, headers, got) = seen.last().unwrap();
    assert_eq!(path, "/webhooks/razorpay");
    assert_eq!(got, &body);
    assert_eq!(headers["x-razorpay-signature"], "0123abcd");
    assert_eq!(headers["x-razorpay-event-id"], "evt_1");
    assert_eq!(headers["content-type"], "application/json");
}

#[tokio::test]
async fn a_webhook_is_posted_small_and_only_while_payments_is_there() {
    let gateway = TestGateway::new().await;
    let answer = gateway.get("/webhooks/razorpay").await;
    assert_eq!(answer.status(), StatusCode::METHOD_NOT_ALLOWED);
    let large =
        gateway.client.post(gateway.url("/webhooks/razorpay")).body(vec![0; 256 * 1024 + 1]);
    assert_eq!(large.send().await.unwrap().status(), StatusCode::PAYLOAD_TOO_LARGE);
    assert!(gateway.payments.http.lock().unwrap().is_empty());

    let gateway =
        TestGateway::with_options(TestOptions { without_services: true, ..TestOptions::default() })
            .await;
    let lost =
        gateway.client.post(gateway.url("/webhooks/razorpay")).body("{}").send().await.unwrap();
    assert_eq!(lost.status(), StatusCode::SERVICE_UNAVAILABLE, "so that it is sent again");
}

#[tokio::test]
async fn there_is_one_path_for_webhooks() {
    let gateway = TestGateway::new().await;
    for path in ["/webhooks/other", "/webhooks/razorpay/x", "/webhooks/razorpay/", "/webhooks/"] {
        let answer = gateway.client.post(gateway.url(path)).body("{}").send().await.unwrap();
        assert!(answer.status().is_client_error(), "{path}: {}", answer.status());
    }
    assert!(gateway.payments.http.lock().unwrap().is_empty());
}

#[tokio::test]
async fn no_path_leads_upwards_to_what_is_not_offered() {
    let gateway = TestGateway::new().await;
    let paths = [
        "/webhooks/../elsewhere",
        "/webhooks/razorpay/../../elsewhere",
        "/webhooks/%2e%2e/elsewhere",
        "/auth/v1/../elsewhere",
        "/auth/v1/%2e%2e/elsewhere",
        "/auth/v1/.%2E/elsewhere",
        "/auth/v1/./user",
        "/auth/v1/..\\elsewhere",
        "/auth/v1/..%5celsewhere",
        "/auth/v1/..%2felsewhere",
    ];
    for path in paths {
        // A client library would normalize these paths.
        let answer = raw_http::ask(&gateway, &format!("POST {path}")).await;
        let refused = ["HTTP/1.1 400", "HTTP/1.1 404"].iter().any(|line| answer.starts_with(line));
        assert!(refused, "{path}: {answer}");
    }
    assert!(gateway.identity.http.lock().unwrap().is_empty());
    assert!(gateway.payments.http.lock().unwrap().is_empty());
}

/// Violations of a newer checkout are noticed at once.
#[tokio::test]
async fn policy_violations_of_the_booking_document_are_reported() {
    let gateway = TestGateway::new().await;
    let answer = gateway.get("/booking-flow").await;
    let policy = answer.headers()["content-security-policy"].to_str().unwrap().to_owned();
    assert!(policy.ends_with("; report-uri /policy-reports"), "{policy}");
    assert_eq!(gateway.get("/policy-reports").await.status(), StatusCode::METHOD_NOT_ALLOWED);
    let report = |body: String| {
        let post = gateway.client.post(gateway.url("/policy-reports"));
        post.header("content-type", "application/csp-report").body(body).send()
    };
    let refused = json!({ "csp-report": {
        "effective-directive": "script-src-elem", "blocked-uri": "https://cdn.example/new.js",
    } });
    for _ in 0..2 {
        let answer = report(refused.to_string()).await.unwrap();
        assert_eq!(answer.status(), StatusCode::NO_CONTENT);
    }
    let long = report("x".repeat(20_000)).await.unwrap();
    assert_eq!(long.status(), StatusCode::PAYLOAD_TOO_LARGE);
    let health: Value = gateway.health().await.json().await.unwrap();
    let expected = json!({ "script-src-elem https://cdn.example": 2 });
    assert_eq!(health["refused_by_policy"], expected);
    assert_eq!(health["ready"], true, "anybody can send reports");
}

#[tokio::test]
async fn health_names_every_part() {
    let gateway = TestGateway::new().await;
    let answer = gateway.health().await;
    assert_eq!(answer.status(), StatusCode::OK);
    let report: Value = answer.json().await.unwrap();
    let parts = [
        "booking",
        "booking_calendars",
        "booking_events",
        "booking_practice",
        "booking_writes",
        "catalogue",
        "catalogue_practice",
        "identity",
        "identity_http",
        "identity_writes",
        "notifications",
        "notifications_events",
        "notifications_practice",
        "notifications_writes",
        "payments",
        "payments_events",
        "payments_http",
        "payments_orders",
        "payments_practice",
        "payments_webhooks",
        "payments_writes",
        "reviews",
        "reviews_events",
        "reviews_http",
        "reviews_practice",
        "reviews_writes",
        "web",
    ];
    let named: Vec<_> = report["parts"].as_object().unwrap().keys().collect();
    assert_eq!(named, parts);
    let lag = json!({ "payments-on-booking": { "events_behind": 12, "seconds_behind": 3 } });
    assert_eq!(report["consumers"], lag);

    // Payments works, but the provider rejects its orders: an operator must be notified.
    let refused = tonic_health::ServingStatus::NotServing;
    gateway.grpc.health.set_service_status(runtime::health::ORDERS, refused).await;
    let answer = gateway.health().await;
    assert_eq!(answer.status(), StatusCode::SERVICE_UNAVAILABLE);
    let report: Value = answer.json().await.unwrap();
    assert_eq!(report["parts"]["payments"], "ready");
    assert_eq!(report["parts"]["payments_orders"], "a person has to look at it");

    let gateway =
        TestGateway::with_options(TestOptions { without_services: true, ..TestOptions::default() })
            .await;
    let answer = gateway.health().await;
    assert_eq!(answer.status(), StatusCode::SERVICE_UNAVAILABLE);
    let report: Value = answer.json().await.unwrap();
    assert_eq!(report["parts"]["booking"], "it does not answer");
    assert_eq!(report["parts"]["web"], "ready");
    // The gateway itself is healthy: it can still serve pages.
    assert_eq!(gateway.get("/livez").await.status(), StatusCode::OK);
    assert_eq!(gateway.get("/readyz").await.status(), StatusCode::OK);
}

#[tokio::test]
async fn outside_the_health_is_a_status_alone() {
    let gateway = TestGateway::new().await;
    let answer = gateway.get("/healthz").await;
    assert_eq!(answer.status(), StatusCode::OK);
    assert_eq!(answer.json::<Value>().await.unwrap(), json!({ "ready": true }));
    // Many who ask at once share a check, and the report isn't read.
    let before = gateway.identity.http.lock().unwrap().len();
    let asked = (0..40).map(|_| gateway.get("/healthz"));
    let all = futures::future::join_all(asked).await;
    assert!(all.iter().all(|answer| answer.status() == StatusCode::OK));
    let checks = gateway.identity.http.lock().unwrap().len() - before;
    assert!(checks < 40, "{checks} checks");
    let gateway =
        TestGateway::with_options(TestOptions { without_services: true, ..TestOptions::default() })
            .await;
    let answer = gateway.get("/healthz").await;
    assert_eq!(answer.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(answer.json::<Value>().await.unwrap(), json!({ "ready": false }));
}

#[tokio::test]
async fn a_payer_of_a_link_is_redirected_to_their_booking_and_its_fields_are_forwarded() {
    let gateway = TestGateway::new().await;
    let booking = format!("bkg_{}", "0".repeat(32));
    let verifying = format!("/booking-flow?step=verification&b={booking}");
    let fields = "razorpay_payment_id=pay_1&razorpay_payment_link_id=plink_1\
                  &razorpay_payment_link_reference_id=lnk_1&razorpay_payment_link_status=paid\
                  &razorpay_signature=ab";
    let path = format!("/pay/link-return?b={booking}&{fields}");
    let answer = gateway.get(&format!("{path}&other=x&b=bkg_2")).await;
    assert_eq!(answer.status(), StatusCode::SEE_OTHER);
    assert_eq!(answer.headers()["location"], verifying);
    let forwarded = gateway.payments.http.lock().unwrap().last().unwrap().0.clone();
    assert_eq!(forwarded, path, "nothing but the provider's fields");

    let before = gateway.payments.http.lock().unwrap().len();
    for odd in ["", "?b=", "?b=//evil.example/000000000000000000000000"] {
        let answer = gateway.get(&format!("/pay/link-return{odd}")).await;
        assert_eq!(answer.headers()["location"], "/booking-flow", "{odd}");
    }
    assert_eq!(gateway.payments.http.lock().unwrap().len(), before, "payments is not asked");
    let post = gateway.client.post(gateway.url(&path)).send().await.unwrap();
    assert_eq!(post.status(), StatusCode::METHOD_NOT_ALLOWED);
}

#[tokio::test]
async fn a_payer_is_redirected_to_their_booking_whatever_the_form_holds() {
    let gateway = TestGateway::new().await;
    let booking = format!("bkg_{}", "0".repeat(32));
    let returned = async |query: &str, body: &'static str| {
        let post = gateway.client.post(gateway.url(&format!("/pay/return{query}")));
        let answer = post.header("origin", "https://api.razorpay.com").body(body).send().await;
        let answer = answer.unwrap();
        assert_eq!(answer.status(), StatusCode::SEE_OTHER);
        answer.headers()["location"].to_str().unwrap().to_owned()
    };
    let (paying, verifying) = (
        format!("/booking-flow?step=payment&b={booking}"),
        format!("/booking-flow?step=verification&b={booking}"),
    );
    let query = format!("?b={booking}");
    assert_eq!(returned(&query, "razorpay_payment_id=pay_1").await, verifying);
    {
        let seen = gateway.payments.http.lock().unwrap();
        let (path, _headers, body) = seen.last().unwrap();
        assert_eq!(path, &format!("/pay/return?b={booking}"));
        assert_eq!(body, b"razorpay_payment_id=pay_1");
    }
    assert_eq!(returned(&query, "error%5Bcode%5D=BAD_REQUEST_ERROR").await, paying);
    let before = gateway.payments.http.lock().unwrap().len();
    for odd in ["", "?b=", "?b=//evil.example/000000000000000000000000", "?b=bkg_%0d%0aset-cookie"]
    {
        assert_eq!(returned(odd, "razorpay_payment_id=pay_1").await, "/booking-flow", "{odd}");
    }
    assert_eq!(gateway.payments.http.lock().unwrap().len(), before, "payments is not asked");
    let reloaded = gateway.get(&format!("/pay/return?b={booking}")).await;
    assert_eq!(reloaded.headers()["location"], verifying);

    let gateway =
        TestGateway::with_options(TestOptions { without_services: true, ..TestOptions::default() })
            .await;
    let post = gateway.client.post(gateway.url(&format!("/pay/return?b={booking}")));
    let answer = post.body("razorpay_payment_id=pay_1").send().await.unwrap();
    assert_eq!(answer.headers()["location"], verifying, "the booking's page asks again");
}
