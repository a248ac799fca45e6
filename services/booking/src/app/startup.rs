//! What is done when a process starts, before its first timer: each waits for the database.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use futures::future::BoxFuture;
use practice::legal::LegalText;
use runtime::Shutdown;

use super::App;
use super::calendar_bookings::schedule_keeping;
use super::read_calendar::schedule_readings;
use super::shown_texts::keep_texts;
use crate::read_model::moved_zone;

/// The delay before it is tried again when the database does not answer.
const RETRY: Duration = Duration::from_secs(1);

/// Prepares, and then fires timers until they have ended.
///
/// # Errors
/// As `prepare`.
pub async fn begin(
    app: Arc<App>,
    folder: PathBuf,
    shutdown: Shutdown,
    firing: BoxFuture<'static, ()>,
) -> anyhow::Result<()> {
    prepare(&app, &folder, &shutdown).await?;
    firing.await;
    Ok(())
}

/// Checks the time zone, keeps the texts of the practice's folder and schedules the reading of
/// calendars.
///
/// # Errors
/// A text is invalid, or the practice's time zone was changed under sessions that are still to
/// come.
pub async fn prepare(app: &Arc<App>, folder: &Path, shutdown: &Shutdown) -> anyhow::Result<()> {
    let texts = practice::legal::load(folder)?.into();
    verify_time_zone(app, shutdown).await?;
    keep_shown_texts(app, &texts, shutdown).await;
    schedule_calendars(app, shutdown).await;
    Ok(())
}

/// Fails if the practice's time zone was changed while sessions booked in the old one are still to
/// come.
async fn verify_time_zone(app: &App, shutdown: &Shutdown) -> anyhow::Result<()> {
    let zone = app.rules.zone.iana_name().context("the practice's zone has no name")?;
    let moved = loop {
        match moved_zone::first_moved(app.store.pool(), zone).await {
            Ok(moved) => break moved,
            Err(error) => tracing::warn!(%error, "the zone of what is sold is not known yet"),
        }
        tokio::select! {
            () = shutdown.wait() => return Ok(()),
            () = tokio::time::sleep(RETRY) => {}
        }
    };
    if let Some(session) = moved {
        anyhow::bail!(
            "the practice's time zone was changed: in {zone} what is taken at {session} belongs to \
             another date than it was sold for; put the old zone back until all of that is over"
        );
    }
    Ok(())
}

/// Keeps the words of the practice's texts, as soon as the database answers.
async fn keep_shown_texts(app: &App, texts: &Arc<[LegalText]>, shutdown: &Shutdown) {
    while let Err(error) = keep_texts(app, texts).await {
        tracing::warn!(%error, "the practice's texts are not kept yet");
        tokio::select! {
            () = shutdown.wait() => return,
            () = tokio::time::sleep(RETRY) => {}
        }
    }
}

/// Sets the timers of practitioners' own calendars and of the scheduling provider's, as soon as the
/// database answers.
async fn schedule_calendars(app: &Arc<App>, shutdown: &Shutdown) {
    let schedule = async || {
        schedule_readings(app).await?;
        schedule_keeping(app).await
    };
    while let Err(error) = schedule().await {
        tracing::warn!(%error, "calendars are not kept yet");
        tokio::select! {
            () = shutdown.wait() => return,
            () = tokio::time::sleep(RETRY) => {}
        }
    }
}
