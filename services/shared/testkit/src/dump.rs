//! Readable lists of what a program shows to its callers and operators, for snapshot tests: its
//! rejections, its settings, the answers of its commands, and the texts in its sources.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::{fs, io};

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
///
/// # Errors
/// When the program cannot be started.
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

/// The string literals of the Rust files below `folder`, without tests.
fn literals(folder: &Path) -> io::Result<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && name != "tests" {
            found.extend(literals(&path)?);
        } else if name.ends_with(".rs") && name != "tests.rs" && name != "dumps.rs" {
            let text = fs::read_to_string(&path)?;
            let product = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            found.extend(literals_of(product));
        }
    }
    Ok(found)
}

/// The string literals below `folder` without a blank, one a line: names of timers, consumers,
/// settings, headers, columns and fields, reasons, states, paths. Tests don't count.
///
/// # Errors
/// When the files cannot be read.
pub fn words(folder: &Path) -> io::Result<String> {
    let is_part = |char: char| char.is_ascii_alphanumeric() || "_-./:*{}>".contains(char);
    let mut found = literals(folder)?;
    found.retain(|text| text.len() > 1 && text.chars().all(is_part) && !text.contains("::"));
    Ok(found.into_iter().collect::<Vec<_>>().join("\n"))
}

/// How SQL begins; it is tested by what it does.
const SQL: [&str; 9] =
    ["select ", "insert ", "update ", "delete ", "with ", "create ", "lock ", "set ", "notify "];

/// The string literals below `folder` that have a blank and are no SQL, one a line: sentences for
/// people and logs, and values of headers. Tests don't count.
///
/// # Errors
/// When the files cannot be read.
pub fn sentences(folder: &Path) -> io::Result<String> {
    let mut found = literals(folder)?;
    found.retain(|text| {
        let is_text = text.starts_with(|first: char| first.is_ascii_alphabetic());
        is_text && text.contains(' ') && !SQL.iter().any(|begin| text.starts_with(begin))
    });
    Ok(found.into_iter().collect::<Vec<_>>().join("\n"))
}

fn literals_of(code: &str) -> Vec<String> {
    let (mut found, mut rest) = (Vec::new(), code);
    while let Some(at) = rest.find(['"', '/', '\'']) {
        let (before, from) = rest.split_at(at);
        rest = if from.starts_with("//") {
            from.split_once('\n').map_or("", |(_, after)| after)
        } else if let Some(text) = from.strip_prefix('"') {
            let hashes = before.len() - before.trim_end_matches('#').len();
            let raw = before.trim_end_matches('#').ends_with('r');
            let (literal, after) = if raw { raw_literal(text, hashes) } else { literal(text) };
            if !literal.is_empty() && !is_macro_s(before) {
                found.push(literal);
            }
            after
        } else if let Some(quoted) = from.strip_prefix("'\"'").or(from.strip_prefix("'/'")) {
            quoted
        } else {
            from.get(1..).unwrap_or_default()
        };
    }
    found
}

/// Whether a literal behind this code is for the compiler: a path or a name of its own.
fn is_macro_s(before: &str) -> bool {
    let macros = ["include_str!(", "include_bytes!(", "migrate!(", "env!("];
    macros.iter().any(|name| before.trim_end().ends_with(name))
}

fn raw_literal(text: &str, hashes: usize) -> (String, &str) {
    let end = format!("\"{}", "#".repeat(hashes));
    text.split_once(&end).map_or((String::new(), ""), |(text, after)| (text.to_owned(), after))
}

/// A literal up to its end, with its escapes as they are written; a line that goes on is joined.
fn literal(text: &str) -> (String, &str) {
    let (mut literal, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(['"', '\\']) {
        let (before, from) = rest.split_at(at);
        literal.push_str(before);
        if let Some(after) = from.strip_prefix('"') {
            return (literal, after);
        }
        if let Some(after) = from.strip_prefix("\\\n") {
            rest = after.trim_start();
        } else {
            let (escape, after) = from.split_at(2);
            literal.push_str(escape);
            rest = after;
        }
    }
    (literal, "")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::{literals_of, rejections, words};
    use runtime::caller::{PeerError, UserError};

    #[test]
    fn literals_are_found_and_comments_are_not() {
        let code = r##"let a = "one \"and\" two"; // "not this"
let b = if c == '"' || c == '/' || d::<'a>() { r"three\" } else { r#"f"our"# };
let e = "five \
         six" + include_str!("seven");"##;
        let found = literals_of(code);
        assert_eq!(found, [r#"one \"and\" two"#, r"three\", r#"f"our"#, "five six"]);
    }

    #[test]
    fn callers_without_a_right_are_told_this() {
        let people = every_variant!(UserError: Missing, Invalid, KeysUnavailable);
        let services = every_variant!(PeerError: Missing, NotAllowed);
        insta::assert_snapshot!("people", rejections(&people));
        insta::assert_snapshot!("services", rejections(&services));
    }

    #[test]
    fn shared_crates_have_these_words() {
        let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut found = BTreeSet::new();
        for entry in fs::read_dir(shared).unwrap() {
            let folder = entry.unwrap().path();
            // This crate is for tests, and that one is generated.
            if !folder.ends_with("testkit") && !folder.ends_with("contract") {
                found.extend(words(&folder.join("src")).unwrap().lines().map(str::to_owned));
            }
        }
        insta::assert_snapshot!("words", Vec::from_iter(found).join("\n"));
    }
}
