//! Removes the meeting of a cancelled booking at its provider, however often that takes.

use std::sync::Arc;

use eventstore::Metadata;
use kernel::id::Booking;
use kernel::{Id, Timestamp};

use super::App;
use crate::clients::meetings::MeetingError;
use crate::error::Error;
use crate::repository::meeting_rooms::{self, EndingRoom};
use crate::timers::kinds::{REMOVE_MEETING, payload};

/// How long a call that was under way may take to make a meeting, in seconds. Until then one that
/// is not found may still come.
const UNDER_WAY_SECONDS: i64 = 5 * 60;
/// The first and the longest pause after a removal that failed, in seconds.
const PAUSE_SECONDS: i64 = 60;
const PAUSE_SECONDS_MAX: i64 = 60 * 60;
/// How long it is tried, in seconds. Zoom itself ends a scheduled meeting thirty days after its
/// time.
const TRIED_SECONDS: i64 = 60 * 24 * 60 * 60;

/// What came of a removal.
#[derive(Debug, Clone, Copy)]
enum Outcome {
    /// The meeting is not there any more.
    Gone,
    /// It stays: we have no account at the provider any more, or it was tried for too long.
    Left,
    /// It is tried again after so many seconds.
    Later(i64),
}

/// Removes the meeting, and ends the timer or moves it.
pub async fn remove_meeting(
    app: &Arc<App>,
    metadata: Metadata,
    id: Id<Booking>,
) -> Result<(), Error> {
    let now = app.store.now().await?;
    let outcome = match meeting_rooms::ending(app.store.pool(), id).await? {
        Some(room) => removed(app, &room, now).await,
        None => Outcome::Gone,
    };
    app.store
        .write(metadata, move |tx| {
            Box::pin(async move {
                let subject = id.to_string();
                if let Outcome::Later(seconds) = outcome {
                    meeting_rooms::tried(tx, id).await?;
                    let (due, payload) = (tx.now().await?.plus_seconds(seconds), payload(tx));
                    return Ok(tx.set_timer(REMOVE_MEETING, &subject, due, payload).await?);
                }
                let is_gone = matches!(outcome, Outcome::Gone);
                if !is_gone {
                    tracing::warn!(booking_id = %id, "a cancelled booking's meeting is left");
                }
                meeting_rooms::close(tx, id, is_gone).await?;
                Ok(tx.end_timer(REMOVE_MEETING, &subject).await?)
            })
        })
        .await
}

async fn removed(app: &App, room: &EndingRoom, now: Timestamp) -> Outcome {
    match delete(app, room, now).await {
        Ok(outcome) => outcome,
        Err(_error) if now.seconds_since(room.asked_at) > TRIED_SECONDS => Outcome::Left,
        Err(error) => {
            tracing::warn!(%error, "a cancelled booking's meeting is removed later");
            let growing = PAUSE_SECONDS << room.attempts.clamp(0, 6);
            Outcome::Later(error.pause_seconds().unwrap_or(growing).min(PAUSE_SECONDS_MAX))
        }
    }
}

async fn delete(app: &App, room: &EndingRoom, now: Timestamp) -> Result<Outcome, MeetingError> {
    let Some(zoom) = app.meetings.zoom() else { return Ok(Outcome::Left) };
    let number = match &room.number {
        Some(number) => Some(number.clone()),
        None => {
            let found = zoom.find(&room.intent.user, &room.intent.mark).await?;
            found.map(|meeting| meeting.number)
        }
    };
    let Some(number) = number else {
        let left = UNDER_WAY_SECONDS - now.seconds_since(room.asked_at);
        return Ok(if left > 0 { Outcome::Later(left) } else { Outcome::Gone });
    };
    zoom.delete(&number).await?;
    Ok(Outcome::Gone)
}
