//! How many lines persons wrote, by part: lines of source and of tests in Rust, TypeScript and
//! JavaScript, without comments and blank lines, and lines of Markdown without blank ones and
//! without what programs write into it. SQL is not counted, because a merged migration stays.
use crate::parts::{self, Part};
use crate::tree::SourceFile;

/// Where a program's part of a page begins and ends.
const WRITTEN_BEGINS: [&str; 2] = ["<!-- made from ", "<!-- Written by "];
const WRITTEN_ENDS: &str = ": end -->";

/// Lines by part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// What runs.
    pub source: usize,
    /// What only tests use.
    pub tests: usize,
    /// Prose.
    pub markdown: usize,
}

/// Counts the lines of all files.
#[must_use]
pub fn count(files: &[SourceFile]) -> Lines {
    let mut all = Lines::default();
    for file in files {
        let language = Language::of(file);
        match (parts::of(file), language) {
            (Some(Part::Prose), _) if file.ends_with(".md") => {
                all.markdown += markdown_lines(&file.text);
            }
            (Some(Part::Tests), Some(language)) => {
                all.tests += read(&file.text, language).iter().filter(|line| line.has_code).count();
            }
            (Some(Part::Source), Some(language)) => {
                let lines = read(&file.text, language);
                let (source, tests) = source_and_unit_tests(&lines);
                all.source += source;
                all.tests += tests;
            }
            _ => {}
        }
    }
    all
}

fn markdown_lines(text: &str) -> usize {
    let mut is_written = false;
    let by_hand = text.lines().filter(|line| {
        is_written |= WRITTEN_BEGINS.iter().any(|begin| line.starts_with(begin));
        let counts = !is_written && !line.trim().is_empty();
        is_written &= !line.ends_with(WRITTEN_ENDS);
        counts
    });
    by_hand.count()
}

/// Lines with code outside and inside of `#[cfg(test)]`.
fn source_and_unit_tests(lines: &[Line]) -> (usize, usize) {
    let (mut source, mut tests) = (0, 0);
    let mut depth = None;
    for line in lines.iter().filter(|line| line.has_code) {
        let code = line.code.trim();
        let is_marked = code.starts_with("#[cfg(test)]") || code.starts_with("#[cfg(all(test,");
        if depth.is_none() && is_marked {
            depth = Some(0_i32);
        }
        let Some(open) = &mut depth else {
            source += 1;
            continue;
        };
        tests += 1;
        let count = |brackets: [char; 3]| code.matches(brackets).count();
        let (opened, closed) = (count(['(', '[', '{']), count([')', ']', '}']));
        *open += i32::try_from(opened).unwrap_or(0) - i32::try_from(closed).unwrap_or(0);
        // An attribute ends with a bracket of another kind, and what it is for follows.
        if *open == 0 && code.ends_with(['}', ';', ',']) {
            depth = None;
        }
    }
    (source, tests)
}

/// How comments and texts are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    Rust,
    Script,
}

impl Language {
    fn of(file: &SourceFile) -> Option<Self> {
        match file.name().rsplit_once('.')?.1 {
            "rs" => Some(Self::Rust),
            "ts" | "tsx" | "js" | "mjs" => Some(Self::Script),
            _ => None,
        }
    }
}

/// One line: its code without comments and without what stands in texts.
#[derive(Debug, Default)]
struct Line {
    code: String,
    /// Whether there is code, or a part of a text that goes over lines.
    has_code: bool,
}

/// What a line leaves open for the next one.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Open {
    Code,
    /// A comment, and how many comments it is within; only Rust's are within each other.
    Comment(usize),
    /// A text with its end, and whether `\` takes the next character from it.
    Text(String, bool),
}

fn read(text: &str, language: Language) -> Vec<Line> {
    let mut open = Open::Code;
    let mut lines = Vec::new();
    for line in text.lines() {
        lines.push(read_line(line, language, &mut open));
        // A text in single or double quotes ends with its line in a script, as does a word with an
        // apostrophe between tags.
        if language == Language::Script && matches!(&open, Open::Text(end, _) if end != "`") {
            open = Open::Code;
        }
    }
    lines
}

fn read_line(line: &str, language: Language, open: &mut Open) -> Line {
    let (mut read, mut rest) = (Line::default(), line);
    while !rest.is_empty() {
        rest = match open.clone() {
            Open::Comment(depth) => in_comment(rest, (language, depth), open),
            Open::Text(end, escapes) => {
                read.has_code |= !rest.trim().is_empty();
                in_text(rest, &end, escapes, open)
            }
            Open::Code if rest.starts_with("//") => "",
            Open::Code => in_code(rest, language, (&mut read.code, open)),
        };
    }
    read.has_code |= !read.code.trim().is_empty();
    read
}

