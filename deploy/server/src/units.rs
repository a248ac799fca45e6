//! The units of the package, as systemd knows them.
use anyhow::{Context, Result};
use machine::process::output_of;
use std::process::Command;

/// Everything together.
pub(crate) const TARGET: &str = "sukoon.target";
/// The cluster.
pub(crate) const POSTGRES: &str = "sukoon-postgres.service";
/// What has to run for the practice to be open, in the order in which a request meets them.
pub(crate) const PARTS: [&str; 10] = [
    "sukoon-caddy.service",
    "sukoon@gateway.service",
    "sukoon@catalogue.service",
    "sukoon@identity.service",
    "sukoon@booking.service",
    "sukoon@payments.service",
    "sukoon@notifications.service",
    "sukoon@reviews.service",
    "sukoon-nats.service",
    POSTGRES,
];

/// Calls systemctl.
pub(crate) fn systemctl(words: &[&str]) -> Result<String> {
    output_of(Command::new("systemctl").args(words))
        .with_context(|| format!("`systemctl {}` failed", words.join(" ")))
}

/// The state of a unit in systemd's word, for example `active`.
pub(crate) fn state(unit: &str) -> String {
    // A unit that is not active makes the command fail, and its word is the answer all the same.
    let asked = Command::new("systemctl").args(["is-active", unit]).output();
    let word = asked.map(|answer| String::from_utf8_lossy(&answer.stdout).trim().to_owned());
    word.ok().filter(|word| !word.is_empty()).unwrap_or_else(|| "unknown".to_owned())
}

/// How often systemd has started a unit again since a command started it.
pub(crate) fn restarts(unit: &str) -> u32 {
    let told = systemctl(&["show", "--property=NRestarts", "--value", unit]);
    told.ok().and_then(|told| told.trim().parse().ok()).unwrap_or_default()
}

/// The last lines that a unit has written.
pub(crate) fn last_lines(unit: &str, count: u8) -> String {
    let mut journal = Command::new("journalctl");
    journal.args(["--no-pager", "--output=cat", "--unit", unit, "--lines", &count.to_string()]);
    output_of(&mut journal).unwrap_or_default().trim_end().to_owned()
}

/// The unit of a part by the name that an operator uses.
pub(crate) fn unit_of(part: &str) -> Option<&'static str> {
    PARTS.into_iter().find(|unit| short(unit) == part)
}

/// A unit's short name.
pub(crate) fn short(unit: &str) -> &str {
    let name = unit.trim_end_matches(".service");
    name.trim_start_matches("sukoon@").trim_start_matches("sukoon-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_found_by_its_short_name() {
        assert_eq!(unit_of("booking"), Some("sukoon@booking.service"));
        assert_eq!(unit_of("postgres"), Some(POSTGRES));
        assert_eq!(unit_of("sandbox"), None);
    }
}
