//! The practice's own folder: what a newer version reads and an older one did not is put there, so
//! that a practice that was set up before starts as it did.
use crate::place::{self, Place};
use crate::say;
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;

/// The file without which a folder is no practice.
const PRACTICE: &str = "practice.toml";

/// A practice in a folder of its own gets the files that came with this version.
pub(crate) fn complete(place: &Place) -> Result<()> {
    for name in add_missing(&place.practice, &place::our_practice(&place.checkout))? {
        let folder = place.practice.display();
        say::step(format_args!("{name} is new: it was put into {folder} for you to change"));
    }
    Ok(())
}

/// Copies the files that `folder` lacks from ours, and returns their names. What is there stays as
/// it is. A folder that is no practice is left alone: whoever reads it says what is wrong.
fn add_missing(folder: &Path, ours: &Path) -> Result<Vec<String>> {
    if !folder.join(PRACTICE).is_file() {
        return Ok(Vec::new());
    }
    let mut added = Vec::new();
    let shown = ours.display();
    for entry in fs::read_dir(ours).with_context(|| format!("{shown} cannot be read"))? {
        let path = entry.with_context(|| format!("{shown} cannot be read"))?.path();
        let Some(name) = path.file_name().filter(|_| path.extension() == Some("toml".as_ref()))
        else {
            continue;
        };
        let missing = folder.join(name);
        if !missing.exists() {
            fs::copy(&path, &missing)
                .with_context(|| format!("{} cannot be written", missing.display()))?;
            added.push(name.to_string_lossy().into_owned());
        }
    }
    added.sort();
    Ok(added)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_missing_is_added() {
        let root = std::env::temp_dir().join(format!("sukoon-practice-{}", std::process::id()));
        let (ours, theirs) = (root.join("ours"), root.join("theirs"));
        for folder in [&ours, &theirs] {
            fs::create_dir_all(folder).unwrap();
        }
        for name in ["practice.toml", "guide.toml", "notes.txt"] {
            fs::write(ours.join(name), "ours").unwrap();
        }
        assert!(add_missing(&theirs, &ours).unwrap().is_empty(), "it is no practice");
        fs::write(theirs.join("practice.toml"), "theirs").unwrap();
        assert_eq!(add_missing(&theirs, &ours).unwrap(), ["guide.toml"]);
        assert!(add_missing(&theirs, &ours).unwrap().is_empty());
        assert_eq!(fs::read_to_string(theirs.join("practice.toml")).unwrap(), "theirs");
        assert_eq!(fs::read_to_string(theirs.join("guide.toml")).unwrap(), "ours");
        assert!(!theirs.join("notes.txt").exists());
        fs::remove_dir_all(root).unwrap();
    }
}
