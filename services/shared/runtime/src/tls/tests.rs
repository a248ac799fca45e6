//! Services know each other by certificate as well as by token, and take new certificates as they
//! come.

use std::fs;
use std::path::PathBuf;

use contract::common::v1::feed_service_client::FeedServiceClient;
use contract::common::v1::feed_service_server::{FeedService, FeedServiceServer};
use contract::common::v1::{ReadFeedRequest, ReadFeedResponse};
use p256::SecretKey;
use p256::elliptic_curve::sec1::ToEncodedPoint as _;
use p256::pkcs8::{EncodePrivateKey as _, LineEnding};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use secrecy::SecretString;
use serde_json::json;
use tonic::service::Routes;
use tonic::service::interceptor::InterceptedService;
use tonic::{Code, Request, Response, Status};

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;

use super::{Tls, TlsSettings};
use crate::caller::{PeerSettings, Peers};
use crate::channel::{PeerInterceptor, connect_lazy_with};
use crate::server::{Server, serve_https};
use crate::settings::Reader;
use crate::shutdown::Shutdown;

/// An authority and the folder of the certificates that it has signed.
struct Authority {
    folder: PathBuf,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("sukoon-tls-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(Vec::<String>::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        fs::write(folder.join("ca.pem"), params.self_signed(&key).unwrap().pem()).unwrap();
        Self { folder, issuer: Issuer::new(params, key) }
    }

    /// Signs a certificate with these names; its files are called after the first.
    fn sign(&self, names: &[&str]) -> TlsSettings {
        let key = KeyPair::generate().unwrap();
        let all: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let signed = CertificateParams::new(all).unwrap().signed_by(&key, &self.issuer).unwrap();
        let path = |ending: &str| self.folder.join(format!("{}.{ending}", names[0]));
        fs::write(path("pem"), signed.pem()).unwrap();
        fs::write(path("key"), key.serialize_pem()).unwrap();
        let authority = self.folder.join("ca.pem");
        TlsSettings { authority, certificate: path("pem"), key: path("key") }
    }
}

impl Drop for Authority {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.folder));
    }
}

/// The keys of two services, which know each other.
fn peers() -> [Peers; 2] {
    let pairs = ["booking", "payments"].map(|name| {
        let seed = u8::try_from(name.len()).unwrap();
        let secret = SecretKey::from_slice(&[seed; 32]).unwrap();
        let point = secret.public_key().to_encoded_point(false);
        let part = |half: Option<&p256::FieldBytes>| {
            use base64::Engine as _;
            base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(half.unwrap())
        };
        let jwk = json!({ "kty": "EC", "crv": "P-256", "kid": name,
                          "x": part(point.x()), "y": part(point.y()) });
        (name, secret.to_pkcs8_pem(LineEnding::LF).unwrap().to_string(), jwk)
    });
    let public_keys = json!({ "keys": pairs.each_ref().map(|(_, _, jwk)| jwk) }).to_string();
    pairs.map(|(name, pem, _jwk)| {
        let public_keys = public_keys.clone();
        Peers::new(name, &PeerSettings { private_key: SecretString::from(pem), public_keys })
            .unwrap()
    })
}

/// Answers payments only.
struct Feed(Peers);

#[tonic::async_trait]
impl FeedService for Feed {
    async fn read_feed(
        &self,
        request: Request<ReadFeedRequest>,
    ) -> Result<Response<ReadFeedResponse>, Status> {
        self.0.verify(request.metadata(), &["payments"])?;
        Ok(Response::new(ReadFeedResponse::default()))
    }
}

/// Starts booking with these certificates; its port.
async fn serve(tls: Tls, booking: Peers, shutdown: &Shutdown) -> u16 {
    let server = Server::bind("127.0.0.1:0".parse().unwrap(), shutdown).await.unwrap();
    let port = server.address().unwrap().port();
    let routes = Routes::new(FeedServiceServer::new(Feed(booking)));
    tokio::spawn(server.with_tls(tls).serve(routes));
    port
}

/// Calls booking as payments would, with this certificate and whatever metadata.
async fn call(url: &str, tls: Option<Tls>, payments: &Peers) -> Result<(), Code> {
    let channel = connect_lazy_with(url, tls).map_err(|_invalid| Code::InvalidArgument)?;
    let channel = InterceptedService::new(channel, PeerInterceptor::new(payments, "booking"));
    let mut request = Request::new(ReadFeedRequest::default());
    // What a caller says of its certificate itself never counts.
    request.metadata_mut().insert("x-caller-certificate", "payments".parse().unwrap());
    let called = FeedServiceClient::new(channel).read_feed(request).await;
    called.map(drop).map_err(|status| status.code())
}

