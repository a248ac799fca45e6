//! Gives a booking the one payment link that it is paid by: an earlier one while it is usable, else
//! a new one. One caller at a time does it; the intent is recorded first, the reference is unique
//! at the provider, and after an unknown outcome the link is looked up by it. No link is handed out
//! while another one can be paid.

use std::sync::Arc;

use eventstore::new_id;
use kernel::id::Booking;
use kernel::{Id, Timestamp};
use tokio::time::Instant;

use super::end_link::end_link;
use super::lease::{LEASE_POLL, LEASE_WAIT, under_lease};
use super::record_link::record_link;
use super::{App, metadata, provider_failed};
use crate::domain::collection::{self, Command};
use crate::domain::link::Withdrawal;
use crate::error::{Error, Rejection, refuse};
use crate::providers::{LinkReport, LinkRequest, Provider, ProviderError};
use crate::read_model::links::{self, LinkRow};
use crate::read_model::query::{self, CollectionRow};
use crate::repository::LockedCollection;
use crate::repository::leases::Creation;

/// The provider demands that a link ends at least 15 minutes from now, by its own clock.
const LEAST_SECONDS: i64 = 16 * 60;
/// A link that was not created yet and ends sooner than this would be refused.
const CREATABLE_SECONDS: i64 = 15 * 60 + 20;
/// How often a caller begins anew because links changed meanwhile.
const ATTEMPTS: usize = 4;

/// The end of a new link: that of the hold, or the soonest that the provider takes.
#[must_use]
pub fn expires_at(now: Timestamp, held_until: Timestamp) -> Timestamp {
    // The provider knows whole seconds; the hold is not shorter than the link.
    let end = held_until.max(now.plus_seconds(LEAST_SECONDS)).seconds();
    Timestamp::from_seconds(end).unwrap_or(held_until)
}

/// The collection with a usable link, or with the money that has come meanwhile.
///
/// # Errors
/// `ProviderUnavailable`, `MethodChanged`, `TooManyLinks`, `HoldEnded`, or that the database does
/// not answer.
pub async fn ensure_link(
    app: &Arc<App>,
    booking_id: Id<Booking>,
    held_until: Timestamp,
    trace: Option<&str>,
) -> Result<CollectionRow, Error> {
    let deadline = Instant::now() + LEASE_WAIT;
    loop {
        let row = collection(app, booking_id).await?;
        let now = app.store.now().await?;
        if row.standing.has_money() || has_usable_link(&row, now) {
            return Ok(row);
        }
        let trace = trace.map(str::to_owned);
        let make = move |app, _lease| make(app, booking_id, held_until, trace);
        if let Some(row) = under_lease(app, booking_id, Creation::Link, make).await? {
            return Ok(row);
        }
        if Instant::now() >= deadline {
            return Err(refuse(Rejection::ProviderUnavailable));
        }
        app.store.wait_for_commit(LEASE_POLL).await;
    }
}

async fn collection(app: &App, booking_id: Id<Booking>) -> Result<CollectionRow, Error> {
    let row = query::collection(app.store.pool(), booking_id).await?;
    row.ok_or(refuse(Rejection::PaymentNotStarted))
}

fn has_usable_link(row: &CollectionRow, now: Timestamp) -> bool {
    let usable = |it: &LinkRow| it.link.is_usable(now) && it.link.created.is_some();
    row.link.as_ref().is_some_and(usable)
}

async fn make(
    app: Arc<App>,
    booking_id: Id<Booking>,
    held_until: Timestamp,
    trace: Option<String>,
) -> Result<CollectionRow, Error> {
    let trace = trace.as_deref();
    for _attempt in 0..ATTEMPTS {
        let now = app.store.now().await?;
        for row in links::of_booking(app.store.pool(), booking_id).await? {
            if row.link.is_payable() && !row.link.is_usable(now) {
                end_link(&app, &row, trace).await?;
            }
        }
        let row = collection(&app, booking_id).await?;
        if row.standing.has_money() || has_usable_link(&row, now) {
            return Ok(row);
        }
        let terms = (new_id(), expires_at(now, held_until));
        match open(&app, booking_id, terms, trace).await {
            Ok(Some((link, was_open))) => {
                if let Some(row) = create(&app, &row, &link, (was_open, now), trace).await? {
                    return Ok(row);
                }
            }
            // Money came, or another link became payable: the next attempt sees it.
            Ok(None) => {}
            Err(Error::Rejected(Rejection::Misfit(collection::Rejection::LinkOpen))) => {}
            Err(error) => return Err(error),
        }
    }
    Err(refuse(Rejection::ProviderUnavailable))
}