/// What follows the next mark of a comment.
fn in_comment<'a>(rest: &'a str, (language, depth): (Language, usize), open: &mut Open) -> &'a str {
    let end = rest.find("*/");
    let begin = if language == Language::Rust { rest.find("/*") } else { None };
    match (begin, end) {
        (Some(begin), end) if end.is_none_or(|end| begin < end) => {
            *open = Open::Comment(depth + 1);
            after(rest, begin + 2)
        }
        (_, Some(end)) => {
            *open = if depth > 1 { Open::Comment(depth - 1) } else { Open::Code };
            after(rest, end + 2)
        }
        _ => "",
    }
}

/// What follows the text, if it ends here.
fn in_text<'a>(rest: &'a str, end: &str, escapes: bool, open: &mut Open) -> &'a str {
    let mut at = 0;
    while let Some(here) = rest.get(at..).filter(|here| !here.is_empty()) {
        if here.starts_with(end) {
            *open = Open::Code;
            return after(rest, at + end.len());
        }
        let mut letters = here.chars();
        let is_taken = escapes && letters.next() == Some('\\');
        let taken = if is_taken { here.chars().take(2) } else { here.chars().take(1) };
        at += taken.map(char::len_utf8).sum::<usize>();
    }
    ""
}

/// Takes the next piece of code, and what follows it.
fn in_code<'a>(
    rest: &'a str,
    language: Language,
    (code, open): (&mut String, &mut Open),
) -> &'a str {
    let is_in_word = code.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let first = rest.chars().next().unwrap_or_default();
    if rest.starts_with("/*") {
        *open = Open::Comment(1);
        return after(rest, 2);
    }
    if first == '"' || (language == Language::Script && matches!(first, '\'' | '`')) {
        *open = Open::Text(first.to_string(), true);
    } else if language == Language::Rust && first == '\'' {
        // A character is taken as a whole, because it may be a quotation mark; a lifetime is code.
        return after(rest, character(rest).unwrap_or(1));
    } else if let Some((end, length)) = raw_text(rest).filter(|_| language == Language::Rust)
        && !is_in_word
    {
        *open = Open::Text(end, false);
        code.push('"');
        return after(rest, length);
    }
    code.push(first);
    after(rest, first.len_utf8())
}

/// How long the character literal is with which a text begins.
fn character(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('\'')?;
    if let Some(escaped) = inner.strip_prefix('\\') {
        let skipped = escaped.chars().next().map_or(0, char::len_utf8);
        return escaped.get(skipped..)?.find('\'').map(|at| at + skipped + 3);
    }
    let letter = inner.chars().next()?;
    inner.get(letter.len_utf8()..)?.starts_with('\'').then(|| letter.len_utf8() + 2)
}

/// The end of a raw text that begins here, and how long its beginning is.
fn raw_text(text: &str) -> Option<(String, usize)> {
    let marks = text.strip_prefix("br").or_else(|| text.strip_prefix('r'))?;
    let hashes = marks.len() - marks.trim_start_matches('#').len();
    marks.get(hashes..)?.starts_with('"').then(|| {
        let begin = text.len() - marks.len() + hashes + 1;
        (format!("\"{}", "#".repeat(hashes)), begin)
    })
}

fn after(text: &str, at: usize) -> &str {
    text.get(at..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(path: &str, text: &str) -> (usize, usize, usize) {
        let Lines { source, tests, markdown } = count(&[SourceFile::sample(path, text)]);
        (source, tests, markdown)
    }

    #[test]
    fn comments_and_blank_lines_are_not_counted() {
        let rust = "//! A.\n\n/* b\n /* c */\n*/ fn a() {}\n  // d\nlet e = '\"'; // f\n\
                    let g = \"//\n\n/* h\";\n";
        assert_eq!(counted("gateway/src/a.rs", rust), (4, 0, 0));
        let raw = "let a = r#\"\n // b \"\n\"#;\nfn f<'a>(b: &'a str) {}\n/// c\nlet d = '\\'';\n";
        assert_eq!(counted("gateway/src/a.rs", raw), (5, 0, 0));
        let script = "/** A. */\nconst a = `\n// b\n`;\n  // c\n<p>Don't\n</p>\n/*\nd */\n";
        assert_eq!(counted("web/src/app/a.tsx", script), (5, 0, 0));
    }

    #[test]
    fn unit_tests_are_counted_as_tests_and_what_follows_them_is_not() {
        let text = "fn a() {}\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    fn b() {}\n}\n\
                    fn c() {}\n#[cfg(test)]\nmod tests;\nfn d() {}\n";
        assert_eq!(counted("gateway/src/a.rs", text), (3, 7, 0));
        assert_eq!(counted("tests/load/src/a.rs", "fn a() {}\n"), (0, 1, 0));
        assert_eq!(counted("migrations/a/1_x.sql", "select 1;\n"), (0, 0, 0));
    }

    #[test]
    fn what_programs_write_into_a_page_is_not_counted() {
        let page = "# A\n\n<!-- made from b: begin -->\nc\n<!-- made from b: end -->\nd\n";
        assert_eq!(counted("docs/A.md", page), (0, 0, 2));
    }
}
