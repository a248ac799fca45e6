//! How much one network address and one account may ask for. Addresses are limited loosely,
//! because many phones share one; accounts strictly. The numbers come from the settings.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use connectrpc::{ConnectError, ErrorCode};
use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use http::{HeaderValue, header};
use kernel::Id;
use kernel::id::Customer;
use tokio::time::Instant;

use crate::error_form;

/// How often forgotten keys are swept out, so that the tables cannot grow without end.
const SWEEP: Duration = Duration::from_secs(60);

/// A bucket that holds `burst` requests and is filled again at `per_minute`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// How many requests may come at once.
    pub burst: NonZeroU32,
    /// How many are given back in a minute.
    pub per_minute: NonZeroU32,
}

impl Allowance {
    fn quota(self) -> Quota {
        Quota::per_minute(self.per_minute).allow_burst(self.burst)
    }
}

/// The gateway's limits.
#[derive(Clone, Copy, Debug)]
pub struct Allowances {
    /// All requests of one network address.
    pub address: Allowance,
    /// Commands of one account.
    pub account: Allowance,
    /// Sign-in, sign-up and the like from one network address.
    pub sign_in: Allowance,
    /// Sessions renewed from one network address.
    pub refreshes: Allowance,
    /// Webhooks of one network address that payments refused.
    pub bad_webhooks: Allowance,
    /// Reviews and their pictures from one network address.
    pub reviews: Allowance,
    /// Looks at pictures from one network address.
    pub pictures: Allowance,
    /// Contact messages and wishes for the guide from one network address.
    pub forms: Allowance,
    /// Unsubscribing from one network address.
    pub unsubscribing: Allowance,
}

/// How long a caller has to wait.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wait(Duration);

struct Buckets<K: Hash + Eq + Clone>(DefaultKeyedRateLimiter<K>);

impl<K: Hash + Eq + Clone> Buckets<K> {
    fn new(allowance: Allowance) -> Self {
        Self(RateLimiter::keyed(allowance.quota()))
    }

    fn take(&self, key: &K) -> Result<(), Wait> {
        self.0
            .check_key(key)
            .map_err(|full| Wait(full.wait_time_from(DefaultClock::default().now())))
    }

    fn sweep(&self) {
        self.0.retain_recent();
        self.0.shrink_to_fit();
    }
}

/// Counts what went wrong, once that is known; who has had too much of it has to wait.
struct Strikes {
    allowed: Buckets<IpAddr>,
    waiting: Mutex<HashMap<IpAddr, Instant>>,
}

impl Strikes {
    fn new(allowance: Allowance) -> Self {
        Self { allowed: Buckets::new(allowance), waiting: Mutex::default() }
    }

    fn check(&self, key: IpAddr) -> Result<(), Wait> {
        let until = self.waiting().get(&key).copied();
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        left.filter(|left| !left.is_zero()).map_or(Ok(()), |left| Err(Wait(left)))
    }

    fn note(&self, key: IpAddr) {
        if let Err(Wait(left)) = self.allowed.take(&key) {
            self.waiting().insert(key, Instant::now() + left);
        }
    }

