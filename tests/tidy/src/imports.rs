//! Which module of a crate uses which, read from its `use` lines and paths, and the cycles in that.
use crate::boundaries::Crate;
use crate::tree::SourceFile;
use std::collections::{BTreeMap, BTreeSet};

/// The modules of one crate by their path (`app::runs`; empty for `lib.rs`), each with those that
/// it uses. That a module declares its children is no use.
pub type Graph = BTreeMap<String, BTreeSet<String>>;

/// Reads the import graph of a crate's sources, wherever the crate lies; its unit tests are left
/// out.
#[must_use]
pub fn graph(one: &Crate, files: &[SourceFile]) -> Graph {
    let source = format!("{}/src/", one.folder);
    let modules: BTreeMap<String, String> = files
        .iter()
        .filter_map(|file| {
            let path = file.path.strip_prefix(&source)?;
            let module = module_of(path).filter(|_| !is_unit_test(path))?;
            Some((module, code_of(&file.text)))
        })
        .collect();
    let names: BTreeSet<&str> = modules.keys().map(String::as_str).collect();
    let uses = modules.iter().map(|(module, code)| {
        let mut used = BTreeSet::new();
        for (inline, code) in blocks(code) {
            let paths = paths(&code).into_iter();
            used.extend(paths.filter_map(|path| resolve(&names, (module, &inline), &path)));
        }
        used.remove(module);
        (module.clone(), used)
    });
    uses.collect()
}

/// Groups of modules each of which uses the others, directly or through one another.
#[must_use]
pub fn cycles(graph: &Graph) -> Vec<BTreeSet<String>> {
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        graph.keys().map(|from| (from.as_str(), reach(graph, from))).collect();
    let has = |from: &str, to: &str| reached.get(from).is_some_and(|all| all.contains(to));
    let mut found = BTreeSet::new();
    for from in graph.keys() {
        let group = graph.keys().filter(|to| has(from, to) && has(to, from));
        let group: BTreeSet<String> = group.cloned().collect();
        if group.len() > 1 {
            found.insert(group);
        }
    }
    found.into_iter().collect()
}

fn reach<'g>(graph: &'g Graph, from: &str) -> BTreeSet<&'g str> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&str> = graph.get(from).into_iter().flatten().map(String::as_str).collect();
    while let Some(next) = open.pop() {
        if reached.insert(next) {
            open.extend(graph.get(next).into_iter().flatten().map(String::as_str));
        }
    }
    reached
}

fn is_unit_test(path: &str) -> bool {
    path.split('/').any(|part| part == "tests" || part == "tests.rs")
}

/// The module that a file of `src/` is; none for programs beside the library.
fn module_of(path: &str) -> Option<String> {
    let stem = path.strip_suffix(".rs")?;
    match stem {
        "lib" => Some(String::new()),
        "main" => None,
        _ if stem.starts_with("bin/") => None,
        _ => Some(stem.replace('/', "::")),
    }
}

/// The lines without comments and texts.
fn code_of(text: &str) -> String {
    let (mut code, mut is_text) = (String::new(), false);
    for line in text.lines() {
        let mut rest = line.chars().peekable();
        while let Some(c) = rest.next() {
            match c {
                '\\' if is_text => drop(rest.next()),
                '"' => is_text = !is_text,
                '\'' if !is_text && rest.next_if_eq(&'"').is_some() => {}
                '/' if !is_text && rest.peek() == Some(&'/') => break,
                c if !is_text => code.push(c),
                _ => {}
            }
        }
        code.push('\n');
    }
    code
}

/// The code of a file without its inline modules, and that of each of these under its name, but not
/// of unit tests.
fn blocks(code: &str) -> Vec<(String, String)> {
    let (mut own, mut found, mut rest) = (String::new(), Vec::new(), code);
    while let Some((before, name, inner, after)) = inline_module(rest) {
        own.push_str(before);
        if name != "tests" {
            found.push((name.to_owned(), inner.to_owned()));
        }
        rest = after;
    }
    own.push_str(rest);
    found.push((String::new(), own));
    found
}

