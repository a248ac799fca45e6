//! `sukoon logs`: the journal of all parts, or of one.
use super::units;
use anyhow::{Context, Result, bail};
use std::process::ExitCode;
use tokio::process::Command;

/// Shows the journal; with `--follow` until it is interrupted.
pub(crate) async fn run(options: &[&str]) -> Result<ExitCode> {
    let words = arguments(options)?;
    let status = Command::new("journalctl").args(words).status().await;
    let status = status.context("journalctl cannot be started")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn arguments(options: &[&str]) -> Result<Vec<String>> {
    let mut words = vec!["--output=short-iso".to_owned()];
    let mut unit = "sukoon*".to_owned();
    for option in options {
        match *option {
            "--follow" => words.push("--follow".to_owned()),
            part => match units::unit_of(part) {
                Some(named) => named.clone_into(&mut unit),
                None => bail!("there is no part `{part}`; {}", names()),
            },
        }
    }
    if !options.contains(&"--follow") {
        words.extend(["--no-pager".to_owned(), "--lines=200".to_owned()]);
    }
    words.push(format!("--unit={unit}"));
    Ok(words)
}

fn names() -> String {
    let names = units::PARTS.map(units::short);
    format!("the parts are {}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_shown_alone_and_an_unknown_one_is_named() {
        let shown = arguments(&["booking", "--follow"]).unwrap().join(" ");
        assert_eq!(shown, "--output=short-iso --follow --unit=sukoon@booking.service");
        assert!(arguments(&[]).unwrap().contains(&"--unit=sukoon*".to_owned()));
        assert!(arguments(&["sandbox"]).unwrap_err().to_string().contains("booking"));
    }
}
