//! The calls of administrators, as a program with a service key makes them.

use identity::app::service_key::{KeyRequest, make};
use reqwest::Method;
use serde_json::{Value, json};

use crate::factors::App;
use crate::passkeys;
use crate::proving_orders::left_in;
use crate::test_server::{Answer, PASSWORD, TestServer, claims};

const ASHA: &str = "asha@example.test";
const RAVI: &str = "ravi@example.test";
const OFFICE_PASSWORD: &str = "a louder garden";
const UNKNOWN: &str = "00000000-0000-7000-8000-000000000000";

/// A service key of this server.
pub(crate) async fn service_key(server: &TestServer) -> String {
    let request = KeyRequest { name: "office".to_owned(), days: 30 };
    make(&server.app.store, &server.app.tokens, &request).await.unwrap()
}

/// A server with a service key.
struct Office {
    server: TestServer,
    key: String,
}

impl Office {
    async fn new(server: TestServer) -> Self {
        let key = service_key(&server).await;
        Self { server, key }
    }

    async fn call(&self, method: Method, path: &str, body: Value) -> Answer {
        self.server.call(method, path, &self.key, body).await
    }

    async fn create(&self, body: Value) -> Answer {
        self.call(Method::POST, "/admin/users", body).await
    }

    async fn put(&self, id: &str, body: Value) -> Answer {
        self.call(Method::PUT, &format!("/admin/users/{id}"), body).await
    }

    async fn get(&self, path: &str) -> Answer {
        self.call(Method::GET, path, json!({})).await
    }
}

fn calls() -> Vec<(Method, String)> {
    let user = format!("/admin/users/{UNKNOWN}");
    let mut calls = vec![
        (Method::POST, "/invite".to_owned()),
        (Method::POST, "/admin/generate_link".to_owned()),
        (Method::GET, "/admin/audit".to_owned()),
        (Method::GET, "/admin/users".to_owned()),
        (Method::POST, "/admin/users".to_owned()),
        (Method::GET, format!("{user}/factors")),
        (Method::DELETE, format!("{user}/factors/{UNKNOWN}")),
        (Method::PUT, format!("{user}/factors/{UNKNOWN}")),
        (Method::GET, "/admin/sso/providers".to_owned()),
    ];
    calls.extend([Method::GET, Method::PUT, Method::DELETE].map(|it| (it, user.clone())));
    calls
}

#[tokio::test]
async fn only_service_keys_may_administer() {
    let office = Office::new(TestServer::without_confirmation().await).await;
    let session = office.server.confirmed_account(ASHA).await;
    let user_token = session.text("/access_token");
    let forged = format!("{}x", office.key);
    let parts: Vec<&str> = office.key.split('.').collect();
    let unsigned = format!("eyJhbGciOiJub25lIn0.{}.", parts[1]);
    for (method, path) in calls() {
        let request = office.server.request(method.clone(), &path).json(&json!({}));
        office.server.send(request).await.assert_error(401, "no_authorization");
        for (token, code) in [
            (user_token.as_str(), "not_admin"),
            (forged.as_str(), "bad_jwt"),
            (unsigned.as_str(), "bad_jwt"),
            ("x", "bad_jwt"),
        ] {
            let answer = office.server.call(method.clone(), &path, token, json!({})).await;
            answer.assert_error(403, code);
        }
    }
    let refused = office.server.call(Method::GET, "/admin/users", &user_token, json!({})).await;
    assert_eq!(refused.text("/message"), "User not allowed");
    // A service key is no account's token.
    office.server.user(&office.key).await.assert_error(403, "bad_jwt");
    assert_eq!(claims(&office.key)["role"], "service_role");
}

#[tokio::test]
async fn a_key_ends_by_itself_or_when_the_operator_says_so() {
    let office = Office::new(TestServer::with_confirmation().await).await;
    office.get("/admin/users").await.ok();
    let ended =
        identity::repository::service_keys::revoke(office.server.app.store.pool(), "office");
    assert_eq!(ended.await.unwrap(), 1);
    office.get("/admin/users").await.assert_error(403, "bad_jwt");
    let key = service_key(&office.server).await;
    let office = Office { key, ..office };
    office.get("/admin/users").await.ok();
    office.server.move_clock(30 * 24 * 3600).await;
    let answer = office.get("/admin/users").await;
    answer.assert_error(403, "bad_jwt");
    assert!(answer.text("/message").contains("expired"), "{}", answer.body);
}

