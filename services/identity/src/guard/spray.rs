//! Guesses over many accounts. A limit per account does not notice one password tried at a
//! thousand accounts, a thousand stolen pairs tried once each, or a few digits tried at each of a
//! thousand mailed codes. This detector counts failures per password, per network and in total. It
//! lives in memory, because a hash of a wrong password must not be stored: wrong passwords are
//! often almost right. A client with a device token of the account is neither counted nor refused
//! here.

use std::collections::{HashMap, HashSet, VecDeque};
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use tokio::time::Instant;

use crate::guard::caller;
use crate::guard::work::{ZERO_BITS, ZERO_BITS_MAX};

/// At how many other accounts a password may have failed before it is refused everywhere.
const ACCOUNTS_MAX: usize = 2;
const ACCOUNTS_MAX_IN_ALARM: usize = 1;
/// How many failures an address may have.
const FAILURES_MAX: u32 = 20;
const FAILURES_MAX_IN_ALARM: u32 = 3;
/// A network has more people than an address.
const NETWORK_FACTOR: u32 = 10;
/// How many mails an address may ask for without work, for all recipients together. It is small,
/// because a mail to a stranger has to cost something, and asking only where there is no account
/// would tell who has one.
const MAILS_FREE: u32 = 5;
/// So many mails for all networks within the window are more than people ask for: then each costs
/// work, and more of it.
const MAILS_BUSY: usize = 60;
/// The mails of a network after which work is twice as much.
const MAILS_PER_BIT: u32 = 10;
/// What an alarm, or so many mails, add to the zero bits of work.
const ALARM_BITS: u32 = 2;
/// After this time one failure and one mail of an address are forgotten.
pub const FORGET_AFTER_SECONDS: i64 = 180;
const FORGET_AFTER: Duration = Duration::from_secs(FORGET_AFTER_SECONDS.unsigned_abs());
/// Within this time many failures, or several refused passwords, raise an alarm.
const WINDOW: Duration = Duration::from_secs(600);
const ALARM_FAILURES: usize = 100;
/// With fewer failures per success, the site is busy and not under attack.
const ALARM_RATIO: usize = 4;
/// How many refused passwords raise it, and from how many networks: what comes from one alone is
/// held up by its own limits, and may be one person who wants to keep others out.
const ALARM_PASSWORDS: usize = 3;
const ALARM_NETWORKS: usize = 3;
const ALARM_LASTS: Duration = Duration::from_secs(1800);
/// Failures of a password are remembered for one to two of these.
const GENERATION: Duration = Duration::from_secs(12 * 3600);
/// Passwords and networks of a generation; a full one is replaced early.
const ENTRIES_MAX: usize = 50_000;
/// Failures and successes that the window remembers.
const EVENTS_MAX: usize = 4_096;

/// A guess, without its password; at the digits of a code it has none.
#[derive(Debug, Clone, Copy)]
pub struct Guess {
    password: Option<u64>,
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
    mail_networks: Generations<IpAddr, Failures>,
    mailed: VecDeque<Instant>,
    failures: VecDeque<Instant>,
    successes: VecDeque<Instant>,
    refused: VecDeque<Refused>,
    alarm_until: Option<Instant>,
}

/// A password's failures and unfinished checks.
#[derive(Default, Clone)]
struct Tried {
    /// At most as many accounts as are counted.
    failed: Vec<u64>,
    pending: usize,
}

/// A guess that was refused for its password.
struct Refused {
    at: Instant,
    password: u64,
    network: Option<IpAddr>,
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

    fn take_back(&mut self) {
        self.count = self.count.saturating_sub(1);
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
        let password = Some(self.hash(password.as_bytes()));
        Guess { password, ..self.code_guess(account, address, is_known_device) }
    }

