//! One server per test, and the calls of tests.

use std::sync::Arc;

use contract::identity::v1::identity_internal_service_client::IdentityInternalServiceClient;
use contract::identity::v1::{
    GetAccountNoticeRequest, GetAccountNoticeResponse, GetCodeMailRequest, GetCodeMailResponse,
};
use eventstore::run_timers;
use identity::app::features::Features;
use identity::app::policy::Policy;
use identity::app::{AccountSettings, App, OtherKeys};
use identity::timers::Timers;
use reqwest::header::{AUTHORIZATION, HeaderMap};
use reqwest::{Client, Method, StatusCode};
use runtime::server::{self, Server};
use runtime::{Shutdown, channel};
use serde_json::{Value, json};
use testkit::{TestDatabase, TestKeys};
use tonic::Status;

/// The site's URL in these tests.
pub(crate) const PUBLIC_URL: &str = "https://sukoon.example";
pub(crate) const PASSWORD: &str = "a quiet garden";
const API_VERSION: &str = "x-supabase-api-version";

/// A running server; stopped on drop.
pub(crate) struct TestServer {
    pub(crate) url: String,
    pub(crate) grpc_url: String,
    pub(crate) database: TestDatabase,
    pub(crate) app: App,
    pub(crate) keys: TestKeys,
    settings: AccountSettings,
    client: Client,
    pub(crate) shutdown: Shutdown,
}

/// A response with its body.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
}

impl Answer {
    #[track_caller]
    pub(crate) fn text(&self, path: &str) -> String {
        self.body.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned()
    }

    /// Fails unless the call succeeded.
    #[track_caller]
    pub(crate) fn ok(self) -> Self {
        assert!(self.status.is_success(), "{} {}", self.status, self.body);
        self
    }

    #[track_caller]
    pub(crate) fn assert_error(&self, status: u16, code: &str) {
        let told = (self.status.as_u16(), self.text("/code"));
        assert_eq!(told, (status, code.to_owned()), "{}", self.body);
        assert_eq!(self.headers.get("x-sb-error-code").unwrap(), code);
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.shutdown.trigger();
    }
}

impl TestServer {
    /// A server that confirms addresses.
    pub(crate) async fn with_confirmation() -> Self {
        Self::start(true, PUBLIC_URL).await
    }

    /// A server without confirmation: signing up opens a session.
    pub(crate) async fn without_confirmation() -> Self {
        Self::start(false, PUBLIC_URL).await
    }

    /// A server that confirms addresses, with other rules.
    pub(crate) async fn with_policy(policy: Policy) -> Self {
        Self::start_with(true, PUBLIC_URL, policy).await
    }

    pub(crate) async fn start(confirm_email: bool, public_url: &str) -> Self {
        Self::start_with(confirm_email, public_url, Policy::default()).await
    }

    /// A server that confirms addresses, with these ways to sign in.
    pub(crate) async fn with_features(features: Features) -> Self {
        Self::start_full((true, PUBLIC_URL), Policy::default(), features).await
    }

    pub(crate) async fn start_with(confirm_email: bool, public_url: &str, policy: Policy) -> Self {
        Self::start_full((confirm_email, public_url), policy, Features::default()).await
    }

    pub(crate) async fn start_full(
        (confirm_email, public_url): (bool, &str),
        policy: Policy,
        features: Features,
    ) -> Self {
        let database = TestDatabase::new(&identity::MIGRATIONS).await.unwrap();
        let keys = TestKeys::new(&["booking", "identity", "notifications", "signing"]).unwrap();
        let settings = AccountSettings {
            public_url: public_url.to_owned(),
            issuer: format!("{public_url}/auth/v1"),
            signing_key: keys.private_key("signing").unwrap().into(),
            code_key: "a secret of these tests".to_owned().into(),
            other_keys: OtherKeys::default(),
            confirm_email,
            policy,
            captcha_required: false,
            code_mails_per_hour: identity::config::CODE_MAILS_PER_HOUR,
            access_token_seconds: 600,
            features,
        };
        let app = App::new(database.store().unwrap(), &settings).unwrap();
        let shutdown = Shutdown::new();
        let url = serve(app.clone(), &shutdown).await;
        let grpc = Server::bind("127.0.0.1:0".parse().unwrap(), &shutdown).await.unwrap();
        let grpc_url = format!("http://{}", grpc.address().unwrap());
        let routes = identity::grpc::routes(app.clone(), &keys.peers("identity").unwrap());
        tokio::spawn(grpc.serve(routes));
        if app.features.sms.is_some() {
            let timers = Arc::new(Timers::new(app.clone()).unwrap());
            tokio::spawn(run_timers(app.store.clone(), timers, shutdown.wait()));
        }
        let client = runtime::http::client().unwrap();
        Self { url, grpc_url, database, app, keys, settings, client, shutdown }
    }