#[tokio::test]
async fn an_account_is_made_with_everything_that_is_said_of_it() {
    let office = Office::new(TestServer::with_confirmation().await).await;
    let id = "7f2c2a5e-7f0b-4d0e-9a52-8a1d6c1f0001";
    let body = json!({
        "id": id, "email": "Asha@Example.test", "phone": "+91 98765 43210", "password": PASSWORD,
        "email_confirm": true, "phone_confirm": true, "ban_duration": "none",
        "user_metadata": { "firstName": "Asha" }, "app_metadata": { "plan": "gold" },
    });
    let user = office.create(body).await.ok();
    assert_eq!((user.text("/id"), user.text("/email")), (id.to_owned(), ASHA.to_owned()));
    assert_eq!(user.text("/phone"), "919876543210");
    let app_metadata = json!({
        "plan": "gold", "provider": "email", "providers": ["email", "phone"],
    });
    assert_eq!(user.body["app_metadata"], app_metadata);
    assert_eq!(user.body["identities"][0]["identity_data"]["email_verified"], true);
    assert_eq!(user.body["identities"][1]["identity_data"]["phone"], "919876543210");
    let session = office.server.sign_in(ASHA, PASSWORD).await.ok();
    assert_eq!(claims(&session.text("/access_token"))["app_metadata"]["plan"], "gold");
    assert_eq!(claims(&session.text("/access_token"))["email_verified"], true);

    for (body, status, code) in [
        (json!({ "email": ASHA }), 422, "email_exists"),
        (json!({ "phone": "919876543210" }), 422, "phone_exists"),
        (json!({ "id": id, "email": RAVI }), 422, "user_already_exists"),
        (json!({}), 400, "validation_failed"),
        (json!({ "email": "ravi" }), 400, "validation_failed"),
        (json!({ "phone": "call me" }), 400, "validation_failed"),
        (json!({ "id": "x", "email": RAVI }), 400, "validation_failed"),
        (json!({ "email": RAVI, "role": "service_role" }), 400, "validation_failed"),
        (json!({ "email": RAVI, "password": "short" }), 422, "weak_password"),
        (json!({ "email": RAVI, "ban_duration": "1d" }), 400, "validation_failed"),
        (json!({ "email": RAVI, "password_hash": "$2b$10$x" }), 400, "validation_failed"),
        (
            json!({ "email": RAVI, "app_metadata": { "x": "a".repeat(2048) } }),
            400,
            "validation_failed",
        ),
    ] {
        office.create(body).await.assert_error(status, code);
    }
    office.create(json!({ "email": RAVI })).await.ok();
}

#[tokio::test]
async fn a_password_hash_of_another_server_lets_its_person_in() {
    let office = Office::new(TestServer::with_confirmation().await).await;
    let hash = office.server.app.hasher.hash("carried over with care").await.unwrap();
    let body = json!({ "email": ASHA, "password_hash": hash, "email_confirm": true });
    office.create(body).await.ok();
    office.server.sign_in(ASHA, "carried over with care").await.ok();
    office.server.sign_in(ASHA, PASSWORD).await.assert_error(400, "invalid_credentials");
}

#[tokio::test]
async fn an_unconfirmed_account_does_not_keep_an_address_from_the_office() {
    let office = Office::new(TestServer::with_confirmation().await).await;
    let stranger = office.server.sign_up(ASHA).await.ok();
    let code = office.server.latest_mail().await.code;
    let made = office.create(json!({ "email": ASHA, "email_confirm": true })).await.ok();
    assert_ne!(made.text("/id"), stranger.text("/id"));
    office.server.verify_own(&stranger, &code).await.assert_error(403, "otp_expired");
    office.server.sign_in(ASHA, PASSWORD).await.assert_error(400, "invalid_credentials");
}

