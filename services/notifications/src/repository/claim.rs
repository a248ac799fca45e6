//! The lease on a mail that is being sent, and the rate limit per recipient.

use std::iter;

use eventstore::{StoreError, Tx};
use kernel::{Timestamp, hex};

use super::timer::schedule_urgent;
use super::{outcome, unsubscribed};
use crate::mails::addresses::AddressHash;
use crate::mails::kind::Kind;
use crate::mails::mail::{CLAIM_SECONDS, Mail};

/// The window of the rate limit.
const RATE_SECONDS: i64 = 60 * 60;
/// The reason of a mail that is deferred by the rate limit.
const RATE_LIMITED: &str = "recipient_rate";

/// What is saved when a mail is claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The Message-ID, the same on every attempt.
    pub message_id: String,
    /// The recipient; `None` for mails that are not counted.
    pub recipient: Option<Recipient>,
}

/// A recipient whose mails are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recipient {
    /// The hash of the address.
    pub address: AddressHash,
    /// Its hash under the key before, if there was one.
    pub former_address: Option<AddressHash>,
    /// The most mails in an hour; kinds that are never delayed count but ignore it.
    pub hourly_max: u32,
}

impl Recipient {
    /// The hashes by each key.
    fn addresses(self) -> impl Iterator<Item = AddressHash> {
        iter::once(self.address).chain(self.former_address)
    }
}

/// Takes a lease on the mail. Until it expires no other worker sends it, even if this one crashes.
/// Returns the mail as claimed, or `None` if it is leased elsewhere, its recipient has
/// unsubscribed, or the recipient is over the hourly limit.
pub async fn claim(tx: &mut Tx, mail: &Mail, claim: &Claim) -> Result<Option<Mail>, StoreError> {
    let now = tx.now().await?;
    if !lock_claimable(tx, mail, now).await? {
        return Ok(None);
    }
    if let Some(recipient) = claim.recipient {
        // Claims for one address are serialized, so that each counts the others.
        tx.lock(&[format!("recipient {}", hex::encode(recipient.address.as_bytes()))]).await?;
        if mail.kind.can_be_unsubscribed()
            && unsubscribed::is_unsubscribed(tx.connection(), recipient.addresses()).await?
        {
            tracing::info!(reason = "unsubscribed", "a mail was dropped");
            outcome::dropped(tx, mail, "unsubscribed").await?;
            return Ok(None);
        }
        if let Some(until) = rate_limited_until(tx, mail, recipient, now).await? {
            tracing::info!("a mail waits, because its recipient had many in this hour");
            defer_rate_limited(tx, mail, recipient, until).await?;
            return Ok(None);
        }
    }
    let claimed_until = now.plus_seconds(CLAIM_SECONDS);
    let recipient = claim.recipient.as_ref().map(|recipient| recipient.address.as_bytes());
    // Each mail has the address of the join page, so none owes the room's; see `link_arrived`.
    sqlx::query(
        "update mails
         set state = 'sending', attempts = attempts + 1, due_at = $3, link_told = true,
             message_id = coalesce(message_id, $2), recipient_hash = $5,
             first_tried_at = coalesce(first_tried_at, clock_now()),
             claimed_until_at = clock_timestamp() + $4::bigint * interval '1 second'
         where mail_id = $1",
    )
    .bind(mail.id)
    .bind(&claim.message_id)
    .bind(claimed_until)
    .bind(CLAIM_SECONDS)
    .bind(recipient)
    .execute(tx.connection())
    .await?;
    schedule_urgent(tx, mail.id, claimed_until.plus_seconds(1)).await?;
    Ok(Some(Mail { due_at: claimed_until, ..mail.clone() }))
}

/// Locks the mail's row until the transaction ends; false if another worker took it since it was
/// read.
async fn lock_claimable(tx: &mut Tx, mail: &Mail, now: Timestamp) -> Result<bool, StoreError> {
    let found = sqlx::query(
        "select from mails
         where mail_id = $1 and due_at = $2 and due_at <= $3
           and (state in ('queued', 'retrying')
                or state = 'sending' and claimed_until_at <= clock_timestamp())
         for update",
    )
    .bind(mail.id)
    .bind(mail.due_at)
    .bind(now)
    .fetch_optional(tx.connection())
    .await?;
    Ok(found.is_some())
}

