//! The delivery worker: takes a due mail, fetches its facts, sends it to the mail server and
//! records the outcome.
//!
//! SMTP runs outside any transaction. If a process dies between the server's "250" and the commit,
//! the mail stays `sending` and is sent a second time with the same Message-ID. That is the one
//! duplicate that cannot be excluded; a lost mail would be worse.
//!
//! A server may take minutes to answer (RFC 5321 allows ten), much longer than a timer handler may
//! run. Giving up earlier would send the same mail repeatedly to a server that is only slow. So the
//! SMTP exchange is a separate task, for which the handler waits a few seconds. Before it starts,
//! the worker takes a lease of some seconds on the mail and moves its timer behind the lease; the
//! task renews the lease while it runs. No other worker takes a mail in flight, and soon after a
//! process has died another worker does.
//!
//! A short database outage must not cause a duplicate: a lease may expire during it, and an outcome
//! may not be saved at once. So each process also keeps the set of its mails in flight in memory,
//! starts none of them twice, and retries saving an outcome.

mod in_flight;
mod reminders;
pub mod sources;
pub mod message_builder;

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use eventstore::{Metadata, Store, StoreError, Timer, Tx};
use futures::future::BoxFuture;
use kernel::Timestamp;
use lettre::Message;
use runtime::BoxError;
use runtime::telemetry::traceparent;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use tracing::Instrument as _;

use self::in_flight::{InFlight, InFlightGuard};
use self::reminders::plan_reminders;
use self::sources::Sources;
use crate::delivery::message_builder::{BuildError, MessageBuilder};
use crate::mails::declaration::Channel;
use crate::mails::facts::{Facts, FactsError};
use crate::mails::kind::Kind;
use crate::mails::kinds::plan;
use crate::mails::mail::{About, Mail, MailId, NewMail};
use crate::mails::planning::{self, Plan};
use crate::repository;
use crate::smtp::{MailServer, SMTP_TIMEOUT, SendError};

/// How long a handler waits for the mail server.
const HANDLER_WAIT: Duration = Duration::from_secs(8);
/// How often a delivery renews its lease.
const RENEW_INTERVAL: Duration = Duration::from_secs(3);
/// The first and longest wait between attempts to save an outcome; the wait doubles.
const RECORD_BACKOFF_MIN: Duration = Duration::from_millis(200);
const RECORD_BACKOFF_MAX: Duration = Duration::from_secs(5);
/// How long a stopping process waits for the deliveries in flight. A mail whose delivery is cut off
/// is sent again when its lease expires.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(3);
/// How often a handler reads its mail at most.
const REREADS_MAX: u32 = 5;
/// The most concurrent deliveries of a process.
const IN_FLIGHT_MAX: usize = 32;

/// Sends mails.
#[derive(Debug)]
pub struct DeliveryWorker {
    store: Store,
    sources: Sources,
    message_builder: MessageBuilder,
    server: MailServer,
    /// The most mails per address and hour.
    recipient_limit: NonZeroU32,
    permits: Arc<Semaphore>,
    in_flight: InFlight,
}

/// The result of an attempt before the SMTP exchange.
enum Prepared {
    /// The message is built, and its mail is claimed.
    Ready(Box<ClaimedMail>),
    /// There is nothing to send.
    Concluded(Outcome),
    /// The mail was changed since it was read, or the claim was refused and that is saved.
    Changed,
}

/// A claimed mail with what its delivery needs.
struct ClaimedMail {
    mail: Mail,
    message: Message,
    /// One of [`IN_FLIGHT_MAX`] permits, held until the outcome is saved.
    permit: OwnedSemaphorePermit,
    /// Keeps this process from starting the mail a second time until then.
    guard: InFlightGuard,
}

/// The outcome of an attempt, to be saved.
#[derive(Debug, Clone)]
enum Outcome {
    Sent,
    /// To be retried, and whether an event is published.
    Retry {
        reason: String,
        publishes: bool,
    },
    Failed {
        reason: String,
    },
    Dropped {
        reason: &'static str,
    },
    /// It waits for its due time.
    Deferred {
        until: Timestamp,
        hours: String,
    },
    /// This process is delivering it already.
    AlreadyInFlight,
}

/// The result of one pass over a mail.
enum Step {
    /// There is nothing left to do, or another worker does it.
    Done,
    /// The mail was changed before it could be claimed.
    Changed,
}

impl DeliveryWorker {
    /// A worker that reads facts from `sources`, builds messages with `message_builder` and sends
    /// them to `server`, at most `recipient_limit` per address and hour.
    #[must_use]
    pub fn new(
        store: Store,
        sources: Sources,
        message_builder: MessageBuilder,
        server: MailServer,
        recipient_limit: NonZeroU32,
    ) -> Self {
        let permits = Arc::new(Semaphore::new(IN_FLIGHT_MAX));
        let in_flight = InFlight::default();
        Self { store, sources, message_builder, server, recipient_limit, permits, in_flight }
    }

