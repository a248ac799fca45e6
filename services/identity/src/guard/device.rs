//! Device tokens: a client that has signed in to an account gets one for it, and then has a counter
//! of guesses of its own, which no other client can use up. A token opens nothing.
//!
//! A token is a random number and its MAC with the account's address; nothing is stored. The
//! gateway keeps the tokens in a cookie that scripts cannot read.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::accounts::address::EmailAddress;
use crate::tokens::secrets::CodeKey;

/// The header of requests and responses.
pub const HEADER: &str = "x-device-token";
/// How many accounts a device is remembered for.
const ACCOUNTS_MAX: usize = 5;
const ID_BYTES: usize = 16;

/// The random number of a device.
pub type DeviceId = [u8; ID_BYTES];

/// The device's id, if one of the tokens is for the account of this address.
#[must_use]
pub fn known(tokens: Option<&str>, email: &EmailAddress, key: &CodeKey) -> Option<DeviceId> {
    tokens?.split('.').take(ACCOUNTS_MAX).find_map(|token| id_of(token, email, key))
}

/// The tokens after a sign-in to the account of this address, the newest first.
#[must_use]
pub fn renew(tokens: Option<&str>, email: &EmailAddress, key: &CodeKey) -> String {
    let before: Vec<&str> = tokens.unwrap_or_default().split('.').take(ACCOUNTS_MAX).collect();
    let id = known(tokens, email, key).unwrap_or_else(rand::random);
    let others =
        before.into_iter().filter(|token| is_token(token) && id_of(token, email, key).is_none());
    let own = token(id, email, key);
    let all: Vec<&str> = std::iter::once(own.as_str()).chain(others).take(ACCOUNTS_MAX).collect();
    all.join(".")
}

fn token(id: DeviceId, email: &EmailAddress, key: &CodeKey) -> String {
    let mut bytes = id.to_vec();
    bytes.extend(key.device_mac(id, email));
    URL_SAFE_NO_PAD.encode(bytes)
}

fn id_of(token: &str, email: &EmailAddress, key: &CodeKey) -> Option<DeviceId> {
    let bytes = URL_SAFE_NO_PAD.decode(token).ok()?;
    let (id, mac) = bytes.split_at_checked(ID_BYTES)?;
    let id = DeviceId::try_from(id).ok()?;
    key.is_device_mac(id, email, mac).then_some(id)
}

/// Whether a text has the form of a token, so that nothing else is sent back.
fn is_token(text: &str) -> bool {
    URL_SAFE_NO_PAD.decode(text).is_ok_and(|bytes| bytes.len() == ID_BYTES + 32)
}

#[cfg(test)]
mod tests {
    use super::{known, renew};
    use crate::accounts::address::EmailAddress;
    use crate::tokens::secrets::CodeKey;

    fn address(name: &str) -> EmailAddress {
        EmailAddress::parse(&format!("{name}@example.test")).unwrap()
    }

    fn key(secret: &str) -> CodeKey {
        CodeKey::new(&secret.to_owned().into()).unwrap()
    }

    #[test]
    fn a_token_is_for_its_account_only() {
        let (key, asha, ravi) = (key("a secret"), address("asha"), address("ravi"));
        let tokens = renew(None, &asha, &key);
        assert!(known(Some(&tokens), &asha, &key).is_some());
        assert_eq!(known(Some(&tokens), &ravi, &key), None);
        assert_eq!(known(Some(&tokens), &asha, &self::key("another")), None);
        for wrong in ["", ".", "abc", &tokens[1..]] {
            assert_eq!(known(Some(wrong), &asha, &key), None, "{wrong}");
        }
    }

    #[test]
    fn a_device_keeps_its_id_and_knows_a_few_accounts() {
        let key = key("a secret");
        let first = renew(None, &address("asha"), &key);
        let both = renew(Some(&first), &address("ravi"), &key);
        assert_eq!(
            known(Some(&both), &address("asha"), &key),
            known(Some(&first), &address("asha"), &key)
        );
        let again = renew(Some(&both), &address("asha"), &key);
        assert_eq!(again.split('.').count(), 2);
        assert_eq!(again.split('.').next(), Some(first.as_str()));
        let many =
            (0..9).fold(first, |tokens, n| renew(Some(&tokens), &address(&format!("p{n}")), &key));
        assert_eq!(many.split('.').count(), 5);
        assert_eq!(known(Some(&many), &address("asha"), &key), None);
        assert_eq!(renew(Some("rubbish.x"), &address("asha"), &key).split('.').count(), 1);
    }
}
