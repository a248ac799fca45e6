//! All calls, with what `proto/` declares of each. The build makes the table, and fails where a
//! call does not say who may make it.

pub use crate::common::v1::{Access, Cache, Limit, Origin, SecondFactor};

/// A call. `common.v1.CallOptions` of `proto/` describes its options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// "/package.Service/Method".
    pub path: &'static str,
    /// Who may make it.
    pub access: Access,
    /// Its own limit per network address.
    pub limit: Limit,
    /// How the gateway keeps its response.
    pub cache: Cache,
    /// Whether it is a read all the same, though none by GET.
    pub read_by_secret: bool,
    /// Whether it concerns no time of the calendar.
    pub keeps_slots: bool,
    /// What the service learns of where a request comes from.
    pub origin: Origin,
    /// How lately staff must have shown their second factor.
    pub second_factor: SecondFactor,
}

impl Call {
    /// Its service, "package.Service", and its own name.
    #[must_use]
    pub fn names(&self) -> (&'static str, &'static str) {
        self.path.trim_start_matches('/').split_once('/').unwrap_or_default()
    }
}

/// All of them.
pub const CALLS: &[Call] = include!(concat!(env!("OUT_DIR"), "/calls.rs"));
