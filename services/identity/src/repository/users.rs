//! Rows of accounts.

use eventstore::new_uuid;
use kernel::Timestamp;
use serde_json::{Value, json};
use sqlx::{PgConnection, PgExecutor};
use uuid::Uuid;

use crate::accounts::address::EmailAddress;
use crate::repository::factors::FactorSummary;
use crate::repository::identities::{self, Identity};

/// An account as it is stored, with its identities. Personal data, so it has no `Debug`.
#[derive(Clone)]
pub struct User {
    /// The account's id; `sub` in tokens.
    pub user_id: Uuid,
    /// The id of its identity by address or phone.
    pub identity_id: Uuid,
    /// In lower case; none of an account by phone, and of an anonymous one.
    pub email: Option<String>,
    /// Digits only, without the plus sign.
    pub phone: Option<String>,
    /// PHC string; none when the address was proved by another client than the one that signed up,
    /// and of accounts that never had a password.
    pub password_hash: Option<String>,
    /// The user metadata, set by the user.
    pub user_metadata: Value,
    /// The app metadata, set by administrators, with `provider` and `providers`.
    pub app_metadata: Value,
    /// Whether it has neither address nor phone nor another identity.
    pub is_anonymous: bool,
    /// When the address was confirmed, by a code or because the practice asks for none.
    pub email_confirmed_at: Option<Timestamp>,
    /// When the address was proved: by a mailed code, or by the operator's word.
    pub email_proved_at: Option<Timestamp>,
    /// When the phone was confirmed by a code.
    pub phone_confirmed_at: Option<Timestamp>,
    /// When an administrator invited the person.
    pub invited_at: Option<Timestamp>,
    /// When the last code to confirm the address was requested.
    pub confirmation_sent_at: Option<Timestamp>,
    /// When the last recovery code or magic link was requested.
    pub recovery_sent_at: Option<Timestamp>,
    /// The address that is to replace `email`.
    pub new_email: Option<String>,
    /// When the codes for it were requested.
    pub email_change_sent_at: Option<Timestamp>,
    /// Which of the two addresses have confirmed the change: 1 the current one, 2 the new one.
    pub email_change_confirmed: i16,
    /// The phone that is to replace `phone`.
    pub new_phone: Option<String>,
    /// When the code for it was requested.
    pub phone_change_sent_at: Option<Timestamp>,
    /// When the last nonce for a new password was requested.
    pub reauthentication_sent_at: Option<Timestamp>,
    /// When the user last authenticated.
    pub last_sign_in_at: Option<Timestamp>,
    /// Until when the user is banned.
    pub banned_until_at: Option<Timestamp>,
    /// When an administrator deleted it and kept the row.
    pub deleted_at: Option<Timestamp>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// Its identities, oldest first.
    pub identities: Vec<Identity>,
    /// Its second factors, oldest first.
    pub factors: Vec<FactorSummary>,
    /// Whether it has a passkey.
    pub has_passkey: bool,
}

from_row!(User {
    user_id, identity_id, email, phone, password_hash, user_metadata, app_metadata, is_anonymous,
    email_confirmed_at, email_proved_at, phone_confirmed_at, invited_at, confirmation_sent_at,
    recovery_sent_at, new_email, email_change_sent_at, email_change_confirmed, new_phone,
    phone_change_sent_at, reauthentication_sent_at, last_sign_in_at, banned_until_at, deleted_at,
    created_at, updated_at, has_passkey,
} json { identities, factors });

impl User {
    /// A new, unconfirmed account with an address; not yet stored.
    #[must_use]
    pub fn new(email: &EmailAddress, user_metadata: Value, now: Timestamp) -> Self {
        let email = email.as_str().to_owned();
        let mut user = Self { email: Some(email), ..Self::blank(user_metadata, now) };
        user.app_metadata = json!({ "provider": "email", "providers": ["email"] });
        user.identities = vec![user.identity_of_address(now)];
        user
    }

    /// A new account without address, phone or identity; not yet stored.
    #[must_use]
    pub fn blank(user_metadata: Value, now: Timestamp) -> Self {
        Self {
            user_id: new_uuid(),
            identity_id: new_uuid(),
            email: None,
            phone: None,
            password_hash: None,
            user_metadata,
            app_metadata: json!({}),
            is_anonymous: false,
            email_confirmed_at: None,
            email_proved_at: None,
            phone_confirmed_at: None,
            invited_at: None,
            confirmation_sent_at: None,
            recovery_sent_at: None,
            new_email: None,
            email_change_sent_at: None,
            email_change_confirmed: 0,
            new_phone: None,
            phone_change_sent_at: None,
            reauthentication_sent_at: None,
            last_sign_in_at: None,
            banned_until_at: None,
            deleted_at: None,
            created_at: now,
            updated_at: now,
            identities: Vec::new(),
            factors: Vec::new(),
            has_passkey: false,
        }
    }

