//! Staff close a time to customers.

use std::sync::Arc;

use contract::booking::v1::BlockTimeRequest;
use eventstore::{Act, Metadata, Tx, new_id};
use jiff::civil::{Date, Time};
use kernel::id::Block;
use kernel::{CommandError, Id};
use practice::LEAD_ID;
use service::IdempotencyKey;
use staff::Staff;

use super::App;
use super::request::{parse_date, parse_key, parse_time};
use crate::domain::day;
use crate::error::{Error, Rejection, refuse};
use crate::repository::waiting_offers::{self, Outcome};
use crate::repository::{LockedDay, day_lock};

/// The method's name, in idempotency keys and the audit log.
pub const METHOD: &str = "BlockTime";

/// The last year in which a time can be closed; later ones are typing errors.
const YEAR_MAX: i16 = 2099;

/// A time range of one day of a practitioner; `None` is midnight, at the day's start or end.
#[derive(Debug, Clone)]
struct ClosedTime {
    practitioner_id: String,
    date: Date,
    from: Option<Time>,
    to: Option<Time>,
}

/// Closes a time and returns the block's id. What is offered to the wait list in it is withdrawn.
///
/// # Errors
/// `TimeOccupied` when a part of it is held, booked or closed; `PractitionerNotFound`.
pub async fn block_time(
    app: &Arc<App>,
    staff: Staff,
    mut request: BlockTimeRequest,
) -> Result<Id<Block>, Error> {
    let closed_time = ClosedTime {
        practitioner_id: practitioner(app, &request.practitioner_id)?,
        date: parse_date(&request.date).ok_or(refuse(Rejection::InvalidDay))?,
        from: time(&request.from_time)?,
        to: time(&request.to_time)?,
    };
    let key = parse_key(&std::mem::take(&mut request.idempotency_key))?;
    let key = Arc::new(IdempotencyKey::of(&staff.id, METHOD, key, &request));
    let new = new_id::<Block>();
    let metadata = Metadata::traced(staff.id.to_string()).about(new.to_string());
    let app_for_task = Arc::clone(app);
    app.store
        .write(metadata, move |tx| {
            let (app, key) = (Arc::clone(&app_for_task), Arc::clone(&key));
            let closed_time = closed_time.clone();
            Box::pin(async move {
                let id = match key.lookup::<Block>(tx).await? {
                    Some(first) => first,
                    None => {
                        block(tx, &app, new, &closed_time).await?;
                        key.store(tx, new).await?;
                        new
                    }
                };
                tx.audit(staff, Act { action: METHOD, subject: &id.to_string() }).await?;
                Ok(id)
            })
        })
        .await
}

/// The id of the practitioner that a request of staff names; the first one's when it names none.
///
/// # Errors
/// `PractitionerNotFound`.
pub(super) fn practitioner(app: &App, asked: &str) -> Result<String, Error> {
    let id = if asked.is_empty() { LEAD_ID } else { asked };
    let known = app.practitioners.get(id).ok_or(refuse(Rejection::PractitionerNotFound))?;
    Ok(known.id.clone())
}

fn time(text: &str) -> Result<Option<Time>, Error> {
    if text.is_empty() {
        return Ok(None);
    }
    parse_time(text).map(Some).ok_or(refuse(Rejection::InvalidTime))
}

async fn block(
    tx: &mut Tx,
    app: &App,
    id: Id<Block>,
    closed_time: &ClosedTime,
) -> Result<(), Error> {
    let rules = &app.rules;
    let ClosedTime { ref practitioner_id, date, from, to } = *closed_time;
    tx.lock(&[day_lock(practitioner_id, date)]).await?;
    let now = tx.now().await?;
    if date < rules.date_of(now) || date.year() > YEAR_MAX {
        return Err(refuse(Rejection::InvalidDay));
    }
    let span = rules.range(date, from, to).ok_or(refuse(Rejection::InvalidTime))?;
    let (mut day, now) = LockedDay::load(tx, rules, practitioner_id, date).await?;
    // Opened first, such a time would go to the next client before it could be closed.
    for offer in waiting_offers::open_within(tx, practitioner_id, span).await? {
        waiting_offers::end(tx, offer.id, Outcome::Withdrawn).await?;
        day.apply(tx, day::Command::Unblock { block_id: offer.id }).await?;
    }
    let blocked = day.apply(tx, day::Command::Block { block_id: id, span, now }).await;
    blocked.map_err(|error| match error {
        CommandError::Rejected(Rejection::SlotTaken) => refuse(Rejection::TimeOccupied),
        other => other,
    })?;
    tracing::info!(block_id = %id, "a time was closed");
    Ok(())
}
