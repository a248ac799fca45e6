//! Who may reach what: the table in ARCHITECTURE.md says the same as the code.
use crate::tree::SourceFile;
use std::collections::{BTreeMap, BTreeSet};

/// Where the table is.
const PAGE: &str = "ARCHITECTURE.md";
/// How its head begins.
const HEAD: &str = "| Service | Called by services |";
/// The services, each with a row.
const SERVICES: [&str; 6] =
    ["booking", "catalogue", "identity", "notifications", "payments", "reviews"];

type Names = BTreeSet<String>;

/// What a row says of a service.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Row {
    /// The services whose calls it takes, `ReadFeed` included.
    callers: Names,
    /// The services whose events it takes in.
    sources: Names,
    /// Whether it has a database.
    database: bool,
}

/// Differences between the table and the code.
#[must_use]
pub fn differences(files: &[SourceFile]) -> Vec<String> {
    let table = table(files);
    let differs = |service: &&str| {
        let (said, is) = (table.get(*service), coded(service, files));
        (said != Some(&is)).then(|| format!("{PAGE} says of {service} {said:?}; the code {is:?}"))
    };
    SERVICES.iter().filter_map(differs).collect()
}

fn table(files: &[SourceFile]) -> BTreeMap<String, Row> {
    let text = files.iter().find(|file| file.path == PAGE).map_or("", |file| file.text.as_str());
    let lines = text.lines().skip_while(|line| !line.starts_with(HEAD)).skip(2);
    let rows = lines.take_while(|line| line.starts_with('|')).filter_map(|line| {
        let mut cells = line.trim_matches('|').split('|').map(str::trim);
        let service = cells.next()?.trim_matches('`').to_owned();
        let (callers, sources) = (names(cells.next()?), names(cells.next()?));
        Some((service, Row { callers, sources, database: cells.next()? != "none" }))
    });
    rows.collect()
}

/// The names of services in a text.
fn names(text: &str) -> Names {
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric());
    words.filter(|word| SERVICES.contains(word)).map(str::to_owned).collect()
}

fn coded(service: &str, files: &[SourceFile]) -> Row {
    let folder = format!("services/{service}/src/");
    let mut row = Row::default();
    for file in files.iter().filter(|file| file.path.starts_with(&folder) && !file.is_test()) {
        for list in lists(&file.text) {
            row.callers.append(&mut names(list));
        }
        row.sources.append(&mut consumed(service, &file.text));
        row.database |= file.text.contains("DATABASE_URL\"");
    }
    row
}

/// The lists of callers: constants that are named so, and those in the calls themselves.
fn lists(text: &str) -> Vec<&str> {
    let begins =
        ["READERS: &[&str] = &[", "CALLERS: &[&str] = &[", "verify(request.metadata(), &["];
    let after = |begin: &&'static str| text.split(*begin).skip(1).collect::<Vec<_>>();
    let parts = begins.iter().flat_map(after);
    parts.filter_map(|part| part.split(']').next()).collect()
}

/// The sources of a service's consumers, which are called `<service>-on-<source>`.
fn consumed(service: &str, text: &str) -> Names {
    let begin = format!("\"{service}-on-");
    let ends = text.split(&begin).skip(1).filter_map(|part| part.split('"').next());
    ends.map(str::to_owned).collect()
}

/// Differences between what the code takes in and what NATS lets it hear.
#[must_use]
pub fn unheard(files: &[SourceFile]) -> Vec<String> {
    const RIGHTS: &str = "deploy/machine/src/nats/permissions.rs";
    let text = files.iter().find(|file| file.path == RIGHTS).map_or("", |file| file.text.as_str());
    let differs = |service: &&str| {
        let line =
            text.lines().find(|line| line.trim().starts_with(&format!("(\"{service}\", &[")));
        let said = line.map(|line| names(line.split_once('[').map_or("", |(_name, list)| list)));
        let is = coded(service, files).sources;
        (said.clone().unwrap_or_default() != is)
            .then(|| format!("{RIGHTS} says of {service} {said:?}; the code {is:?}"))
    };
    SERVICES.iter().filter_map(differs).collect()
}

#[cfg(test)]
mod tests {
    use super::{differences, unheard};
    use crate::tree::SourceFile;

    fn files(table: &str, rights: &str) -> Vec<SourceFile> {
        let mut page =
            String::from("| Service | Called by services | x | y |\n|---|---|---|---|\n");
        for service in super::SERVICES {
            page.push_str(&match service {
                "payments" => table.to_owned(),
                other => format!("| `{other}` | none | none | none |\n"),
            });
        }
        let code = "const READERS: &[&str] = &[\"booking\"];\n\
                    const C: &str = \"payments-on-booking\";\n\
                    self.peers.verify(request.metadata(), &[\"reviews\"]);\n\
                    \"PAYMENTS_DATABASE_URL\"";
        vec![
            SourceFile::sample("ARCHITECTURE.md", &page),
            SourceFile::sample("services/payments/src/lib.rs", code),
            SourceFile::sample("deploy/machine/src/nats/permissions.rs", rights),
        ]
    }

    #[test]
    fn each_difference_is_told() {
        let good = "| `payments` | booking, reviews | booking | own |\n";
        assert!(differences(&files(good, "")).is_empty());
        for wrong in [
            "| `payments` | booking | booking | own |\n",
            "| `payments` | booking, reviews | none | own |\n",
            "| `payments` | booking, reviews | booking | none |\n",
            "",
        ] {
            assert_eq!(differences(&files(wrong, "")).len(), 1, "{wrong}");
        }
    }

    #[test]
    fn a_subscription_without_rights_is_told() {
        assert!(unheard(&files("", "    (\"payments\", &[\"booking\"]),\n")).is_empty());
        assert_eq!(unheard(&files("", "    (\"payments\", &[]),\n")).len(), 1);
    }
}
