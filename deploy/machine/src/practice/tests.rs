//! Revisions are numbered copies, the link leads to one of them with its pages, and a folder is
//! compared key by key.
use super::diff::changes;
use super::store::{Origin, Store};
use super::{Places, begin, folder_and_note};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

struct Trial {
    root: PathBuf,
}

impl Trial {
    fn new(name: &str) -> Self {
        let root = std::env::temp_dir().join(format!("sukoon-{name}-{}", std::process::id()));
        fs::remove_dir_all(&root).ok();
        fs::create_dir_all(root.join("own/media")).unwrap();
        fs::create_dir_all(root.join("built/assets")).unwrap();
        let trial = Self { root };
        trial.write("practice.toml", "name = \"Shanti\"\n");
        trial.write("media/clip.mp4", "a long film");
        trial
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.root.join("own").join(name), text).unwrap();
    }

    fn store(&self) -> Store {
        Store::at(self.root.join("store"))
    }

    /// Publishes the folder as `apply` does, without a check.
    fn publish(&self, origin: Origin) -> String {
        let store = self.store();
        store.create().unwrap();
        let draft = store.draft(&self.root.join("own")).unwrap();
        let revision = store.number(&draft, origin, "a note").unwrap();
        store.keep(&draft, &revision).unwrap();
        store.lead_to(&revision, &self.root.join("built")).unwrap();
        revision.name()
    }
}

impl Drop for Trial {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.root).ok();
    }
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

#[test]
fn a_revision_is_a_copy_that_a_later_one_shares_what_is_the_same_with() {
    let trial = Trial::new("revisions");
    let store = trial.store();
    assert!(!store.is_begun());
    let first = trial.publish(Origin::Folder);
    assert!(first.starts_with("1-") && store.is_begun());
    assert_eq!(read(&store.files().join("practice.toml")), "name = \"Shanti\"\n");
    let clip = fs::metadata(store.files().join("media/clip.mp4")).unwrap().ino();
    let former = fs::canonicalize(store.files()).unwrap();

    trial.write("practice.toml", "name = \"Anand\"\n");
    trial.write(".hidden", "no part of it");
    assert_eq!(read(&store.files().join("practice.toml")), "name = \"Shanti\"\n");
    let second = trial.publish(Origin::Other);
    assert!(second.starts_with("2-"));
    assert_eq!(read(&store.files().join("practice.toml")), "name = \"Anand\"\n");
    assert_eq!(fs::metadata(store.files().join("media/clip.mp4")).unwrap().ino(), clip);
    assert!(!store.files().join(".hidden").exists());
    assert_eq!(read(&former.join("practice.toml")), "name = \"Shanti\"\n", "it never changes");
    let present = store.present().unwrap().unwrap();
    assert_eq!((present.number, present.parent), (2, Some(1)));
    assert_eq!(store.last_of_folder().unwrap().unwrap().number, 1);
    let listed: Vec<String> = store.revisions().unwrap().iter().map(ToString::to_string).collect();
    assert!(listed[0].starts_with(&format!("* {second}")), "{listed:?}");
    assert!(listed[1].starts_with(&format!("  {first}")), "{listed:?}");
    assert!(listed[0].ends_with("another folder: a note"), "{listed:?}");
}

#[test]
fn a_draft_that_becomes_no_revision_leaves_nothing() {
    let trial = Trial::new("draft");
    trial.publish(Origin::Folder);
    let store = trial.store();
    let draft = store.draft(&trial.root.join("own")).unwrap();
    let folder = draft.folder().to_owned();
    assert!(folder.is_dir());
    drop(draft);
    assert!(!folder.exists());
    assert_eq!(store.revisions().unwrap().len(), 1);
}

#[test]
fn a_start_publishes_nothing_anew_that_the_folder_had_and_was_undone() {
    let trial = Trial::new("begin");
    let first = trial.publish(Origin::Folder);
    trial.write("practice.toml", "name = \"Anand\"\n");
    trial.publish(Origin::Folder);
    let store = trial.store();
    let draft = store.draft(&store.folder_of(&store.revision(1).unwrap())).unwrap();
    let undone = store.number(&draft, Origin::Undo, &first).unwrap();
    store.keep(&draft, &undone).unwrap();
    store.lead_to(&undone, &trial.root.join("built")).unwrap();
    let places = Places {
        own: trial.root.join("own"),
        store: Some(store.clone()),
        built: trial.root.join("built"),
        is_built_of_own: true,
        renderer: None,
    };
    begin(&places).unwrap();
    assert_eq!(store.present().unwrap().unwrap().number, 3);
    assert_eq!(read(&store.files().join("practice.toml")), "name = \"Shanti\"\n");
}

#[test]
fn services_that_were_ever_offered_are_known() {
    let trial = Trial::new("gone");
    trial.write("services.toml", "[[services]]\nservice_id = \"reiki\"\n");
    trial.publish(Origin::Folder);
    trial.write("services.toml", "[[services]]\nservice_id = \"yoga\"\n");
    trial.publish(Origin::Folder);
    let known = trial.store().services_of_earlier_revisions().unwrap();
    assert_eq!(known.into_iter().collect::<Vec<_>>(), ["reiki", "yoga"]);
}

#[test]
fn what_differs_is_told_key_by_key() {
    let (old, new) = (Trial::new("old"), Trial::new("new"));
    let service = |price: u32, words: &str| {
        format!(
            "[[services]]\nservice_id = \"reiki\"\nprice = {{ minor_units = {price} }}\n\
             text = \"\"\"\n{words}\"\"\"\n"
        )
    };
    old.write("services.toml", &service(75_000, "First.\nOld words.\n"));
    new.write("services.toml", &service(65_000, "First.\nNew words.\n"));
    new.write("terms.toml", "changed = \"2026-11-30\"\n");
    new.write("practice.toml", "");
    let told = changes(&old.root.join("own"), &new.root.join("own")).unwrap();
    assert_eq!(
        told,
        [
            "practice.toml: name: Shanti goes",
            "services.toml: services.reiki.price.minor_units: 75000 becomes 65000",
            "services.toml: services.reiki.text:\n  - Old words.\n  + New words.",
            "terms.toml: changed: 2026-11-30 is new",
        ]
    );
    assert_eq!(changes(&old.root.join("own"), &old.root.join("own")).unwrap(), [""; 0]);
}

#[test]
fn a_folder_and_a_note_are_told_apart() {
    assert_eq!(folder_and_note(&[]), Some((None, "")));
    assert_eq!(folder_and_note(&["own"]), Some((Some("own"), "")));
    assert_eq!(folder_and_note(&["own", "--note", "autumn"]), Some((Some("own"), "autumn")));
    assert_eq!(folder_and_note(&["--note", "autumn"]), Some((None, "autumn")));
    assert_eq!(folder_and_note(&["--notes", "autumn"]), None);
    assert_eq!(folder_and_note(&["--note"]), None);
}
