//! The secret in a follow-up mail's link. It names a booking and carries an HMAC that proves its
//! origin. Whether it is expired or used is kept in the session's row.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use kernel::id::Booking;
use kernel::{Id, Timestamp};
use runtime::RotatedSecret;
use secrecy::{ExposeSecret as _, SecretString};
use sha2::Sha256;
use uuid::Uuid;

/// Days after its session for which an invitation is valid.
pub const VALID_DAYS: i64 = 90;

/// Prefix of the signed text, for domain separation from other uses of the key.
const PURPOSE: &[u8] = b"review-invitation";
/// Bytes of the truncated MAC in the secret.
const MAC_BYTES: usize = 16;
/// Minutes per day.
const DAY_MINUTES: i64 = 24 * 60;

/// Creates and verifies invitations.
#[derive(Clone)]
pub struct Invitations {
    mac: Hmac<Sha256>,
    /// Of the key before, whose invitations are accepted as well.
    previous: Option<Hmac<Sha256>>,
}

impl fmt::Debug for Invitations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Invitations").finish_non_exhaustive()
    }
}

/// The key cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("REVIEWS_INVITATION_KEY, or the one before it, has fewer than 32 characters")]
pub struct WeakKey;

/// When the invitation expires of a session that was completed at `completed_at`.
#[must_use]
pub fn valid_until(completed_at: Timestamp) -> Timestamp {
    completed_at.plus_minutes(VALID_DAYS * DAY_MINUTES)
}

impl Invitations {
    /// Signs with this key.
    ///
    /// # Errors
    /// When one of the keys has fewer than 32 bytes.
    pub fn new(key: &RotatedSecret) -> Result<Self, WeakKey> {
        let previous = key.previous().map(keyed).transpose()?;
        Ok(Self { mac: keyed(key.current())?, previous })
    }

    /// The secret of a booking; always the same one.
    #[must_use]
    pub fn secret(&self, booking_id: Id<Booking>) -> String {
        let mut bytes = booking_id.uuid().as_bytes().to_vec();
        let tag = signed(&self.mac, booking_id).finalize().into_bytes();
        bytes.extend(tag.iter().take(MAC_BYTES));
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// The booking of a secret; `None` when the signature is wrong.
    #[must_use]
    pub fn booking(&self, secret: &str) -> Option<Id<Booking>> {
        let bytes = URL_SAFE_NO_PAD.decode(secret).ok()?;
        let (uuid, tag) = bytes.split_at_checked(size_of::<Uuid>())?;
        if tag.len() != MAC_BYTES {
            return None;
        }
        let booking_id = Id::from_uuid(Uuid::from_slice(uuid).ok()?);
        let is_of = |mac: &Hmac<Sha256>| signed(mac, booking_id).verify_truncated_left(tag).is_ok();
        let is_ours = is_of(&self.mac) || self.previous.as_ref().is_some_and(is_of);
        is_ours.then_some(booking_id)
    }
}

fn keyed(key: &SecretString) -> Result<Hmac<Sha256>, WeakKey> {
    let bytes = key.expose_secret().as_bytes();
    if bytes.len() < 32 {
        return Err(WeakKey);
    }
    Hmac::new_from_slice(bytes).map_err(|_never| WeakKey)
}

fn signed(mac: &Hmac<Sha256>, booking_id: Id<Booking>) -> Hmac<Sha256> {
    let mut mac = mac.clone();
    mac.update(PURPOSE);
    mac.update(booking_id.uuid().as_bytes());
    mac
}

#[cfg(test)]
mod tests {
    use super::{Invitations, WeakKey};
    use kernel::Id;
    use runtime::RotatedSecret;
    use uuid::Uuid;

    fn invitations(key: &str) -> Invitations {
        Invitations::new(&key.to_owned().into()).unwrap()
    }

    const KEY: &str = "a-key-that-is-long-enough-for-tests";

    #[test]
    fn a_secret_stands_in_a_url_and_leads_to_its_booking() {
        let invitations = invitations(KEY);
        for number in [0, 1, u128::MAX] {
            let id = Id::from_uuid(Uuid::from_u128(number));
            let secret = invitations.secret(id);
            assert_eq!(secret.len(), 43);
            assert!(secret.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b)));
            assert_eq!(invitations.booking(&secret), Some(id));
            assert_eq!(invitations.secret(id), secret);
        }
    }

    #[test]
    fn forged_or_truncated_invitations_are_rejected() {
        let ours = invitations(KEY);
        let id = Id::from_uuid(Uuid::from_u128(7));
        let secret = ours.secret(id);
        for at in 0..secret.len() {
            let mut changed = secret.clone().into_bytes();
            changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
            assert_eq!(ours.booking(&String::from_utf8(changed).unwrap()), None, "{at}");
        }
        let longer = format!("{secret}A");
        for text in ["", "x", &secret[..42], &secret[..22], &longer, &secret.repeat(2)] {
            assert_eq!(ours.booking(text), None, "{text}");
        }
        let theirs = invitations("another-key-that-is-long-enough-too");
        assert_eq!(theirs.booking(&secret), None);
    }

    #[test]
    fn an_invitation_of_the_key_before_is_accepted_and_the_new_key_signs() {
        let other = "another-key-that-is-long-enough-too";
        let rotated = RotatedSecret::new(other.into(), Some(KEY.into()));
        let rotated = Invitations::new(&rotated).unwrap();
        let id = Id::from_uuid(Uuid::from_u128(7));
        assert_eq!(rotated.booking(&invitations(KEY).secret(id)), Some(id));
        assert_eq!(rotated.secret(id), invitations(other).secret(id));
        let short = RotatedSecret::new(other.into(), Some("short".into()));
        assert_eq!(Invitations::new(&short).unwrap_err(), WeakKey);
    }

    #[test]
    fn a_short_key_is_refused() {
        assert_eq!(Invitations::new(&"short".to_owned().into()).unwrap_err(), WeakKey);
    }
}
