//! Readable lists of what a program shows to its callers and operators, for snapshot tests: its
//! rejections, its settings, and the answers of its commands.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io;
use std::path::Path;
use std::process::Command;

use kernel::Reject;
use runtime::settings::{Reader, Source};
use runtime::{TlsSettings, status, telemetry};

/// One value of each variant of an enum. A variant that is not listed does not compile.
#[macro_export]
macro_rules! every_variant {
    ($kind:ident: $($variant:ident $(($value:expr))?),+ $(,)?) => {{
        let _exhaustive = |one: &$kind| match one { $($kind::$variant { .. } => ()),+ };
        vec![$($kind::$variant $(($value))?),+]
    }};
}

/// Lists rejections as callers get them: gRPC code, reason, field and text, sorted.
#[must_use]
pub fn rejections<R: Reject>(all: &[R]) -> String {
    let lines: BTreeSet<String> = all.iter().map(rejection).collect();
    lines.into_iter().collect::<Vec<_>>().join("\n")
}

fn rejection<R: Reject>(one: &R) -> String {
    let status = status::reject(one);
    let detail = status::detail_of(&status).unwrap_or_default();
    let field = if detail.field.is_empty() { "-" } else { &detail.field };
    format!("{:?} {} {field} {}", status.code(), detail.reason, status.message())
}

/// Gives every setting the same value and keeps the names that were asked for.
struct Recorder {
    value: Option<&'static str>,
    names: RefCell<BTreeSet<String>>,
}

impl Source for Recorder {
    fn get(&self, name: &str) -> Option<String> {
        // Each secret may also be in a file, which `runtime` tests.
        if name.ends_with("_FILE") {
            return None;
        }
        self.names.borrow_mut().insert(name.to_owned());
        self.value.map(str::to_owned)
    }
}

/// Lists the settings that a command reads, sorted: what is told about each when none is given,
/// and when each of them is "x".
#[must_use]
pub fn settings<T>(read: fn(&mut Reader<'_>) -> T) -> String {
    let (absent, present) = (problems(read, None), problems(read, Some("x")));
    let names: BTreeSet<&String> = absent.keys().chain(present.keys()).collect();
    let told = |from: &BTreeMap<String, String>, name: &String| {
        from.get(name).map_or_else(|| "not read".to_owned(), Clone::clone)
    };
    let line = |name: &String| {
        format!("{name}\n  absent: {}\n  \"x\": {}\n", told(&absent, name), told(&present, name))
    };
    names.into_iter().map(line).collect()
}

fn problems<T>(
    read: fn(&mut Reader<'_>) -> T,
    value: Option<&'static str>,
) -> BTreeMap<String, String> {
    let source = Recorder { value, names: RefCell::default() };
    let mut reader = Reader::new(&source);
    // Every program reads these too.
    telemetry::Settings::read(&mut reader);
    TlsSettings::read(&mut reader);
    read(&mut reader);
    let invalid = reader.finish(()).err();
    let names = source.names.into_inner().into_iter();
    let mut told: BTreeMap<_, _> = names.map(|name| (name, "accepted".to_owned())).collect();
    let problems = invalid.into_iter().flat_map(|invalid| invalid.problems);
    told.extend(problems.map(|problem| (problem.name, problem.what)));
    told
}

/// Runs a program with each list of arguments and no environment: exit codes and both streams.
pub fn answers(program: &str, calls: &[&[&str]]) -> io::Result<String> {
    let name = Path::new(program).file_name().unwrap_or_default().to_string_lossy();
    let mut told = String::new();
    for arguments in calls {
        let output = Command::new(program).args(*arguments).env_clear().output()?;
        let code = output.status.code().map_or_else(|| "none".to_owned(), |code| code.to_string());
        // Writing to a string cannot fail.
        let call = format!("$ {name} {}", arguments.join(" "));
        writeln!(told, "{}\nexit code: {code}", call.trim_end()).ok();
        for (stream, bytes) in [("out", output.stdout), ("err", output.stderr)] {
            for line in String::from_utf8_lossy(&bytes).lines() {
                writeln!(told, "{stream}: {line}").ok();
            }
        }
        told.push('\n');
    }
    Ok(told)
}

#[cfg(test)]
mod tests {
    use super::rejections;
    use runtime::caller::{PeerError, UserError};

    #[test]
    fn callers_without_a_right_are_told_this() {
        let people = every_variant!(UserError: Missing, Invalid, KeysUnavailable);
        let services = every_variant!(PeerError: Missing, NotAllowed);
        insta::assert_snapshot!("people", rejections(&people));
        insta::assert_snapshot!("services", rejections(&services));
    }
}
