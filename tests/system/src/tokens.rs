//! Access tokens for people without an account, signed with the practice's own key: a thousand
//! sign-ups would hash a thousand passwords and test nothing about bookings.

use anyhow::{Context as _, Result};
use identity::tokens::token::{AccessTokens, LIFETIME_SECONDS_MAX, Subject};
use kernel::Timestamp;
use secrecy::SecretString;
use serde_json::json;

use crate::practice::Practice;

/// Issues access tokens as identity does.
pub struct TokenIssuer {
    tokens: AccessTokens,
    now: Timestamp,
}

impl TokenIssuer {
    /// An issuer with the practice's signing key.
    ///
    /// When the key cannot be read.
    pub async fn of(practice: &Practice) -> Result<Self> {
        let record = practice.record()?;
        let path = record["keys"]["identity-signing"].as_str().context("no signing key")?;
        let pem = SecretString::from(std::fs::read_to_string(path)?);
        let tokens = AccessTokens::new(&pem, &format!("{}/auth/v1", practice.url))?;
        let tokens = tokens.lasting(LIFETIME_SECONDS_MAX);
        let mut database = practice.database("identity").await?;
        // Tokens expire by the machine's clock, which tests do not move.
        let now = sqlx::query_scalar("select clock_timestamp()").fetch_one(&mut database).await?;
        Ok(Self { tokens, now })
    }

    /// A new user id, and a token that is valid for an hour.
    ///
    /// # Errors
    /// When it cannot be signed.
    pub fn token(&self, email: &str) -> Result<(uuid::Uuid, String)> {
        let (nothing, id) = (json!({}), eventstore::new_uuid());
        let subject = Subject {
            user_id: id,
            email,
            email_verified: true,
            phone: "",
            app_metadata: &nothing,
            user_metadata: &nothing,
            session_id: id,
            proofs: &nothing,
            aal: "aal1",
            has_second_factor: false,
            is_anonymous: false,
        };
        Ok((id, self.tokens.sign(&subject, self.now)?))
    }
}
