//! Rate limits per email address: guesses and mails.
//!
//! Limits are counted by address, not by account, so that an address without an account gets the
//! same answers. Each place that asks has counters of its own, so that a stranger cannot use up
//! those of the account's owner. Limits over all addresses: the gateway, and `guard::spray`.

use std::net::IpAddr;

use eventstore::{StoreError, Tx};
use kernel::{Timestamp, hex};
use tokio::time::Instant;
use uuid::Uuid;

use crate::accounts::address::EmailAddress;
use crate::guard::caller::{Caller, Origin, network, network_address};
use crate::guard::device;
use crate::guard::spray::{Guess, Refusal, Spray};
use crate::tokens::secrets::CodeKey;

/// Maximum wait between two guesses.
const BACKOFF_SECONDS_MAX: i64 = 15 * 60;
/// Minimum interval between two mails of a kind.
const MAIL_SPACING_SECONDS: i64 = 60;
/// Maximum mails of a kind to one address, each with its window in seconds. Otherwise anyone could
/// have an address mailed every minute without end.
const MAILS_MAX: [(usize, i64); 2] = [(10, 3600), (30, 24 * 3600)];
/// Counters are reset after this time without a new failure.
const RESET_AFTER_SECONDS: i64 = 24 * 3600;

kernel::words! {
    /// A limited action.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum LimitedAction {
        /// Guesses at the password.
        Password = "password",
        /// Guesses at codes, counted across codes; each code also allows five.
        Code = "code",
        /// Sign-up mails.
        SignupMail = "signup_mail",
        /// Recovery mails.
        RecoveryMail = "recovery_mail",
        /// Mails with a magic link.
        MagiclinkMail = "magiclink_mail",
        /// Mails with an invitation.
        InviteMail = "invite_mail",
        /// Mails about a change of address.
        ChangeMail = "change_mail",
        /// Mails with a nonce for a new password.
        ReauthenticationMail = "reauthentication_mail",
        /// Messages to a phone.
        PhoneMessage = "phone_message",
        /// Messages to the phones that are second factors of an account, counted by the account: a
        /// caller with its password could enrol any number.
        FactorMessage = "factor_message",
    }
}

impl LimitedAction {
    /// When the next attempt is allowed. `mailed` are the times of the last day's mails, oldest
    /// first, including the current one.
    fn blocked_until(self, failures: i32, mailed: &[Timestamp], now: Timestamp) -> Timestamp {
        let free = match self {
            Self::Password => 5,
            // Two codes may be mistyped before a wait.
            Self::Code => 10,
            _mail => return next_mail(mailed, now),
        };
        let Ok(exponent) = u32::try_from(failures - free) else { return now };
        now.plus_seconds(2_i64.saturating_pow(exponent).min(BACKOFF_SECONDS_MAX))
    }

    fn wide(self) -> WideLimit {
        match self {
            Self::Password | Self::Code => WideLimit { burst: 50, seconds_each: 15 * 60 },
            Self::FactorMessage => WideLimit { burst: 10, seconds_each: 3600 },
            // The address gets a code at least each half an hour, by whose wish it may be.
            _mail => WideLimit { burst: 30, seconds_each: 30 * 60 },
        }
    }

    fn is_mail(self) -> bool {
        !matches!(self, Self::Password | Self::Code)
    }
}

/// When the next mail is allowed: after the minimum interval, and when the oldest mail of a full
/// window has left it.
fn next_mail(mailed: &[Timestamp], now: Timestamp) -> Timestamp {
    let full = MAILS_MAX.iter().filter_map(|(max, span)| {
        let oldest = mailed.len().checked_sub(*max).and_then(|at| mailed.get(at))?;
        Some(oldest.plus_seconds(*span))
    });
    full.fold(now.plus_seconds(MAIL_SPACING_SECONDS), Timestamp::max)
}

/// Attempts that are let through at once and how long one more takes, for all places together.
/// Without them a guesser with many networks would have many counters. They are wide, because a
/// stranger can use them up.
#[derive(Debug, Clone, Copy)]
struct WideLimit {
    burst: i64,
    seconds_each: i64,
}

