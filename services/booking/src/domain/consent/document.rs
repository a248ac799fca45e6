//! A consent as a text file for the client: all words that were shown, who agreed to them, and in
//! the last line a keyed fingerprint (HMAC-SHA256), by which the practice can prove the file later,
//! also when the consent's row was erased.

use std::fmt;

use hmac::{Hmac, KeyInit as _, Mac as _};
use jiff::tz::TimeZone;
use kernel::id::Consent;
use kernel::{Id, Timestamp, hex};
use sha2::Sha256;

use super::GivenConsent;
use super::proof::{Channel, Proof};

/// Domain separation: the key signs nothing but these files.
const DOMAIN: &[u8] = b"sukoon consent file 1\n";
/// The fewest characters of a key that can be a secret.
const KEY_CHARS_MIN: usize = 32;
/// The line that has the fingerprint begins with this.
const FINGERPRINT: &str = "Fingerprint: ";
/// The line that has the consent's id begins with this.
const RECORD: &str = "Record: ";
/// The longest file that is verified, in bytes; the longest that is written has about half of it.
pub const BYTES_MAX: usize = 200_000;

/// The key is too short.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("BOOKING_CONSENT_KEY, or the one before it, has fewer than 32 characters")]
pub struct WeakKey;

/// Makes the fingerprints of consent files, and verifies them.
#[derive(Clone)]
pub struct Fingerprints {
    mac: Hmac<Sha256>,
    /// Of the key before, whose files are genuine as well.
    previous: Option<Hmac<Sha256>>,
}

impl fmt::Debug for Fingerprints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fingerprints").finish_non_exhaustive()
    }
}

impl Fingerprints {
    /// Uses this key. Files of other keys can't be proved.
    ///
    /// # Errors
    /// When it is too short to be a secret.
    pub fn new(key: &str) -> Result<Self, WeakKey> {
        Ok(Self { mac: keyed(key)?, previous: None })
    }

    /// Accepts files of this key as well.
    ///
    /// # Errors
    /// When it is too short to be a secret.
    pub fn with_previous(self, key: &str) -> Result<Self, WeakKey> {
        Ok(Self { previous: Some(keyed(key)?), ..self })
    }

    fn is_genuine(&self, body: &str, fingerprint: &[u8]) -> bool {
        let is_of = |mac: &Hmac<Sha256>| of(mac, body).verify_slice(fingerprint).is_ok();
        is_of(&self.mac) || self.previous.as_ref().is_some_and(is_of)
    }
}

fn keyed(key: &str) -> Result<Hmac<Sha256>, WeakKey> {
    if key.chars().count() < KEY_CHARS_MIN {
        return Err(WeakKey);
    }
    Hmac::new_from_slice(key.as_bytes()).map_err(|_never| WeakKey)
}

fn of(mac: &Hmac<Sha256>, body: &str) -> Hmac<Sha256> {
    let mut mac = mac.clone();
    mac.update(DOMAIN);
    mac.update(body.as_bytes());
    mac
}

/// A consent file.
#[derive(Clone)]
pub struct Document {
    /// The name to save it under.
    pub filename: String,
    /// Its whole text.
    pub content: String,
    /// The fingerprint of its last line.
    pub fingerprint: String,
}

/// What a file says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verified {
    /// The consent's id.
    pub id: Id<Consent>,
    /// Whether the practice handed out exactly these words.
    pub genuine: bool,
}

/// Writes the file of a consent. `text` are the words that were shown, `practice` is the practice's
/// name, `zone` its time zone.
#[must_use]
pub fn write(
    given: &GivenConsent,
    text: &str,
    (practice, zone): (&str, &TimeZone),
    fingerprints: &Fingerprints,
) -> Document {
    let mut lines = vec![
        format!("{practice}: consent to online sessions"),
        String::new(),
        format!("{RECORD}{}", given.id),
        format!("Version: {}", given.version),
        format!("Booking: {}", given.booking_id),
        format!("Account: {}", given.customer_id),
        format!("Full name: {}", given.full_name),
        format!("Email: {}", given.email),
        format!("Signature: {}", given.signature),
        "Declaration: accepted".to_owned(),
        format!("Given: {}", moment(given.given_at, zone)),
    ];
    lines.extend(proof_lines(&given.proof, zone));
    lines.extend(given.withdrawn_at.map(|at| format!("Withdrawn: {}", moment(at, zone))));
    lines.extend([String::new(), "The text that was shown:".to_owned(), String::new()]);
    lines.push(text.trim().to_owned());
    let body = normalized(&lines.join("\n"));
    let fingerprint = hex::encode(of(&fingerprints.mac, &body).finalize().into_bytes());
    let day = given.given_at.in_zone(zone).date();
    Document {
        filename: format!("consent-{day}.txt"),
        content: format!("{body}\n\n{FINGERPRINT}{fingerprint}\n"),
        fingerprint,
    }
}

/// By which way it was given, one fact on a line.
fn proof_lines(proof: &Proof, zone: &TimeZone) -> Vec<String> {
    let way = match proof.channel {
        Channel::Account => "the session of the client's account",
        Channel::Page => "the page of a booking made on the phone",
        Channel::Unknown => "unknown; it was not recorded when this consent was given",
    };
    let mut lines = vec![format!("Way: {way}")];
    lines.extend(proof.session_id.map(|id| format!("Session: {id}")));
    lines.extend(proof.page_key.as_ref().map(|key| format!("Key of the page: {key}")));
    if let (Some(email), Some(at)) = (&proof.code_mailed_to, proof.code_confirmed_at) {
        lines.push(format!("Code: mailed to {email}, typed {}", moment(at, zone)));
    }
    lines.extend(proof.network.as_ref().map(|network| format!("Network: {network}")));
    lines.extend(proof.user_agent.as_ref().map(|browser| format!("Browser: {browser}")));
    lines
}

/// Reads a file that says it is a consent; `None` when it is no such file. Line ends and blanks at
/// the ends of lines don't matter: mail programs change them.
#[must_use]
pub fn verify(content: &str, fingerprints: &Fingerprints) -> Option<Verified> {
    if content.len() > BYTES_MAX {
        return None;
    }
    let content = normalized(content);
    let (body, last) = content.rsplit_once('\n')?;
    let digits = last.strip_prefix(FINGERPRINT).filter(|digits| digits.len() == 64)?;
    let fingerprint = hex::decode(digits)?;
    let body = body.trim_end();
    // The first such line is ours: what the client typed stands behind it.
    let id = body.lines().find_map(|line| line.strip_prefix(RECORD))?.parse().ok()?;
    let genuine = fingerprints.is_genuine(body, &fingerprint);
    Some(Verified { id, genuine })
}

/// The same text with plain line ends and no blanks at the ends of lines and of the text.
fn normalized(text: &str) -> String {
    let text = text.trim_start_matches('\u{feff}');
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n").trim_end().to_owned()
}

/// "2026-11-25 10:12:03 +05:30 (2026-11-25T04:42:03Z)"
fn moment(at: Timestamp, zone: &TimeZone) -> String {
    let utc = at.jiff().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    format!("{} ({utc})", at.in_zone(zone).strftime("%Y-%m-%d %H:%M:%S %:z"))
}

#[cfg(test)]
mod tests;
