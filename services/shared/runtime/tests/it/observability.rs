//! Alerts, their tests, runbooks and boards against the code: each name in them is one that
//! Prometheus reads from a process, and each alert has a test and a runbook.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use runtime::metrics::{CHEAP, Gauge, Label, Reading, add_source, catalogue, endpoint};
use runtime::{BoxError, Shutdown};
use serde_json::Value;

/// What Prometheus adds to every series, or makes itself.
const OWN_LABELS: [&str; 3] = ["job", "instance", "le"];
const OWN_METRICS: [&str; 1] = ["up"];
/// Words of its language that stand where names of metrics do.
const WORDS: [&str; 9] =
    ["and", "or", "unless", "by", "without", "on", "ignoring", "bool", "offset"];

fn checkout() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

fn read(path: &str) -> String {
    fs::read_to_string(checkout().join(path)).unwrap()
}

/// The expressions of a rules file. Each is the value of `expr`, on one line or folded.
fn expressions_of_rules(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut folded_below: Option<usize> = None;
    for line in text.lines() {
        let depth = line.len() - line.trim_start().len();
        if let Some(expression) = line.trim_start().strip_prefix("expr:") {
            found.push(expression.trim().trim_start_matches(">-").to_owned());
            folded_below = Some(depth);
        } else if folded_below.is_some_and(|key| depth > key) {
            let last = found.last_mut().unwrap();
            last.push(' ');
            last.push_str(line.trim());
        } else {
            folded_below = None;
        }
    }
    found
}

fn expressions_of_board(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            let own = fields.get("expr").and_then(Value::as_str);
            found.extend(own.map(str::to_owned));
            fields.values().for_each(|value| expressions_of_board(value, found));
        }
        Value::Array(items) => items.iter().for_each(|item| expressions_of_board(item, found)),
        _ => {}
    }
}

fn boards() -> Vec<(String, Value)> {
    let folder = checkout().join("deploy/observability/dashboards");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let read = |path: PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        (name, serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap())
    };
    files.map(read).collect()
}

/// The rules of the processes, those of the restore drill of a cluster, and those of a server.
fn rules() -> String {
    ["alerts.yml", "restores/restores.yml", "server/server.yml"]
        .map(|file| read(&format!("deploy/observability/{file}")))
        .concat()
}

/// What the restore drill pushes, by its script.
fn told_by_the_drill() -> BTreeSet<String> {
    let script = read("deploy/kubernetes/components/restore-drill/drill.sh");
    let pushed = script.lines().filter_map(|line| line.trim().strip_prefix("echo \"sukoon_"));
    pushed.filter_map(|rest| Some(format!("sukoon_{}", rest.split_once(' ')?.0))).collect()
}

/// What a server of its own tells beside, by the sources of `sukoon look` and of its reader.
fn told_by_the_server() -> BTreeSet<String> {
    let sources = ["server/src/look.rs", "local/src/watch/looked.rs"];
    let text = sources.map(|file| read(&format!("deploy/{file}"))).concat();
    let quoted = text.split('"').filter(|part| part.starts_with("sukoon_machine_"));
    let name = |part: &str| part.split(['{', '\\', ' ']).next().unwrap().to_owned();
    quoted.map(name).collect()
}

fn expressions() -> Vec<String> {
    let mut found = expressions_of_rules(&rules());
    boards().iter().for_each(|(_, board)| expressions_of_board(board, &mut found));
    found
}

/// The names of metrics and of labels in an expression. Texts in quotes are values.
fn names_in(expression: &str) -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut metrics, mut labels) = (BTreeSet::new(), BTreeSet::new());
    let mut outside_texts = String::new();
    for (number, part) in expression.split('"').enumerate() {
        outside_texts.push_str(if number % 2 == 0 { part } else { "\"" });
    }
    let is_part = |char: char| char.is_ascii_alphanumeric() || "_:".contains(char);
    let (mut in_braces, mut in_list) = (false, false);
    let mut rest = outside_texts.as_str();
    let mut before = String::new();
    while let Some(first) = rest.chars().next() {
        if !is_part(first) {
            in_braces = first == '{' || in_braces && first != '}';
            let begins_list = first == '(' && ["by", "without", "on"].contains(&before.as_str());
            in_list = begins_list || in_list && first != ')';
            if first != ' ' {
                before.clear();
            }
            // A range is a number with a unit.
            rest = if first == '[' { rest.split_once(']').unwrap().1 } else { &rest[1..] };
            continue;
        }
        let end = rest.find(|char| !is_part(char)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        // An aggregation may say what it groups by before what it aggregates.
        let next = after.trim_start();
        let is_call = ["(", "by ", "by(", "without "].iter().any(|start| next.starts_with(start));
        let is_name = word.starts_with(|char: char| char.is_ascii_lowercase());
        if in_braces || in_list {
            labels.insert(word.to_owned());
        } else if is_name && !is_call && !WORDS.contains(&word) {
            metrics.insert(word.to_owned());
        }
        word.clone_into(&mut before);
        rest = after;
    }
    (metrics, labels)
}