    /// Whether it has a second factor that is in use.
    #[must_use]
    pub fn has_verified_factor(&self) -> bool {
        self.factors.iter().any(FactorSummary::is_verified)
    }

    /// Whether it has what raises a session to `aal2`: a factor that is in use, or a passkey.
    #[must_use]
    pub fn has_second_factor(&self) -> bool {
        self.has_verified_factor() || self.has_passkey
    }

    /// Whether the user is banned.
    #[must_use]
    pub fn is_banned(&self, now: Timestamp) -> bool {
        self.banned_until_at.is_some_and(|until| until > now)
    }

    /// The address, or an empty text, as the contract writes it.
    #[must_use]
    pub fn email_text(&self) -> &str {
        self.email.as_deref().unwrap_or_default()
    }

    /// The address, if it has one.
    #[must_use]
    pub fn address(&self) -> Option<EmailAddress> {
        self.email.as_deref().and_then(EmailAddress::parse)
    }

    /// Whether its address or its phone is confirmed.
    #[must_use]
    pub fn is_confirmed(&self) -> bool {
        self.email_confirmed_at.is_some() || self.phone_confirmed_at.is_some()
    }

    /// Confirms and proves the address, as a code that was mailed there does.
    pub fn prove_address(&mut self, now: Timestamp) {
        self.email_confirmed_at.get_or_insert(now);
        self.email_proved_at.get_or_insert(now);
        self.is_anonymous = false;
        let email = self.email.clone();
        let same = self.identities.iter_mut().filter(|identity| identity.email == email);
        for identity in same {
            identity.set("email_verified", json!(true));
        }
        self.name_providers();
    }

    /// Replaces what was said of the person, also in the identity by the address, which repeats it.
    pub fn describe(&mut self, said: Value, now: Timestamp) {
        self.user_metadata = said;
        let anew = self.identity_of_address(now).identity_data;
        let by_address = |known: &&mut Identity| known.provider == identities::EMAIL;
        if let Some(identity) = self.identities.iter_mut().find(by_address) {
            identity.identity_data = anew;
            identity.updated_at = now;
        }
    }

    /// Its identity by its address. What the person said at sign-up belongs to it.
    #[must_use]
    pub fn identity_of_address(&self, now: Timestamp) -> Identity {
        let mut data = self.user_metadata.clone();
        let known = json!({
            "sub": self.user_id, "email": self.email,
            "email_verified": self.email_confirmed_at.is_some(), "phone_verified": false,
        });
        merge(&mut data, &known);
        let id = self.user_id.to_string();
        let identity = Identity::of_provider(self.user_id, (identities::EMAIL, &id), data, now);
        Identity { identity_id: self.identity_id, ..identity }
    }

    /// Notes a sign-in at the identity that it used: by a password or a code the address or the
    /// phone, which have the same id.
    pub fn note_sign_in(&mut self, method: &str, now: Timestamp) {
        let own_id = self.user_id.to_string();
        if matches!(method, "password" | "otp") {
            let own = self.identities.iter_mut().filter(|known| known.provider_id == own_id);
            own.for_each(|identity| identity.last_sign_in_at = Some(now));
        }
    }

    /// Writes the providers of its identities into the app metadata, as the contract does. The
    /// first one stays `provider`.
    pub fn name_providers(&mut self) {
        let mut providers: Vec<&str> = Vec::new();
        for identity in &self.identities {
            if !providers.contains(&identity.provider.as_str()) {
                providers.push(&identity.provider);
            }
        }
        let Some(first) = providers.first().copied() else { return };
        let known = self.app_metadata.get("provider").and_then(Value::as_str);
        let provider = known.filter(|known| providers.contains(known)).unwrap_or(first);
        let named = json!({ "provider": provider, "providers": providers });
        merge(&mut self.app_metadata, &named);
    }
}

fn merge(object: &mut Value, fields: &Value) {
    if let (Some(object), Some(fields)) = (object.as_object_mut(), fields.as_object()) {
        object.extend(fields.clone());
    }
}

