//! The check of a practice: its stores are read page by page, and the provider is asked.

use anyhow::Result;

use crate::blank::Parked;
use crate::history::History;
use crate::judgement::check_part;
use crate::provider::{ProviderList, ProviderReader};
use crate::range::Range;
use crate::report::Report;
use crate::scope::Scope;
use crate::sessions::Sessions;
use crate::stores::Stores;
use crate::times::Times;
use crate::violation::{Finding, Invariant};
use crate::{lateness, mends, offers, page, recorded, ways_in, whole};

/// Checks a practice that runs or was restored; nothing is written. The provider is asked for
/// `days` back, where there is a reader of its book.
pub async fn check_practice(
    stores: &mut Stores,
    provider: Option<ProviderReader>,
    days: u32,
) -> Result<Report> {
    let is_before_mends = mends::is_before(&mut stores.booking).await?;
    let mut report = Report::default();
    report.is_before_mends = is_before_mends;
    let mut asked = match provider {
        Some(reader) => Some(ProviderList::read(reader, stores.taken_at, days).await?),
        None => None,
    };
    let parked = Parked::read(stores).await?;
    whole::logs(stores, &mut report).await?;
    let times = whole::days(&mut stores.booking, &mut report).await?;
    whole::reservations(&mut stores.booking, &times, &mut report).await?;
    offers::check(&mut stores.booking, &mut report).await?;
    whole::payments(&mut stores.payments, &mut report).await?;
    let changing = bookings(stores, (&times, &parked), asked.as_mut(), &mut report).await?;
    others(stores, (&times, &parked), &mut report).await?;
    lateness::check(stores, &mut report).await?;
    lateness::tasks(stores, &parked, &mut report).await?;
    mends::states(&mut stores.booking, &mut report).await?;
    mends::consents(&mut stores.booking, &mut report).await?;
    mends::told(&mut stores.notifications, &mut report).await?;
    ways_in::tasks(stores, &mut report).await;
    let knows_reminders = stores.reminder_hours.is_some();
    name_the_unjudged(asked, (changing, knows_reminders), &mut report).await?;
    Ok(report)
}

/// Checks all bookings; returns how many were left out because they are changing.
async fn bookings(
    stores: &mut Stores,
    (times, parked): (&Times, &Parked),
    mut asked: Option<&mut ProviderList>,
    report: &mut Report,
) -> Result<usize> {
    let mut sessions = Sessions::default();
    let mut changing = 0;
    let mut range = Range::after(None, stores).await?;
    while let Some(this) = range {
        let (mut snapshot, history) = page::read(stores, &this, parked).await?;
        if let Some(asked) = asked.as_deref_mut() {
            asked.leave_out(&page::orders_without(&mut stores.payments, &this).await?);
        }
        snapshot.provider = match asked.as_deref_mut() {
            Some(asked) => asked.book(&history).await?,
            None => recorded::book(&history),
        };
        let place = (times, &this.scope());
        report.add(check_part(&snapshot, &history, place, &mut sessions));
        report.bookings += history.bookings.len();
        changing += this.without.len();
        range = Range::after(Some(&this), stores).await?;
    }
    let mut found = Finding::of(Invariant::I2);
    sessions.check(&mut found);
    report.add(found.violations);
    report.add(sessions.graces.check());
    Ok(changing)
}

/// Checks mails about no booking, and reviews.
async fn others(
    stores: &mut Stores,
    (times, parked): (&Times, &Parked),
    report: &mut Report,
) -> Result<()> {
    // Of times and sessions, nothing is looked at here.
    let mut sessions = Sessions::default();
    let nothing = Scope::Bookings {
        first: uuid::Uuid::max(),
        last: uuid::Uuid::nil(),
        without: std::collections::BTreeSet::new(),
    };
    let mut last = None;
    while let Some((snapshot, end)) = page::mails_without_booking(stores, parked, last).await? {
        let place = (times, &nothing);
        report.add(check_part(&snapshot, &History::default(), place, &mut sessions));
        last = Some(end);
    }
    let mut last = String::new();
    while let Some((snapshot, end)) = page::reviews(stores, parked, &last).await? {
        let place = (times, &nothing);
        report.add(check_part(&snapshot, &History::default(), place, &mut sessions));
        last = end;
    }
    Ok(())
}

async fn name_the_unjudged(
    asked: Option<ProviderList>,
    (changing, knows_reminders): (usize, bool),
    report: &mut Report,
) -> Result<()> {
    match asked {
        Some(asked) => {
            let (found, left_out) = asked.unknown_orders().await?;
            report.add(found);
            let since = asked.since();
            report.unjudged.push(format!(
                "I3, I4 and I5 of money from before {since}, of which the provider was not asked: \
                 our own records of it were compared"
            ));
            if left_out > 0 || asked.unread > 0 {
                report.unjudged.push(format!(
                    "I3 of {left_out} orders that are not ours or unknown, and of {} reports of \
                     the provider that could not be read",
                    asked.unread
                ));
            }
        }
        None => report.unjudged.push(
            "I3, I4 and I5 as the provider's book has them, which was not asked: our own records \
             of it were compared"
                .to_owned(),
        ),
    }
    report.unjudged.extend([
        "I1 of what was acknowledged and left nothing behind: only who was answered knows it"
            .to_owned(),
        "I6 of mails that were sent: only the mail server knows whether they arrived, and how \
         often"
            .to_owned(),
    ]);
    if !knows_reminders {
        report.unjudged.push(
            "I6 of reminders that were left out because their session was soon: PRACTICE_DIR \
             names no practice whose file says how soon"
                .to_owned(),
        );
    }
    if changing > 0 {
        report.unjudged.push(format!("{changing} bookings that changed within the last minute"));
    }
    Ok(())
}