/// The limits of one address for the client of the current request: those of its place, which is
/// its device or else its network, and for unknown devices the wide ones of all places.
#[derive(Clone)]
pub struct AddressLimits {
    address_hash: [u8; 32],
    place_hash: [u8; 32],
    /// None for devices that signed in to the account before, and for calls from inside.
    everywhere_hash: Option<[u8; 32]>,
    network_address: Option<IpAddr>,
    is_known_device: bool,
    is_inside: bool,
}

struct LimitRow {
    failures: i32,
    blocked_until_at: Timestamp,
    forget_at: Timestamp,
    mailed_at_micros: Vec<i64>,
}

from_row!(LimitRow { failures, blocked_until_at, forget_at, mailed_at_micros });

impl LimitRow {
    /// The times of mails within the longest window.
    fn recent_mails(&self, now: Timestamp) -> impl Iterator<Item = Timestamp> {
        let since = now.plus_seconds(-RESET_AFTER_SECONDS);
        let all = self.mailed_at_micros.iter().copied().filter_map(Timestamp::from_micros);
        all.filter(move |at| *at > since)
    }

    fn wait(&self, now: Timestamp) -> Option<i64> {
        let blocked = self.blocked_until_at;
        (blocked > now).then(|| blocked.seconds_since(now).max(1))
    }
}

impl AddressLimits {
    /// The limits of this address for the client of the current request. In a task of its own, as
    /// of a transaction, the client is not known, so it is called before.
    #[must_use]
    pub fn of(email: &EmailAddress, key: &CodeKey) -> Self {
        let caller = Caller::current();
        let place_hash = |place: &[u8]| key.place_hash(email, place);
        let unknown = Self::at(key.address_hash(email), place_hash, &caller);
        match device::known(caller.devices(), email, key) {
            Some(device) => Self {
                place_hash: place_hash(&device),
                everywhere_hash: None,
                network_address: None,
                is_known_device: true,
                ..unknown
            },
            None => unknown,
        }
    }

    /// The keyed hash of the address.
    #[must_use]
    pub fn address_hash(&self) -> [u8; 32] {
        self.address_hash
    }

    /// A guess at the password of this address by the client of the current request.
    #[must_use]
    pub fn guess(&self, spray: &Spray, password: &str, worked: bool) -> Guess {
        let device = self.is_known_device;
        let guess = spray.guess(password, &self.address_hash, self.network_address, device);
        guess.after_work(worked)
    }

    /// A guess at the digits of a code that was sent here.
    #[must_use]
    pub fn code_guess(&self, spray: &Spray, worked: bool) -> Guess {
        let device = self.is_known_device;
        spray.code_guess(&self.address_hash, self.network_address, device).after_work(worked)
    }

    /// Whether the client signed in to the account of this address before.
    #[must_use]
    pub fn is_known_device(&self) -> bool {
        self.is_known_device
    }

    /// Whether another service asks, for which no person has to wait.
    #[must_use]
    pub fn is_inside(&self) -> bool {
        self.is_inside
    }

    /// Counts a mail, or a sign-up, for the network of the client.
    ///
    /// # Errors
    /// When the network has asked for too many, and the client did no work and is not known.
    pub fn count_mail(&self, spray: &Spray, worked: bool) -> Result<(), Refusal> {
        count_for(self.network_address, spray, worked)
    }

    /// The limits of this phone for a client. No device is known by a phone.
    #[must_use]
    pub fn of_phone(phone: &str, key: &CodeKey, caller: &Caller) -> Self {
        let place_hash = |place: &[u8]| key.phone_place_hash(phone, place);
        Self::at(key.phone_hash(phone), place_hash, caller)
    }

    /// The limits of an account for a client that has begun to sign in to it.
    #[must_use]
    pub fn of_account(user_id: Uuid, key: &CodeKey, caller: &Caller) -> Self {
        let place_hash = |place: &[u8]| key.account_place_hash(user_id, place);
        Self::at(key.account_hash(user_id), place_hash, caller)
    }

    /// The limits for a client that is known by its place only.
    fn at(address_hash: [u8; 32], place_hash: impl Fn(&[u8]) -> [u8; 32], caller: &Caller) -> Self {
        let everywhere_hash = Some(place_hash(b"everywhere"));
        let (here, everywhere_hash) = match caller.origin() {
            Origin::Inside => (address_hash, None),
            Origin::Unknown => (address_hash, everywhere_hash),
            Origin::Address(address) => {
                (place_hash(network(address).to_string().as_bytes()), everywhere_hash)
            }
        };
        Self {
            address_hash,
            place_hash: here,
            everywhere_hash,
            network_address: network_address(caller),
            is_known_device: false,
            is_inside: matches!(caller.origin(), Origin::Inside),
        }
    }