    /// The same with another builder of messages; both know which mails are in flight.
    #[must_use]
    pub fn after(&self, message_builder: MessageBuilder) -> Self {
        Self {
            store: self.store.clone(),
            sources: self.sources.clone(),
            message_builder,
            server: self.server.clone(),
            recipient_limit: self.recipient_limit,
            permits: Arc::clone(&self.permits),
            in_flight: self.in_flight.clone(),
        }
    }

    /// Re-reads the mail up to [`REREADS_MAX`] times: if it changed while we worked, its new timer
    /// may already have fired and been skipped because we held the claim. Without re-reading, the
    /// mail would wait until the timer's lease expires.
    pub(crate) async fn process_timer(self: Arc<Self>, timer: Timer) -> Result<(), BoxError> {
        for _reread in 0..REREADS_MAX {
            if let Step::Done = Arc::clone(&self).process_due(timer.clone()).await? {
                break;
            }
        }
        Ok(())
    }

    async fn process_due(self: Arc<Self>, timer: Timer) -> Result<Step, BoxError> {
        let id: MailId = timer.subject.parse()?;
        if self.in_flight.contains(id) {
            // The lease has expired, but the delivery goes on. It moves the timer when it can;
            // otherwise the timer fires again when its own lease expires.
            return Ok(Step::Done);
        }
        let metadata = Metadata {
            actor: "notifications".to_owned(),
            traceparent: traceparent().or(timer.metadata.traceparent.clone()),
            ..timer.metadata
        };
        let found = repository::load(self.store.pool(), id).await?;
        let Some((mail, now)) = found.filter(|(mail, _now)| !mail.state.is_over()) else {
            self.write(metadata, move |tx| Box::pin(repository::end_timer(tx, id))).await?;
            return Ok(Step::Done);
        };
        if mail.in_flight || mail.due_at > now {
            // Another worker is delivering it, whatever the clock says, or its timer was moved
            // after this one was claimed.
            return Ok(Step::Done);
        }
        if let About::Booking(booking) = mail.about {
            tracing::Span::current().record("booking_id", tracing::field::display(booking));
        }
        let name = format!("send {}", mail.kind);
        let span = tracing::info_span!("mail", otel.name = name, mail_id = %id, kind = %mail.kind);
        async {
            match self.prepare(&mail, now, &metadata).await? {
                Prepared::Concluded(outcome) => {
                    self.record_outcome(&mail, outcome, metadata).await?;
                }
                Prepared::Ready(claimed) => self.deliver(*claimed, metadata).await?,
                Prepared::Changed => return Ok(Step::Changed),
            }
            Ok(Step::Done)
        }
        .instrument(span)
        .await
    }

    /// One attempt, up to the SMTP exchange; `now` was read with the mail.
    async fn prepare(
        self: &Arc<Self>,
        mail: &Mail,
        now: Timestamp,
        metadata: &Metadata,
    ) -> Result<Prepared, StoreError> {
        let mut facts = match self.sources.load(mail).await {
            Ok(facts) => facts,
            Err(missing) => return Ok(Prepared::Concluded(facts_outcome(&missing))),
        };
        let mut further = planning::further_reminders(mail, &facts);
        further.extend(planning::chosen_second(mail, &facts));
        if !further.is_empty() {
            self.queue_all(further, metadata.clone()).await?;
        }
        match plan(mail, &facts, self.message_builder.practice(), now) {
            Plan::Send => {}
            Plan::Wait(until) => {
                let hours = planning::hours(self.message_builder.practice());
                return Ok(Prepared::Concluded(Outcome::Deferred { until, hours }));
            }
            Plan::Drop(reason) => return Ok(Prepared::Concluded(Outcome::Dropped { reason })),
        }
        if let Err(missing) = self.sources.load_late(mail, &mut facts).await {
            return Ok(Prepared::Concluded(facts_outcome(&missing)));
        }
        let message = match self.message_builder.build(mail, &facts, now) {
            Ok(message) => message,
            Err(error) => return Ok(Prepared::Concluded(build_failure_outcome(&error))),
        };
        let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() else {
            return Ok(Prepared::Concluded(Outcome::retry_unpublished("smtp_busy")));
        };
        let Some(guard) = self.in_flight.begin(mail.id) else {
            return Ok(Prepared::Concluded(Outcome::AlreadyInFlight));
        };
        let Some(mail) = self.claim(mail, &facts, metadata).await? else {
            return Ok(Prepared::Changed);
        };
        Ok(Prepared::Ready(Box::new(ClaimedMail { mail, message, permit, guard })))
    }

