//! Events of identity: a code is to be mailed, or a notice about an account.

use contract::identity::v1 as wire;
use eventstore::{Recorded, Tx};
use futures::future::BoxFuture;
use kernel::id::AccountNotice;
use messaging::{Reaction, ReactionError};
use serde_json::json;

use super::id;
use crate::mails::kind::Kind;
use crate::mails::mail::{About, NewMail};
use crate::repository;

/// The mail that an event of identity asks for; `None` when it asks for none.
///
/// # Errors
/// When it is one of these and cannot be read.
pub fn step(event: &Recorded) -> Result<Option<NewMail>, ReactionError> {
    if let Some(e) = event.get::<wire::AccountNoticeRequested>()? {
        id::<AccountNotice>(&e.notice_id)?;
        return Ok(Some(NewMail::about(Kind::AccountNotice, e.notice_id, About::Subject)));
    }
    let Some(e) = event.get::<wire::CodeRequested>()? else { return Ok(None) };
    let kind = match e.purpose.as_str() {
        "signup" => Kind::ConfirmAddress,
        "recovery" => Kind::RecoverPassword,
        "magiclink" => Kind::SignInCode,
        "invite" => Kind::AccountInvitation,
        "email_change_current" => Kind::LeaveAddress,
        "email_change_new" => Kind::NewAddress,
        "reauthentication" => Kind::Reauthentication,
        _ => return Err(ReactionError::Failed("a code for a purpose without a mail".into())),
    };
    Ok(Some(NewMail {
        kind,
        about: About::Code(id(&e.code_id)?),
        subject: e.code_id,
        payload: json!({}),
    }))
}

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
            if let Some(mail) = step(event)? {
                repository::queue(tx, &mail).await?;
            }
            Ok(())
        })
    }
}
