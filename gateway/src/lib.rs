//! The only server that browsers talk to: pages and files, the public calls in the Connect
//! protocol, /auth/v1, pictures, and the payment provider's webhooks. It has no database and no
//! business rules. It rejects invalid requests before they reach a service, and every service
//! checks again.
//!
//! The modules are declared in the order in which a request meets them, and then those that several
//! of these use. A module uses only modules that are declared after it.

mod server;
mod fast_path;
mod request_context;
mod authorization;
mod rpc;
mod proxy;
mod unsubscribe;
mod calendar_feed;
mod pages;
mod health;

mod policy;
mod upstream;
mod encoded_message;
mod transport;
mod response_cache;
mod hosts;
mod routes;
mod procedures;
mod schema;
mod grant;
mod site_cookie;
mod rate_limits;
mod watchers;
mod bodies;
mod header_tokens;
mod network_quota;
mod web_files;
mod error_response;
mod refusals;
mod etag;
mod caller;
mod config;
mod host_names;
mod trusted_proxies;
mod staff_networks;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::{any, get};
use runtime::caller::Users;
use runtime::{BoxError, Program, Revised, Shutdown};
use tokio::net::TcpListener;

pub use config::{
    BodySettings, Config, ConnectionSettings, InvalidRateLimit, ProxySettings, RateLimit,
    RateLimits, RequestSettings, SiteSettings, Upstreams, WatchSettings,
};
pub use host_names::HostNames;
pub use staff_networks::StaffNetworks;
pub use trusted_proxies::TrustedProxies;
pub use web_files::error::SiteError;

/// This service as a program: its commands and settings.
pub fn program() -> Program {
    Program::new("gateway").serve(Config::read, run)
}

/// Listens and serves until shutdown.
///
/// # Errors
/// The site cannot be read, or the address is taken.
pub async fn run(mut config: Config, shutdown: Shutdown) -> Result<(), BoxError> {
    config.connections = config.connections.limited_by_files(server::raise_file_limit());
    let listener = runtime::server::listen(config.listen).await?;
    let inner = match config.inner_listen {
        Some(address) => Some(runtime::server::listen(address).await?),
        None => None,
    };
    serve((listener, inner), config, shutdown).await
}

/// The same with listeners that are already bound: the one for everybody, and the inner one.
///
/// # Errors
/// The site cannot be read, or an address that the gateway was given is not one.
pub async fn serve(
    (listener, inner): (TcpListener, Option<TcpListener>),
    config: Config,
    shutdown: Shutdown,
) -> Result<(), BoxError> {
    refusals::Refusal::begin_all();
    let config = Arc::new(config);
    let Routers { state, public, operators, site } = build_routers(&config, &shutdown)?;
    let policies = Arc::clone(&state.policies);
    let following = site.follow(shutdown.clone(), {
        let config = Arc::clone(&config);
        move |folder, _former| {
            let (config, policies) = (Arc::clone(&config), Arc::clone(&policies));
            async move { renew_site(folder, config, policies).await }
        }
    });
    runtime::spawn(following);
    tracing::info!(address = %listener.local_addr()?, "listening");
    let public = server::serve(listener, &config.connections, (state, public), &shutdown);
    let Some(inner) = inner else {
        public.await;
        return Ok(());
    };
    let operators = runtime::server::serve_http(inner, operators, &shutdown);
    let ((), served) = tokio::join!(public, operators);
    Ok(served?)
}

/// What is served, and the state of the fast path.
struct Routers {
    state: Arc<request_context::GatewayState>,
    public: Router,
    /// The routes of the inner listener.
    operators: Router,
    site: Revised<web_files::WebFiles>,
}

/// Reads another revision of the site, and sets its policies.
async fn renew_site(
    folder: PathBuf,
    config: Arc<Config>,
    policies: Arc<policy::CurrentPolicies>,
) -> Result<Arc<web_files::WebFiles>, BoxError> {
    // Some hundred files are read and compressed.
    let reading = tokio::task::spawn_blocking(move || {
        let site = read_site(&folder, &config.site)?;
        let next = policies_of(&site, &config.site)?;
        Ok::<_, BoxError>((site, next))
    });
    let (site, next) = reading.await??;
    policies.set(next);
    Ok(site)
}

fn read_site(
    folder: &Path,
    settings: &SiteSettings,
) -> Result<Arc<web_files::WebFiles>, SiteError> {
    let origin = site_cookie::origin(&settings.public);
    web_files::WebFiles::load(folder, &origin).map(Arc::new)
}

fn policies_of(
    site: &web_files::WebFiles,
    settings: &SiteSettings,
) -> Result<policy::Policies, http::header::InvalidHeaderValue> {
    policy::Policies::new(&policy::PolicyParts {
        allowed: &site.allowed,
        checkout_origins: &settings.checkout_origins,
        https: settings.public.scheme_str() == Some("https"),
    })
}

