//! Supervises processes: starts them, restarts them when they exit, and stops them in order.
use anyhow::{Context, Result};
use machine::account::DatabaseUser;
use machine::output;
use machine::process::{self, Identity, open_log};
use machine::run_state::{ProcessRecord, RunState};
use rustix::process::Signal;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tokio::process::{Child, Command};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

const BACKOFF_FIRST: Duration = Duration::from_millis(100);
const BACKOFF_LAST: Duration = Duration::from_secs(5);
/// After this time a start counts as successful, and the backoff is reset.
const HEALTHY_AFTER: Duration = Duration::from_secs(10);
const LOG_BYTES_MAX: u64 = 20 * 1024 * 1024;

/// A check or repair before each start.
type Check = Arc<dyn Fn() -> Result<()> + Send + Sync>;
/// Settings that are read anew before each start; `None` unsets one.
type CurrentSettings = Arc<dyn Fn() -> Result<Vec<(String, Option<String>)>> + Send + Sync>;

/// One process of the practice, which must run until we stop it.
#[derive(Clone)]
pub(crate) struct ProcessSpec {
    /// The name in messages, logs and `run.json`.
    pub(crate) name: &'static str,
    /// The program.
    pub(crate) program: PathBuf,
    /// Its arguments.
    pub(crate) arguments: Vec<String>,
    /// Its whole environment: it inherits nothing of ours.
    pub(crate) environment: Vec<(String, String)>,
    /// What its commands that change the database's structure or rights get besides: the address
    /// of the database for its owner. The process that serves never has it.
    pub(crate) owner_settings: Vec<(String, String)>,
    /// The user that runs it, when that is not the current one.
    pub(crate) user: Option<DatabaseUser>,
    /// The ports it listens on, by name.
    pub(crate) ports: BTreeMap<String, u16>,
    /// The parts that it is, with their ports, if it is others than the one of its name.
    pub(crate) parts: Vec<(&'static str, BTreeMap<String, u16>)>,
    /// What is checked or repaired before each start.
    pub(crate) before_start: Option<Check>,
    /// Settings that may change while the practice runs; they come after the others.
    pub(crate) current_settings: Option<CurrentSettings>,
    /// The signal that asks it to stop.
    pub(crate) stop: Signal,
}

impl ProcessSpec {
    /// A process without arguments, settings and checks.
    pub(crate) fn new(name: &'static str, program: PathBuf) -> Self {
        Self {
            name,
            program,
            arguments: Vec::new(),
            environment: Vec::new(),
            owner_settings: Vec::new(),
            user: None,
            ports: BTreeMap::new(),
            parts: Vec::new(),
            before_start: None,
            current_settings: None,
            stop: Signal::TERM,
        }
    }

    /// Adds an argument.
    pub(crate) fn with_argument(mut self, argument: &str) -> Self {
        self.arguments.push(argument.to_owned());
        self
    }

    /// Adds what only the owner of the database may have, for one command.
    pub(crate) fn into_owners(mut self) -> Self {
        self.environment.append(&mut self.owner_settings);
        self
    }
}

/// The requested state of a process. Later values override earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DesiredState {
    Run,
    Stop,
    Kill,
}

struct RunningProcess {
    desired: watch::Sender<DesiredState>,
    task: JoinHandle<()>,
}

/// All running processes, in groups, in the order of their start.
pub(crate) struct Supervisor {
    run_state: RunState,
    logs: PathBuf,
    death_wrapper: Option<PathBuf>,
    backoff_last: Duration,
    groups: Vec<Vec<RunningProcess>>,
}

impl Supervisor {
    /// A supervisor without processes.
    pub(crate) fn new(run_state: RunState, logs: PathBuf) -> Self {
        let death_wrapper = parent_death_wrapper();
        Self { run_state, logs, death_wrapper, backoff_last: BACKOFF_LAST, groups: Vec::new() }
    }

    /// Limits the backoff between restarts.
    pub(crate) fn restart_within(&mut self, limit: Duration) {
        self.backoff_last = limit;
    }

    /// The path of a process's log.
    pub(crate) fn log(&self, name: &str) -> PathBuf {
        self.logs.join(format!("{name}.log"))
    }

