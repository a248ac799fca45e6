//! The one implementation of cryptography, for TLS and for tokens.

use crate::caller::es256;

/// Installs it for this process. Repeating it changes nothing.
///
/// reqwest panics without it, so the client of [`crate::http`] and [`crate::Program`] call it.
pub fn install_crypto() {
    // An error means that one is installed already.
    rustls::crypto::ring::default_provider().install_default().ok();
    es256::install();
}
