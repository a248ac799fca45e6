//! The HTTP port of the provider's webhooks. A webhook is stored and answered. Where nothing has to
//! be asked it is folded in the transaction that stores it, else a timer does it afterwards. Its
//! content is never logged.

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::routing::{get, post};
use eventstore::Metadata;
use kernel::hex;
use runtime::failpoint;
use runtime::status::chain;
use sha2::{Digest as _, Sha256};

use super::{checkout_return, link_return};
use crate::app::App;
use crate::app::fold_webhook::{WebhookContent, content_of, store_and_fold};
use crate::error::Error;
use crate::read_model::inbox::Webhook;

/// The most bytes of a webhook.
const BODY_BYTES_MAX: usize = 1024 * 1024;
/// The longest id that is taken as one.
const EVENT_ID_CHARS_MAX: usize = 128;

/// Everything that is served on this port.
pub fn router(app: Arc<App>) -> Router {
    Router::new()
        .route("/webhooks/{provider}", post(handle))
        .route("/pay/return", post(checkout_return::handle))
        .route("/pay/link-return", get(link_return::handle))
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .route("/healthz", get(health))
        .with_state(app)
}

async fn handle(
    State(app): State<Arc<App>>,
    Path(provider): Path<String>,
    headers: HeaderMap,
    raw: Bytes,
) -> StatusCode {
    if provider != app.provider.name() {
        return StatusCode::NOT_FOUND;
    }
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let names = app.provider.webhook_headers();
    let signature = header(names.signature).unwrap_or_default();
    if !app.provider.verify_webhook(signature, &raw) {
        app.webhook_health.record_bad_signature();
        tracing::warn!(bytes = raw.len(), "a webhook with a wrong signature was refused");
        return StatusCode::BAD_REQUEST;
    }
    // A provider disables an endpoint that fails for a day, and with a mistyped setting every
    // webhook would fail: so it is answered with 200 and dropped.
    if let Err(error) = app.webhook_health.record_account(app.provider.is_of_another_account(&raw))
    {
        tracing::error!(%error, "a webhook was dropped: check PAYMENTS_ACCOUNT_ID");
        return StatusCode::OK;
    }
    let body_sha256 = Sha256::digest(&raw).to_vec();
    let event_id = header(names.event_id)
        .filter(|id| is_event_id(id))
        .map_or_else(|| hex::encode(&body_sha256), str::to_owned);
    match receive(&app, Webhook { event_id, body_sha256, raw: raw.into() }).await {
        Ok(()) => {
            failpoint::pass(&"webhook.stored");
            StatusCode::OK
        }
        // Anything but 200 makes the provider send it again.
        Err(error) => {
            tracing::error!(error = chain(&error), "a webhook could not be written down");
            StatusCode::INTERNAL_SERVER_ERROR
        }
    }
}

/// The id is an unsigned header, so it is accepted only if it looks like an id.
fn is_event_id(id: &str) -> bool {
    (1..=EVENT_ID_CHARS_MAX).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_graphic())
}

/// Stores a webhook, and folds it if it can be. What goes wrong with folding is left to the timer.
async fn receive(app: &App, webhook: Webhook) -> Result<(), Error> {
    let told = content_of(app.provider.read_webhook(&webhook.raw));
    let webhook = Arc::new(webhook);
    if told != WebhookContent::More {
        match store_webhook(app, &webhook, told).await {
            Ok(()) => return Ok(()),
            Err(error) => {
                let error = chain(&error);
                tracing::warn!(error, "a webhook could not be folded at once");
            }
        }
    }
    store_webhook(app, &webhook, WebhookContent::More).await
}

async fn store_webhook(
    app: &App,
    webhook: &Arc<Webhook>,
    told: WebhookContent,
) -> Result<(), Error> {
    let (webhook, told) = (Arc::clone(webhook), Arc::new(told));
    app.store
        .write(Metadata::traced(app.provider.name()), move |tx| {
            let (webhook, told) = (Arc::clone(&webhook), Arc::clone(&told));
            Box::pin(async move { store_and_fold(tx, &webhook, &told).await })
        })
        .await
}

async fn health(State(app): State<Arc<App>>) -> (StatusCode, &'static str) {
    match app.store.check().await {
        Ok(()) => (StatusCode::OK, "ok\n"),
        Err(_unreachable) => (StatusCode::SERVICE_UNAVAILABLE, "the database does not answer\n"),
    }
}
