//! A new revision takes the place of the former at once, one that cannot be read changes nothing
//! and says why, and a call is answered by one revision.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Refused, Revised};
use crate::shutdown::Shutdown;

const MARK: &str = "words";

struct Place {
    root: PathBuf,
}

impl Place {
    fn new(name: &str) -> Self {
        let root = std::env::temp_dir().join(format!("revised-{}-{name}", std::process::id()));
        fs::remove_dir_all(&root).ok();
        fs::create_dir_all(&root).unwrap();
        Self { root }
    }

    fn link(&self) -> PathBuf {
        self.root.join("current")
    }

    /// Makes a revision and leads the link there, in one step.
    fn lead_to(&self, name: &str, words: &str) {
        let folder = self.root.join(name);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(MARK), words).unwrap();
        let new = self.root.join("new");
        symlink(&folder, &new).unwrap();
        fs::rename(new, self.link()).unwrap();
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.root).ok();
    }
}

fn read(folder: &Path) -> Result<Arc<String>, std::io::Error> {
    let words = fs::read_to_string(folder.join(MARK))?;
    let is_broken = words.contains("broken");
    if is_broken { Err(std::io::Error::other("the words are broken")) } else { Ok(Arc::new(words)) }
}

/// Waits on a paused clock, which jumps to the next look.
async fn until(is_so: impl Fn() -> bool) {
    while !is_so() {
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_revision_is_exchanged_whole_and_a_broken_one_is_refused() {
    let place = Place::new("exchange");
    place.lead_to("1", "one");
    let revised = Revised::open(&place.link(), MARK, read).unwrap();
    assert_eq!((revised.get().as_str(), revised.revision()), ("one", "1".to_owned()));
    let (shutdown, following) = (Shutdown::new(), revised.clone());
    let stop = shutdown.clone();
    let made = |folder: PathBuf, former: Arc<String>| async move {
        assert_eq!(former.as_str(), "one");
        read(&folder)
    };
    let following = tokio::spawn(following.follow(stop, made));

    place.lead_to("2", "broken");
    until(|| revised.check().is_err()).await;
    let refused = Refused { revision: "2".to_owned(), reason: "the words are broken".to_owned() };
    assert_eq!(revised.check(), Err(refused));
    assert_eq!((revised.get().as_str(), revised.revision()), ("one", "1".to_owned()));

    let kept = revised.get();
    place.lead_to("3", "three");
    until(|| revised.check().is_ok()).await;
    assert_eq!((revised.get().as_str(), revised.revision()), ("three", "3".to_owned()));
    assert_eq!(kept.as_str(), "one", "what a decision has taken stays");

    shutdown.trigger();
    following.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_edit_inside_of_a_folder_is_no_revision() {
    let place = Place::new("edit");
    place.lead_to("1", "one");
    let revised = Revised::open(&place.root.join("1"), MARK, read).unwrap();
    let shutdown = Shutdown::new();
    let made = |folder: PathBuf, _former| async move { read(&folder) };
    let following = tokio::spawn(revised.clone().follow(shutdown.clone(), made));
    fs::write(place.root.join("1").join(MARK), "half an edit").unwrap();
    let begun = tokio::time::Instant::now();
    until(|| begun.elapsed() > super::PERIOD * 5).await;
    assert_eq!(revised.get().as_str(), "one");
    shutdown.trigger();
    following.await.unwrap().unwrap();
}
