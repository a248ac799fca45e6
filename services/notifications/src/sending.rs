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

mod conversations;

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

use self::conversations::{Conversation, Conversations};
use crate::day_sheet;
use crate::facts::{Facts, NoFacts, Sources};
use crate::forms::erasing;
use crate::letter::{Desk, LetterError};
use crate::mail::{About, Mail, MailId};
use crate::planning::{self, Plan, plan};
use crate::smtp::{CONVERSATION_TIMEOUT, MailServer, Refusal};
use crate::store;

/// How long a handler waits for the mail server.
const PATIENCE: Duration = Duration::from_secs(8);
/// How often a conversation makes its claim last on.
pub(crate) const KEEP_EVERY: Duration = Duration::from_secs(3);
/// The waits between tries to write an outcome down, which double.
const CONCLUDE_AGAIN_MIN: Duration = Duration::from_millis(200);
const CONCLUDE_AGAIN_MAX: Duration = Duration::from_secs(5);
/// How long a process that is to stop waits for the conversations that go on. A mail whose
/// conversation is cut off goes out again when its claim ends.
const FAREWELL: Duration = Duration::from_secs(3);
/// How often a handler looks at its mail at most.
const LOOKS_MAX: u32 = 5;
/// How many conversations there are at a time.
const CONVERSATIONS_MAX: usize = 32;

/// Sends mails.
#[derive(Debug)]
pub struct Sending {
    store: Store,
    sources: Sources,
    desk: Desk,
    server: MailServer,
    /// How many mails one address gets in an hour at most.
    recipient_limit: NonZeroU32,
    places: Arc<Semaphore>,
    conversations: Conversations,
}

/// How far a try has come without the mail server.
enum Prepared {
    /// The letter is written, and its mail is claimed.
    Ready(Box<Handover>),
    /// There is nothing to hand over.
    Over(Outcome),
    /// It was changed meanwhile, or its claim was refused and that is written down.
    Changed,
}

/// A mail that is claimed, with what its conversation needs.
struct Handover {
    mail: Mail,
    letter: Message,
    /// One of the places for conversations, held until the outcome is written down.
    place: OwnedSemaphorePermit,
    /// This process takes the mail up no second time until then.
    talk: Conversation,
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
    /// It waits for its meeting link, or for its hour.
    Waits {
        until: Timestamp,
        hours: String,
    },
    /// Somebody else of this process talks about it.
    NotOurs,
}

/// What a look at a mail came to.
enum Looked {
    /// Whatever there was to do is done, or somebody else does it.
    Done,
    /// The mail was changed before it could be claimed.
    Changed,
}

impl Sending {
    /// A worker that asks `sources`, writes at `desk` and hands to `server`, to each address no
    /// more than `recipient_limit` in an hour.
    #[must_use]
    pub fn new(
        store: Store,
        sources: Sources,
        desk: Desk,
        server: MailServer,
        recipient_limit: NonZeroU32,
    ) -> Self {
        let places = Arc::new(Semaphore::new(CONVERSATIONS_MAX));
        let conversations = Conversations::default();
        Self { store, sources, desk, server, recipient_limit, places, conversations }
    }

    /// Looks at the mail of a timer until that comes to something: who changed it meanwhile has set
    /// its timer anew, and that may have found this worker still at it and let go. Without a second
    /// look the mail would wait until the lease of that timer ends.
    async fn work(self: Arc<Self>, timer: Timer) -> Result<(), BoxError> {
        for _look in 0..LOOKS_MAX {
            if let Looked::Done = Arc::clone(&self).look(timer.clone()).await? {
                break;
            }
        }
        Ok(())
    }

    async fn look(self: Arc<Self>, timer: Timer) -> Result<Looked, BoxError> {
        let id: MailId = timer.subject.parse()?;
        if self.conversations.contains(id) {
            // Its claim has ended, and the conversation goes on. It moves the timer when it can;
            // else the timer comes again by itself when its lease ends.
            return Ok(Looked::Done);
        }
        let metadata = Metadata {
            actor: "notifications".to_owned(),
            traceparent: traceparent().or(timer.metadata.traceparent.clone()),
            ..timer.metadata
        };
        let mail = store::load(self.store.pool(), id).await?;
        let Some(mail) = mail.filter(|mail| !mail.state.is_over()) else {
            self.write(metadata, move |tx| Box::pin(store::end_timer(tx, id))).await?;
            return Ok(Looked::Done);
        };
        if mail.on_its_way || mail.due_at > self.store.now().await? {
            // Somebody else hands it over, whatever the clock says, or its timer was moved after
            // this one had been claimed.
            return Ok(Looked::Done);
        }
        if let About::Booking(booking) = mail.about {
            tracing::Span::current().record("booking_id", tracing::field::display(booking));
        }
        let name = format!("send {}", mail.kind);
        let span = tracing::info_span!("mail", otel.name = name, mail_id = %id, kind = %mail.kind);
        async {
            match self.prepare(&mail, &metadata).await? {
                Prepared::Over(outcome) => self.conclude(&mail, outcome, metadata).await?,
                Prepared::Ready(handover) => self.hand_over(*handover, metadata).await?,
                Prepared::Changed => return Ok(Looked::Changed),
            }
            Ok(Looked::Done)
        }
        .instrument(span)
        .await
    }