    /// The command that runs a process, also one that only migrates.
    pub(crate) fn command(&self, part: &ProcessSpec) -> Result<Command> {
        let output = open_log(&self.log(part.name))?;
        let errors = output.try_clone().context("a log cannot be shared")?;
        let mut command = match &self.death_wrapper {
            Some(wrapper) => {
                let mut command = Command::new(wrapper);
                let name = if part.stop == Signal::INT { "INT" } else { "TERM" };
                command.args(["--pdeathsig", name, "--"]).arg(&part.program);
                command
            }
            None => Command::new(&part.program),
        };
        command.args(&part.arguments);
        // What the operator's shell has, keys to other systems too, is no matter of our parts.
        command.env_clear();
        command.envs(part.environment.iter().map(|(name, value)| (name, value)));
        // Its own process group, so that Ctrl-C reaches only us and we decide the order of
        // stopping.
        command.current_dir("/").process_group(0).kill_on_drop(true);
        command.stdin(Stdio::null()).stdout(output).stderr(errors);
        if let Some(user) = &part.user {
            command.uid(user.uid).gid(user.gid);
        }
        Ok(command)
    }

    /// Starts processes as one group: they start and stop together.
    pub(crate) fn start(&mut self, parts: Vec<ProcessSpec>) -> Result<()> {
        let mut group = Vec::new();
        for part in parts {
            rotate_log(&self.log(part.name))?;
            let (desired, desired_state) = watch::channel(DesiredState::Run);
            let monitor = ProcessMonitor {
                command: self.command(&part)?,
                run_state: self.run_state.clone(),
                log: self.log(part.name),
                desired_state,
                backoff_last: self.backoff_last,
                restarts: 0,
                part,
            };
            group.push(RunningProcess { desired, task: tokio::spawn(monitor.run()) });
        }
        self.groups.push(group);
        Ok(())
    }

    /// Stops all processes, the group that was started last first. They are killed at once when
    /// `kill_now` becomes true.
    pub(crate) async fn stop(&mut self, mut kill_now: watch::Receiver<bool>) {
        while let Some(group) = self.groups.pop() {
            for running in &group {
                running.desired.send_replace(DesiredState::Stop);
            }
            for running in group {
                let mut task = running.task;
                let ended = tokio::select! {
                    ended = &mut task => Some(ended),
                    _ = kill_now.wait_for(|kill_now| *kill_now) => None,
                };
                if ended.is_none() {
                    running.desired.send_replace(DesiredState::Kill);
                    drop(task.await);
                }
            }
        }
    }
}

/// The program that stops a child when its parent dies (`setpriv --pdeathsig`), if it exists.
fn parent_death_wrapper() -> Option<PathBuf> {
    let wrapper = ["/usr/bin/setpriv", "/bin/setpriv"].map(PathBuf::from);
    let mut works = wrapper.into_iter().filter(|path| {
        let mut tried = std::process::Command::new(path);
        tried.args(["--pdeathsig", "TERM", "--", "true"]);
        tried.stdout(Stdio::null()).stderr(Stdio::null());
        tried.status().is_ok_and(|status| status.success())
    });
    works.next()
}

/// Rotates a log that is too large. One old file is kept, so the disk space has a limit.
fn rotate_log(log: &std::path::Path) -> Result<()> {
    if std::fs::metadata(log).is_ok_and(|found| found.len() > LOG_BYTES_MAX) {
        std::fs::rename(log, log.with_extension("log.1")).context("an old log cannot be moved")?;
    }
    Ok(())
}

/// Runs one process and restarts it when it exits.
struct ProcessMonitor {
    part: ProcessSpec,
    command: Command,
    run_state: RunState,
    log: PathBuf,
    desired_state: watch::Receiver<DesiredState>,
    backoff_last: Duration,
    restarts: u32,
}

impl ProcessMonitor {
    async fn run(mut self) {
        let mut backoff = BACKOFF_FIRST.min(self.backoff_last);
        loop {
            let since = Instant::now();
            let end = match self.spawn() {
                Ok(child) => self.wait_for_exit(child).await,
                Err(error) => Some(format!("cannot start: {error:#}")),
            };
            self.record(None);
            let Some(end) = end else { return };
            if since.elapsed() >= HEALTHY_AFTER {
                backoff = BACKOFF_FIRST.min(self.backoff_last);
            }
            let name = self.part.name;
            output::step(format_args!(
                "{name} {end}; starting it again (log: {})",
                self.log.display()
            ));
            self.restarts += 1;
            let stopped = self.desired_state.wait_for(|desired| *desired != DesiredState::Run);
            if timeout(backoff, stopped).await.is_ok() {
                return;
            }
            backoff = (backoff * 2).min(self.backoff_last);
        }
    }

