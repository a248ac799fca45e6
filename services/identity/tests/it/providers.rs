//! Signing in at another OpenID provider, which the sandbox plays with its mistakes.

use identity::app::features::Features;
use identity::app::policy::{Clients, Policy};
use identity::providers::ProviderSettings;
use reqwest::Method;
use reqwest::header::LOCATION;
use serde_json::{Value, json};
use url::Url;

use crate::test_server::{Answer, PASSWORD, PUBLIC_URL, TestServer, claims};
use crate::third_parties::ThirdParties;

const ASHA: &str = "asha@example.test";
/// The challenge of RFC 7636, appendix B, and its verifier.
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";

/// A server whose providers are all the sandbox.
pub(crate) struct World {
    pub(crate) server: TestServer,
    pub(crate) parties: ThirdParties,
}

impl World {
    pub(crate) async fn new() -> Self {
        Self::with(true, Policy::default(), Features::default()).await
    }

    async fn with(confirm_email: bool, policy: Policy, features: Features) -> Self {
        let parties = ThirdParties::start().await;
        let providers = ["google", "apple", "keycloak"].map(|name| parties.provider(name));
        let features = Features { providers: providers.to_vec(), ..features };
        let server = TestServer::start_full((confirm_email, PUBLIC_URL), policy, features).await;
        Self { server, parties }
    }

    /// Everything is switched on.
    pub(crate) async fn everything() -> Self {
        let parties = ThirdParties::start().await;
        let features = parties.everything();
        let server = TestServer::start_full((true, PUBLIC_URL), Policy::default(), features).await;
        Self { server, parties }
    }

    pub(crate) async fn linking() -> Self {
        let features = Features { manual_linking: true, anonymous: true, ..Features::default() };
        Self::with(true, Policy::default(), features).await
    }

    /// The provider's page to which the server leads.
    async fn begin(&self, query: &str) -> String {
        let answer = self.server.get(&format!("/authorize?{query}")).await;
        assert_eq!(answer.status, 302, "{}", answer.body);
        answer.headers[LOCATION].to_str().unwrap().to_owned()
    }

    /// What the provider answers when the person approves.
    pub(crate) async fn approve(&self, page: &str, person: Value) -> Value {
        self.parties.control("/api/oidc/approve", json!({ "url": page, "person": person })).await
    }

    /// Where the browser is led after it has come back.
    pub(crate) async fn come_back(&self, approved: &Value) -> Url {
        let redirect = approved["redirect"].as_str().unwrap();
        let (_, query) = redirect.split_once("/callback?").unwrap();
        let answer = self.server.get(&format!("/callback?{query}")).await;
        assert_eq!(answer.status, 303, "{}", answer.body);
        answer.headers[LOCATION].to_str().unwrap().parse().unwrap()
    }

    /// The whole way with PKCE, up to where the browser ends.
    async fn arrive(&self, person: Value) -> Url {
        let page = self.begin(&format!("provider=keycloak&{}", pkce())).await;
        let approved = self.approve(&page, person).await;
        self.come_back(&approved).await
    }

    /// The session of a person who signs in with PKCE.
    pub(crate) async fn sign_in(&self, person: Value) -> Answer {
        let place = self.arrive(person).await;
        self.exchange(&query(&place, "code")).await.ok()
    }

    pub(crate) async fn exchange(&self, code: &str) -> Answer {
        let body = json!({ "auth_code": code, "code_verifier": VERIFIER });
        self.server.post("/token?grant_type=pkce", body).await
    }

    pub(crate) async fn by_token(&self, mut body: Value) -> Answer {
        body["provider"] = json!("keycloak");
        self.server.post("/token?grant_type=id_token", body).await
    }

    pub(crate) async fn wrong(&self, what: &str) {
        self.parties.control("/api/oidc/next", json!({ "wrong": what })).await;
    }
}

