//! With what the checker reads an installed practice.
use super::layout::Layout;
use super::operations;
use crate::environment::Environment;
use anyhow::{Result, bail};
use std::fs;

/// The settings with which the checker reads this server's practice. A unit has them in its
/// environment, because it cannot read the file; then there is nothing to add.
pub(crate) fn check_settings(layout: &Layout) -> Result<Vec<(String, String)>> {
    let file = layout.environment_file("check");
    let is_unit = Environment::of_this_process().get("BOOKING_DATABASE_URL").is_some();
    if is_unit && fs::File::open(&file).is_err() {
        return Ok(Vec::new());
    }
    let settings = operations::settings_of(layout, "check")?;
    if settings.is_empty() {
        bail!("{} names no databases; `sukoon init` writes it", file.display());
    }
    Ok(settings)
}
