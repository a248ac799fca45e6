//! Guesses over many accounts. A limit per account does not notice one password tried at a
//! thousand accounts, or a thousand stolen pairs tried once each. This detector counts failures
//! per password, per network and in total. It lives in memory, because a hash of a wrong password
//! must not be stored: wrong passwords are often almost right. A client with a device token of the
//! account is neither counted nor refused here.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use tokio::time::Instant;

use crate::guard::caller;

/// At how many other accounts a password may have failed before it is refused everywhere.
const ACCOUNTS_MAX: usize = 2;
const ACCOUNTS_MAX_IN_ALARM: usize = 1;
/// How many failures an address may have.
const FAILURES_MAX: u32 = 20;
const FAILURES_MAX_IN_ALARM: u32 = 3;
/// A network has more people than an address.
const NETWORK_FACTOR: u32 = 10;
/// How many mails an address may ask for, for all recipients together.
const MAILS_MAX: u32 = 30;
/// After this time one failure and one mail of an address are forgotten.
const FORGET_AFTER: Duration = Duration::from_secs(180);
/// Within this time many failures, or several refused passwords, raise an alarm.
const WINDOW: Duration = Duration::from_secs(600);
const ALARM_FAILURES: usize = 100;
/// With fewer failures per success, the site is busy and not under attack.
const ALARM_RATIO: usize = 4;
const ALARM_PASSWORDS: usize = 3;
const ALARM_LASTS: Duration = Duration::from_secs(1800);
/// Failures of a password are remembered for one to two of these.
const GENERATION: Duration = Duration::from_secs(12 * 3600);
/// Passwords and networks of a generation; a full one is replaced early.
const ENTRIES_MAX: usize = 50_000;
/// Failures and successes that the window remembers.
const EVENTS_MAX: usize = 4_096;

/// A guess, without its password.
#[derive(Debug, Clone, Copy)]
pub struct Guess {
    password: u64,
    account: u64,
    address: Option<IpAddr>,
    is_known_device: bool,
    has_worked: bool,
}

impl Guess {
    /// The same by a client that has done work for it, which lifts the limits of its network.
    #[must_use]
    pub fn after_work(self, has_worked: bool) -> Self {
        Self { has_worked, ..self }
    }
}

/// Why a guess is refused. The reason is for the log; all get the same response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The password failed at several other accounts.
    Password,
    /// The address or its network had too many failures.
    Network,
}

/// Counts guesses. Its key is random and is not kept, so its hashes mean nothing elsewhere.
pub struct Spray {
    key: Hmac<Sha256>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    passwords: Generations<u64, Tried>,
    addresses: Generations<IpAddr, Failures>,
    networks: Generations<IpAddr, Failures>,
    mails: Generations<IpAddr, Failures>,
    failures: VecDeque<Instant>,
    successes: VecDeque<Instant>,
    refused_passwords: VecDeque<Instant>,
    alarm_until: Option<Instant>,
}

/// A password's failures and unfinished checks.
#[derive(Default, Clone)]
struct Tried {
    /// At most as many accounts as are counted.
    failed: Vec<u64>,
    pending: usize,
    is_refused: bool,
}

impl Tried {
    fn others(&self, account: u64) -> usize {
        self.failed.iter().filter(|failed| **failed != account).count()
    }
}

#[derive(Clone)]
struct Failures {
    count: u32,
    since: Instant,
}

impl Failures {
    /// The count, less what is forgotten by now.
    fn left(&self, now: Instant) -> u32 {
        let periods = now.saturating_duration_since(self.since).as_secs() / FORGET_AFTER.as_secs();
        self.count.saturating_sub(u32::try_from(periods).unwrap_or(u32::MAX))
    }

    fn add(&mut self, now: Instant) {
        let left = self.left(now);
        if left == 0 || left < self.count {
            self.since = now;
        }
        self.count = left.saturating_add(1);
    }
}

/// Entries of the current and the previous period, so that memory is bounded and what is old is
/// forgotten at once.
struct Generations<K, V> {
    current: HashMap<K, V>,
    previous: HashMap<K, V>,
    begun: Option<Instant>,
}

impl<K, V> Default for Generations<K, V> {
    fn default() -> Self {
        Self { current: HashMap::new(), previous: HashMap::new(), begun: None }
    }
}

impl<K: Copy + Eq + std::hash::Hash, V: Clone> Generations<K, V> {
    fn get(&self, key: &K) -> Option<&V> {
        self.current.get(key).or_else(|| self.previous.get(key))
    }

    fn entry(&mut self, key: K, now: Instant, new: impl FnOnce() -> V) -> &mut V {
        let begun = *self.begun.get_or_insert(now);
        if now.saturating_duration_since(begun) > GENERATION || self.current.len() >= ENTRIES_MAX {
            self.previous = std::mem::take(&mut self.current);
            self.begun = Some(now);
        }
        let previous = &mut self.previous;
        self.current.entry(key).or_insert_with(|| previous.remove(&key).unwrap_or_else(new))
    }
}

impl Default for Spray {
    fn default() -> Self {
        Self::new()
    }
}

impl Spray {
    /// A detector that has seen nothing.
    #[must_use]
    pub fn new() -> Self {
        let key: [u8; 64] = rand::random();
        let key = Hmac::new(&key.into());
        Self { key, state: Mutex::default() }
    }

