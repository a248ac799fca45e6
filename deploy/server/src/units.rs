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

/// What brings the databases up to date before services start.
pub(crate) const MIGRATE: &str = "sukoon-migrate.service";

/// How a unit stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Standing {
    /// Its name.
    pub(crate) unit: String,
    /// systemd's word for it, for example `active`.
    pub(crate) state: String,
    /// How often systemd has started it again since a command started it.
    pub(crate) restarts: u32,
}

/// How the parts stand, and the migrations.
pub(crate) fn standings() -> Vec<Standing> {
    let mut words = vec!["show", "--property=Id,ActiveState,NRestarts", MIGRATE];
    words.extend(PARTS);
    systemctl(&words).map(|told| read_standings(&told)).unwrap_or_default()
}

fn read_standings(told: &str) -> Vec<Standing> {
    let unit = |block: &str| {
        let value = |name: &str| {
            let line = block.lines().find_map(|line| line.strip_prefix(name));
            line.map(str::to_owned)
        };
        let restarts = value("NRestarts=").and_then(|it| it.parse().ok()).unwrap_or_default();
        Some(Standing { unit: value("Id=")?, state: value("ActiveState=")?, restarts })
    };
    told.split("\n\n").filter_map(unit).collect()
}

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
    PARTS.into_iter().chain([MIGRATE]).find(|unit| short(unit) == part)
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
    fn standings_are_read_as_systemctl_shows_them() {
        let told = "NRestarts=3\nId=sukoon@booking.service\nActiveState=activating\n\n\
                    Id=sukoon-migrate.service\nActiveState=active\n";
        let one = |unit: &str, state: &str, restarts| Standing {
            unit: unit.to_owned(),
            state: state.to_owned(),
            restarts,
        };
        assert_eq!(
            read_standings(told),
            [
                one("sukoon@booking.service", "activating", 3),
                one("sukoon-migrate.service", "active", 0)
            ]
        );
    }

    #[test]
    fn a_part_is_found_by_its_short_name() {
        assert_eq!(unit_of("booking"), Some("sukoon@booking.service"));
        assert_eq!(unit_of("postgres"), Some(POSTGRES));
        assert_eq!(unit_of("migrate"), Some(MIGRATE));
        assert_eq!(unit_of("sandbox"), None);
    }
}
