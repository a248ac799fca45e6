//! Retention of form submissions: a row is erased some time after it was received, but never before
//! its mails are over, because they are built from it when they are sent.

use eventstore::{Metadata, Store, StoreError, Timer, Tx};
use kernel::id::{ContactMessage, GuideRequest};
use kernel::{Id, Timestamp};
use runtime::BoxError;
use runtime::telemetry::traceparent;
use serde_json::json;

use crate::mails::mail::State;
use crate::timers::kinds::{ERASE_GUIDE_REQUEST, ERASE_MESSAGE};

const HOUR_MINUTES: i64 = 60;
const DAY_MINUTES: i64 = 24 * HOUR_MINUTES;
/// How long a failed mail keeps its row, so that staff can retry it.
const FAILED_MINUTES: i64 = 90 * DAY_MINUTES;
/// The recheck interval while mails are not over.
const RECHECK_MINUTES: i64 = HOUR_MINUTES;

/// What is done with a row whose retention has passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Decision {
    Erase,
    Keep { until: Timestamp },
}

/// Handles a timer of one of the two kinds: erases its row, or sets the timer again.
///
/// # Errors
/// When the timer is none of them, or the database does not answer; the timer tries again.
pub async fn erase(store: &Store, timer: Timer) -> Result<(), BoxError> {
    let job = ErasureJob::of(&timer)?;
    let metadata = Metadata {
        actor: "notifications".to_owned(),
        traceparent: traceparent().or(timer.metadata.traceparent.clone()),
        ..timer.metadata
    };
    let erased = store
        .write(metadata, move |tx| {
            let job = job.clone();
            Box::pin(async move { job.process(tx).await })
        })
        .await?;
    if erased {
        tracing::info!(subject = timer.subject, "what a visitor typed is erased");
    }
    Ok(())
}

/// A row of one of the two tables.
#[derive(Debug, Clone)]
struct ErasureJob {
    timer_kind: &'static str,
    subject: String,
    target: Target,
}

#[derive(Debug, Clone, Copy)]
enum Target {
    Message(Id<ContactMessage>),
    GuideRequest(Id<GuideRequest>),
}

impl ErasureJob {
    fn of(timer: &Timer) -> Result<Self, BoxError> {
        let subject = timer.subject.clone();
        let (timer_kind, target) = match timer.kind.as_str() {
            ERASE_MESSAGE => (ERASE_MESSAGE, Target::Message(subject.parse()?)),
            ERASE_GUIDE_REQUEST => (ERASE_GUIDE_REQUEST, Target::GuideRequest(subject.parse()?)),
            unknown => return Err(format!("there is no timer {unknown}").into()),
        };
        Ok(Self { timer_kind, subject, target })
    }

    /// Returns whether it was erased.
    async fn process(&self, tx: &mut Tx) -> Result<bool, StoreError> {
        let now = tx.now().await?;
        let Some(received_at) = self.received_at(tx).await? else {
            return self.end(tx).await.map(|()| false);
        };
        match decide(&self.mails(tx).await?, received_at, now) {
            Decision::Keep { until } => {
                tx.set_timer(self.timer_kind, &self.subject, until, json!({})).await?;
                Ok(false)
            }
            Decision::Erase => {
                self.delete(tx).await?;
                self.end(tx).await.map(|()| true)
            }
        }
    }

    async fn received_at(&self, tx: &mut Tx) -> Result<Option<Timestamp>, StoreError> {
        let query = match self.target {
            Target::Message(id) => {
                sqlx::query_scalar("select received_at from contact_messages where message_id = $1")
                    .bind(id)
            }
            Target::GuideRequest(id) => {
                sqlx::query_scalar("select received_at from guide_requests where request_id = $1")
                    .bind(id)
            }
        };
        Ok(query.fetch_optional(tx.connection()).await?)
    }

    /// The states of its mails, locked: a concurrent retry by staff waits until the row is erased,
    /// or is seen here.
    async fn mails(&self, tx: &mut Tx) -> Result<Vec<State>, StoreError> {
        let words: Vec<String> = sqlx::query_scalar(
            "select state from mails
             where subject = $1
               and kind in ('contact_message', 'contact_acknowledgement', 'meditation_guide')
             order by mail_id for update",
        )
        .bind(&self.subject)
        .fetch_all(tx.connection())
        .await?;
        let read = |word: &String| {
            word.parse().map_err(|error: crate::mails::kind::UnknownValue| {
                sqlx::Error::ColumnDecode { index: "state".to_owned(), source: error.into() }
            })
        };
        Ok(words.iter().map(read).collect::<Result<_, sqlx::Error>>()?)
    }

    async fn delete(&self, tx: &mut Tx) -> Result<(), StoreError> {
        let query = match self.target {
            Target::Message(id) => {
                sqlx::query("delete from contact_messages where message_id = $1").bind(id)
            }
            Target::GuideRequest(id) => {
                sqlx::query("delete from guide_requests where request_id = $1").bind(id)
            }
        };
        query.execute(tx.connection()).await?;
        Ok(())
    }

    async fn end(&self, tx: &mut Tx) -> Result<(), StoreError> {
        tx.end_timer(self.timer_kind, &self.subject).await
    }
}

/// A mail that is still to be sent keeps its row; a failed mail keeps it for [`FAILED_MINUTES`].
fn decide(mails: &[State], received_at: Timestamp, now: Timestamp) -> Decision {
    let again = now.plus_minutes(RECHECK_MINUTES);
    if mails.iter().any(|state| !state.is_over()) {
        return Decision::Keep { until: again };
    }
    let last = received_at.plus_minutes(FAILED_MINUTES);
    if mails.contains(&State::Failed) && now < last {
        return Decision::Keep { until: again.min(last) };
    }
    Decision::Erase
}

#[cfg(test)]
mod tests {
    use kernel::Timestamp;

    use super::{DAY_MINUTES, Decision, HOUR_MINUTES, decide};
    use crate::mails::mail::State;

    const CAME: Timestamp = Timestamp::EPOCH;

    fn after(mails: &[State], minutes: i64) -> Decision {
        decide(mails, CAME, CAME.plus_minutes(minutes))
    }

    fn keep(until_minutes: i64) -> Decision {
        Decision::Keep { until: CAME.plus_minutes(until_minutes) }
    }

    #[test]
    fn a_submission_without_pending_mails_is_erased() {
        for over in [State::Sent, State::Dropped, State::Settled] {
            assert_eq!(after(&[over, State::Sent], 30 * DAY_MINUTES), Decision::Erase);
        }
        assert_eq!(after(&[], DAY_MINUTES), Decision::Erase);
    }

    #[test]
    fn a_submission_with_pending_mails_stays() {
        for waits in [State::Queued, State::Sending, State::Retrying] {
            for days in [1, 30, 90, 1000] {
                let now = days * DAY_MINUTES;
                assert_eq!(after(&[State::Sent, waits], now), keep(now + HOUR_MINUTES));
                assert_eq!(after(&[State::Failed, waits], now), keep(now + HOUR_MINUTES));
            }
        }
    }

    #[test]
    fn a_submission_with_a_failed_mail_stays_for_ninety_days() {
        let mails = [State::Sent, State::Failed];
        assert_eq!(after(&mails, 30 * DAY_MINUTES), keep(30 * DAY_MINUTES + HOUR_MINUTES));
        assert_eq!(after(&mails, 90 * DAY_MINUTES - 1), keep(90 * DAY_MINUTES));
        assert_eq!(after(&mails, 90 * DAY_MINUTES), Decision::Erase);
    }
}
