//! Forged, foreign, late and misdirected tokens are turned away; good ones pass without the
//! identity server, once its keys are known.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use axum::http::StatusCode;
use axum::routing::get;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use kernel::Reject as _;
use p256::ecdsa::SigningKey;
use p256::ecdsa::signature::Signer as _;
use p256::elliptic_curve::rand_core::OsRng;
use p256::pkcs8::{EncodePrivateKey as _, EncodePublicKey as _, LineEnding};
use secrecy::SecretString;
use serde_json::{Value, json};
use tonic::metadata::MetadataMap;
use tonic::service::Interceptor as _;

use super::rules::unix_seconds;
use super::{Aal, PeerError, PeerSettings, Peers, UserError, UserSettings, Users};
use crate::channel::PeerInterceptor;
use crate::status::detail_of;

const ISSUER: &str = "http://127.0.0.1:8080/auth/v1";
const SUBJECT: &str = "0193a000-0000-7000-8000-000000000001";

/// A P-256 key pair with a name.
struct Pair {
    kid: &'static str,
    key: SigningKey,
}

impl Pair {
    fn new(kid: &'static str) -> Self {
        Self { kid, key: SigningKey::random(&mut OsRng) }
    }

    fn pem(&self) -> String {
        self.key.to_pkcs8_pem(LineEnding::LF).unwrap().to_string()
    }

    fn jwk(&self) -> Value {
        let point = self.key.verifying_key().to_encoded_point(false);
        let part = |bytes: Option<&_>| {
            let bytes: &p256::FieldBytes = bytes.unwrap();
            URL_SAFE_NO_PAD.encode(bytes)
        };
        json!({"kty": "EC", "crv": "P-256", "kid": self.kid, "use": "sig", "alg": "ES256",
               "x": part(point.x()), "y": part(point.y())})
    }

    fn token(&self, claims: &Value) -> String {
        let mut header = Header::new(Algorithm::ES256);
        header.kid = Some(self.kid.to_owned());
        let key = EncodingKey::from_ec_pem(self.pem().as_bytes()).unwrap();
        encode(&header, claims, &key).unwrap()
    }
}

fn jwks(pairs: &[&Pair]) -> String {
    // A key of another kind beside ours must not matter.
    let mut keys = vec![json!({"kty": "oct", "kid": "other", "k": "AAAA"}), json!({"kty": "new"})];
    keys.extend(pairs.iter().map(|pair| pair.jwk()));
    json!({ "keys": keys }).to_string()
}

fn claims() -> Value {
    json!({"iss": ISSUER, "aud": "authenticated", "sub": SUBJECT, "exp": unix_seconds() + 600,
           "iat": unix_seconds(), "email": "Asha@Example.com", "role": "authenticated",
           "session_id": "0193a000-0000-7000-8000-0000000000aa"})
}

fn changed(key: &str, value: Value) -> Value {
    let mut claims = claims();
    claims[key] = value;
    claims
}

/// An identity server that shows keys, can be down, and counts how often it was asked.
struct Identity {
    url: String,
    up: Arc<AtomicBool>,
    asked: Arc<AtomicUsize>,
}

impl Identity {
    async fn start(document: String) -> Self {
        let up = Arc::new(AtomicBool::new(true));
        let asked = Arc::new(AtomicUsize::new(0));
        let (is_up, count) = (up.clone(), asked.clone());
        let show = move || async move {
            count.fetch_add(1, Ordering::SeqCst);
            if is_up.load(Ordering::SeqCst) {
                (StatusCode::OK, document)
            } else {
                (StatusCode::SERVICE_UNAVAILABLE, String::new())
            }
        };
        let router = Router::new().route("/jwks.json", get(show));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/jwks.json", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { url, up, asked }
    }

