//! What the operator's commands leave behind for one another: files of settings, results of drills.
use super::files::credentials;
use super::layout::Layout;
use anyhow::{Context, Result};
use machine::secrets;
use serde_json::Value;
use std::fs;

/// The settings of a unit with the values of its secrets, as the unit itself would read them.
pub(crate) fn settings_of(layout: &Layout, name: &str) -> Result<Vec<(String, String)>> {
    let path = layout.settings_file(name);
    let text = fs::read_to_string(&path)
        .with_context(|| format!("{} cannot be read; run this as root", path.display()))?;
    let secrets = layout.secrets().join("settings").join(name);
    let resolved = parse_environment(&text).into_iter().map(|(setting, value)| {
        let is_secret = value.starts_with(&credentials(layout, name));
        let Some(bare) = setting.strip_suffix("_FILE").filter(|_| is_secret) else {
            return Ok((setting, value));
        };
        let file = secrets.join(bare);
        let value = fs::read_to_string(&file)
            .with_context(|| format!("{} cannot be read; run this as root", file.display()))?;
        Ok((bare.to_owned(), value))
    });
    resolved.collect()
}

/// The settings of a file as systemd reads it; only the forms that we write: values in single
/// quotes, which may hold line breaks, or bare ones.
fn parse_environment(text: &str) -> Vec<(String, String)> {
    let mut settings = Vec::new();
    let mut rest = text;
    while let Some((line, after)) = rest.split_once('\n').or_else(|| last_line(rest)) {
        rest = after;
        let Some((name, value)) = line.trim().split_once('=').filter(|_| !is_remark(line)) else {
            continue;
        };
        let Some(quoted) = value.strip_prefix('\'') else {
            settings.push((name.to_owned(), value.to_owned()));
            continue;
        };
        let mut value = quoted.to_owned();
        while !value.ends_with('\'') {
            let Some((line, after)) = rest.split_once('\n').or_else(|| last_line(rest)) else {
                break;
            };
            rest = after;
            value.push('\n');
            value.push_str(line);
        }
        settings.push((name.to_owned(), value.trim_end_matches('\'').to_owned()));
    }
    settings
}

fn last_line(rest: &str) -> Option<(&str, &str)> {
    (!rest.is_empty()).then_some((rest, ""))
}

fn is_remark(line: &str) -> bool {
    line.trim_start().starts_with('#')
}

/// Keeps a command's result under a name.
pub(crate) fn keep(layout: &Layout, name: &str, result: &Value) -> Result<()> {
    let folder = layout.operations();
    fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    let text = serde_json::to_vec_pretty(result).context("a result cannot be written")?;
    secrets::write_private(&folder.join(format!("{name}.json")), &text)
}

/// The result that was kept under a name.
pub(crate) fn kept(layout: &Layout, name: &str) -> Option<Value> {
    let file = layout.operations().join(format!("{name}.json"));
    serde_json::from_slice(&fs::read(file).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_as_systemd_does() {
        let text = "# a=remark\nA=1\n B='two words'\n\nC=x=y\nD='-----\nkey\n-----\n'\nE=''";
        let expected =
            [("A", "1"), ("B", "two words"), ("C", "x=y"), ("D", "-----\nkey\n-----\n"), ("E", "")];
        let own = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        assert_eq!(parse_environment(text), expected.map(own));
    }
}
