//! Links of mails: the page that they open, its redirect, and that opening one changes nothing.

use identity::app::policy::{Clients, Policy};
use reqwest::Method;
use serde_json::json;

use crate::test_server::{Answer, PASSWORD, PUBLIC_URL, Page, TestServer};

const ASHA: &str = "asha@example.test";
const CONFIRM: &str = "https://sukoon.example/confirm";

/// A link of an older mail, which leads to `/verify` instead of the page.
fn older(link: &str, redirect_to: &str) -> String {
    let page = Page::of(link);
    let (token, kind) = (page.field("token_hash"), page.field("type"));
    format!("/verify?token={token}&type={kind}&redirect_to={redirect_to}")
}

/// The page that an older link redirects to.
#[track_caller]
fn led_to(answer: &Answer) -> Page {
    assert_eq!(answer.status, 303, "{}", answer.body);
    assert_eq!(answer.headers["cache-control"], "no-store");
    assert_eq!(answer.headers["referrer-policy"], "no-referrer");
    Page::of(answer.headers["location"].to_str().unwrap())
}

/// The content of all tables as text.
async fn everything(server: &TestServer) -> String {
    let mut all = String::new();
    for table in ["users", "sessions", "refresh_tokens", "codes", "address_limits", "events"] {
        let sql =
            format!("select coalesce(jsonb_agg(t order by t::text), '[]')::text from {table} t");
        let rows: String = sqlx::query_scalar(sqlx::AssertSqlSafe(sql))
            .fetch_one(server.app.store.pool())
            .await
            .unwrap();
        all.push_str(&rows);
    }
    all
}

#[tokio::test]
async fn a_link_opens_a_page_whose_button_signs_in_and_which_knows_the_way_back() {
    let server = TestServer::with_confirmation().await;
    let back = format!("{PUBLIC_URL}/sign-in?return=%2Fbooking-flow%3FserviceId%3Dreiki");
    let path = format!("/signup?redirect_to={}", back.replace('%', "%25").replace('&', "%26"));
    server.post(&path, json!({ "email": ASHA, "password": PASSWORD })).await.ok();
    let mail = server.latest_mail().await;
    assert!(!mail.link.contains(&mail.code) && !mail.link.contains("example.test"));
    let page = Page::of(&mail.link);
    // The URL without its fragment, which a server would receive and log.
    assert_eq!(page.url, CONFIRM);
    assert_eq!((page.field("type"), page.field("redirect_to")), ("signup".to_owned(), back));

    let session = server.confirm_link(&mail.link, "").await.ok();
    server.user(&session.text("/access_token")).await.ok();
    server.refresh(&session.text("/refresh_token")).await.ok();
    let again = server.confirm_link(&mail.link, "").await;
    again.assert_error(403, "otp_expired");
    assert_eq!(again.text("/message"), "Email link is invalid or has expired");
}

#[tokio::test]
async fn nothing_changes_when_a_link_is_opened_or_looked_at() {
    let server = TestServer::with_confirmation().await;
    server.confirmed_account("ravi@example.test").await;
    server.post("/recover", json!({ "email": "ravi@example.test" })).await.ok();
    let recovery = server.latest_mail().await.link;
    let signed_up = server.sign_up(ASHA).await.ok();
    let link = server.latest_mail().await.link;
    let before = everything(&server).await;
    for link in [&link, &recovery] {
        let path = older(link, "https://sukoon.example/sign-in");
        for method in [Method::HEAD, Method::GET, Method::GET] {
            let answer = server.send(server.request(method, &path)).await;
            let page = led_to(&answer);
            assert_eq!(page.url, CONFIRM);
            assert_eq!(page.field("token_hash"), Page::of(link).field("token_hash"));
            assert_eq!(page.field("type"), Page::of(link).field("type"));
            assert_eq!((page.field("access_token"), page.field("refresh_token")), <_>::default());
        }
    }
    assert!(everything(&server).await == before, "opening a link has changed a row");
    server.sign_in(ASHA, PASSWORD).await.assert_error(400, "email_not_confirmed");
    // The owner confirms after the scanner opened the link, and it still works.
    server.confirm_link(&link, &signed_up.text("/sign_up_secret")).await.ok();
    server.sign_in(ASHA, PASSWORD).await.ok();
    server.confirm_link(&recovery, "").await.ok();
}

#[tokio::test]
async fn a_link_of_an_older_mail_leads_to_the_page_with_its_way_back() {
    let server = TestServer::with_confirmation().await;
    server.sign_up(ASHA).await.ok();
    let link = server.latest_mail().await.link;
    let back = "https://sukoon.example/sign-in?return=%252Ffaq";
    let page = led_to(&server.get(&older(&link, back)).await);
    assert_eq!(page.field("redirect_to"), "https://sukoon.example/sign-in?return=%2Ffaq");
    let hashed = older(&link, back).replace("token=", "token_hash=");
    assert_eq!(led_to(&server.get(&hashed).await).field("type"), "signup");
}

