//! A practice folder whose times do not run out: a start every five minutes, day and night, for a
//! year. All else is as in the folder that Sukoon comes with.

use std::fs;
use std::path::Path;

use anyhow::{Result, ensure};

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
    let usual = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/local/practice");
    copy(&usual, folder)?;
    for (file, changes) in [("practice.toml", &RULES[..]), ("services.toml", &SERVICES[..])] {
        let text = fs::read_to_string(usual.join(file))?;
        fs::write(folder.join(file), changed(&text, changes)?)?;
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &to)?;
        } else {
            fs::copy(entry.path(), to)?;
        }
    }
    Ok(())
}

/// The text with other values for these keys, wherever they stand at the beginning of a line.
fn changed(text: &str, changes: &[(&str, &str)]) -> Result<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for (key, value) in changes {
        let begin = format!("{key} = ");
        let mut found = lines.iter_mut().filter(|line| line.starts_with(&begin)).peekable();
        ensure!(found.peek().is_some(), "there is no {key} to change");
        found.for_each(|line| *line = format!("{begin}{value}"));
    }
    Ok(lines.join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_with_the_key_is_changed_and_nothing_else() {
        let text = "# step_minutes = 1\nstep_minutes = 60\nother = 2\nstep_minutes = 30\n";
        let now = changed(text, &[("step_minutes", "5")]).unwrap();
        assert_eq!(now, "# step_minutes = 1\nstep_minutes = 5\nother = 2\nstep_minutes = 5\n");
    }

    #[test]
    fn a_missing_key_is_reported() {
        assert!(changed("a = 1\n", &[("b", "2")]).is_err());
    }

    #[test]
    fn the_practice_s_files_have_every_key() {
        let folder = std::env::temp_dir().join(format!("sukoon-dense-{}", std::process::id()));
        write(&folder).unwrap();
        let rules = fs::read_to_string(folder.join("practice.toml")).unwrap();
        assert!(rules.contains("\nstep_minutes = 5\n"));
        fs::remove_dir_all(folder).unwrap();
    }
}
