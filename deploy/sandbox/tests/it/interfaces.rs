//! Meetings, faults of the interfaces, and the store after a kill.

use reqwest::RequestBuilder;
use serde_json::{Value, json};

use crate::website::{Folder, Running, answer, refused, status};

fn meeting(sandbox: &Running, key: &str, body: &Value) -> RequestBuilder {
    let url = format!("{}/meetings", sandbox.url);
    let request = sandbox.http.post(url).bearer_auth("demo-meeting-token").json(body);
    request.header("Idempotency-Key", key)
}

fn session(minutes: u32) -> Value {
    json!({
        "external_id": "bkg_1", "title": "Session", "starts_at": "2026-11-24T05:30:00Z",
        "duration_minutes": minutes,
    })
}

#[tokio::test]
async fn a_meeting_is_created_once_per_key_and_has_a_page() {
    let folder = Folder::new();
    let sandbox = Running::start(&folder, None).await;
    let first = answer(meeting(&sandbox, "bkg_1", &session(60))).await;
    assert_eq!(first, answer(meeting(&sandbox, "bkg_1", &session(60))).await);
    assert_eq!(status(meeting(&sandbox, "bkg_1", &session(90))).await, 409);
    let mut timeless = session(60);
    timeless["starts_at"] = json!("tomorrow");
    assert_eq!(status(meeting(&sandbox, "bkg_2", &timeless)).await, 400);
    let stranger = sandbox.http.post(format!("{}/meetings", sandbox.url)).json(&session(60));
    assert_eq!(status(stranger).await, 401);

    let join_url = first["join_url"].as_str().unwrap();
    let page = sandbox.http.get(join_url).send().await.unwrap().text().await.unwrap();
    assert!(page.contains("This is where the session would take place"));
    assert_eq!(status(sandbox.get("/m/unknown")).await, 404);
}

#[tokio::test]
async fn a_fault_is_injected_as_often_as_requested() {
    let folder = Folder::new();
    let sandbox = Running::start(&folder, None).await;
    let wanted = json!({
        "amount": 50_000, "currency": "INR", "receipt": "bkg_1", "unique_receipt": true,
    });
    let create = || sandbox.post("/v1/orders", &wanted);
    sandbox.fault(json!({ "target": "orders.create", "kind": "status", "times": 2 })).await;
    let (code, error) = refused(create()).await;
    assert_eq!((code, error["code"].as_str()), (500, Some("SERVER_ERROR")));
    assert_eq!(status(create()).await, 500);

    sandbox.fault(json!({ "target": "orders", "kind": "drop" })).await;
    assert!(create().send().await.is_err(), "the connection closes without an answer");
    assert_eq!(sandbox.book().await["orders"], json!([]));

    let lost = json!({ "target": "orders.create", "kind": "timeout_after_success", "delay_ms": 1 });
    sandbox.fault(lost).await;
    assert!(create().send().await.is_err());
    let kept = sandbox.book().await["orders"][0]["id"].clone();
    assert_eq!(answer(create()).await["id"], kept, "a retry finds what was done");

    sandbox.fault(json!({ "target": "orders.fetch", "kind": "status", "times": 0 })).await;
    for path in ["/v1/orders", &format!("/v1/orders/{}/payments", kept.as_str().unwrap())] {
        assert_eq!(status(sandbox.get(path)).await, 500, "{path}");
    }
    assert_eq!(answer(sandbox.get("/api/faults")).await.as_array().unwrap().len(), 1);
    let clear = sandbox.http.delete(format!("{}/api/faults", sandbox.url));
    assert_eq!(status(clear).await, 204);
    assert_eq!(status(sandbox.get("/v1/orders")).await, 200);
    let unknown = json!({ "target": "smtp", "kind": "earthquake" });
    assert_eq!(status(sandbox.post("/api/faults", &unknown)).await, 400);
}

#[tokio::test]
async fn the_store_survives_a_kill_and_an_incomplete_last_line() {
    let folder = Folder::new();
    let sandbox = Running::start(&folder, None).await;
    let order = sandbox.order("bkg_1", 50_000).await;
    let payment = sandbox.pay(&order, "captured").await;
    let path = format!("/v1/payments/{}/refund", payment["payment_id"].as_str().unwrap());
    let part = json!({ "amount": 10_000 });
    let key = ("X-Refund-Idempotency", "rfn_0000001");
    let refund = answer(sandbox.post(&path, &part).header(key.0, key.1)).await;
    let room = answer(meeting(&sandbox, "bkg_1", &session(60))).await;
    sandbox.kill().await;

    let journal = folder.path().join("book.jsonl");
    let mut torn = std::fs::read(&journal).unwrap();
    torn.extend_from_slice(br#"[{"kind":"order","row":{"id":"order_"#);
    std::fs::write(&journal, torn).unwrap();

    let sandbox = Running::start(&folder, None).await;
    assert_eq!(sandbox.order("bkg_1", 50_000).await["status"], "paid");
    assert_eq!(sandbox.book().await["orders"].as_array().unwrap().len(), 1);
    let again = answer(sandbox.post(&path, &part).header(key.0, key.1)).await;
    assert_eq!(again["id"], refund["id"]);
    assert_eq!(answer(meeting(&sandbox, "bkg_1", &session(60))).await["id"], room["id"]);
}

/// A line of a journal from before orders had a limit for automatic capture.
const OLDER_LINE: &str = r#"[{"kind":"order","row":{"id":"order_AAAAAAAAAAAAAA","amount":50000,
"amount_paid":0,"currency":"INR","receipt":"col_1","status":"created","notes":{},
"manual_capture":false,"created_at":1763000000,"payments":[]}}]"#;

