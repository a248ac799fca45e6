//! Packages: several sessions that are sold together, on different dates.

use contract::catalogue::v1::{Package, Service};
use contract::common::v1::{CancellationPolicy, Money};
use practice::Policies;

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
        cancellation_policy: None,
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

/// Whether the package costs more than as many sessions of the service that are booked singly.
fn is_dearer(package: &Package, service: &Service) -> bool {
    let minor_units = |price: Option<&Money>| price.map_or(0, |it| it.minor_units);
    let one = minor_units(service.price.as_ref());
    let singly = one.saturating_mul(i64::from(package.sessions));
    // A price that could not be read is reported by itself.
    one > 0 && minor_units(package.price.as_ref()) > singly
}

/// Names the services of each package, in their order: where it names none, all for which it is not
/// dearer than its sessions one by one. Sets the notice that a package does not say to the
/// practice's, and what goes back of each session. Checks that the services exist, and that none of
/// those named is cheaper singly.
pub(super) fn complete(
    packages: &mut [Package],
    services: &[Service],
    policies: Option<&Policies>,
    problems: &mut Vec<Problem>,
) {
    for package in packages {
        if package.notice_hours == UNSAID {
            package.notice_hours = policies.map_or(0, |policies| policies.cancellation_hours);
        }
        let policy = policies.map(|it| it.cancellation_policy(Some(package.notice_hours)));
        package.cancellation_policy = policy.as_ref().map(CancellationPolicy::from);
        let key = format!("packages.{}.services", package.package_id);
        let named = std::mem::take(&mut package.service_ids);
        once(SERVICES, &key, named.iter().map(String::as_str), problems);
        let is_known = |id: &String| services.iter().any(|service| service.service_id == *id);
        // Without any service the file could not be read; that is reported once.
        for id in named.iter().filter(|id| !services.is_empty() && !is_known(id)) {
            let reason = format!("names {id}, which {SERVICES} does not offer");
            let known = services.iter().map(|service| service.service_id.as_str());
            problems.push(Problem::new(SERVICES, &*key, reason).among(id, known));
        }
        let is_dearer = |service: &&Service| is_dearer(package, service);
        for service in services.iter().filter(is_dearer).filter(|it| named.contains(&it.service_id))
        {
            let id = &service.service_id;
            let reason = format!("names {id}, of which so many sessions cost less one by one");
            problems.push(Problem::new(SERVICES, &*key, reason));
        }
        let offered = services.iter().filter(|it| !is_dearer(it)).map(|it| &it.service_id);
        let ids: Vec<String> =
            offered.filter(|id| named.is_empty() || named.contains(id)).cloned().collect();
        // What is wrong with named services was said above.
        if ids.is_empty() && named.is_empty() && !services.is_empty() {
            let key = format!("packages.{}.price", package.package_id);
            let reason = "is more than so many sessions of each service cost one by one".to_owned();
            problems.push(Problem::new(SERVICES, key, reason));
        }
        package.service_ids = ids;
    }
}