impl ThirdParties {
    /// Every way in, by these parties.
    pub(crate) fn everything(&self) -> Features {
        let providers = ["google", "apple", "keycloak"].map(|name| self.provider(name)).to_vec();
        Features {
            anonymous: true,
            manual_linking: true,
            providers,
            sms: self.sms().sms,
            mfa_phone: true,
        }
    }

    fn provider(&self, name: &str) -> ProviderSettings {
        ProviderSettings {
            name: name.to_owned(),
            issuer: format!("{}/oidc", self.url),
            client_id: "demo-client".to_owned(),
            client_secret: "demo-client-secret".to_owned().into(),
        }
    }
}

pub(crate) fn pkce() -> String {
    format!("code_challenge={CHALLENGE}&code_challenge_method=s256")
}

pub(crate) fn asha() -> Value {
    json!({ "sub": "asha-at-the-provider", "email": "Asha@Example.test", "email_verified": true,
            "name": "Asha Rao", "given_name": "Asha", "family_name": "Rao" })
}

fn pairs(place: &Url, name: &str, of: &str) -> String {
    let mut fields = url::form_urlencoded::parse(of.as_bytes());
    let found = fields.find(|(key, _)| key == name).map(|(_, value)| value.into_owned());
    assert!(found.is_some(), "{name} in {place}");
    found.unwrap_or_default()
}

pub(crate) fn query(place: &Url, name: &str) -> String {
    pairs(place, name, place.query().unwrap_or_default())
}

fn fragment(place: &Url, name: &str) -> String {
    pairs(place, name, place.fragment().unwrap_or_default())
}

#[tokio::test]
async fn a_person_signs_in_with_pkce() {
    let world = World::new().await;
    let path = format!(
        "provider=keycloak&{}&redirect_to=https%3A%2F%2Fsukoon.example%2Faccount\
                        &scopes=calendar&login_hint=a&nonce=mine&client_id=mine",
        pkce()
    );
    let page: Url = world.begin(&path).await.parse().unwrap();
    assert_eq!(query(&page, "redirect_uri"), "https://sukoon.example/auth/v1/callback");
    assert_eq!(query(&page, "scope"), "openid email profile calendar");
    assert_eq!(query(&page, "login_hint"), "a");
    assert_eq!(query(&page, "client_id"), "demo-client");
    assert_ne!(query(&page, "nonce"), "mine");
    assert_ne!(query(&page, "code_challenge"), CHALLENGE, "it has a challenge of its own");
    let approved = world.approve(page.as_str(), asha()).await;
    let place = world.come_back(&approved).await;
    assert_eq!((place.path(), place.fragment()), ("/account", None));
    let code = query(&place, "code");
    let wrong = json!({ "auth_code": code, "code_verifier": "x".repeat(43) });
    world.server.post("/token?grant_type=pkce", wrong).await.assert_error(400, "bad_code_verifier");
    let session = world.exchange(&code).await.ok();
    world.exchange(&code).await.assert_error(404, "flow_state_not_found");
    assert_eq!(session.text("/user/email"), ASHA);
    assert_eq!(session.text("/user/user_metadata/full_name"), "Asha Rao");
    assert_eq!(session.text("/user/user_metadata/firstName"), "Asha");
    let app_metadata = json!({ "provider": "keycloak", "providers": ["keycloak"] });
    assert_eq!(session.body["user"]["app_metadata"], app_metadata);
    let identity = &session.body["user"]["identities"][0];
    assert_eq!(
        (&identity["provider"], &identity["id"]),
        (&json!("keycloak"), &json!("asha-at-the-provider"))
    );
    let token = claims(&session.text("/access_token"));
    assert_eq!(
        (&token["amr"][0]["method"], &token["email_verified"]),
        (&json!("oauth"), &json!(true))
    );
    let again = world.sign_in(asha()).await;
    assert_eq!(again.text("/user/id"), session.text("/user/id"));
    // The state works once.
    let place = world.come_back(&approved).await;
    assert_eq!(query(&place, "error_code"), "bad_oauth_state");
}

