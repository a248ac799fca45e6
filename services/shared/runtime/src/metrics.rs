//! What this process counts and measures: instruments with fixed names and labels, and an endpoint
//! at which Prometheus reads them, if a setting opens one.
//!
//! Without the endpoint nothing is recorded and nothing is asked of a database. Labels come from
//! one closed list; none has a place for a name, an address or an id of a person.

pub mod catalogue;
pub mod endpoint;
mod instrument;
mod label;
mod meter;
mod readings;
mod requests;

pub use instrument::{Counter, Definition, DurationHistogram, Gauge};
pub use label::Label;
pub use readings::{CHEAP, COSTLY, Reading, add_source};
pub use requests::record_http_request;

/// Whether the metrics of this process can be read. Without readers, expensive values are not
/// prepared.
#[must_use]
pub fn is_on() -> bool {
    meter::meter().is_some()
}

#[cfg(test)]
mod tests;
