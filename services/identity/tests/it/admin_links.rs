//! Links and invitations of administrators, and the audit log.

use reqwest::Method;
use serde_json::{Value, json};

use crate::admin::service_key;
use crate::test_server::{Answer, PASSWORD, Page, TestServer};

const ASHA: &str = "asha@example.test";
const RAVI: &str = "ravi@example.test";

async fn link(server: &TestServer, key: &str, body: Value) -> Answer {
    server.call(Method::POST, "/admin/generate_link", key, body).await
}

#[tokio::test]
async fn links_of_every_type_go_to_the_administrator_and_open_the_account() {
    let server = TestServer::with_confirmation().await;
    let key = service_key(&server).await;
    server.confirmed_account(ASHA).await;
    let mails = server.codes_requested().await;
    for (kind, shown) in [("recovery", "recovery"), ("magiclink", "magiclink")] {
        let body = json!({ "type": kind, "email": ASHA });
        let made = link(&server, &key, body.clone()).await.ok();
        assert_eq!(made.text("/email"), ASHA);
        assert_eq!(made.text("/verification_type"), shown);
        assert_eq!(made.text("/redirect_to"), "https://sukoon.example/");
        let page = Page::of(&made.text("/action_link"));
        assert_eq!(page.field("token_hash"), made.text("/hashed_token"));
        server.confirm_link(&made.text("/action_link"), "").await.ok();
        let made = link(&server, &key, body).await.ok();
        server.verify("email", ASHA, &made.text("/email_otp")).await.ok();
    }
    assert_eq!(server.codes_requested().await, mails, "none is mailed");
}

#[tokio::test]
async fn a_link_makes_the_account_where_its_type_says_so() {
    let server = TestServer::with_confirmation().await;
    let key = service_key(&server).await;
    let path = "/admin/generate_link?redirect_to=https%3A%2F%2Fsukoon.example%2Fhello";
    let body = json!({ "type": "invite", "email": ASHA, "data": { "firstName": "Asha" } });
    let invited = server.call(Method::POST, path, &key, body).await.ok();
    assert!(!invited.text("/invited_at").is_empty());
    assert_eq!(invited.text("/redirect_to"), "https://sukoon.example/hello");
    let session = server.confirm_link(&invited.text("/action_link"), "").await.ok();
    assert_eq!(session.text("/user/user_metadata/firstName"), "Asha");

    // A magic link for an unknown address is a sign-up.
    let body = json!({ "type": "magiclink", "email": RAVI });
    let made = link(&server, &key, body).await.ok();
    assert_eq!(made.text("/verification_type"), "signup");
    server.confirm_link(&made.text("/action_link"), "").await.ok();

    let body = json!({ "type": "signup", "email": "usha@example.test", "password": PASSWORD });
    let made = link(&server, &key, body).await.ok();
    server.verify("signup", "usha@example.test", &made.text("/email_otp")).await.ok();
}

#[tokio::test]
async fn a_change_of_address_needs_both_links() {
    let server = TestServer::with_confirmation().await;
    let key = service_key(&server).await;
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    let body = |kind: &str| json!({ "type": kind, "email": ASHA, "new_email": RAVI });
    let current = link(&server, &key, body("email_change_current")).await.ok();
    assert_eq!(current.text("/new_email"), RAVI);
    let half = server.confirm_link_as(&token, &current.text("/action_link")).await.ok();
    assert!(half.text("/msg").starts_with("Confirmation link accepted"), "{}", half.body);
}

#[tokio::test]
async fn wishes_for_links_are_checked() {
    let server = TestServer::with_confirmation().await;
    let key = service_key(&server).await;
    server.confirmed_account(ASHA).await;
    for (body, status, code) in [
        (json!({ "type": "recovery", "email": "x" }), 400, "validation_failed"),
        (json!({ "type": "recovery", "email": RAVI }), 404, "user_not_found"),
        (
            json!({ "type": "email_change_new", "email": RAVI, "new_email": ASHA }),
            404,
            "user_not_found",
        ),
        (json!({ "type": "email_change_new", "email": ASHA }), 400, "validation_failed"),
        (json!({ "type": "signup", "email": ASHA, "password": PASSWORD }), 422, "email_exists"),
        (json!({ "type": "signup", "email": RAVI }), 400, "validation_failed"),
        (json!({ "type": "signup", "email": RAVI, "password": "short" }), 422, "weak_password"),
        (json!({ "type": "invite", "email": ASHA }), 422, "email_exists"),
        (json!({ "type": "sms", "email": ASHA }), 400, "validation_failed"),
        (json!({ "email": ASHA }), 400, "validation_failed"),
    ] {
        link(&server, &key, body).await.assert_error(status, code);
    }
}

