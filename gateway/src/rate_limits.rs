//! Rate limits per network address and per account. Addresses have loose limits, because many
//! devices may share one; accounts have strict ones. The numbers come from the settings.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use connectrpc::{ConnectError, ErrorCode};
use governor::clock::Clock as _;
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use http::{HeaderValue, header};
use kernel::Id;
use kernel::id::Customer;
use tokio::time::Instant;

use crate::caller::network_prefix;
use crate::config::{RateLimit, RateLimits};
use crate::error_response;
use crate::refusals::Refusal;

/// How often idle keys are evicted, so that the tables stay bounded.
const EVICTION_INTERVAL: Duration = Duration::from_secs(60);

impl RateLimit {
    fn quota(self) -> Quota {
        Quota::per_minute(self.per_minute).allow_burst(self.burst)
    }
}

/// How long a caller over its limit has to wait.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RetryAfter(Duration);

struct KeyedLimiter<K: Hash + Eq + Clone>(DefaultKeyedRateLimiter<K>);

impl<K: Hash + Eq + Clone> KeyedLimiter<K> {
    fn new(rate_limit: RateLimit) -> Self {
        Self(RateLimiter::keyed(rate_limit.quota()))
    }

    fn per_hour(count: NonZeroU32) -> Self {
        Self(RateLimiter::keyed(Quota::per_hour(count)))
    }

    fn check(&self, key: &K) -> Result<(), RetryAfter> {
        // A new clock would ask the processor what it can do, which takes longer than all this.
        self.0.check_key(key).map_err(|full| RetryAfter(full.wait_time_from(self.0.clock().now())))
    }

    fn evict_idle(&self) {
        self.0.retain_recent();
        self.0.shrink_to_fit();
    }
}

/// Counts failures after the fact, and blocks an address that had too many of them.
struct FailureLimiter {
    limiter: KeyedLimiter<IpAddr>,
    blocked_until: Mutex<HashMap<IpAddr, Instant>>,
}

impl FailureLimiter {
    fn new(rate_limit: RateLimit) -> Self {
        Self { limiter: KeyedLimiter::new(rate_limit), blocked_until: Mutex::default() }
    }

    fn check(&self, key: IpAddr) -> Result<(), RetryAfter> {
        let until = self.blocked_until().get(&key).copied();
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        left.filter(|left| !left.is_zero()).map_or(Ok(()), |left| Err(RetryAfter(left)))
    }

    fn record(&self, key: IpAddr) {
        if let Err(RetryAfter(left)) = self.limiter.check(&key) {
            self.blocked_until().insert(key, Instant::now() + left);
        }
    }

    fn evict_idle(&self) {
        self.limiter.evict_idle();
        let now = Instant::now();
        self.blocked_until().retain(|_, until| *until > now);
    }

    fn blocked_until(&self) -> MutexGuard<'_, HashMap<IpAddr, Instant>> {
        self.blocked_until.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(crate) struct RateLimiters {
    address: KeyedLimiter<IpAddr>,
    account: KeyedLimiter<Id<Customer>>,
    staff: KeyedLimiter<Id<Customer>>,
    sign_in: KeyedLimiter<IpAddr>,
    refreshes: KeyedLimiter<IpAddr>,
    bad_webhooks: FailureLimiter,
    reviews: KeyedLimiter<IpAddr>,
    pictures: KeyedLimiter<IpAddr>,
    forms: KeyedLimiter<IpAddr>,
    forms_per_hour: KeyedLimiter<IpAddr>,
    uploads_per_hour: KeyedLimiter<IpAddr>,
    unsubscribing: KeyedLimiter<IpAddr>,
}

impl RateLimiters {
    pub(crate) fn new(rate_limits: RateLimits) -> Self {
        Self {
            address: KeyedLimiter::new(rate_limits.address),
            account: KeyedLimiter::new(rate_limits.account),
            staff: KeyedLimiter::new(rate_limits.staff),
            sign_in: KeyedLimiter::new(rate_limits.sign_in),
            refreshes: KeyedLimiter::new(rate_limits.refreshes),
            bad_webhooks: FailureLimiter::new(rate_limits.bad_webhooks),
            reviews: KeyedLimiter::new(rate_limits.reviews),
            pictures: KeyedLimiter::new(rate_limits.pictures),
            forms: KeyedLimiter::new(rate_limits.forms),
            forms_per_hour: KeyedLimiter::per_hour(rate_limits.forms_per_hour),
            uploads_per_hour: KeyedLimiter::per_hour(rate_limits.uploads_per_hour),
            unsubscribing: KeyedLimiter::new(rate_limits.unsubscribing),
        }
    }

