//! The commands `service-key` and `revoke-service-key`: keys with which an operator's programs
//! administer accounts. A key is a token that ends by itself; its row can end it before.

use std::io::Write as _;

use eventstore::{Database, Store};
use kernel::Timestamp;
use runtime::BoxError;
use secrecy::{ExposeSecret as _, SecretString};

use crate::app;
use crate::repository::service_keys;
use crate::tokens::token::AccessTokens;

const DAY_SECONDS: i64 = 24 * 3600;

/// A key to make.
#[derive(Debug, Clone)]
pub struct KeyRequest {
    /// The name under which it is audited and ended.
    pub name: String,
    /// How many days it works.
    pub days: i64,
}

/// Makes a key and returns its token, which is stored nowhere.
///
/// # Errors
/// When the signing key cannot be used, or the database does not answer.
pub async fn make(
    store: &Store,
    tokens: &AccessTokens,
    request: &KeyRequest,
) -> Result<String, BoxError> {
    let (name, days) = (request.name.clone(), request.days);
    let (key_id, now, expires_at) = store
        .write(app::metadata(), move |tx| {
            let name = name.clone();
            Box::pin(async move {
                let now: Timestamp = tx.now().await?;
                let expires_at = now.plus_seconds(days * DAY_SECONDS);
                let rows = tx.connection();
                let key_id = service_keys::insert(rows, &name, (now, expires_at)).await?;
                Ok::<_, eventstore::StoreError>((key_id, now, expires_at))
            })
        })
        .await?;
    Ok(tokens.sign_service_key(key_id, (now, expires_at))?)
}

/// Runs `service-key`: prints the key and nothing else.
///
/// # Errors
/// When the signing key cannot be used, or the database does not answer.
pub async fn run(
    database_url: SecretString,
    (signing_key, issuer): (SecretString, String),
    request: KeyRequest,
) -> Result<(), BoxError> {
    let store = Store::new(Database::new(database_url.expose_secret()).open()?);
    let tokens = AccessTokens::new(&signing_key, &issuer)?;
    writeln!(std::io::stdout(), "{}", make(&store, &tokens, &request).await?)?;
    Ok(())
}

/// Runs `revoke-service-key`: ends all keys with this name and prints how many there were.
pub async fn revoke(database_url: SecretString, name: String) -> Result<(), BoxError> {
    let store = Store::new(Database::new(database_url.expose_secret()).open()?);
    writeln!(std::io::stdout(), "{}", service_keys::revoke(store.pool(), &name).await?)?;
    Ok(())
}
