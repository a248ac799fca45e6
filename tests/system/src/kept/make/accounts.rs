//! Accounts in every state: confirmed, unconfirmed, with a pending code, signed out, banned, with a
//! second factor, a member of the practice with an invitation's grace.

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use sqlx::Executor as _;
use testkit::until;

use super::account_calls::{code, post};
use super::strangers;
use crate::customer::{Customer, PASSWORD};
use crate::mails::plain_text;
use crate::practice::Practice;
use crate::reviews::{self, sign_in};

/// Makes them while addresses have to be confirmed. Returns each account's `state`, the
/// `refresh_token` of a valid session, and a `password` that is false where the proof took it.
pub(super) async fn make(practice: &Practice) -> Result<Vec<Value>> {
    let mut accounts = Vec::new();
    for state in ["proved", "unproved", "forgetful", "left", "banned", "protected", "member"] {
        let email = format!("kept.{state}@customers.example");
        let body = json!({
            "email": email, "password": PASSWORD,
            "data": { "firstName": "Kept", "lastName": "Canaryworth", "phone": "+919876543210" },
        });
        post(practice, "signup", &body, None).await?;
        let mut account = json!({ "email": email, "state": state });
        if state != "unproved" {
            let code = code(practice, &email).await?;
            let proof = json!({ "type": "signup", "email": email, "token": code });
            let session = post(practice, "verify", &proof, None).await?;
            let token = session["access_token"].as_str().context("no session")?;
            match state {
                "left" => drop(post(practice, "logout", &json!({}), Some(token)).await?),
                "forgetful" => {
                    post(practice, "recover", &json!({ "email": email }), None).await?;
                }
                "protected" => {
                    let (secret, _strong) = strangers::add_app(practice, token).await?;
                    account["totp_secret"] = json!(secret);
                }
                "member" => {
                    account["refresh_token"] = session["refresh_token"].clone();
                    join(practice, &email, token).await?;
                }
                _ => account["refresh_token"] = session["refresh_token"].clone(),
            }
            if Customer::signed_in(practice, &email).await.is_err() {
                account["password"] = json!(false);
            }
        }
        accounts.push(account);
    }
    let mut database = practice.database("identity").await?;
    let ban = "update users set banned_until_at = clock_now() + interval '10 years'
               where email = 'kept.banned@customers.example'";
    ensure!(database.execute(ban).await?.rows_affected() == 1, "no account was banned");
    Ok(accounts)
}

/// Invites the account as front desk, which accepts with a password alone.
async fn join(practice: &Practice, email: &str, token: &str) -> Result<()> {
    let owner = sign_in(practice).await?.context("the owner is not signed in")?;
    let body = json!({
        "idempotencyKey": "kept-invitation", "email": email, "role": "STAFF_ROLE_FRONT_DESK",
    });
    let call = ("booking.v1.OrganisationStaffService", "InviteMember");
    reviews::call(practice, call, &body, |it| it.bearer_auth(&owner)).await?.ok()?;
    let key = until("the invitation came", async || {
        let mails = practice.inbox_of(email).await?;
        let said: Vec<String> = mails.iter().map(plain_text).collect();
        let rest = said.iter().find_map(|said| said.split_once("/invitations#key="));
        Ok(rest.and_then(|(_, rest)| rest.split_whitespace().next()).map(str::to_owned))
    })
    .await?;
    let call = ("booking.v1.OrganisationService", "AcceptInvitation");
    let body = json!({ "key": key });
    reviews::call(practice, call, &body, |it| it.bearer_auth(token)).await?.ok().map(drop)
}
