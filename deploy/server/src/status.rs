//! `sukoon status`: what runs, and what the last backup and the last drill were.
use super::backrest;
use super::decisions::Decisions;
use super::drill;
use super::layout::Layout;
use super::operations;
use super::outside;
use super::restore;
use super::units;
use anyhow::Result;
use machine::output;
use std::process::ExitCode;

/// The oldest that the newest backup may be: it is made every night.
const BACKUP_HOURS_MAX: i64 = 26;
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
    let lines = [
        ("site", site(layout).await),
        ("backup", last_backup(layout)),
        ("drill", last_drill(layout)),
    ];
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

/// Whether visitors reach the site, by its name and with a certificate that is good.
async fn site(layout: &Layout) -> Line {
    let domain = match Decisions::kept(layout) {
        Ok(decisions) => decisions.domain,
        Err(error) => return Line { is_well: false, text: format!("unknown: {error:#}") },
    };
    match outside::days_left(&domain).await {
        Ok(days) => Line {
            is_well: days >= outside::DAYS_MIN,
            text: format!("https://{domain} answers, certificate for {days} days"),
        },
        Err(error) => Line { is_well: false, text: format!("{error:#}") },
    }
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