    /// One try, up to the point where the mail server comes in.
    async fn prepare(&self, mail: &Mail, metadata: &Metadata) -> Result<Prepared, StoreError> {
        let mut facts = match self.sources.of(mail).await {
            Ok(facts) => facts,
            Err(missing) => return Ok(Prepared::Over(without_facts(&missing))),
        };
        let now = self.store.now().await?;
        match plan(mail, &facts, self.desk.practice(), now) {
            Plan::Send => {}
            Plan::Wait(until) => {
                let hours = planning::hours(self.desk.practice());
                return Ok(Prepared::Over(Outcome::Waits { until, hours }));
            }
            Plan::Drop(reason) => return Ok(Prepared::Over(Outcome::Overtaken { reason })),
        }
        if let Err(missing) = self.sources.complete(mail, &mut facts).await {
            return Ok(Prepared::Over(without_facts(&missing)));
        }
        let letter = match self.desk.write(mail, &facts, now) {
            Ok(letter) => letter,
            Err(error) => return Ok(Prepared::Over(unwritten(&error))),
        };
        let Ok(place) = Arc::clone(&self.places).try_acquire_owned() else {
            return Ok(Prepared::Over(Outcome::later("smtp_busy")));
        };
        let Some(talk) = self.conversations.begin(mail.id) else {
            return Ok(Prepared::Over(Outcome::NotOurs));
        };
        let Some(mail) = self.begin(mail, &facts, metadata).await? else {
            return Ok(Prepared::Changed);
        };
        Ok(Prepared::Ready(Box::new(Handover { mail, letter, place, talk })))
    }

    /// Hands a letter over in a task of its own, and waits for it as long as a handler can.
    async fn hand_over(
        self: Arc<Self>,
        handover: Handover,
        metadata: Metadata,
    ) -> Result<(), BoxError> {
        let conversation = async move {
            let Handover { mut mail, letter, place, talk } = handover;
            let outcome = self.talk(&mut mail, &letter, &metadata).await;
            self.conclude_surely(&mail, &outcome, &metadata).await;
            drop((place, talk));
        };
        let mut task = tokio::spawn(conversation.in_current_span());
        match timeout(PATIENCE, &mut task).await {
            Ok(ended) => Ok(ended?),
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

    /// Claims the mail. Without an answer it is not to be sent now; what is to be written down
    /// about that was written down.
    async fn begin(
        &self,
        mail: &Mail,
        facts: &Facts,
        metadata: &Metadata,
    ) -> Result<Option<Mail>, StoreError> {
        let hourly_max = self.recipient_limit.get();
        let address = self.desk.counted_address(mail.kind, facts);
        let claim = store::Claim {
            message_id: self.desk.message_id(mail.id),
            link_told: !facts.lack_link(),
            recipient: address.map(|address| store::Recipient { address, hourly_max }),
        };
        let mail = mail.clone();
        self.write(metadata.clone(), move |tx| {
            let (mail, claim) = (mail.clone(), claim.clone());
            Box::pin(async move { store::begin(tx, &mail, &claim).await })
        })
        .await
    }

    /// Writes down what came of a conversation, again and again while the database is away: what is
    /// forgotten here is a mail that is sent twice. It takes no longer than a conversation may.
    async fn conclude_surely(&self, mail: &Mail, outcome: &Outcome, metadata: &Metadata) {
        let trying = async {
            let mut pause = CONCLUDE_AGAIN_MIN;
            while let Err(error) = self.conclude(mail, outcome.clone(), metadata.clone()).await {
                tracing::warn!(%error, "what came of a mail could not be written down yet");
                tokio::time::sleep(pause).await;
                pause = pause.saturating_mul(2).min(CONCLUDE_AGAIN_MAX);
            }
        };
        if timeout(CONVERSATION_TIMEOUT, trying).await.is_err() {
            tracing::error!("what came of a mail is not written down: it may be sent twice");
        }
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

/// Nobody needs a mail about what is gone; a neighbour that is away comes back.
fn without_facts(missing: &NoFacts) -> Outcome {
    match missing {
        NoFacts::Gone(reason) => Outcome::Overtaken { reason },
        NoFacts::Unavailable(reason, error) => {
            let error = runtime::status::chain(error.as_ref());
            tracing::warn!(reason, error, "a mail waits for its facts");
            Outcome::later(reason)
        }
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

async fn record(tx: &mut Tx, mail: &Mail, outcome: &Outcome, dice: u16) -> Result<(), StoreError> {
    match outcome {
        Outcome::NotOurs => Ok(()),
        Outcome::Waits { until, hours } => store::defer(tx, mail, *until, hours).await,
        Outcome::Overtaken { reason } => {
            tracing::info!(reason, "a mail was dropped");
            store::dropped(tx, mail, reason).await
        }
        Outcome::Sent => {
            tracing::info!("the mail server took a mail");
            store::sent(tx, mail).await
        }
        Outcome::Never { reason } if mail.kind.answers_a_form() => {
            tracing::info!(reason, "a mail to what was typed into a form was dropped");
            store::dropped(tx, mail, reason).await
        }
        Outcome::Never { reason } => give_up(tx, mail, reason).await,
        Outcome::Later { reason, tells } => {
            let now = tx.now().await?;
            let first_tried_at = store::tried_since(tx, mail.id).await?;
            let tried = Mail { first_tried_at, ..mail.clone() };
            let Some(due_at) = tried.next_try(now, dice) else {
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

/// The timers of this service.
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
            match timer.kind.as_str() {
                store::SEND_MAIL => Arc::clone(&self.sending).work(timer).await,
                erasing::ERASE_MESSAGE | erasing::ERASE_GUIDE_REQUEST => {
                    erasing::erase(&self.sending.store, timer).await
                }
                day_sheet::DAY_SHEET => {
                    let Sending { store, desk, .. } = self.sending.as_ref();
                    Ok(day_sheet::fire(store, desk.practice(), timer.metadata).await?)
                }
                unknown => Err(format!("there is no timer {unknown}").into()),
            }
        })
    }
}
