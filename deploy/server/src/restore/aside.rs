//! The data that a restore has replaced. They lie beside the cluster: for a week after a restore
//! that ended well, and after any other until a person removes them.
use crate::layout::Layout;
use crate::moments;
use crate::user::command_as_owner;
use anyhow::{Context, Result};
use machine::output;
use machine::process::output_of;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long they stay.
const KEPT: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// The file in them that says since when they lie there, and how their restore ended.
const NOTE: &str = "sukoon-put-aside";
/// What it says after a good end.
const ENDED_WELL: &str = "the restore ended well\n";

/// Where they lie.
pub(super) fn place(layout: &Layout) -> PathBuf {
    layout.cluster().with_extension("before")
}

/// Makes room for those that are replaced next.
pub(super) fn make_room(layout: &Layout) -> Result<()> {
    let aside = place(layout);
    if !holds_data(&aside) || has_ended_well(&aside) {
        return remove(&aside);
    }
    let kept = aside.with_extension(format!("before-{}", moments::now().as_second()));
    fs::rename(&aside, &kept).context("an earlier copy of the data cannot be kept")?;
    output::line(format_args!(
        "An earlier restore did not end well; the data that it replaced stay in {}.",
        kept.display()
    ));
    Ok(())
}

/// Notes that they lie there from now on.
pub(super) fn note(aside: &Path) -> Result<()> {
    output_of(command_as_owner("touch", aside)?.arg(aside.join(NOTE))).map(drop)
}

/// They are the practice's own again.
pub(super) fn remove_note(data: &Path) -> Result<()> {
    fs::remove_file(data.join(NOTE)).context("the note in the old data cannot be removed")
}

/// Notes that the restore which replaced them ended well.
pub(super) fn note_good_end(layout: &Layout) -> Result<()> {
    fs::write(place(layout).join(NOTE), ENDED_WELL).context("the restore's end cannot be noted")
}

/// Copies that only a person removes: their restores did not end well.
pub(crate) fn left_to_a_person(layout: &Layout) -> Vec<PathBuf> {
    let aside = place(layout);
    let prefix = aside.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let folder = aside.parent().map(fs::read_dir);
    let entries = folder.and_then(Result::ok).into_iter().flatten().flatten();
    let named = entries.filter(|it| it.file_name().to_string_lossy().starts_with(&prefix));
    let mut found: Vec<PathBuf> = named
        .map(|entry| entry.path())
        .filter(|path| holds_data(path) && !has_ended_well(path))
        .collect();
    found.sort();
    found
}

/// Removes them once they have lain there for a week: they are personal data.
pub(crate) fn remove_old(layout: &Layout) -> Result<()> {
    let aside = place(layout);
    let since = fs::metadata(aside.join(NOTE)).and_then(|note| note.modified());
    let age = since.ok().and_then(|since| since.elapsed().ok());
    if age.is_none_or(|age| age < KEPT) || !has_ended_well(&aside) {
        return Ok(());
    }
    // The unit of backups may not write beside the folder, so the folder itself may stay, empty.
    let mut remove = command_as_owner("find", &aside)?;
    remove.arg(&aside).args(["-mindepth", "1", "-delete"]);
    output_of(&mut remove).context("what a restore has put aside cannot be removed")?;
    output::line("What was put aside by a restore a week ago was removed.");
    Ok(())
}

/// Removes a folder, if it is there.
pub(super) fn remove(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("{} cannot be removed", folder.display()))
        }
        _ => Ok(()),
    }
}

fn holds_data(folder: &Path) -> bool {
    folder.join("PG_VERSION").exists()
}

fn has_ended_well(folder: &Path) -> bool {
    fs::read_to_string(folder.join(NOTE)).is_ok_and(|note| note == ENDED_WELL)
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::environment::Environment;

    #[test]
    fn only_data_whose_restore_ended_well_make_room_for_the_next() {
        let root = std::env::temp_dir().join(format!("sukoon-aside-{}", std::process::id()));
        let layout = Layout::of(&Environment::from([("SUKOON_ROOT", root.to_str().unwrap())]));
        let aside = place(&layout);
        let fill = |says: &str| {
            fs::create_dir_all(&aside).unwrap();
            fs::write(aside.join("PG_VERSION"), "15").unwrap();
            fs::write(aside.join(NOTE), says).unwrap();
        };
        fill("");
        assert_eq!(left_to_a_person(&layout), std::slice::from_ref(&aside));
        remove_old(&layout).unwrap();
        make_room(&layout).unwrap();
        assert!(!aside.exists());
        let kept = left_to_a_person(&layout);
        assert!(kept.len() == 1 && holds_data(&kept[0]), "{kept:?}");
        fill("");
        note_good_end(&layout).unwrap();
        assert_eq!(left_to_a_person(&layout), kept);
        make_room(&layout).unwrap();
        assert!(!aside.exists() && holds_data(&kept[0]));
        fs::remove_dir_all(root).unwrap();
    }
}