#[tokio::test]
async fn a_person_signs_in_in_the_implicit_flow() {
    let policy = Policy { clients: Clients::Any, ..Policy::default() };
    let world = World::with(true, policy, Features::default()).await;
    let page = world.begin("provider=google").await;
    let approved = world.approve(&page, asha()).await;
    let place = world.come_back(&approved).await;
    assert_eq!((place.host_str(), place.query()), (Some("sukoon.example"), None));
    let token = fragment(&place, "access_token");
    assert_eq!(world.server.user(&token).await.ok().text("/email"), ASHA);
    assert_eq!(
        (fragment(&place, "token_type"), fragment(&place, "sb")),
        ("bearer".into(), String::new())
    );
    assert!(!fragment(&place, "provider_token").is_empty());
    world.server.refresh(&fragment(&place, "refresh_token")).await.ok();
}

#[tokio::test]
async fn apple_posts_a_form_and_tells_the_name_beside_it() {
    let world = World::new().await;
    let page = world.begin(&format!("provider=apple&{}", pkce())).await;
    let asked: Url = page.parse().unwrap();
    assert_eq!(query(&asked, "response_mode"), "form_post");
    let person = json!({ "sub": "a", "email": ASHA, "email_verified": true });
    let approved = world.approve(&page, person).await;
    let mut form = approved["form"].as_object().unwrap().clone();
    let user = json!({ "name": { "firstName": "Asha", "lastName": "Rao" } }).to_string();
    form.insert("user".to_owned(), json!(user));
    let mut body = url::form_urlencoded::Serializer::new(String::new());
    body.extend_pairs(form.iter().map(|(name, value)| (name, value.as_str().unwrap())));
    let request = world.server.request(Method::POST, "/callback").body(body.finish());
    let request = request.header("content-type", "application/x-www-form-urlencoded");
    let answer = world.server.send(request).await;
    assert_eq!(answer.status, 303, "{}", answer.body);
    let place: Url = answer.headers[LOCATION].to_str().unwrap().parse().unwrap();
    let session = world.exchange(&query(&place, "code")).await.ok();
    assert_eq!(session.text("/user/user_metadata/firstName"), "Asha");
}

#[tokio::test]
async fn wrong_tokens_open_nothing() {
    let world = World::new().await;
    for wrong in [
        "nonce",
        "no_nonce",
        "aud",
        "azp",
        "iss",
        "expired",
        "at_hash",
        "alg_none",
        "hs256",
        "other_key",
        "no_sub",
    ] {
        world.wrong(wrong).await;
        let place = world.arrive(asha()).await;
        assert!(!query(&place, "error").is_empty(), "{wrong}: {place}");
        assert_eq!(fragment(&place, "error"), query(&place, "error"));
    }
    assert_eq!(accounts(&world.server).await, 0);
    // A provider's new key is found.
    world.sign_in(asha()).await;
    world.parties.control("/api/oidc/rotate", json!({})).await;
    let waited = async || {
        let place = world.arrive(asha()).await;
        Ok(place.query().is_some_and(|query| query.starts_with("code=")).then_some(()))
    };
    testkit::until("the new key is read", waited).await.unwrap();
}

async fn accounts(server: &TestServer) -> i64 {
    let count = sqlx::query_scalar("select count(*) from users");
    count.fetch_one(server.app.store.pool()).await.unwrap()
}

