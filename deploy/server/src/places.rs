//! Whether sessions online would have a room: booking makes a meeting with its own settings, and
//! removes it.
use super::layout::Layout;
use super::owner_account;
use anyhow::{Context, Result};
use machine::output;

/// The word with which it can be left out of `sukoon init`.
pub(crate) const NAME: &str = "meetings";

/// Tries every place of the practice, and says what it finds.
pub(crate) fn check(layout: &Layout) -> Result<()> {
    if !layout.is_the_machine() {
        // On trial the services have no users of their own.
        return Ok(());
    }
    let said = owner_account::service(layout, ("booking", "try-meetings"), &["booking"], &[])
        .with_context(|| {
            format!(
                "sessions online would have no room; see [meetings] in \
                 /etc/sukoon/practice/practice.toml, or go on without with --without {NAME}"
            )
        })?;
    for line in said.lines() {
        output::line(format_args!("  {NAME:<9} {line}"));
    }
    Ok(())
}
