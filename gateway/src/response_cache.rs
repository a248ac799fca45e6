//! Answers to public reads that many ask for, kept for a moment. What the practice says about
//! itself is the same for a second. A list of times is at most a tenth of a second old, counted
//! from the moment in which it was asked for, however long its service took; and it is never
//! older than a booking, a release or a block that went through this gateway: such a call ends
//! every list before its own answer leaves. A list promises nothing; the hold decides.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::body::Body;
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use moka::sync::Cache;
use tokio::time::Instant;

use crate::authorization::matches_etag;
use crate::procedures::{Access, LIST_SLOTS, Procedure};

/// How old an answer about the practice may be. Browsers keep it for longer.
const PRACTICE_TTL: Duration = Duration::from_secs(1);
/// How old a list of times may be: less than a glance at it takes.
const SLOTS_TTL: Duration = Duration::from_millis(100);
/// How much of each kind is kept at most.
const BYTES_MAX: u64 = 4 * 1024 * 1024;
/// A longer question is of nobody's page.
const KEY_BYTES_MAX: usize = 1024;

/// Which answers are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Practice,
    Slots,
}

/// What is asked, word for word, with the packings that the client takes.
#[derive(Clone, Debug)]
pub(crate) struct CacheKey {
    kind: Kind,
    text: String,
    requested_at: Instant,
}

impl CacheKey {
    /// Whether it is about the practice, so that browsers may keep the answer too.
    pub(crate) fn is_practice(&self) -> bool {
        self.kind == Kind::Practice
    }
}

/// An answer as it leaves, but for what every answer gets at the edge.
pub(crate) struct CachedResponse {
    headers: HeaderMap,
    tag: Option<HeaderValue>,
    bytes: Bytes,
}

impl CachedResponse {
    /// An answer that was read whole; its tag spares a client the body that it has already.
    pub(crate) fn new(headers: HeaderMap, tag: Option<HeaderValue>, bytes: Bytes) -> Self {
        Self { headers, tag, bytes }
    }

    /// The answer for a client that sent these headers.
    pub(crate) fn to_response(&self, request_headers: &HeaderMap) -> Response {
        let mut headers = self.headers.clone();
        if self.tag.as_ref().is_some_and(|tag| matches_etag(request_headers, tag)) {
            headers.remove(header::CONTENT_LENGTH);
            return (StatusCode::NOT_MODIFIED, headers).into_response();
        }
        (headers, Body::from(self.bytes.clone())).into_response()
    }
}

/// A kept answer, and when it was asked for: no later than its service read what it says.
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

/// All that is kept.
pub(crate) struct ResponseCache {
    practice: Cache<String, CacheEntry>,
    slots: Cache<String, CacheEntry>,
    /// Counts what changed the times. It is part of a list's key, so that a list that was asked for
    /// before a change and comes after it is never found.
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

    /// The question that a request asks, if its answer may be kept. The path is the call's own,
    /// without what leads to all calls.
    pub(crate) fn key_of(
        &self,
        procedure: Procedure,
        (method, uri, headers): (&Method, &Uri, &HeaderMap),
    ) -> Option<CacheKey> {
        let kind = match procedure.access {
            Access::Cached => Kind::Practice,
            Access::Public if procedure.is(&LIST_SLOTS) => Kind::Slots,
            Access::Public | Access::SignedIn | Access::Panel => return None,
        };
        // With a body it is no Connect GET, and whoever asks over it is told so.
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

    /// Something may have taken a time or given one back.
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
    use super::*;
    use crate::procedures::Procedures;

    const LIST: &str = "/booking.v1.BookingService/ListSlots";
    const SERVICES: &str = "/catalogue.v1.CatalogueService/ListServices";

    fn asked(
        cache: &ResponseCache,
        call: &str,
        target: &str,
        headers: &HeaderMap,
    ) -> Option<CacheKey> {
        let procedure = Procedures::new().get(call).unwrap();
        let uri: Uri = target.parse().unwrap();
        cache.key_of(procedure, (&Method::GET, &uri, headers))
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

    /// money.md, L13: the age of a list counted from its answer, and no test held it.
    #[tokio::test(start_paused = true)]
    async fn a_list_is_never_older_than_a_tenth_of_a_second() {
        let (cache, none) = (ResponseCache::new(), HeaderMap::new());
        let ask = || asked(&cache, LIST, LIST, &none).unwrap();
        let key = ask();
        // Its service took so long to answer.
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
        let procedure = Procedures::new().get(SERVICES).unwrap();
        let uri: Uri = SERVICES.parse().unwrap();
        assert!(cache.key_of(procedure, (&Method::POST, &uri, &none)).is_none());
    }
}
