//! One line in the log for each sign-in, change and refusal. A line has ids and a shortened
//! network; it names no person. Its words are a closed list, so that they can be searched for.

use uuid::Uuid;

use crate::guard::caller::Caller;

/// The target of the lines: `LOG_FILTER` can select them, and a collector can ship them.
pub const TARGET: &str = "security";

/// What was done or tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Opening a session.
    SignIn,
    /// Asking for the password again within a session.
    Reauthentication,
    /// A new account.
    SignUp,
    /// Asking for a code by mail.
    CodeRequest,
    /// Continuing a session.
    Refresh,
    /// Ending sessions.
    SignOut,
    /// A new password.
    PasswordChange,
    /// A new address or phone number.
    AddressChange,
    /// A second factor, added or removed.
    FactorChange,
    /// A passkey or security key whose counter did not go up.
    CredentialCounter,
    /// Guesses of the same password at several accounts, or many failures at once.
    GuessingAlarm,
}

/// How it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It succeeded.
    Done,
    /// The proof was wrong or has expired.
    WrongProof,
    /// A limit refused it before the proof was read.
    Limited,
    /// The account is banned.
    Banned,
    /// The address is not confirmed yet.
    Unconfirmed,
    /// A token was used a second time.
    Reused,
}

/// By which proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// A password.
    Password,
    /// Digits of a mail, or of a message to a phone.
    Code,
    /// The link of a mail.
    Link,
    /// A refresh token.
    RefreshToken,
    /// An access token.
    Session,
    /// A code of an authenticator app.
    App,
    /// A security key.
    SecurityKey,
    /// A passkey.
    Passkey,
    /// A recovery code.
    RecoveryCode,
    /// The code of a flow with PKCE.
    Exchange,
    /// Another provider's word.
    Provider,
    /// A key of an administrator's program.
    ServiceKey,
    /// None.
    Nothing,
}

/// Whose account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum About {
    /// An account.
    Account(Uuid),
    /// The keyed hash of an address, which may have no account.
    Address([u8; 32]),
    /// No single one.
    NoAccount,
}

impl Kind {
    /// Its word in the log.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::SignIn => "sign_in",
            Self::Reauthentication => "reauthentication",
            Self::SignUp => "sign_up",
            Self::CodeRequest => "code_request",
            Self::Refresh => "refresh",
            Self::SignOut => "sign_out",
            Self::PasswordChange => "password_change",
            Self::AddressChange => "address_change",
            Self::FactorChange => "factor_change",
            Self::CredentialCounter => "credential_counter",
            Self::GuessingAlarm => "guessing_alarm",
        }
    }
}

impl Outcome {
    /// Its word in the log.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::WrongProof => "wrong_proof",
            Self::Limited => "limited",
            Self::Banned => "banned",
            Self::Unconfirmed => "unconfirmed",
            Self::Reused => "reused",
        }
    }
}

impl Method {
    /// Its word in the log.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Password => "password",
            Self::Code => "code",
            Self::Link => "link",
            Self::RefreshToken => "refresh_token",
            Self::Session => "session",
            Self::App => "app",
            Self::SecurityKey => "security_key",
            Self::Passkey => "passkey",
            Self::RecoveryCode => "recovery_code",
            Self::Exchange => "exchange",
            Self::Provider => "provider",
            Self::ServiceKey => "service_key",
            Self::Nothing => "nothing",
        }
    }
}

impl About {
    fn text(self) -> String {
        match self {
            Self::Account(id) => id.to_string(),
            // Half of the hash distinguishes addresses well enough.
            Self::Address(hash) => {
                let half = hash.iter().take(16).map(|byte| format!("{byte:02x}"));
                format!("address-{}", half.collect::<String>())
            }
            Self::NoAccount => "-".to_owned(),
        }
    }
}

/// Writes the line. It is called in the request's own task, which knows the client.
pub fn write(kind: Kind, outcome: Outcome, method: Method, about: About) {
    let caller = Caller::current();
    tracing::info!(
        target: TARGET,
        kind = kind.word(),
        outcome = outcome.word(),
        method = method.word(),
        account = about.text(),
        network = caller.network_text(),
        "account security"
    );
}
