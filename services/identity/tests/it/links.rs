//! Links of mails: where they lead, and where they never lead.

use reqwest::Url;
use serde_json::json;

use crate::running::{PASSWORD, PUBLIC_URL, Running};

const ASHA: &str = "asha@example.test";

/// Where a link leads, and what its fragment says.
async fn follow(server: &Running, path: &str) -> (String, Vec<(String, String)>) {
    let answer = server.get(path).await;
    assert_eq!(answer.status, 303, "{}", answer.body);
    assert_eq!(answer.headers["cache-control"], "no-store");
    let mut page = Url::parse(answer.headers["location"].to_str().unwrap()).unwrap();
    let fragment = page.fragment().unwrap_or_default().to_owned();
    page.set_fragment(None);
    let mut reader = Url::parse("http://x/").unwrap();
    reader.set_query(Some(&fragment));
    (page.to_string(), reader.query_pairs().into_owned().collect())
}

fn value(fragment: &[(String, String)], name: &str) -> String {
    let found = fragment.iter().find(|(key, _)| key == name);
    found.map(|(_, value)| value.clone()).unwrap_or_default()
}

#[tokio::test]
async fn a_link_signs_in_and_leads_back_to_where_it_began() {
    let server = Running::confirming().await;
    let back = format!("{PUBLIC_URL}/sign-in?return=%2Fbooking-flow%3FserviceId%3Dreiki");
    let path = format!("/signup?redirect_to={}", back.replace('%', "%25").replace('&', "%26"));
    server.post(&path, json!({ "email": ASHA, "password": PASSWORD })).await.ok();
    let mail = server.latest_mail().await;
    assert!(mail.link.starts_with("https://sukoon.example/auth/v1/verify?token="), "{}", mail.link);
    assert!(!mail.link.contains(&mail.code) && !mail.link.contains("example.test"));

    let (page, fragment) = follow(&server, &server.inner_path(&mail.link)).await;
    assert_eq!(page, back);
    let names: Vec<&str> = fragment.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        ["access_token", "expires_at", "expires_in", "refresh_token", "sb", "token_type", "type"]
    );
    assert_eq!(value(&fragment, "type"), "signup");
    server.user(&value(&fragment, "access_token")).await.ok();
    server.refresh(&value(&fragment, "refresh_token")).await.ok();

    let (page, fragment) = follow(&server, &server.inner_path(&mail.link)).await;
    assert_eq!((page, value(&fragment, "error_code")), (back, "otp_expired".to_owned()));
    assert_eq!(value(&fragment, "error"), "access_denied");
    assert_eq!(value(&fragment, "error_description"), "Email link is invalid or has expired");
    assert_eq!(value(&fragment, "access_token"), "");
}

#[tokio::test]
async fn a_code_that_was_typed_makes_its_link_void_and_the_other_way_round() {
    let server = Running::confirming().await;
    server.sign_up(ASHA).await.ok();
    let mail = server.latest_mail().await;
    server.verify("signup", ASHA, &mail.code).await.ok();
    let (_, fragment) = follow(&server, &server.inner_path(&mail.link)).await;
    assert_eq!(value(&fragment, "error_code"), "otp_expired");

    server.post("/recover", json!({ "email": ASHA })).await.ok();
    let mail = server.latest_mail().await;
    let (page, fragment) = follow(&server, &server.inner_path(&mail.link)).await;
    assert_eq!(
        (page.as_str(), value(&fragment, "type")),
        ("https://sukoon.example/recover", "recovery".into())
    );
    server.verify("recovery", ASHA, &mail.code).await.assert_error(403, "otp_expired");
}

#[tokio::test]
async fn a_link_ends_after_ten_minutes() {
    let server = Running::confirming().await;
    server.sign_up(ASHA).await.ok();
    let link = server.latest_mail().await.link;
    server.database.move_clock(601).await.unwrap();
    let (page, fragment) = follow(&server, &server.inner_path(&link)).await;
    assert_eq!(page, "https://sukoon.example/sign-in");
    assert_eq!(value(&fragment, "error_code"), "otp_expired");
}

#[tokio::test]
async fn no_link_leads_to_another_site() {
    let server = Running::confirming().await;
    for elsewhere in
        ["https://evil.example/", "//evil.example", "https://sukoon.example@evil.example/"]
    {
        let path = format!("/verify?token=x&type=signup&redirect_to={elsewhere}");
        let (page, _) = follow(&server, &path).await;
        assert_eq!(page, "https://sukoon.example/sign-in", "{elsewhere}");
    }
    let path = "/signup?redirect_to=https://evil.example/";
    server.post(path, json!({ "email": ASHA, "password": PASSWORD })).await.ok();
    let mail = server.latest_mail().await;
    assert!(!mail.link.contains("evil"), "{}", mail.link);
}

#[tokio::test]
async fn an_altered_link_or_another_type_does_nothing() {
    let server = Running::confirming().await;
    server.sign_up(ASHA).await.ok();
    let mail = server.latest_mail().await;
    let path = server.inner_path(&mail.link);
    let other_type = path.replace("type=signup", "type=recovery");
    let (_, fragment) = follow(&server, &other_type).await;
    assert_eq!(value(&fragment, "error_code"), "otp_expired");
    let altered = path.replace("token=A", "token=B");
    assert_ne!(altered, path, "ids begin with the time, so their text begins with an A");
    let (_, fragment) = follow(&server, &altered).await;
    assert_eq!(value(&fragment, "error_code"), "otp_expired");
    let (_, fragment) = follow(&server, &path).await;
    assert!(!value(&fragment, "access_token").is_empty());
}

#[tokio::test]
async fn the_links_token_can_be_posted() {
    let server = Running::confirming().await;
    server.sign_up(ASHA).await.ok();
    let link = Url::parse(&server.latest_mail().await.link).unwrap();
    let (_, token) = link.query_pairs().find(|(name, _)| name == "token").unwrap();
    let body = json!({ "type": "signup", "token_hash": token });
    server.post("/verify", body.clone()).await.ok();
    let again = server.post("/verify", body).await;
    again.assert_error(403, "otp_expired");
    assert_eq!(again.text("/message"), "Email link is invalid or has expired");
}

#[tokio::test]
async fn a_malformed_link_is_told_so() {
    let server = Running::confirming().await;
    for path in ["/verify", "/verify?token=x", "/verify?type=signup", "/verify?token=x&type=y"] {
        server.get(path).await.assert_error(400, "validation_failed");
    }
}

#[tokio::test]
async fn a_code_that_is_sent_again_leads_where_the_first_one_did() {
    let server = Running::confirming().await;
    let back = "https://sukoon.example/recover?return=%252Fservices";
    server.member(ASHA).await;
    let path = format!("/recover?redirect_to={back}");
    server.post(&path, json!({ "email": ASHA })).await.ok();
    server.database.move_clock(61).await.unwrap();
    server.post("/recover", json!({ "email": ASHA })).await.ok();
    let link = server.latest_mail().await.link;
    let (page, _) = follow(&server, &server.inner_path(&link)).await;
    assert_eq!(page, "https://sukoon.example/recover?return=%2Fservices");
}