    /// Queues mails that are not queued yet.
    async fn queue_all(&self, mails: Vec<NewMail>, metadata: Metadata) -> Result<(), StoreError> {
        self.write(metadata, move |tx| {
            let mails = mails.clone();
            Box::pin(async move {
                for mail in &mails {
                    repository::queue(tx, mail).await?;
                }
                Ok(())
            })
        })
        .await
    }

    /// Sends a message in a separate task, and waits for it up to [`HANDLER_WAIT`].
    async fn deliver(
        self: Arc<Self>,
        claimed: ClaimedMail,
        metadata: Metadata,
    ) -> Result<(), BoxError> {
        let delivery = async move {
            let ClaimedMail { mut mail, message, permit, guard } = claimed;
            let outcome = match mail.kind.declaration().channel {
                Channel::Mail => self.send_smtp(&mut mail, &message, &metadata).await,
            };
            self.record_outcome_until_saved(&mail, &outcome, &metadata).await;
            drop((permit, guard));
        };
        let mut task = runtime::spawn(delivery);
        match timeout(HANDLER_WAIT, &mut task).await {
            Ok(ended) => Ok(ended?),
            Err(_elapsed) => {
                tracing::info!("the mail server takes its time");
                Ok(())
            }
        }
    }

    /// Sends the message by SMTP, and renews the claim until the server has answered.
    async fn send_smtp(&self, mail: &mut Mail, message: &Message, metadata: &Metadata) -> Outcome {
        let mut smtp_exchange = std::pin::pin!(self.server.send(message));
        let answer = loop {
            tokio::select! {
                answer = &mut smtp_exchange => break answer,
                () = tokio::time::sleep(RENEW_INTERVAL) => {}
            }
            match self.renew_claim(mail, metadata).await {
                Ok(Some(renewed)) => *mail = renewed,
                Ok(None) => tracing::warn!("a claim was lost while the mail is on its way"),
                Err(error) => tracing::warn!(%error, "a claim could not be kept"),
            }
        };
        match answer {
            Ok(()) => Outcome::Sent,
            Err(SendError::Transient(reason)) => Outcome::Retry { reason, publishes: true },
            Err(SendError::Permanent(reason)) => Outcome::Failed { reason },
        }
    }

    async fn renew_claim(
        &self,
        mail: &Mail,
        metadata: &Metadata,
    ) -> Result<Option<Mail>, StoreError> {
        let mail = mail.clone();
        self.write(metadata.clone(), move |tx| {
            let mail = mail.clone();
            Box::pin(async move { repository::renew_claim(tx, &mail).await })
        })
        .await
    }

    /// Waits for deliveries that outlive their handler, up to [`SHUTDOWN_GRACE`].
    pub(crate) async fn drain(&self) {
        let all = u32::try_from(IN_FLIGHT_MAX).unwrap_or(u32::MAX);
        if timeout(SHUTDOWN_GRACE, self.permits.acquire_many(all)).await.is_err() {
            tracing::warn!("mails are left on their way, and will be tried again");
        }
    }

    /// Claims the mail, and with a confirmation plans the booking's reminders. `None` means that it
    /// isn't sent now; the reason is saved already.
    async fn claim(
        self: &Arc<Self>,
        mail: &Mail,
        facts: &Facts,
        metadata: &Metadata,
    ) -> Result<Option<Mail>, StoreError> {
        let hourly_max = self.recipient_limit.get();
        let recipient = self.message_builder.recipient_hashes(mail.kind, facts);
        let claim = repository::Claim {
            message_id: self.message_builder.message_id(mail.id),
            recipient: recipient.map(|(address, former_address)| repository::Recipient {
                address,
                former_address,
                hourly_max,
            }),
        };
        let confirmed = (mail.kind == Kind::BookingConfirmed).then(|| Arc::new(facts.clone()));
        let (worker, mail) = (Arc::clone(self), mail.clone());
        self.write(metadata.clone(), move |tx| {
            let (worker, confirmed) = (Arc::clone(&worker), confirmed.clone());
            let (mail, claim) = (mail.clone(), claim.clone());
            Box::pin(async move {
                let claimed = repository::claim(tx, &mail, &claim).await?;
                if let Some(facts) = confirmed.filter(|_facts| claimed.is_some()) {
                    plan_reminders(tx, &mail, &facts, worker.message_builder.practice()).await?;
                }
                Ok(claimed)
            })
        })
        .await
    }

