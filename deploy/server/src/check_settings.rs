//! With what the checker reads an installed practice.
use super::layout::Layout;
use super::operations;
use anyhow::{Result, bail};

/// The settings with which the checker reads this server's practice.
pub fn check_settings(layout: &Layout) -> Result<Vec<(String, String)>> {
    let mut settings = operations::settings_of(layout, "check")?;
    if settings.is_empty() {
        let file = layout.environment_file("check");
        bail!("{} names no databases; `sukoon init` writes it", file.display());
    }
    // Files of earlier versions do not name it.
    let revisions = layout.revisions();
    let in_use = if revisions.is_begun() { revisions.files() } else { layout.practice() };
    settings.push(("PRACTICE_DIR".to_owned(), in_use.to_string_lossy().into_owned()));
    Ok(settings)
}