/// A sign-up with an address that is not confirmed gets it, and no account in use ends.
#[tokio::test]
async fn an_account_with_a_confirmed_phone_gives_only_its_address_away() {
    let office = Office::new(TestServer::with_confirmation().await).await;
    let body = json!({ "phone": "919876543210", "phone_confirm": true, "email": ASHA });
    let made = office.create(body).await.ok().text("/id");
    let signed_up = office.server.sign_up(ASHA).await.ok();
    assert_ne!(signed_up.text("/id"), made);
    let left = office.get(&format!("/admin/users/{made}")).await.ok();
    assert_eq!((left.text("/phone"), left.text("/email")), ("919876543210".into(), "".into()));
    assert_eq!(left.body["app_metadata"]["providers"], json!(["phone"]));
}

#[tokio::test]
async fn accounts_are_listed_newest_first_in_pages() {
    let office = Office::new(TestServer::with_confirmation().await).await;
    for n in 0..5 {
        let name = json!({ "full_name": format!("Person {n}") });
        let body = json!({ "email": format!("n{n}@example.test"), "user_metadata": name });
        office.create(body).await.ok();
        office.server.move_clock(n + 1).await;
    }
    let emails = |answer: &Answer| -> Vec<String> {
        let users = answer.body["users"].as_array().unwrap();
        users.iter().map(|user| user["email"].as_str().unwrap().to_owned()).collect()
    };
    let first = office.get("/admin/users?page=1&per_page=2").await.ok();
    assert_eq!(emails(&first), ["n4@example.test", "n3@example.test"]);
    assert_eq!(first.headers["x-total-count"], "5");
    assert_eq!(
        first.headers["link"],
        "</admin/users?page=2&per_page=2>; rel=\"next\", </admin/users?page=3&per_page=2>; \
         rel=\"last\""
    );
    assert_eq!(first.body["aud"], "authenticated");
    let last = office.get("/admin/users?per_page=2&page=3").await.ok();
    assert_eq!(emails(&last), ["n0@example.test"]);
    assert_eq!(last.headers["link"], "</admin/users?page=3&per_page=2>; rel=\"last\"");
    assert_eq!(emails(&office.get("/admin/users?page=9").await.ok()), Vec::<String>::new());
    assert_eq!(emails(&office.get("/admin/users").await.ok()).len(), 5);
    let found = office.get("/admin/users?filter=N2%40").await.ok();
    assert_eq!(emails(&found), ["n2@example.test"]);
    let named = office.get("/admin/users?filter=person%203").await.ok();
    assert_eq!(emails(&named), ["n3@example.test"]);
    assert_eq!(emails(&office.get("/admin/users?filter=%25").await.ok()), Vec::<String>::new());
    let wrong = office.get("/admin/users?page=x").await;
    wrong.assert_error(400, "validation_failed");
    assert_eq!(
        wrong.text("/message"),
        "Bad Pagination Parameters: strconv.ParseUint: parsing \"x\": invalid syntax"
    );
    office.get("/admin/users?per_page=0").await.assert_error(400, "validation_failed");
}

#[tokio::test]
async fn an_account_is_read_and_changed_by_its_id() {
    let office = Office::new(TestServer::without_confirmation().await).await;
    let session = office.server.confirmed_account(ASHA).await;
    let id = session.text("/user/id");
    let path = format!("/admin/users/{id}");
    assert_eq!(office.get(&path).await.ok().text("/email"), ASHA);
    office.get("/admin/users/x").await.assert_error(404, "validation_failed");
    office.get(&format!("/admin/users/{UNKNOWN}")).await.assert_error(404, "user_not_found");

    office.put(&id, json!({ "app_metadata": { "a": 1, "b": 2 } })).await.ok();
    let changed = office.put(&id, json!({ "app_metadata": { "a": null, "c": 3 } })).await.ok();
    let kept = json!({ "b": 2, "c": 3, "provider": "email", "providers": ["email"] });
    assert_eq!(changed.body["app_metadata"], kept);
    let changed = office.put(&id, json!({ "user_metadata": { "firstName": "Usha" } })).await.ok();
    assert_eq!(changed.text("/user_metadata/lastName"), "Rao");

    office.server.user(&session.text("/access_token")).await.ok();
    office.put(&id, json!({ "password": "a louder garden" })).await.ok();
    office.server.user(&session.text("/access_token")).await.assert_error(403, "session_not_found");
    office.server.sign_in(ASHA, PASSWORD).await.assert_error(400, "invalid_credentials");
    office.server.sign_in(ASHA, "a louder garden").await.ok();
}

