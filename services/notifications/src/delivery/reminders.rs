//! Plans the reminders of a booking with the facts of its confirmation, so that none of them fires
//! only to learn when it is due. One that is not planned here plans itself when its timer fires.

use eventstore::{StoreError, Tx};
use practice::Practice;

use crate::mails::facts::Facts;
use crate::mails::kinds::plan;
use crate::mails::mail::{About, Mail, NewMail};
use crate::mails::planning::{self, Plan};
use crate::repository;

/// Plans the reminders of the booking that `confirmation` is about, those of a package's other
/// sessions too.
pub(super) async fn plan_reminders(
    tx: &mut Tx,
    confirmation: &Mail,
    facts: &Facts,
    practice: &Practice,
) -> Result<(), StoreError> {
    let (About::Booking(booking), Facts::Booking(known)) = (confirmation.about, facts) else {
        return Ok(());
    };
    let mut waiting = repository::unplanned_reminders(tx, booking).await?;
    for further in [further_sessions, chosen_seconds] {
        let further = further(&waiting, facts);
        for mail in &further {
            repository::queue(tx, mail).await?;
        }
        if !further.is_empty() {
            waiting = repository::unplanned_reminders(tx, booking).await?;
        }
    }
    let (now, hours) = (tx.now().await?, planning::hours(practice));
    for mail in &waiting {
        let session = known.clone().about_session(mail.kind, mail.session_number());
        let Some(session) = session else { continue };
        match plan(mail, &Facts::Booking(Box::new(session)), practice, now) {
            Plan::Send => repository::defer(tx, mail, now, &hours).await?,
            Plan::Wait(until) => repository::defer(tx, mail, until, &hours).await?,
            Plan::Drop(reason) => repository::dropped(tx, mail, reason).await?,
        }
    }
    Ok(())
}

fn further_sessions(waiting: &[Mail], facts: &Facts) -> Vec<NewMail> {
    waiting.iter().flat_map(|mail| planning::further_reminders(mail, facts)).collect()
}

fn chosen_seconds(waiting: &[Mail], facts: &Facts) -> Vec<NewMail> {
    waiting.iter().filter_map(|mail| planning::chosen_second(mail, facts)).collect()
}