    /// A guess at the account with this address hash.
    #[must_use]
    pub fn guess(
        &self,
        password: &str,
        account: &[u8],
        address: Option<IpAddr>,
        is_known_device: bool,
    ) -> Guess {
        let password = self.hash(password.as_bytes());
        let account = self.hash(account);
        Guess { password, account, address, is_known_device, has_worked: false }
    }

    /// Whether the guess would be refused now; without waiting for a turn to check it.
    ///
    /// # Errors
    /// Why it is refused.
    pub fn peek(&self, guess: &Guess, now: Instant) -> Result<(), Refusal> {
        self.state().judge(guess, now)
    }

    /// Decides just before the password is checked, when all earlier checks have been counted. Each
    /// success needs a call of [`Spray::end`].
    ///
    /// # Errors
    /// Why it is refused.
    pub fn begin(&self, guess: &Guess, now: Instant) -> Result<(), Refusal> {
        let mut state = self.state();
        state.judge(guess, now)?;
        if !guess.is_known_device {
            state.passwords.entry(guess.password, now, Tried::default).pending += 1;
        }
        Ok(())
    }

    /// Counts the result of a check; returns whether it raised the alarm.
    pub fn end(&self, guess: &Guess, is_right: bool, now: Instant) -> bool {
        if guess.is_known_device {
            return false;
        }
        self.state().count(guess, is_right, now)
    }

    /// Counts a mail to any address that a client asked for.
    ///
    /// # Errors
    /// When its address has asked for too many.
    pub fn count_mail(&self, address: IpAddr, now: Instant) -> Result<(), Refusal> {
        let none = || Failures { count: 0, since: now };
        let mut state = self.state();
        let asked = state.mails.entry(caller::subscriber(address), now, none);
        if asked.left(now) >= MAILS_MAX {
            return Err(Refusal::Network);
        }
        asked.add(now);
        Ok(())
    }

    /// Whether the stricter limits are in force.
    #[must_use]
    pub fn is_alarmed(&self, now: Instant) -> bool {
        self.state().is_alarmed(now)
    }

    fn hash(&self, bytes: &[u8]) -> u64 {
        let mac = self.key.clone().chain_update(bytes).finalize().into_bytes();
        mac.iter().take(8).fold(0, |hash, byte| (hash << 8) | u64::from(*byte))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn is_alarmed(&self, now: Instant) -> bool {
        self.alarm_until.is_some_and(|until| until > now)
    }

    fn judge(&mut self, guess: &Guess, now: Instant) -> Result<(), Refusal> {
        if guess.is_known_device {
            return Ok(());
        }
        let alarmed = self.is_alarmed(now);
        let accounts_max = if alarmed { ACCOUNTS_MAX_IN_ALARM } else { ACCOUNTS_MAX };
        let tried = self.passwords.get(&guess.password);
        let (failed, pending) = tried.map_or((0, 0), |it| (it.others(guess.account), it.pending));
        // People with the same password may sign in at once; a password that failed may not.
        if failed >= accounts_max || (failed > 0 && failed + pending >= accounts_max) {
            let tried = self.passwords.entry(guess.password, now, Tried::default);
            if !tried.is_refused {
                tried.is_refused = true;
                push(&mut self.refused_passwords, now);
            }
            return Err(Refusal::Password);
        }
        let Some(address) = guess.address.filter(|_| !guess.has_worked) else { return Ok(()) };
        let failures_max = if alarmed { FAILURES_MAX_IN_ALARM } else { FAILURES_MAX };
        let of = |counted: &Generations<IpAddr, Failures>, key| {
            counted.get(&key).map_or(0, |failures| failures.left(now))
        };
        if of(&self.addresses, caller::subscriber(address)) >= failures_max
            || of(&self.networks, caller::network(address)) >= failures_max * NETWORK_FACTOR
        {
            return Err(Refusal::Network);
        }
        Ok(())
    }

    fn count(&mut self, guess: &Guess, is_right: bool, now: Instant) -> bool {
        let tried = self.passwords.entry(guess.password, now, Tried::default);
        tried.pending = tried.pending.saturating_sub(1);
        if is_right {
            push(&mut self.successes, now);
            return false;
        }
        if tried.failed.len() <= ACCOUNTS_MAX && !tried.failed.contains(&guess.account) {
            tried.failed.push(guess.account);
        }
        if let Some(address) = guess.address {
            let none = || Failures { count: 0, since: now };
            self.addresses.entry(caller::subscriber(address), now, none).add(now);
            self.networks.entry(caller::network(address), now, none).add(now);
        }
        push(&mut self.failures, now);
        self.raise_alarm(now)
    }

    fn raise_alarm(&mut self, now: Instant) -> bool {
        let within = |events: &VecDeque<Instant>| {
            let recent = |at: &&Instant| now.saturating_duration_since(**at) < WINDOW;
            events.iter().rev().take_while(recent).count()
        };
        let failures = within(&self.failures);
        let many = failures >= ALARM_FAILURES && failures > ALARM_RATIO * within(&self.successes);
        if !many && within(&self.refused_passwords) < ALARM_PASSWORDS {
            return false;
        }
        let begins = !self.is_alarmed(now);
        self.alarm_until = Some(now + ALARM_LASTS);
        begins
    }
}

fn push(events: &mut VecDeque<Instant>, now: Instant) {
    if events.len() >= EVENTS_MAX {
        events.pop_front();
    }
    events.push_back(now);
}

#[cfg(test)]
mod tests;