#[tokio::test]
async fn a_new_address_voids_the_codes_of_the_former_one_and_is_not_proved() {
    let office = Office::new(TestServer::without_confirmation().await).await;
    office.server.confirmed_account(RAVI).await;
    let id = office.server.confirmed_account(ASHA).await.text("/user/id");
    office.server.post("/recover", json!({ "email": ASHA })).await.ok();
    let code = office.server.latest_mail().await.code;
    office.put(&id, json!({ "email": RAVI })).await.assert_error(422, "email_exists");
    let changed = office.put(&id, json!({ "email": "usha@example.test" })).await.ok();
    assert_eq!(changed.body["identities"][0]["identity_data"]["email"], "usha@example.test");
    assert_eq!(changed.body["identities"][0]["identity_data"]["email_verified"], false);
    office.server.verify("recovery", ASHA, &code).await.assert_error(403, "otp_expired");
    let session = office.server.sign_in("usha@example.test", PASSWORD).await.ok();
    assert_eq!(claims(&session.text("/access_token"))["email_verified"], false);
    let said = json!({ "email_confirm": true, "password": OFFICE_PASSWORD });
    office.put(&id, said).await.ok();
    let session = office.server.sign_in("usha@example.test", OFFICE_PASSWORD).await.ok();
    assert_eq!(claims(&session.text("/access_token"))["email_verified"], true);
}

/// A stranger may have made the account: the office's word proves its address for the owner.
#[tokio::test]
async fn a_word_that_proves_an_address_leaves_nothing_of_who_prepared_the_account() {
    let unproved = TestServer::without_confirmation().await;
    let proved = TestServer::with_confirmation().await;
    let new = json!({ "email": "usha@example.test", "email_confirm": true });
    for (server, said) in [(unproved, json!({ "email_confirm": true })), (proved, new)] {
        let office = Office::new(server).await;
        let session = office.server.confirmed_account(ASHA).await;
        let (id, token) = (session.text("/user/id"), session.text("/access_token"));
        let app = App::enroll(&office.server, &token, "").await;
        let raised = app.raise(&office.server, &token, 0).await.ok().text("/access_token");
        let mut passkey = passkeys::add(&office.server, &raised).await.0;
        let path = "/factors/recovery-codes";
        office.server.call(Method::POST, path, &raised, json!({})).await.ok();
        assert!(left_in(&office.server, &id).await > 3);

        let email = office.put(&id, said).await.ok().text("/email");
        assert_eq!(left_in(&office.server, &id).await, 0);
        office.server.user(&raised).await.assert_error(403, "session_not_found");
        let refreshed = office.server.refresh(&session.text("/refresh_token")).await;
        assert!(!refreshed.status.is_success(), "{}", refreshed.body);
        assert!(!passkeys::sign_in(&office.server, &mut passkey).await.status.is_success());
        office.server.sign_in(&email, PASSWORD).await.assert_error(400, "invalid_credentials");
        // The same word about an address that is proved takes nothing.
        office.put(&id, json!({ "password": OFFICE_PASSWORD })).await.ok();
        office.put(&id, json!({ "email_confirm": true })).await.ok();
        office.server.sign_in(&email, OFFICE_PASSWORD).await.ok();
    }
}

/// What the office says of a phone that was never confirmed has the same rule.
#[tokio::test]
async fn a_word_that_confirms_a_phone_keeps_only_what_it_sets() {
    let office = Office::new(TestServer::with_confirmation().await).await;
    let confirm = json!({ "phone_confirm": true });
    let with_password = json!({ "phone_confirm": true, "password": OFFICE_PASSWORD });
    let cases = [("919876543210", confirm, 0), ("919876543211", with_password, 1)];
    for (phone, said, left) in cases {
        let made = office.create(json!({ "phone": phone, "password": PASSWORD })).await.ok();
        let changed = office.put(&made.text("/id"), said).await.ok();
        assert_eq!(changed.text("/phone"), phone);
        assert_eq!(left_in(&office.server, &made.text("/id")).await, left);
    }
}

