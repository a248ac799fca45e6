//! Second factors by phone, which `IDENTITY_MFA_PHONE` switches on.

use futures::FutureExt as _;
use reqwest::Method;
use serde_json::{Value, json};

use super::{Ask, Calling, Row, Settings, World, row, signed};
use crate::test_server::{Answer, other_than};

const ENROLL: &str = "POST /factors";
const CHALLENGE: &str = "POST /factors/{factorId}/challenge";
const VERIFY: &str = "POST /factors/{factorId}/verify";

pub(super) fn rows() -> Vec<Row> {
    let enroll = |phone: Value| {
        let body = json!({ "factor_type": "phone", "friendly_name": "phone", "phone": phone });
        signed(Method::POST, "/factors", body)
    };
    let rows = vec![
        row(
            ENROLL,
            "a phone, switched on",
            enroll(json!("+915432109876")),
            "200 {friendly_name, id, phone, type}",
        ),
        row(
            ENROLL,
            "a phone without its number",
            enroll(Value::Null),
            "400 validation_failed: Phone number required to enroll Phone factor",
        ),
        row(
            ENROLL,
            "a phone with an odd number",
            enroll(json!("call me")),
            "400 validation_failed: Invalid phone number format (E.164 required)",
        ),
        row(
            ENROLL,
            "a phone that is a verified factor",
            prepared(|world| again(world).boxed_local()),
            "422 mfa_verified_factor_exists: A verified phone factor already exists, unenroll the \
             existing factor to continue",
        ),
        row(
            CHALLENGE,
            "a phone",
            prepared(|world| async move { Begun::new(world, 2).await.asked }.boxed_local()),
            "200 {expires_at, id, type}",
        ),
        row(
            VERIFY,
            "a phone, a wrong code",
            prepared(|world| wrong(world).boxed_local()),
            "422 mfa_verification_failed: Invalid MFA Phone code entered",
        ),
        row(
            VERIFY,
            "a phone",
            prepared(|world| {
                async move { Begun::new(world, 4).await.right(world).await }.boxed_local()
            }),
            "200 {access_token, expires_at, expires_in, refresh_token, token_type, user}",
        ),
        row(
            VERIFY,
            "a phone, the same code again",
            prepared(|world| twice(world).boxed_local()),
            "422 mfa_ip_address_mismatch: Challenge and verify IP addresses mismatch.",
        ),
    ];
    rows.into_iter().map(|row| row.with(Settings::WaysIn)).collect()
}

fn prepared(call: Calling) -> Ask {
    Ask::Prepared(call)
}

/// A challenge of the phone of an account of its own.
struct Begun {
    token: String,
    number: String,
    factor_id: String,
    asked: Answer,
}

impl Begun {
    async fn new(world: &World, which: u8) -> Self {
        let server = &world.server;
        let email = format!("phone{which}@example.test");
        let token = server.confirmed_account(&email).await.text("/access_token");
        let number = format!("+91543210980{which}");
        let body = json!({ "factor_type": "phone", "phone": number });
        let enrolled = server.call(Method::POST, "/factors", &token, body).await.ok();
        let factor_id = enrolled.text("/id");
        let path = format!("/factors/{factor_id}/challenge");
        let asked = server.call(Method::POST, &path, &token, json!({})).await;
        Self { token, number, factor_id, asked }
    }

    async fn verify(&self, world: &World, code: &str) -> Answer {
        let path = format!("/factors/{}/verify", self.factor_id);
        let body = json!({ "challenge_id": self.asked.text("/id"), "code": code });
        world.server.call(Method::POST, &path, &self.token, body).await
    }

    async fn code(&self, world: &World) -> String {
        world.parties.digits(&self.number, 1).await
    }

    async fn right(&self, world: &World) -> Answer {
        let code = self.code(world).await;
        self.verify(world, &code).await
    }
}

async fn again(world: &World) -> Answer {
    let begun = Begun::new(world, 1).await;
    let token = begun.right(world).await.ok().text("/access_token");
    let body = json!({ "factor_type": "phone", "phone": begun.number, "friendly_name": "again" });
    world.server.call(Method::POST, "/factors", &token, body).await
}

async fn wrong(world: &World) -> Answer {
    let begun = Begun::new(world, 3).await;
    let code = begun.code(world).await;
    begun.verify(world, &other_than(&code)).await
}

async fn twice(world: &World) -> Answer {
    let begun = Begun::new(world, 5).await;
    begun.right(world).await.ok();
    begun.right(world).await
}
