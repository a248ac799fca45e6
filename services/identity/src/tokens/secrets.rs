//! Values derived from secrets: codes, links, refresh tokens. None is stored as sent, and none is
//! logged.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use secrecy::{ExposeSecret as _, SecretString};
use sha2::digest::InvalidLength;
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use crate::accounts::address::EmailAddress;
use crate::tokens::sealing::{SealError, Sealer};

/// The number of codes of six digits, and of eight.
const FEW_CODES: u64 = 1_000_000;
const MANY_CODES: u64 = 100_000_000;
const MAC_BYTES: usize = 32;
const ID_BYTES: usize = 16;

/// How many digits a code has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Digits {
    /// Six, where typing them also needs a session, or where a known device asked for them.
    #[default]
    Six,
    /// Eight, where any client may have asked and any client may type: five tries at each of a
    /// thousand mailed codes then open one in 20,000 rounds, instead of one in 200.
    Eight,
}

impl Digits {
    /// Of a row.
    #[must_use]
    pub fn of_count(count: i16) -> Self {
        if count == Self::Eight.count() { Self::Eight } else { Self::Six }
    }

    /// Its number in rows.
    #[must_use]
    pub fn count(self) -> i16 {
        match self {
            Self::Six => 6,
            Self::Eight => 8,
        }
    }
}

/// The HMAC key of codes, links and address hashes. What a former key derived is still accepted.
#[derive(Clone)]
pub struct CodeKey {
    mac: Hmac<Sha256>,
    former: Option<Hmac<Sha256>>,
}

impl CodeKey {
    /// Creates the key from the secret.
    ///
    /// # Errors
    /// Never; a key may have any length.
    pub fn new(secret: &SecretString) -> Result<Self, InvalidLength> {
        let mac = Hmac::new_from_slice(secret.expose_secret().as_bytes())?;
        Ok(Self { mac, former: None })
    }

    /// The same key, which also accepts what the former secret derived.
    ///
    /// # Errors
    /// Never; a key may have any length.
    pub fn after(mut self, former: Option<&SecretString>) -> Result<Self, InvalidLength> {
        let former = former.map(|secret| Hmac::new_from_slice(secret.expose_secret().as_bytes()));
        self.former = former.transpose()?;
        Ok(self)
    }

    /// The digits of a code, derived from the key and the id, so that they are not stored.
    #[must_use]
    pub fn digits(&self, code_id: Uuid, count: Digits) -> String {
        digits_of(&self.derive("digits", code_id.as_bytes()), count)
    }

    /// Whether these are the digits of a code, in any script, also if they were mailed before the
    /// key changed.
    #[must_use]
    pub fn is_digits(&self, (code_id, count): (Uuid, Digits), typed: &str) -> bool {
        let typed = kernel::typed::digits(typed);
        self.any("digits", code_id.as_bytes(), |mac| {
            constant_time_eq(digits_of(mac, count).as_bytes(), typed.as_bytes())
        })
    }

    /// The token of the mail's link; it is equivalent to the digits.
    #[must_use]
    pub fn link_token(&self, code_id: Uuid) -> String {
        let mut token = code_id.as_bytes().to_vec();
        token.extend(self.derive("link", code_id.as_bytes()));
        URL_SAFE_NO_PAD.encode(token)
    }

    /// The code id of a link's token; `None` when the signature is wrong.
    #[must_use]
    pub fn code_of_link(&self, token: &str) -> Option<Uuid> {
        let bytes = URL_SAFE_NO_PAD.decode(token).ok()?;
        let (id, mac) = bytes.split_at_checked(ID_BYTES)?;
        let code_id = Uuid::from_slice(id).ok()?;
        let is_ours = |derived: &[u8; MAC_BYTES]| constant_time_eq(mac, derived);
        self.any("link", code_id.as_bytes(), is_ours).then_some(code_id)
    }

