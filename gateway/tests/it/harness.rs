//! A gateway with fake backends, and a client.

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use gateway::{
    BodySettings, Config, ConnectionSettings, ProxySettings, RateLimit, RateLimits,
    RequestSettings, SiteSettings, StaffNetworks, TrustedProxies, Upstreams, WatchSettings,
};
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use p256::pkcs8::EncodePrivateKey as _;
use runtime::Shutdown;
use runtime::caller::UserSettings;
use runtime::telemetry::{self, Form};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::backends::{self, GrpcBackends, RecordedRequests};

const ISSUER: &str = "http://127.0.0.1/auth/v1";
const SECRET: [u8; 32] = [7; 32];
pub(crate) const USER: &str = "0198c0de-0000-7000-8000-000000000001";
/// A user without a role.
pub(crate) const CUSTOMER: &str = "0198c0de-0000-7000-8000-000000000002";
pub(crate) const SCRIPT_HASH: &str = "sha256-c2NyaXB0";
pub(crate) const MEDIA_ORIGIN: &str = "https://media.example";
pub(crate) const IMAGE_ORIGIN: &str = "https://images.example";
/// The site that may frame the widget.
pub(crate) const WIDGET_SITE: &str = "https://wellness.example";
pub(crate) const CHECKOUT: &str = "http://127.0.0.1:8090";

/// Settings that a test may change.
pub(crate) struct TestOptions {
    pub(crate) rate_limits: RateLimits,
    pub(crate) connections: ConnectionSettings,
    pub(crate) requests: RequestSettings,
    pub(crate) bodies: BodySettings,
    pub(crate) without_services: bool,
    /// Whether every connection comes from a proxy of ours.
    pub(crate) trust_proxy: bool,
    /// The networks of our proxies, otherwise.
    pub(crate) proxies: TrustedProxies,
    /// The networks from which staff need no second factor.
    pub(crate) staff_networks: StaffNetworks,
    /// Another identity server than the usual one.
    pub(crate) identity: Option<String>,
    pub(crate) identity_admin: bool,
    /// The site's public URL.
    pub(crate) public: String,
    /// The link to another site than the usual one.
    pub(crate) site: Option<PathBuf>,
}

impl Default for TestOptions {
    fn default() -> Self {
        let plenty = rate_limit(100_000, 100_000);
        let rate_limits = RateLimits {
            address: plenty,
            account: plenty,
            staff: plenty,
            sign_in: plenty,
            refreshes: plenty,
            bad_webhooks: plenty,
            reviews: plenty,
            pictures: plenty,
            forms: plenty,
            forms_per_hour: plenty.burst,
            uploads_per_hour: plenty.burst,
            unsubscribing: plenty,
        };
        let public = "http://127.0.0.1:8080".to_owned();
        let minute = Duration::from_secs(60);
        let connections = ConnectionSettings {
            max: 1000,
            share: 1000,
            head_timeout: minute,
            idle_timeout: minute,
            write_timeout: minute,
        };
        let requests = RequestSettings { max: 1000, share: 1000, watchers_per_account: 100 };
        let bodies = BodySettings { max_bytes: 1 << 25, share_bytes: 1 << 25, timeout: minute };
        let (without_services, trust_proxy) = (false, false);
        let (identity, identity_admin) = (None, false);
        Self {
            rate_limits,
            connections,
            requests,
            bodies,
            without_services,
            trust_proxy,
            proxies: TrustedProxies::None,
            staff_networks: StaffNetworks::default(),
            identity,
            identity_admin,
            public,
            site: None,
        }
    }
}

pub(crate) fn rate_limit(burst: u32, per_minute: u32) -> RateLimit {
    let number = |number| NonZeroU32::new(number).unwrap();
    RateLimit { burst: number(burst), per_minute: number(per_minute) }
}

pub(crate) struct TestGateway {
    pub(crate) base: String,
    /// The listener for operators.
    pub(crate) inner_base: String,
    pub(crate) address: SocketAddr,
    pub(crate) client: reqwest::Client,
    pub(crate) grpc: GrpcBackends,
    pub(crate) identity: RecordedRequests,
    pub(crate) payments: RecordedRequests,
    pub(crate) reviews: RecordedRequests,
    pub(crate) shutdown: Shutdown,
}

