//! The practitioners to ask for a session: the one that a request names, or the candidates for
//! anyone.

use std::sync::Arc;

use kernel::Timestamp;

use super::App;
use crate::clients::catalogue::Offering;
use crate::domain::practitioners::{DayLoad, Practitioner, order_for_anyone};
use crate::error::{Error, Rejection, refuse};
use crate::read_model::query;

/// The practitioners of a request: the one that it names, or all that give the service; at least
/// one.
///
/// # Errors
/// `PractitionerNotFound`, or `PractitionerNotOffered` when the service is given by others.
pub(super) fn eligible_practitioners(
    app: &App,
    offering: &Offering,
    wanted: Option<&str>,
) -> Result<Vec<Arc<Practitioner>>, Error> {
    let mut all = app.practitioners.of_service(&offering.practitioner_ids);
    if let Some(wanted) = wanted {
        app.practitioners.get(wanted).ok_or(refuse(Rejection::PractitionerNotFound))?;
        all.retain(|one| one.id == wanted);
    }
    if all.is_empty() { Err(refuse(Rejection::PractitionerNotOffered)) } else { Ok(all) }
}

/// The practitioners to ask for these starts, in order, each for all of them. The days are read
/// without locks: a time that is taken meanwhile is refused by its day, and then the next one is
/// asked.
///
/// # Errors
/// As [`eligible_practitioners`], or when the database does not answer.
pub(super) async fn candidates(
    app: &App,
    offering: &Offering,
    wanted: Option<&str>,
    starts: &[Timestamp],
) -> Result<Vec<Arc<Practitioner>>, Error> {
    let eligible = eligible_practitioners(app, offering, wanted)?;
    if eligible.len() == 1 {
        return Ok(eligible);
    }
    let now = app.store.now().await?;
    let dates: Vec<_> = starts.iter().map(|start| app.rules.date_of(*start)).collect();
    let (Some(first), Some(last)) = (dates.first(), dates.last()) else { return Ok(eligible) };
    let bounds = (app.rules.bounds(*first).0, app.rules.bounds(*last).1);
    let mut days = Vec::with_capacity(eligible.len());
    for practitioner in eligible {
        let mut occupied = query::occupied(app.store.pool(), &practitioner.id, bounds, now).await?;
        occupied.retain(|time| dates.contains(&app.rules.date_of(time.span.starts_at())));
        days.push(DayLoad { practitioner, occupied });
    }
    Ok(order_for_anyone(days, (starts, offering.duration_minutes), now))
}