#[tokio::test]
async fn a_code_that_was_typed_makes_its_link_void_and_the_other_way_round() {
    let server = TestServer::with_confirmation().await;
    server.sign_up(ASHA).await.ok();
    let mail = server.latest_mail().await;
    server.verify("signup", ASHA, &mail.code).await.ok();
    server.confirm_link(&mail.link, "").await.assert_error(403, "otp_expired");

    server.post("/recover", json!({ "email": ASHA })).await.ok();
    let mail = server.latest_mail().await;
    assert_eq!(Page::of(&mail.link).field("type"), "recovery");
    server.confirm_link(&mail.link, "").await.ok();
    server.verify("recovery", ASHA, &mail.code).await.assert_error(403, "otp_expired");
}

#[tokio::test]
async fn a_link_ends_after_ten_minutes() {
    let server = TestServer::with_confirmation().await;
    server.sign_up(ASHA).await.ok();
    let link = server.latest_mail().await.link;
    server.move_clock(601).await;
    server.confirm_link(&link, "").await.assert_error(403, "otp_expired");
}

#[tokio::test]
async fn no_link_leads_to_another_site() {
    let server = TestServer::with_confirmation().await;
    for elsewhere in
        ["https://evil.example/", "//evil.example", "https://sukoon.example@evil.example/"]
    {
        let path = format!("/verify?token=x&type=signup&redirect_to={elsewhere}");
        let page = led_to(&server.get(&path).await);
        assert_eq!((page.url.as_str(), page.field("redirect_to")), (CONFIRM, String::new()));
    }
    let path = "/signup?redirect_to=https://evil.example/";
    server.post(path, json!({ "email": ASHA, "password": PASSWORD })).await.ok();
    let mail = server.latest_mail().await;
    assert!(!mail.link.contains("evil"), "{}", mail.link);
}

#[tokio::test]
async fn an_altered_link_or_another_type_does_nothing() {
    let server = TestServer::with_confirmation().await;
    server.sign_up(ASHA).await.ok();
    let link = server.latest_mail().await.link;
    let other_type = link.replace("type=signup", "type=recovery");
    server.confirm_link(&other_type, "").await.assert_error(403, "otp_expired");
    let never_mailed = link.replace("type=signup", "type=magiclink");
    server.confirm_link(&never_mailed, "").await.assert_error(403, "otp_expired");
    let altered = link.replace("token_hash=A", "token_hash=B");
    assert_ne!(altered, link, "ids begin with the time, so their text begins with an A");
    server.confirm_link(&altered, "").await.assert_error(403, "otp_expired");
    server.confirm_link(&link, "").await.ok();
}

#[tokio::test]
async fn a_malformed_link_gets_an_error() {
    let server = TestServer::with_confirmation().await;
    for path in ["/verify", "/verify?token=x", "/verify?type=signup"] {
        server.get(path).await.assert_error(400, "validation_failed");
    }
    // As in the contract, an unknown type leads to the site with an error.
    let led = led_to(&server.get("/verify?token=x&type=y").await);
    assert_eq!(led.url, "https://sukoon.example/");
    assert_eq!(led.field("error"), "invalid_request");
    assert_eq!(led.field("error_code"), "validation_failed");
}

#[tokio::test]
async fn a_code_that_is_sent_again_leads_where_the_first_one_did() {
    let server = TestServer::with_confirmation().await;
    let back = "https://sukoon.example/recover?return=%252Fservices";
    server.confirmed_account(ASHA).await;
    let path = format!("/recover?redirect_to={back}");
    server.post(&path, json!({ "email": ASHA })).await.ok();
    server.move_clock(61).await;
    server.post("/recover", json!({ "email": ASHA })).await.ok();
    let page = Page::of(&server.latest_mail().await.link);
    assert_eq!(page.field("redirect_to"), "https://sukoon.example/recover?return=%2Fservices");
}

/// As the contract reads it: the header, else the parameter, else for its clients the page that the
/// request comes from; only to allowed places.
#[tokio::test]
async fn a_header_or_the_page_before_says_where_a_link_leads() {
    let any = Policy { clients: Clients::Any, ..Policy::default() };
    for (policy, refers) in [(Policy::default(), false), (any, true)] {
        let server = TestServer::with_policy(policy).await;
        let site = |path: &str| format!("https://sukoon.example{path}");
        let evil = "https://evil.example/".to_owned();
        let page = if refers { site("/page") } else { String::new() };
        for (at, header, parameter, referer, expected) in [
            (0, site("/header"), site("/parameter"), site("/page"), site("/header")),
            (1, String::new(), site("/parameter"), site("/page"), site("/parameter")),
            (2, String::new(), String::new(), site("/page"), page.clone()),
            (3, evil.clone(), site("/parameter"), site("/page"), page),
            (4, evil.clone(), evil.clone(), evil, String::new()),
        ] {
            let path = format!("/otp?redirect_to={parameter}");
            // Each to another address: one address gets few mails.
            let body = json!({ "email": format!("asha{at}@example.test") });
            let mut request = server.request(Method::POST, &path).json(&body);
            request = request.header("referer", referer);
            if !header.is_empty() {
                request = request.header("redirect_to", header);
            }
            server.send(request).await.ok();
            let link = server.latest_mail().await.link;
            assert_eq!(Page::of(&link).field("redirect_to"), expected, "{at} {link}");
        }
    }
}
