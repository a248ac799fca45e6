//! The secret address of a practitioner's sessions, which other calendars subscribe to. Staff gives
//! it anew or takes it away; the secret is derived from the address's id and a key, so that no
//! table has it.

use std::fmt;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use contract::booking::v1::{RenewCalendarFeedRequest, StopCalendarFeedRequest};
use eventstore::{Act, Metadata, new_id, request_hash};
use hmac::{Hmac, KeyInit as _, Mac as _};
use kernel::Id;
use kernel::id::CalendarFeed;
use prost::Message as _;
use secrecy::{ExposeSecret as _, SecretString};
use sha2::Sha256;
use staff::Staff;
use uuid::Uuid;

use super::App;
use super::block_time::practitioner;
use super::idempotency::IdempotencyKey;
use super::request::parse_key;
use crate::error::{Error, Rejection, refuse};
use crate::read_model::calendar_feeds::{self, Feed, FeedSession};

/// The names of the methods, in idempotency keys and the audit log.
pub const RENEW: &str = "RenewCalendarFeed";
/// See [`RENEW`].
pub const STOP: &str = "StopCalendarFeed";

/// Prefix of the signed text, for domain separation from other uses of the key.
const PURPOSE: &[u8] = b"calendar-feed";
/// Bytes of the truncated MAC in a secret.
const MAC_BYTES: usize = 16;
/// The shortest key, in bytes.
const KEY_BYTES_MIN: usize = 32;
/// How many days a past session stays in the calendar.
const DAYS_BACK: i64 = 30;
/// How many days ahead sessions are listed: further than can be booked (`horizon_days`).
const DAYS_AHEAD: i64 = 400;
/// Minutes per day.
const DAY_MINUTES: i64 = 24 * 60;

/// Makes and verifies secrets.
#[derive(Clone)]
pub struct FeedSecrets {
    mac: Hmac<Sha256>,
}

impl fmt::Debug for FeedSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FeedSecrets").finish_non_exhaustive()
    }
}

/// The key cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("BOOKING_FEED_KEY has fewer than 32 characters")]
pub struct WeakKey;

impl FeedSecrets {
    /// Signs with this key.
    ///
    /// # Errors
    /// When it has fewer than 32 bytes.
    pub fn new(key: &SecretString) -> Result<Self, WeakKey> {
        let bytes = key.expose_secret().as_bytes();
        if bytes.len() < KEY_BYTES_MIN {
            return Err(WeakKey);
        }
        Ok(Self { mac: Hmac::new_from_slice(bytes).map_err(|_never| WeakKey)? })
    }

