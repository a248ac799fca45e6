//! The confirmation prompt before an irreversible command.
use crate::arguments::CommonOptions;
use anyhow::{Context, Result, bail};
use std::io::{IsTerminal as _, Write as _};

/// Asks for confirmation, unless `--yes` is given. Only "y" and "yes" confirm.
pub(crate) fn require_confirmation(options: CommonOptions, question: &str) -> Result<()> {
    if options.yes {
        return Ok(());
    }
    if !std::io::stdin().is_terminal() {
        bail!("this cannot be undone: add --yes where nobody can be asked");
    }
    let mut screen = std::io::stderr().lock();
    write!(screen, "{question} [y/N] ")
        .and_then(|()| screen.flush())
        .context("nobody can be asked")?;
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer).context("no answer can be read")?;
    if is_yes(&answer) { Ok(()) } else { bail!("nothing was done") }
}

fn is_yes(answer: &str) -> bool {
    matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
}

#[cfg(test)]
mod tests {
    use super::is_yes;

    #[test]
    fn only_a_yes_is_a_yes() {
        assert!(is_yes("y\n") && is_yes(" YES "));
        for no in ["", "\n", "n", "yep", "ja"] {
            assert!(!is_yes(no), "{no}");
        }
    }
}