    /// The secret in a sign-up's response, with which that browser can later prove that it created
    /// the account. It is bound to the account's id, and each sign-up creates a new account.
    #[must_use]
    pub fn sign_up_secret(&self, user_id: Uuid) -> String {
        URL_SAFE_NO_PAD.encode(self.derive("sign-up", user_id.as_bytes()))
    }

    /// Whether this is the secret of the sign-up that created the account.
    #[must_use]
    pub fn is_sign_up_secret(&self, user_id: Uuid, shown: &str) -> bool {
        let shown = URL_SAFE_NO_PAD.decode(shown).unwrap_or_default();
        self.any("sign-up", user_id.as_bytes(), |mac| constant_time_eq(mac, &shown))
    }

    /// A keyed hash of an address, for limits and logs.
    #[must_use]
    pub fn address_hash(&self, email: &EmailAddress) -> [u8; MAC_BYTES] {
        self.derive("address", email.as_str().as_bytes())
    }

    /// A keyed hash of a phone, for limits.
    #[must_use]
    pub fn phone_hash(&self, phone: &str) -> [u8; MAC_BYTES] {
        self.derive("phone", phone.as_bytes())
    }

    /// A keyed hash of a phone together with one place that requests come from.
    #[must_use]
    pub fn phone_place_hash(&self, phone: &str, place: &[u8]) -> [u8; MAC_BYTES] {
        self.derive("phone-place", &[phone.as_bytes(), &[0], place].concat())
    }

    /// A keyed hash of an account, for limits.
    #[must_use]
    pub fn account_hash(&self, user_id: Uuid) -> [u8; MAC_BYTES] {
        self.derive("account", user_id.as_bytes())
    }

    /// A keyed hash of an account together with one place that requests come from.
    #[must_use]
    pub fn account_place_hash(&self, user_id: Uuid, place: &[u8]) -> [u8; MAC_BYTES] {
        self.derive("account-place", &[user_id.as_bytes(), place].concat())
    }

    /// The key with which secrets are sealed at rest.
    #[must_use]
    pub fn sealing_key(&self) -> [u8; MAC_BYTES] {
        self.derive("sealing", b"")
    }

    /// The key with which secrets were sealed before the code key changed.
    #[must_use]
    pub fn former_sealing_key(&self) -> Option<[u8; MAC_BYTES]> {
        self.former.as_ref().map(|former| derive(former, "sealing", b""))
    }

    /// The keyed hashes by which the short recovery codes of the first version are stored: of this
    /// key and of the former.
    #[must_use]
    pub fn recovery_code_hashes(&self, user_id: Uuid, code: &str) -> Vec<Vec<u8>> {
        let from = [user_id.as_bytes().as_slice(), code.as_bytes()].concat();
        let keys = [Some(&self.mac), self.former.as_ref()];
        let of = |mac| derive(mac, "recovery-code", &from).to_vec();
        keys.into_iter().flatten().map(of).collect()
    }

    /// A keyed hash of an address together with one place that requests come from.
    #[must_use]
    pub fn place_hash(&self, email: &EmailAddress, place: &[u8]) -> [u8; MAC_BYTES] {
        self.derive("place", &[email.as_str().as_bytes(), &[0], place].concat())
    }

    /// The MAC of a device token.
    #[must_use]
    pub fn device_mac(&self, id: [u8; ID_BYTES], email: &EmailAddress) -> [u8; MAC_BYTES] {
        self.derive("device", &[&id, email.as_str().as_bytes()].concat())
    }

    /// Whether the MAC of a device token is ours.
    #[must_use]
    pub fn is_device_mac(&self, id: [u8; ID_BYTES], email: &EmailAddress, mac: &[u8]) -> bool {
        let from = [&id, email.as_str().as_bytes()].concat();
        self.any("device", &from, |derived| constant_time_eq(mac, derived))
    }

    /// The MAC of a challenge.
    #[must_use]
    pub fn work_mac(&self, challenge: &[u8]) -> [u8; MAC_BYTES] {
        self.derive("work", challenge)
    }

