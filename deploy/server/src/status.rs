//! `sukoon status`: what runs, and what the last backup and the last drill were.
use super::backrest;
use super::decisions::Decisions;
use super::drill;
use super::layout::Layout;
use super::look::Figures;
use super::operations;
use super::outside;
use super::restore;
use super::units;
use anyhow::Result;
use machine::output;
use std::process::ExitCode;

/// The oldest that the newest backup may be: it is made every night.
const BACKUP_HOURS_MAX: i64 = 26;
/// The fullest that a volume may be.
const USED_PERCENT_MAX: u64 = 85;
/// The oldest that the last drill may be.
const DRILL_HOURS_MAX: i64 = 26;

/// Prints it; fails when something does not run or is overdue.
pub(crate) async fn run(layout: &Layout) -> Result<ExitCode> {
    let mut is_well = true;
    for unit in units::PARTS {
        let state = units::state(unit);
        is_well &= state == "active";
        output::line(format_args!("{:<14} {state}", units::short(unit)));
    }
    if !is_well {
        output::line(
            "What is not active: `sukoon logs PART` says why; `systemctl start sukoon.target` \
             starts what was stopped.",
        );
    }
    let domain = Decisions::kept(layout).map(|it| it.domain).unwrap_or_default();
    let mut lines = of_machine(&Figures::take(layout).await, &domain);
    lines.push(("backup", last_backup(layout)));
    lines.push(("place", place(layout)));
    lines.push(("drill", last_drill(layout)));
    for (title, line) in lines {
        is_well &= line.is_well;
        output::line(format_args!("{title:<14} {}", line.text));
    }
    for copy in restore::left_to_a_person(layout) {
        output::line(format_args!(
            "{:<14} {} has the data that a restore replaced; remove it when it is not needed",
            "copy",
            copy.display()
        ));
    }
    Ok(if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

struct Line {
    is_well: bool,
    text: String,
}

/// The figures of `sukoon look`, with the bounds of the alarms of deploy/observability/server.
fn of_machine(figures: &Figures, domain: &str) -> Vec<(&'static str, Line)> {
    let percent = |value: Option<u64>| value.map_or("?".to_owned(), |value| value.to_string());
    let volumes = [figures.data_percent, figures.backups_percent];
    let [data, backups] = volumes.map(percent);
    let site = match &figures.certificate_days {
        Some(Ok(days)) => Line {
            is_well: *days >= outside::DAYS_MIN,
            text: format!("https://{domain} answers, certificate for {days} days"),
        },
        Some(Err(error)) => Line { is_well: false, text: error.clone() },
        None => Line { is_well: false, text: "unknown; `sukoon init` writes its name".to_owned() },
    };
    let disk = Line {
        is_well: volumes.into_iter().flatten().all(|it| it <= USED_PERCENT_MAX),
        text: format!("{data} % used where data lie, {backups} % where backups do"),
    };
    let archive = match figures.archiving_fails {
        Some(false) => Line { is_well: true, text: "the log of changes is archived".to_owned() },
        Some(true) => Line {
            is_well: false,
            text: "FAILS: what changes now is in no backup; `sukoon logs postgres` says why"
                .to_owned(),
        },
        None => Line { is_well: false, text: "unknown: PostgreSQL does not answer".to_owned() },
    };
    let clock = match figures.clock_synchronised {
        Some(true) => Line { is_well: true, text: "follows a time server".to_owned() },
        Some(false) => Line {
            is_well: false,
            text: "follows no time server: `timedatectl set-ntp true`".to_owned(),
        },
        None => Line { is_well: true, text: "unknown: timedatectl does not say".to_owned() },
    };
    vec![("site", site), ("disk", disk), ("archive", archive), ("clock", clock)]
}

/// Backups on this machine only go with it.
fn place(layout: &Layout) -> Line {
    let is_elsewhere = Decisions::kept(layout).is_ok_and(|it| it.backups.is_elsewhere());
    let text = match is_elsewhere {
        true => "databases elsewhere; pictures on this machine",
        false => "backups are on this machine only: [backups.place] of the answers",
    };
    Line { is_well: true, text: text.to_owned() }
}

fn last_backup(layout: &Layout) -> Line {
    match backrest::newest(layout) {
        Ok(Some(newest)) => {
            let hours = hours_since(jiff::Timestamp::from_second(newest.ended_at).ok());
            Line {
                is_well: hours.is_some_and(|hours| hours <= BACKUP_HOURS_MAX),
                text: format!("{} ({}), {}", newest.label, newest.kind, ago(hours)),
            }
        }
        Ok(None) => Line { is_well: false, text: "none yet; `sukoon backup` makes one".to_owned() },
        Err(error) => Line { is_well: false, text: format!("unknown: {error:#}") },
    }
}

fn last_drill(layout: &Layout) -> Line {
    let Some(result) = operations::kept(layout, drill::RESULT) else {
        return Line { is_well: false, text: "none yet; `sukoon drill` makes one".to_owned() };
    };
    let began = result.get("began_at").and_then(|it| it.as_str());
    let hours = hours_since(began.and_then(|at| at.parse().ok()));
    let is_sound = result.get("sound") == Some(&serde_json::Value::Bool(true));
    Line {
        is_well: is_sound && hours.is_some_and(|hours| hours <= DRILL_HOURS_MAX),
        text: format!("{}, {}", drill::summary(&result), ago(hours)),
    }
}

#[expect(clippy::disallowed_methods, reason = "how old a file is, is a matter of this machine")]
fn hours_since(then: Option<jiff::Timestamp>) -> Option<i64> {
    let seconds = jiff::Timestamp::now().as_second().saturating_sub(then?.as_second());
    Some(seconds / 3600)
}

fn ago(hours: Option<i64>) -> String {
    match hours {
        None => "at an unknown time".to_owned(),
        Some(0) => "within the last hour".to_owned(),
        Some(hours) => format!("{hours} hours ago"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn well(figures: &Figures) -> Vec<&'static str> {
        let lines = of_machine(figures, "book.example.org").into_iter();
        lines.filter(|(_, line)| !line.is_well).map(|(title, _)| title).collect()
    }

    #[test]
    fn each_figure_is_seen_well_and_not() {
        let sound = Figures {
            data_percent: Some(85),
            backups_percent: Some(2),
            archiving_fails: Some(false),
            backup_age: Some(1),
            certificate_days: Some(Ok(14)),
            clock_synchronised: Some(true),
        };
        assert_eq!(well(&sound), Vec::<&str>::new());
        for (broken, title) in [
            (Figures { data_percent: Some(86), ..sound.clone() }, "disk"),
            (Figures { backups_percent: Some(99), ..sound.clone() }, "disk"),
            (Figures { archiving_fails: Some(true), ..sound.clone() }, "archive"),
            (Figures { archiving_fails: None, ..sound.clone() }, "archive"),
            (Figures { certificate_days: Some(Ok(13)), ..sound.clone() }, "site"),
            (Figures { certificate_days: Some(Err(String::new())), ..sound.clone() }, "site"),
            (Figures { clock_synchronised: Some(false), ..sound }, "clock"),
        ] {
            assert_eq!(well(&broken), [title], "{broken:?}");
        }
    }
}
