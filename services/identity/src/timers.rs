//! The handler of this service's timers: messages to phones are sent.

use eventstore::{Store, Timer, TimerHandler};
use futures::future::BoxFuture;
use runtime::BoxError;
use url::Host;
use uuid::Uuid;

use crate::app::{self, App};
use crate::repository::phone_messages::{self, PhoneMessage, SEND_MESSAGE};
use crate::repository::{challenges, codes};
use crate::sms::{Answer, Message, Sender};
use crate::tokens::secrets::Digits;

/// Sends messages. Without a sender none is queued.
pub struct Timers {
    app: App,
    sender: Option<Sender>,
}

impl Timers {
    /// A handler for this app.
    pub fn new(app: App) -> Result<Self, BoxError> {
        let sender = app.features.sms.as_ref().map(Sender::new).transpose()?;
        Ok(Self { app, sender })
    }

    async fn send(&self, timer: &Timer) -> Result<(), BoxError> {
        if timer.kind != SEND_MESSAGE {
            return Err(format!("there is no timer {}", timer.kind).into());
        }
        let message_id: Uuid = timer.subject.parse()?;
        let store = &self.app.store;
        let message = phone_messages::unsent(store.pool(), message_id).await?;
        // A code that was used or replaced meanwhile is not sent any more.
        let (Some(message), Some(sender)) = (message, &self.sender) else {
            return finish(store, message_id, true).await;
        };
        let answer = sender.send(&self.written(message)).await?;
        if let Answer::Refused(status) = answer {
            tracing::warn!(%message_id, %status, "the sender refuses a message to a phone");
        }
        finish(store, message_id, answer != Answer::Accepted).await
    }

    /// The last line lets browsers fill the code in, on this site only.
    fn written(&self, message: PhoneMessage) -> Message {
        let digits = self.app.codes.digits(message.code_id, Digits::of_count(message.digits));
        let site = self.app.redirects.site();
        let host = site.host().as_ref().map(Host::to_string).unwrap_or_default();
        let minutes = if message.is_of_factor {
            challenges::VALID_SECONDS / 60
        } else {
            i64::from(codes::VALID_MINUTES)
        };
        let text = format!(
            "{digits} is your code for {host}. It is valid for {minutes} minutes. Tell it to no \
             one.\n\n@{host} #{digits}"
        );
        Message {
            message_id: message.message_id.to_string(),
            to: format!("+{}", message.phone),
            channel: message.channel,
            text,
        }
    }
}

async fn finish(store: &Store, message_id: Uuid, refused: bool) -> Result<(), BoxError> {
    store
        .write(app::metadata(), move |tx| {
            Box::pin(async move { phone_messages::finish(tx, message_id, refused).await })
        })
        .await?;
    Ok(())
}

impl TimerHandler for Timers {
    fn fire(&self, timer: Timer) -> BoxFuture<'_, Result<(), BoxError>> {
        Box::pin(async move { self.send(&timer).await })
    }
}
