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

use crate::facts::{Facts, NoFacts, Sources};
use crate::letter::{Desk, LetterError};
use crate::mail::{About, Mail, MailId};
use crate::smtp::{MailServer, Refusal};
use crate::store;

/// How long a handler waits for the mail server.
const PATIENCE: Duration = Duration::from_secs(8);
/// How often a conversation makes its claim last on.
pub(crate) const KEEP_EVERY: Duration = Duration::from_secs(3);
/// How long a process that is to stop waits for the conversations that go on. A mail whose
/// conversation is cut off goes out again when its claim ends.
const FAREWELL: Duration = Duration::from_secs(10);
/// How many conversations there are at a time.
const CONVERSATIONS_MAX: usize = 32;

/// Sends mails.
#[derive(Debug)]
pub struct Sending {
    store: Store,
    sources: Sources,
    desk: Desk,
    server: MailServer,
    places: Arc<Semaphore>,
}

/// How far a try has come without the mail server.
enum Prepared {
    /// The letter is written, and its mail is claimed.
    Ready(Box<Handover>),
    /// There is nothing to hand over.
    Over(Outcome),
}

/// A mail that is claimed, with what its conversation needs.
struct Handover {
    mail: Mail,
    letter: Message,
    /// One of the places for conversations, held until the outcome is written down.
    place: OwnedSemaphorePermit,
}

/// What came of a try, to be written down.
#[derive(Debug, Clone)]
enum Outcome {
    Sent,
    /// To be tried again, and whether others hear of it.
    Later {
        reason: String,
        tells: bool,
    },
    Never {
        reason: String,
    },
    Overtaken {
        reason: &'static str,
    },
    /// It waits for its meeting link.
    Waits {
        until: Timestamp,
    },
    /// Somebody else took it up, or it is done.
    NotOurs,
}

impl Sending {
    /// A worker that asks `sources`, writes at `desk` and hands to `server`.
    #[must_use]
    pub fn new(store: Store, sources: Sources, desk: Desk, server: MailServer) -> Self {
        let places = Arc::new(Semaphore::new(CONVERSATIONS_MAX));
        Self { store, sources, desk, server, places }
    }

    async fn work(self: Arc<Self>, timer: Timer) -> Result<(), BoxError> {
        let id: MailId = timer.subject.parse()?;
        let metadata = Metadata {
            actor: "notifications".to_owned(),
            traceparent: traceparent().or(timer.metadata.traceparent.clone()),
            ..timer.metadata
        };
        let mail = store::load(self.store.pool(), id).await?;
        let Some(mail) = mail.filter(|mail| !mail.state.is_over()) else {
            return Ok(self.write(metadata, move |tx| Box::pin(end_timer(tx, id))).await?);
        };
        if mail.on_its_way || mail.due_at > self.store.now().await? {
            // Somebody else hands it over, whatever the clock says, or its timer was moved after
            // this one had been claimed.
            return Ok(());
        }
        if let About::Booking(booking) = mail.about {
            tracing::Span::current().record("booking_id", tracing::field::display(booking));
        }
        let name = format!("send {}", mail.kind);
        let span = tracing::info_span!("mail", otel.name = name, mail_id = %id, kind = %mail.kind);
        async {
            match self.prepare(&mail, &metadata).await? {
                Prepared::Over(outcome) => Ok(self.conclude(&mail, outcome, metadata).await?),
                Prepared::Ready(handover) => self.hand_over(*handover, metadata).await,
            }
        }
        .instrument(span)
        .await
    }

    /// One try, up to the point where the mail server comes in.
    async fn prepare(&self, mail: &Mail, metadata: &Metadata) -> Result<Prepared, StoreError> {
        let facts = match self.sources.of(mail.about).await {
            Ok(facts) => facts,
            Err(NoFacts::Gone(reason)) => {
                return Ok(Prepared::Over(Outcome::Overtaken { reason }));
            }
            Err(NoFacts::Unavailable(reason, error)) => {
                let error = runtime::status::chain(error.as_ref());
                tracing::warn!(reason, error, "a mail waits for its facts");
                return Ok(Prepared::Over(Outcome::later(reason)));
            }
        };
        if facts.contradict(mail.kind) {
            return Ok(Prepared::Over(Outcome::Overtaken { reason: "overtaken" }));
        }
        let now = self.store.now().await?;
        if let Some(until) = mail.waits_for_link_until.filter(|until| now < *until)
            && facts.lack_link()
        {
            return Ok(Prepared::Over(Outcome::Waits { until }));
        }
        let letter = match self.desk.write(mail, &facts, now) {
            Ok(letter) => letter,
            Err(error) => return Ok(Prepared::Over(unwritten(&error))),
        };
        let Ok(place) = Arc::clone(&self.places).try_acquire_owned() else {
            return Ok(Prepared::Over(Outcome::later("smtp_busy")));
        };
        let Some(mail) = self.begin(mail, &facts, metadata).await? else {
            return Ok(Prepared::Over(Outcome::NotOurs));
        };
        Ok(Prepared::Ready(Box::new(Handover { mail, letter, place })))
    }

    /// Hands a letter over in a task of its own, and waits for it as long as a handler can.
    async fn hand_over(
        self: Arc<Self>,
        handover: Handover,
        metadata: Metadata,
    ) -> Result<(), BoxError> {
        let conversation = async move {
            let Handover { mut mail, letter, place } = handover;
            let outcome = self.talk(&mut mail, &letter, &metadata).await;
            let concluded = self.conclude(&mail, outcome, metadata).await;
            if let Err(error) = &concluded {
                tracing::warn!(%error, "what came of a mail could not be written down");
            }
            drop(place);
            concluded
        };
        let mut task = tokio::spawn(conversation.in_current_span());
        match timeout(PATIENCE, &mut task).await {
            Ok(concluded) => Ok(concluded??),
            Err(_elapsed) => {
                tracing::info!("the mail server takes its time");
                Ok(())
            }
        }
    }

