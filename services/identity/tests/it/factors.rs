//! Second factors by authenticator app, by the contract's words and against guessing.

use data_encoding::BASE32_NOPAD;
use identity::tokens::totp;
use reqwest::Method;
use reqwest::header::AUTHORIZATION;
use serde_json::{Value, json};

use crate::test_server::{Answer, PASSWORD, TestServer, claims};

pub(crate) const ASHA: &str = "asha@example.test";

/// An enrolled authenticator app.
pub(crate) struct App {
    pub(crate) factor_id: String,
    secret: Vec<u8>,
}

impl App {
    pub(crate) async fn enroll(server: &TestServer, token: &str, name: &str) -> Self {
        let body = json!({ "factor_type": "totp", "friendly_name": name });
        let enrolled = server.call(Method::POST, "/factors", token, body).await.ok();
        let secret = BASE32_NOPAD.decode(enrolled.text("/totp/secret").as_bytes()).unwrap();
        Self { factor_id: enrolled.text("/id"), secret }
    }

    /// The same, where the session may do it.
    pub(crate) async fn try_enroll(server: &TestServer, token: &str) -> Option<Self> {
        let name = rand::random::<u64>().to_string();
        let body = json!({ "factor_type": "totp", "friendly_name": name });
        let enrolled = server.call(Method::POST, "/factors", token, body).await;
        let secret = BASE32_NOPAD.decode(enrolled.text("/totp/secret").as_bytes()).ok()?;
        let factor_id = enrolled.text("/id");
        enrolled.status.is_success().then_some(Self { factor_id, secret })
    }

    /// The app of a factor that was enrolled elsewhere.
    pub(crate) fn known(factor_id: &str, secret: &str) -> Self {
        let secret = BASE32_NOPAD.decode(secret.as_bytes()).unwrap();
        Self { factor_id: factor_id.to_owned(), secret }
    }

    /// The code that the app shows now, or some steps of 30 seconds later.
    pub(crate) async fn code(&self, server: &TestServer, later: i64) -> String {
        let now = server.app.store.now().await.unwrap().seconds();
        totp::code(&self.secret, now.div_euclid(30) + later)
    }

    pub(crate) async fn challenge(&self, server: &TestServer, token: &str) -> Answer {
        let path = format!("/factors/{}/challenge", self.factor_id);
        server.call(Method::POST, &path, token, json!({})).await
    }

    pub(crate) async fn verify(
        &self,
        server: &TestServer,
        token: &str,
        (challenge, code): (&str, &str),
    ) -> Answer {
        let path = format!("/factors/{}/verify", self.factor_id);
        let body = json!({ "challenge_id": challenge, "code": code });
        server.call(Method::POST, &path, token, body).await
    }

    /// Challenges and answers with the code of now or of some steps later.
    pub(crate) async fn raise(&self, server: &TestServer, token: &str, later: i64) -> Answer {
        let challenge = self.challenge(server, token).await.ok().text("/id");
        let code = self.code(server, later).await;
        self.verify(server, token, (&challenge, &code)).await
    }
}

/// Moves the clock to the beginning of a step, so that none ends within a test.
pub(crate) async fn begin_step(server: &TestServer) {
    let now = server.app.store.now().await.unwrap().seconds();
    server.move_clock(31 - now.rem_euclid(30)).await;
}

pub(crate) async fn delete(server: &TestServer, token: &str, factor_id: &str) -> Answer {
    server.call(Method::DELETE, &format!("/factors/{factor_id}"), token, json!({})).await
}

/// The kinds of the notices of changes that were asked for, the oldest first.
pub(crate) async fn notices(server: &TestServer) -> Vec<String> {
    sqlx::query_scalar(
        "select payload ->> 'kind' from events
         where event_type = 'identity.v1.AccountNoticeRequested'
           and payload ->> 'kind' <> 'new_device' order by seq",
    )
    .fetch_all(server.app.store.pool())
    .await
    .unwrap()
}

