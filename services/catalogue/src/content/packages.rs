//! Packages: several sessions that are sold together, on different dates.

use contract::catalogue::v1::{Package, Service};

use super::blocks::{SERVICES, once, price};
use super::section::Section;
use crate::error::Problem;

/// The most days from the first to the last date, where the file does not say it.
const WITHIN_DAYS_USUAL: i32 = 90;
/// Stands for a notice that the file does not say, until it is replaced by the practice's.
const UNSAID: i32 = -1;
/// The least that a provider refunds, in paise: each session has at least this share of the price.
const SHARE_MINOR_MIN: i64 = 100;

pub(super) fn package(block: &mut Section<'_>) -> Package {
    let package = Package {
        package_id: block.id("package_id"),
        title: block.text("title", 80),
        description: block.text("description", 300),
        sessions: block.small_number("sessions", 2, 20),
        price: price(block),
        service_ids: block.optional_texts("services"),
        within_days: block.optional_number("within_days", (1, 366), WITHIN_DAYS_USUAL),
        notice_hours: block.optional_number("notice_hours", (0, 720), UNSAID),
    };
    if package.within_days < package.sessions - 1 {
        let least = package.sessions - 1;
        let reason = format!("must be at least {least}, because each session has its own date");
        block.problem("within_days", reason);
    }
    let minor_units = package.price.as_ref().map(|price| price.minor_units);
    let least = SHARE_MINOR_MIN.saturating_mul(i64::from(package.sessions));
    if minor_units.is_some_and(|minor_units| minor_units < least) {
        let reason = format!("must have minor_units of at least {least}: ₹1 for each session");
        block.problem("price", reason);
    }
    package
}

/// Names the services of each package, in their order: all where it names none. Sets the notice
/// that a package does not say to the practice's. Checks that the services exist.
pub(super) fn complete(
    packages: &mut [Package],
    services: &[Service],
    notice_hours: i32,
    problems: &mut Vec<Problem>,
) {
    for package in packages {
        if package.notice_hours == UNSAID {
            package.notice_hours = notice_hours;
        }
        let key = format!("packages.{}.services", package.package_id);
        let named = std::mem::take(&mut package.service_ids);
        once(SERVICES, &key, named.iter().map(String::as_str), problems);
        let is_known = |id: &String| services.iter().any(|service| service.service_id == *id);
        // Without any service the file could not be read; that is reported once.
        for id in named.iter().filter(|id| !services.is_empty() && !is_known(id)) {
            let reason = format!("names {id}, which {SERVICES} does not offer");
            problems.push(Problem { file: SERVICES, key: key.clone(), reason });
        }
        let ids = services.iter().map(|service| &service.service_id);
        package.service_ids =
            ids.filter(|id| named.is_empty() || named.contains(id)).cloned().collect();
    }
}