#[tokio::test]
async fn a_service_is_known_by_its_certificate_as_well_as_by_its_token() {
    let (ours, foreign) = (Authority::new("ours"), Authority::new("foreign"));
    let [booking, payments] = peers();
    let shutdown = Shutdown::new();
    let open = |settings| Some(Tls::open(settings).unwrap());
    let server = Tls::open(ours.sign(&["booking", "localhost"])).unwrap();
    let port = serve(server, booking, &shutdown).await;
    let url = format!("https://localhost:{port}");
    assert_eq!(call(&url, open(ours.sign(&["payments"])), &payments).await, Ok(()));
    // The token is payments', and the certificate another service's.
    let stolen = call(&url, open(ours.sign(&["reviews"])), &payments).await;
    assert_eq!(stolen, Err(Code::Unauthenticated));
    // A certificate of another authority, none, and a server of another name.
    for (url, tls) in [
        (url.clone(), open(foreign.sign(&["payments"]))),
        (format!("http://localhost:{port}"), None),
        (format!("https://127.0.0.1:{port}"), open(ours.sign(&["payments"]))),
    ] {
        assert!(call(&url, tls, &payments).await.is_err(), "{url}");
    }
    assert_eq!(call(&url, None, &payments).await, Err(Code::InvalidArgument));
    shutdown.trigger();
}

#[tokio::test]
async fn http_between_services_asks_for_a_certificate_too() {
    let authority = Authority::new("http");
    let shutdown = Shutdown::new();
    let listener = crate::server::listen("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let url = format!("https://localhost:{}/", listener.local_addr().unwrap().port());
    let tls = Tls::open(authority.sign(&["identity", "localhost"])).unwrap();
    let router = axum::Router::new().route("/", axum::routing::get(async || "keys"));
    let stop = shutdown.clone();
    tokio::spawn(async move { serve_https(listener, router, (tls, &stop)).await });
    let own = Tls::open(authority.sign(&["gateway"])).unwrap();
    let known = reqwest::Client::builder();
    let known = known.tls_backend_preconfigured(own.client_of_library().unwrap()).build().unwrap();
    let answer = known.get(&url).send().await.unwrap();
    assert_eq!(answer.text().await.unwrap(), "keys");
    let mut roots = rustls::RootCertStore::empty();
    let pem = fs::read(authority.folder.join("ca.pem")).unwrap();
    roots.add(CertificateDer::from_pem_slice(&pem).unwrap()).unwrap();
    let stranger = rustls::ClientConfig::builder_with_provider(std::sync::Arc::new(
        rustls::crypto::ring::default_provider(),
    ));
    let stranger = stranger.with_safe_default_protocol_versions().unwrap();
    let stranger = stranger.with_root_certificates(roots).with_no_client_auth();
    let stranger = reqwest::Client::builder().tls_backend_preconfigured(stranger).build().unwrap();
    assert!(stranger.get(&url).send().await.is_err());
    // The client for third parties, such as the payment provider, trusts public authorities alone.
    let outside = crate::http::client().unwrap().get(&url).send().await.unwrap_err();
    let outside = crate::status::chain(&outside);
    assert!(outside.contains("UnknownIssuer"), "{outside}");
    shutdown.trigger();
}

#[tokio::test]
async fn certificates_that_change_are_used_without_a_restart() {
    let (first, second) = (Authority::new("first"), Authority::new("second"));
    let [booking, payments] = peers();
    let shutdown = Shutdown::new();
    let settings = first.sign(&["booking", "localhost"]);
    let server = Tls::open(settings.clone()).unwrap();
    let port = serve(server.clone(), booking, &shutdown).await;
    let url = format!("https://localhost:{port}");
    let known = |authority: &Authority| Some(Tls::open(authority.sign(&["payments"])).unwrap());
    let (of_first, of_second) = (known(&first), known(&second));
    assert_eq!(call(&url, of_first.clone(), &payments).await, Ok(()));
    assert!(call(&url, of_second.clone(), &payments).await.is_err());
    // Half of a change is not used; the old files go on.
    fs::write(&settings.certificate, "half a file, longer than none").unwrap();
    assert_eq!(call(&url, of_first.clone(), &payments).await, Ok(()));
    let new = second.sign(&["booking", "localhost"]);
    for (from, to) in [
        (new.authority, settings.authority),
        (new.key, settings.key),
        (new.certificate, settings.certificate),
    ] {
        fs::copy(from, to).unwrap();
    }
    assert_eq!(call(&url, of_second, &payments).await, Ok(()));
    assert!(call(&url, of_first, &payments).await.is_err());
    shutdown.trigger();
}

#[test]
fn tls_is_off_without_settings_and_half_of_them_are_told() {
    let read = |source: &[(&str, &str)]| {
        let mut reader = Reader::new(&source);
        let settings = TlsSettings::read(&mut reader);
        reader.finish(settings).map_err(|invalid| invalid.to_string())
    };
    assert_eq!(read(&[]), Ok(None));
    let half = read(&[("TLS_CA", "/ca.pem"), ("TLS_KEY", "/key.pem")]).unwrap_err();
    assert!(half.contains("TLS_CERTIFICATE: it is missing"), "{half}");
    let all = [("TLS_CA", "/ca.pem"), ("TLS_CERTIFICATE", "/own.pem"), ("TLS_KEY", "/own.key")];
    assert!(read(&all).unwrap().is_some());
}
