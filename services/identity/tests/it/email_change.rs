//! A change of address, which both addresses confirm.

use identity::app::policy::{Clients, Policy};
use reqwest::Method;
use serde_json::{Value, json};

use crate::test_server::{Answer, PASSWORD, Page, TestServer, claims};
use contract::identity::v1::GetCodeMailResponse;

const ASHA: &str = "asha@example.test";
const NEW: &str = "asha.rao@example.test";

async fn change(server: &TestServer, token: &str, body: Value) -> Answer {
    server.call(Method::PUT, "/user", token, body).await
}

/// The mails of the two newest codes: to the current address and to the new one.
async fn both_mails(server: &TestServer) -> [GetCodeMailResponse; 2] {
    let events: Vec<Value> =
        sqlx::query_scalar("select payload from events order by seq desc limit 2")
            .fetch_all(server.app.store.pool())
            .await
            .unwrap();
    let mut mails = Vec::new();
    for event in events.iter().rev() {
        let code_id = event["codeId"].as_str().unwrap();
        mails.push(server.code_mail("notifications", code_id).await.unwrap());
    }
    mails.try_into().unwrap()
}

/// An account that asked for the new address, its token, and the two mails.
async fn begun(server: &TestServer) -> (String, [GetCodeMailResponse; 2]) {
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    let asked = change(server, &token, json!({ "email": "Asha.Rao@example.test" })).await.ok();
    assert_eq!((asked.text("/email"), asked.text("/new_email")), (ASHA.into(), NEW.into()));
    (token, both_mails(server).await)
}

#[tokio::test]
async fn both_addresses_confirm_in_any_order() {
    for swap in [false, true] {
        let server = TestServer::with_confirmation().await;
        let (token, [current, new]) = begun(&server).await;
        let words = ["email_change_current", "email_change_new"];
        assert_eq!([current.purpose.as_str(), new.purpose.as_str()], words);
        assert_eq!([current.email.as_str(), new.email.as_str()], [ASHA, NEW]);
        let known = [&current, &new].map(|mail| mail.account.as_str());
        assert_eq!(known, ["a…@example.test"; 2]);
        assert_eq!(Page::of(&new.link).field("account"), "a…@example.test");
        let mut mails = [(ASHA, current), (NEW, new)];
        if swap {
            mails.reverse();
        }
        let [(first, one), (second, other)] = &mails;
        let half = server.verify_as(&token, ("email_change", first, &one.code)).await.ok();
        let message = "Confirmation link accepted. Please proceed to confirm link sent to the \
                       other email";
        assert_eq!(half.body, json!({ "msg": message, "code": "200" }));
        assert_eq!(server.user(&token).await.ok().text("/email"), ASHA);
        let session = server.verify_as(&token, ("email_change", second, &other.code)).await.ok();
        assert_eq!(session.text("/user/email"), NEW);
        assert_eq!(session.body["user"].get("new_email"), None);
        assert_eq!(session.text("/user/identities/0/identity_data/email"), NEW);
        assert_eq!(claims(&session.text("/access_token"))["email"], NEW);
        server.sign_in(NEW, PASSWORD).await.ok();
        server.sign_in(ASHA, PASSWORD).await.assert_error(400, "invalid_credentials");
    }
}

#[tokio::test]
async fn links_confirm_too_and_a_half_leads_back_with_a_message() {
    let server = TestServer::with_confirmation().await;
    let (token, [current, new]) = begun(&server).await;
    let page = Page::of(&current.link);
    assert_eq!(page.field("type"), "email_change");
    let body = json!({
        "type": "email_change", "token_hash": page.field("token_hash"), "answer": "redirect",
    });
    let half = server.call(Method::POST, "/verify", &token, body).await.ok();
    let place = Page::of(&half.text("/redirect_to"));
    assert!(place.field("message").starts_with("Confirmation link accepted."));
    let session = server.confirm_link_as(&token, &new.link).await.ok();
    assert_eq!(session.text("/user/email"), NEW);
}

/// The address is proved for the session that asked: another browser, also that of the address's
/// owner, gets nothing and changes nothing.
#[tokio::test]
async fn a_change_is_redeemed_where_it_was_asked_for() {
    let any = Policy { clients: Clients::Any, ..Policy::default() };
    for server in [TestServer::with_confirmation().await, TestServer::with_policy(any).await] {
        let (token, [current, new]) = begun(&server).await;
        let other = server.confirmed_account("ravi@example.test").await.text("/access_token");
        let elsewhere = |answer: Answer| answer.assert_error(403, "email_change_elsewhere");
        server.verify_as(&token, ("email_change", ASHA, &current.code)).await.ok();
        elsewhere(server.confirm_link(&new.link, "").await);
        elsewhere(server.verify("email_change", NEW, &new.code).await);
        elsewhere(server.confirm_link_as(&other, &new.link).await);
        elsewhere(server.confirm_link_as("no token of ours", &new.link).await);
        let page = Page::of(&new.link).field("token_hash");
        let body = json!({ "type": "email_change", "token_hash": page, "answer": "redirect" });
        elsewhere(server.post("/verify", body).await);
        assert_eq!(server.user(&token).await.ok().text("/email"), ASHA);
        let session = server.confirm_link_as(&token, &new.link).await.ok();
        assert_eq!(session.text("/user/email"), NEW);
        server.sign_in(NEW, PASSWORD).await.ok();
    }
}