#[tokio::test]
async fn errors_lead_back_to_the_site_in_the_contracts_words() {
    let world = World::new().await;
    for (query, status, code) in [
        ("provider=facebook", 400, "validation_failed"),
        ("provider=zzz", 400, "validation_failed"),
        ("", 400, "validation_failed"),
        ("provider=google&code_challenge=x", 400, "validation_failed"),
        ("provider=google", 400, "validation_failed"),
    ] {
        world.server.get(&format!("/authorize?{query}")).await.assert_error(status, code);
    }
    for (query_text, error, code) in [
        ("", "invalid_request", "bad_oauth_callback"),
        ("state=x", "invalid_request", "bad_oauth_state"),
        ("state=00000000-0000-4000-8000-000000000000", "invalid_request", "bad_oauth_state"),
    ] {
        let answer = world.server.get(&format!("/callback?{query_text}")).await;
        let place: Url = answer.headers[LOCATION].to_str().unwrap().parse().unwrap();
        assert_eq!(
            (query(&place, "error"), query(&place, "error_code")),
            (error.into(), code.into())
        );
    }
    // The person declines.
    let page = world.begin(&format!("provider=google&{}", pkce())).await;
    let declined = world.parties.control("/api/oidc/approve", json!({ "url": page })).await;
    let place = world.come_back(&declined).await;
    assert_eq!(query(&place, "error"), "access_denied");
    assert_eq!(fragment(&place, "error_description"), "The person did not approve");
    // An answer of another provider is not taken.
    let page = world.begin(&format!("provider=google&{}", pkce())).await;
    let mut approved = world.approve(&page, asha()).await;
    let other = approved["redirect"].as_str().unwrap().replace("iss=http", "iss=https%3A%2F%2Fx");
    approved["redirect"] = json!(other);
    assert_eq!(query(&world.come_back(&approved).await, "error_code"), "bad_oauth_callback");
    // The provider is away.
    world.parties.control("/api/faults", json!({ "target": "oidc.token", "kind": "drop" })).await;
    let place = world.arrive(asha()).await;
    assert_eq!(
        (query(&place, "error"), query(&place, "error_code")),
        ("server_error".into(), "unexpected_failure".into())
    );
    // A flow ends after ten minutes.
    let page = world.begin(&format!("provider=google&{}", pkce())).await;
    let approved = world.approve(&page, asha()).await;
    world.server.move_clock(601).await;
    assert_eq!(query(&world.come_back(&approved).await, "error_code"), "bad_oauth_state");
}

#[tokio::test]
async fn an_address_that_the_provider_has_not_verified_opens_nothing() {
    let world = World::new().await;
    let owner = world.server.confirmed_account(ASHA).await;
    for wrong in ["unverified", "no_email"] {
        world.wrong(wrong).await;
        let mut person = asha();
        person["email_verified"] = json!(false);
        let place = world.arrive(person).await;
        assert!(!query(&place, "error").is_empty(), "{place}");
    }
    let mut person = asha();
    person["email_verified"] = json!(false);
    let place = world.arrive(person).await;
    assert_eq!(query(&place, "error_code"), "provider_email_needs_verification");
    assert_eq!(query(&place, "error"), "access_denied");
    assert_eq!(accounts(&world.server).await, 1);
    assert_eq!(
        world.server.sign_in(ASHA, PASSWORD).await.ok().text("/user/id"),
        owner.text("/user/id")
    );
}

#[tokio::test]
async fn an_account_that_has_proved_the_address_gets_the_identity_and_keeps_its_password() {
    let world = World::new().await;
    let owner = world.server.confirmed_account(ASHA).await;
    let session = world.sign_in(asha()).await;
    assert_eq!(session.text("/user/id"), owner.text("/user/id"));
    assert_eq!(session.body["user"]["app_metadata"]["providers"], json!(["email", "keycloak"]));
    world.server.user(&owner.text("/access_token")).await.ok();
    world.server.sign_in(ASHA, PASSWORD).await.ok();
}

#[tokio::test]
async fn an_account_that_has_not_loses_all_that_lets_a_stranger_in() {
    let world = World::with(false, Policy::default(), Features::default()).await;
    // Without confirmation a stranger signs up with the address.
    let stranger = world.server.confirmed_account(ASHA).await;
    world.server.post("/recover", json!({ "email": ASHA })).await.ok();
    let code = world.server.latest_mail().await.code;
    let session = world.sign_in(asha()).await;
    assert_eq!(session.text("/user/id"), stranger.text("/user/id"));
    let told = &session.body["user"]["user_metadata"];
    assert_eq!((&told["phone"], &told["lastName"]), (&json!(null), &json!("Rao")));
    let token = stranger.text("/access_token");
    world.server.user(&token).await.assert_error(403, "session_not_found");
    let refused = world.server.refresh(&stranger.text("/refresh_token")).await;
    refused.assert_error(400, "refresh_token_not_found");
    world.server.sign_in(ASHA, PASSWORD).await.assert_error(400, "invalid_credentials");
    world.server.verify("recovery", ASHA, &code).await.assert_error(403, "otp_expired");
    world.server.user(&session.text("/access_token")).await.ok();
}

