//! The handlers of this service's timers.

use std::sync::Arc;

use eventstore::{Metadata, Timer, TimerHandler};
use futures::future::BoxFuture;
use runtime::BoxError;
use runtime::telemetry::job_span;
use serde_json::Value;
use tracing::Instrument as _;

use self::kinds::{
    CANCELLATION_EFFECT, CREATE_MEETING, HOLD_END, KEEP_CALENDAR, MOVE_MEETING, OFFER_END,
    OFFER_TIMES, PROBE, PROPOSAL_END, READ_CALENDAR, REMOVE_MEETING, RETENTION, SESSION_END,
};
use crate::app::App;
use crate::app::calendar_bookings::keep_calendar;
use crate::app::complete_booking::complete_booking;
use crate::app::end_offer::lapse;
use crate::app::expire_booking::expire_booking;
use crate::app::move_meeting::move_meeting;
use crate::app::offer_times::offer_times;
use crate::app::own_cancellation::take_effect;
use crate::app::probe;
use crate::app::propose_move::lapse_proposal;
use crate::app::read_calendar::read_calendar;
use crate::app::remove_meeting::remove_meeting;
use crate::app::schedule_meeting::schedule_meeting;
use crate::retention::delete_expired;

pub mod kinds;

/// Handles this service's timers.
#[derive(Debug, Clone)]
pub struct Timers {
    app: Arc<App>,
}

impl Timers {
    /// A handler that uses this app.
    #[must_use]
    pub fn new(app: Arc<App>) -> Self {
        Self { app }
    }

    async fn handle(&self, timer: &Timer, traceparent: Option<String>) -> Result<(), BoxError> {
        if timer.kind == RETENTION {
            delete_expired(&self.app.store, &timer.subject).await?;
            return Ok(());
        }
        if timer.kind == PROBE {
            probe::end_timer(&self.app).await?;
            return Ok(());
        }
        if timer.kind == KEEP_CALENDAR {
            keep_calendar(&self.app, Metadata::by("booking", traceparent)).await?;
            return Ok(());
        }
        if timer.kind == READ_CALENDAR {
            let metadata = Metadata::by("booking", traceparent);
            read_calendar(&self.app, metadata, &timer.subject).await?;
            return Ok(());
        }
        if timer.kind == OFFER_TIMES {
            let metadata = Metadata::by("booking", traceparent);
            offer_times(&self.app, metadata, &Arc::new(timer.clone())).await?;
            return Ok(());
        }
        if timer.kind == OFFER_END {
            lapse(&self.app, Metadata::by("booking", traceparent), &timer.subject).await?;
            return Ok(());
        }
        let subject = kinds::parse_subject(&timer.subject);
        let (id, number) = subject.ok_or("a timer's subject is no booking")?;
        tracing::Span::current().record("booking_id", tracing::field::display(id));
        let metadata = Metadata::by("booking", traceparent).about(id.to_string());
        let app = Arc::clone(&self.app);
        match timer.kind.as_str() {
            kind @ (HOLD_END | SESSION_END | CANCELLATION_EFFECT | PROPOSAL_END) => {
                let kind = kind.to_owned();
                let ended = self.app.store.write(metadata, move |tx| {
                    let (app, kind) = (Arc::clone(&app), kind.clone());
                    Box::pin(async move {
                        match kind.as_str() {
                            HOLD_END => expire_booking(tx, &app, id).await,
                            PROPOSAL_END => lapse_proposal(tx, &app, id).await,
                            SESSION_END => complete_booking(tx, &app, (id, number)).await,
                            _ => take_effect(tx, &app, id).await,
                        }
                    })
                });
                ended.await?;
            }
            CREATE_MEETING => schedule_meeting(&self.app, metadata, id).await?,
            MOVE_MEETING => move_meeting(&self.app, metadata, id).await?,
            REMOVE_MEETING => remove_meeting(&self.app, metadata, id).await?,
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
        Box::pin(async move { self.handle(&timer, traceparent).await }.instrument(span))
    }
}
