//! Events of identity: a code is to be mailed, or a notice about an account.

use contract::identity::v1::CodeRequested;
use eventstore::{Recorded, Tx};
use futures::future::BoxFuture;
use messaging::{Reaction, ReactionError};

use crate::mails::kinds::asked_by;
use crate::repository;

/// Handles identity's events.
#[derive(Debug, Clone, Copy)]
pub struct OnIdentity;

impl Reaction for OnIdentity {
    fn react<'t>(
        &'t self,
        tx: &'t mut Tx,
        event: &'t Recorded,
    ) -> BoxFuture<'t, Result<(), ReactionError>> {
        Box::pin(async move {
            let mails = asked_by(event)?;
            if mails.is_empty() && event.get::<CodeRequested>()?.is_some() {
                return Err(ReactionError::Failed("a code for a purpose without a mail".into()));
            }
            for mail in &mails {
                repository::queue(tx, mail).await?;
            }
            Ok(())
        })
    }
}