    fn users(&self) -> Users {
        let settings = UserSettings {
            jwks_url: self.url.clone(),
            issuer: ISSUER.to_owned(),
            identity_url: None,
        };
        Users::new(&settings).unwrap()
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

#[tokio::test]
async fn a_token_says_by_how_many_factors() {
    let pair = Pair::new("one");
    let identity = Identity::start(jwks(&[&pair])).await;
    let users = identity.users();
    for (claim, aal) in [
        (json!("aal1"), Aal::Aal1),
        (json!("aal2"), Aal::Aal2),
        (json!("aal3"), Aal::Aal2),
        (json!("AAL2"), Aal::Aal1),
        (json!(""), Aal::Aal1),
    ] {
        let token = pair.token(&changed("aal", claim.clone()));
        assert_eq!(users.verify_token(&token).await.unwrap().aal, aal, "{claim}");
    }
    assert_eq!(users.verify_token(&pair.token(&claims())).await.unwrap().aal, Aal::Aal1);
    let odd = pair.token(&changed("aal", json!(2)));
    assert_eq!(users.verify_token(&odd).await, Err(UserError::Invalid));
}

#[tokio::test]
async fn a_good_token_says_who_it_is() {
    let pair = Pair::new("k1");
    let identity = Identity::start(jwks(&[&pair])).await;
    let mut metadata = MetadataMap::new();
    metadata.insert("authorization", format!("bearer {}", pair.token(&claims())).parse().unwrap());
    let user = identity.users().verify(&metadata).await.unwrap();
    assert_eq!(user.id.to_string(), SUBJECT);
    assert_eq!(user.customer.to_string(), "usr_0193a000000070008000000000000001");
    assert_eq!(user.email, "asha@example.com");
    assert!(user.session_id.is_some());
    assert!(user.time_left().as_secs() > 590);
    assert!(!format!("{user:?}").contains("example"), "no personal data in Debug");
}

#[tokio::test]
async fn without_a_token_the_reason_says_so() {
    let identity = Identity::start(jwks(&[&Pair::new("k1")])).await;
    let status = identity.users().verify(&MetadataMap::new()).await.unwrap_err();
    assert_eq!(status.code(), tonic::Code::Unauthenticated);
    assert_eq!(detail_of(&status).unwrap().reason, "TOKEN_MISSING");
    assert_eq!(identity.asked(), 0, "nobody was asked for that");
}

#[tokio::test]
async fn a_token_with_a_wrong_claim_is_refused() {
    let pair = Pair::new("k1");
    let users = Identity::start(jwks(&[&pair])).await.users();
    for (key, value) in [
        ("exp", json!(unix_seconds() - 60)),
        ("exp", Value::Null),
        ("iss", json!("https://elsewhere.example/auth/v1")),
        ("aud", json!("anon")),
        ("aud", Value::Null),
        ("sub", json!("not-a-uuid")),
        ("nbf", json!(unix_seconds() + 60)),
    ] {
        let token = pair.token(&changed(key, value.clone()));
        assert_eq!(users.verify_token(&token).await, Err(UserError::Invalid), "{key} {value}");
    }
}

#[tokio::test]
async fn forged_tokens_are_refused() {
    let pair = Pair::new("k1");
    let users = Identity::start(jwks(&[&pair])).await.users();
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let unsigned = |alg: &str| {
        format!("{}.{}.", part(&json!({"alg": alg, "typ": "JWT", "kid": "k1"})), part(&claims()))
    };
    // The public key, which everybody has, taken as the secret of an HMAC.
    let mut symmetric = Header::new(Algorithm::HS256);
    symmetric.kid = Some("k1".to_owned());
    let public = pair.key.verifying_key().to_public_key_pem(LineEnding::LF).unwrap();
    let secret = EncodingKey::from_secret(public.as_bytes());
    let with_public_key = encode(&symmetric, &claims(), &secret).unwrap();
    let without_kid = {
        let key = EncodingKey::from_ec_pem(pair.pem().as_bytes()).unwrap();
        encode(&Header::new(Algorithm::ES256), &claims(), &key).unwrap()
    };
    let good = pair.token(&claims());
    let (_, signature) = good.rsplit_once('.').unwrap();
    let other = pair.token(&changed("sub", json!("0193a000-0000-7000-8000-000000000002")));
    let (signed, _) = other.rsplit_once('.').unwrap();
    for (name, token) in [
        ("alg none", unsigned("none")),
        ("alg None", unsigned("None")),
        ("no signature", unsigned("ES256")),
        ("HS256 with the public key", with_public_key),
        ("another's key under our kid", Pair::new("k1").token(&claims())),
        ("a signature of other claims", format!("{signed}.{signature}")),
        ("no kid", without_kid),
        ("too long", "x".repeat(9_000)),
        ("rubbish", "a.b.c".to_owned()),
    ] {
        assert_eq!(users.verify_token(&token).await, Err(UserError::Invalid), "{name}");
    }
}

#[tokio::test]
async fn a_token_cannot_say_where_its_key_is() {
    let pair = Pair::new("k1");
    let users = Identity::start(jwks(&[&pair])).await.users();
    let forger = Pair::new("k1");
    let elsewhere = Identity::start(jwks(&[&forger])).await;
    let url = elsewhere.url.clone();
    for (name, value) in [
        ("jku", json!(url)),
        ("x5u", json!(url)),
        ("jwk", forger.jwk()),
        ("kid", json!(url)),
        ("kid", json!("../../k1")),
    ] {
        let mut header = json!({"alg": "ES256", "typ": "JWT", "kid": "k1"});
        header[name] = value;
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!("{}.{}", part(&header), part(&claims()));
        let signature: p256::ecdsa::Signature = forger.key.sign(signed.as_bytes());
        let token = format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature.to_bytes()));
        assert_eq!(users.verify_token(&token).await, Err(UserError::Invalid), "{name}");
    }
    assert_eq!(elsewhere.asked(), 0, "its address was asked");
}

