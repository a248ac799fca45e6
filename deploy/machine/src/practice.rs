//! `sukoon practice`: the practice's files are checked, compared with what is in use, and published
//! as a revision, which services and pages take over together.
mod diff;
mod render;
mod store;

use crate::output;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

pub use render::Renderer;
pub use store::{Origin, Store};

/// The usage text of these commands.
pub const USAGE: &str = "\
for the practice's files, here and on a server; DIR is the practice's own folder if none is named:
  practice check [DIR]      every mistake of every file, each with its line and what was probably
                            meant
  practice diff [DIR]       what publishing them would change, key by key
  practice apply [DIR] [--note TEXT]
                            check them and publish them as a revision: all of it or none, without a
                            restart; prices, words and pages follow within seconds
  practice undo             publish the revision before the present one again, as a new one
  practice list             the revisions that were published";

/// The program of all services, which stands beside this one.
const SERVICES: &str = "services";

/// Where a practice's files, revisions and pages are.
#[derive(Clone, Debug)]
pub struct Places {
    /// The practice's own folder.
    pub own: PathBuf,
    /// Its revisions; none where no practice is set up.
    pub store: Option<Store>,
    /// The pages as they were built.
    pub built: PathBuf,
    /// Whether they were built of the practice's own folder as it is at a start.
    pub is_built_of_own: bool,
    /// What renders pages; none where it is not installed.
    pub renderer: Option<Renderer>,
}

/// Why a revision is published.
struct Cause<'n> {
    origin: Origin,
    note: &'n str,
}

/// Runs `sukoon practice WORDS`.
///
/// # Errors
/// The words are no command, or something is missing that it needs.
pub fn run(words: &[&str], places: Option<&Places>) -> Result<ExitCode> {
    let own = places.map(|it| it.own.as_path());
    let set_up = || {
        let places = places.context("no practice was found here")?;
        let store = places.store.as_ref().filter(|store| store.is_begun());
        let store = store.context("the practice has not been started yet: start it first")?;
        Ok::<_, anyhow::Error>((places, store))
    };
    match words {
        ["check", rest @ ..] if rest.len() <= 1 => check(&folder(rest.first().copied(), own)?),
        ["diff", rest @ ..] if rest.len() <= 1 => {
            let (_, store) = set_up()?;
            show_changes(&folder(rest.first().copied(), own)?, store)
        }
        ["apply", rest @ ..] => {
            let Some((named, note)) = folder_and_note(rest) else {
                bail!("`sukoon practice apply` takes other words\n{USAGE}");
            };
            let (places, store) = set_up()?;
            let folder = folder(named, own)?;
            let origin = if folder == places.own { Origin::Folder } else { Origin::Other };
            apply(places, store, &folder, &Cause { origin, note })
        }
        ["undo"] => {
            let (places, store) = set_up()?;
            undo(places, store)
        }
        ["list"] => {
            let (_, store) = set_up()?;
            store.revisions()?.iter().for_each(output::line);
            Ok(ExitCode::SUCCESS)
        }
        ["begin"] => {
            let places = places.context("no practice was found here")?;
            begin(places).map(|()| ExitCode::SUCCESS)
        }
        _ => bail!("`sukoon practice` takes other words\n{USAGE}"),
    }
}

/// The folder and the note after `apply`.
fn folder_and_note<'w>(words: &[&'w str]) -> Option<(Option<&'w str>, &'w str)> {
    match words {
        [] => Some((None, "")),
        ["--note", note] => Some((None, note)),
        [folder] if !folder.starts_with("--") => Some((Some(folder), "")),
        [folder, "--note", note] | ["--note", note, folder] => Some((Some(folder), note)),
        _ => None,
    }
}

/// The folder that is named, or else the practice's own.
fn folder(named: Option<&str>, own: Option<&Path>) -> Result<PathBuf> {
    let here = std::env::current_dir().context("the current folder is not known")?;
    let folder = named.map(|folder| here.join(folder)).or_else(|| own.map(Path::to_owned));
    let folder = folder.context("no practice was found here: name its folder")?;
    if !folder.is_dir() {
        bail!("there is no folder {}", folder.display());
    }
    Ok(folder)
}

/// Prints the mistakes of a folder; the exit code says whether there are any.
fn check(folder: &Path) -> Result<ExitCode> {
    let found = mistakes(folder)?;
    if found.is_empty() {
        output::line(format_args!("{} has no mistakes.", folder.display()));
        return Ok(ExitCode::SUCCESS);
    }
    output::line(found);
    output::line(format_args!("These are the mistakes of {}.", folder.display()));
    Ok(ExitCode::FAILURE)
}

/// The mistakes of a folder as the catalogue tells them: it reads the files as it would to serve
/// them.
fn mistakes(folder: &Path) -> Result<String> {
    let own = std::env::current_exe().context("our own path is not known")?;
    let program = own.parent().unwrap_or(Path::new("/")).join(SERVICES);
    let mut command = Command::new(&program);
    command.args(["catalogue", "check"]).env_clear().stdin(Stdio::null());
    command.env("PRACTICE_DIR", folder).env("LOG_FILTER", "off");
    let done = command
        .output()
        .with_context(|| format!("the program {} cannot be started", program.display()))?;
    let told = String::from_utf8_lossy(&done.stdout).trim_end().to_owned();
    if !done.status.success() && told.is_empty() {
        bail!("the files cannot be checked: {}", String::from_utf8_lossy(&done.stderr).trim());
    }
    Ok(told)
}

