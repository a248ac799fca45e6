//! The only thing that a browser talks to: pages and files, the public calls in the Connect
//! protocol, /auth/v1, pictures, and the payment provider's webhooks. It has no database and no
//! business rule; what it refuses, it refuses before a service hears of it, and every service
//! checks again.
//!
//! The modules stand in the order in which a request meets them.

mod server;
mod shares;
mod connection;
mod edge;
mod at_hand;
mod answers;
mod routes;
mod limits;
mod policy;
mod policy_reports;
mod bodies;
mod access;
mod grant;
mod procedures;
mod rpc;
mod wire;
mod proxy;
mod sign_in;
mod pay_return;
mod webhooks;
mod pictures;
mod pages;
mod booking_links;
mod ranges;
mod unsubscribe;
mod web_files;
mod review_page;
mod health;
mod error_form;
mod checkout_origins;
mod config;

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::{any, get};
use runtime::caller::Users;
use runtime::{BoxError, Program, Shutdown};
use tokio::net::TcpListener;

pub use bodies::BodySettings;
pub use config::{Config, NoAllowance, ProxySettings, SiteSettings, WatchSettings};
pub use limits::{Allowance, Allowances};
pub use rpc::Upstreams;
pub use server::ConnectionSettings;
pub use web_files::SiteError;

/// This service as a process: its commands with their settings.
pub fn program() -> Program {
    Program::new("gateway").serve(Config::read, run)
}

/// Listens and serves until it is asked to stop.
///
/// # Errors
/// The site cannot be read, or the address is taken.
pub async fn run(mut config: Config, shutdown: Shutdown) -> Result<(), BoxError> {
    config.connections = config.connections.within(server::raise_file_limit());
    let listener = runtime::server::listen(config.listen).await?;
    serve(listener, config, shutdown).await
}

/// The same on an address that was taken before.
///
/// # Errors
/// The site cannot be read, or an address that the gateway was given is not one.
pub async fn serve(
    listener: TcpListener,
    config: Config,
    shutdown: Shutdown,
) -> Result<(), BoxError> {
    let way_in = way_in(&config, &shutdown)?;
    tracing::info!(address = %listener.local_addr()?, "listening");
    server::serve(listener, &config.connections, way_in, &shutdown).await;
    Ok(())
}

/// What answers at once, and the way of everything else.
fn way_in(config: &Config, shutdown: &Shutdown) -> Result<(Arc<edge::Edge>, Router), BoxError> {
    let site = Arc::new(web_files::WebFiles::load(
        &config.site.folder,
        &grant::origin(&config.site.public),
    )?);
    let procedures = Arc::new(procedures::Procedures::new());
    let limits = Arc::new(limits::Limits::new(config.allowances));
    limits.keep_small();
    let policies = policy::Policies::new(&policy::PolicyParts {
        allowed: &site.allowed,
        checkout_origins: &config.site.checkout_origins,
        https: config.site.public.scheme_str() == Some("https"),
    })?;
    let answers = Arc::new(answers::Answers::new());
    let edge = Arc::new(edge::Edge {
        routes: Arc::new(routes::Routes { procedures: procedures.clone(), site: site.clone() }),
        limits: limits.clone(),
        answers: answers.clone(),
        policies,
        trust_proxy: config.site.trust_proxy,
    });
    let users = Users::new(&config.users)?;
    let grants = grant::GrantCookie::new(&config.site.public);
    let bodies = Arc::new(bodies::Bodies::new(&config.bodies));
    let door = access::Door { procedures, users, limits, bodies, answers, grants };
    let router = router(config, (Arc::new(door), site), shutdown)?;
    Ok((edge.clone(), router.layer(from_fn_with_state(edge, edge::pass))))
}

/// Everything that is answered with somebody's help.
fn router(
    config: &Config,
    (door, site): (Arc<access::Door>, Arc<web_files::WebFiles>),
    shutdown: &Shutdown,
) -> Result<Router, BoxError> {
    let (limits, bodies) = (door.limits.clone(), door.bodies.clone());
    let calls = rpc::service(&config.upstreams, door.grants.clone(), shutdown);
    let calls =
        Router::new().fallback_service(calls).layer(from_fn_with_state(door, access::guard));
    let client = runtime::http::client()?;
    let refused = Arc::new(policy_reports::Refused::default());
    let health = health::Health::new(config, client.clone(), (shutdown, refused.clone()))?;
    let health = Arc::new(health);
    let reports =
        Router::new().route(routes::POLICY_REPORTS, any(policy_reports::serve)).with_state(refused);
    let proxy = Arc::new(proxy::Proxy {
        client,
        limits: limits.clone(),
        bodies: bodies.clone(),
        identity: config.proxied.identity.clone(),
        payments: config.proxied.payments.clone(),
        reviews: config.proxied.reviews.clone(),
        public: config.site.public.clone(),
    });
    let auth = Router::new().fallback(any(sign_in::auth)).with_state(proxy.clone());
    let webhooks = Router::new()
        .route(routes::WEBHOOK, any(webhooks::webhook))
        .route("/webhooks/{*unknown}", any(webhooks::nothing))
        .route(routes::PAY_RETURN, any(pay_return::serve))
        .with_state(proxy.clone());
    let pictures = Router::new()
        .route(routes::UPLOAD, any(pictures::upload))
        .route("/pictures/{name}", any(pictures::picture))
        .with_state(proxy);
    let reviews = rpc::ReviewLookup::new(&config.upstreams.reviews, shutdown);
    let site = Arc::new(pages::Site { files: site, reviews });
    let notifications = rpc::Unsubscriber::new(&config.upstreams.notifications, shutdown);
    let ways_out =
        Arc::new(unsubscribe::WaysOut { site: site.clone(), notifications, limits, bodies });
    let ways_out =
        Router::new().route(routes::UNSUBSCRIBE, any(unsubscribe::serve)).with_state(ways_out);
    Ok(Router::new()
        .route("/livez", get(health::live))
        .route("/readyz", get(health::ready))
        .route("/healthz", get(health::every_part))
        .with_state(health)
        .merge(webhooks)
        .merge(reports)
        .merge(pictures)
        .merge(ways_out)
        .nest_service("/rpc", calls)
        .nest_service("/auth/v1", auth)
        .fallback_service(any(pages::serve).with_state(site)))
}