    fn sweep(&self) {
        self.allowed.sweep();
        let now = Instant::now();
        self.waiting().retain(|_, until| *until > now);
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<IpAddr, Instant>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(crate) struct Limits {
    address: Buckets<IpAddr>,
    account: Buckets<Id<Customer>>,
    sign_in: Buckets<IpAddr>,
    refreshes: Buckets<IpAddr>,
    bad_webhooks: Strikes,
    reviews: Buckets<IpAddr>,
    pictures: Buckets<IpAddr>,
    forms: Buckets<IpAddr>,
    unsubscribing: Buckets<IpAddr>,
}

impl Limits {
    pub(crate) fn new(allowances: Allowances) -> Self {
        Self {
            address: Buckets::new(allowances.address),
            account: Buckets::new(allowances.account),
            sign_in: Buckets::new(allowances.sign_in),
            refreshes: Buckets::new(allowances.refreshes),
            bad_webhooks: Strikes::new(allowances.bad_webhooks),
            reviews: Buckets::new(allowances.reviews),
            pictures: Buckets::new(allowances.pictures),
            forms: Buckets::new(allowances.forms),
            unsubscribing: Buckets::new(allowances.unsubscribing),
        }
    }

    pub(crate) fn of_address(&self, address: IpAddr) -> Result<(), Wait> {
        self.address.take(&network(address))
    }

    pub(crate) fn of_account(&self, account: Id<Customer>) -> Result<(), Wait> {
        self.account.take(&account)
    }

    pub(crate) fn of_sign_in(&self, address: IpAddr) -> Result<(), Wait> {
        self.sign_in.take(&network(address))
    }

    pub(crate) fn of_refresh(&self, address: IpAddr) -> Result<(), Wait> {
        self.refreshes.take(&network(address))
    }

    /// Whether webhooks of an address are still heard.
    pub(crate) fn of_bad_webhooks(&self, address: IpAddr) -> Result<(), Wait> {
        self.bad_webhooks.check(network(address))
    }

    /// A webhook of that address was refused.
    pub(crate) fn note_bad_webhook(&self, address: IpAddr) {
        self.bad_webhooks.note(network(address));
    }

    pub(crate) fn of_review(&self, address: IpAddr) -> Result<(), Wait> {
        self.reviews.take(&network(address))
    }

    pub(crate) fn of_picture(&self, address: IpAddr) -> Result<(), Wait> {
        self.pictures.take(&network(address))
    }

    pub(crate) fn of_form(&self, address: IpAddr) -> Result<(), Wait> {
        self.forms.take(&network(address))
    }

    pub(crate) fn of_unsubscribing(&self, address: IpAddr) -> Result<(), Wait> {
        self.unsubscribing.take(&network(address))
    }

    /// Forgets idle keys for ever, in the background, as long as the gateway lives.
    pub(crate) fn keep_small(self: &Arc<Self>) {
        let limits = Arc::downgrade(self);
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(SWEEP).await;
                let Some(limits) = limits.upgrade() else { return };
                limits.address.sweep();
                limits.account.sweep();
                limits.sign_in.sweep();
                limits.refreshes.sweep();
                limits.bad_webhooks.sweep();
                limits.reviews.sweep();
                limits.pictures.sweep();
                limits.forms.sweep();
                limits.unsubscribing.sweep();
            }
        });
    }
}

impl Wait {
    /// Whole seconds, rounded up, so that a client that obeys is let through.
    pub(crate) fn seconds(self) -> u64 {
        self.0.as_secs().saturating_add(1)
    }

    pub(crate) fn header(self) -> HeaderValue {
        HeaderValue::from(self.seconds())
    }

    pub(crate) fn refusal(self) -> ConnectError {
        let sentence = "That was a lot at once. Please wait a little and try again.";
        let mut error =
            error_form::refusal(ErrorCode::ResourceExhausted, "TOO_MANY_REQUESTS", sentence);
        error.response_headers_mut().insert(header::RETRY_AFTER, self.header());
        error
    }
}

/// One IPv6 line owns a whole /64, so its addresses count as one.
pub(crate) fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => {
            let bits = u128::from(address) & (u128::MAX << 64);
            IpAddr::V6(Ipv6Addr::from(bits))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::network;

    #[test]
    fn neighbours_on_one_ipv6_line_count_as_one() {
        let of = |text: &str| network(text.parse().unwrap());
        assert_eq!(of("2001:db8::1"), of("2001:db8::ffff:2"));
        assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
        assert_eq!(of("::ffff:192.0.2.1"), of("192.0.2.1"));
        assert_ne!(of("192.0.2.1"), of("192.0.2.2"));
    }
}