/// What stands before the first `mod name { … }`, its name, its content and what follows.
fn inline_module(code: &str) -> Option<(&str, &str, &str, &str)> {
    let mut from = 0;
    loop {
        let at = from + code.get(from..)?.find("mod ")?;
        let (before, declared) = code.split_at_checked(at)?;
        let (head, body) = declared.get(4..)?.split_once('{')?;
        let name = head.trim();
        if !before.ends_with(is_part) && !name.is_empty() && name.chars().all(is_part) {
            let end = closing_brace(body)?;
            return Some((before, name, body.get(..end)?, body.get(end + 1..)?));
        }
        from = at + 4;
    }
}

fn closing_brace(body: &str) -> Option<usize> {
    let mut depth = 0_i32;
    body.char_indices().find_map(|(at, c)| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        (depth < 0).then_some(at)
    })
}

/// Every path that the code names: those of `use` with their braces taken apart, and others that
/// have at least two parts.
fn paths(code: &str) -> BTreeSet<Vec<String>> {
    let mut found = BTreeSet::new();
    let mut rest = code;
    while let Some(at) = rest.find(|c: char| c.is_alphabetic() || c == '_') {
        let begin = rest.get(at..).unwrap_or_default();
        let word: String = begin.chars().take_while(|c| is_part(*c)).collect();
        let after = begin.get(word.len()..).unwrap_or_default();
        if word == "use" {
            let (tree, following) = after.split_once(';').unwrap_or((after, ""));
            expand(&[], tree, &mut found);
            rest = following;
            continue;
        }
        let (path, following) = path_from(begin);
        if path.len() > 1 {
            found.insert(path);
        }
        rest = following;
    }
    found
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The path with which a text begins, and what follows it.
fn path_from(text: &str) -> (Vec<String>, &str) {
    let (mut path, mut rest) = (Vec::new(), text);
    loop {
        let part: String = rest.chars().take_while(|c| is_part(*c)).collect();
        rest = rest.get(part.len()..).unwrap_or_default();
        let is_end = part.is_empty();
        if !is_end {
            path.push(part);
        }
        match rest.strip_prefix("::") {
            Some(more) if !is_end => rest = more,
            _ => return (path, rest),
        }
    }
}

/// The paths of a `use`: `a::{b, c::{d, e}}` are `a::b`, `a::c::d`, `a::c::e`.
fn expand(before: &[String], tree: &str, found: &mut BTreeSet<Vec<String>>) {
    for branch in branches(tree) {
        let branch = branch.trim().trim_start_matches("::");
        let (head, inner) = match branch.split_once('{') {
            Some((head, inner)) => (head, inner.rsplit_once('}').map(|(inner, _)| inner)),
            None => (branch, None),
        };
        let head = head.split(" as ").next().unwrap_or_default();
        let parts = head.split("::").map(str::trim).filter(|part| !part.is_empty());
        let path: Vec<String> = before.iter().cloned().chain(parts.map(str::to_owned)).collect();
        match inner {
            Some(inner) => expand(&path, inner, found),
            None => drop(found.insert(path)),
        }
    }
}

/// The parts of a list that stand between its outermost commas.
fn branches(tree: &str) -> Vec<&str> {
    let (mut depth, mut begin, mut found) = (0_i32, 0, Vec::new());
    for (at, c) in tree.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                found.extend(tree.get(begin..at));
                begin = at + 1;
            }
            _ => {}
        }
    }
    found.extend(tree.get(begin..));
    found.retain(|branch| !branch.trim().is_empty());
    found
}

