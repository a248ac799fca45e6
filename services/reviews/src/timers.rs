//! Handlers of this service's timers.

pub mod kinds;

use std::sync::Arc;

use eventstore::{Timer, TimerHandler};
use futures::future::BoxFuture;
use runtime::BoxError;
use runtime::telemetry::job_span;
use serde_json::Value;
use tracing::Instrument as _;

use crate::app::App;
use crate::app::erase_review::erase_review;
use crate::picture::removal::drop_image;
use crate::retention::delete_expired;
use crate::timers::kinds::{DROP_IMAGE, ERASE_REVIEW, RETENTION};

/// Runs the job of each timer kind.
#[derive(Debug, Clone)]
pub struct Timers {
    app: Arc<App>,
}

impl Timers {
    /// Timers that run their jobs with `app`.
    #[must_use]
    pub fn new(app: Arc<App>) -> Self {
        Self { app }
    }

    async fn dispatch(&self, timer: &Timer) -> Result<(), BoxError> {
        match timer.kind.as_str() {
            RETENTION => delete_expired(&self.app.store, &timer.subject).await?,
            DROP_IMAGE => {
                let objects = &self.app.pictures.objects;
                drop_image(&self.app.store, objects, timer.subject.parse()?).await?;
            }
            ERASE_REVIEW => erase_review(&self.app, timer.subject.parse()?).await?,
            unknown => return Err(format!("there is no timer {unknown}").into()),
        }
        Ok(())
    }
}

impl TimerHandler for Timers {
    fn fire(&self, timer: Timer) -> BoxFuture<'_, Result<(), BoxError>> {
        let traceparent =
            timer.payload.get("traceparent").and_then(Value::as_str).map(str::to_owned);
        let span = job_span(&timer.kind, traceparent.as_deref());
        Box::pin(async move { self.dispatch(&timer).await }.instrument(span))
    }
}
