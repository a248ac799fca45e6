//! One line in the log for each sign-in, change and refusal. A line has ids and a shortened
//! network; it names no person. Its words are a closed list, so that they can be searched for.

use kernel::hex;
use uuid::Uuid;

use crate::guard::caller::Caller;

/// The target of the lines: `LOG_FILTER` can select them, and a collector can ship them.
pub const TARGET: &str = "security";

kernel::words! {
    /// What was done or tried.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Kind {
        /// Opening a session.
        SignIn = "sign_in",
        /// Asking for the password again within a session.
        Reauthentication = "reauthentication",
        /// A new account.
        SignUp = "sign_up",
        /// Asking for a code by mail.
        CodeRequest = "code_request",
        /// Continuing a session.
        Refresh = "refresh",
        /// Ending sessions.
        SignOut = "sign_out",
        /// A new password.
        PasswordChange = "password_change",
        /// A new address or phone number.
        AddressChange = "address_change",
        /// A second factor, added or removed.
        FactorChange = "factor_change",
        /// A passkey or security key whose counter did not go up.
        CredentialCounter = "credential_counter",
        /// Guesses of the same password at several accounts, or many failures at once.
        GuessingAlarm = "guessing_alarm",
    }
}

kernel::words! {
    /// How it ended.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Outcome {
        /// It succeeded.
        Done = "done",
        /// The proof was wrong or has expired.
        WrongProof = "wrong_proof",
        /// A limit refused it before the proof was read.
        Limited = "limited",
        /// The account is banned.
        Banned = "banned",
        /// The address is not confirmed yet.
        Unconfirmed = "unconfirmed",
        /// A token was used a second time.
        Reused = "reused",
    }
}

kernel::words! {
    /// By which proof.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Method {
        /// A password.
        Password = "password",
        /// Digits of a mail, or of a message to a phone.
        Code = "code",
        /// The link of a mail.
        Link = "link",
        /// A refresh token.
        RefreshToken = "refresh_token",
        /// An access token.
        Session = "session",
        /// A code of an authenticator app.
        App = "app",
        /// A security key.
        SecurityKey = "security_key",
        /// A passkey.
        Passkey = "passkey",
        /// A recovery code.
        RecoveryCode = "recovery_code",
        /// The code of a flow with PKCE.
        Exchange = "exchange",
        /// Another provider's word.
        Provider = "provider",
        /// A key of an administrator's program.
        ServiceKey = "service_key",
        /// None.
        Nothing = "nothing",
    }
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

impl About {
    fn text(self) -> String {
        match self {
            Self::Account(id) => id.to_string(),
            // Half of the hash distinguishes addresses well enough.
            Self::Address(hash) => format!("address-{:.32}", hex::encode(hash)),
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