    /// Whether the MAC of a challenge is ours.
    #[must_use]
    pub fn is_work_mac(&self, challenge: &[u8], mac: &[u8]) -> bool {
        self.any("work", challenge, |derived| constant_time_eq(mac, derived))
    }

    /// Whether what one of the keys derives passes the test.
    fn any(&self, purpose: &str, from: &[u8], passes: impl Fn(&[u8; MAC_BYTES]) -> bool) -> bool {
        let mut found = false;
        // All are tried, so that the time does not tell which one it was.
        for key in std::iter::once(&self.mac).chain(&self.former) {
            found |= passes(&derive(key, purpose, from));
        }
        found
    }

    fn derive(&self, purpose: &str, from: &[u8]) -> [u8; MAC_BYTES] {
        derive(&self.mac, purpose, from)
    }
}

fn derive(key: &Hmac<Sha256>, purpose: &str, from: &[u8]) -> [u8; MAC_BYTES] {
    let mac = key.clone().chain_update(purpose).chain_update([0]).chain_update(from);
    mac.finalize().into_bytes().into()
}

fn digits_of(mac: &[u8; MAC_BYTES], count: Digits) -> String {
    let number = mac.iter().take(8).fold(0_u64, |n, byte| (n << 8) | u64::from(*byte));
    match count {
        Digits::Six => format!("{:06}", number % FEW_CODES),
        Digits::Eight => format!("{:08}", number % MANY_CODES),
    }
}

/// Compares two secrets in constant time.
#[must_use]
pub fn constant_time_eq(one: &[u8], other: &[u8]) -> bool {
    let differences = one.iter().zip(other).fold(0, |found, (a, b)| found | (a ^ b));
    one.len() == other.len() && differences == 0
}

/// A refresh token: 32 random bytes, used once.
#[derive(Clone, PartialEq, Eq)]
pub struct RefreshToken([u8; MAC_BYTES]);

impl RefreshToken {
    /// A new random token.
    #[must_use]
    pub fn random() -> Self {
        Self(rand::random())
    }

    /// Parses a token; `None` when it is malformed.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        Some(Self(bytes.try_into().ok()?))
    }

    /// The token as text.
    #[must_use]
    pub fn text(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.0)
    }

    /// The hash that is stored.
    #[must_use]
    pub fn hash(&self) -> Vec<u8> {
        Sha256::digest(self.0).to_vec()
    }

    /// Encrypts the successor with ChaCha20-Poly1305, so that only this token can decrypt it.
    ///
    /// # Errors
    /// Never; the key has the length of the cipher's, and a token is short.
    pub fn seal(&self, child: &Self) -> Result<Vec<u8>, SealError> {
        Sealer::new(&self.sealing_key())?.seal(Uuid::nil(), &child.0)
    }

    /// Decrypts what [`RefreshToken::seal`] encrypted; `None` when it was changed. What the version
    /// before encrypted has no more bytes than a token.
    #[must_use]
    pub fn unseal(&self, sealed: &[u8]) -> Option<Self> {
        if sealed.len() == MAC_BYTES {
            let opened: Vec<u8> = self.pad().iter().zip(sealed).map(|(pad, b)| pad ^ b).collect();
            return Some(Self(opened.try_into().ok()?));
        }
        let opened = Sealer::new(&self.sealing_key()).ok()?.open(Uuid::nil(), sealed).ok()?;
        Some(Self(opened.try_into().ok()?))
    }

    /// The stored hash of a token has no prefix, so the key cannot be derived from it.
    fn sealing_key(&self) -> [u8; MAC_BYTES] {
        Sha256::new().chain_update("the key of the next one").chain_update(self.0).finalize().into()
    }

    /// The pad of the version before, which had no MAC. Its rows are of use for a minute.
    fn pad(&self) -> [u8; MAC_BYTES] {
        Sha256::new().chain_update("the next one").chain_update(self.0).finalize().into()
    }
}

#[cfg(test)]
mod tests {
    use super::{CodeKey, Digits, RefreshToken, constant_time_eq};
    use uuid::Uuid;

    fn key(secret: &str) -> CodeKey {
        CodeKey::new(&secret.to_owned().into()).unwrap()
    }

