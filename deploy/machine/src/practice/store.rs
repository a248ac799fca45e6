//! Revisions: copies of the practice's files, each with a number and a hash, none of which is ever
//! changed. A link leads to the one in use, with its pages; it is exchanged in one step, so a
//! process reads one revision or the next and never a mixture.
use crate::clock;
use anyhow::{Context, Result};
use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

/// What a revision is, beside its files; hidden files are no part of one.
const RECORD: &str = ".revision.json";
/// How many digits of the hash a revision's name has.
const NAME_DIGITS: usize = 8;
/// The link to the publication in use.
const CURRENT: &str = "current";

/// The folder of the revisions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Store {
    root: PathBuf,
}

/// Where a revision comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// The practice's own folder.
    Folder,
    /// Another folder.
    Other,
    /// An earlier revision.
    Undo,
}

/// A revision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revision {
    /// Its number, from 1.
    pub number: u32,
    /// The hash of its files' names and bytes, in hexadecimal digits.
    pub sha256: String,
    /// The number of the revision that was in use before.
    pub parent: Option<u32>,
    /// Where it comes from.
    pub origin: Origin,
    /// When it was made, in seconds since 1970.
    pub made_at: u64,
    /// What the person who published it noted.
    pub note: String,
}

impl Revision {
    /// Its name in reports and logs: the number and the beginning of the hash.
    pub fn name(&self) -> String {
        format!("{}-{}", self.number, self.sha256.get(..NAME_DIGITS).unwrap_or(&self.sha256))
    }
}

/// A copy of files that is no revision yet; it goes where it does not become one.
#[derive(Debug)]
pub(super) struct Draft {
    folder: PathBuf,
    pub(super) sha256: String,
}

impl Draft {
    /// Where the copy is.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.folder).ok();
    }
}

/// A revision and whether it is in use, for a list.
#[derive(Debug)]
pub struct Listed {
    revision: Revision,
    is_present: bool,
}

impl fmt::Display for Listed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { revision, is_present } = self;
        let mark = if *is_present { '*' } else { ' ' };
        let origin = match revision.origin {
            Origin::Folder => "the practice's folder",
            Origin::Other => "another folder",
            Origin::Undo => "undone",
        };
        let at = clock::utc(revision.made_at);
        write!(f, "{mark} {:<14} {at}  {origin}", revision.name())?;
        if revision.note.is_empty() { Ok(()) } else { write!(f, ": {}", revision.note) }
    }
}

impl Store {
    /// The revisions below a folder, which need not be there yet.
    pub fn at(root: PathBuf) -> Self {
        Self { root }
    }

    /// Where the files in use are, whichever revision that is.
    pub fn files(&self) -> PathBuf {
        self.root.join(CURRENT).join("files")
    }

    /// Where the pages in use are.
    pub fn pages(&self) -> PathBuf {
        self.root.join(CURRENT).join("pages")
    }

    /// Whether anything was published.
    pub fn is_begun(&self) -> bool {
        self.files().is_dir()
    }

    pub(super) fn create(&self) -> Result<()> {
        create_readable(&self.root)?;
        for name in ["revisions", "pages", "publications"] {
            create_readable(&self.root.join(name))?;
        }
        Ok(())
    }

    /// Keeps other commands from publishing at the same time.
    pub(super) fn lock(&self) -> Result<File> {
        let path = self.root.join(".lock");
        let file =
            File::create(&path).with_context(|| format!("{} cannot be made", path.display()))?;
        file.lock().with_context(|| format!("{} cannot be locked", path.display()))?;
        Ok(file)
    }

    fn revisions_folder(&self) -> PathBuf {
        self.root.join("revisions")
    }

    /// Where a revision's files are.
    pub(super) fn folder_of(&self, revision: &Revision) -> PathBuf {
        self.revisions_folder().join(revision.name())
    }

    /// A folder for pages of a revision, which is not there yet.
    pub(super) fn new_pages(&self, revision: &Revision) -> Result<PathBuf> {
        let folder = self.root.join("pages");
        let known = entries(&folder)?;
        let (first, mut name, mut number) = (revision.name(), revision.name(), 1);
        while known.contains(&name) {
            number += 1;
            name = format!("{first}.{number}");
        }
        Ok(folder.join(name))
    }