    fn spawn(&mut self) -> Result<Child> {
        if let Some(before_start) = &self.part.before_start {
            before_start()?;
        }
        if let Some(current_settings) = &self.part.current_settings {
            for (name, value) in current_settings()? {
                match value {
                    Some(value) => self.command.env(name, value),
                    None => self.command.env_remove(name),
                };
            }
        }
        let child = self.command.spawn().context("the program cannot be run")?;
        self.record(child.id().and_then(Identity::of).as_ref());
        Ok(child)
    }

    /// Waits for the exit of the process. Returns `None` when the stop was requested.
    async fn wait_for_exit(&mut self, mut child: Child) -> Option<String> {
        tokio::select! {
            ended = child.wait() => return Some(exit_description(ended.ok())),
            _ = self.desired_state.wait_for(|desired| *desired != DesiredState::Run) => {}
        }
        if let Some(pid) = child.id() {
            process::send_signal(pid, self.part.stop);
        }
        tokio::select! {
            _ = child.wait() => return None,
            _ = self.desired_state.wait_for(|desired| *desired == DesiredState::Kill) => {}
            () = sleep(STOP_TIMEOUT) => {}
        }
        // The timeout is over. The database rolls back what the process has not committed.
        drop(child.kill().await);
        None
    }

    fn record(&self, process: Option<&Identity>) {
        let record = |ports: &BTreeMap<String, u16>| ProcessRecord {
            process: process.cloned(),
            restarts: self.restarts,
            log: self.log.clone(),
            ports: ports.clone(),
        };
        let several = self.part.parts.iter().map(|(name, ports)| (*name, record(ports)));
        let mut records: Vec<_> = several.collect();
        if records.is_empty() {
            records.push((self.part.name, record(&self.part.ports)));
        }
        if let Err(error) = self.run_state.set_parts(records) {
            output::problem(&error);
        }
    }
}

/// How long a process may take to stop.
const STOP_TIMEOUT: Duration = Duration::from_secs(10);