/// All services at one address.
fn upstreams(address: &str) -> Upstreams {
    let uri = || address.parse().unwrap();
    Upstreams {
        catalogue: uri(),
        booking: uri(),
        payments: uri(),
        notifications: uri(),
        reviews: uri(),
    }
}

impl TestGateway {
    pub(crate) async fn new() -> Self {
        Self::with_options(TestOptions::default()).await
    }

    pub(crate) async fn with_options(options: TestOptions) -> Self {
        install_telemetry();
        let grpc = backends::grpc().await;
        let (identity_url, identity) = backends::http(keys()).await;
        let (payments_url, payments) = backends::http(json!({})).await;
        let (reviews_url, reviews) = backends::reviews::http().await;
        let gone = "http://127.0.0.1:1".to_owned();
        let service = if options.without_services { gone.clone() } else { grpc.address.clone() };
        let (identity_url, payments_url, reviews_url) = if options.without_services {
            (gone.clone(), gone.clone(), gone)
        } else {
            (identity_url, payments_url, reviews_url)
        };
        let identity_url = options.identity.unwrap_or(identity_url);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let listen = listener.local_addr().unwrap();
        let inner = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let inner_base = format!("http://{}", inner.local_addr().unwrap());
        let config = Config {
            listen,
            inner_listen: None,
            connections: options.connections,
            requests: options.requests,
            bodies: options.bodies,
            site: SiteSettings {
                public: options.public.parse().unwrap(),
                folder: options.site.unwrap_or_else(site),
                checkout_origins: vec![CHECKOUT.to_owned()],
                hosts: "desk.example".parse().unwrap(),
                proxies: if options.trust_proxy { TrustedProxies::All } else { options.proxies },
                staff_networks: options.staff_networks,
            },
            upstreams: upstreams(&service),
            proxied: ProxySettings {
                identity_admin: options.identity_admin,
                identity: identity_url.clone(),
                payments: payments_url,
                reviews: reviews_url,
            },
            watched: WatchSettings { identity: Some(service.clone()) },
            users: UserSettings {
                jwks_url: format!("{identity_url}/.well-known/jwks.json"),
                issuer: ISSUER.to_owned(),
                identity_url: None,
            },
            rate_limits: options.rate_limits,
        };
        let shutdown = Shutdown::new();
        let stop = shutdown.clone();
        tokio::spawn(async move {
            gateway::serve((listener, Some(inner)), config, stop).await.unwrap();
        });
        let client = runtime::http::client().unwrap();
        let base = format!("http://{listen}");
        Self {
            base,
            inner_base,
            address: listen,
            client,
            grpc,
            identity,
            payments,
            reviews,
            shutdown,
        }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    /// A call in JSON; the path is "package.Service/Method".
    pub(crate) fn call(&self, method: &str, message: &Value) -> reqwest::RequestBuilder {
        self.client.post(self.url(&format!("/rpc/{method}"))).json(message)
    }

    /// The health report for operators.
    pub(crate) async fn health(&self) -> reqwest::Response {
        self.client.get(format!("{}/healthz", self.inner_base)).send().await.unwrap()
    }

    pub(crate) async fn get(&self, path: &str) -> reqwest::Response {
        self.client.get(self.url(path)).send().await.unwrap()
    }
}

/// An access token in the identity server's format.
pub(crate) fn token() -> String {
    token_of(USER, 4_102_444_800)
}

pub(crate) fn token_of(user: &str, expires: u64) -> String {
    let key = p256::ecdsa::SigningKey::from_slice(&SECRET).unwrap();
    let der = key.to_pkcs8_der().unwrap();
    let mut header = Header::new(Algorithm::ES256);
    header.kid = Some("key-1".to_owned());
    let claims = json!({
        "sub": user, "iss": ISSUER, "aud": "authenticated", "exp": expires, "email": "",
    });
    jsonwebtoken::encode(&header, &claims, &EncodingKey::from_ec_der(der.as_bytes())).unwrap()
}

fn keys() -> Value {
    let key = p256::ecdsa::SigningKey::from_slice(&SECRET).unwrap();
    let point = key.verifying_key().to_encoded_point(false);
    let part = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
    json!({ "keys": [{
        "kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "kid": "key-1",
        "x": part(point.x().unwrap()), "y": part(point.y().unwrap()),
    }] })
}

/// Traces are created although no collector exists, so that responses have reference ids.
fn install_telemetry() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let settings = telemetry::Settings {
            filter: "off".to_owned(),
            form: Form::Json,
            collector: None,
            metrics: None,
        };
        // A failed assertion must be readable, so its text is not hidden as in a process.
        let hook = std::panic::take_hook();
        // The guard would end the traces of the tests that are still running.
        std::mem::forget(telemetry::init("gateway", &settings).unwrap());
        std::panic::set_hook(hook);
    });
}

