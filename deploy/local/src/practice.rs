//! The practice's own folder: files that a newer version needs are added to it, so that a practice
//! that was set up earlier still starts. And where its revisions are.
use anyhow::{Context, Result};
use machine::output;
use machine::paths::{self, Paths};
use machine::practice::{Places, Renderer, Store};
use std::path::Path;
use std::{fs, io};

/// A folder without this file is not a practice.
const PRACTICE: &str = "practice.toml";

/// Its revisions.
pub(crate) fn store(paths: &Paths) -> Store {
    Store::at(paths.data.join("practice"))
}

/// Where files, revisions and pages are.
pub(crate) fn places(paths: &Paths) -> Places {
    let web = paths.checkout.join("web");
    let built = web.join("dist");
    Places {
        own: paths.practice.clone(),
        store: Some(store(paths)),
        renderer: Renderer::find(&web, &built),
        built,
        // `make` has just built them of it.
        is_built_of_own: true,
    }
}

/// A file that was missing, and the error if it could not be added.
#[derive(Debug)]
struct Missing {
    name: String,
    failure: Option<io::Error>,
}

/// Adds the files of this version that a practice's own folder lacks. A folder that is not writable
/// is left as it is; a process that needs the file reports its absence.
pub(crate) fn complete(paths: &Paths) -> Result<()> {
    for Missing { name, failure } in
        add_missing(&paths.practice, &paths::shipped_practice(&paths.checkout))?
    {
        let folder = paths.practice.display();
        match failure {
            None => {
                output::step(format_args!(
                    "{name} is new: it was put into {folder} for you to change"
                ));
            }
            Some(error) => output::step(format_args!(
                "{name} is new and could not be put into {folder} ({error}): copy it there"
            )),
        }
    }
    Ok(())
}

/// Copies the files that `folder` lacks from ours and returns them. Existing files are not changed.
/// A folder that is not a practice is left alone, and the services report what is wrong.
fn add_missing(folder: &Path, ours: &Path) -> Result<Vec<Missing>> {
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
            let failure = fs::copy(&path, &missing).err();
            added.push(Missing { name: name.to_string_lossy().into_owned(), failure });
        }
    }
    added.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(added)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;
    use std::path::PathBuf;

    /// A folder of our files and one of a practice, both temporary.
    fn folders(test: &str) -> (PathBuf, PathBuf, PathBuf) {
        let root = std::env::temp_dir().join(format!("sukoon-{test}-{}", std::process::id()));
        let (ours, theirs) = (root.join("ours"), root.join("theirs"));
        for folder in [&ours, &theirs] {
            fs::create_dir_all(folder).unwrap();
        }
        for name in ["practice.toml", "guide.toml", "notes.txt"] {
            fs::write(ours.join(name), "ours").unwrap();
        }
        (root, ours, theirs)
    }

    fn added(folder: &Path, ours: &Path) -> Vec<String> {
        let all = add_missing(folder, ours).unwrap();
        all.into_iter().filter(|one| one.failure.is_none()).map(|one| one.name).collect()
    }

    #[test]
    fn only_what_is_missing_is_added() {
        let (root, ours, theirs) = folders("practice");
        assert!(added(&theirs, &ours).is_empty(), "it is no practice");
        fs::write(theirs.join("practice.toml"), "theirs").unwrap();
        assert_eq!(added(&theirs, &ours), ["guide.toml"]);
        assert!(added(&theirs, &ours).is_empty());
        assert_eq!(fs::read_to_string(theirs.join("practice.toml")).unwrap(), "theirs");
        assert_eq!(fs::read_to_string(theirs.join("guide.toml")).unwrap(), "ours");
        assert!(!theirs.join("notes.txt").exists());
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn a_folder_from_before_the_legal_texts_gets_them() {
        let (root, _, theirs) = folders("legal");
        let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let ours = paths::shipped_practice(&checkout);
        for name in ["practice", "services", "quiz", "faqs", "about", "guide"] {
            let file = format!("{name}.toml");
            fs::copy(ours.join(&file), theirs.join(&file)).unwrap();
        }
        let texts = ["consent.toml", "privacy.toml", "refunds.toml", "terms.toml"];
        assert_eq!(added(&theirs, &ours), texts);
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn a_file_that_cannot_be_added_is_reported_and_skipped() {
        let (root, ours, theirs) = folders("closed");
        fs::write(theirs.join("practice.toml"), "theirs").unwrap();
        fs::write(ours.join("terms.toml"), "ours").unwrap();
        // A link to a missing folder is not writable, even for root.
        symlink(root.join("nowhere/guide.toml"), theirs.join("guide.toml")).unwrap();
        let all = add_missing(&theirs, &ours).unwrap();
        let told: Vec<_> = all.iter().map(|it| (it.name.as_str(), it.failure.is_some())).collect();
        assert_eq!(told, [("guide.toml", true), ("terms.toml", false)]);
        fs::remove_dir_all(root).unwrap();
    }
}