#[tokio::test]
async fn one_address_is_not_enough_and_a_code_is_for_its_own_address() {
    let server = TestServer::with_confirmation().await;
    let (token, [current, new]) = begun(&server).await;
    for (email, code) in [(ASHA, &new.code), (NEW, &current.code)] {
        if current.code != new.code {
            server
                .verify_as(&token, ("email_change", email, code))
                .await
                .assert_error(403, "otp_expired");
        }
    }
    server.verify_as(&token, ("email_change", NEW, &new.code)).await.ok();
    server
        .verify_as(&token, ("email_change", NEW, &new.code))
        .await
        .assert_error(403, "otp_expired");
    assert_eq!(server.user(&token).await.ok().text("/email"), ASHA);
}

/// A second code for one address does not stand for the other one.
#[tokio::test]
async fn an_address_that_confirms_twice_is_still_one() {
    let server = TestServer::with_confirmation().await;
    let (token, [_, new]) = begun(&server).await;
    server.verify_as(&token, ("email_change", NEW, &new.code)).await.ok();
    server.move_clock(61).await;
    let before = server.codes_requested().await;
    server.post("/resend", json!({ "type": "email_change", "email": ASHA })).await.ok();
    assert_eq!(server.codes_requested().await, before + 1, "only the other address is asked");
    let mail = server.latest_mail().await;
    assert_eq!((mail.email.as_str(), mail.purpose.as_str()), (ASHA, "email_change_current"));
    assert_eq!(server.user(&token).await.ok().text("/email"), ASHA);
    let session = server.verify_as(&token, ("email_change", ASHA, &mail.code)).await.ok();
    assert_eq!(session.text("/user/email"), NEW);
}

#[tokio::test]
async fn codes_of_the_old_address_open_nothing_after_the_change() {
    let server = TestServer::with_confirmation().await;
    let (token, [current, new]) = begun(&server).await;
    server.post("/recover", json!({ "email": ASHA })).await.ok();
    let old = server.latest_mail().await;
    server.verify_as(&token, ("email_change", ASHA, &current.code)).await.ok();
    server.verify_as(&token, ("email_change", NEW, &new.code)).await.ok();
    server.verify("recovery", ASHA, &old.code).await.assert_error(403, "otp_expired");
    server.confirm_link(&old.link, "").await.assert_error(403, "otp_expired");
}

#[tokio::test]
async fn an_address_with_an_account_is_told_of_at_the_end_and_is_not_taken() {
    let server = TestServer::with_confirmation().await;
    let other = server.confirmed_account(NEW).await;
    let (token, [current, new]) = begun(&server).await;
    server.verify_as(&token, ("email_change", ASHA, &current.code)).await.ok();
    let taken = server.verify_as(&token, ("email_change", NEW, &new.code)).await;
    taken.assert_error(422, "email_exists");
    assert_eq!(server.user(&token).await.ok().text("/email"), ASHA);
    assert_eq!(server.user(&other.text("/access_token")).await.ok().text("/email"), NEW);
}

#[tokio::test]
async fn clients_of_the_contract_are_told_at_once() {
    let any = Policy { clients: Clients::Any, ..Policy::default() };
    let server = TestServer::with_policy(any).await;
    server.confirmed_account(NEW).await;
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    let answer = change(&server, &token, json!({ "email": NEW })).await;
    answer.assert_error(422, "email_exists");
}

#[tokio::test]
async fn the_codes_of_a_change_are_sent_again_and_mails_are_a_minute_apart() {
    let server = TestServer::with_confirmation().await;
    let (token, _) = begun(&server).await;
    let early = change(&server, &token, json!({ "email": "third@example.test" })).await;
    early.assert_error(429, "over_email_send_rate_limit");
    server.move_clock(61).await;
    server.post("/resend", json!({ "type": "email_change", "email": ASHA })).await.ok();
    let [current, new] = both_mails(&server).await;
    server.verify_as(&token, ("email_change", ASHA, &current.code)).await.ok();
    server.verify_as(&token, ("email_change", NEW, &new.code)).await.ok();
    server.move_clock(122).await;
    let before = server.codes_requested().await;
    server.post("/resend", json!({ "type": "email_change", "email": NEW })).await.ok();
    assert_eq!(server.codes_requested().await, before, "nothing is left to confirm");
}

/// Several accounts that all change to one address do not flood it by asking for the codes again.
#[tokio::test]
async fn the_new_address_of_a_change_has_its_own_pace() {
    let server = TestServer::with_confirmation().await;
    for (email, later) in [("one@example.test", 61), ("two@example.test", 122)] {
        let token = server.confirmed_account(email).await.text("/access_token");
        change(&server, &token, json!({ "email": NEW })).await.ok();
        server.move_clock(later).await;
    }
    let again = async |email: &str| {
        let before = server.codes_requested().await;
        server.post("/resend", json!({ "type": "email_change", "email": email })).await.ok();
        server.codes_requested().await - before
    };
    assert_eq!(again("one@example.test").await, 2, "to both addresses");
    assert_eq!(again("two@example.test").await, 0, "the answer does not tell");
    server.move_clock(183).await;
    assert_eq!(again("two@example.test").await, 2);
}