#[tokio::test]
async fn people_stay_signed_in_while_the_identity_server_is_down() {
    let pair = Pair::new("k1");
    let identity = Identity::start(jwks(&[&pair])).await;
    let users = identity.users();
    users.verify_token(&pair.token(&claims())).await.unwrap();
    identity.up.store(false, Ordering::SeqCst);
    users.verify_token(&pair.token(&claims())).await.unwrap();
    assert_eq!(identity.asked(), 1);
}

#[tokio::test]
async fn keys_in_hand_need_no_identity_server() {
    let pair = Pair::new("k1");
    let settings = UserSettings {
        jwks_url: "http://127.0.0.1:9/jwks.json".to_owned(),
        issuer: ISSUER.to_owned(),
        identity_url: None,
    };
    let users = Users::with_keys(&settings, &jwks(&[&pair])).unwrap();
    users.verify_token(&pair.token(&claims())).await.unwrap();
    assert!(Users::with_keys(&settings, "{}").is_err());
}

#[tokio::test]
async fn an_unknown_key_makes_us_ask_again_but_not_at_once() {
    let pair = Pair::new("k1");
    let identity = Identity::start(jwks(&[&pair])).await;
    let users = identity.users();
    let foreign = Pair::new("k2").token(&claims());
    for _ in 0..5 {
        assert_eq!(users.verify_token(&foreign).await, Err(UserError::Invalid));
    }
    assert_eq!(identity.asked(), 1);
    users.verify_token(&pair.token(&claims())).await.unwrap();
    assert_eq!(identity.asked(), 1);
}

#[tokio::test]
async fn before_the_keys_are_known_it_cannot_be_told() {
    let pair = Pair::new("k1");
    let identity = Identity::start(jwks(&[&pair])).await;
    identity.up.store(false, Ordering::SeqCst);
    let users = identity.users();
    let token = pair.token(&claims());
    assert_eq!(users.verify_token(&token).await, Err(UserError::KeysUnavailable));
    assert_eq!(identity.asked(), 3, "it was tried more than once");
    identity.up.store(true, Ordering::SeqCst);
    // The next try is allowed a little later; it needs no new start.
    let mut pause = tokio::time::interval(Duration::from_millis(50));
    while users.verify_token(&token).await.is_err() {
        pause.tick().await;
    }
    assert_eq!(identity.asked(), 4);
}

/// Two services that know each other.
fn services() -> (Peers, Peers, Pair) {
    let (payments, booking) = (Pair::new("payments"), Pair::new("booking"));
    let public_keys = jwks(&[&payments, &booking]);
    let peers = |name, pair: &Pair| {
        let private_key = SecretString::from(pair.pem());
        Peers::new(name, &PeerSettings { private_key, public_keys: public_keys.clone() }).unwrap()
    };
    (peers("payments", &payments), peers("booking", &booking), payments)
}

#[test]
fn a_service_says_who_it_is_and_only_those_allowed_pass() {
    let (payments, booking, _) = services();
    let token = payments.sign("booking").unwrap();
    assert_eq!(booking.verify_token(&token, &["payments"]).as_deref(), Ok("payments"));
    assert_eq!(booking.verify_token(&token, &["notifications"]), Err(PeerError::NotAllowed));
    assert_eq!(payments.sign("booking").unwrap(), token, "it is used again");
    assert_ne!(payments.sign("catalogue").unwrap(), token);
    let mut metadata = MetadataMap::new();
    metadata.insert(super::CALLER_TOKEN, token.parse().unwrap());
    assert_eq!(booking.verify(&metadata, &["payments"]).unwrap(), "payments");
    let refused = booking.verify(&metadata, &[]).unwrap_err();
    assert_eq!(refused.code(), tonic::Code::PermissionDenied);
    assert_eq!(detail_of(&refused).unwrap().reason, "CALLER_NOT_ALLOWED");
    let missing = booking.verify(&MetadataMap::new(), &["payments"]).unwrap_err();
    assert_eq!(detail_of(&missing).unwrap().reason, PeerError::Missing.reason());
}

