//! Readings of gauges as tests compare them.

use std::collections::BTreeMap;

use runtime::metrics::Reading;

/// Values by the gauge's name and the values of its labels, with a blank between them.
#[must_use]
pub fn figures(readings: &[Reading]) -> BTreeMap<String, i64> {
    let named = |reading: &Reading| {
        let (name, labels, value) = reading.told();
        let words: Vec<String> = std::iter::once(name.to_owned()).chain(labels).collect();
        (words.join(" "), value)
    };
    readings.iter().map(named).collect()
}