#[tokio::test]
async fn an_app_is_enrolled_and_raises_the_session() {
    let server = TestServer::with_confirmation().await;
    let other = server.confirmed_account(ASHA).await;
    let session = server.sign_in(ASHA, PASSWORD).await.ok();
    let token = session.text("/access_token");
    server.note_code(&token).await;
    let body = json!({ "factor_type": "totp", "friendly_name": "my phone", "issuer": "Sukoon" });
    let enrolled = server.call(Method::POST, "/factors", &token, body).await.ok();
    assert_eq!(
        (enrolled.text("/type"), enrolled.text("/friendly_name")),
        ("totp".into(), "my phone".into())
    );
    assert!(enrolled.text("/totp/qr_code").contains("<svg "));
    let (uri, secret) = (enrolled.text("/totp/uri"), enrolled.text("/totp/secret"));
    assert!(uri.starts_with("otpauth://totp/Sukoon:asha%40example.test?"), "{uri}");
    assert!(uri.ends_with(&format!("secret={secret}")) && secret.len() == 32, "{uri}");

    let app = App {
        factor_id: enrolled.text("/id"),
        secret: BASE32_NOPAD.decode(secret.as_bytes()).unwrap(),
    };
    let user = server.user(&token).await.ok();
    assert_eq!(user.text("/factors/0/id"), app.factor_id);
    assert_eq!(user.text("/factors/0/status"), "unverified");
    assert_eq!(user.body["factors"][0]["last_challenged_at"], Value::Null);
    let challenge = app.challenge(&server, &token).await.ok();
    let now = server.app.store.now().await.unwrap().seconds();
    assert!((295..=300).contains(&(challenge.body["expires_at"].as_i64().unwrap() - now)));
    assert_eq!(challenge.text("/type"), "totp");

    let code = app.code(&server, 0).await;
    let id = challenge.text("/id");
    let raised = app.verify(&server, &token, (&id, &code)).await.ok();
    let claims = claims(&raised.text("/access_token"));
    assert_eq!((&claims["aal"], &claims["amr"][0]["method"]), (&json!("aal2"), &json!("totp")));
    assert_eq!(claims["amr"][1]["method"], "password");
    assert_eq!(claims["session_id"], crate::test_server::claims(&token)["session_id"]);
    assert_eq!(raised.text("/user/factors/0/status"), "verified");
    // The refresh token of before the factor is worth nothing; the other session is ended.
    let refreshed = server.refresh(&session.text("/refresh_token")).await;
    refreshed.assert_error(400, "refresh_token_not_found");
    server.user(&other.text("/access_token")).await.assert_error(403, "session_not_found");
    let refreshed = server.refresh(&raised.text("/refresh_token")).await.ok();
    assert_eq!(crate::test_server::claims(&refreshed.text("/access_token"))["aal"], "aal2");
    assert_eq!(notices(&server).await, ["factor_added"]);
}

/// Whether the token tells that the account has a second factor.
pub(crate) fn tells_of_one(session: &Answer) -> (Value, Value) {
    let claims = claims(&session.text("/access_token"));
    (claims["aal"].clone(), claims["has_second_factor"].clone())
}

/// The services of the practice ask staff for it then, whatever the session has used.
#[tokio::test]
async fn a_token_tells_whether_the_account_has_a_second_factor() {
    let server = TestServer::without_confirmation().await;
    let session = server.confirmed_account(ASHA).await;
    assert_eq!(tells_of_one(&session), (json!("aal1"), json!(false)));
    let token = session.text("/access_token");
    let app = App::enroll(&server, &token, "my phone").await;
    let begun = server.sign_in(ASHA, PASSWORD).await.ok();
    assert_eq!(tells_of_one(&begun), (json!("aal1"), json!(false)), "it is not in use yet");
    server.note_code(&begun.text("/access_token")).await;
    let raised = app.raise(&server, &begun.text("/access_token"), 0).await.ok();
    assert_eq!(tells_of_one(&raised), (json!("aal2"), json!(true)));
    let password = server.sign_in(ASHA, PASSWORD).await.ok();
    assert_eq!(tells_of_one(&password), (json!("aal1"), json!(true)));
    let refreshed = server.refresh(&password.text("/refresh_token")).await.ok();
    assert_eq!(tells_of_one(&refreshed), (json!("aal1"), json!(true)));
}

