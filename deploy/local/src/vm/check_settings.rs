//! With what the checker reads an installed practice.
use super::layout::Layout;
use super::operations;
use crate::environment::Environment;
use anyhow::{Context, Result, bail};
use std::fs;

/// The settings with which the checker reads this server's practice. A unit has them in its
/// environment, because it cannot read the file; then there is nothing to add.
pub(crate) fn check_settings(layout: &Layout) -> Result<Vec<(String, String)>> {
    let file = layout.environment_file("check");
    let text = match fs::read_to_string(&file) {
        Ok(text) => text,
        Err(_) if Environment::of_this_process().get("BOOKING_DATABASE_URL").is_some() => {
            return Ok(Vec::new());
        }
        Err(error) => {
            return Err(error)
                .with_context(|| format!("{} cannot be read; run this as root", file.display()));
        }
    };
    let settings = operations::parse_environment(&text);
    if settings.is_empty() {
        bail!("{} names no databases; `sukoon init` writes it", file.display());
    }
    Ok(settings)
}