/// Records the intent, unless the booking has ended meanwhile. Returns the link that is to be
/// created, and whether it was to be before.
async fn open(
    app: &App,
    booking_id: Id<Booking>,
    (link_id, expires_at): (Id<kernel::id::PaymentLink>, Timestamp),
    trace: Option<&str>,
) -> Result<Option<(LinkRow, bool)>, Error> {
    let opened = app
        .store
        .write(metadata("payments", booking_id, trace), move |tx| {
            Box::pin(async move {
                let mut locked = LockedCollection::load(tx, booking_id).await?;
                if !query::booking_state(tx.connection(), booking_id).await?.takes_money() {
                    return Err(refuse(Rejection::HoldEnded));
                }
                let now = locked.now;
                let events =
                    locked.apply(tx, Command::OpenLink { link_id, expires_at, now }).await?;
                let known = locked.collection();
                let usable = known.and_then(|known| known.usable_link(now));
                Ok::<_, Error>((usable, events.is_empty()))
            })
        })
        .await?;
    let (Some(link_id), was_open) = opened else { return Ok(None) };
    let row = links::link(app.store.pool(), link_id).await?;
    Ok(row.map(|row| (row, was_open)))
}

/// Creates the link at the provider, or finds it again, and records it. None if it has to be begun
/// anew.
async fn create(
    app: &App,
    row: &CollectionRow,
    link: &LinkRow,
    (was_open, now): (bool, Timestamp),
    trace: Option<&str>,
) -> Result<Option<CollectionRow>, Error> {
    let booking_id = row.booking_id;
    let (reference, amount) = (link.link_id, row.amount);
    let expires_at = link.link.expires_at;
    let wanted = LinkRequest { reference, booking_id, amount, expires_at };
    let is_creatable = expires_at >= now.plus_seconds(CREATABLE_SECONDS);
    let report = match create_or_find(app.provider.as_ref(), wanted, (was_open, is_creatable)).await
    {
        Ok(Some(report)) => report,
        Ok(None) => {
            withdraw(app, booking_id, Withdrawal::Expired, trace).await?;
            return Ok(None);
        }
        Err(error) => {
            app.order_health.record_failure(booking_id, &error);
            return Err(provider_failed(booking_id, &error));
        }
    };
    app.order_health.record_accepted();
    record_link(app, link, report, trace).await?;
    let row = collection(app, booking_id).await?;
    if row.standing.has_money() || has_usable_link(&row, now) {
        return Ok(Some(row));
    }
    // It was withdrawn while it was created: in another tab, or because the hold has ended.
    Err(refuse(Rejection::MethodChanged))
}

/// Creates a link or finds it again; after an earlier attempt it is looked up first. None if there
/// is none and its time is too short to create it.
///
/// # Errors
/// Why there is none yet.
pub async fn create_or_find(
    provider: &dyn Provider,
    wanted: LinkRequest,
    (asked_before, is_creatable): (bool, bool),
) -> Result<Option<LinkReport>, ProviderError> {
    if asked_before && let Some(found) = provider.find_link(wanted).await? {
        return Ok(Some(found));
    }
    if !is_creatable {
        return Ok(None);
    }
    match provider.create_link(wanted).await {
        // It may exist all the same: the answer was lost, or the reference was used by us before.
        Err(error @ (ProviderError::NoAnswer(_) | ProviderError::Refused { .. })) => {
            provider.find_link(wanted).await?.map(Some).ok_or(error)
        }
        done => done.map(Some),
    }
}

/// Withdraws the links of a booking in a transaction of its own.
async fn withdraw(
    app: &App,
    booking_id: Id<Booking>,
    why: Withdrawal,
    trace: Option<&str>,
) -> Result<(), Error> {
    app.store
        .write(metadata("payments", booking_id, trace), move |tx| {
            Box::pin(async move {
                let mut locked = LockedCollection::load(tx, booking_id).await?;
                locked.apply(tx, Command::WithdrawLinks { why }).await?;
                Ok(())
            })
        })
        .await
}

#[cfg(test)]
mod tests {
    use kernel::Timestamp;

    use super::expires_at;

    #[test]
    fn a_link_ends_with_the_hold_but_not_before_the_provider_takes_it() {
        let now = Timestamp::EPOCH.plus_seconds(1_000);
        for (held_for, wanted) in [(0, 960), (600, 960), (960, 960), (961, 961), (86_400, 86_400)] {
            let end = expires_at(now, now.plus_seconds(held_for));
            assert_eq!(end.seconds_since(now), wanted, "{held_for}");
        }
    }
}
