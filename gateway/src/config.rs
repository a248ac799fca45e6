//! The gateway's settings, one struct per concern.

mod checkout_origins;

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use http::Uri;
use runtime::Reader;
use runtime::caller::UserSettings;

use crate::host_names::HostNames;
use crate::staff_networks::StaffNetworks;
use crate::trusted_proxies::TrustedProxies;

const MEBIBYTE: usize = 1024 * 1024;

/// All settings of the gateway.
#[derive(Clone, Debug)]
pub struct Config {
    /// `GATEWAY_LISTEN`.
    pub listen: SocketAddr,
    /// `GATEWAY_INNER_LISTEN`: where the health report is; none without it. Only operators may
    /// reach it.
    pub inner_listen: Option<SocketAddr>,
    /// Maximum number of connections, and their timeouts.
    pub connections: ConnectionSettings,
    /// Maximum number of requests in progress.
    pub requests: RequestSettings,
    /// Memory budget and read timeout of bodies.
    pub bodies: BodySettings,
    /// The public site.
    pub site: SiteSettings,
    /// The public services.
    pub upstreams: Upstreams,
    /// The backends that are reached over HTTP.
    pub proxied: ProxySettings,
    /// What `/healthz` checks besides.
    pub watched: WatchSettings,
    /// Which access tokens are accepted.
    pub users: UserSettings,
    /// The rate limits.
    pub rate_limits: RateLimits,
}

/// Maximum number of connections, and their timeouts.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionSettings {
    /// `GATEWAY_CONNECTIONS`: all connections.
    pub max: usize,
    /// `GATEWAY_CONNECTIONS_SHARE`: connections of one network, once more than half are in use.
    pub share: usize,
    /// `GATEWAY_HEAD_SECONDS`: until the first request of a connection, and for each request's
    /// head.
    pub head_timeout: Duration,
    /// `GATEWAY_IDLE_SECONDS`: between two requests.
    pub idle_timeout: Duration,
    /// `GATEWAY_WRITE_SECONDS`: in which a client has to take at least 16 KiB of its responses, or
    /// all of them.
    pub write_timeout: Duration,
}

/// Maximum number of requests in progress: those that need a service, from the head to the last
/// byte of the response.
#[derive(Clone, Copy, Debug)]
pub struct RequestSettings {
    /// `GATEWAY_REQUESTS`: all of them.
    pub max: usize,
    /// `GATEWAY_REQUESTS_SHARE`: those of one network, once more than half are in progress.
    pub share: usize,
    /// `GATEWAY_WATCHERS_PER_ACCOUNT`: streams of one account.
    pub watchers_per_account: usize,
}

/// Memory budget and read timeout of bodies.
#[derive(Clone, Copy, Debug)]
pub struct BodySettings {
    /// `GATEWAY_BODIES_MIB`: bytes of all bodies in flight.
    pub max_bytes: usize,
    /// `GATEWAY_BODIES_SHARE_MIB`: bytes of one network, once more than half is in use.
    pub share_bytes: usize,
    /// `GATEWAY_BODY_SECONDS`: for a whole body, except that of an upload.
    pub timeout: Duration,
}

/// The public site.
#[derive(Clone, Debug)]
pub struct SiteSettings {
    /// `PUBLIC_URL`.
    pub public: Uri,
    /// `GATEWAY_WEB_DIR`: the built site.
    pub folder: PathBuf,
    /// `GATEWAY_CHECKOUT_ORIGINS`: origins that the booking document may use besides our own.
    pub checkout_origins: Vec<String>,
    /// `GATEWAY_HOSTS`: host names beside that of `PUBLIC_URL` under which the site is served.
    pub hosts: HostNames,
    /// `GATEWAY_TRUST_PROXY`: the proxies of ours that stand before the gateway.
    pub proxies: TrustedProxies,
    /// `GATEWAY_STAFF_NETWORKS`: the networks from which staff need no second factor.
    pub staff_networks: StaffNetworks,
}

/// Addresses of the public services.
#[derive(Clone, Debug)]
pub struct Upstreams {
    /// The catalogue's gRPC address.
    pub catalogue: Uri,
    /// Booking's gRPC address.
    pub booking: Uri,
    /// The gRPC address of payments.
    pub payments: Uri,
    /// The gRPC address of notifications.
    pub notifications: Uri,
    /// The gRPC address of reviews.
    pub reviews: Uri,
}

/// The backends that are reached over HTTP.
#[derive(Clone, Debug)]
pub struct ProxySettings {
    /// `IDENTITY_URL`.
    pub identity: String,
    /// Whether the identity server's calls for administrators are reachable from outside;
    /// `GATEWAY_IDENTITY_ADMIN`, false by default.
    pub identity_admin: bool,
    /// `PAYMENTS_HTTP_URL`.
    pub payments: String,
    /// `REVIEWS_HTTP_URL`.
    pub reviews: String,
}

