//! How the provider is reached, and the keys and secrets of both sides.

use kernel::PaymentProvider;
use secrecy::SecretString;

/// The provider's name in addresses, events and rows.
pub(super) const NAME: &str = PaymentProvider::FIRST.name;

/// How Razorpay is reached, and the keys and secrets of both sides.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The API's base, which ends in `/v1`.
    pub url: String,
    /// The public half of the key.
    pub key_id: String,
    /// The secret half, which also signs the checkout's answer.
    pub key_secret: SecretString,
    /// Signs webhooks.
    pub webhook_secret: SecretString,
    /// The previous webhook secret; still valid for webhooks that are sent again after a change.
    pub webhook_secret_previous: Option<SecretString>,
    /// Where the page of a payment link leads its payer, without the booking; `None` if it leads
    /// nowhere.
    pub link_return_url: Option<String>,
    /// Our account there, "acc_…"; webhooks of another one are dropped when it is set.
    pub account_id: Option<String>,
}
