//! The worker: takes a mail whose time has come, asks for its facts, hands it to the mail server,
//! and writes down what came of it.
//!
//! The mail server is talked to outside any transaction. A process that dies between the server's
//! "250" and the commit leaves the mail as `sending`, and it goes out a second time with the same
//! Message-ID: that is the one repeat that cannot be excluded, and a lost mail is worse.
//!
//! A server may take minutes to answer (RFC 5321 allows ten), much longer than a timer's handler
//! may run. Who gave up earlier would send the same mail again and again to a server that is only
//! slow. So the conversation is a task of its own, for which the handler waits a little. Before it
//! begins, the mail is claimed for some seconds and its timer moved behind them; the task makes the
//! claim last on for as long as it talks. So nobody takes the mail up while it is on its way, and
//! soon after a process has died, another one does.
//!
//! A database that is away for a moment is no death: a claim may end then, and an outcome may not
//! be written down at once. So a process knows by itself which mails it talks about, takes none of
//! them up anew, and keeps an outcome until it is written down.

mod in_flight;

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use eventstore::{Metadata, Store, StoreError, Timer, TimerHandler, Tx};
use futures::future::BoxFuture;
use kernel::Timestamp;
use lettre::Message;
use runtime::BoxError;
use runtime::telemetry::traceparent;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use tracing::Instrument as _;

use self::in_flight::{InFlight, InFlightGuard};
use crate::day_sheet;
use crate::facts::{Facts, FactsError, Sources};
use crate::forms::retention;
use crate::mail::{About, Mail, MailId};
use crate::message_builder::{BuildError, MessageBuilder};
use crate::planning::{self, Plan, plan};
use crate::repository;
use crate::smtp::{MailServer, SMTP_TIMEOUT, SendError};

/// How long a handler waits for the mail server.
const HANDLER_WAIT: Duration = Duration::from_secs(8);
/// How often a conversation makes its claim last on.
pub(crate) const RENEW_INTERVAL: Duration = Duration::from_secs(3);
/// The waits between tries to write an outcome down, which double.
const RECORD_BACKOFF_MIN: Duration = Duration::from_millis(200);
const RECORD_BACKOFF_MAX: Duration = Duration::from_secs(5);
/// How long a process that is to stop waits for the conversations that go on. A mail whose
/// conversation is cut off goes out again when its claim ends.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(3);
/// How often a handler looks at its mail at most.
const REREADS_MAX: u32 = 5;
/// How many conversations there are at a time.
const IN_FLIGHT_MAX: usize = 32;

/// Sends mails.
#[derive(Debug)]
pub struct DeliveryWorker {
    store: Store,
    sources: Sources,
    message_builder: MessageBuilder,
    server: MailServer,
    /// How many mails one address gets in an hour at most.
    recipient_limit: NonZeroU32,
    permits: Arc<Semaphore>,
    in_flight: InFlight,
}

/// How far a try has come without the mail server.
enum Prepared {
    /// The letter is written, and its mail is claimed.
    Ready(Box<ClaimedMail>),
    /// There is nothing to hand over.
    Concluded(Outcome),
    /// It was changed meanwhile, or its claim was refused and that is written down.
    Changed,
}

/// A mail that is claimed, with what its conversation needs.
struct ClaimedMail {
    mail: Mail,
    message: Message,
    /// One of the places for conversations, held until the outcome is written down.
    permit: OwnedSemaphorePermit,
    /// This process takes the mail up no second time until then.
    guard: InFlightGuard,
}

/// What came of a try, to be written down.
#[derive(Debug, Clone)]
enum Outcome {
    Sent,
    /// To be tried again, and whether others hear of it.
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
    /// It waits for its meeting link, or for its hour.
    Deferred {
        until: Timestamp,
        hours: String,
    },
    /// Somebody else of this process talks about it.
    AlreadyInFlight,
}

/// What a look at a mail came to.
enum Step {
    /// Whatever there was to do is done, or somebody else does it.
    Done,
    /// The mail was changed before it could be claimed.
    Changed,
}

impl DeliveryWorker {
    /// A worker that asks `sources`, writes at `message_builder` and hands to `server`, to each address no
    /// more than `recipient_limit` in an hour.
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