    /// Copies a folder.
    pub(super) fn draft(&self, folder: &Path) -> Result<Draft> {
        let target = self.root.join(format!(".draft-{}", std::process::id()));
        if target.exists() {
            fs::remove_dir_all(&target).context("an earlier copy cannot be removed")?;
        }
        let mut hash = Sha256::new();
        let former = self.files();
        // From here on the copy goes with the draft.
        let mut draft = Draft { folder: target, sha256: String::new() };
        for (name, path) in files_of(folder)? {
            let bytes =
                fs::read(&path).with_context(|| format!("{} cannot be read", path.display()))?;
            hash.update(name.to_string_lossy().as_bytes());
            hash.update([0]);
            hash.update(Sha256::digest(&bytes));
            copy(&bytes, &former.join(&name), &draft.folder.join(&name))?;
        }
        create_readable(&draft.folder)?;
        draft.sha256 = HEXLOWER.encode(&hash.finalize());
        Ok(draft)
    }

    /// The next revision, which is not kept yet.
    pub(super) fn number(&self, draft: &Draft, origin: Origin, note: &str) -> Result<Revision> {
        let last = self.all()?.last().map_or(0, |it| it.number);
        Ok(Revision {
            number: last.saturating_add(1),
            sha256: draft.sha256.clone(),
            parent: self.present()?.map(|it| it.number),
            origin,
            made_at: clock::now(),
            note: note.to_owned(),
        })
    }

    /// Makes a revision of a draft.
    pub(super) fn keep(&self, draft: &Draft, revision: &Revision) -> Result<()> {
        let record = serde_json::to_vec_pretty(revision).context("a revision has no record")?;
        write_readable(&draft.folder.join(RECORD), &record)?;
        let target = self.folder_of(revision);
        fs::rename(&draft.folder, &target)
            .with_context(|| format!("{} cannot be made", target.display()))
    }

    /// Leads services and pages to a revision, in one step.
    pub(super) fn lead_to(&self, revision: &Revision, pages: &Path) -> Result<()> {
        let publications = self.root.join("publications");
        let numbers = entries(&publications)?.into_iter().filter_map(|it| it.parse::<u32>().ok());
        let number = numbers.max().unwrap_or(0).saturating_add(1);
        let publication = publications.join(number.to_string());
        create_readable(&publication)?;
        let link = |to: &Path, name: &Path| {
            symlink(to, name).with_context(|| format!("{} cannot be made", name.display()))
        };
        link(&self.folder_of(revision), &publication.join("files"))?;
        link(pages, &publication.join("pages"))?;
        let next = self.root.join(".next");
        fs::remove_file(&next).ok();
        link(&publication, &next)?;
        fs::rename(&next, self.root.join(CURRENT)).context("nothing could be published")?;
        self.remove_old(number);
        Ok(())
    }

    /// Removes publications, and pages, but for the last two: a process may be reading the former.
    fn remove_old(&self, present: u32) {
        let publications = self.root.join("publications");
        let mut in_use = BTreeSet::new();
        for name in entries(&publications).unwrap_or_default() {
            let path = publications.join(&name);
            if name.parse::<u32>().is_ok_and(|it| it.saturating_add(1) < present) {
                fs::remove_dir_all(path).ok();
            } else if let Ok(pages) = fs::read_link(path.join("pages")) {
                in_use.insert(pages);
            }
        }
        let pages = self.root.join("pages");
        for name in entries(&pages).unwrap_or_default() {
            let path = pages.join(name);
            if !in_use.contains(&path) {
                fs::remove_dir_all(path).ok();
            }
        }
    }

    /// Whether the pages in use were made with what is built now.
    pub(super) fn is_of_build(&self, built: &Path) -> bool {
        let pages = self.pages();
        let names = |folder: &Path| entries(&folder.join("assets")).unwrap_or_default();
        fs::canonicalize(&pages).ok() == fs::canonicalize(built).ok()
            || (pages.is_dir() && names(&pages) == names(built))
    }

