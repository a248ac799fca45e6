//! The third parties of a practice, simulated by one process: a payment provider, a mail server
//! with an inbox, a sender of messages with a phone, an OpenID provider, and a meeting provider.
//! Each follows its real contract, and faults can be injected. This crate imports none of our
//! other crates and is never part of a production build.

mod settings;
mod clock;
mod ids;
mod store;
mod faults;
mod switches;
mod checkout_log;
mod push_log;
mod calendar_files;
mod scheduled_events;
mod zoom_meetings;
mod host_names;
mod state;
mod assets;
mod provider;
mod checkout;
mod link_page;
mod meeting;
mod jitsi;
mod zoom;
mod messages;
mod pushes;
mod oidc;
mod calendars;
mod scheduling;
mod scheduling_widget;
mod smtp;
mod inbox;
mod controls;
mod hosts;
mod http_faults;
mod front_page;

use std::net::SocketAddr;

use anyhow::{Context, Result};
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use tokio::net::TcpListener;

use state::{AppState, SharedState};
use store::Store;
use store::rows::DeliveryState;

pub use settings::{Account, OidcClient, Settings, Timing};

/// A sandbox with its ports bound and its store open, ready to serve.
pub struct Sandbox {
    http: TcpListener,
    smtp: TcpListener,
    app: SharedState,
}

impl Sandbox {
    /// Binds the ports and opens the store.
    pub async fn bind(settings: Settings) -> Result<Self> {
        let http = bind(settings.listen, "SANDBOX_LISTEN").await?;
        let smtp = bind(settings.smtp_listen, "SANDBOX_SMTP_LISTEN").await?;
        let store =
            Store::open(&settings.data).context("SANDBOX_DATA cannot be read or written")?;
        let url = match &settings.public_url {
            Some(url) => url.trim_end_matches('/').to_owned(),
            None => format!("http://{}", http.local_addr()?),
        };
        let frame_url = match &settings.frame_url {
            Some(url) => url.trim_end_matches('/').to_owned(),
            None => other_host_name(&url),
        };
        let app = AppState::new(settings, (url, frame_url), store)?;
        Ok(Self { http, smtp, app })
    }

    /// The base address of all HTTP interfaces.
    pub fn url(&self) -> &str {
        &self.app.public_url
    }

    /// The bound address for HTTP.
    pub fn http_addr(&self) -> Result<SocketAddr> {
        Ok(self.http.local_addr()?)
    }

    /// The bound address for SMTP.
    pub fn smtp_addr(&self) -> Result<SocketAddr> {
        Ok(self.smtp.local_addr()?)
    }

    /// Serves until the future is dropped. Unfinished work in the store is resumed.
    pub async fn serve(self) -> Result<()> {
        resume_pending(&self.app);
        let mail = smtp::serve(self.smtp, self.app.clone());
        let settling = provider::settlements::settle_periodically(self.app.clone());
        let pages = async { axum::serve(self.http, router(&self.app)).await };
        let (pages, (), ()) = tokio::join!(pages, mail, settling);
        Ok(pages?)
    }
}

/// Starts the sandbox and serves it until the future is dropped.
pub async fn run(settings: Settings) -> Result<()> {
    let sandbox = Sandbox::bind(settings).await?;
    tracing::info!(http = %sandbox.http_addr()?, smtp = %sandbox.smtp_addr()?, "sandbox ready");
    sandbox.serve().await
}

/// The same address under the machine's other host name, which makes it another origin. An address
/// with only one host name stays as it is.
fn other_host_name(url: &str) -> String {
    let (here, there) = ("://127.0.0.1:", "://localhost:");
    if url.contains(here) { url.replacen(here, there, 1) } else { url.replacen(there, here, 1) }
}

async fn bind(address: SocketAddr, name: &str) -> Result<TcpListener> {
    let listener = TcpListener::bind(address).await;
    listener.with_context(|| format!("{name}: the address {address} cannot be taken"))
}

fn router(app: &SharedState) -> Router {
    Router::new()
        .merge(provider::routes(app))
        .merge(checkout::routes())
        .merge(link_page::routes())
        .merge(meeting::routes())
        .merge(jitsi::routes())
        .merge(zoom::routes())
        .merge(messages::routes())
        .merge(pushes::routes())
        .merge(oidc::routes())
        .merge(calendars::routes())
        .merge(scheduling::routes())
        .merge(scheduling_widget::routes())
        .merge(inbox::routes())
        .merge(controls::routes())
        .merge(front_page::routes())
        .route_layer(from_fn_with_state(app.clone(), http_faults::inject))
        .layer(DefaultBodyLimit::max(256 * 1024))
        .layer(from_fn_with_state(app.clone(), hosts::check))
        .with_state(app.clone())
}

/// Resumes what a restart has interrupted: webhooks, refunds and payments that are due later.
fn resume_pending(app: &SharedState) {
    let store = app.store();
    for delivery in store.deliveries().iter() {
        if delivery.state == DeliveryState::Waiting {
            tokio::spawn(provider::webhooks::retry(app.clone(), delivery.id.clone()));
        }
    }
    for refund in store.refunds().iter() {
        if refund.status == store::rows::RefundStatus::Pending {
            tokio::spawn(provider::process_when_due(app.clone(), refund.id.clone()));
        }
    }
    for link in store.links().iter() {
        if !link.status.is_over() {
            tokio::spawn(provider::links::expire_when_due(app.clone(), link.id.clone()));
        }
    }
    for payment in store.payments().iter() {
        if payment.late_at_ms.is_some() {
            let late = provider::bank::authorise_when_due(app.clone(), payment.id.clone());
            tokio::spawn(late);
        }
        if payment.ends_at_ms.is_some() {
            let end = provider::bank::approval::expire_when_due(app.clone(), payment.id.clone());
            tokio::spawn(end);
        }
        if payment.back_at_ms.is_some() {
            let back = provider::bank::transaction::refund_uncaptured_when_due(
                app.clone(),
                payment.id.clone(),
            );
            tokio::spawn(back);
        }
    }
}
