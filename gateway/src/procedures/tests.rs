//! Every call that a browser may make, with its access, verbs, limits and caching, as a snapshot.

use connectrpc::{IdempotencyLevel, StreamType};
use contract::calls::Cache;
use http::{HeaderMap, Method, Uri};

use super::{
    Access, CALLS, GET_SESSION_CALENDAR, LOCK, Limit, Procedure, Procedures, UNLOCK, UNSUBSCRIBE,
    is_reached,
};
use crate::response_cache::ResponseCache;
use crate::schema::Schema;

fn caller(of: Procedure) -> &'static str {
    match of.declared.access {
        Access::Public if of.declared.cache == Cache::Practice => "all, the same answer",
        Access::Public => "all",
        Access::SignedIn => "signed in",
        Access::Panel => "panel, own pages only",
        Access::Internal | Access::Unspecified => "not for browsers",
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

fn dedicated(limit: Limit) -> &'static str {
    match limit {
        Limit::Unspecified => "none",
        Limit::Review => "reviews",
        Limit::SignIn => "sign-in",
        Limit::Form => "forms",
        Limit::Unsubscribe => "unsubscribing",
    }
}

fn cache(of: Procedure) -> &'static str {
    let uri: Uri = of.spec.procedure.parse().unwrap();
    let headers = HeaderMap::new();
    match ResponseCache::new().key_of(of, &Method::GET, &uri, &headers) {
        Some(key) if key.is_practice() => "here and in browsers",
        Some(_) => "here",
        None => "none",
    }
}

fn line(of: Procedure) -> String {
    let is_signed_in = of.declared.access == Access::SignedIn;
    let per_account = if is_signed_in && of.is_command() { "yes" } else { "no" };
    let (without, with) = (of.dedicated_limit(false), of.dedicated_limit(true));
    format!(
        "{}\n  access: {}; verbs: {}; answer: {}; cache: {}\n  \
         limits: per account {per_account}, dedicated {}, with a grant {}; changes slots: {}\n",
        of.spec.procedure,
        caller(of),
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
    let known = Procedures::new(&Schema::load().unwrap());
    let mut lines: Vec<String> = known.all().map(line).collect();
    lines.sort();
    insta::assert_snapshot!("procedures", lines.concat());
}

#[test]
fn every_name_is_of_a_call_of_the_contract() {
    for path in [UNLOCK, LOCK, UNSUBSCRIBE, GET_SESSION_CALENDAR] {
        assert!(CALLS.iter().any(|call| call.path == path), "there is no call {path}");
    }
}

/// A service's name says as well whether it is for us alone, so a wrong word of one call is seen.
#[test]
fn every_service_that_is_not_internal_can_be_called() {
    for call in CALLS {
        let (service, _name) = call.names();
        let inner = ["common.", "identity."].iter().any(|package| service.starts_with(package));
        let expected = !inner && !service.ends_with("InternalService");
        let is_reached = is_reached(call.access);
        assert_eq!(is_reached, expected && call.path != GET_SESSION_CALENDAR, "{}", call.path);
    }
}
