//! Prices and lengths of services, asked of the catalogue and kept for at most a minute.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use contract::catalogue::v1::catalogue_internal_service_client::CatalogueInternalServiceClient;
use contract::catalogue::v1::{GetOfferingRequest, GetOfferingResponse};
use contract::convert::money;
use kernel::Money;
use runtime::caller::Peers;
use runtime::channel::{self, InvalidUrl, PeerChannel};
use tokio::time::Instant;
use tonic::Code;

use crate::app::{Error, Rejection, refuse};

/// How long an answer is used again.
const CACHE_TTL: Duration = Duration::from_secs(60);
/// The longest session that a catalogue may mean; nothing crosses midnight anyway.
const MINUTES_MAX: i32 = 24 * 60;

/// What a booking must know of a service.
#[derive(Debug, Clone)]
pub struct Offering {
    /// Its title.
    pub title: String,
    /// Whole minutes that a session reserves.
    pub duration_minutes: i32,
    /// Price of one session.
    pub price: Money,
}

/// The catalogue as booking sees it. Clones share what is kept.
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
    /// The catalogue at a URL.
    ///
    /// # Errors
    /// When the URL cannot be one.
    pub fn new(url: &str, peers: &Peers) -> Result<Self, InvalidUrl> {
        let client = CatalogueInternalServiceClient::new(channel::peer(url, "catalogue", peers)?);
        Ok(Self { client, cache: Arc::default() })
    }

    /// The price and length of a service.
    ///
    /// # Errors
    /// `ServiceNotFound`, `InvalidPrice`, or that the catalogue does not answer.
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

    /// Only services that exist are kept, so the map stays as small as the catalogue.
    fn store(&self, service_id: &str, offering: Offering) {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        cache.insert(service_id.to_owned(), (Instant::now(), offering));
    }
}

fn read(answer: &GetOfferingResponse) -> Result<Offering, Error> {
    let price = answer.price.as_ref().and_then(money).filter(|price| price.minor > 0);
    let length_is_possible = (1..=MINUTES_MAX).contains(&answer.duration_minutes);
    match price {
        Some(price) if length_is_possible => Ok(Offering {
            title: answer.title.clone(),
            duration_minutes: answer.duration_minutes,
            price,
        }),
        _ => Err(refuse(Rejection::InvalidPrice)),
    }
}