    /// Takes an advisory lock on this address until the transaction ends.
    pub async fn lock(&self, tx: &mut Tx) -> Result<(), StoreError> {
        tx.lock(&[self.name()]).await
    }

    /// Takes the locks of several addresses, in one order.
    pub async fn lock_all(tx: &mut Tx, addresses: &[Self]) -> Result<(), StoreError> {
        let names: Vec<String> = addresses.iter().map(Self::name).collect();
        tx.lock(&names).await
    }

    /// The name of its lock.
    fn name(&self) -> String {
        hex::encode(self.address_hash)
    }

    /// Counts an attempt before its result is known, so that concurrent attempts count, too.
    /// Returns the seconds to wait if it is not allowed now.
    pub async fn check_and_count(
        &self,
        tx: &mut Tx,
        what: LimitedAction,
        now: Timestamp,
    ) -> Result<Option<i64>, StoreError> {
        let here = row(tx, self.place_hash, what, now).await?;
        let everywhere = match self.everywhere_hash {
            Some(hash) => row(tx, hash, what, now).await?,
            None => None,
        };
        let waits = [&here, &everywhere].into_iter().flatten().filter_map(|row| row.wait(now));
        if let Some(seconds) = waits.max() {
            return Ok(Some(seconds));
        }
        let failures = here.as_ref().map_or(0, |it| it.failures).saturating_add(1);
        let mut mailed: Vec<Timestamp> = Vec::new();
        if what.is_mail() {
            mailed.extend(here.iter().flat_map(|counted| counted.recent_mails(now)));
            mailed.push(now);
        }
        let blocked_until_at = what.blocked_until(failures, &mailed, now);
        let forget_at = now.plus_seconds(RESET_AFTER_SECONDS);
        let mailed_at_micros = mailed.iter().map(|at| at.micros()).collect();
        let row = LimitRow { failures, blocked_until_at, forget_at, mailed_at_micros };
        upsert(tx, self.place_hash, what, row).await?;
        if let Some(hash) = self.everywhere_hash {
            let row = what.wide().after_one(everywhere.map(|row| row.forget_at), now);
            upsert(tx, hash, what, row).await?;
        }
        Ok(None)
    }

    /// Resets the counter of this place after a success, and gives the attempt back to the wide
    /// one.
    pub async fn reset(&self, tx: &mut Tx, what: LimitedAction) -> Result<(), StoreError> {
        sqlx::query("delete from address_limits where address_hash = $1 and kind = $2")
            .bind(self.place_hash)
            .bind(what.word())
            .execute(tx.connection())
            .await?;
        let Some(everywhere) = self.everywhere_hash else { return Ok(()) };
        sqlx::query(
            "update address_limits set forget_at = forget_at - $3 * interval '1 second',
                 blocked_until_at = blocked_until_at - $3 * interval '1 second'
             where address_hash = $1 and kind = $2",
        )
        .bind(everywhere)
        .bind(what.word())
        .bind(what.wide().seconds_each)
        .execute(tx.connection())
        .await?;
        Ok(())
    }
}

/// Counts a sign-up without address and phone for the network of the client.
///
/// # Errors
/// When the network has asked for too many, and the client did no work.
pub fn count_sign_up(spray: &Spray, worked: bool) -> Result<(), Refusal> {
    count_for(network_address(&Caller::current()), spray, worked)
}

fn count_for(address: Option<IpAddr>, spray: &Spray, worked: bool) -> Result<(), Refusal> {
    match address {
        Some(address) => spray.count_mail(address, worked, Instant::now()),
        None => Ok(()),
    }
}

impl WideLimit {
    /// When the next attempt is allowed and when all are forgotten, after one more now. Each
    /// attempt moves the second time by `seconds_each`; it may be at most `burst` attempts ahead.
    fn after_one(self, forget_at: Option<Timestamp>, now: Timestamp) -> LimitRow {
        let forget_at = forget_at.map_or(now, |at| at.max(now)).plus_seconds(self.seconds_each);
        let blocked_until_at = forget_at.plus_seconds(-(self.burst - 1) * self.seconds_each);
        LimitRow { failures: 0, blocked_until_at, forget_at, mailed_at_micros: Vec::new() }
    }
}