#[test]
fn names_are_found_in_expressions() {
    let expression = r#"sum by (job, le) (rate(http_server_x_count{http_route="/a b{c}"}[5m]))
        / on (job) up > 14.4 * 0.005 unless sukoon:ratio5m"#;
    let (metrics, labels) = names_in(expression);
    assert_eq!(Vec::from_iter(metrics), ["http_server_x_count", "sukoon:ratio5m", "up"]);
    assert_eq!(Vec::from_iter(labels), ["http_route", "job", "le"]);
}

/// Everything that a process can tell, as Prometheus names it.
async fn told() -> BTreeSet<String> {
    let shutdown = Shutdown::new();
    let any = "127.0.0.1:0".parse().unwrap();
    let address = endpoint::open("booking", any, &shutdown).await.unwrap();
    catalogue::begin_all();
    add_source("one-of-each", CHEAP, || {
        let one = |gauge: &&'static Gauge| Reading::plain(gauge, 1);
        let all: Vec<Reading> = catalogue::gauges().iter().map(one).collect();
        std::future::ready(Ok::<_, BoxError>(all))
    });
    let url = format!("http://{address}/metrics");
    let text = runtime::http::client().unwrap().get(url).send().await.unwrap();
    let text = text.text().await.unwrap();
    shutdown.trigger();
    let series = text.lines().filter(|line| !line.starts_with('#'));
    series.map(|line| line.split(['{', ' ']).next().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn every_metric_and_label_of_alerts_and_boards_exists() {
    let mut told = told().await;
    told.extend(told_by_the_drill());
    told.extend(told_by_the_server());
    let rules = rules();
    let recorded: BTreeSet<&str> =
        rules.lines().filter_map(|line| line.trim().strip_prefix("- record: ")).collect();
    let known_labels: BTreeSet<String> =
        Label::ALL.iter().map(|label| label.word().replace('.', "_")).collect();
    let expressions = expressions();
    assert!(expressions.len() > 40, "the expressions were not found");
    let mut faults = BTreeSet::new();
    for expression in &expressions {
        let (metrics, labels) = names_in(expression);
        let is_known = |name: &str| {
            told.contains(name) || recorded.contains(name) || OWN_METRICS.contains(&name)
        };
        faults.extend(metrics.into_iter().filter(|name| !is_known(name)));
        let is_label = |name: &str| known_labels.contains(name) || OWN_LABELS.contains(&name);
        faults.extend(labels.into_iter().filter(|name| !is_label(name)));
    }
    assert!(faults.is_empty(), "these do not exist: {faults:?}; these do: {told:?}");
}

/// A metric that no page explains is one that only its author reads.
#[tokio::test]
async fn every_metric_stands_in_the_documentation() {
    let page = read("docs/OBSERVABILITY.md");
    for definition in catalogue::definitions() {
        let row = format!("| `{}` |", definition.name);
        assert!(page.contains(&row), "docs/OBSERVABILITY.md has no row for {}", definition.name);
    }
}

#[test]
fn every_alert_has_a_runbook_and_a_test_and_nothing_else_has() {
    let rules = rules();
    let alerts: BTreeSet<&str> =
        rules.lines().filter_map(|line| line.trim().strip_prefix("- alert: ")).collect();
    assert!(alerts.len() > 20, "the alerts were not found");
    let page = read("docs/RUNBOOKS.md");
    let sections: BTreeSet<&str> =
        page.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    assert_eq!(alerts, sections);
    let folder = checkout().join("deploy/observability/tests");
    let mut tests = String::new();
    for entry in fs::read_dir(folder).unwrap() {
        tests.push_str(&fs::read_to_string(entry.unwrap().path()).unwrap());
    }
    let tested: BTreeSet<&str> =
        tests.lines().filter_map(|line| line.trim().strip_prefix("alertname: ")).collect();
    assert_eq!(alerts, tested);
    for alert in alerts {
        let link = format!("runbook: docs/RUNBOOKS.md#{}", alert.to_lowercase());
        assert!(rules.contains(&link), "{alert} does not lead to its runbook");
    }
}

#[test]
fn boards_have_names_and_panels_with_titles() {
    let boards = boards();
    assert_eq!(boards.len(), 3);
    for (name, board) in boards {
        let title = board["title"].as_str().unwrap();
        assert!(title.starts_with("Sukoon"), "{name}");
        let panels = board["panels"].as_array().unwrap();
        assert!(panels.iter().all(|panel| panel["title"].is_string()), "{name}");
    }
}
