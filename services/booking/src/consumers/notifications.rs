//! Events of notifications: whether the confirmation mail was sent, for display on the booking's
//! page.

use contract::notifications::v1 as notifications;
use eventstore::{Recorded, Tx};
use futures::future::BoxFuture;
use messaging::{Reaction, ReactionError};

use super::payments::booking;
use crate::read_model::external_facts;

/// Handles events of notifications.
#[derive(Debug, Clone, Copy)]
pub struct OnNotifications;

impl Reaction for OnNotifications {
    fn react<'t>(
        &'t self,
        tx: &'t mut Tx,
        event: &'t Recorded,
    ) -> BoxFuture<'t, Result<(), ReactionError>> {
        Box::pin(async move {
            let confirmation = notifications::MailKind::BookingConfirmed;
            if let Some(e) = event.get::<notifications::MailSent>()? {
                if e.kind() == confirmation {
                    external_facts::mail_sent(tx, booking(&e.booking_id)?).await?;
                }
            } else if let Some(e) = event.get::<notifications::MailFailed>()?
                && e.kind() == confirmation
            {
                external_facts::mail_failed(tx, booking(&e.booking_id)?).await?;
            }
            Ok(())
        })
    }
}