/// When the rate limit lets this mail pass; `None` when it does now. Mails that are already
/// deferred come first, each with its own time, so that they are not all retried at once.
async fn rate_limited_until(
    tx: &mut Tx,
    mail: &Mail,
    recipient: Recipient,
    now: Timestamp,
) -> Result<Option<Timestamp>, StoreError> {
    if !mail.kind.is_rate_limited() {
        return Ok(None);
    }
    let among_all = full_for_address_until(tx, mail, recipient, now).await?;
    let Some(own_max) = mail.kind.hourly_max() else { return Ok(among_all) };
    let own = Recipient { hourly_max: own_max.min(recipient.hourly_max), ..recipient };
    // The later of the two; `None` sorts before any time.
    Ok(full_for_kind_until(tx, mail, own, now).await?.max(among_all))
}

/// When the limit over all mails to the address lets it pass. Deferred mails of a kind with its own
/// limit are not counted, so that they delay no others.
async fn full_for_address_until(
    tx: &mut Tx,
    mail: &Mail,
    recipient: Recipient,
    now: Timestamp,
) -> Result<Option<Timestamp>, StoreError> {
    let apart: Vec<&str> = Kind::ALL
        .iter()
        .filter(|kind| kind.hourly_max().is_some())
        .map(|kind| kind.name())
        .collect();
    full_until(tx, mail, recipient, now, (&[], &apart)).await
}

/// When the limit of its own kind lets it pass.
async fn full_for_kind_until(
    tx: &mut Tx,
    mail: &Mail,
    recipient: Recipient,
    now: Timestamp,
) -> Result<Option<Timestamp>, StoreError> {
    let others: Vec<&str> =
        Kind::ALL.iter().filter(|kind| **kind != mail.kind).map(|kind| kind.name()).collect();
    full_until(tx, mail, recipient, now, (&others, &others)).await
}

/// When a mail may pass, given the mails sent in the last hour, without the kinds `uncounted`, and
/// the deferred ones, without the kinds `unqueued`.
async fn full_until(
    tx: &mut Tx,
    mail: &Mail,
    recipient: Recipient,
    now: Timestamp,
    (uncounted, unqueued): (&[&str], &[&str]),
) -> Result<Option<Timestamp>, StoreError> {
    let since = now.plus_seconds(-RATE_SECONDS);
    let taken: Vec<Timestamp> = sqlx::query_scalar(
        "select least(coalesce(sent_at, $4), $4) as at from mails
         where recipient_hash = $1 and mail_id <> $2 and (sent_at > $3 or state = 'sending')
           and kind <> all ($5)
         order by at",
    )
    .bind(recipient.address.as_bytes())
    .bind(mail.id)
    .bind(since)
    .bind(now)
    .bind(uncounted)
    .fetch_all(tx.connection())
    .await?;
    let capacity = usize::try_from(recipient.hourly_max).unwrap_or(usize::MAX).max(1);
    if taken.len() < capacity {
        return Ok(None);
    }
    let waiting: i64 = sqlx::query_scalar(
        "select count(*) from mails
         where recipient_hash = $1 and mail_id <> $2 and state in ('queued', 'retrying')
           and last_error = $3 and due_at > $4 and kind <> all ($5)",
    )
    .bind(recipient.address.as_bytes())
    .bind(mail.id)
    .bind(RATE_LIMITED)
    .bind(now)
    .bind(unqueued)
    .fetch_one(tx.connection())
    .await?;
    Ok(Some(next_free(&taken, capacity, usize::try_from(waiting).unwrap_or(0)).unwrap_or(now)))
}

