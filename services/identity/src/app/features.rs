//! Ways to sign in that a practice may switch on. All are off by default, as in the contract.

use crate::providers::ProviderSettings;
use crate::sms::SmsSettings;

/// What is switched on.
#[derive(Debug, Clone, Default)]
pub struct Features {
    /// Whether an account may begin without address and phone; `IDENTITY_ANONYMOUS`.
    pub anonymous: bool,
    /// Whether a signed-in person may add and remove identities; `IDENTITY_MANUAL_LINKING`.
    pub manual_linking: bool,
    /// Signing in by phone.
    pub sms: Option<SmsSettings>,
    /// Whether a phone may be a second factor; `IDENTITY_MFA_PHONE`. It needs `sms`.
    pub mfa_phone: bool,
    /// Other providers at which a person may sign in.
    pub providers: Vec<ProviderSettings>,
}
