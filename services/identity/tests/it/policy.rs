//! The settings for clients of the contract that are not our own pages.

use identity::app::policy::{Clients, Policy};
use reqwest::Method;
use reqwest::header::ORIGIN;
use serde_json::json;
use url::Url;

use crate::test_server::{Answer, PASSWORD, Page, TestServer, claims};

const ASHA: &str = "asha@example.test";
const APP: &str = "https://app.example";

fn any() -> Policy {
    Policy { clients: Clients::Any, ..Policy::default() }
}

#[tokio::test]
async fn where_sign_up_is_closed_no_account_begins() {
    let server = TestServer::with_policy(Policy { signups: false, ..any() }).await;
    let closed = server.sign_up(ASHA).await;
    closed.assert_error(422, "signup_disabled");
    assert_eq!(closed.text("/message"), "Signups not allowed for this instance");
    let otp = server.post("/otp", json!({ "email": ASHA })).await;
    otp.assert_error(422, "signup_disabled");
    assert_eq!(server.get("/settings").await.body["disable_signup"], true);
    // Our own pages are told nothing by the second call.
    let server = TestServer::with_policy(Policy { signups: false, ..Policy::default() }).await;
    server.post("/otp", json!({ "email": ASHA })).await.ok();
    assert_eq!(server.codes_requested().await, 0);
}

#[tokio::test]
async fn clients_of_the_contract_learn_what_it_tells() {
    let server = TestServer::with_policy(any()).await;
    let unknown = server.post("/otp", json!({ "email": ASHA, "create_user": false })).await;
    unknown.assert_error(422, "otp_disabled");
    assert_eq!(unknown.text("/message"), "Signups not allowed for otp");
    let session = server.confirmed_account(ASHA).await;
    server.move_clock(61).await;
    let again = server.sign_up(ASHA).await.ok();
    assert_eq!((&again.body["identities"], &again.body["role"]), (&json!([]), &json!("")));
    let data = json!({ "data": { "phone": "no number", "lastName": ["of", "a", "client"] } });
    let token = session.text("/access_token");
    server.call(Method::PUT, "/user", &token, data).await.ok();
    let new = json!({ "password": "a louder garden" });
    server.call(Method::PUT, "/user", &token, new).await.ok();
    server.move_clock(25 * 3600).await;
    let old = server.refresh(&session.text("/refresh_token")).await.ok();
    let next = json!({ "password": "a third garden" });
    let late = server.call(Method::PUT, "/user", &old.text("/access_token"), next).await;
    late.assert_error(400, "reauthentication_needed");
}

/// L11 of the security review: a token goes to every service.
#[tokio::test]
async fn only_clients_of_the_contract_get_names_in_their_tokens() {
    let names = json!({ "firstName": "Asha" });
    for (policy, told) in [(Policy::default(), json!({})), (any(), names.clone())] {
        let server = TestServer::with_policy(policy).await;
        let session = server.confirmed_account(ASHA).await;
        let data = json!({ "data": names });
        server.call(Method::PUT, "/user", &session.text("/access_token"), data).await.ok();
        let next = server.refresh(&session.text("/refresh_token")).await.ok();
        assert_eq!(next.body["user"]["user_metadata"]["firstName"], "Asha");
        let claims = claims(&next.text("/access_token"));
        assert_eq!(claims["user_metadata"]["firstName"], told["firstName"], "{claims}");
        assert_eq!((&claims["phone"], &claims["email"]), (&json!(""), &json!(ASHA)));
    }
}

#[tokio::test]
async fn the_password_of_a_sign_up_may_be_kept_by_setting() {
    let keeping = Policy { keep_sign_up_password: true, ..any() };
    let server = TestServer::with_policy(keeping).await;
    server.sign_up(ASHA).await.ok();
    let code = server.latest_mail().await.code;
    let session = server.verify("signup", ASHA, &code).await.ok();
    assert_eq!(session.body.get("password_needed"), None);
    server.sign_in(ASHA, PASSWORD).await.ok();
}

fn redeeming() -> Policy {
    let origins = vec![Url::parse(APP).unwrap()];
    Policy { verify_by_get: true, origins, ..any() }
}

/// Opens the link of the newest mail, as a browser does.
async fn follow(server: &TestServer) -> Answer {
    let link = server.latest_mail().await.link;
    let path = link.strip_prefix("https://sukoon.example/auth/v1").unwrap();
    server.get(path).await
}