/// A service that the gateway never calls, but that signing in needs.
#[derive(Clone, Debug)]
pub struct WatchSettings {
    /// `IDENTITY_GRPC_URL`; absent when the identity server is not ours.
    pub identity: Option<String>,
}

/// A token bucket of `burst` requests, refilled at `per_minute`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimit {
    /// Requests at once.
    pub burst: NonZeroU32,
    /// Requests refilled per minute.
    pub per_minute: NonZeroU32,
}

/// The gateway's limits.
#[derive(Clone, Copy, Debug)]
pub struct RateLimits {
    /// All requests of one network address.
    pub address: RateLimit,
    /// Commands of one account.
    pub account: RateLimit,
    /// Calls of one account for the practice, whose reads are written down and so no reads for the
    /// gateway.
    pub staff: RateLimit,
    /// Sign-in, sign-up and the like from one network address.
    pub sign_in: RateLimit,
    /// Session refreshes from one network address.
    pub refreshes: RateLimit,
    /// Webhooks of one network address that payments rejected.
    pub bad_webhooks: RateLimit,
    /// Reviews and their pictures from one network address.
    pub reviews: RateLimit,
    /// Picture downloads from one network address.
    pub pictures: RateLimit,
    /// Contact messages and requests for the guide from one network address.
    pub forms: RateLimit,
    /// The same in an hour: a small part of what notifications accepts from everybody.
    pub forms_per_hour: NonZeroU32,
    /// Uploads of pictures from one network address in an hour: a small part of those that may wait
    /// for a review.
    pub uploads_per_hour: NonZeroU32,
    /// Unsubscribing from one network address.
    pub unsubscribing: RateLimit,
}

impl Config {
    /// Reads all settings.
    pub fn read(reader: &mut Reader<'_>) -> Self {
        Self {
            listen: reader.address("GATEWAY_LISTEN"),
            inner_listen: inner_listen(reader),
            connections: connections(reader),
            requests: requests(reader),
            bodies: bodies(reader),
            site: SiteSettings {
                public: uri(reader, "PUBLIC_URL"),
                folder: reader.path("GATEWAY_WEB_DIR"),
                checkout_origins: checkout_origins::read(reader),
                hosts: reader.parse_or("GATEWAY_HOSTS", HostNames::default()),
                proxies: reader.parse_or("GATEWAY_TRUST_PROXY", TrustedProxies::None),
                staff_networks: reader.parse_or("GATEWAY_STAFF_NETWORKS", StaffNetworks::default()),
            },
            upstreams: Upstreams {
                catalogue: uri(reader, "CATALOGUE_URL"),
                booking: uri(reader, "BOOKING_URL"),
                payments: uri(reader, "PAYMENTS_URL"),
                notifications: uri(reader, "NOTIFICATIONS_URL"),
                reviews: uri(reader, "REVIEWS_URL"),
            },
            proxied: ProxySettings {
                identity: reader.url("IDENTITY_URL"),
                identity_admin: reader.parse_or("GATEWAY_IDENTITY_ADMIN", false),
                payments: reader.url("PAYMENTS_HTTP_URL"),
                reviews: reader.url("REVIEWS_HTTP_URL"),
            },
            watched: WatchSettings { identity: reader.optional_url("IDENTITY_GRPC_URL") },
            users: UserSettings::read(reader),
            rate_limits: RateLimits {
                address: reader.parse_or("GATEWAY_LIMIT_ADDRESS", rate_limit(600, 3000)),
                account: reader.parse_or("GATEWAY_LIMIT_ACCOUNT", rate_limit(30, 60)),
                staff: reader.parse_or("GATEWAY_LIMIT_STAFF", rate_limit(120, 600)),
                sign_in: reader.parse_or("GATEWAY_LIMIT_SIGN_IN", rate_limit(120, 120)),
                refreshes: reader.parse_or("GATEWAY_LIMIT_REFRESHES", rate_limit(120, 300)),
                bad_webhooks: reader.parse_or("GATEWAY_LIMIT_BAD_WEBHOOKS", rate_limit(20, 10)),
                reviews: reader.parse_or("GATEWAY_LIMIT_REVIEWS", rate_limit(10, 2)),
                pictures: reader.parse_or("GATEWAY_LIMIT_PICTURES", rate_limit(300, 3000)),
                forms: reader.parse_or("GATEWAY_LIMIT_FORMS", rate_limit(5, 1)),
                forms_per_hour: reader.parse_or("GATEWAY_LIMIT_FORMS_PER_HOUR", at_least_one(10)),
                uploads_per_hour: reader
                    .parse_or("GATEWAY_LIMIT_UPLOADS_PER_HOUR", at_least_one(30)),
                unsubscribing: reader.parse_or("GATEWAY_LIMIT_UNSUBSCRIBING", rate_limit(60, 300)),
            },
        }
    }
}