/// Selects accounts as [`User`] reads them. Columns are named, so that a process goes on while a
/// newer one adds some. An account that an earlier version has made has no row in identities.
macro_rules! select_users {
    ($rest:literal) => {
        concat!(
            "select u.user_id, u.identity_id, u.email, u.phone, u.password_hash, u.user_metadata,
                    u.app_metadata, u.is_anonymous, u.email_confirmed_at, u.email_proved_at,
                    u.phone_confirmed_at, u.invited_at, u.confirmation_sent_at,
                    u.recovery_sent_at, u.new_email, u.email_change_sent_at,
                    u.email_change_confirmed, u.new_phone, u.phone_change_sent_at,
                    u.reauthentication_sent_at, u.last_sign_in_at, u.banned_until_at,
                    u.deleted_at, u.created_at, u.updated_at,
                    coalesce(
                        (select jsonb_agg(to_jsonb(i) order by i.created_at, i.identity_id)
                         from identities i where i.user_id = u.user_id),
                        case when u.email is null or u.is_anonymous then '[]'
                        else jsonb_build_array(jsonb_build_object(
                            'identity_id', u.identity_id, 'user_id', u.user_id,
                            'provider', 'email', 'provider_id', u.user_id,
                            'identity_data', jsonb_build_object(
                                'sub', u.user_id, 'email', u.email,
                                'email_verified', u.email_confirmed_at is not null,
                                'phone_verified', false),
                            'email', u.email, 'last_sign_in_at', u.last_sign_in_at,
                            'created_at', u.created_at, 'updated_at', u.updated_at))
                        end) as identities,
                    coalesce(
                        (select jsonb_agg(jsonb_build_object(
                                    'factor_id', f.factor_id, 'friendly_name', f.friendly_name,
                                    'factor_type', f.factor_type, 'status', f.status,
                                    'phone', f.phone, 'last_challenged_at', f.last_challenged_at,
                                    'created_at', f.created_at, 'updated_at', f.updated_at)
                                order by f.created_at, f.factor_id)
                         from factors f where f.user_id = u.user_id), '[]') as factors,
                    exists (select from passkeys p where p.user_id = u.user_id) as has_passkey
             from users u ",
            $rest
        )
    };
}

/// The account of an address.
pub async fn by_email(
    executor: impl PgExecutor<'_>,
    email: &EmailAddress,
) -> Result<Option<User>, sqlx::Error> {
    sqlx::query_as(select_users!("where u.email = $1"))
        .bind(email.as_str())
        .fetch_optional(executor)
        .await
}

/// The account of an address, locked until the transaction ends.
pub async fn lock_by_email(
    executor: impl PgExecutor<'_>,
    email: &EmailAddress,
) -> Result<Option<User>, sqlx::Error> {
    sqlx::query_as(select_users!("where u.email = $1 for update of u"))
        .bind(email.as_str())
        .fetch_optional(executor)
        .await
}

/// The accounts that want to change to an address, or from it, locked until the transaction ends.
/// Accounts that want the same new address may be many: the newest wishes come first.
pub async fn lock_changing(
    executor: impl PgExecutor<'_>,
    email: &EmailAddress,
) -> Result<Vec<User>, sqlx::Error> {
    sqlx::query_as(select_users!(
        "where u.new_email = $1 or (u.email = $1 and u.new_email is not null)
         order by u.email_change_sent_at desc limit 10 for update of u"
    ))
    .bind(email.as_str())
    .fetch_all(executor)
    .await
}

/// The accounts that want to change to a phone, or from it, newest wishes first, locked until the
/// transaction ends.
pub async fn lock_changing_phone(
    executor: impl PgExecutor<'_>,
    phone: &str,
) -> Result<Vec<User>, sqlx::Error> {
    sqlx::query_as(select_users!(
        "where u.new_phone = $1 or (u.phone = $1 and u.new_phone is not null)
         order by u.phone_change_sent_at desc limit 10 for update of u"
    ))
    .bind(phone)
    .fetch_all(executor)
    .await
}

/// The account with an id.
pub async fn by_id(
    executor: impl PgExecutor<'_>,
    user_id: Uuid,
) -> Result<Option<User>, sqlx::Error> {
    sqlx::query_as(select_users!("where u.user_id = $1"))
        .bind(user_id)
        .fetch_optional(executor)
        .await
}

/// The accounts with these ids, newest first.
pub async fn by_ids(executor: impl PgExecutor<'_>, ids: &[Uuid]) -> Result<Vec<User>, sqlx::Error> {
    sqlx::query_as(select_users!(
        "where u.user_id = any($1) order by u.created_at desc, u.user_id desc"
    ))
    .bind(ids)
    .fetch_all(executor)
    .await
}

