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

use crate::access::has_already;
use crate::procedures::{Access, LIST_SLOTS, Procedure};

/// How old an answer about the practice may be. Browsers keep it for longer.
const PRACTICE_AGE: Duration = Duration::from_secs(1);
/// How old a list of times may be: less than a glance at it takes.
const TIMES_AGE: Duration = Duration::from_millis(100);
/// How much of each kind is kept at most.
const BYTES_MAX: u64 = 4 * 1024 * 1024;
/// A longer question is of nobody's page.
const QUESTION_BYTES_MAX: usize = 1024;

/// Which answers are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Practice,
    Times,
}

/// What is asked, word for word, with the packings that the client takes.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    kind: Kind,
    key: String,
    asked_at: Instant,
}

impl Question {
    /// Whether it is about the practice, so that browsers may keep the answer too.
    pub(crate) fn is_of_the_practice(&self) -> bool {
        self.kind == Kind::Practice
    }
}

/// An answer as it leaves, but for what every answer gets at the edge.
pub(crate) struct Kept {
    headers: HeaderMap,
    tag: Option<HeaderValue>,
    bytes: Bytes,
}

impl Kept {
    /// An answer that was read whole; its tag spares a client the body that it has already.
    pub(crate) fn new(headers: HeaderMap, tag: Option<HeaderValue>, bytes: Bytes) -> Self {
        Self { headers, tag, bytes }
    }

    /// The answer for a client that sent these headers.
    pub(crate) fn answer(&self, asked: &HeaderMap) -> Response {
        let mut headers = self.headers.clone();
        if self.tag.as_ref().is_some_and(|tag| has_already(asked, tag)) {
            headers.remove(header::CONTENT_LENGTH);
            return (StatusCode::NOT_MODIFIED, headers).into_response();
        }
        (headers, Body::from(self.bytes.clone())).into_response()
    }
}

/// A kept answer, and when it was asked for: no later than its service read what it says.
#[derive(Clone)]
struct Dated {
    kept: Arc<Kept>,
    asked_at: Instant,
}

impl Dated {
    fn weight(key: &str, dated: &Self) -> u32 {
        u32::try_from(key.len().saturating_add(dated.kept.bytes.len())).unwrap_or(u32::MAX)
    }
}

/// All that is kept.
pub(crate) struct Answers {
    practice: Cache<String, Dated>,
    times: Cache<String, Dated>,
    /// Counts what changed the times. It is part of a list's key, so that a list that was asked for
    /// before a change and comes after it is never found.
    changes: AtomicU64,
}

impl Answers {
    pub(crate) fn new() -> Self {
        let cache = |age| {
            let small = Cache::builder().max_capacity(BYTES_MAX).time_to_live(age);
            small.weigher(|key: &String, dated| Dated::weight(key, dated)).build()
        };
        Self { practice: cache(PRACTICE_AGE), times: cache(TIMES_AGE), changes: AtomicU64::new(0) }
    }

    /// The question that a request asks, if its answer may be kept. The path is the call's own,
    /// without what leads to all calls.
    pub(crate) fn question(
        &self,
        procedure: Procedure,
        (method, uri, headers): (&Method, &Uri, &HeaderMap),
    ) -> Option<Question> {
        let kind = match procedure.access {
            Access::Cached => Kind::Practice,
            Access::Open if procedure.is(&LIST_SLOTS) => Kind::Times,
            Access::Open | Access::SignedIn | Access::Panel => return None,
        };
        // With a body it is no Connect GET, and whoever asks over it is told so.
        let is_read = method == Method::GET && !headers.contains_key(header::CONTENT_TYPE);
        let packings = match headers.get(header::ACCEPT_ENCODING) {
            Some(packings) => packings.to_str().ok()?,
            None => "",
        };
        let target = uri.path_and_query()?.as_str();
        let target = target.strip_prefix("/rpc").unwrap_or(target);
        let is_short = packings.len().saturating_add(target.len()) <= QUESTION_BYTES_MAX;
        if !is_read || !is_short {
            return None;
        }
        let changes = match kind {
            Kind::Practice => 0,
            Kind::Times => self.changes.load(Ordering::SeqCst),
        };
        let key = format!("{changes} {packings}\n{target}");
        Some(Question { kind, key, asked_at: Instant::now() })
    }

    pub(crate) fn find(&self, question: &Question) -> Option<Arc<Kept>> {
        let (answers, age) = self.of(question);
        let dated = answers.get(&question.key)?;
        (dated.asked_at.elapsed() < age).then_some(dated.kept)
    }

    pub(crate) fn keep(&self, question: Question, kept: Arc<Kept>) {
        let (answers, _age) = self.of(&question);
        answers.insert(question.key, Dated { kept, asked_at: question.asked_at });
    }

