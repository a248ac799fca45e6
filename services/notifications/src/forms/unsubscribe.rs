//! Ends the mails to an address that are not about a booking or an account, and resumes them, by
//! the token of the link in such a mail.

use eventstore::{Metadata, StoreError};

use super::{Forms, VISITOR};
use crate::error::{Error, Rejection, refuse};
use crate::mails::addresses::AddressHash;
use crate::repository::unsubscribed;

/// Unsubscribes the address of a token.
///
/// # Errors
/// When the token is not ours, or the database does not answer.
pub async fn unsubscribe(forms: &Forms, token: &str) -> Result<(), Error> {
    let hash = forms.addresses.parse(token).ok_or_else(|| refuse(Rejection::InvalidToken))?;
    end_mails_to(forms, hash).await?;
    tracing::info!("a reader wants no more mails that are not about a booking");
    Ok(())
}

/// Resubscribes the address of a token.
///
/// # Errors
/// When the token is not ours, or the database does not answer.
pub async fn resubscribe(forms: &Forms, token: &str) -> Result<(), Error> {
    let hash = forms.addresses.parse(token).ok_or_else(|| refuse(Rejection::InvalidToken))?;
    resume_mails_to(forms, hash).await?;
    tracing::info!("a reader wants mails again that are not about a booking");
    Ok(())
}

async fn end_mails_to(forms: &Forms, hash: AddressHash) -> Result<(), StoreError> {
    let metadata = Metadata::traced(VISITOR);
    let ending = forms.store.write(metadata, move |tx| {
        Box::pin(async move { unsubscribed::unsubscribe(tx, hash).await })
    });
    ending.await
}

async fn resume_mails_to(forms: &Forms, hash: AddressHash) -> Result<(), StoreError> {
    let metadata = Metadata::traced(VISITOR);
    let resuming = forms.store.write(metadata, move |tx| {
        Box::pin(async move { unsubscribed::resubscribe(tx, hash).await })
    });
    resuming.await
}