/// The account of a phone.
pub async fn by_phone(
    executor: impl PgExecutor<'_>,
    phone: &str,
) -> Result<Option<User>, sqlx::Error> {
    sqlx::query_as(select_users!("where u.phone = $1")).bind(phone).fetch_optional(executor).await
}

/// The account of a phone, locked until the transaction ends.
pub async fn lock_by_phone(
    executor: impl PgExecutor<'_>,
    phone: &str,
) -> Result<Option<User>, sqlx::Error> {
    sqlx::query_as(select_users!("where u.phone = $1 for update of u"))
        .bind(phone)
        .fetch_optional(executor)
        .await
}

/// The account with an id, locked until the transaction ends.
pub async fn lock_by_id(
    executor: impl PgExecutor<'_>,
    user_id: Uuid,
) -> Result<Option<User>, sqlx::Error> {
    sqlx::query_as(select_users!("where u.user_id = $1 for update of u"))
        .bind(user_id)
        .fetch_optional(executor)
        .await
}

/// Stores a new account with its identities.
///
/// # Errors
/// When the address already has an account, or the database does not answer.
pub async fn insert(connection: &mut PgConnection, user: &User) -> Result<(), sqlx::Error> {
    sqlx::query(
        "insert into users (user_id, identity_id, user_metadata, app_metadata, created_at,
                            updated_at)
         values ($1, $2, $3, $4, $5, $6)",
    )
    .bind(user.user_id)
    .bind(user.identity_id)
    .bind(&user.user_metadata)
    .bind(&user.app_metadata)
    .bind(user.created_at)
    .bind(user.updated_at)
    .execute(&mut *connection)
    .await?;
    update(connection, user).await
}

/// An account whose address is this one and not confirmed, locked.
///
/// # Errors
/// When the database does not answer.
pub async fn lock_unconfirmed(
    connection: &mut PgConnection,
    email: Option<&str>,
) -> Result<Option<User>, sqlx::Error> {
    sqlx::query_as(select_users!(
        "where u.email = $1 and u.email_confirmed_at is null for update of u"
    ))
    .bind(email)
    .fetch_optional(connection)
    .await
}

/// Replaces a former account of the address by a new one. Password, sessions and codes of the
/// former are deleted; its access tokens name an id that does not exist any more.
///
/// # Errors
/// When the address has another account, or the database does not answer.
pub async fn supersede(
    connection: &mut PgConnection,
    former: Uuid,
    user: &User,
) -> Result<(), sqlx::Error> {
    delete(&mut *connection, former).await?;
    insert(connection, user).await
}

/// Deletes an account with everything that belongs to it.
pub async fn delete(executor: impl PgExecutor<'_>, user_id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query("delete from users where user_id = $1").bind(user_id).execute(executor).await?;
    Ok(())
}

/// Updates the mutable columns of an account, and its identities.
pub async fn update(connection: &mut PgConnection, user: &User) -> Result<(), sqlx::Error> {
    sqlx::query(
        "update users
         set email = $2, phone = $3, password_hash = $4, user_metadata = $5, app_metadata = $6,
             is_anonymous = $7, email_confirmed_at = $8, email_proved_at = $9,
             phone_confirmed_at = $10, invited_at = $11, confirmation_sent_at = $12,
             recovery_sent_at = $13, new_email = $14, email_change_sent_at = $15,
             email_change_confirmed = $16, new_phone = $17, phone_change_sent_at = $18,
             reauthentication_sent_at = $19, last_sign_in_at = $20, banned_until_at = $21,
             deleted_at = $22, updated_at = $23
         where user_id = $1",
    )
    .bind(user.user_id)
    .bind(&user.email)
    .bind(&user.phone)
    .bind(&user.password_hash)
    .bind(&user.user_metadata)
    .bind(&user.app_metadata)
    .bind(user.is_anonymous)
    .bind(user.email_confirmed_at)
    .bind(user.email_proved_at)
    .bind(user.phone_confirmed_at)
    .bind(user.invited_at)
    .bind(user.confirmation_sent_at)
    .bind(user.recovery_sent_at)
    .bind(&user.new_email)
    .bind(user.email_change_sent_at)
    .bind(user.email_change_confirmed)
    .bind(&user.new_phone)
    .bind(user.phone_change_sent_at)
    .bind(user.reauthentication_sent_at)
    .bind(user.last_sign_in_at)
    .bind(user.banned_until_at)
    .bind(user.deleted_at)
    .bind(user.updated_at)
    .execute(&mut *connection)
    .await?;
    identities::store(connection, &user.identities).await
}