    /// A guess at the digits of a code that was sent to this address. Digits are drawn anew for
    /// each code, so only where they come from and how many are wrong tells of guesses.
    #[must_use]
    pub fn code_guess(
        &self,
        account: &[u8],
        address: Option<IpAddr>,
        is_known_device: bool,
    ) -> Guess {
        let account = self.hash(account);
        Guess { password: None, account, address, is_known_device, has_worked: false }
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
        match guess.password {
            _ if guess.is_known_device => {}
            Some(password) => {
                state.passwords.entry(password, now, Tried::default).pending += 1;
            }
            // Digits are compared at once, so they count before and are given back if right.
            None => state.count_network(guess, now),
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

    /// Counts a mail to any address that a client asked for, also one that it worked for.
    ///
    /// # Errors
    /// When it did no work, and its address has asked for too many.
    pub fn count_mail(
        &self,
        address: IpAddr,
        has_worked: bool,
        now: Instant,
    ) -> Result<(), Refusal> {
        let none = || Failures { count: 0, since: now };
        let mut state = self.state();
        let free = if state.is_tight(now) { 0 } else { MAILS_FREE };
        let asked = state.mails.entry(caller::subscriber(address), now, none);
        if !has_worked && asked.left(now) >= free {
            return Err(Refusal::Network);
        }
        asked.add(now);
        state.mail_networks.entry(caller::network(address), now, none).add(now);
        push(&mut state.mailed, now);
        Ok(())
    }

    /// The zero bits of the work that a client is asked for now: more with the mails of its
    /// network, and more in an alarm.
    #[must_use]
    pub fn work_bits(&self, address: Option<IpAddr>, now: Instant) -> u32 {
        let state = self.state();
        let mails = address.and_then(|it| state.mail_networks.get(&caller::network(it)));
        let mails = mails.map_or(0, |mails| mails.left(now));
        let growth = (1 + mails / MAILS_PER_BIT).ilog2();
        let alarm = if state.is_tight(now) { ALARM_BITS } else { 0 };
        (ZERO_BITS + growth + alarm).min(ZERO_BITS_MAX)
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

    /// Whether each mail costs work.
    fn is_tight(&self, now: Instant) -> bool {
        self.is_alarmed(now) || within(&self.mailed, now) >= MAILS_BUSY
    }

    fn judge(&mut self, guess: &Guess, now: Instant) -> Result<(), Refusal> {
        if guess.is_known_device {
            return Ok(());
        }
        let alarmed = self.is_alarmed(now);
        let accounts_max = if alarmed { ACCOUNTS_MAX_IN_ALARM } else { ACCOUNTS_MAX };
        if let Some(password) = guess.password {
            let tried = self.passwords.get(&password);
            let tried = tried.map(|it| (it.others(guess.account), it.pending));
            let (failed, pending) = tried.unwrap_or_default();
            // People with the same password may sign in at once; a password that failed may not.
            if failed >= accounts_max || (failed > 0 && failed + pending >= accounts_max) {
                let network = guess.address.map(caller::network);
                push(&mut self.refused, Refused { at: now, password, network });
                return Err(Refusal::Password);
            }
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
        if let Some(password) = guess.password {
            let tried = self.passwords.entry(password, now, Tried::default);
            tried.pending = tried.pending.saturating_sub(1);
            let is_new = !tried.failed.contains(&guess.account);
            if !is_right && is_new && tried.failed.len() <= ACCOUNTS_MAX {
                tried.failed.push(guess.account);
            }
        }
        match (is_right, guess.password) {
            (true, Some(_)) | (false, None) => {}
            (true, None) => self.take_back(guess, now),
            (false, Some(_)) => self.count_network(guess, now),
        }
        if is_right {
            push(&mut self.successes, now);
            return false;
        }
        push(&mut self.failures, now);
        self.raise_alarm(now)
    }

    fn count_network(&mut self, guess: &Guess, now: Instant) {
        let Some(address) = guess.address else { return };
        let none = || Failures { count: 0, since: now };
        self.addresses.entry(caller::subscriber(address), now, none).add(now);
        self.networks.entry(caller::network(address), now, none).add(now);
    }

    fn take_back(&mut self, guess: &Guess, now: Instant) {
        let Some(address) = guess.address else { return };
        let none = || Failures { count: 0, since: now };
        self.addresses.entry(caller::subscriber(address), now, none).take_back();
        self.networks.entry(caller::network(address), now, none).take_back();
    }

    fn raise_alarm(&mut self, now: Instant) -> bool {
        let failures = within(&self.failures, now);
        let successes = within(&self.successes, now);
        let many = failures >= ALARM_FAILURES && failures > ALARM_RATIO * successes;
        let refused = self.refused.iter().rev();
        let refused = refused.take_while(|it| now.saturating_duration_since(it.at) < WINDOW);
        let (passwords, networks): (HashSet<u64>, HashSet<Option<IpAddr>>) =
            refused.map(|it| (it.password, it.network)).unzip();
        let spread = passwords.len() >= ALARM_PASSWORDS && networks.len() >= ALARM_NETWORKS;
        if !many && !spread {
            return false;
        }
        let begins = !self.is_alarmed(now);
        self.alarm_until = Some(now + ALARM_LASTS);
        begins
    }
}

/// How many of these are of the window.
fn within(events: &VecDeque<Instant>, now: Instant) -> usize {
    let recent = |at: &&Instant| now.saturating_duration_since(**at) < WINDOW;
    events.iter().rev().take_while(recent).count()
}

fn push<T>(events: &mut VecDeque<T>, event: T) {
    if events.len() >= EVENTS_MAX {
        events.pop_front();
    }
    events.push_back(event);
}

#[cfg(test)]
mod tests;