#[test]
fn caller_tokens_that_are_not_ours_are_refused() {
    let (payments, booking, pair) = services();
    let now = unix_seconds();
    let claims = |iss: &str, aud: &str, iat: u64, exp: u64| -> Value {
        json!({"iss": iss, "aud": aud, "iat": iat, "exp": exp})
    };
    let allowed = ["payments", "notifications"];
    for (name, token) in [
        ("for another service", payments.sign("catalogue").unwrap()),
        ("expired", pair.token(&claims("payments", "booking", now - 120, now - 60))),
        ("long-lived", pair.token(&claims("payments", "booking", now, now + 3_600))),
        ("in another's name", pair.token(&claims("notifications", "booking", now, now + 60))),
        (
            "with a key of one's own",
            Pair::new("payments").token(&claims("payments", "booking", now, now + 60)),
        ),
        ("of nobody known", Pair::new("web").token(&claims("web", "booking", now, now + 60))),
        ("rubbish", "rubbish".to_owned()),
        ("none", String::new()),
    ] {
        assert_eq!(booking.verify_token(&token, &allowed), Err(PeerError::Missing), "{name}");
    }
}

#[test]
fn a_message_is_believed_with_its_writers_signature_and_no_other() {
    let (payments, booking, pair) = services();
    let signature = payments.sign_message(b"paid").unwrap();
    assert!(booking.is_signed_by("payments", b"paid", &signature));
    assert!(payments.is_signed_by("payments", b"paid", &signature));
    assert_ne!(payments.sign_message(b"paid").unwrap(), signature, "it has a nonce of its own");
    for (what, signer, message, signature) in [
        ("another's", "booking", "paid", signature.clone()),
        ("a stranger's", "web", "paid", signature.clone()),
        ("of another message", "payments", "paid twice", signature.clone()),
        ("cut off", "payments", "paid", signature[..80].to_owned()),
        ("none", "payments", "paid", String::new()),
    ] {
        assert!(!booking.is_signed_by(signer, message.as_bytes(), &signature), "{what}");
    }
    // A token's signature is none of a message, though the key is the same.
    let token = pair.token(&json!({ "iss": "payments" }));
    let (input, signature) = token.rsplit_once('.').unwrap();
    assert!(!booking.is_signed_by("payments", input.as_bytes(), signature));
}

#[test]
fn keys_that_cannot_be_used_are_refused_at_the_start() {
    let settings = |private_key: String, public_keys: String| PeerSettings {
        private_key: SecretString::from(private_key),
        public_keys,
    };
    let pair = Pair::new("booking");
    assert!(Peers::new("booking", &settings("rubbish".into(), jwks(&[&pair]))).is_err());
    assert!(Peers::new("booking", &settings(pair.pem(), jwks(&[]))).is_err());
    assert!(Peers::new("booking", &settings(pair.pem(), "{}".into())).is_err());
}

#[tokio::test]
async fn a_call_to_a_peer_carries_token_trace_and_time_limit() {
    let (payments, booking, _) = services();
    crate::telemetry::with_traces(|| {
        let span = crate::telemetry::job_span("work", None);
        span.in_scope(|| {
            let mut interceptor = PeerInterceptor::new(&payments, "booking");
            let request = interceptor.call(tonic::Request::new(())).unwrap();
            let metadata = request.metadata();
            assert_eq!(booking.verify(metadata, &["payments"]).unwrap(), "payments");
            let trace = metadata.get("traceparent").unwrap().to_str().unwrap();
            assert_eq!(Some(trace), crate::telemetry::traceparent().as_deref());
            assert!(metadata.contains_key("grpc-timeout"));
            let mut patient = tonic::Request::new(());
            patient.set_timeout(Duration::from_secs(20));
            let patient = interceptor.call(patient).unwrap();
            assert_eq!(patient.metadata().get("grpc-timeout").unwrap(), "20000000u");
        });
    });
}