    #[test]
    fn digits_depend_on_the_code_and_on_the_key() {
        let (one, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let digits = key("a secret").digits(one, Digits::Eight);
        assert!(digits.len() == 8 && digits.bytes().all(|b| b.is_ascii_digit()), "{digits}");
        assert_eq!(key("a secret").digits(one, Digits::Six), digits[2..], "six");
        assert_eq!(digits, key("a secret").digits(one, Digits::Eight));
        assert_ne!(digits, key("a secret").digits(other, Digits::Eight));
        assert_ne!(digits, key("another").digits(one, Digits::Eight));
        assert!(!key("a secret").is_digits((one, Digits::Eight), &digits[2..]), "too few");
        let hindi = |c: char| char::from_u32(u32::from(c) - 0x30 + 0x966).unwrap();
        let hindi: String = digits.chars().map(hindi).collect();
        assert!(key("a secret").is_digits((one, Digits::Eight), &hindi));
        assert!(!key("a secret").is_digits((other, Digits::Eight), &hindi));
    }

    #[test]
    fn only_our_own_links_lead_to_a_code() {
        let id = Uuid::from_u128(7);
        let token = key("a secret").link_token(id);
        assert_eq!(key("a secret").code_of_link(&token), Some(id));
        assert_eq!(key("another").code_of_link(&token), None);
        for wrong in ["", "x", "not a token", token.get(..30).unwrap()] {
            assert_eq!(key("a secret").code_of_link(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn what_a_former_key_derived_is_accepted_until_that_key_is_gone() {
        let (id, former) = (Uuid::from_u128(7), key("a secret"));
        let both = key("another").after(Some(&"a secret".to_owned().into())).unwrap();
        assert_eq!(both.code_of_link(&former.link_token(id)), Some(id));
        assert_eq!(both.code_of_link(&key("another").link_token(id)), Some(id));
        assert_eq!(both.link_token(id), key("another").link_token(id));
        for known in [&former, &key("another")] {
            assert!(both.is_digits((id, Digits::Six), &known.digits(id, Digits::Six)));
            assert!(both.is_sign_up_secret(id, &known.sign_up_secret(id)));
        }
        assert!(!both.is_sign_up_secret(id, &key("a third").sign_up_secret(id)));
        assert!(!both.is_sign_up_secret(id, ""));
        assert_eq!(key("another").code_of_link(&former.link_token(id)), None);
    }

    #[test]
    fn a_token_decrypts_its_successor() {
        let (parent, child) = (RefreshToken::random(), RefreshToken::random());
        let sealed = parent.seal(&child).unwrap();
        assert!(!sealed.windows(32).any(|part| part == child.0), "it is not readable");
        assert!(parent.unseal(&sealed) == Some(child.clone()));
        assert!(child.unseal(&sealed) != Some(child.clone()));
        assert!(RefreshToken::parse(&child.text()) == Some(child));
        assert!(RefreshToken::parse("short").is_none());
    }

    #[test]
    fn a_changed_successor_is_none() {
        let (parent, child) = (RefreshToken::random(), RefreshToken::random());
        let sealed = parent.seal(&child).unwrap();
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1);
            assert!(parent.unseal(&changed).is_none(), "{at}");
        }
        assert!(parent.unseal(&[]).is_none());
    }

    #[test]
    fn what_the_version_before_sealed_still_opens() {
        let (parent, child) = (RefreshToken([7; 32]), RefreshToken([9; 32]));
        let sealed: Vec<u8> = parent.pad().iter().zip(child.0).map(|(a, b)| a ^ b).collect();
        assert!(parent.unseal(&sealed) == Some(child));
    }

    #[test]
    fn secrets_of_other_lengths_differ() {
        assert!(constant_time_eq(b"abc", b"abc"));
        assert!(
            !constant_time_eq(b"abc", b"abd")
                && !constant_time_eq(b"abc", b"ab")
                && !constant_time_eq(b"", b"a")
        );
    }
}
