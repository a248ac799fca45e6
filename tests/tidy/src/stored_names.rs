//! What the code keeps: text columns of the migrations, cookies of the servers, and keys of the
//! pages' storage. Names follow rules, so that they can be found: a cookie and a key of storage is
//! a constant whose name says so.
use crate::tree::SourceFile;

/// The types of columns in which something of a person can stand.
const TEXTS: [&str; 9] =
    ["text", "text[]", "varchar", "citext", "json", "jsonb", "bytea", "inet", "cidr"];
/// What pages do not use, because the table has no rows for it.
const UNUSED: [&str; 4] = ["indexedDB", "caches.", "serviceWorker", "document.cookie"];
/// Calls whose first argument is a key of storage.
const KEYED: [&str; 7] = [
    "localStorage.getItem(",
    "localStorage.setItem(",
    "sessionStorage.getItem(",
    "sessionStorage.setItem(",
    "readTab(",
    "writeTab(",
    "new BroadcastChannel(",
];
/// Files that are handed the key by their callers.
const HANDED: [&str; 5] = [
    "web/src/lib/tab-storage.ts",
    "web/src/lib/form-draft.ts",
    "web/src/lib/idempotency-key.ts",
    "web/src/lib/session-store.ts",
    "web/src/lib/theme.ts",
];
/// The file whose lists name keys.
const LISTS: &str = "web/src/lib/personal-state.ts";

/// What was found: the kind, the name and the place; and what cannot be read by the rules.
#[derive(Debug, Default)]
pub struct Findings {
    /// `column`, `cookie`, `channel` or `key`; the name; the file.
    pub found: Vec<(String, String, String)>,
    /// Uses that the rules do not allow.
    pub faults: Vec<String>,
}

/// Reads the whole checkout.
#[must_use]
pub fn kept(files: &[SourceFile]) -> Findings {
    let mut kept = Findings::default();
    for file in files {
        let is_server = ["gateway/src/", "services/"].iter().any(|it| file.path.starts_with(it));
        let is_page = file.path.starts_with("web/src/") && !file.path.starts_with("web/src/gen/");
        if file.path.starts_with("migrations/") {
            columns(file, &mut kept);
        } else if is_server && file.ends_with(".rs") && !file.is_test() {
            cookies(file, &mut kept);
        } else if is_page && (file.ends_with(".ts") || file.ends_with(".tsx")) && !file.is_test() {
            keys(file, &mut kept);
        }
    }
    kept
}

impl Findings {
    fn add(&mut self, kind: &str, name: &str, file: &SourceFile) {
        if !self.found.iter().any(|(known, own, _)| known == kind && own == name) {
            self.found.push((kind.to_owned(), name.to_owned(), file.path.clone()));
        }
    }
}

/// The text columns that a migration makes.
fn columns(file: &SourceFile, kept: &mut Findings) {
    let service = file.path.split('/').nth(1).unwrap_or_default();
    let plain = |line: &str| line.split("--").next().unwrap_or_default().to_owned();
    let lower: Vec<String> = file.text.lines().map(plain).collect();
    let text = lower.join("\n");
    for statement in text.split(';') {
        let words: Vec<&str> = statement.split_whitespace().collect();
        let table = |at: usize| {
            let after = words.get(at..).unwrap_or_default();
            let skipped = if after.first() == Some(&"if") {
                after.iter().position(|word| *word == "exists").map_or(0, |at| at.saturating_add(1))
            } else {
                0
            };
            let name = after.get(skipped).copied().unwrap_or_default();
            name.split('(').next().unwrap_or_default().to_owned()
        };
        let found = match words.as_slice() {
            ["create", "table", ..] => (table(2), columns_of(statement)),
            ["alter", "table", ..] => (table(2), added_columns(&words)),
            _ => continue,
        };
        for column in found.1 {
            kept.add("column", &format!("{service}.{}.{column}", found.0), file);
        }
    }
}

