//! Which package a request books.

use super::App;
use super::request::BookingRequest;
use crate::clients::catalogue::Offering;
use crate::domain::package::{PackageTerms, WrongDates};
use crate::error::{Error, Rejection, refuse};

/// The package that a request names, whose terms its dates keep; `None` for a single session.
///
/// # Errors
/// A rejection when the service is not offered in the package, or a term is not kept.
pub(super) fn wanted_package(
    app: &App,
    details: &BookingRequest,
    offering: &Offering,
) -> Result<Option<PackageTerms>, Error> {
    let Some(wanted) = &details.package_id else { return Ok(None) };
    let offered = offering.packages.iter().find(|terms| terms.package.id == *wanted);
    let terms = offered.ok_or(refuse(Rejection::PackageNotOffered))?;
    let dates: Vec<_> = details.starts.iter().map(|start| app.rules.date_of(*start)).collect();
    terms.check(&dates).map_err(|wrong| {
        refuse(match wrong {
            WrongDates::Count => Rejection::WrongSessionCount(terms.sessions),
            WrongDates::Same => Rejection::SameDate,
            WrongDates::TooFarApart => Rejection::DatesTooFarApart(terms.within_days),
        })
    })?;
    Ok(Some(terms.clone()))
}