/// Content of the site's video: long enough that compression would pay, and easy to index.
pub(crate) fn media() -> String {
    "0123456789".repeat(500)
}

/// A small built site in a folder of its own, written once per run.
pub(crate) fn site() -> PathBuf {
    static SITE: LazyLock<PathBuf> = LazyLock::new(write_site);
    SITE.clone()
}

/// The document of a review with the build's placeholders.
const REVIEW_WORDS: &str = "<link rel=\"canonical\" href=\"https://site.invalid/reviews/\
    rvw_00000000000000000000000000000000\"><h1>SUKOON-REVIEW-NAME on SUKOON-REVIEW-SERVICE</h1>\
    <meta content=\"SUKOON-REVIEW-START\"><!--SUKOON-REVIEW-MARKS--><p>SUKOON-REVIEW-TEXT</p>\
    <script type=\"application/json\">\"SUKOON-REVIEW-ANSWER\"</script>";

fn write_site() -> PathBuf {
    let folder =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("site-{}", std::process::id()));
    let script = format!("console.log('{}')", "x".repeat(4000));
    let routes = json!({
        "static": ["/", "/about", "/services", "/booking-flow", "/unsubscribe"],
        "services": ["energy-healing"],
        "dynamic": { "reviews": {
            "found": "review.html",
            "missing": "review-not-found.html",
            "words": { "document": "review-words.html", "marks": "review-marks.json" },
        } },
    });
    let csp = json!({
        "scriptHashes": [SCRIPT_HASH],
        "mediaOrigins": [MEDIA_ORIGIN],
        "imageOrigins": [IMAGE_ORIGIN],
        "frameAncestors": [WIDGET_SITE],
    });
    let files = [
        ("index.html", "<h1>home</h1>".to_owned()),
        (
            "about/index.html",
            "<link rel=\"canonical\" href=\"https://site.invalid/about\">".to_owned(),
        ),
        ("sitemap.xml", "<loc>https://site.invalid/about</loc>".to_owned()),
        ("robots.txt", "Sitemap: https://site.invalid/sitemap.xml\n".to_owned()),
        ("media/breath.mp4", media()),
        ("media/Tief Atmen üben.MP4", media()),
        ("media/50% more.mov", media()),
        ("media/breath.vtt", format!("WEBVTT\n\n{}", "00:00 ".repeat(400))),
        ("cards/home.png", "png".to_owned()),
        ("services/index.html", "<h1>services</h1>".to_owned()),
        ("unsubscribe/index.html", "<h1>unsubscribe</h1>".to_owned()),
        ("booking-flow/index.html", "<h1>booking</h1>".to_owned()),
        ("service/energy-healing/index.html", "<h1>energy</h1>".to_owned()),
        ("join/-/index.html", "<h1>session</h1>".to_owned()),
        ("desk/index.html", "<h1>desk</h1>".to_owned()),
        ("account/sessions/-/index.html", "<h1>own</h1>".to_owned()),
        ("embed/book/index.html", "<h1>widget</h1>".to_owned()),
        ("embed.js", "customElements.define".to_owned()),
        ("404.html", "<h1>Page Not Found</h1>".to_owned()),
        (
            "review.html",
            "<link rel=\"canonical\" href=\"https://site.invalid/reviews/\
             rvw_00000000000000000000000000000000\"><h1>review</h1>"
                .to_owned(),
        ),
        ("review-words.html", REVIEW_WORDS.to_owned()),
        ("review-marks.json", json!({ "5": "<b>5</b>" }).to_string()),
        ("review-not-found.html", "<h1>Review Not Found</h1>".to_owned()),
        ("service-not-found.html", "<h1>Service Not Found</h1>".to_owned()),
        ("assets/app-1a2b.js", script),
        ("favicon.svg", "<svg/>".to_owned()),
        ("routes.json", routes.to_string()),
        ("csp.json", csp.to_string()),
    ];
    for (name, content) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    // A file beside the site must never be served.
    std::fs::write(folder.with_extension("secret"), "secret").unwrap();
    folder
}
