//! Parts that several blocks of the practice's files have.

use std::collections::BTreeSet;

use contract::common::v1::Money;
use kernel::Currency;

use super::section::Section;
use crate::error::Problem;

/// The file of services and packages.
pub(super) const SERVICES: &str = "services.toml";

pub(super) fn once<'i>(
    file: &'static str,
    key: &str,
    ids: impl Iterator<Item = &'i str>,
    problems: &mut Vec<Problem>,
) {
    let mut seen = BTreeSet::new();
    for id in ids.filter(|id| !id.is_empty()) {
        if !seen.insert(id) {
            let reason = format!("has {id} more than once");
            problems.push(Problem::new(file, key, reason));
        }
    }
}

/// Allowed prices, from one rupee to ten lakh; larger amounts are typing errors.
pub(super) fn price(block: &mut Section<'_>) -> Option<Money> {
    block.inner("price", |price| {
        let currency_code = price.text("currency_code", 3);
        if !currency_code.is_empty() && Currency::from_code(&currency_code).is_none() {
            price.problem("currency_code", "must be INR");
        }
        Money { minor_units: price.number("minor_units", 100, 100_000_000), currency_code }
    })
}