#[tokio::test]
async fn an_invited_person_has_a_day_to_come_and_no_password() {
    let server = TestServer::with_confirmation().await;
    let key = service_key(&server).await;
    let body = json!({ "email": ASHA, "data": { "firstName": "Asha" } });
    let path = "/invite?redirect_to=https%3A%2F%2Fsukoon.example%2Fwelcome";
    let invited = server.call(Method::POST, path, &key, body.clone()).await.ok();
    assert!(!invited.text("/invited_at").is_empty());
    let mail = server.latest_mail().await;
    assert_eq!((mail.purpose.as_str(), mail.valid_minutes), ("invite", 1440));
    assert_eq!(Page::of(&mail.link).field("redirect_to"), "https://sukoon.example/welcome");
    let again = server.call(Method::POST, "/invite", &key, body.clone()).await;
    again.assert_error(429, "over_email_send_rate_limit");
    server.move_clock(23 * 3600).await;
    let session = server.confirm_link(&mail.link, "").await.ok();
    assert!(!session.text("/access_token").is_empty());
    let token = session.text("/access_token");
    let new = json!({ "password": PASSWORD });
    server.call(Method::PUT, "/user", &token, new).await.ok();
    server.sign_in(ASHA, PASSWORD).await.ok();
    let known = server.call(Method::POST, "/invite", &key, body).await;
    known.assert_error(422, "email_exists");
}

#[tokio::test]
async fn an_invitation_gives_no_account_to_a_stranger_who_signed_up_first() {
    let server = TestServer::with_confirmation().await;
    let key = service_key(&server).await;
    server.sign_up(ASHA).await.ok();
    server.call(Method::POST, "/invite", &key, json!({ "email": ASHA })).await.ok();
    let mail = server.latest_mail().await;
    server.confirm_link(&mail.link, "").await.ok();
    server.sign_in(ASHA, PASSWORD).await.assert_error(400, "invalid_credentials");
}

#[tokio::test]
async fn what_administrators_do_is_in_the_audit_log_without_names() {
    let server = TestServer::with_confirmation().await;
    let key = service_key(&server).await;
    let body = json!({ "email": ASHA, "user_metadata": { "full_name": "Asha Rao" } });
    let id = server.call(Method::POST, "/admin/users", &key, body).await.ok().text("/id");
    let path = format!("/admin/users/{id}");
    server.call(Method::PUT, &path, &key, json!({ "ban_duration": "1h" })).await.ok();
    server.call(Method::DELETE, &path, &key, json!({})).await.ok();
    let get = async |path: &str| server.call(Method::GET, path, &key, json!({})).await;
    let log = get("/admin/audit").await.ok();
    assert_eq!(log.headers["x-total-count"], "3");
    let actions: Vec<&str> = log
        .body
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["payload"]["action"].as_str().unwrap())
        .collect();
    assert_eq!(actions, ["user_deleted", "user_modified", "user_signedup"]);
    assert_eq!(log.body[0]["payload"]["actor_username"], "office");
    assert_eq!(log.body[0]["payload"]["traits"], json!({ "user_id": id }));
    for name in ["asha", "Rao"] {
        assert!(!log.body.to_string().contains(name), "{}", log.body);
    }
    let of_kind = get("/admin/audit?query=action%3Amodified&per_page=1").await.ok();
    assert_eq!(of_kind.headers["x-total-count"], "1");
    assert_eq!(get("/admin/audit?query=type%3Ateam").await.ok().headers["x-total-count"], "2");
    assert_eq!(get("/admin/audit?query=author%3Aoffice").await.ok().headers["x-total-count"], "3");
    let wrong = get("/admin/audit?query=name%3Ax").await;
    wrong.assert_error(400, "validation_failed");
    assert_eq!(wrong.text("/message"), "Invalid query scope: name:x");
    get("/admin/audit?page=x").await.assert_error(400, "validation_failed");
}

#[tokio::test]
async fn accounts_of_administrators_stay_and_invitations_wait_for_a_week() {
    let server = TestServer::with_confirmation().await;
    let key = service_key(&server).await;
    let post = async |path: &str, email: &str| {
        server.call(Method::POST, path, &key, json!({ "email": email })).await.ok()
    };
    post("/admin/users", "made@example.test").await;
    post("/invite", "invited@example.test").await;
    server.sign_up(ASHA).await.ok();
    let left = async |days: i64| {
        server.move_clock(days * 24 * 3600 + 60).await;
        identity::retention::delete_expired(&server.app.store).await.unwrap();
        let emails = sqlx::query_scalar("select email from users order by email");
        emails.fetch_all(server.app.store.pool()).await.unwrap()
    };
    let after_a_day: Vec<String> = left(1).await;
    assert_eq!(after_a_day, ["invited@example.test", "made@example.test"]);
    let after_a_week: Vec<String> = left(7).await;
    assert_eq!(after_a_week, ["made@example.test"]);
}