    pub(crate) fn check_address(&self, address: IpAddr) -> Result<(), RetryAfter> {
        counted(self.address.check(&network_prefix(address)), Refusal::AddressRate)
    }

    pub(crate) fn check_account(&self, account: Id<Customer>) -> Result<(), RetryAfter> {
        counted(self.account.check(&account), Refusal::AccountRate)
    }

    pub(crate) fn check_staff(&self, account: Id<Customer>) -> Result<(), RetryAfter> {
        counted(self.staff.check(&account), Refusal::AccountRate)
    }

    pub(crate) fn check_sign_in(&self, address: IpAddr) -> Result<(), RetryAfter> {
        counted(self.sign_in.check(&network_prefix(address)), Refusal::SignInRate)
    }

    pub(crate) fn check_refresh(&self, address: IpAddr) -> Result<(), RetryAfter> {
        counted(self.refreshes.check(&network_prefix(address)), Refusal::RefreshRate)
    }

    /// Whether webhooks of an address are accepted.
    pub(crate) fn check_bad_webhooks(&self, address: IpAddr) -> Result<(), RetryAfter> {
        counted(self.bad_webhooks.check(network_prefix(address)), Refusal::WebhookRate)
    }

    /// Counts a rejected webhook of the address.
    pub(crate) fn record_bad_webhook(&self, address: IpAddr) {
        self.bad_webhooks.record(network_prefix(address));
    }

    pub(crate) fn check_review(&self, address: IpAddr) -> Result<(), RetryAfter> {
        counted(self.reviews.check(&network_prefix(address)), Refusal::ReviewRate)
    }

    pub(crate) fn check_picture(&self, address: IpAddr) -> Result<(), RetryAfter> {
        counted(self.pictures.check(&network_prefix(address)), Refusal::PictureRate)
    }

    /// Counts an upload of a picture, which counts as a review, too.
    pub(crate) fn check_upload(&self, address: IpAddr) -> Result<(), RetryAfter> {
        self.check_review(address)?;
        counted(self.uploads_per_hour.check(&network_prefix(address)), Refusal::PictureRate)
    }

    pub(crate) fn check_form(&self, address: IpAddr) -> Result<(), RetryAfter> {
        let network = network_prefix(address);
        let checked = self.forms.check(&network).and_then(|()| self.forms_per_hour.check(&network));
        counted(checked, Refusal::FormRate)
    }

    pub(crate) fn check_unsubscribing(&self, address: IpAddr) -> Result<(), RetryAfter> {
        counted(self.unsubscribing.check(&network_prefix(address)), Refusal::UnsubscribeRate)
    }

    /// Evicts idle keys in the background, as long as the gateway lives.
    pub(crate) fn spawn_eviction(self: &Arc<Self>) {
        let limits = Arc::downgrade(self);
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(EVICTION_INTERVAL).await;
                let Some(limits) = limits.upgrade() else { return };
                limits.address.evict_idle();
                limits.account.evict_idle();
                limits.staff.evict_idle();
                limits.sign_in.evict_idle();
                limits.refreshes.evict_idle();
                limits.bad_webhooks.evict_idle();
                limits.reviews.evict_idle();
                limits.pictures.evict_idle();
                limits.forms.evict_idle();
                limits.forms_per_hour.evict_idle();
                limits.uploads_per_hour.evict_idle();
                limits.unsubscribing.evict_idle();
            }
        });
    }
}

/// Counts a refusal among what the edge refuses.
fn counted(checked: Result<(), RetryAfter>, refusal: Refusal) -> Result<(), RetryAfter> {
    checked.inspect_err(|_over| refusal.count())
}

impl RetryAfter {
    /// For a limit that has no rate.
    pub(crate) const SOON: Self = Self(Duration::from_secs(4));

    /// Whole seconds, rounded up, so that a client that waits this long is accepted.
    pub(crate) fn seconds(self) -> u64 {
        self.0.as_secs().saturating_add(1)
    }

    pub(crate) fn header(self) -> HeaderValue {
        HeaderValue::from(self.seconds())
    }

    pub(crate) fn to_error(self) -> ConnectError {
        let sentence = "That was a lot at once. Please wait a little and try again.";
        let mut error = error_response::gateway_error(
            ErrorCode::ResourceExhausted,
            "TOO_MANY_REQUESTS",
            sentence,
        );
        error.response_headers_mut().insert(header::RETRY_AFTER, self.header());
        error
    }
}