    /// The same server after a restart with other settings; its gRPC keeps the former ones.
    pub(crate) async fn restart(&mut self, change: impl FnOnce(&mut AccountSettings)) {
        change(&mut self.settings);
        self.app = App::new(self.database.store().unwrap(), &self.settings).unwrap();
        self.url = serve(self.app.clone(), &self.shutdown).await;
    }

    /// Puts the clock so many seconds ahead of the machine's, once no timer runs.
    pub(crate) async fn move_clock(&self, seconds: i64) {
        testkit::until_no_timer_runs(&self.app.store).await.unwrap();
        self.database.move_clock(seconds).await.unwrap();
    }

    /// A request as the client library makes it.
    pub(crate) fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        self.client.request(method, format!("{}{path}", self.url)).header(API_VERSION, "2024-01-01")
    }

    pub(crate) async fn send(&self, request: reqwest::RequestBuilder) -> Answer {
        let answer = request.send().await.unwrap();
        let (status, headers) = (answer.status(), answer.headers().clone());
        let text = answer.text().await.unwrap();
        let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
        Answer { status, headers, body }
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send(self.request(Method::GET, path)).await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Answer {
        self.send(self.request(Method::POST, path).json(&body)).await
    }

    /// A call with an access token.
    pub(crate) async fn call(
        &self,
        method: Method,
        path: &str,
        token: &str,
        body: Value,
    ) -> Answer {
        let request = self.request(method, path).header(AUTHORIZATION, format!("Bearer {token}"));
        self.send(request.json(&body)).await
    }

    pub(crate) async fn user(&self, token: &str) -> Answer {
        self.call(Method::GET, "/user", token, json!({})).await
    }

    pub(crate) async fn sign_up(&self, email: &str) -> Answer {
        let data = json!({ "firstName": "Asha", "lastName": "Rao", "phone": "98765 43210" });
        let body = json!({ "email": email, "password": PASSWORD, "data": data });
        self.post("/signup", body).await
    }

    pub(crate) async fn sign_in(&self, email: &str, password: &str) -> Answer {
        let body = json!({ "email": email, "password": password });
        self.post("/token?grant_type=password", body).await
    }

    pub(crate) async fn refresh(&self, token: &str) -> Answer {
        self.post("/token?grant_type=refresh_token", json!({ "refresh_token": token })).await
    }

    pub(crate) async fn verify(&self, kind: &str, email: &str, code: &str) -> Answer {
        self.post("/verify", json!({ "type": kind, "email": email, "token": code })).await
    }

    /// The same as the person whose access token it is.
    pub(crate) async fn verify_as(
        &self,
        token: &str,
        (kind, email, code): (&str, &str, &str),
    ) -> Answer {
        let body = json!({ "type": kind, "email": email, "token": code });
        self.call(Method::POST, "/verify", token, body).await
    }

    /// The session of a new account with a confirmed address.
    pub(crate) async fn confirmed_account(&self, email: &str) -> Answer {
        let signed_up = self.sign_up(email).await.ok();
        if !signed_up.text("/access_token").is_empty() {
            self.note_code(&signed_up.text("/access_token")).await;
            return signed_up;
        }
        let mail = self.latest_mail().await;
        self.verify_own(&signed_up, &mail.code).await.ok()
    }

    /// Lets the session be one for which a mailed code was redeemed just now.
    pub(crate) async fn note_code(&self, token: &str) {
        let session = claims(token)["session_id"].as_str().unwrap().to_owned();
        sqlx::query(
            "update sessions set proofs = proofs || jsonb_build_object(
                 'method', 'otp', 'timestamp', floor(extract(epoch from clock_now())))
             where session_id = $1::uuid",
        )
        .bind(session)
        .execute(self.app.store.pool())
        .await
        .unwrap();
    }

    /// Redeems the code with the secret of the sign-up's response, as the same browser would.
    pub(crate) async fn verify_own(&self, signed_up: &Answer, code: &str) -> Answer {
        let (email, secret) = (signed_up.text("/email"), signed_up.text("/sign_up_secret"));
        let shown = json!({
            "type": "signup", "email": email, "token": code, "sign_up_secret": secret,
        });
        self.post("/verify", shown).await
    }

    /// Posts the form of the page that a mail's link opens; `secret` is the browser's sign-up
    /// secret.
    pub(crate) async fn confirm_link(&self, link: &str, secret: &str) -> Answer {
        let page = Page::of(link);
        let (kind, token_hash) = (page.field("type"), page.field("token_hash"));
        let shown = json!({ "type": kind, "token_hash": token_hash, "sign_up_secret": secret });
        self.post("/verify", shown).await
    }

    /// The same in a browser that is signed in.
    pub(crate) async fn confirm_link_as(&self, token: &str, link: &str) -> Answer {
        let page = Page::of(link);
        let (kind, token_hash) = (page.field("type"), page.field("token_hash"));
        let shown = json!({ "type": kind, "token_hash": token_hash });
        self.call(Method::POST, "/verify", token, shown).await
    }

    /// The number of requested codes.
    pub(crate) async fn codes_requested(&self) -> i64 {
        sqlx::query_scalar(
            "select count(*) from events where event_type = 'identity.v1.CodeRequested'",
        )
        .fetch_one(self.app.store.pool())
        .await
        .unwrap()
    }

    /// The payload of the newest event.
    pub(crate) async fn latest_event(&self) -> Value {
        sqlx::query_scalar("select payload from events order by seq desc limit 1")
            .fetch_one(self.app.store.pool())
            .await
            .unwrap()
    }

    /// The mail of the newest code, as notifications gets it.
    pub(crate) async fn latest_mail(&self) -> GetCodeMailResponse {
        let code_id: String = sqlx::query_scalar(
            "select payload ->> 'codeId' from events
             where event_type = 'identity.v1.CodeRequested' order by seq desc limit 1",
        )
        .fetch_one(self.app.store.pool())
        .await
        .unwrap();
        self.code_mail("notifications", &code_id).await.unwrap()
    }

    /// The newest mail with a code that goes to an address.
    pub(crate) async fn latest_mail_to(&self, email: &str) -> Option<GetCodeMailResponse> {
        let code_ids: Vec<String> = sqlx::query_scalar(
            "select payload ->> 'codeId' from events
             where event_type = 'identity.v1.CodeRequested' order by seq desc",
        )
        .fetch_all(self.app.store.pool())
        .await
        .unwrap();
        for code_id in code_ids {
            // A code that was redeemed or replaced has no mail.
            if let Ok(mail) = self.code_mail("notifications", &code_id).await
                && mail.email == email
            {
                return Some(mail);
            }
        }
        None
    }

    /// A notice, as notifications gets it.
    pub(crate) async fn account_notice(
        &self,
        request: GetAccountNoticeRequest,
    ) -> Result<GetAccountNoticeResponse, Status> {
        let peers = self.keys.peers("notifications").unwrap();
        let channel = channel::peer(&self.grpc_url, "identity", &peers).unwrap();
        let mut client = IdentityInternalServiceClient::new(channel);
        Ok(client.get_account_notice(request).await?.into_inner())
    }

    pub(crate) async fn code_mail(
        &self,
        caller: &'static str,
        code_id: &str,
    ) -> Result<GetCodeMailResponse, Status> {
        let peers = self.keys.peers(caller).unwrap();
        let channel = channel::peer(&self.grpc_url, "identity", &peers).unwrap();
        let request = GetCodeMailRequest { code_id: code_id.to_owned() };
        let answer = IdentityInternalServiceClient::new(channel).get_code_mail(request).await?;
        Ok(answer.into_inner())
    }
}

