//! Settings of the commands about second steps.

use runtime::Reader;
use secrecy::SecretString;

use crate::accounts::address::EmailAddress;
use crate::app::enroll_factor::EnrolmentRequest;

/// Settings of the command `reset-factors`.
#[derive(Debug, Clone)]
pub struct ResetFactorsConfig {
    /// The database, by the service's own role; `IDENTITY_DATABASE_URL`.
    pub database_url: SecretString,
    /// The address of the account; `ACCOUNT_EMAIL`.
    pub email: EmailAddress,
}

/// Settings of the command `enroll-factor`.
#[derive(Debug, Clone)]
pub struct EnrollFactorConfig {
    /// The database, by the service's own role; `IDENTITY_DATABASE_URL`.
    pub database_url: SecretString,
    /// The authenticator app; `ACCOUNT_EMAIL`, `ACCOUNT_PASSWORD`, `ACCOUNT_TOTP_SECRET` and
    /// `IDENTITY_CODE_KEY`.
    pub enrolment: EnrolmentRequest,
}

impl EnrollFactorConfig {
    /// Reads them.
    pub fn read(reader: &mut Reader<'_>) -> Self {
        Self {
            database_url: reader.secret("IDENTITY_DATABASE_URL"),
            enrolment: EnrolmentRequest {
                email: address(reader, "ACCOUNT_EMAIL"),
                password: reader.secret("ACCOUNT_PASSWORD"),
                secret: reader.secret("ACCOUNT_TOTP_SECRET"),
                code_key: reader.secret("IDENTITY_CODE_KEY"),
            },
        }
    }
}

impl ResetFactorsConfig {
    /// Reads them.
    pub fn read(reader: &mut Reader<'_>) -> Self {
        Self {
            database_url: reader.secret("IDENTITY_DATABASE_URL"),
            email: address(reader, "ACCOUNT_EMAIL"),
        }
    }
}

/// Reads an address.
pub(super) fn address(reader: &mut Reader<'_>, setting: &str) -> EmailAddress {
    let text = reader.required(setting);
    EmailAddress::parse(&text).unwrap_or_else(|| {
        if !text.is_empty() {
            reader.problem(setting, "it is no e-mail address");
        }
        EmailAddress::placeholder()
    })
}
