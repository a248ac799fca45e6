//! A practice folder whose times do not run out: a start every five minutes, day and night, for a
//! year. All else is as in the folder that Sukoon comes with.

use std::path::Path;

use anyhow::Result;

/// Minutes between two starts, and of each session.
pub(crate) const STEP_MINUTES: u32 = 5;
/// Days ahead that can be booked; the settings allow no more.
pub(crate) const HORIZON_DAYS: u32 = 365;
/// The service that is booked.
pub(crate) const SERVICE: &str = "meditation";

/// What differs in `practice.toml`. Holds are long, so that none ends while it is measured.
const RULES: [(&str, &str); 7] = [
    ("hold_minutes", "120"),
    ("hold_extended_minutes", "240"),
    ("first_start", "\"00:00\""),
    ("last_start", "\"23:55\""),
    ("step_minutes", "5"),
    ("notice_minutes", "120"),
    ("horizon_days", "365"),
];
/// What differs in `services.toml`.
const SERVICES: [(&str, &str); 1] = [("duration_minutes", "5")];

/// Writes the folder.
///
/// # Errors
/// When it cannot be written, or the folder that it is made from is not as expected.
pub(crate) fn write(folder: &Path) -> Result<()> {
    system::timetable::write((&system::timetable::usual(), folder), &RULES, &SERVICES)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_practice_s_files_have_every_key() {
        let folder = std::env::temp_dir().join(format!("sukoon-dense-{}", std::process::id()));
        write(&folder).unwrap();
        let rules = fs::read_to_string(folder.join("practice.toml")).unwrap();
        assert!(rules.contains("\nstep_minutes = 5\n"));
        fs::remove_dir_all(folder).unwrap();
    }
}