/// Builds the state of the fast path and the routers of all other requests.
fn build_routers(config: &Config, shutdown: &Shutdown) -> Result<Routers, BoxError> {
    let site = Revised::open(&config.site.folder, web_files::ROUTES, |folder| {
        read_site(folder, &config.site)
    })?;
    let schema = schema::Schema::load()?;
    let procedures = Arc::new(procedures::Procedures::new(&schema));
    let limits = Arc::new(rate_limits::RateLimiters::new(config.rate_limits));
    limits.spawn_eviction();
    let policies = Arc::new(policy::CurrentPolicies::new(policies_of(&site.get(), &config.site)?));
    let cache = Arc::new(response_cache::ResponseCache::new());
    let state = Arc::new(request_context::GatewayState {
        routes: Arc::new(routes::Routes { procedures: procedures.clone(), site: site.clone() }),
        limits: limits.clone(),
        cache: cache.clone(),
        policies,
        hosts: hosts::Hosts::new(&config.site.public, &config.site.hosts),
        proxies: config.site.proxies.clone(),
        staff_networks: config.site.staff_networks.clone(),
        requests: network_quota::NetworkQuota::new(config.requests.max, config.requests.share),
    });
    let users = Users::new(&config.users)?;
    let grants = grant::GrantCookie::new(&config.site.public);
    let bodies = Arc::new(bodies::BodyReader::new(&config.bodies));
    let watchers = watchers::Watchers::new(config.requests.watchers_per_account);
    let authorizer =
        authorization::RpcAuthorizer { procedures, users, limits, watchers, bodies, cache, grants };
    let client = runtime::http::inner_client()?;
    let violations = Arc::new(policy::reports::ViolationCounts::default());
    let health =
        health::Health::new(config, client.clone(), shutdown, violations.clone(), site.clone())
            .map(Arc::new)?;
    let authorizer = Arc::new(authorizer);
    let backends = Backends { authorizer, site: site.clone(), client, violations };
    let router = backend_router(config, backends, &schema, shutdown);
    let public = router.merge(
        Router::new()
            .route("/livez", get(health::livez))
            .route("/readyz", get(health::readyz))
            .route("/healthz", get(health::public_healthz))
            .with_state(health.clone()),
    );
    let with_context = from_fn_with_state(state.clone(), request_context::with_request_context);
    let operators = Router::new().route("/healthz", get(health::healthz)).with_state(health);
    Ok(Routers { state, public: public.layer(with_context), operators, site })
}

/// Builds the routes below /rpc.
fn call_router(
    config: &Config,
    authorizer: Arc<authorization::RpcAuthorizer>,
    schema: &schema::Schema,
    shutdown: &Shutdown,
) -> Router {
    let calls = (schema, &*authorizer.procedures);
    let forwarder = rpc::Forwarder::new(calls, &config.upstreams, &authorizer.grants, shutdown);
    Router::new()
        .fallback_service(rpc::service(forwarder))
        .layer(from_fn_with_state(authorizer, authorization::authorize_rpc))
}

/// What the routes that need a backend share with others.
struct Backends {
    authorizer: Arc<authorization::RpcAuthorizer>,
    site: Revised<web_files::WebFiles>,
    client: reqwest::Client,
    violations: Arc<policy::reports::ViolationCounts>,
}

/// Builds the routes that need a backend.
fn backend_router(
    config: &Config,
    Backends { authorizer, site, client, violations }: Backends,
    schema: &schema::Schema,
    shutdown: &Shutdown,
) -> Router {
    let (limits, bodies) = (authorizer.limits.clone(), authorizer.bodies.clone());
    let calls = call_router(config, authorizer, schema, shutdown);
    let reports = Router::new()
        .route(routes::POLICY_REPORTS, any(policy::reports::serve))
        .with_state((violations, bodies.clone()));
    let proxy = Arc::new(proxy::Proxy {
        client,
        limits: limits.clone(),
        bodies: bodies.clone(),
        identity: config.proxied.identity.clone(),
        identity_admin: config.proxied.identity_admin,
        payments: config.proxied.payments.clone(),
        reviews: config.proxied.reviews.clone(),
        public: config.site.public.clone(),
        sessions: proxy::session::SessionCookie::new(&config.site.public),
    });
    let auth = Router::new().fallback(any(proxy::sign_in::auth)).with_state(proxy.clone());
    let webhooks = Router::new()
        .route(routes::WEBHOOK, any(proxy::webhooks::webhook))
        .route("/webhooks/{*unknown}", any(proxy::webhooks::not_found))
        .route(routes::PAY_RETURN, any(proxy::pay_return::serve))
        .route(routes::LINK_RETURN, any(proxy::pay_return::serve_link))
        .with_state(proxy.clone());
    let pictures = Router::new()
        .route(routes::UPLOAD, any(proxy::pictures::upload))
        .route("/pictures/{name}", any(proxy::pictures::picture))
        .with_state(proxy);
    let reviews = upstream::ReviewLookup::new(&config.upstreams.reviews, schema, shutdown);
    let site = Arc::new(pages::SiteState { files: site, reviews });
    let notifications = upstream::UnsubscribeClient::new(&config.upstreams.notifications, shutdown);
    let unsubscribe_routes = Arc::new(unsubscribe::UnsubscribeState {
        site: site.clone(),
        notifications,
        limits,
        bodies,
    });
    let unsubscribe_routes = Router::new()
        .route(routes::UNSUBSCRIBE, any(unsubscribe::serve))
        .with_state(unsubscribe_routes);
    let calendars = upstream::CalendarClient::new(&config.upstreams.booking, shutdown);
    let calendars = Router::new()
        .route("/calendars/{file}", any(calendar_feed::serve))
        .with_state(Arc::new(calendars));
    Router::new()
        .merge(webhooks)
        .merge(reports)
        .merge(pictures)
        .merge(unsubscribe_routes)
        .merge(calendars)
        .nest_service("/rpc", calls)
        .nest_service("/auth/v1", auth)
        .fallback_service(any(pages::serve).with_state(site))
}