#[tokio::test]
async fn enrolment_is_refused_in_the_contracts_words() {
    let server = TestServer::without_confirmation().await;
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    let enroll = async |body: Value| server.call(Method::POST, "/factors", &token, body).await;
    enroll(json!({})).await.assert_error(400, "validation_failed");
    enroll(json!({ "factor_type": "sms" })).await.assert_error(400, "validation_failed");
    let phone = enroll(json!({ "factor_type": "phone", "phone": "+919876543210" })).await;
    phone.assert_error(422, "mfa_phone_enroll_not_enabled");
    let long = json!({ "factor_type": "totp", "friendly_name": "a".repeat(200) });
    enroll(long).await.assert_error(400, "validation_failed");
    enroll(json!({ "factor_type": "totp" })).await.ok();
    let conflict = enroll(json!({ "factor_type": "totp" })).await;
    conflict.assert_error(422, "mfa_factor_name_conflict");
    let told = "A factor with the friendly name \"\" for this user already exists";
    assert_eq!(conflict.text("/message"), told);
    for n in 1..10 {
        enroll(json!({ "factor_type": "totp", "friendly_name": n.to_string() })).await.ok();
    }
    let many = enroll(json!({ "factor_type": "totp", "friendly_name": "more" })).await;
    many.assert_error(422, "too_many_enrolled_mfa_factors");
    // Those that were given up make room.
    server.move_clock(301).await;
    server.note_code(&token).await;
    enroll(json!({ "factor_type": "totp" })).await.ok();
    assert_eq!(server.user(&token).await.body["factors"].as_array().unwrap().len(), 1);
    server.database.as_owner("update users set is_anonymous = true").await.unwrap();
    let anonymous = enroll(json!({ "factor_type": "totp" })).await;
    anonymous.assert_error(403, "no_authorization");
}

#[tokio::test]
async fn answers_are_refused_in_the_contracts_words() {
    let server = TestServer::without_confirmation().await;
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    let app = App::enroll(&server, &token, "a").await;
    let other = App::enroll(&server, &token, "b").await;
    let unknown = App { factor_id: uuid::Uuid::from_u128(7).to_string(), secret: Vec::new() };
    unknown.challenge(&server, &token).await.assert_error(404, "mfa_factor_not_found");
    delete(&server, &token, "x").await.assert_error(404, "validation_failed");
    let stranger = server.confirmed_account("ravi@example.test").await.text("/access_token");
    app.challenge(&server, &stranger).await.assert_error(404, "mfa_factor_not_found");
    delete(&server, &stranger, &app.factor_id).await.assert_error(404, "mfa_factor_not_found");

    let challenge = app.challenge(&server, &token).await.ok().text("/id");
    let code = app.code(&server, 0).await;
    let path = format!("/factors/{}/verify", app.factor_id);
    let odd = json!({ "challenge_id": "x", "code": code });
    server.call(Method::POST, &path, &token, odd).await.assert_error(400, "bad_json");
    app.verify(&server, &token, (&challenge, "")).await.assert_error(400, "validation_failed");
    let unknown = uuid::Uuid::from_u128(7).to_string();
    let answer = app.verify(&server, &token, (&unknown, &code)).await;
    answer.assert_error(422, "mfa_factor_not_found");
    let crossed = other.verify(&server, &token, (&challenge, &other.code(&server, 0).await)).await;
    crossed.assert_error(422, "mfa_factor_not_found");
    // Another session of the same account cannot answer it.
    let elsewhere = server.sign_in(ASHA, PASSWORD).await.ok().text("/access_token");
    let answer = app.verify(&server, &elsewhere, (&challenge, &code)).await;
    answer.assert_error(422, "mfa_factor_not_found");
    let moved = server
        .request(Method::POST, &path)
        .header(AUTHORIZATION, format!("Bearer {token}"))
        .header("x-forwarded-for", "203.0.113.9")
        .json(&json!({ "challenge_id": challenge, "code": code }));
    server.send(moved).await.assert_error(422, "mfa_ip_address_mismatch");
    let wrong = app.verify(&server, &token, (&challenge, "12345a")).await;
    wrong.assert_error(422, "mfa_verification_failed");
    assert_eq!(wrong.text("/message"), "Invalid TOTP code entered");
    app.verify(&server, &token, (&challenge, &code)).await.ok();
    let again = app.verify(&server, &token, (&challenge, &app.code(&server, 1).await)).await;
    again.assert_error(422, "mfa_ip_address_mismatch");
    let late = app.challenge(&server, &token).await.ok().text("/id");
    server.move_clock(301).await;
    let answer = app.verify(&server, &token, (&late, &app.code(&server, 0).await)).await;
    answer.assert_error(422, "mfa_challenge_expired");
    assert!(answer.text("/message").contains(&late));
}

