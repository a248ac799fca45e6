//! The figures as rows: one name, one number, one unit each, for people and for the arithmetic of
//! `deploy/kubernetes/SCALE.md`, whose table has these names.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::phases::{Memory, PAID, Paid, Phase, Rest};

/// One figure.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    name: String,
    number: f64,
    unit: &'static str,
}

const MIB: &str = "MiB";
const CPU_SECONDS: &str = "s of processor";

/// All figures of a run with so many practices.
pub(super) fn rows(
    practices: usize,
    (paid, rest, phases, loaded): (&Paid, &Rest, &[Phase], &Memory),
) -> Vec<Row> {
    let count = u32::try_from(practices).map(f64::from).unwrap_or_default();
    let mut rows = Vec::new();
    let mut add = |name: String, number: f64, unit| rows.push(Row { name, number, unit });
    for (what, cpu) in [("1,000 bookings, confirmed", &paid.per_thousand)]
        .into_iter()
        .chain(phases.iter().map(|it| (title(it.title), &it.per_thousand)))
    {
        let services = cpu.total() - cpu.of("postgres") - cpu.of("nats");
        add(format!("{what}: all"), cpu.total(), CPU_SECONDS);
        add(format!("{what}: services"), services, CPU_SECONDS);
        add(format!("{what}: PostgreSQL"), cpu.of("postgres"), CPU_SECONDS);
        add(format!("{what}: NATS"), cpu.of("nats"), CPU_SECONDS);
    }
    for phase in phases {
        add(format!("{} of all practices at once", phase.title), phase.per_second, "in a second");
    }
    let at_rest = |name: &str| rest.cpu.of(name) * 1000.0;
    let [postgres, nats] = [at_rest("postgres"), at_rest("nats")];
    let all = rest.cpu.total() * 1000.0;
    let services = all - postgres - nats;
    for (part, taken) in [("services", services), ("PostgreSQL", postgres), ("NATS", nats)] {
        add(format!("a practice at rest: {part}"), taken, "ms of processor in a second");
    }
    for (when, memory) in [("at rest", &rest.memory), ("after load", loaded)] {
        add(format!("memory {when}: gateway"), memory.gateway, MIB);
        add(format!("memory {when}: six services"), memory.services, MIB);
        add(format!("memory {when}: PostgreSQL's connections"), memory.backends, MIB);
        add(format!("memory {when}: share of NATS"), memory.nats, MIB);
    }
    let most = phases.iter().map(|it| it.connections_max).max().unwrap_or_default();
    add("connections to PostgreSQL, at rest".into(), float(rest.connections) / count, "");
    add("connections to PostgreSQL, at most".into(), float(most), "");
    let held = |number: u64| float(i64::try_from(number).unwrap_or_default()) / count;
    add("connections to NATS".into(), held(rest.held.connections), "");
    add("streams".into(), held(rest.held.streams), "");
    add("durable consumers".into(), held(rest.held.consumers), "");
    add("disk of a practice without bookings".into(), rest.empty_mib, MIB);
    add(format!("disk of 100,000 bookings (from {PAID})"), paid.disk_mib, MIB);
    add(format!("PostgreSQL's log of 100,000 bookings (from {PAID})"), paid.log_mib, MIB);
    rows
}

fn title(title: &'static str) -> &'static str {
    match title {
        "bookings" => "1,000 times held",
        "slot lists of a week" => "1,000 slot lists",
        _ => "1,000 lists of services",
    }
}

fn float(number: i64) -> f64 {
    i32::try_from(number).map(f64::from).unwrap_or_default()
}

/// The table, in Markdown.
pub(super) fn table(rows: &[Row]) -> String {
    let mut text = String::from("| Of one practice | Measured | Unit |\n| --- | ---: | --- |\n");
    for Row { name, number, unit } in rows {
        // Writing to a string cannot fail.
        writeln!(text, "| {name} | {} | {unit} |", shown(*number)).ok();
    }
    text
}

/// Three digits that count.
fn shown(number: f64) -> String {
    let digits = match number {
        it if it >= 100.0 => 0,
        it if it >= 10.0 => 1,
        it if it >= 1.0 => 2,
        _ => 3,
    };
    format!("{number:.digits$}")
}

/// The figures by name.
pub(super) fn json(rows: &[Row]) -> Value {
    let figures = rows.iter().map(|row| (row.name.clone(), json!(row.number)));
    Value::Object(figures.collect::<Map<_, _>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_a_name_a_number_and_a_unit() {
        let rows = [
            Row { name: "memory".into(), number: 12.34, unit: MIB },
            Row { name: "streams".into(), number: 5.0, unit: "" },
            Row { name: "bookings".into(), number: 1234.5, unit: "in a second" },
        ];
        let text = table(&rows);
        for line in ["| memory | 12.3 | MiB |", "| streams | 5.00 |  |", "| bookings | 1234 |"] {
            assert!(text.contains(line), "{text}");
        }
        assert_eq!(json(&rows)["streams"], 5.0);
    }
}
