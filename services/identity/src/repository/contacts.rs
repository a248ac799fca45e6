//! Changes of an account's address and phone, with the identities that go with them.

use kernel::Timestamp;
use serde_json::json;
use sqlx::{PgConnection, PgExecutor};
use uuid::Uuid;

use crate::accounts::address::EmailAddress;
use crate::repository::identities::{self, Identity};
use crate::repository::users::{self, User};

impl User {
    /// Gives the account another address, which is not proved; an identity by address says so.
    pub fn replace_address(&mut self, email: &EmailAddress, now: Timestamp) {
        self.email = Some(email.as_str().to_owned());
        self.email_proved_at = None;
        let by_email = |known: &&mut Identity| known.provider == identities::EMAIL;
        if let Some(identity) = self.identities.iter_mut().find(by_email) {
            identity.email = Some(email.as_str().to_owned());
            identity.set("email", json!(email.as_str()));
            identity.set("email_verified", json!(false));
            identity.updated_at = now;
        } else {
            let identity = self.own_identity(
                identities::EMAIL,
                json!({ "email": email.as_str(), "email_verified": false }),
                now,
            );
            self.identities.push(identity);
        }
        self.name_providers();
    }

    /// Gives the account another phone, which is not confirmed; an identity by phone says so.
    pub fn replace_phone(&mut self, phone: &str, now: Timestamp) {
        self.phone = Some(phone.to_owned());
        self.phone_confirmed_at = None;
        let by_phone = |known: &&mut Identity| known.provider == identities::PHONE;
        if let Some(identity) = self.identities.iter_mut().find(by_phone) {
            identity.set("phone", json!(phone));
            identity.set("phone_verified", json!(false));
            identity.updated_at = now;
        } else {
            let identity = self.own_identity(
                identities::PHONE,
                json!({ "phone": phone, "email_verified": false }),
                now,
            );
            self.identities.push(identity);
        }
        self.name_providers();
    }

    /// Confirms the phone, as a code that was sent there does.
    pub fn confirm_phone(&mut self, now: Timestamp) {
        self.phone_confirmed_at.get_or_insert(now);
        self.is_anonymous = false;
        for identity in &mut self.identities {
            if identity.provider == identities::PHONE {
                identity.set("phone_verified", json!(true));
            }
        }
        self.name_providers();
    }

    /// An identity whose name is the account's own id. That by the address has the id that the
    /// account reserves for it.
    fn own_identity(
        &self,
        provider: &str,
        mut data: serde_json::Value,
        now: Timestamp,
    ) -> Identity {
        if let Some(fields) = data.as_object_mut() {
            fields.insert("sub".to_owned(), json!(self.user_id));
            fields.entry("email_verified").or_insert(json!(false));
            fields.entry("phone_verified").or_insert(json!(false));
        }
        let id = self.user_id.to_string();
        let identity = Identity::of_provider(self.user_id, (provider, &id), data, now);
        if provider == identities::EMAIL {
            return Identity { identity_id: self.identity_id, ..identity };
        }
        identity
    }
}

/// Takes every identity from an account but those of the kept kinds, and the phone with its own.
pub async fn drop_other_identities(
    executor: impl PgExecutor<'_>,
    user: &mut User,
    kept: &[&str],
) -> Result<(), sqlx::Error> {
    sqlx::query("delete from identities where user_id = $1 and provider <> all($2)")
        .bind(user.user_id)
        .bind(kept)
        .execute(executor)
        .await?;
    if !kept.contains(&identities::PHONE) {
        user.phone = None;
        user.phone_confirmed_at = None;
    }
    user.identities.retain(|identity| kept.contains(&identity.provider.as_str()));
    Ok(())
}

/// Takes an unconfirmed phone from an account, for another account that confirms it.
pub async fn take_phone(connection: &mut PgConnection, mut user: User) -> Result<(), sqlx::Error> {
    sqlx::query("delete from identities where user_id = $1 and provider = 'phone'")
        .bind(user.user_id)
        .execute(&mut *connection)
        .await?;
    user.phone = None;
    user.identities.retain(|identity| identity.provider != identities::PHONE);
    user.name_providers();
    users::update(connection, &user).await
}

/// The account that has a phone.
pub async fn owner_of_phone(
    executor: impl PgExecutor<'_>,
    phone: &str,
) -> Result<Option<Uuid>, sqlx::Error> {
    sqlx::query_scalar("select user_id from users where phone = $1")
        .bind(phone)
        .fetch_optional(executor)
        .await
}