    /// All revisions, in their order.
    fn all(&self) -> Result<Vec<Revision>> {
        let mut all = Vec::new();
        for name in entries(&self.revisions_folder())? {
            let record = self.revisions_folder().join(&name).join(RECORD);
            let text = fs::read(&record)
                .with_context(|| format!("{} cannot be read", record.display()))?;
            let revision: Revision = serde_json::from_slice(&text)
                .with_context(|| format!("{} is not understood", record.display()))?;
            all.push(revision);
        }
        all.sort_by_key(|revision| revision.number);
        Ok(all)
    }

    /// All revisions, the newest first.
    ///
    /// # Errors
    /// One cannot be read.
    pub fn revisions(&self) -> Result<Vec<Listed>> {
        let present = self.present()?.map(|it| it.number);
        let listed =
            |revision: Revision| Listed { is_present: Some(revision.number) == present, revision };
        Ok(self.all()?.into_iter().rev().map(listed).collect())
    }

    /// The revision of a number.
    pub(super) fn revision(&self, number: u32) -> Result<Revision> {
        let found = self.all()?.into_iter().find(|it| it.number == number);
        found.with_context(|| format!("there is no revision {number}"))
    }

    /// The revision in use.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn present(&self) -> Result<Option<Revision>> {
        let Ok(folder) = fs::canonicalize(self.files()) else { return Ok(None) };
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(self.all()?.into_iter().find(|it| it.name() == name))
    }

    /// The last revision of the practice's own folder.
    pub(super) fn last_of_folder(&self) -> Result<Option<Revision>> {
        Ok(self.all()?.into_iter().rfind(|it| it.origin == Origin::Folder))
    }

    /// The ids of all services that were ever offered.
    pub(super) fn services_of_earlier_revisions(&self) -> Result<BTreeSet<String>> {
        let mut ids = BTreeSet::new();
        for revision in self.all()? {
            let file = self.folder_of(&revision).join("services.toml");
            let text = fs::read_to_string(file).unwrap_or_default();
            let line = |line: &str| {
                let (key, value) = line.split_once('=')?;
                (key.trim() == "service_id").then(|| value.trim().trim_matches('"').to_owned())
            };
            ids.extend(text.lines().filter_map(line));
        }
        Ok(ids)
    }
}

/// The files of a folder by their names in it, without hidden ones.
fn files_of(folder: &Path) -> Result<BTreeMap<PathBuf, PathBuf>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(inside) = folders.pop() {
        for name in entries(&folder.join(&inside))? {
            let (name, path) = (inside.join(&name), folder.join(&inside).join(&name));
            if path.is_dir() {
                folders.push(name);
            } else {
                files.insert(name, path);
            }
        }
    }
    Ok(files)
}

/// The names in a folder, without hidden ones.
fn entries(folder: &Path) -> Result<Vec<String>> {
    let unreadable = || format!("the folder {} cannot be read", folder.display());
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).with_context(unreadable)? {
        let name = entry.with_context(unreadable)?.file_name();
        names.extend(name.into_string().ok().filter(|name| !name.starts_with('.')));
    }
    names.sort();
    Ok(names)
}

/// Writes a file, or shares that of the former revision where it is the same: videos are large.
fn copy(bytes: &[u8], former: &Path, target: &Path) -> Result<()> {
    create_readable(target.parent().unwrap_or(target))?;
    let is_same = fs::read(former).is_ok_and(|former| former == bytes);
    if is_same && fs::canonicalize(former).and_then(|it| fs::hard_link(it, target)).is_ok() {
        return Ok(());
    }
    write_readable(target, bytes)
}

/// Creates a folder that services may read, whatever the mask of this process is.
fn create_readable(folder: &Path) -> Result<()> {
    let failed = || format!("the folder {} cannot be created", folder.display());
    fs::create_dir_all(folder).with_context(failed)?;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).with_context(failed)
}

fn write_readable(file: &Path, bytes: &[u8]) -> Result<()> {
    let failed = || format!("{} cannot be written", file.display());
    fs::write(file, bytes).with_context(failed)?;
    File::open(file).and_then(|file| file.sync_all()).with_context(failed)?;
    fs::set_permissions(file, fs::Permissions::from_mode(0o644)).with_context(failed)
}