/// A rate limit is not written as `burst/per minute`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it must be two numbers, burst and per minute, for example 120/1200")]
pub struct InvalidRateLimit;

impl FromStr for RateLimit {
    type Err = InvalidRateLimit;

    fn from_str(text: &str) -> Result<Self, InvalidRateLimit> {
        let number = |text: &str| text.trim().parse().ok();
        let (burst, per_minute) = text.split_once('/').ok_or(InvalidRateLimit)?;
        match (number(burst), number(per_minute)) {
            (Some(burst), Some(per_minute)) => Ok(Self { burst, per_minute }),
            _ => Err(InvalidRateLimit),
        }
    }
}

const fn rate_limit(burst: u32, per_minute: u32) -> RateLimit {
    RateLimit { burst: at_least_one(burst), per_minute: at_least_one(per_minute) }
}

const fn at_least_one(number: u32) -> NonZeroU32 {
    match NonZeroU32::new(number) {
        Some(number) => number,
        None => NonZeroU32::MIN,
    }
}

fn inner_listen(reader: &mut Reader<'_>) -> Option<SocketAddr> {
    let name = "GATEWAY_INNER_LISTEN";
    let address = reader.optional(name)?.parse::<SocketAddr>();
    address.inspect_err(|error| reader.problem(name, &error.to_string())).ok()
}

fn connections(reader: &mut Reader<'_>) -> ConnectionSettings {
    ConnectionSettings {
        max: number(reader, "GATEWAY_CONNECTIONS", 8192),
        share: number(reader, "GATEWAY_CONNECTIONS_SHARE", 512),
        head_timeout: seconds(reader, "GATEWAY_HEAD_SECONDS", 10),
        idle_timeout: seconds(reader, "GATEWAY_IDLE_SECONDS", 120),
        write_timeout: seconds(reader, "GATEWAY_WRITE_SECONDS", 60),
    }
}

fn requests(reader: &mut Reader<'_>) -> RequestSettings {
    RequestSettings {
        max: number(reader, "GATEWAY_REQUESTS", 4096),
        share: number(reader, "GATEWAY_REQUESTS_SHARE", 512),
        watchers_per_account: number(reader, "GATEWAY_WATCHERS_PER_ACCOUNT", 4),
    }
}

fn bodies(reader: &mut Reader<'_>) -> BodySettings {
    let mut bytes = |name, default| number(reader, name, default).saturating_mul(MEBIBYTE);
    BodySettings {
        max_bytes: bytes("GATEWAY_BODIES_MIB", 32),
        share_bytes: bytes("GATEWAY_BODIES_SHARE_MIB", 4),
        timeout: seconds(reader, "GATEWAY_BODY_SECONDS", 15),
    }
}

/// A non-zero number.
fn number(reader: &mut Reader<'_>, name: &str, default: u32) -> usize {
    let number = reader.parse_or(name, at_least_one(default)).get();
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn seconds(reader: &mut Reader<'_>, name: &str, default: u32) -> Duration {
    Duration::from_secs(reader.parse_or(name, at_least_one(default)).get().into())
}

fn uri(reader: &mut Reader<'_>, name: &str) -> Uri {
    // The reader has already reported an invalid URL.
    reader.url(name).parse().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{Config, InvalidRateLimit, RateLimit};
    use runtime::Reader;

    #[test]
    fn a_rate_limit_is_two_numbers() {
        let read: RateLimit = "5/60".parse().unwrap();
        assert_eq!((read.burst.get(), read.per_minute.get()), (5, 60));
        for wrong in ["5", "0/60", "a/b", "5/0", ""] {
            assert_eq!(wrong.parse::<RateLimit>(), Err(InvalidRateLimit));
        }
    }

    #[test]
    fn all_missing_settings_are_reported_together() {
        let source: &[(&str, &str)] = &[("GATEWAY_CHECKOUT_ORIGINS", "*")];
        let mut reader = Reader::new(&source);
        let config = Config::read(&mut reader);
        let invalid = reader.finish(config).unwrap_err();
        let names: Vec<_> = invalid.problems.iter().map(|problem| problem.name.as_str()).collect();
        let all = [
            "GATEWAY_LISTEN",
            "PUBLIC_URL",
            "GATEWAY_WEB_DIR",
            "GATEWAY_CHECKOUT_ORIGINS",
            "CATALOGUE_URL",
            "BOOKING_URL",
            "PAYMENTS_URL",
            "NOTIFICATIONS_URL",
            "REVIEWS_URL",
            "IDENTITY_URL",
            "PAYMENTS_HTTP_URL",
            "REVIEWS_HTTP_URL",
            "TOKEN_JWKS_URL",
            "TOKEN_ISSUER",
        ];
        assert_eq!(names, all);
    }
}