/// The file that a path in a module, or in an inline module of it, leads to; none for what is not
/// of this crate.
fn resolve(
    names: &BTreeSet<&str>,
    (module, inline): (&str, &str),
    path: &[String],
) -> Option<String> {
    let parts = module.split("::").chain([inline]);
    let mut at: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    let mut parts = path.iter().map(String::as_str).peekable();
    match *parts.peek()? {
        "crate" => {
            at.clear();
            parts.next();
        }
        "self" => drop(parts.next()),
        "super" => {
            while parts.next_if_eq(&"super").is_some() {
                at.pop();
            }
        }
        child => {
            let named = at.iter().copied().chain([child]).collect::<Vec<_>>().join("::");
            if !names.contains(named.as_str()) {
                return None;
            }
        }
    }
    for part in parts {
        let deeper = at.iter().copied().chain([part]).collect::<Vec<_>>().join("::");
        if !names.contains(deeper.as_str()) {
            break;
        }
        at.push(part);
    }
    while !names.contains(at.join("::").as_str()) {
        at.pop()?;
    }
    Some(at.join("::"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph_of(files: &[(&str, &str)]) -> Graph {
        graph_in("services/desk", files)
    }

    fn graph_in(folder: &str, files: &[(&str, &str)]) -> Graph {
        let one = Crate {
            name: "desk".to_owned(),
            folder: folder.to_owned(),
            dependencies: BTreeSet::new(),
            test_dependencies: BTreeSet::new(),
        };
        let sample =
            |(path, text): &(&str, &str)| SourceFile::sample(&format!("{folder}/src/{path}"), text);
        let files: Vec<SourceFile> = files.iter().map(sample).collect();
        graph(&one, &files)
    }

    fn used(graph: &Graph, module: &str) -> Vec<String> {
        graph.get(module).into_iter().flatten().cloned().collect()
    }

    #[test]
    fn uses_are_found_however_they_are_written() {
        let graph = graph_of(&[
            ("lib.rs", "pub mod a;\npub mod b;\nuse crate::b::deep::{Thing, Other as It};"),
            ("a.rs", "mod child;\nfn f() { crate::b::g(); child::h() } // crate::lost::x"),
            ("a/child.rs", "use super::{f, super::b};\nuse std::fmt;"),
            ("b.rs", "use kernel::{Id, b::Money};\n#[cfg(test)]\nmod tests { use crate::a; }"),
            (
                "c.rs",
                "mod inner { use super::X; fn f() { super::super::d::g() } }\nmod e;\nstruct S {}",
            ),
            (
                "d.rs",
                "mod e { fn f() { g(\"{{ \\\" crate::a\", '\"') } use super::X; use crate::c; }",
            ),
            ("b/deep.rs", "use self::inner::X;\npub use super::super::a::{self, child::{h, k}};"),
        ]);
        assert_eq!(used(&graph, ""), ["b::deep"]);
        assert_eq!(used(&graph, "a"), ["a::child", "b"]);
        assert_eq!(used(&graph, "a::child"), ["a", "b"]);
        assert_eq!(used(&graph, "b"), [""; 0]);
        assert_eq!(used(&graph, "b::deep"), ["a", "a::child"]);
        assert_eq!(used(&graph, "c"), ["d"]);
        assert_eq!(used(&graph, "d"), ["c"]);
    }

    #[test]
    fn a_cycle_is_found_and_a_line_of_uses_is_none() {
        let knot = graph_of(&[
            ("a.rs", "use crate::b::X;"),
            ("b.rs", "use crate::c::X;"),
            ("c.rs", "use crate::a::X;\nuse crate::d::X;"),
            ("d.rs", ""),
        ]);
        let wanted: BTreeSet<String> = ["a", "b", "c"].map(str::to_owned).into();
        assert_eq!(cycles(&knot), [wanted]);
        let line =
            graph_of(&[("a.rs", "use crate::b::X;"), ("b.rs", "use crate::c::X;"), ("c.rs", "")]);
        assert!(cycles(&line).is_empty());
    }

    #[test]
    fn a_crate_of_tests_has_a_graph_and_unit_tests_are_in_none() {
        let files = [
            ("a.rs", "use crate::b::X;"),
            ("b.rs", "use crate::a::X;"),
            ("b/tests.rs", "use crate::c::X;"),
            ("c/tests/d.rs", "use crate::b::X;"),
        ];
        for folder in ["tests/desk", "services/desk"] {
            let graph = graph_in(folder, &files);
            assert_eq!(graph.keys().collect::<Vec<_>>(), ["a", "b"], "{folder}");
            assert_eq!(cycles(&graph).len(), 1, "{folder}");
        }
    }
}