#[tokio::test]
async fn a_code_is_taken_once_even_by_another_session() {
    let server = TestServer::without_confirmation().await;
    begin_step(&server).await;
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    let app = App::enroll(&server, &token, "").await;
    app.raise(&server, &token, 0).await.ok();
    // A code that was seen over a shoulder.
    let thief = server.sign_in(ASHA, PASSWORD).await.ok().text("/access_token");
    app.raise(&server, &thief, 0).await.assert_error(422, "mfa_verification_failed");
    app.raise(&server, &thief, -1).await.assert_error(422, "mfa_verification_failed");
    app.raise(&server, &thief, 1).await.ok();
}

#[tokio::test]
async fn concurrent_answers_with_one_code_raise_one_session() {
    let server = TestServer::without_confirmation().await;
    begin_step(&server).await;
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    let app = App::enroll(&server, &token, "").await;
    app.raise(&server, &token, -1).await.ok();
    let mut sessions = Vec::new();
    for _ in 0..4 {
        sessions.push(server.sign_in(ASHA, PASSWORD).await.ok().text("/access_token"));
    }
    let mut challenges = Vec::new();
    for token in &sessions {
        challenges.push(app.challenge(&server, token).await.ok().text("/id"));
    }
    let code = app.code(&server, 0).await;
    let answers = sessions.iter().zip(&challenges);
    let answers = answers.map(|(token, challenge)| app.verify(&server, token, (challenge, &code)));
    let answers = futures::future::join_all(answers).await;
    let raised = answers.iter().filter(|answer| answer.status.is_success()).count();
    assert_eq!(raised, 1, "{answers:?}");
}

#[tokio::test]
async fn guesses_are_throttled_and_counted_before_they_are_checked() {
    let server = TestServer::without_confirmation().await;
    begin_step(&server).await;
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    let app = App::enroll(&server, &token, "").await;
    app.raise(&server, &token, -1).await.ok();
    let challenge = app.challenge(&server, &token).await.ok().text("/id");
    let guesses = (0..8).map(|_| app.verify(&server, &token, (&challenge, "00000x")));
    let answers = futures::future::join_all(guesses).await;
    let count = |status: u16| answers.iter().filter(|it| it.status == status).count();
    assert_eq!((count(422), count(429)), (5, 3), "{answers:?}");
    // The right code has to wait as well, or the wait would tell which one is right.
    let code = app.code(&server, 0).await;
    let wait = app.verify(&server, &token, (&challenge, &code)).await;
    wait.assert_error(429, "over_request_rate_limit");
    server.move_clock(62).await;
    let code = app.code(&server, 0).await;
    app.verify(&server, &token, (&challenge, &code)).await.ok();
}

#[tokio::test]
async fn what_a_factor_protects_needs_it() {
    let server = TestServer::with_confirmation().await;
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    let app = App::enroll(&server, &token, "").await;
    let strong = app.raise(&server, &token, 0).await.ok().text("/access_token");
    let weak = server.sign_in(ASHA, PASSWORD).await.ok().text("/access_token");
    let body = json!({ "factor_type": "totp", "friendly_name": "b" });
    let more = server.call(Method::POST, "/factors", &weak, body.clone()).await;
    more.assert_error(403, "insufficient_aal");
    delete(&server, &weak, &app.factor_id).await.assert_error(422, "insufficient_aal");
    let password = json!({ "password": "a louder garden", "current_password": PASSWORD });
    for change in [password.clone(), json!({ "email": "new@example.test" })] {
        let answer = server.call(Method::PUT, "/user", &weak, change).await;
        answer.assert_error(401, "insufficient_aal");
    }
    let harmless = json!({ "email": ASHA, "data": { "theme": "dark" } });
    server.call(Method::PUT, "/user", &weak, harmless).await.ok();
    // A mailed code proves the address, which is not the second factor.
    server.post("/recover", json!({ "email": ASHA })).await.ok();
    let mail = server.latest_mail().await;
    let recovered = server.verify("recovery", ASHA, &mail.code).await.ok().text("/access_token");
    let answer = server.call(Method::PUT, "/user", &recovered, password.clone()).await;
    answer.assert_error(401, "insufficient_aal");
    server.call(Method::POST, "/factors", &strong, body).await.ok();
}

