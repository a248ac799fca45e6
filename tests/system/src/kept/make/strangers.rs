//! Accounts that a stranger prepared before their owner proved the address: by this release what
//! the stranger put into them stays.

use anyhow::{Context as _, Result};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use data_encoding::BASE32_NOPAD;
use identity::tokens::totp;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::account_calls::{code, post, put};
use crate::customer::PASSWORD;
use crate::practice::Practice;

/// Makes them while addresses need no proof, and returns what the stranger left. A release that
/// refuses it has none.
pub(super) async fn make(practice: &Practice) -> Result<Vec<Value>> {
    let made = [by_sign_up(practice).await, by_change(practice).await];
    Ok(made.into_iter().flatten().collect())
}

/// Signed up under another person's address, with an app, a passkey and recovery codes.
async fn by_sign_up(practice: &Practice) -> Result<Value> {
    let email = "kept.signed.up.by.another@customers.example";
    let session = sign_up(practice, email).await?;
    let token = text(&session, "access_token")?;
    let (secret, strong) = add_app(practice, &token).await?;
    add_passkey(practice, &strong).await?;
    let codes = post(practice, "factors/recovery-codes", &json!({}), Some(&strong)).await?;
    post(practice, "otp", &json!({ "email": email }), None).await?;
    let proof = json!({ "type": "email", "email": email, "token": code(practice, email).await? });
    post(practice, "verify", &proof, None).await?;
    Ok(json!({
        "kind": "prepared_by_sign_up", "email": email, "totp_secret": secret,
        "recovery_codes": codes["codes"], "refresh_token": session["refresh_token"],
    }))
}

/// Signed up under an own address, and changed to another person's, who confirmed it.
async fn by_change(practice: &Practice) -> Result<Value> {
    let (own, email) = ("kept.stranger@customers.example", "kept.changed.to@customers.example");
    let session = sign_up(practice, own).await?;
    let token = text(&session, "access_token")?;
    add_passkey(practice, &token).await?;
    put(practice, "user", &json!({ "email": email }), &token).await?;
    for address in [own, email] {
        let token = code(practice, address).await?;
        let proof = json!({ "type": "email_change", "email": address, "token": token });
        post(practice, "verify", &proof, None).await?;
    }
    Ok(json!({
        "kind": "prepared_by_change", "email": email, "refresh_token": session["refresh_token"],
    }))
}

async fn sign_up(practice: &Practice, email: &str) -> Result<Value> {
    let body = json!({ "email": email, "password": PASSWORD, "data": { "firstName": "Kept" } });
    post(practice, "signup", &body, None).await
}

/// Enrols an authenticator app; returns its secret and a token of the second step.
pub(super) async fn add_app(practice: &Practice, token: &str) -> Result<(String, String)> {
    let asked = json!({ "factor_type": "totp", "friendly_name": "kept" });
    let enrolled = post(practice, "factors", &asked, Some(token)).await?;
    let (id, secret) = (text(&enrolled, "id")?, text(&enrolled["totp"], "secret")?);
    let path = format!("factors/{id}/challenge");
    let challenge = post(practice, &path, &json!({}), Some(token)).await?;
    let mut identity = practice.database("identity").await?;
    let now: i64 = sqlx::query_scalar("select floor(extract(epoch from clock_now()))::bigint")
        .fetch_one(&mut identity)
        .await?;
    let key = BASE32_NOPAD.decode(secret.as_bytes())?;
    let answer = json!({
        "challenge_id": text(&challenge, "id")?, "code": totp::code(&key, now.div_euclid(30)),
    });
    let strong = post(practice, &format!("factors/{id}/verify"), &answer, Some(token)).await?;
    Ok((secret, text(&strong, "access_token")?))
}

/// Registers a passkey whose private key is the number 1: its public key is the curve's own point.
async fn add_passkey(practice: &Practice, token: &str) -> Result<()> {
    let asked = post(practice, "passkeys/registration/options", &json!({}), Some(token)).await?;
    let options = &asked["options"];
    let credential = Sha256::digest(text(options, "challenge")?);
    let mut data = Sha256::digest(text(&options["rp"], "id")?).to_vec();
    // Present, verified, with a credential; no signature yet; no maker; an id of 32 bytes.
    data.extend([0x45, 0, 0, 0, 0]);
    data.extend([0; 16]);
    data.extend([0, 32]);
    data.extend(credential);
    // COSE: EC2, ES256, P-256.
    data.extend([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]);
    data.extend(hex("6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296")?);
    data.extend([0x22, 0x58, 0x20]);
    data.extend(hex("4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5")?);
    let mut attestation = b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58".to_vec();
    attestation.push(u8::try_from(data.len())?);
    attestation.extend(&data);
    let client = json!({
        "type": "webauthn.create", "challenge": options["challenge"],
        "origin": "http://localhost:8080", "crossOrigin": false,
    });
    let id = URL_SAFE_NO_PAD.encode(credential);
    let answer = json!({
        "challenge_id": asked["challenge_id"], "friendly_name": "kept",
        "credential": {
            "id": id, "rawId": id, "type": "public-key", "clientExtensionResults": {},
            "authenticatorAttachment": "platform",
            "response": {
                "attestationObject": URL_SAFE_NO_PAD.encode(attestation),
                "clientDataJSON": URL_SAFE_NO_PAD.encode(client.to_string()),
                "transports": ["internal"],
            },
        },
    });
    post(practice, "passkeys/registration", &answer, Some(token)).await.map(drop)
}

fn hex(text: &str) -> Result<Vec<u8>> {
    Ok(data_encoding::HEXLOWER.decode(text.as_bytes())?)
}

fn text(value: &Value, name: &str) -> Result<String> {
    Ok(value[name].as_str().with_context(|| format!("no {name} in {value}"))?.to_owned())
}
