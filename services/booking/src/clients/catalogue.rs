//! Prices, session lengths and practitioners of services, queried from the catalogue and cached for
//! at most a minute.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use contract::catalogue::v1::catalogue_internal_service_client::CatalogueInternalServiceClient;
use contract::catalogue::v1::{self as wire, GetOfferingRequest, GetOfferingResponse};
use contract::convert::money;
use kernel::Money;
use runtime::caller::Peers;
use runtime::channel::{self, InvalidUrl, PeerChannel};
use tokio::time::Instant;
use tonic::Code;

use crate::domain::booking::Package;
use crate::domain::package::PackageTerms;
use crate::error::{Error, Rejection, refuse};

/// How long a response is cached.
const CACHE_TTL: Duration = Duration::from_secs(60);
/// The maximum session length; sessions cannot cross midnight.
const MINUTES_MAX: i32 = 24 * 60;

/// The data of a service that a booking needs.
#[derive(Debug, Clone)]
pub struct Offering {
    /// Its title.
    pub title: String,
    /// The length of a session in minutes.
    pub duration_minutes: i32,
    /// The price of one session; zero only where it is free.
    pub price: Money,
    /// The terms of what costs nothing.
    pub free: Option<FreeTerms>,
    /// The ids of the practitioners that give it; empty when all do.
    pub practitioner_ids: Vec<String>,
    /// The packages that are offered for it.
    pub packages: Vec<PackageTerms>,
}

/// What a client needs for what costs nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FreeTerms {
    /// After how many days the same address may have it again; `None` for never.
    pub repeat_after_days: Option<i32>,
}

/// A caching client of the catalogue. Clones share the cache.
#[derive(Clone)]
pub struct Catalogue {
    client: CatalogueInternalServiceClient<PeerChannel>,
    cache: Arc<Mutex<HashMap<String, (Instant, Offering)>>>,
}

impl std::fmt::Debug for Catalogue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Catalogue").finish_non_exhaustive()
    }
}

impl Catalogue {
    /// A client for a catalogue at a URL.
    pub fn new(url: &str, peers: &Peers) -> Result<Self, InvalidUrl> {
        let client = CatalogueInternalServiceClient::new(channel::peer(url, "catalogue", peers)?);
        Ok(Self { client, cache: Arc::default() })
    }

    /// The price, the session length and the practitioners of a service.
    ///
    /// # Errors
    /// `ServiceNotFound`, `InvalidPrice`, or `Unavailable` when the catalogue does not answer.
    pub async fn offering(&self, service_id: &str) -> Result<Offering, Error> {
        if let Some(offering) = self.cached(service_id) {
            return Ok(offering);
        }
        let request = GetOfferingRequest { service_id: service_id.to_owned() };
        let answer = self.client.clone().get_offering(request).await;
        let answer = answer.map_err(|status| match status.code() {
            Code::NotFound | Code::InvalidArgument => refuse(Rejection::ServiceNotFound),
            _ => Error::unavailable(status),
        })?;
        let offering = read(&answer.into_inner())?;
        self.store(service_id, offering.clone());
        Ok(offering)
    }

    fn cached(&self, service_id: &str) -> Option<Offering> {
        let cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let (since, offering) = cache.get(service_id)?;
        (since.elapsed() < CACHE_TTL).then(|| offering.clone())
    }

    /// Only existing services are cached, so the cache is bounded by the catalogue.
    fn store(&self, service_id: &str, offering: Offering) {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        cache.insert(service_id.to_owned(), (Instant::now(), offering));
    }
}

fn read(answer: &GetOfferingResponse) -> Result<Offering, Error> {
    let least = i64::from(!answer.free);
    let price = answer.price.as_ref().and_then(money).filter(|price| price.minor >= least);
    let repeat_after_days = Some(answer.repeat_after_days).filter(|days| *days > 0);
    let length_is_possible = (1..=MINUTES_MAX).contains(&answer.duration_minutes);
    let packages = answer.packages.iter().map(read_package).collect::<Option<Vec<_>>>();
    match price.zip(packages) {
        Some((price, packages)) if length_is_possible => Ok(Offering {
            title: answer.title.clone(),
            duration_minutes: answer.duration_minutes,
            free: (price.minor == 0).then_some(FreeTerms { repeat_after_days }),
            price,
            practitioner_ids: answer.practitioner_ids.clone(),
            packages,
        }),
        _ => Err(refuse(Rejection::InvalidPrice)),
    }
}

/// `None` for a package without a price.
fn read_package(package: &wire::Package) -> Option<PackageTerms> {
    let price = package.price.as_ref().and_then(money).filter(|price| price.minor > 0)?;
    Some(PackageTerms {
        package: Package {
            id: package.package_id.clone(),
            title: package.title.clone(),
            notice_hours: package.notice_hours,
        },
        sessions: package.sessions,
        price,
        within_days: package.within_days,
    })
}