    /// Something may have taken a time or given one back.
    pub(crate) fn times_changed(&self) {
        self.changes.fetch_add(1, Ordering::SeqCst);
    }

    fn of(&self, question: &Question) -> (&Cache<String, Dated>, Duration) {
        match question.kind {
            Kind::Practice => (&self.practice, PRACTICE_AGE),
            Kind::Times => (&self.times, TIMES_AGE),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::procedures::Procedures;

    const LIST: &str = "/booking.v1.BookingService/ListSlots";
    const SERVICES: &str = "/catalogue.v1.CatalogueService/ListServices";

    fn asked(answers: &Answers, call: &str, target: &str, headers: &HeaderMap) -> Option<Question> {
        let procedure = Procedures::new().get(call).unwrap();
        let uri: Uri = target.parse().unwrap();
        answers.question(procedure, (&Method::GET, &uri, headers))
    }

    fn kept(word: &'static str) -> Arc<Kept> {
        Arc::new(Kept::new(HeaderMap::new(), None, Bytes::from_static(word.as_bytes())))
    }

    #[test]
    fn a_list_that_was_asked_for_before_a_change_is_never_found_after_it() {
        let (answers, none) = (Answers::new(), HeaderMap::new());
        let ask = || asked(&answers, LIST, LIST, &none).unwrap();
        let before = ask();
        answers.times_changed();
        answers.keep(before, kept("old"));
        assert!(answers.find(&ask()).is_none());
        answers.keep(ask(), kept("new"));
        assert_eq!(answers.find(&ask()).unwrap().bytes, "new");
        answers.times_changed();
        assert!(answers.find(&ask()).is_none());
    }

    /// money.md, L13: the age of a list counted from its answer, and no test held it.
    #[tokio::test(start_paused = true)]
    async fn a_list_is_never_older_than_a_tenth_of_a_second() {
        let (answers, none) = (Answers::new(), HeaderMap::new());
        let ask = || asked(&answers, LIST, LIST, &none).unwrap();
        let question = ask();
        // Its service took so long to answer.
        tokio::time::advance(Duration::from_millis(60)).await;
        answers.keep(question, kept("times"));
        tokio::time::advance(Duration::from_millis(39)).await;
        assert!(answers.find(&ask()).is_some());
        tokio::time::advance(Duration::from_millis(1)).await;
        assert!(answers.find(&ask()).is_none());
        let question = ask();
        tokio::time::advance(Duration::from_secs(10)).await;
        answers.keep(question, kept("times"));
        assert!(answers.find(&ask()).is_none(), "it was old when it came");
    }

    #[test]
    fn a_booking_does_not_end_what_the_practice_says_about_itself() {
        let (answers, none) = (Answers::new(), HeaderMap::new());
        let question = asked(&answers, SERVICES, SERVICES, &none).unwrap();
        answers.keep(question.clone(), kept("services"));
        answers.times_changed();
        assert!(answers.find(&question).is_some());
    }

    #[test]
    fn each_question_has_its_own_answer_and_both_ways_to_it_are_one() {
        let (answers, none) = (Answers::new(), HeaderMap::new());
        let key = |target: &str, headers| asked(&answers, SERVICES, target, headers).unwrap().key;
        let plain = key(&format!("{SERVICES}?a=1"), &none);
        assert_eq!(plain, key(&format!("/rpc{SERVICES}?a=1"), &none));
        assert_ne!(plain, key(&format!("{SERVICES}?a=2"), &none));
        let packed = HeaderMap::from_iter([(header::ACCEPT_ENCODING, "gzip".parse().unwrap())]);
        assert_ne!(plain, key(&format!("{SERVICES}?a=1"), &packed));
    }

    #[test]
    fn only_short_reads_that_are_the_same_for_all_are_kept() {
        let (answers, none) = (Answers::new(), HeaderMap::new());
        let own = "/booking.v1.BookingService/GetBooking";
        assert!(asked(&answers, own, own, &none).is_none());
        let long = format!("{SERVICES}?message={}", "a".repeat(QUESTION_BYTES_MAX));
        assert!(asked(&answers, SERVICES, &long, &none).is_none());
        let grpc =
            HeaderMap::from_iter([(header::CONTENT_TYPE, "application/grpc".parse().unwrap())]);
        assert!(asked(&answers, SERVICES, SERVICES, &grpc).is_none());
        let procedure = Procedures::new().get(SERVICES).unwrap();
        let uri: Uri = SERVICES.parse().unwrap();
        assert!(answers.question(procedure, (&Method::POST, &uri, &none)).is_none());
    }
}
