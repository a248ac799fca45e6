//! What a person signs in with beside the password: the address or the phone.

use sqlx::PgPool;

use crate::accounts::address::EmailAddress;
use crate::guard::caller::Caller;
use crate::http::error::ApiError;
use crate::repository::limits::AddressLimits;
use crate::repository::users::{self, User};
use crate::tokens::secrets::CodeKey;

/// An address or the digits of a phone.
#[derive(Clone)]
pub(crate) enum Login {
    Email(EmailAddress),
    Phone(String),
}

impl Login {
    /// What the person of an account signs in with; none of an account without both.
    pub(crate) fn of(user: &User) -> Option<Self> {
        user.address().map(Self::Email).or_else(|| user.phone.clone().map(Self::Phone))
    }

    /// Its limits for the client of the current request.
    pub(crate) fn limits(&self, key: &CodeKey) -> AddressLimits {
        match self {
            Self::Email(email) => AddressLimits::of(email, key),
            Self::Phone(phone) => AddressLimits::of_phone(phone, key, &Caller::current()),
        }
    }

    /// Its account.
    pub(crate) async fn account(&self, rows: &PgPool) -> Result<Option<User>, sqlx::Error> {
        match self {
            Self::Email(email) => users::by_email(rows, email).await,
            Self::Phone(phone) => users::by_phone(rows, phone).await,
        }
    }

    /// Whether the account's person has shown that it is theirs.
    pub(crate) fn is_confirmed(&self, user: &User) -> bool {
        match self {
            Self::Email(_) => user.email_confirmed_at.is_some(),
            Self::Phone(_) => user.phone_confirmed_at.is_some(),
        }
    }

    /// The answer while it is not confirmed.
    pub(crate) fn unconfirmed(&self) -> ApiError {
        match self {
            Self::Email(_) => ApiError::bad("email_not_confirmed", "Email not confirmed"),
            Self::Phone(_) => ApiError::bad("phone_not_confirmed", "Phone not confirmed"),
        }
    }
}
