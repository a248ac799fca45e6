//! Short-lived cache of public read responses. Catalogue responses ("practice") are valid for one
//! second. A list of slots is at most a tenth of a second old, counted from the moment of the
//! request, however long booking took to answer. A booking command that passes this gateway
//! (booking, release, block) invalidates all lists before its own response is sent. A list is a
//! hint only; the hold decides.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::body::Body;
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use contract::calls::Cache as Declared;
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use moka::sync::Cache;
use tokio::time::Instant;

use crate::etag::matches_etag;
use crate::procedures::Procedure;

/// Maximum age of a catalogue response. Browsers may cache it for longer.
const PRACTICE_TTL: Duration = Duration::from_secs(1);
/// Maximum age of a list of slots.
const SLOTS_TTL: Duration = Duration::from_millis(100);
/// Maximum size of each of the two caches.
const BYTES_MAX: u64 = 4 * 1024 * 1024;
/// Requests with a longer key are not cached; no page of the site sends one.
const KEY_BYTES_MAX: usize = 1024;

/// The two kinds of cached responses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Practice,
    Slots,
}

/// Identifies a cached response: the request target as sent, and the accepted encodings.
#[derive(Clone, Debug)]
pub(crate) struct CacheKey {
    kind: Kind,
    text: String,
    requested_at: Instant,
}

impl CacheKey {
    /// Whether the response is a catalogue response, which browsers may cache too.
    pub(crate) fn is_practice(&self) -> bool {
        self.kind == Kind::Practice
    }
}

/// A complete response without the headers that the middleware adds.
pub(crate) struct CachedResponse {
    headers: HeaderMap,
    tag: Option<HeaderValue>,
    bytes: Bytes,
}

impl CachedResponse {
    /// Takes a fully read response. With an ETag, conditional requests get 304.
    pub(crate) fn new(headers: HeaderMap, tag: Option<HeaderValue>, bytes: Bytes) -> Self {
        Self { headers, tag, bytes }
    }

    /// The response to a request with these headers.
    pub(crate) fn to_response(&self, request_headers: &HeaderMap) -> Response {
        let mut headers = self.headers.clone();
        if self.tag.as_ref().is_some_and(|tag| matches_etag(request_headers, tag)) {
            headers.remove(header::CONTENT_LENGTH);
            return (StatusCode::NOT_MODIFIED, headers).into_response();
        }
        (headers, Body::from(self.bytes.clone())).into_response()
    }
}

/// A cached response with the time of its request, which is not later than the time at which the
/// service read the data.
#[derive(Clone)]
struct CacheEntry {
    response: Arc<CachedResponse>,
    requested_at: Instant,
}

impl CacheEntry {
    fn weight(key: &str, entry: &Self) -> u32 {
        u32::try_from(key.len().saturating_add(entry.response.bytes.len())).unwrap_or(u32::MAX)
    }
}

/// The cache of both kinds.
pub(crate) struct ResponseCache {
    practice: Cache<String, CacheEntry>,
    slots: Cache<String, CacheEntry>,
    /// Incremented by each command that may change slots. It is part of a list's key, so a list
    /// that was requested before a change and arrives after it is never found.
    slots_version: AtomicU64,
}

impl ResponseCache {
    pub(crate) fn new() -> Self {
        let cache = |age| {
            let small = Cache::builder().max_capacity(BYTES_MAX).time_to_live(age);
            small.weigher(|key: &String, entry| CacheEntry::weight(key, entry)).build()
        };
        Self {
            practice: cache(PRACTICE_TTL),
            slots: cache(SLOTS_TTL),
            slots_version: AtomicU64::new(0),
        }
    }

    /// The cache key of a request, or `None` if its response is not cacheable. The path has no
    /// `/rpc` prefix.
    pub(crate) fn key_of(
        &self,
        procedure: Procedure,
        method: &Method,
        uri: &Uri,
        headers: &HeaderMap,
    ) -> Option<CacheKey> {
        let kind = match procedure.declared.cache {
            Declared::Practice => Kind::Practice,
            Declared::Slots => Kind::Slots,
            Declared::Unspecified => return None,
        };
        // A request with a content type is no Connect GET; the protocol library rejects it.
        let is_read = method == Method::GET && !headers.contains_key(header::CONTENT_TYPE);
        let encodings = match headers.get(header::ACCEPT_ENCODING) {
            Some(encodings) => encodings.to_str().ok()?,
            None => "",
        };
        let target = uri.path_and_query()?.as_str();
        let target = target.strip_prefix("/rpc").unwrap_or(target);
        let is_short = encodings.len().saturating_add(target.len()) <= KEY_BYTES_MAX;
        if !is_read || !is_short {
            return None;
        }
        let slots_version = match kind {
            Kind::Practice => 0,
            Kind::Slots => self.slots_version.load(Ordering::SeqCst),
        };
        let text = format!("{slots_version} {encodings}\n{target}");
        Some(CacheKey { kind, text, requested_at: Instant::now() })
    }

    pub(crate) fn get(&self, key: &CacheKey) -> Option<Arc<CachedResponse>> {
        let (cache, age) = self.cache_of(key);
        let entry = cache.get(&key.text)?;
        (entry.requested_at.elapsed() < age).then_some(entry.response)
    }

