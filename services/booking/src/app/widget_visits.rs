//! Visits of the page that shows the scheduling provider's widget. Each question to the provider
//! spends its quota, so only a visit that this practice's own page began can cause one. Each
//! network causes so many, and all together; what the provider does not have is remembered.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use kernel::Timestamp;
use moka::sync::Cache;
use secrecy::{ExposeSecret as _, SecretString};
use sha2::Sha256;
use uuid::Uuid;

use super::signed_ids::WeakKey;
use crate::clients::scheduling::EventAddress;
use crate::error::{Error, Rejection, refuse};

/// Prefix of the signed text, for domain separation from other uses of the key.
const PURPOSE: &[u8] = b"widget-visit";
/// How long a visit lasts, in seconds.
const VISIT_SECONDS: i64 = 3 * 60 * 60;
/// Bytes of the truncated MAC in a token, after eight bytes of the time.
const MAC_BYTES: usize = 16;
/// How many questions one network causes in [`NETWORK_TIME`].
const OF_NETWORK_MAX: u32 = 10;
const NETWORK_TIME: Duration = Duration::from_secs(10 * 60);
/// How many questions all visits together cause in [`TOTAL_TIME`].
const TOTAL_MAX: u32 = 30;
const TOTAL_TIME: Duration = Duration::from_secs(60);
/// How long it is remembered that the provider does not have an event.
const MISSING_TIME: Duration = Duration::from_secs(60);
/// The most networks and events that are remembered.
const REMEMBERED_MAX: u64 = 10_000;

type Counts<K> = Cache<K, Arc<AtomicU32>>;

/// Begins visits, and says which of them may cause a question.
#[derive(Clone)]
pub struct WidgetVisits {
    mac: Hmac<Sha256>,
    networks: Counts<Vec<u8>>,
    total: Counts<()>,
    missing: Cache<String, ()>,
}

impl std::fmt::Debug for WidgetVisits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WidgetVisits").finish_non_exhaustive()
    }
}

impl WidgetVisits {
    /// Signs with this key.
    pub fn new(key: &SecretString) -> Result<Self, WeakKey> {
        let bytes = key.expose_secret().as_bytes();
        let mut mac = Hmac::<Sha256>::new_from_slice(bytes).map_err(|_never| WeakKey)?;
        mac.update(PURPOSE);
        Ok(Self {
            mac,
            networks: Cache::builder()
                .max_capacity(REMEMBERED_MAX)
                .time_to_live(NETWORK_TIME)
                .build(),
            total: Cache::builder().max_capacity(1).time_to_live(TOTAL_TIME).build(),
            missing: Cache::builder()
                .max_capacity(REMEMBERED_MAX)
                .time_to_live(MISSING_TIME)
                .build(),
        })
    }

    /// The token of a visit that begins now.
    #[must_use]
    pub fn token(&self, visit_id: Uuid, now: Timestamp) -> String {
        let seconds = now.seconds().to_be_bytes();
        let tag = self.signed(visit_id, seconds).finalize().into_bytes();
        let mut bytes = seconds.to_vec();
        bytes.extend(tag.iter().take(MAC_BYTES));
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// Whether a token is that of a visit that lasts.
    #[must_use]
    pub fn is_valid(&self, visit_id: Uuid, token: &str, now: Timestamp) -> bool {
        let Ok(bytes) = URL_SAFE_NO_PAD.decode(token) else { return false };
        let Some((seconds, tag)) = bytes.split_first_chunk::<8>() else { return false };
        let age = now.seconds().saturating_sub(i64::from_be_bytes(*seconds));
        tag.len() == MAC_BYTES
            && self.signed(visit_id, *seconds).verify_truncated_left(tag).is_ok()
            && (0..VISIT_SECONDS).contains(&age)
    }

    fn signed(&self, visit_id: Uuid, seconds: [u8; 8]) -> Hmac<Sha256> {
        let mut mac = self.mac.clone();
        mac.update(visit_id.as_bytes());
        mac.update(&seconds);
        mac
    }

    /// Counts a question about an event.
    ///
    /// # Errors
    /// `ScheduledEventNotFound` when the provider did not have it just now, or
    /// `TooManyScheduledEvents`.
    pub fn begin_question(
        &self,
        network: Option<&[u8]>,
        address: &EventAddress,
    ) -> Result<(), Error> {
        if self.missing.contains_key(&name_of(address)) {
            return Err(refuse(Rejection::ScheduledEventNotFound));
        }
        let of_network = network
            .is_none_or(|network| counted(&self.networks, network.to_vec()) <= OF_NETWORK_MAX);
        if !of_network || counted(&self.total, ()) > TOTAL_MAX {
            return Err(refuse(Rejection::TooManyScheduledEvents));
        }
        Ok(())
    }

    /// Remembers that the provider does not have an event.
    pub fn note_missing(&self, address: &EventAddress) {
        self.missing.insert(name_of(address), ());
    }
}

fn counted<K>(counts: &Counts<K>, key: K) -> u32
where
    K: std::hash::Hash + Eq + Send + Sync + 'static,
{
    counts.get_with(key, Arc::default).fetch_add(1, Ordering::Relaxed).saturating_add(1)
}

fn name_of(address: &EventAddress) -> String {
    let booking = address.calendar_booking();
    format!("{} {}", booking.event_uri, booking.uri)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_seconds(1_800_000_000 + seconds).unwrap()
    }

    #[test]
    fn a_token_is_of_one_visit_and_for_three_hours() {
        let visits = WidgetVisits::new(&"k".repeat(32).into()).unwrap();
        let (one, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let token = visits.token(one, at(0));
        assert!(visits.is_valid(one, &token, at(0)));
        assert!(visits.is_valid(one, &token, at(VISIT_SECONDS - 1)));
        assert!(!visits.is_valid(one, &token, at(VISIT_SECONDS)));
        assert!(!visits.is_valid(one, &token, at(-1)));
        assert!(!visits.is_valid(other, &token, at(0)));
        for wrong in ["", "a", &token[1..], &format!("{token}A"), &"A".repeat(token.len())] {
            assert!(!visits.is_valid(one, wrong, at(0)), "{wrong}");
        }
        let others = WidgetVisits::new(&"o".repeat(32).into()).unwrap();
        assert!(!others.is_valid(one, &token, at(0)));
    }
}
