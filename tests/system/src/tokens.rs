//! Access tokens of people who never signed up, made with the practice's own signing key: a
//! thousand sign-ups would hash a thousand passwords, and show nothing about bookings.

use anyhow::{Context as _, Result};
use identity::tokens::token::{AccessTokens, Subject};
use kernel::Timestamp;
use secrecy::SecretString;
use serde_json::json;

use crate::practice::Practice;

/// Makes access tokens as identity would.
pub struct Mint {
    tokens: AccessTokens,
    now: Timestamp,
}

impl Mint {
    /// The practice's own.
    ///
    /// # Errors
    /// When its key cannot be read.
    pub async fn of(practice: &Practice) -> Result<Self> {
        let record = practice.record()?;
        let path = record["keys"]["identity-signing"].as_str().context("no signing key")?;
        let pem = SecretString::from(std::fs::read_to_string(path)?);
        let tokens = AccessTokens::new(&pem, &format!("{}/auth/v1", practice.url))?;
        let mut database = practice.database("identity").await?;
        // Tokens live by the machine's clock, which tests do not move.
        let now = sqlx::query_scalar("select clock_timestamp()").fetch_one(&mut database).await?;
        Ok(Self { tokens, now })
    }

    /// Somebody new, and a token that is good for an hour.
    ///
    /// # Errors
    /// When it cannot be signed.
    pub fn token(&self, email: &str) -> Result<(uuid::Uuid, String)> {
        let (nothing, id) = (json!({}), eventstore::new_uuid());
        let subject = Subject {
            user_id: id,
            email,
            user_metadata: &nothing,
            session_id: id,
            proofs: &nothing,
        };
        Ok((id, self.tokens.sign(&subject, self.now)?))
    }
}