fn show_changes(folder: &Path, store: &Store) -> Result<ExitCode> {
    let changes = diff::changes(&store.files(), folder)?;
    if changes.is_empty() {
        output::line("Nothing would change.");
    }
    changes.iter().for_each(output::line);
    Ok(ExitCode::SUCCESS)
}

/// Publishes a folder: all of it, or nothing where it has a mistake.
fn apply(places: &Places, store: &Store, folder: &Path, cause: &Cause<'_>) -> Result<ExitCode> {
    let _lock = store.lock()?;
    let draft = store.draft(folder)?;
    // The copy is checked and not the folder, in which a person may be writing.
    let found = mistakes(draft.folder())?;
    if !found.is_empty() {
        output::line(found);
        output::line("Nothing was published, and nothing has changed.");
        return Ok(ExitCode::FAILURE);
    }
    if let Some(present) = store.present()?.filter(|it| it.sha256 == draft.sha256) {
        output::line(format_args!("Nothing has changed: revision {} has it all.", present.name()));
        return Ok(ExitCode::SUCCESS);
    }
    let name = publish(places, store, &draft, cause)?;
    output::line(format_args!(
        "Revision {name} is published; `sukoon practice undo` takes it back."
    ));
    Ok(ExitCode::SUCCESS)
}

fn undo(places: &Places, store: &Store) -> Result<ExitCode> {
    let _lock = store.lock()?;
    let present = store.present()?.context("nothing was published yet")?;
    let former = present.parent.context("there is no revision before the present one")?;
    let former = store.revision(former)?;
    let draft = store.draft(&store.folder_of(&former))?;
    let note = format!("{} again", former.name());
    let name = publish(places, store, &draft, &Cause { origin: Origin::Undo, note: &note })?;
    output::line(format_args!("Revision {name} is published: it is {note}."));
    Ok(ExitCode::SUCCESS)
}

/// Makes a revision of a draft, with its pages, and leads everything there in one step.
fn publish(
    places: &Places,
    store: &Store,
    draft: &store::Draft,
    cause: &Cause<'_>,
) -> Result<String> {
    let revision = store.number(draft, cause.origin, cause.note)?;
    let pages = pages(places, store, draft.folder(), &revision)?;
    store.keep(draft, &revision)?;
    store.lead_to(&revision, &pages)?;
    Ok(revision.name())
}

/// The pages of files: rendered, where that is possible, else those of the build.
fn pages(
    places: &Places,
    store: &Store,
    files: &Path,
    revision: &store::Revision,
) -> Result<PathBuf> {
    let Some(renderer) = &places.renderer else {
        output::step(
            "Node.js 20 is not installed, so the pages as search engines read them stay those of \
             the build; visitors' browsers show the new words",
        );
        return Ok(places.built.clone());
    };
    let pages = store.new_pages(revision)?;
    renderer.render(files, &pages, &store.services_of_earlier_revisions()?)?;
    Ok(pages)
}

/// What the start of a practice publishes: its own folder, where that has changed since it was
/// published last. Where it has a mistake, the present revision stays in use.
///
/// # Errors
/// The folder has a mistake, and there is no revision yet.
pub fn begin(places: &Places) -> Result<()> {
    let store = places.store.as_ref().context("no practice is set up here")?;
    store.create()?;
    let _lock = store.lock()?;
    let draft = store.draft(&places.own)?;
    let present = store.present()?;
    let known = store.last_of_folder()?.filter(|it| it.sha256 == draft.sha256);
    // A later number was kept by a command that was killed before it published it.
    let is_known =
        |present: &&store::Revision| known.as_ref().is_some_and(|it| it.number <= present.number);
    if let Some(present) = present.as_ref().filter(is_known) {
        // Pages that were rendered with an older build name files that the newer one lacks.
        if !store.is_of_build(&places.built) {
            let pages = pages(places, store, &store.folder_of(present), present)?;
            store.lead_to(present, &pages)?;
        }
        return Ok(());
    }
    let found = mistakes(draft.folder())?;
    if !found.is_empty() {
        output::line(&found);
        let Some(present) = present else {
            bail!("the files in {} have these mistakes", places.own.display());
        };
        output::step(format_args!(
            "the files in {} have these mistakes: revision {} stays in use",
            places.own.display(),
            present.name()
        ));
        return Ok(());
    }
    if !places.is_built_of_own {
        let cause = Cause { origin: Origin::Folder, note: "" };
        return publish(places, store, &draft, &cause).map(drop);
    }
    let revision = store.number(&draft, Origin::Folder, "")?;
    store.keep(&draft, &revision)?;
    store.lead_to(&revision, &places.built)
}

#[cfg(test)]
mod tests;
