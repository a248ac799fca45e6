//! `sukoon watch`: alarms and figures on a terminal, without Prometheus, and mails to the operator
//! when an alarm begins, by mail and by a push.
mod alarms;
mod looked;
mod mail;
mod rules;
mod screen;
mod series;
mod targets;

use alarms::{Alarm, Alarms};
use anyhow::{Result, bail};
use machine::environment::Environment;
use machine::output;
use machine::run_state::previous_run;
use mail::Mailer;
use server::{Message, Push};
use std::io::IsTerminal as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::{Instant, MissedTickBehavior, interval};

/// How often the processes are read.
const PERIOD: Duration = Duration::from_secs(10);
/// Puts the cursor into the corner and clears the screen.
const CLEAR: &str = "\u{1b}[H\u{1b}[2J";

/// Runs until it is interrupted, or once with `--once`; then the exit code is 1 if there is an
/// alarm.
pub(crate) async fn run(
    environment: &Environment,
    data: Option<&Path>,
    arguments: &[&str],
) -> Result<ExitCode> {
    let once = match arguments {
        [] => false,
        ["--once"] => true,
        _ => bail!("usage: sukoon watch [--once]"),
    };
    let sandbox = data.and_then(|data| previous_run(data).parts.remove("sandbox"));
    let sandbox_port = sandbox.and_then(|part| part.ports.get("smtp").copied());
    let ways =
        Ways { mailer: Mailer::open(environment, sandbox_port)?, push: Push::open(environment)? };
    let (rules, mut alarms) = (rules::all(), Alarms::default());
    let mut stop = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut period = interval(PERIOD);
    period.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = period.tick() => {}
            _ = stop.recv() => return Ok(ExitCode::SUCCESS),
            _ = terminate.recv() => return Ok(ExitCode::SUCCESS),
        }
        // A process that was restarted has its port again, and a practice may be started later.
        let mut samples = targets::read(&targets::find(environment, data)?).await;
        samples.extend(environment.get(looked::SETTING).into_iter().flat_map(looked::read));
        let begun = alarms.update(&rules, &samples, Instant::now());
        show(&screen::lines(&alarms, &samples));
        if once {
            let is_quiet = begun.is_empty();
            return Ok(if is_quiet { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
        if !begun.is_empty() && !ways.tell(&begun).await {
            alarms.take_back(&begun);
        }
    }
}

/// The ways by which the operator is told.
struct Ways {
    mailer: Option<Mailer>,
    push: Option<Push>,
}

impl Ways {
    /// Tells of alarms by all ways; no where every way has failed, so that they are told again.
    async fn tell(&self, begun: &[Alarm]) -> bool {
        let mut outcomes = Vec::new();
        if let Some(mailer) = &self.mailer {
            outcomes.push(mailer.tell(begun).await);
        }
        if let Some(push) = &self.push {
            outcomes.push(push.tell(&pushed(begun)).await);
        }
        let is_told = outcomes.is_empty() || outcomes.iter().any(Result::is_ok);
        for error in outcomes.into_iter().filter_map(Result::err) {
            output::problem(&error.context("a way to tell the operator has failed"));
        }
        is_told
    }
}

/// One message about all of them.
fn pushed(alarms: &[Alarm]) -> Message {
    let names: Vec<&str> = alarms.iter().map(|alarm| alarm.name.as_str()).collect();
    let lines: Vec<String> = alarms.iter().map(screen::line).collect();
    Message {
        title: format!("Sukoon alarm: {}", names.join(", ")),
        text: lines.join("\n"),
        is_urgent: alarms.iter().any(|alarm| alarm.is_page),
    }
}

fn show(lines: &[String]) {
    if std::io::stdout().is_terminal() {
        output::line(format_args!("{CLEAR}{}", lines.join("\n")));
    } else {
        lines.iter().for_each(output::line);
    }
}