/// The columns of `create table`, one a line or several.
fn columns_of(statement: &str) -> Vec<String> {
    let body = statement.split_once('(').map(|(_, body)| body).unwrap_or_default();
    let mut depth = 0_usize;
    let mut parts = vec![String::new()];
    for letter in body.chars() {
        match letter {
            '(' => depth = depth.saturating_add(1),
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = parts.last_mut() {
            last.push(letter);
        }
    }
    parts
        .iter()
        .filter_map(|part| text_column(&part.split_whitespace().collect::<Vec<_>>()))
        .collect()
}

/// The columns of `alter table … add column …`.
fn added_columns(words: &[&str]) -> Vec<String> {
    let begins = words.windows(2).enumerate().filter(|(_, pair)| *pair == ["add", "column"]);
    let columns = begins.filter_map(|(at, _)| {
        let rest = words.get(at.saturating_add(2)..)?;
        let rest = if rest.first() == Some(&"if") { rest.get(3..)? } else { rest };
        text_column(rest)
    });
    columns.collect()
}

/// The name of a column with its type behind it, when the type is one for text.
fn text_column(words: &[&str]) -> Option<String> {
    let [name, kind, ..] = words else { return None };
    let kind = kind.trim_end_matches([',', ')']).split('(').next().unwrap_or_default();
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let is_name = !name.is_empty() && name.chars().all(plain);
    (is_name && TEXTS.contains(&kind)).then(|| (*name).to_owned())
}

/// The cookies that a server sets: texts of constants whose name has COOKIE. `__Host-` is a prefix
/// of the same cookie.
fn cookies(file: &SourceFile, kept: &mut Findings) {
    let own = file.text.split("#[cfg(test)]").next().unwrap_or_default();
    let mut named = false;
    for line in own.lines() {
        let declared = line.trim_start().trim_start_matches("pub(crate) ");
        let Some((name, value)) = declared.strip_prefix("const ").and_then(|it| it.split_once(':'))
        else {
            continue;
        };
        if name.contains("COOKIE") && value.contains("str") {
            for text in quoted(value, '"') {
                named = true;
                kept.add("cookie", text.trim_start_matches("__Host-"), file);
            }
        }
    }
    let sets = own.contains("SiteCookie::new(") || own.contains("Max-Age=");
    if sets && !named {
        let path = &file.path;
        kept.faults.push(format!(
            "{path} sets a cookie: its name has to be a constant such as `const COOKIE: &str`"
        ));
    }
}

/// The keys of storage and the channels of a page.
fn keys(file: &SourceFile, kept: &mut Findings) {
    for word in UNUSED.iter().filter(|word| file.text.contains(**word)) {
        kept.faults
            .push(format!("{} uses {word}, for which docs/stored.csv has no kind", file.path));
    }
    let mut in_flow = false;
    for (at, line) in file.text.lines().enumerate() {
        let trimmed = line.trim_start();
        in_flow = (in_flow || trimmed.contains("const FLOW_KEYS")) && !trimmed.starts_with('}');
        let in_list = file.path == LISTS && trimmed.starts_with("...[");
        let is_comment = ["/*", "*", "//"].iter().any(|begin| trimmed.starts_with(begin));
        if (in_flow && !is_comment) || in_list {
            quoted(trimmed, '\'').iter().for_each(|key| kept.add("key", key, file));
        }
        let declared = trimmed.trim_start_matches("export ").strip_prefix("const ");
        if let Some((name, value)) = declared.and_then(|it| it.split_once(" = ")) {
            let is_key = name == "KEY" || ["_KEY", "_MARK"].iter().any(|end| name.ends_with(end));
            if let (true, Some(key)) =
                (is_key && value.starts_with('\''), quoted(value, '\'').first())
            {
                kept.add("key", key, file);
                if file.text.contains(&format!("new BroadcastChannel({name})")) {
                    kept.add("channel", key, file);
                }
            }
        }
        if !HANDED.contains(&file.path.as_str()) {
            unnamed(trimmed, (file, at), kept);
        }
    }
}

/// Calls of storage whose key is no constant that the rules find.
fn unnamed(line: &str, (file, at): (&SourceFile, usize), kept: &mut Findings) {
    for call in KEYED {
        let Some((_, rest)) = line.split_once(call) else { continue };
        let key: String =
            rest.chars().take_while(|c| c.is_ascii_alphanumeric() || "_.".contains(*c)).collect();
        let upper = key.chars().all(|c| c.is_ascii_uppercase() || c == '_');
        let named = upper && (key.ends_with("KEY") || key.ends_with("MARK"));
        let is_of_list = file.path == LISTS && key == "key";
        if !(named || key.starts_with("FLOW_KEYS") || is_of_list) {
            kept.faults.push(format!(
                "{}:{}: the key of {call}…) has to be a constant whose name ends with KEY",
                file.path,
                at.saturating_add(1)
            ));
        }
    }
}

fn quoted(text: &str, quote: char) -> Vec<&str> {
    text.split(quote).skip(1).step_by(2).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> (Vec<String>, usize) {
        let kept = kept(&[SourceFile::sample(path, text)]);
        let names = kept.found.into_iter().map(|(kind, name, _)| format!("{kind} {name}"));
        (names.collect(), kept.faults.len())
    }

    #[test]
    fn text_columns_are_found_however_they_are_written() {
        let sql = "-- create table no (x text);\n\
                   create table if not exists people (\n  id uuid, name text not null,\n\
                   -- a comment text\n  age integer check (age > 0 and age in (1, 2)),\n\
                   words text[] not null, raw bytea,\n  unique (id, name)\n);\n\
                   alter table people\n  add column if not exists more jsonb default '{}',\n\
                   add column at timestamptz;\ncreate index i on people (name);\n";
        let wanted = ["name", "words", "raw", "more"].map(|name| format!("column a.people.{name}"));
        assert_eq!(found("migrations/a/1_x.sql", sql), (wanted.to_vec(), 0));
    }

    #[test]
    fn cookies_have_constants() {
        let named = "const COOKIE: &str = \"admin\";\nSiteCookie::new(public, COOKIE, 1, f);\n";
        assert_eq!(found("gateway/src/a.rs", named), (vec!["cookie admin".to_owned()], 0));
        let both = "const DEVICE_COOKIES: [&str; 2] = [\"__Host-device\", \"device\"];\n";
        assert_eq!(found("gateway/src/a.rs", both), (vec!["cookie device".to_owned()], 0));
        let unnamed = "format!(\"{name}={value}; Max-Age=1\");\n";
        assert_eq!(found("services/a/src/b.rs", unnamed), (Vec::new(), 1));
    }

    #[test]
    fn keys_of_storage_have_constants() {
        let named = "const KEY = 'draft';\nwriteTab(KEY, 'x');\n";
        assert_eq!(found("web/src/a.ts", named), (vec!["key draft".to_owned()], 0));
        let mark = "export const TAB_MARK = 'tabs';\nnew BroadcastChannel(TAB_MARK);\n";
        let wanted = vec!["key tabs".to_owned(), "channel tabs".to_owned()];
        assert_eq!(found("web/src/a.ts", mark), (wanted, 0));
        let flow = "export const FLOW_KEYS = {\n  a: 'one',\n} as const;\nconst x = 'two';\n";
        assert_eq!(found("web/src/a.ts", flow), (vec!["key one".to_owned()], 0));
        for bad in [
            "localStorage.setItem('draft', 'x');\n",
            "writeTab(name, 'x');\n",
            "document.cookie = 'a=b';\n",
            "const open = indexedDB.open('x');\n",
        ] {
            assert_eq!(found("web/src/a.ts", bad), (Vec::new(), 1), "{bad}");
        }
        assert_eq!(found("web/src/a.test.ts", "localStorage.setItem('x', 'y');\n").1, 0);
    }
}