    /// Looks at the mail of a timer until that comes to something: who changed it meanwhile has set
    /// its timer anew, and that may have found this worker still at it and let go. Without a second
    /// look the mail would wait until the lease of that timer ends.
    async fn process_timer(self: Arc<Self>, timer: Timer) -> Result<(), BoxError> {
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
            // Its claim has ended, and the conversation goes on. It moves the timer when it can;
            // else the timer comes again by itself when its lease ends.
            return Ok(Step::Done);
        }
        let metadata = Metadata {
            actor: "notifications".to_owned(),
            traceparent: traceparent().or(timer.metadata.traceparent.clone()),
            ..timer.metadata
        };
        let mail = repository::load(self.store.pool(), id).await?;
        let Some(mail) = mail.filter(|mail| !mail.state.is_over()) else {
            self.write(metadata, move |tx| Box::pin(repository::end_timer(tx, id))).await?;
            return Ok(Step::Done);
        };
        if mail.in_flight || mail.due_at > self.store.now().await? {
            // Somebody else hands it over, whatever the clock says, or its timer was moved after
            // this one had been claimed.
            return Ok(Step::Done);
        }
        if let About::Booking(booking) = mail.about {
            tracing::Span::current().record("booking_id", tracing::field::display(booking));
        }
        let name = format!("send {}", mail.kind);
        let span = tracing::info_span!("mail", otel.name = name, mail_id = %id, kind = %mail.kind);
        async {
            match self.prepare(&mail, &metadata).await? {
                Prepared::Concluded(outcome) => {
                    self.record_outcome(&mail, outcome, metadata).await?
                }
                Prepared::Ready(claimed) => self.deliver(*claimed, metadata).await?,
                Prepared::Changed => return Ok(Step::Changed),
            }
            Ok(Step::Done)
        }
        .instrument(span)
        .await
    }

    /// One try, up to the point where the mail server comes in.
    async fn prepare(&self, mail: &Mail, metadata: &Metadata) -> Result<Prepared, StoreError> {
        let mut facts = match self.sources.load(mail).await {
            Ok(facts) => facts,
            Err(missing) => return Ok(Prepared::Concluded(facts_outcome(&missing))),
        };
        let now = self.store.now().await?;
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

    /// Hands a letter over in a task of its own, and waits for it as long as a handler can.
    async fn deliver(
        self: Arc<Self>,
        claimed: ClaimedMail,
        metadata: Metadata,
    ) -> Result<(), BoxError> {
        let delivery = async move {
            let ClaimedMail { mut mail, message, permit, guard } = claimed;
            let outcome = self.send_smtp(&mut mail, &message, &metadata).await;
            self.record_outcome_until_saved(&mail, &outcome, &metadata).await;
            drop((permit, guard));
        };
        let mut task = tokio::spawn(delivery.in_current_span());
        match timeout(HANDLER_WAIT, &mut task).await {
            Ok(ended) => Ok(ended?),
            Err(_elapsed) => {
                tracing::info!("the mail server takes its time");
                Ok(())
            }
        }
    }

    /// Talks to the mail server, and keeps the claim for as long as that takes.
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

    /// Waits for the conversations that go on without a handler, but not for long.
    async fn drain(&self) {
        let all = u32::try_from(IN_FLIGHT_MAX).unwrap_or(u32::MAX);
        if timeout(SHUTDOWN_GRACE, self.permits.acquire_many(all)).await.is_err() {
            tracing::warn!("mails are left on their way, and will be tried again");
        }
    }

    /// Claims the mail. Without an answer it is not to be sent now; what is to be written down
    /// about that was written down.
    async fn claim(
        &self,
        mail: &Mail,
        facts: &Facts,
        metadata: &Metadata,
    ) -> Result<Option<Mail>, StoreError> {
        let hourly_max = self.recipient_limit.get();
        let address = self.message_builder.recipient_hash(mail.kind, facts);
        let claim = repository::Claim {
            message_id: self.message_builder.message_id(mail.id),
            link_told: !facts.lack_link(),
            recipient: address.map(|address| repository::Recipient { address, hourly_max }),
        };
        let mail = mail.clone();
        self.write(metadata.clone(), move |tx| {
            let (mail, claim) = (mail.clone(), claim.clone());
            Box::pin(async move { repository::claim(tx, &mail, &claim).await })
        })
        .await
    }

    /// Writes down what came of a conversation, again and again while the database is away: what is
    /// forgotten here is a mail that is sent twice. It takes no longer than a conversation may.
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

    /// Writes the outcome down, with the timer and the event that belong to it.
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
    /// It is tried again for a reason that lies with us, so others need not hear of it.
    fn retry_unpublished(reason: &str) -> Self {
        Self::Retry { reason: reason.to_owned(), publishes: false }
    }
}

/// Nobody needs a mail about what is gone; a neighbour that is away comes back.
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

/// A letter that cannot be put together is a mistake of ours, except for the address. It is tried
/// again, because the mistake may be mended within its three days.
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

/// The timers of this service.
#[derive(Debug, Clone)]
pub struct Timers {
    worker: Arc<DeliveryWorker>,
}

impl Timers {
    /// Timers that send mails.
    #[must_use]
    pub fn new(worker: DeliveryWorker) -> Self {
        Self { worker: Arc::new(worker) }
    }

    /// Waits for the mails that are on their way, when no timer fires any more. It gives up in time
    /// for a process that is asked to stop.
    pub async fn drain(&self) {
        self.worker.drain().await;
    }
}

impl TimerHandler for Timers {
    fn fire(&self, timer: Timer) -> BoxFuture<'_, Result<(), BoxError>> {
        Box::pin(async move {
            match timer.kind.as_str() {
                repository::SEND_MAIL => Arc::clone(&self.worker).process_timer(timer).await,
                retention::ERASE_MESSAGE | retention::ERASE_GUIDE_REQUEST => {
                    retention::erase(&self.worker.store, timer).await
                }
                day_sheet::DAY_SHEET => {
                    let DeliveryWorker { store, message_builder, .. } = self.worker.as_ref();
                    Ok(day_sheet::fire(store, message_builder.practice(), timer.metadata).await?)
                }
                unknown => Err(format!("there is no timer {unknown}").into()),
            }
        })
    }
}