#[tokio::test]
async fn a_removed_factor_drops_the_session_to_aal1() {
    let server = TestServer::without_confirmation().await;
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    let app = App::enroll(&server, &token, "").await;
    let raised = app.raise(&server, &token, 0).await.ok();
    let removed = delete(&server, &raised.text("/access_token"), &app.factor_id).await.ok();
    assert_eq!(removed.body, json!({ "id": app.factor_id }));
    let refreshed = server.refresh(&raised.text("/refresh_token")).await.ok();
    let claims = claims(&refreshed.text("/access_token"));
    assert_eq!(claims["aal"], "aal1");
    assert!(!claims["amr"].to_string().contains("totp"), "{claims}");
    assert_eq!(refreshed.body["user"].get("factors"), None);
    assert_eq!(notices(&server).await, ["factor_added", "factor_removed"]);
    // One that was never used is removed without a word.
    let token = refreshed.text("/access_token");
    let app = App::enroll(&server, &token, "").await;
    delete(&server, &token, &app.factor_id).await.ok();
    assert_eq!(notices(&server).await.len(), 2);
}

/// The first answer makes it a second factor. So a factor that was only enrolled waits for a
/// session that shows as much as an enrolment asks for.
#[tokio::test]
async fn a_new_factor_is_answered_with_a_fresh_proof() {
    let server = TestServer::with_confirmation().await;
    let session = server.confirmed_account(ASHA).await;
    let app = App::enroll(&server, &session.text("/access_token"), "begun").await;
    let weak = server.sign_in(ASHA, PASSWORD).await.ok().text("/access_token");
    app.raise(&server, &weak, 0).await.assert_error(400, "reauthentication_needed");
    server.move_clock(601).await;
    let old = server.refresh(&session.text("/refresh_token")).await.ok().text("/access_token");
    app.raise(&server, &old, 0).await.assert_error(400, "reauthentication_needed");
    // Once the account has a passkey, a mailed code is not enough.
    server.note_code(&old).await;
    crate::passkeys::add(&server, &old).await;
    app.raise(&server, &old, 0).await.assert_error(403, "insufficient_aal");
    assert_eq!(server.user(&old).await.ok().text("/factors/0/status"), "unverified");
    assert_eq!(notices(&server).await, ["passkey_added"]);
}

#[tokio::test]
async fn no_secret_is_readable_in_the_database() {
    let server = TestServer::without_confirmation().await;
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    let app = App::enroll(&server, &token, "").await;
    let sealed: Vec<u8> = sqlx::query_scalar("select secret_sealed from factors")
        .fetch_one(server.app.store.pool())
        .await
        .unwrap();
    assert!(!sealed.windows(app.secret.len()).any(|part| part == app.secret));
}

#[tokio::test]
async fn a_recovered_session_is_still_asked_for_the_factor() {
    let server = TestServer::with_confirmation().await;
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    App::enroll(&server, &token, "").await.raise(&server, &token, 0).await.ok();
    server.post("/recover", json!({ "email": ASHA })).await.ok();
    let code = server.latest_mail().await.code;
    let token = server.verify("recovery", ASHA, &code).await.ok().text("/access_token");
    assert_eq!(claims(&token)["aal"], "aal1");
    let change = json!({ "password": "a louder garden" });
    let refused = server.call(Method::PUT, "/user", &token, change).await;
    refused.assert_error(401, "insufficient_aal");
    server.sign_in(ASHA, PASSWORD).await.ok();
}