    /// Talks to the mail server, and keeps the claim for as long as that takes.
    async fn talk(&self, mail: &mut Mail, letter: &Message, metadata: &Metadata) -> Outcome {
        let mut conversation = std::pin::pin!(self.server.send(letter));
        let answer = loop {
            tokio::select! {
                answer = &mut conversation => break answer,
                () = tokio::time::sleep(KEEP_EVERY) => {}
            }
            match self.keep(mail, metadata).await {
                Ok(Some(kept)) => *mail = kept,
                Ok(None) => tracing::warn!("a claim was lost while the mail is on its way"),
                Err(error) => tracing::warn!(%error, "a claim could not be kept"),
            }
        };
        match answer {
            Ok(()) => Outcome::Sent,
            Err(Refusal::Later(reason)) => Outcome::Later { reason, tells: true },
            Err(Refusal::Never(reason)) => Outcome::Never { reason },
        }
    }

    async fn keep(&self, mail: &Mail, metadata: &Metadata) -> Result<Option<Mail>, StoreError> {
        let mail = mail.clone();
        self.write(metadata.clone(), move |tx| {
            let mail = mail.clone();
            Box::pin(async move { store::keep(tx, &mail).await })
        })
        .await
    }

    /// Waits for the conversations that go on without a handler, but not for long.
    async fn settle(&self) {
        let all = u32::try_from(CONVERSATIONS_MAX).unwrap_or(u32::MAX);
        if timeout(FAREWELL, self.places.acquire_many(all)).await.is_err() {
            tracing::warn!("mails are left on their way, and will be tried again");
        }
    }

    async fn begin(
        &self,
        mail: &Mail,
        facts: &Facts,
        metadata: &Metadata,
    ) -> Result<Option<Mail>, StoreError> {
        let (mail, message_id) = (mail.clone(), self.desk.message_id(mail.id));
        let link_told = !facts.lack_link();
        self.write(metadata.clone(), move |tx| {
            let (mail, message_id) = (mail.clone(), message_id.clone());
            Box::pin(async move { store::begin(tx, &mail, &message_id, link_told).await })
        })
        .await
    }

    /// Writes the outcome down, with the timer and the event that belong to it.
    async fn conclude(
        &self,
        mail: &Mail,
        outcome: Outcome,
        metadata: Metadata,
    ) -> Result<(), StoreError> {
        let (mail, dice) = (mail.clone(), rand::random());
        self.write(metadata, move |tx| {
            let (mail, outcome) = (mail.clone(), outcome.clone());
            Box::pin(async move { record(tx, &mail, &outcome, dice).await })
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
    fn later(reason: &str) -> Self {
        Self::Later { reason: reason.to_owned(), tells: false }
    }
}

/// A letter that cannot be put together is a mistake of ours, except for the address. It is tried
/// again, because the mistake may be mended within its three days.
fn unwritten(error: &LetterError) -> Outcome {
    let reason = error.word().to_owned();
    tracing::error!(reason, "a mail could not be written");
    match error {
        LetterError::Address(_) => Outcome::Never { reason },
        _ => Outcome::Later { reason, tells: true },
    }
}

async fn end_timer(tx: &mut Tx, id: MailId) -> Result<(), StoreError> {
    tx.end_timer(store::SEND_MAIL, &id.to_string()).await
}

async fn record(tx: &mut Tx, mail: &Mail, outcome: &Outcome, dice: u16) -> Result<(), StoreError> {
    match outcome {
        Outcome::NotOurs => Ok(()),
        Outcome::Waits { until } => store::defer(tx, mail, *until).await,
        Outcome::Overtaken { reason } => {
            tracing::info!(reason, "a mail was dropped");
            store::dropped(tx, mail, reason).await
        }
        Outcome::Sent => {
            tracing::info!("the mail server took a mail");
            store::sent(tx, mail).await
        }
        Outcome::Never { reason } => give_up(tx, mail, reason).await,
        Outcome::Later { reason, tells } => {
            let now = tx.now().await?;
            let Some(due_at) = mail.next_try(now, dice) else {
                return give_up(tx, mail, reason).await;
            };
            let wait_seconds = due_at.seconds_since(now);
            tracing::warn!(reason, wait_seconds, "a mail will be tried again");
            store::retry(tx, mail, (reason, *tells), due_at).await
        }
    }
}

async fn give_up(tx: &mut Tx, mail: &Mail, reason: &str) -> Result<(), StoreError> {
    tracing::error!(reason, "a mail could not be delivered: a person has to look");
    store::failed(tx, mail, reason).await
}

/// The timers of this service: there is one kind.
#[derive(Debug, Clone)]
pub struct Timers {
    sending: Arc<Sending>,
}

impl Timers {
    /// Timers that send mails.
    #[must_use]
    pub fn new(sending: Sending) -> Self {
        Self { sending: Arc::new(sending) }
    }

    /// Waits for the mails that are on their way, when no timer fires any more. It gives up in time
    /// for a process that is asked to stop.
    pub async fn settle(&self) {
        self.sending.settle().await;
    }
}

impl TimerHandler for Timers {
    fn fire(&self, timer: Timer) -> BoxFuture<'_, Result<(), BoxError>> {
        Box::pin(async move {
            if timer.kind == store::SEND_MAIL {
                Arc::clone(&self.sending).work(timer).await
            } else {
                Err(format!("there is no timer {}", timer.kind).into())
            }
        })
    }
}