async fn row(
    tx: &mut Tx,
    hash: [u8; 32],
    what: LimitedAction,
    now: Timestamp,
) -> Result<Option<LimitRow>, StoreError> {
    let counted: Option<LimitRow> = sqlx::query_as(
        "select failures, blocked_until_at, forget_at, mailed_at_micros from address_limits
         where address_hash = $1 and kind = $2",
    )
    .bind(hash)
    .bind(what.word())
    .fetch_optional(tx.connection())
    .await?;
    Ok(counted.filter(|counted| counted.forget_at > now))
}

async fn upsert(
    tx: &mut Tx,
    hash: [u8; 32],
    what: LimitedAction,
    row: LimitRow,
) -> Result<(), StoreError> {
    sqlx::query(
        "insert into address_limits (address_hash, kind, failures, blocked_until_at, forget_at,
             mailed_at_micros)
         values ($1, $2, $3, $4, $5, $6)
         on conflict (address_hash, kind) do update
         set failures = excluded.failures, blocked_until_at = excluded.blocked_until_at,
             forget_at = excluded.forget_at, mailed_at_micros = excluded.mailed_at_micros",
    )
    .bind(hash)
    .bind(what.word())
    .bind(row.failures)
    .bind(row.blocked_until_at)
    .bind(row.forget_at)
    .bind(row.mailed_at_micros)
    .execute(tx.connection())
    .await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use kernel::Timestamp;

    use super::{LimitRow, LimitedAction, WideLimit, next_mail};

    const START: Timestamp = Timestamp::EPOCH;

    #[test]
    fn waits_begin_at_the_fifth_failure_and_double_to_a_quarter_of_an_hour() {
        let wait =
            |what: LimitedAction, failures| what.blocked_until(failures, &[], START).seconds();
        let waits = |failures| wait(LimitedAction::Password, failures);
        assert_eq!([1, 4, 5, 6, 7, 14, 15, 90].map(waits), [0, 0, 1, 2, 4, 512, 900, 900]);
        assert_eq!(wait(LimitedAction::Code, 9), 0);
        assert_eq!(wait(LimitedAction::Code, 10), 1);
        assert_eq!(wait(LimitedAction::RecoveryMail, 1), 60);
    }

    /// Seconds from the first mail until the next is allowed, after `count` mails `apart` seconds
    /// apart.
    fn next_after(count: i64, apart: i64) -> i64 {
        let mailed: Vec<Timestamp> = (0..count).map(|n| START.plus_seconds(n * apart)).collect();
        next_mail(&mailed, mailed.last().copied().unwrap_or(START)).seconds()
    }

    #[test]
    fn mails_are_apart_and_few_in_an_hour_and_in_a_day() {
        assert_eq!(next_after(1, 60), 60);
        assert_eq!(next_after(9, 60), 9 * 60);
        assert_eq!(next_after(10, 60), 3600);
        assert_eq!(next_after(12, 360), 2 * 360 + 3600);
        assert_eq!(next_after(10, 500), 4560, "an hour is over before the tenth");
        assert_eq!(next_after(29, 500), 28 * 500 + 60);
        assert_eq!(next_after(30, 500), 24 * 3600);
        assert_eq!(next_after(31, 500), 500 + 24 * 3600);
    }

    #[test]
    fn a_wide_limit_lets_a_burst_through_and_then_one_at_a_time() {
        let limit = WideLimit { burst: 3, seconds_each: 60 };
        let after = |row: LimitRow, now| limit.after_one(Some(row.forget_at), now);
        let seconds = |row: &LimitRow| (row.blocked_until_at.seconds(), row.forget_at.seconds());
        let mut row = limit.after_one(None, START);
        for _ in 0..2 {
            assert!(row.blocked_until_at <= START);
            row = after(row, START);
        }
        assert_eq!(seconds(&row), (60, 180));
        let row = after(row, START.plus_seconds(60));
        assert_eq!(seconds(&row), (120, 240));
        let row = after(row, START.plus_seconds(1_000));
        assert!(row.blocked_until_at < START.plus_seconds(1_000), "all is forgotten");
    }
}
