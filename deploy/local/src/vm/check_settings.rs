//! With what the checker reads an installed practice.
use super::layout::Layout;
use super::operations;
use anyhow::{Result, bail};

/// The settings with which the checker reads this server's practice.
pub(crate) fn check_settings(layout: &Layout) -> Result<Vec<(String, String)>> {
    let settings = operations::settings_of(layout, "check")?;
    if settings.is_empty() {
        let file = layout.environment_file("check");
        bail!("{} names no databases; `sukoon init` writes it", file.display());
    }
    Ok(settings)
}