async fn serve(app: App, shutdown: &Shutdown) -> String {
    let listener = server::listen("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (router, stop) = (identity::http::router(app), shutdown.clone());
    tokio::spawn(async move { server::serve_http(listener, router, &stop).await });
    url
}

/// The page of the site that a link opens, with the fields of its fragment.
pub(crate) struct Page {
    /// The URL without its fragment.
    pub(crate) url: String,
    fields: Vec<(String, String)>,
}

impl Page {
    pub(crate) fn of(link: &str) -> Self {
        let (url, fragment) = link.split_once('#').unwrap_or((link, ""));
        let fields = url::form_urlencoded::parse(fragment.as_bytes()).into_owned().collect();
        Self { url: url.to_owned(), fields }
    }

    /// A field of the fragment, or an empty text.
    pub(crate) fn field(&self, name: &str) -> String {
        let found = self.fields.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.clone()).unwrap_or_default()
    }
}

/// Another code of as many digits.
pub(crate) fn other_than(code: &str) -> String {
    let number: u32 = code.parse().unwrap();
    let digits = code.len();
    format!("{:0digits$}", (number + 1) % 10_u32.pow(u32::try_from(digits).unwrap()))
}

/// The claims of a JWT, unverified.
pub(crate) fn claims(token: &str) -> Value {
    use base64::Engine as _;
    let payload = token.split('.').nth(1).unwrap();
    let bytes = base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(payload).unwrap();
    serde_json::from_slice(&bytes).unwrap()
}
