//! Practice folders with other hours: all else is as in the folder that Sukoon comes with.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};

/// Values for keys, wherever they stand at the beginning of a line.
pub type Changes<'c> = &'c [(&'c str, &'c str)];

/// The folder that Sukoon comes with.
#[must_use]
pub fn usual() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/local/practice")
}

/// Writes the folder of a practice such as `usual` again, with other rules in `practice.toml` and
/// `services.toml`.
///
/// # Errors
/// When it cannot be written, or the folder that it is made from is not as expected.
pub fn write(
    (usual, folder): (&Path, &Path),
    rules: Changes<'_>,
    services: Changes<'_>,
) -> Result<()> {
    copy(usual, folder)?;
    for (file, changes) in [("practice.toml", rules), ("services.toml", services)] {
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
fn changed(text: &str, changes: Changes<'_>) -> Result<String> {
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
}
