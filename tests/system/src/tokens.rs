//! Access tokens for people without an account, signed with the practice's own key: a thousand
//! sign-ups would hash a thousand passwords and test nothing about bookings.

use anyhow::{Context as _, Result};
use identity::tokens::token::{AccessTokens, LIFETIME_SECONDS_MAX, Subject};
use kernel::Timestamp;
use secrecy::SecretString;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::practice::Practice;

/// Issues access tokens as identity does.
pub struct TokenIssuer {
    tokens: AccessTokens,
    began_at: Timestamp,
    since: Instant,
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
        let sql = "select clock_timestamp()";
        let began_at = sqlx::query_scalar(sql).fetch_one(&mut database).await?;
        Ok(Self { tokens, began_at, since: Instant::now() })
    }

    /// A new user id, and a token that is valid for an hour.
    pub fn token(&self, email: &str) -> Result<(uuid::Uuid, String)> {
        let id = eventstore::new_uuid();
        Ok((id, self.sign((id, email), ("aal1", &json!({})))?))
    }

    /// A token of a member of staff whose session has shown its second factor just now.
    pub fn staff_token(&self, user_id: uuid::Uuid, email: &str) -> Result<String> {
        let shown = json!([{ "method": "totp", "timestamp": self.now().seconds() }]);
        self.sign((user_id, email), ("aal2", &shown))
    }

    fn now(&self) -> Timestamp {
        let seconds = i64::try_from(self.since.elapsed().as_secs()).unwrap_or_default();
        self.began_at.plus_seconds(seconds)
    }

    fn sign(
        &self,
        (user_id, email): (uuid::Uuid, &str),
        (aal, proofs): (&str, &Value),
    ) -> Result<String> {
        let nothing = json!({});
        let subject = Subject {
            user_id,
            email,
            email_verified: true,
            phone: "",
            app_metadata: &nothing,
            user_metadata: &nothing,
            session_id: user_id,
            proofs,
            aal,
            has_second_factor: aal == "aal2",
            is_anonymous: false,
        };
        Ok(self.tokens.sign(&subject, self.now())?)
    }
}