fn exit_description(status: Option<ExitStatus>) -> String {
    use std::os::unix::process::ExitStatusExt;
    match status.map(|status| (status.code(), status.signal())) {
        Some((Some(code), _)) => format!("ended with code {code}"),
        Some((None, Some(signal))) => format!("was ended by signal {signal}"),
        Some((None, None)) | None => "ended".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Stage {
        folder: PathBuf,
        run_state: RunState,
        supervisor: Supervisor,
    }

    fn stage(name: &str) -> Stage {
        let folder = std::env::temp_dir().join(format!("sukoon-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let run_state = RunState::new(&folder);
        let supervisor = Supervisor::new(run_state.clone(), folder.clone());
        Stage { folder, run_state, supervisor }
    }

    fn script(name: &'static str, text: &str) -> ProcessSpec {
        let arguments = vec!["-c".to_owned(), text.to_owned()];
        ProcessSpec { arguments, ..ProcessSpec::new(name, PathBuf::from("/bin/sh")) }
    }

    async fn until<T>(probe: impl Fn() -> Option<T>) -> T {
        let asking = async {
            loop {
                if let Some(found) = probe() {
                    return found;
                }
                sleep(Duration::from_millis(10)).await;
            }
        };
        timeout(Duration::from_secs(120), asking).await.unwrap()
    }

    fn process(run_state: &RunState, name: &str) -> Option<Identity> {
        run_state.parts().remove(name)?.process
    }

    #[tokio::test]
    async fn a_process_that_was_killed_is_restarted() {
        let Stage { folder, run_state, mut supervisor } = stage("restart");
        supervisor.start(vec![script("clerk", "exec sleep 600")]).unwrap();
        let first = until(|| process(&run_state, "clerk")).await;
        first.signal(Signal::KILL);
        let again = |now: &Identity| *now != first;
        let second = until(|| process(&run_state, "clerk").filter(again)).await;
        assert!(second.is_alive());
        assert_eq!(run_state.parts()["clerk"].restarts, 1);
        supervisor.stop(watch::channel(false).1).await;
        assert!(!second.is_alive());
        assert_eq!(process(&run_state, "clerk"), None);
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[tokio::test]
    async fn a_process_that_is_several_parts_is_recorded_as_each() {
        let Stage { folder, run_state, mut supervisor } = stage("several");
        let port = |number| BTreeMap::from([("grpc".to_owned(), number)]);
        let parts = vec![("clerk", port(1)), ("porter", port(2))];
        let spec = ProcessSpec { parts, ..script("house", "exec sleep 600") };
        supervisor.start(vec![spec]).unwrap();
        let clerk = until(|| process(&run_state, "clerk")).await;
        assert_eq!(process(&run_state, "porter"), Some(clerk));
        let recorded = run_state.parts();
        assert_eq!(recorded.keys().collect::<Vec<_>>(), ["clerk", "porter"]);
        assert_eq!(recorded["porter"].ports["grpc"], 2);
        supervisor.stop(watch::channel(false).1).await;
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[tokio::test]
    async fn a_process_inherits_nothing_and_has_no_rights_of_the_owner() {
        let Stage { folder, supervisor, .. } = stage("empty");
        let part = ProcessSpec {
            environment: vec![("OWN".to_owned(), "yes".to_owned())],
            owner_settings: vec![("OWNER".to_owned(), "yes".to_owned())],
            ..script("clerk", "env")
        };
        // The shell sets these three itself.
        let made_by_shell = ["PWD=", "SHLVL=", "_="];
        for (part, wanted) in
            [(part.clone(), vec!["OWN=yes"]), (part.into_owners(), vec!["OWN=yes", "OWNER=yes"])]
        {
            let printed = supervisor.command(&part).unwrap().stdout(Stdio::piped()).output().await;
            let printed = String::from_utf8(printed.unwrap().stdout).unwrap();
            let own = |line: &&str| !made_by_shell.iter().any(|name| line.starts_with(name));
            let mut lines: Vec<&str> = printed.lines().filter(own).collect();
            lines.sort_unstable();
            assert_eq!(lines, wanted);
        }
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[tokio::test]
    async fn settings_that_change_are_read_at_each_start() {
        let Stage { folder, run_state, mut supervisor } = stage("current");
        let word = folder.join("word");
        std::fs::write(&word, "one").unwrap();
        let read = word.clone();
        let part = ProcessSpec {
            current_settings: Some(Arc::new(move || {
                let word = std::fs::read_to_string(&read)?;
                let former = (word == "one").then(|| "former".to_owned());
                Ok(vec![("WORD".to_owned(), Some(word)), ("FORMER".to_owned(), former)])
            })),
            ..script("clerk", "echo \"$WORD ${FORMER:-none}\"; exec sleep 600")
        };
        supervisor.start(vec![part]).unwrap();
        let log = supervisor.log("clerk");
        until(|| (process::last_lines(&log, 1) == "one former").then_some(())).await;
        std::fs::write(&word, "two").unwrap();
        until(|| process(&run_state, "clerk")).await.signal(Signal::TERM);
        until(|| (process::last_lines(&log, 1) == "two none").then_some(())).await;
        supervisor.stop(watch::channel(false).1).await;
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[tokio::test]
    async fn the_group_that_was_started_last_is_stopped_first() {
        let Stage { folder, run_state, mut supervisor } = stage("order");
        let diary = folder.join("diary");
        let text = |word: &str| {
            let path = diary.display();
            format!("trap 'echo {word} >> {path}; exit 0' TERM; echo up; while :; do sleep 1; done")
        };
        for (name, word) in [("store", "store"), ("desk", "desk")] {
            supervisor.start(vec![script(name, &text(word))]).unwrap();
            let log = supervisor.log(name);
            until(|| (process::last_lines(&log, 1) == "up").then_some(())).await;
            assert!(process(&run_state, name).is_some());
        }
        supervisor.stop(watch::channel(false).1).await;
        assert_eq!(std::fs::read_to_string(&diary).unwrap(), "desk\nstore\n");
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[tokio::test]
    async fn a_process_that_ignores_the_stop_signal_is_killed_on_request() {
        let Stage { folder, run_state, mut supervisor } = stage("hurry");
        supervisor.start(vec![script("deaf", "trap '' TERM; while :; do sleep 1; done")]).unwrap();
        let deaf = until(|| process(&run_state, "deaf")).await;
        let (kill_now, kill_requested) = watch::channel(false);
        kill_now.send_replace(true);
        let limit = Duration::from_secs(5);
        timeout(limit, supervisor.stop(kill_requested)).await.expect("it was waited for");
        assert!(!deaf.is_alive());
        std::fs::remove_dir_all(folder).unwrap();
    }
}