/// When the mail behind `waiting` deferred ones may pass; `taken` are the times of the counted
/// mails, oldest first.
fn next_free(taken: &[Timestamp], capacity: usize, waiting: usize) -> Option<Timestamp> {
    let first = taken.len().saturating_sub(capacity);
    let (rounds, turn) = (waiting.checked_div(capacity)?, waiting.checked_rem(capacity)?);
    let hours = i64::try_from(rounds).unwrap_or(i64::MAX).saturating_add(1);
    let taken_at = taken.get(first.saturating_add(turn))?;
    Some(taken_at.plus_seconds(hours.saturating_mul(RATE_SECONDS)))
}

/// Deletes the recipient hashes of mails that no longer count, at most `limit`: mails sent more
/// than an hour ago, and mails that ended unsent. Returns their number.
pub async fn clear_recipient_hashes(tx: &mut Tx, limit: i64) -> Result<u64, StoreError> {
    let since = tx.now().await?.plus_seconds(-RATE_SECONDS);
    // The states are written as in the index.
    let forgotten = sqlx::query(
        "update mails set recipient_hash = null
         where mail_id in (
             select mail_id from mails
             where recipient_hash is not null
               and state in ('sent', 'failed', 'dropped', 'settled')
               and (sent_at is null or sent_at <= $1)
             limit $2 for update skip locked)",
    )
    .bind(since)
    .bind(limit)
    .execute(tx.connection())
    .await?;
    Ok(forgotten.rows_affected())
}

/// Defers a mail until the rate limit lets it pass. Its state stays, except that a mail whose
/// delivery was cut off is no longer `sending`.
async fn defer_rate_limited(
    tx: &mut Tx,
    mail: &Mail,
    recipient: Recipient,
    until: Timestamp,
) -> Result<(), StoreError> {
    sqlx::query(
        "update mails
         set due_at = $2, recipient_hash = $3, last_error = $4,
             state = case when state = 'sending' then 'retrying' else state end
         where mail_id = $1",
    )
    .bind(mail.id)
    .bind(until)
    .bind(recipient.address.as_bytes())
    .bind(RATE_LIMITED)
    .execute(tx.connection())
    .await?;
    schedule_urgent(tx, mail.id, until).await
}

/// Extends the lease while the SMTP exchange goes on. Returns the mail as claimed now, or `None`
/// when the claim was lost.
pub async fn renew_claim(tx: &mut Tx, mail: &Mail) -> Result<Option<Mail>, StoreError> {
    let claimed_until = tx.now().await?.plus_seconds(CLAIM_SECONDS);
    let renewed = sqlx::query(
        "update mails
         set due_at = $3, claimed_until_at = clock_timestamp() + $4::bigint * interval '1 second'
         where mail_id = $1 and due_at = $2 and state = 'sending'",
    )
    .bind(mail.id)
    .bind(mail.due_at)
    .bind(claimed_until)
    .bind(CLAIM_SECONDS)
    .execute(tx.connection())
    .await?
    .rows_affected();
    if renewed == 0 {
        return Ok(None);
    }
    schedule_urgent(tx, mail.id, claimed_until.plus_seconds(1)).await?;
    Ok(Some(Mail { due_at: claimed_until, ..mail.clone() }))
}

#[cfg(test)]
mod tests {
    use kernel::Timestamp;

    use super::next_free;

    fn at(minutes: i64) -> Timestamp {
        Timestamp::EPOCH.plus_minutes(minutes)
    }

    #[test]
    fn delayed_mails_take_the_free_places_in_order() {
        let taken = [at(1), at(5), at(9)];
        let free_at: Vec<_> =
            (0..7).map(|waiting| next_free(&taken, 3, waiting).unwrap()).collect();
        let wanted = [61, 65, 69, 121, 125, 129, 181].map(at);
        assert_eq!(free_at, wanted);
    }

    #[test]
    fn counted_mails_over_the_limit_free_no_place() {
        let taken = [at(1), at(2), at(5), at(9)];
        assert_eq!(next_free(&taken, 2, 0), Some(at(65)));
        assert_eq!(next_free(&taken, 2, 1), Some(at(69)));
    }
}
