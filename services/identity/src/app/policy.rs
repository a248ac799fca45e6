//! What this server does differently for clients of the contract that are not our own pages. The
//! defaults are those of our own pages.

use std::fmt;

use url::Url;

kernel::words! {
    /// The clients that this server is made for.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum Clients {
        /// Our own pages: no answer reveals whether an address has an account, and a new password
        /// needs the old one or a code.
        #[default]
        Own = "own",
        /// Any client of the contract: answers as the contract has them, also where they reveal
        /// that.
        Any = "any",
    }
}

impl fmt::Display for Clients {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// The rules that a practice may change.
#[derive(Debug, Clone)]
pub struct Policy {
    /// Whether a person may make an account; `IDENTITY_SIGNUPS`, true by default.
    pub signups: bool,
    /// The clients that this server is made for; `IDENTITY_CLIENTS`, `own` by default.
    pub clients: Clients,
    /// Whether mails link to `GET /verify` and it redeems at once, also for a mail scanner;
    /// `IDENTITY_VERIFY_BY_GET`, false by default.
    pub verify_by_get: bool,
    /// Whether the password of a sign-up stays when its code comes without the sign-up's secret;
    /// `IDENTITY_KEEP_SIGN_UP_PASSWORD`, false by default. A stranger may have chosen it.
    pub keep_sign_up_password: bool,
    /// Origins whose pages may call this server and to which links may lead;
    /// `IDENTITY_CORS_ORIGINS`, comma-separated, none by default.
    pub origins: Vec<Url>,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            signups: true,
            clients: Clients::Own,
            verify_by_get: false,
            keep_sign_up_password: false,
            origins: Vec::new(),
        }
    }
}

impl Policy {
    /// Whether answers are the contract's even where they reveal an account.
    #[must_use]
    pub fn is_for_any(&self) -> bool {
        self.clients == Clients::Any
    }
}
