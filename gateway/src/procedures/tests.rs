//! Every call that a browser may make, with its access, verbs, limits and caching, as a snapshot.

use connectrpc::{IdempotencyLevel, StreamType};
use http::{HeaderMap, Method, Uri};

use super::{
    ACCEPT_TERMS, Access, DedicatedLimit, FORMS, GET_SESSION_CALENDAR, LOCK, NO_SLOTS, PUBLIC,
    Procedure, Procedures, REQUEST_BOOKING, RESUBSCRIBE, SECRET_READS, SERVICES, SUBMIT_REVIEW,
    UNLOCK, UNSUBSCRIBE, access,
};
use crate::response_cache::ResponseCache;
use crate::schema::Schema;

fn caller(of: Procedure) -> &'static str {
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
    let schema = Schema::load().unwrap();
    let single = [
        UNLOCK,
        LOCK,
        SUBMIT_REVIEW,
        REQUEST_BOOKING,
        ACCEPT_TERMS,
        UNSUBSCRIBE,
        RESUBSCRIBE,
        GET_SESSION_CALENDAR,
    ];
    let named = single.iter().chain(&FORMS).chain(&SECRET_READS).chain(&NO_SLOTS).chain(&PUBLIC);
    for path in named {
        assert!(schema.method(path).is_some(), "there is no call {path}");
    }
    for (service, _access) in SERVICES {
        let has_calls = schema.methods().any(|method| method.spec.service() == service);
        assert!(has_calls, "there is no service {service}");
    }
}

/// Without a line a service is 404 from outside, and no test of its own would notice.
#[test]
fn every_service_that_is_not_internal_can_be_called() {
    let schema = Schema::load().unwrap();
    for spec in schema.methods().map(|method| method.spec) {
        let service = spec.service();
        let inner = ["common.", "identity."].iter().any(|package| service.starts_with(package));
        let expected = !inner && !service.ends_with("InternalService");
        let is_listed = SERVICES.iter().any(|(listed, _)| *listed == service);
        assert_eq!(is_listed, expected, "{service}");
        let is_reached = access(spec).is_some();
        assert_eq!(is_reached, expected && spec.procedure != GET_SESSION_CALENDAR, "{service}");
    }
}