#[tokio::test]
async fn a_banned_person_stays_out_until_the_ban_ends() {
    let office = Office::new(TestServer::without_confirmation().await).await;
    let session = office.server.confirmed_account(ASHA).await;
    let (id, token) = (session.text("/user/id"), session.text("/access_token"));
    let banned = office.put(&id, json!({ "ban_duration": "1h30m" })).await.ok();
    assert!(!banned.text("/banned_until").is_empty());
    office.server.user(&token).await.assert_error(403, "user_banned");
    office.server.sign_in(ASHA, PASSWORD).await.assert_error(400, "user_banned");
    office.server.move_clock(5401).await;
    office.server.sign_in(ASHA, PASSWORD).await.ok();
    office.put(&id, json!({ "ban_duration": "24h" })).await.ok();
    let free = office.put(&id, json!({ "ban_duration": "none" })).await.ok();
    assert_eq!(free.body.get("banned_until"), None);
    let wrong = office.put(&id, json!({ "ban_duration": "1d" })).await;
    wrong.assert_error(400, "validation_failed");
    assert_eq!(
        wrong.text("/message"),
        "invalid format for ban duration: time: unknown unit \"d\" in duration \"1d\""
    );
}

#[tokio::test]
async fn a_deleted_account_is_gone_and_a_softly_deleted_one_is_empty() {
    let office = Office::new(TestServer::without_confirmation().await).await;
    let asha = office.server.confirmed_account(ASHA).await;
    let ravi = office.server.confirmed_account(RAVI).await;
    let path = |session: &Answer| format!("/admin/users/{}", session.text("/user/id"));
    let gone = office.call(Method::DELETE, &path(&asha), Value::Null).await;
    gone.assert_error(400, "bad_json");
    let request = office.server.request(Method::DELETE, &path(&asha)).bearer_auth(&office.key);
    assert_eq!(office.server.send(request).await.ok().body, json!({}));
    office.get(&path(&asha)).await.assert_error(404, "user_not_found");
    office.server.user(&asha.text("/access_token")).await.assert_error(403, "user_not_found");

    let soft = json!({ "should_soft_delete": true });
    for _ in ["deleted", "again"] {
        office.call(Method::DELETE, &path(&ravi), soft.clone()).await.ok();
    }
    let emptied = office.get(&path(&ravi)).await.ok();
    assert_eq!((emptied.text("/email"), emptied.text("/phone")), (String::new(), String::new()));
    assert_eq!(
        (&emptied.body["identities"], &emptied.body["user_metadata"]),
        (&json!([]), &json!({}))
    );
    assert!(!emptied.text("/deleted_at").is_empty());
    office.server.user(&ravi.text("/access_token")).await.assert_error(403, "session_not_found");
    office.server.sign_in(RAVI, PASSWORD).await.assert_error(400, "invalid_credentials");
    office.server.sign_up(RAVI).await.ok();
}

#[tokio::test]
async fn factors_and_saml_answer_in_the_contracts_words() {
    let office = Office::new(TestServer::without_confirmation().await).await;
    let id = office.server.confirmed_account(ASHA).await.text("/user/id");
    let path = format!("/admin/users/{id}/factors");
    assert_eq!(office.get(&path).await.ok().body, json!([]));
    for (method, path, code) in [
        (Method::DELETE, format!("{path}/x"), "validation_failed"),
        (Method::DELETE, format!("{path}/{UNKNOWN}"), "mfa_factor_not_found"),
        (Method::PUT, format!("{path}/{UNKNOWN}"), "mfa_factor_not_found"),
        (Method::GET, format!("/admin/users/{UNKNOWN}/factors"), "user_not_found"),
        (Method::GET, "/admin/sso/providers".to_owned(), "saml_provider_disabled"),
        (Method::DELETE, format!("/admin/sso/providers/{UNKNOWN}"), "saml_provider_disabled"),
    ] {
        office.call(method, &path, json!({})).await.assert_error(404, code);
    }
}
