//! Every call that a browser may make, with its access, verbs, limits and caching, as a snapshot.

use connectrpc::{IdempotencyLevel, StreamType};
use http::{HeaderMap, Method, Uri};

use super::{Access, DedicatedLimit, PROCEDURES, Procedure, Procedures};
use crate::response_cache::ResponseCache;

fn access(of: Procedure) -> &'static str {
    match of.access {
        Access::Cached => "all, the same answer",
        Access::Public => "all",
        Access::SignedIn => "signed in",
        Access::Panel => "panel, own pages only",
    }
}

fn verbs(of: Procedure) -> &'static str {
    let is_read = of.spec.idempotency_level == IdempotencyLevel::NoSideEffects;
    match of.spec.stream_type {
        StreamType::Unary if is_read => "GET POST",
        StreamType::Unary | StreamType::ServerStream => "POST",
        StreamType::ClientStream | StreamType::BidiStream => "not for browsers",
    }
}

fn answer(of: Procedure) -> &'static str {
    match of.spec.stream_type {
        StreamType::Unary | StreamType::ClientStream => "one message",
        StreamType::ServerStream | StreamType::BidiStream => "stream",
    }
}

fn dedicated(limit: DedicatedLimit) -> &'static str {
    match limit {
        DedicatedLimit::None => "none",
        DedicatedLimit::Review => "reviews",
        DedicatedLimit::SignIn => "sign-in",
        DedicatedLimit::Form => "forms",
        DedicatedLimit::Unsubscribe => "unsubscribing",
    }
}

fn cache(of: Procedure) -> &'static str {
    let uri: Uri = of.spec.procedure.parse().unwrap();
    let headers = HeaderMap::new();
    match ResponseCache::new().key_of(of, (&Method::GET, &uri, &headers)) {
        Some(key) if key.is_practice() => "here and in browsers",
        Some(_) => "here",
        None => "none",
    }
}

fn line(of: Procedure) -> String {
    let per_account = if of.access == Access::SignedIn && of.is_command() { "yes" } else { "no" };
    let (without, with) = (of.dedicated_limit(false), of.dedicated_limit(true));
    format!(
        "{}\n  access: {}; verbs: {}; answer: {}; cache: {}\n  \
         limits: per account {per_account}, dedicated {}, with a grant {}; changes slots: {}\n",
        of.spec.procedure,
        access(of),
        verbs(of),
        answer(of),
        cache(of),
        dedicated(without),
        dedicated(with),
        if of.changes_slots() { "yes" } else { "no" },
    )
}

#[test]
fn browsers_may_make_these_calls() {
    let known = Procedures::new();
    let mut lines: Vec<String> =
        PROCEDURES.iter().map(|(spec, _)| line(known.get(spec.procedure).unwrap())).collect();
    lines.sort();
    lines.dedup();
    assert_eq!(lines.len(), PROCEDURES.len(), "a call is listed twice");
    insta::assert_snapshot!("procedures", lines.concat());
}