#[tokio::test]
async fn no_account_is_made_where_signing_up_is_switched_off() {
    let policy = Policy { signups: false, ..Policy::default() };
    let world = World::with(true, policy, Features::default()).await;
    let place = world.arrive(asha()).await;
    assert_eq!(
        (query(&place, "error"), query(&place, "error_code")),
        ("access_denied".into(), "signup_disabled".into())
    );
}

/// Another browser that is led to the callback, to be signed in to a stranger's account, has not
/// got the verifier; without PKCE a browser gets the session at once, so our own pages need it.
#[tokio::test]
async fn a_sign_in_ends_in_the_browser_that_began_it() {
    let world = World::new().await;
    for path in ["/authorize?provider=google", "/authorize?provider=google&redirect_to=x"] {
        world.server.get(path).await.assert_error(400, "validation_failed");
    }
    let place = world.arrive(asha()).await;
    assert_eq!(place.fragment(), None, "no token is in the address");
    let body = json!({ "auth_code": query(&place, "code"), "code_verifier": "v".repeat(43) });
    let other = world.server.post("/token?grant_type=pkce", body).await;
    other.assert_error(400, "bad_code_verifier");
}

/// A stranger who learns the state of a sign-in cannot end it with a person of their own.
#[tokio::test]
async fn a_state_is_taken_once() {
    let world = World::new().await;
    let page = world.begin(&format!("provider=google&{}", pkce())).await;
    let own = world.approve(&page, asha()).await;
    let stranger = json!({ "sub": "s", "email": "s@example.test", "email_verified": true });
    let strangers = world.approve(&page, stranger).await;
    assert!(!query(&world.come_back(&own).await, "code").is_empty());
    let second = world.come_back(&strangers).await;
    assert_eq!(query(&second, "error_code"), "bad_oauth_state");
    assert!(second.query_pairs().all(|(name, _)| name != "code"), "{second}");
}

#[tokio::test]
async fn a_person_is_known_by_sub_and_provider_and_not_by_the_address() {
    let world = World::new().await;
    let first = world.sign_in(asha()).await;
    let mut moved = asha();
    moved["email"] = json!("asha.rao@example.test");
    assert_eq!(world.sign_in(moved).await.text("/user/id"), first.text("/user/id"));
    // The provider has given the former address to another person, whose sub is another one.
    let mut other = asha();
    (other["sub"], other["email"]) = (json!("another-person"), json!("usha@example.test"));
    let other = world.sign_in(other).await;
    assert_ne!(other.text("/user/id"), first.text("/user/id"));
    // The same sub at another provider is another person.
    let mut same_sub = asha();
    same_sub["email"] = json!("ravi@example.test");
    let page = world.begin(&format!("provider=google&{}", pkce())).await;
    let approved = world.approve(&page, same_sub).await;
    let code = query(&world.come_back(&approved).await, "code");
    let at_google = world.exchange(&code).await.ok();
    assert_ne!(at_google.text("/user/id"), first.text("/user/id"));
}

#[tokio::test]
async fn a_session_by_a_provider_ends_as_every_other() {
    let world = World::new().await;
    let session = world.sign_in(asha()).await;
    assert_eq!(claims(&session.text("/access_token"))["aal"], "aal1", "whatever it says");
    world.server.move_clock(14 * 24 * 3600 + 1).await;
    let refreshed = world.server.refresh(&session.text("/refresh_token")).await;
    refreshed.assert_error(400, "session_expired");
}
