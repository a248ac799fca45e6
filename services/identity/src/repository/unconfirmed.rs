//! What becomes of an account with an unconfirmed address when another one asks for the address.

use sqlx::PgConnection;

use crate::repository::users::{self, User};
use crate::repository::{codes, identities};

/// Stores a new account. An unconfirmed one of its address is deleted: its password may be a
/// stranger's, who waits for the owner to confirm the address. From one that is in use by another
/// way only the address, which it has not confirmed, is taken.
///
/// # Errors
/// When the address has a confirmed account, or when the database does not answer.
pub async fn replace(connection: &mut PgConnection, user: &User) -> Result<(), sqlx::Error> {
    let former = users::lock_unconfirmed(&mut *connection, user.email.as_deref()).await?;
    if let Some(former) = former {
        give_way(connection, former).await?;
    }
    users::insert(connection, user).await
}

/// Ends the claim of an account to an address that it has not confirmed.
///
/// # Errors
/// When the database does not answer.
pub async fn give_way(connection: &mut PgConnection, former: User) -> Result<(), sqlx::Error> {
    if former.phone_confirmed_at.is_some() || former.last_sign_in_at.is_some() {
        return take_address(connection, former).await;
    }
    users::delete(connection, former.user_id).await
}

/// Takes an unconfirmed address from an account, for another account that asks for it.
async fn take_address(connection: &mut PgConnection, mut user: User) -> Result<(), sqlx::Error> {
    sqlx::query("delete from identities where user_id = $1 and provider = 'email'")
        .bind(user.user_id)
        .execute(&mut *connection)
        .await?;
    codes::delete_all(&mut *connection, user.user_id).await?;
    user.email = None;
    user.email_proved_at = None;
    user.identities.retain(|identity| identity.provider != identities::EMAIL);
    user.name_providers();
    users::update(connection, &user).await
}