fn place(answer: &Answer) -> String {
    assert_eq!(answer.status, 303, "{}", answer.body);
    answer.headers["location"].to_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_link_redeems_at_once_where_the_setting_says_so() {
    let server = TestServer::with_policy(redeeming()).await;
    server.post(&format!("/otp?redirect_to={APP}/in"), json!({ "email": ASHA })).await.ok();
    // A scanner that only asks redeems nothing.
    let link = server.latest_mail().await.link;
    let path = link.strip_prefix("https://sukoon.example/auth/v1").unwrap();
    let asked = server.send(server.request(Method::HEAD, path)).await;
    assert!(place(&asked).starts_with("https://sukoon.example/confirm#"));
    let led = Page::of(&place(&follow(&server).await));
    assert_eq!(led.url, format!("{APP}/in"));
    let named = ["expires_at", "expires_in", "refresh_token", "token_type", "type"];
    assert!(named.iter().all(|name| !led.field(name).is_empty()));
    server.user(&led.field("access_token")).await.ok();
    assert_eq!(claims(&led.field("access_token"))["amr"][0]["method"], "otp");
    let again = Page::of(&place(&follow_used(&server).await));
    assert_eq!(again.field("error"), "access_denied");
    assert_eq!(again.field("error_code"), "otp_expired");
    assert_eq!(again.field("error_description"), "Email link is invalid or has expired");
}

/// A link that leads to no code any more.
async fn follow_used(server: &TestServer) -> Answer {
    server.get("/verify?token=x&type=magiclink&redirect_to=https://evil.example/").await
}

#[tokio::test]
async fn a_link_with_pkce_leads_on_with_a_code_and_an_error_stands_in_the_query() {
    let server = TestServer::with_policy(redeeming()).await;
    let body = json!({
        "email": ASHA, "code_challenge": "a".repeat(43), "code_challenge_method": "s256",
    });
    server.post(&format!("/otp?redirect_to={APP}/in"), body).await.ok();
    let led = Url::parse(&place(&follow(&server).await)).unwrap();
    assert_eq!(led.fragment(), None);
    assert!(led.query_pairs().any(|(name, value)| name == "code" && value.len() == 36));
    let wrong = server.get("/verify?token=pkce_x&type=magiclink").await;
    let led = Url::parse(&place(&wrong)).unwrap();
    assert!(led.query_pairs().any(|pair| pair == ("error_code".into(), "otp_expired".into())));
    assert!(led.fragment().unwrap().contains("error_code=otp_expired"));
}

#[tokio::test]
async fn pages_of_allowed_origins_may_call_and_no_others() {
    let server = TestServer::with_policy(redeeming()).await;
    let preflight = |origin: &'static str| {
        let request = server.request(Method::OPTIONS, "/token").header(ORIGIN, origin);
        request.header("access-control-request-method", "POST")
    };
    let allowed = server.send(preflight(APP)).await;
    assert_eq!(allowed.status, 204);
    assert_eq!(allowed.headers["access-control-allow-origin"], APP);
    let headers = allowed.headers["access-control-allow-headers"].to_str().unwrap();
    assert!(headers.contains("apikey") && headers.contains("X-Supabase-Api-Version"));
    assert_eq!(allowed.headers.get("access-control-allow-credentials"), None);
    let refused = server.send(preflight("https://evil.example")).await;
    assert_eq!(refused.headers.get("access-control-allow-origin"), None);

    let call = server.request(Method::GET, "/user").header(ORIGIN, APP);
    let answer = server.send(call).await;
    answer.assert_error(401, "no_authorization");
    assert_eq!(answer.headers["access-control-allow-origin"], APP);
    let exposed = "X-Total-Count, Link, X-Supabase-Api-Version";
    assert_eq!(answer.headers["access-control-expose-headers"], exposed);
    assert_eq!(answer.headers["vary"], "Origin");

    let closed = TestServer::with_confirmation().await;
    let call = closed.request(Method::OPTIONS, "/token").header(ORIGIN, APP);
    let answer = closed.send(call.header("access-control-request-method", "POST")).await;
    assert_eq!((answer.status.as_u16(), answer.headers.get("vary")), (405, None));
}