    /// The secret of an address; always the same one.
    #[must_use]
    pub fn secret(&self, feed_id: Id<CalendarFeed>) -> String {
        let mut bytes = feed_id.uuid().as_bytes().to_vec();
        let tag = self.signed(feed_id).finalize().into_bytes();
        bytes.extend(tag.iter().take(MAC_BYTES));
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// The address of a secret; `None` when the signature is wrong.
    #[must_use]
    pub fn feed_id(&self, secret: &str) -> Option<Id<CalendarFeed>> {
        let bytes = URL_SAFE_NO_PAD.decode(secret).ok()?;
        let (uuid, tag) = bytes.split_at_checked(size_of::<Uuid>())?;
        if tag.len() != MAC_BYTES {
            return None;
        }
        let feed_id = Id::from_uuid(Uuid::from_slice(uuid).ok()?);
        self.signed(feed_id).verify_truncated_left(tag).ok()?;
        Some(feed_id)
    }

    fn signed(&self, feed_id: Id<CalendarFeed>) -> Hmac<Sha256> {
        let mut mac = self.mac.clone();
        mac.update(PURPOSE);
        mac.update(feed_id.uuid().as_bytes());
        mac
    }
}

/// Gives a practitioner's sessions a new address.
///
/// # Errors
/// `PractitionerNotFound`, or when the database does not answer.
pub async fn renew_feed(
    app: &Arc<App>,
    staff: Staff,
    mut request: RenewCalendarFeedRequest,
) -> Result<Feed, Error> {
    let practitioner_id = practitioner(app, &request.practitioner_id)?;
    let key = parse_key(&std::mem::take(&mut request.idempotency_key))?;
    let hash = request_hash(&request.encode_to_vec());
    let key = Arc::new(IdempotencyKey { caller: staff.id.to_string(), method: RENEW, key, hash });
    let new = new_id::<CalendarFeed>();
    let metadata = Metadata::by(staff.id.to_string(), runtime::telemetry::traceparent());
    let written = practitioner_id.clone();
    app.store
        .write(metadata, move |tx| {
            let (practitioner_id, key) = (written.clone(), Arc::clone(&key));
            let shows_client_names = request.shows_client_names;
            Box::pin(async move {
                if key.lookup::<CalendarFeed>(tx).await?.is_none() {
                    let renewed_at = tx.now().await?;
                    let feed =
                        Feed { practitioner_id, feed_id: new, shows_client_names, renewed_at };
                    calendar_feeds::upsert(tx, &feed).await?;
                    key.store(tx, new).await?;
                }
                tx.audit(staff, Act { action: RENEW, subject: "" }).await?;
                Ok::<(), Error>(())
            })
        })
        .await?;
    tracing::info!("the address of a practitioner's sessions was renewed");
    let feeds = calendar_feeds::all(app.store.pool()).await?;
    let feed = feeds.into_iter().find(|feed| feed.practitioner_id == practitioner_id);
    feed.ok_or(refuse(Rejection::CalendarFeedNotFound))
}

/// Takes the address of a practitioner's sessions away.
///
/// # Errors
/// `PractitionerNotFound`, or when the database does not answer.
pub async fn stop_feed(
    app: &Arc<App>,
    staff: Staff,
    request: StopCalendarFeedRequest,
) -> Result<(), Error> {
    // A practitioner who left the practice's file may still have an address.
    let practitioner_id = match practitioner(app, &request.practitioner_id) {
        Ok(known) => known,
        Err(refused) => {
            let feeds = calendar_feeds::all(app.store.pool()).await?;
            let former = |feed: &Feed| feed.practitioner_id == request.practitioner_id;
            if !feeds.iter().any(former) {
                return Err(refused);
            }
            request.practitioner_id
        }
    };
    let metadata = Metadata::by(staff.id.to_string(), runtime::telemetry::traceparent());
    app.store
        .write(metadata, move |tx| {
            let practitioner_id = practitioner_id.clone();
            Box::pin(async move {
                calendar_feeds::delete(tx, &practitioner_id).await?;
                tx.audit(staff, Act { action: STOP, subject: "" }).await?;
                Ok(())
            })
        })
        .await
}

/// The address of a secret, with the practitioner's sessions of the last 30 days and all that are
/// to come.
///
/// # Errors
/// `CalendarFeedNotFound`, or when the database does not answer.
pub async fn read_feed(app: &App, secret: &str) -> Result<(Feed, Vec<FeedSession>), Error> {
    let not_found = || refuse(Rejection::CalendarFeedNotFound);
    let feed_id = app.feed_secrets.feed_id(secret).ok_or_else(not_found)?;
    let pool = app.store.pool();
    let feed = calendar_feeds::find(pool, feed_id).await?.ok_or_else(not_found)?;
    let now = app.store.now().await?;
    let from = now.plus_minutes(-DAYS_BACK * DAY_MINUTES);
    let to = now.plus_minutes(DAYS_AHEAD * DAY_MINUTES);
    let sessions = calendar_feeds::sessions(pool, &feed, (from, to)).await?;
    Ok((feed, sessions))
}

#[cfg(test)]
mod tests {
    use kernel::Id;
    use uuid::Uuid;

    use super::FeedSecrets;

    fn secrets(key: &str) -> FeedSecrets {
        FeedSecrets::new(&key.repeat(32).into()).unwrap()
    }

    #[test]
    fn a_secret_leads_to_its_address_and_a_changed_one_to_none() {
        let feed_id = Id::from_uuid(Uuid::from_u128(7));
        let secret = secrets("a").secret(feed_id);
        assert_eq!(secret.len(), 43);
        assert_eq!(secrets("a").feed_id(&secret), Some(feed_id));
        assert_eq!(secrets("b").feed_id(&secret), None);
        for at in 0..secret.len() - 1 {
            let mut bytes = secret.clone().into_bytes();
            bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(bytes).unwrap();
            assert_eq!(secrets("a").feed_id(&changed), None, "{changed}");
        }
        for wrong in ["", "a", &secret[..42], &format!("{secret}A"), "ä", &"=".repeat(43)] {
            assert_eq!(secrets("a").feed_id(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_short_key_is_refused() {
        assert!(FeedSecrets::new(&"a".repeat(31).into()).is_err());
    }
}
