//! A client chooses about the mails of its bookings: when it is reminded, and whether it is
//! thanked.

use std::sync::Arc;

use contract::booking::v1 as wire;
use eventstore::{Metadata, NewEvent, StoreError, Tx};
use kernel::Id;
use kernel::id::Customer;

use super::App;
use crate::contract::preferences_stream;
use crate::domain::mail_preferences::MailPreferences;
use crate::error::{Error, Rejection, refuse};
use crate::repository::mail_preferences;

/// What holds for a client, and whether the client chose it.
///
/// # Errors
/// When the database does not answer.
pub async fn get_mail_preferences(
    app: &App,
    customer_id: Id<Customer>,
) -> Result<wire::GetMailPreferencesResponse, Error> {
    let chosen = mail_preferences::of(app.store.pool(), customer_id).await?;
    let mails = &app.practice.mails;
    let usual = || {
        let hours = [mails.reminder_hours, mails.second_reminder_hours];
        let reminder_hours = hours.into_iter().filter(|hours| *hours > 0).collect();
        wire::MailPreferences { reminder_hours, thanks: true }
    };
    Ok(wire::GetMailPreferencesResponse {
        preferences: Some(chosen.as_ref().map_or_else(usual, to_wire)),
        chosen: chosen.is_some(),
    })
}

/// Keeps a client's choice, and has the reminders of its sessions planned anew.
///
/// # Errors
/// `InvalidReminderHours`.
pub async fn set_mail_preferences(
    app: &Arc<App>,
    customer_id: Id<Customer>,
    request: wire::SetMailPreferencesRequest,
) -> Result<wire::SetMailPreferencesResponse, Error> {
    let wanted = request.preferences.unwrap_or_default();
    let chosen = MailPreferences::new(wanted.reminder_hours, wanted.thanks);
    let chosen = chosen.ok_or(refuse(Rejection::InvalidReminderHours))?;
    let preferences = Some(to_wire(&chosen));
    app.store
        .write(Metadata::traced(customer_id.to_string()), move |tx| {
            let chosen = chosen.clone();
            Box::pin(async move { choose(tx, customer_id, &chosen).await })
        })
        .await?;
    Ok(wire::SetMailPreferencesResponse { preferences })
}

async fn choose(
    tx: &mut Tx,
    customer_id: Id<Customer>,
    chosen: &MailPreferences,
) -> Result<(), Error> {
    let now = tx.now().await?;
    if !mail_preferences::choose(tx, customer_id, chosen, now).await? {
        return Ok(());
    }
    let stream = preferences_stream(customer_id);
    let version = tx.load(&stream).await?.version;
    let bookings = mail_preferences::coming(tx, customer_id, now).await?;
    let event = NewEvent::of(&wire::MailPreferencesChanged {
        customer_id: customer_id.to_string(),
        booking_ids: bookings.iter().map(ToString::to_string).collect(),
    });
    tx.append(&stream, version, &[event.map_err(StoreError::from)?]).await?;
    Ok(())
}

/// A choice as the wire has it.
#[must_use]
pub fn to_wire(chosen: &MailPreferences) -> wire::MailPreferences {
    let reminder_hours = chosen.reminder_hours().to_vec();
    wire::MailPreferences { reminder_hours, thanks: chosen.thanks }
}
