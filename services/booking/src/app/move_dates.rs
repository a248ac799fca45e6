//! Which dates a session of a package can be moved to.

use kernel::Id;
use kernel::id::Booking;

use super::App;
use crate::domain::booking::Facts;
use crate::domain::package::{PackageTerms, WrongDates};
use crate::domain::span::Span;
use crate::error::{Error, Rejection, refuse};
use crate::read_model::view;

/// A package's sessions are on different dates, and no further apart than it allows. `terms` are
/// those of a package that is still offered.
pub(super) fn check_dates(
    app: &App,
    facts: &Facts,
    number: usize,
    to: Span,
    terms: Option<&PackageTerms>,
) -> Result<(), Error> {
    let sessions = facts.numbers().zip(&facts.sessions);
    let dates: Vec<_> = sessions
        .map(|(other, span)| if other == number { to } else { *span })
        .map(|span| app.rules.date_of(span.starts_at()))
        .collect();
    if dates.windows(2).any(|pair| pair.first() >= pair.last()) {
        return Err(refuse(Rejection::OutOfOrder));
    }
    match terms.map(|terms| (terms.check(&dates), terms.within_days)) {
        Some((Err(WrongDates::TooFarApart), days)) => {
            Err(refuse(Rejection::DatesTooFarApart(days)))
        }
        // A package that has another number of sessions by now says nothing of this one.
        Some((Ok(()) | Err(WrongDates::Count | WrongDates::Same), _)) | None => Ok(()),
    }
}

/// The terms of a booking's package, if it is still offered.
pub(super) async fn package_terms(
    app: &App,
    id: Id<Booking>,
) -> Result<Option<PackageTerms>, Error> {
    let view = view::load(app.store.pool(), &app.practice, id).await?;
    let booking = view.ok_or(refuse(Rejection::BookingNotFound))?.booking;
    let Some(package) = booking.package else { return Ok(None) };
    let offering = app.catalogue.offering(&booking.service_id).await;
    let packages = match offering {
        Ok(offering) => offering.packages,
        Err(Error::Rejected(Rejection::ServiceNotFound)) => Vec::new(),
        Err(error) => return Err(error),
    };
    Ok(packages.into_iter().find(|terms| terms.package.id == package.package_id))
}