    /// Saves the outcome of a delivery and retries while the database is unavailable: an outcome
    /// that is lost here means a mail sent twice. Gives up after [`SMTP_TIMEOUT`].
    async fn record_outcome_until_saved(
        &self,
        mail: &Mail,
        outcome: &Outcome,
        metadata: &Metadata,
    ) {
        let trying = async {
            let mut pause = RECORD_BACKOFF_MIN;
            while let Err(error) =
                self.record_outcome(mail, outcome.clone(), metadata.clone()).await
            {
                tracing::warn!(%error, "what came of a mail could not be written down yet");
                tokio::time::sleep(pause).await;
                pause = pause.saturating_mul(2).min(RECORD_BACKOFF_MAX);
            }
        };
        if timeout(SMTP_TIMEOUT, trying).await.is_err() {
            tracing::error!("what came of a mail is not written down: it may be sent twice");
        }
    }

    /// Saves the outcome with its timer and its event.
    async fn record_outcome(
        &self,
        mail: &Mail,
        outcome: Outcome,
        metadata: Metadata,
    ) -> Result<(), StoreError> {
        let (mail, jitter) = (mail.clone(), rand::random());
        self.write(metadata, move |tx| {
            let (mail, outcome) = (mail.clone(), outcome.clone());
            Box::pin(async move { save_outcome(tx, &mail, &outcome, jitter).await })
        })
        .await
    }

    async fn write<T, F>(&self, metadata: Metadata, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: for<'t> Fn(&'t mut Tx) -> BoxFuture<'t, Result<T, StoreError>> + Send + Sync + 'static,
    {
        self.store.write(metadata, work).await
    }
}

impl Outcome {
    /// A retry for a reason of our own, so no event is published.
    fn retry_unpublished(reason: &str) -> Self {
        Self::Retry { reason: reason.to_owned(), publishes: false }
    }
}

/// A mail about something deleted is dropped; while another service is unavailable, it is retried.
fn facts_outcome(missing: &FactsError) -> Outcome {
    match missing {
        FactsError::Gone(reason) => Outcome::Dropped { reason },
        FactsError::Unavailable(reason, error) => {
            let error = runtime::status::chain(error.as_ref());
            tracing::warn!(reason, error, "a mail waits for its facts");
            Outcome::retry_unpublished(reason)
        }
    }
}

/// A message that cannot be built is a defect of ours, except for an invalid address. It is
/// retried, because the defect may be fixed within the retry window.
fn build_failure_outcome(error: &BuildError) -> Outcome {
    let reason = error.reason().to_owned();
    tracing::error!(reason, "a mail could not be written");
    match error {
        BuildError::Address(_) => Outcome::Failed { reason },
        _ => Outcome::Retry { reason, publishes: true },
    }
}

async fn save_outcome(
    tx: &mut Tx,
    mail: &Mail,
    outcome: &Outcome,
    jitter: u16,
) -> Result<(), StoreError> {
    match outcome {
        Outcome::AlreadyInFlight => Ok(()),
        Outcome::Deferred { until, hours } => repository::defer(tx, mail, *until, hours).await,
        Outcome::Dropped { reason } => {
            tracing::info!(reason, "a mail was dropped");
            repository::dropped(tx, mail, reason).await
        }
        Outcome::Sent => {
            tracing::info!("the mail server took a mail");
            repository::sent(tx, mail).await
        }
        Outcome::Failed { reason } if mail.kind.answers_a_form() => {
            tracing::info!(reason, "a mail to what was typed into a form was dropped");
            repository::dropped(tx, mail, reason).await
        }
        Outcome::Failed { reason } => mark_failed(tx, mail, reason).await,
        Outcome::Retry { reason, publishes } => {
            let now = tx.now().await?;
            let first_tried_at = repository::tried_since(tx, mail.id).await?;
            let tried = Mail { first_tried_at, ..mail.clone() };
            let Some(due_at) = tried.next_try(now, jitter) else {
                return mark_failed(tx, mail, reason).await;
            };
            let wait_seconds = due_at.seconds_since(now);
            tracing::warn!(reason, wait_seconds, "a mail will be tried again");
            repository::retry(tx, mail, (reason, *publishes), due_at).await
        }
    }
}

async fn mark_failed(tx: &mut Tx, mail: &Mail, reason: &str) -> Result<(), StoreError> {
    tracing::error!(reason, "a mail could not be delivered: a person has to look");
    repository::failed(tx, mail, reason).await
}

#[cfg(test)]
mod tests {
    use super::RENEW_INTERVAL;
    use crate::mails::mail::CLAIM_SECONDS;

    #[test]
    fn a_claim_is_kept_well_before_it_ends() {
        let pause = i64::try_from(RENEW_INTERVAL.as_secs()).unwrap();
        assert!(pause * 3 <= CLAIM_SECONDS);
    }
}