    pub(crate) fn insert(&self, key: CacheKey, response: Arc<CachedResponse>) {
        let (cache, _age) = self.cache_of(&key);
        cache.insert(key.text, CacheEntry { response, requested_at: key.requested_at });
    }

    /// Invalidates all lists of slots.
    pub(crate) fn invalidate_slots(&self) {
        self.slots_version.fetch_add(1, Ordering::SeqCst);
    }

    fn cache_of(&self, key: &CacheKey) -> (&Cache<String, CacheEntry>, Duration) {
        match key.kind {
            Kind::Practice => (&self.practice, PRACTICE_TTL),
            Kind::Slots => (&self.slots, SLOTS_TTL),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use super::*;
    use crate::procedures::Procedures;
    use crate::schema::Schema;

    const LIST: &str = "/booking.v1.BookingService/ListSlots";
    const SERVICES: &str = "/catalogue.v1.CatalogueService/ListServices";

    /// Read once: the lists' real time goes on while a test runs.
    static PROCEDURES: LazyLock<Procedures> =
        LazyLock::new(|| Procedures::new(&Schema::load().unwrap()));

    fn procedure(path: &str) -> Procedure {
        PROCEDURES.get(path).unwrap()
    }

    fn asked(
        cache: &ResponseCache,
        call: &str,
        target: &str,
        headers: &HeaderMap,
    ) -> Option<CacheKey> {
        let procedure = procedure(call);
        let uri: Uri = target.parse().unwrap();
        cache.key_of(procedure, &Method::GET, &uri, headers)
    }

    fn kept(word: &'static str) -> Arc<CachedResponse> {
        Arc::new(CachedResponse::new(HeaderMap::new(), None, Bytes::from_static(word.as_bytes())))
    }

    #[test]
    fn a_list_requested_before_a_change_is_never_found_after_it() {
        let (cache, none) = (ResponseCache::new(), HeaderMap::new());
        let ask = || asked(&cache, LIST, LIST, &none).unwrap();
        let before = ask();
        cache.invalidate_slots();
        cache.insert(before, kept("old"));
        assert!(cache.get(&ask()).is_none());
        cache.insert(ask(), kept("new"));
        assert_eq!(cache.get(&ask()).unwrap().bytes, "new");
        cache.invalidate_slots();
        assert!(cache.get(&ask()).is_none());
    }

    /// The age of a list counts from its request, not from its response.
    #[tokio::test(start_paused = true)]
    async fn a_list_is_never_older_than_a_tenth_of_a_second() {
        let (cache, none) = (ResponseCache::new(), HeaderMap::new());
        let ask = || asked(&cache, LIST, LIST, &none).unwrap();
        let key = ask();
        // The time that the service took to answer.
        tokio::time::advance(Duration::from_millis(60)).await;
        cache.insert(key, kept("times"));
        tokio::time::advance(Duration::from_millis(39)).await;
        assert!(cache.get(&ask()).is_some());
        tokio::time::advance(Duration::from_millis(1)).await;
        assert!(cache.get(&ask()).is_none());
        let key = ask();
        tokio::time::advance(Duration::from_secs(10)).await;
        cache.insert(key, kept("times"));
        assert!(cache.get(&ask()).is_none(), "it was old when it came");
    }

    #[test]
    fn a_booking_does_not_invalidate_practice_responses() {
        let (cache, none) = (ResponseCache::new(), HeaderMap::new());
        let key = asked(&cache, SERVICES, SERVICES, &none).unwrap();
        cache.insert(key.clone(), kept("services"));
        cache.invalidate_slots();
        assert!(cache.get(&key).is_some());
    }

    #[test]
    fn each_request_has_its_own_key_with_or_without_the_rpc_prefix() {
        let (cache, none) = (ResponseCache::new(), HeaderMap::new());
        let key = |target: &str, headers| asked(&cache, SERVICES, target, headers).unwrap().text;
        let plain = key(&format!("{SERVICES}?a=1"), &none);
        assert_eq!(plain, key(&format!("/rpc{SERVICES}?a=1"), &none));
        assert_ne!(plain, key(&format!("{SERVICES}?a=2"), &none));
        let packed = HeaderMap::from_iter([(header::ACCEPT_ENCODING, "gzip".parse().unwrap())]);
        assert_ne!(plain, key(&format!("{SERVICES}?a=1"), &packed));
    }

    #[test]
    fn only_short_public_reads_are_cached() {
        let (cache, none) = (ResponseCache::new(), HeaderMap::new());
        let own = "/booking.v1.BookingService/GetBooking";
        assert!(asked(&cache, own, own, &none).is_none());
        let long = format!("{SERVICES}?message={}", "a".repeat(KEY_BYTES_MAX));
        assert!(asked(&cache, SERVICES, &long, &none).is_none());
        let grpc =
            HeaderMap::from_iter([(header::CONTENT_TYPE, "application/grpc".parse().unwrap())]);
        assert!(asked(&cache, SERVICES, SERVICES, &grpc).is_none());
        let procedure = procedure(SERVICES);
        let uri: Uri = SERVICES.parse().unwrap();
        assert!(cache.key_of(procedure, &Method::POST, &uri, &none).is_none());
    }
}