#[tokio::test]
async fn an_order_of_an_older_journal_can_still_be_paid() {
    let folder = Folder::new();
    let line = format!("{}\n", OLDER_LINE.replace('\n', ""));
    std::fs::write(folder.path().join("book.jsonl"), line).unwrap();
    let sandbox = Running::start(&folder, None).await;
    let order = answer(sandbox.get("/v1/orders/order_AAAAAAAAAAAAAA")).await;
    assert_eq!(sandbox.pay(&order, "captured").await["payment"]["status"], "captured");
}

#[tokio::test]
async fn pages_and_health_answer() {
    let folder = Folder::new();
    let sandbox = Running::start(&folder, None).await;
    for path in ["/", "/inbox", "/healthz", "/checkout", "/inbox/inbox.js", "/checkout/frame.css"] {
        assert_eq!(status(sandbox.http.get(format!("{}{path}", sandbox.url))).await, 200, "{path}");
    }
}

#[tokio::test]
async fn a_calendar_is_served_as_it_was_put_and_with_faults() {
    let folder = Folder::new();
    let sandbox = Running::start(&folder, None).await;
    assert_eq!(status(sandbox.get("/calendars/lead.ics")).await, 404);
    let file = "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n";
    let url = format!("{}/calendars/lead.ics", sandbox.url);
    assert_eq!(status(sandbox.http.put(&url).body(file)).await, 204);
    let served = sandbox.http.get(&url).send().await.unwrap();
    let tag = served.headers()["etag"].clone();
    assert_eq!(served.text().await.unwrap(), file);
    assert_eq!(status(sandbox.http.get(&url).header("if-none-match", tag.clone())).await, 304);
    assert_eq!(status(sandbox.http.put(&url).body("BEGIN:VCALENDAR\r\n")).await, 204);
    assert_eq!(status(sandbox.http.get(&url).header("if-none-match", tag)).await, 200);
    let follows_nothing = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
    let follows_nothing = follows_nothing.no_proxy().build().unwrap();
    for (kind, expected) in [("status", 500), ("redirect", 302), ("huge", 200), ("endless", 200)] {
        let fault = json!({ "target": "calendars.fetch", "kind": kind });
        assert_eq!(
            status(sandbox.http.post(format!("{}/api/faults", sandbox.url)).json(&fault)).await,
            201
        );
        assert_eq!(status(follows_nothing.get(&url)).await, expected, "{kind}");
    }
}

#[tokio::test]
async fn the_scheduling_provider_takes_a_time_once_and_cancels_it_once() {
    let folder = Folder::new();
    let sandbox = Running::start(&folder, None).await;
    let base = format!("{}/scheduling", sandbox.url);
    let get =
        |path: &str| sandbox.http.get(format!("{base}{path}")).bearer_auth("demo-meeting-token");
    let post = |path: &str, body: &Value| {
        sandbox.http.post(format!("{base}{path}")).bearer_auth("demo-meeting-token").json(body)
    };
    assert_eq!(status(sandbox.http.get(format!("{base}/users/me"))).await, 401);
    let me = answer(get("/users/me")).await;
    let user = me["resource"]["uri"].as_str().unwrap();
    assert_eq!(status(get("/event_types")).await, 400);
    let types = answer(get(&format!("/event_types?user={user}"))).await;
    let event_type = types["collection"][0]["uri"].clone();
    let wanted = json!({
        "event_type": event_type, "start_time": "2099-01-01T05:30:00Z",
        "invitee": { "name": "Asha Rao", "email": "asha@example.org", "timezone": "Asia/Kolkata" },
        "tracking": { "utm_content": "bkg_1" },
    });
    for (field, wrong) in [
        ("start_time", json!("2099-01-01T05:30:00+05:30")),
        ("start_time", json!("2000-01-01T05:30:00Z")),
        ("event_type", json!("https://elsewhere.example/event_types/X")),
        ("invitee", json!({ "name": "Asha" })),
    ] {
        let mut body = wanted.clone();
        body[field] = wrong;
        assert_eq!(status(post("/invitees", &body)).await, 400, "{field}");
    }
    let made = answer(post("/invitees", &wanted)).await;
    let event = made["resource"]["event"].as_str().unwrap().strip_prefix(&base).unwrap().to_owned();
    assert_eq!(status(post("/invitees", &wanted)).await, 400, "the time is taken");
    let active =
        format!("/scheduled_events?user={user}&status=active&invitee_email=asha@example.org");
    assert_eq!(answer(get(&active)).await["collection"][0]["start_time"], "2099-01-01T05:30:00Z");
    let invitees = answer(get(&format!("{event}/invitees"))).await;
    assert_eq!(invitees["collection"][0]["tracking"]["utm_content"], "bkg_1");
    let cancellation = format!("{event}/cancellation");
    assert_eq!(status(post(&cancellation, &json!({ "reason": "x" }))).await, 201);
    assert_eq!(status(post(&cancellation, &json!({ "reason": "x" }))).await, 403);
    assert_eq!(answer(get(&event)).await["resource"]["status"], "canceled");
    assert_eq!(status(post("/invitees", &wanted)).await, 201, "the time is free again");
}

#[tokio::test]
async fn a_page_whose_name_was_made_to_lead_here_reads_nothing() {
    let folder = Folder::new();
    let sandbox = Running::start(&folder, None).await;
    for path in ["/", "/api/inbox", "/v1/checkout.js"] {
        let named = |host: &str| sandbox.get(path).header("host", host);
        assert_eq!(status(named("evil.example")).await, 421, "{path}");
        assert_eq!(status(named("localhost:8090")).await, 200, "{path}");
    }
}
