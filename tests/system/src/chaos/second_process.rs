//! Runs a second process of a service beside the first: two relays, two sets of consumers and
//! timers.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};

use crate::pause::wait_for;
use crate::practice::{Practice, free_port};

/// How long both run.
const DURATION: Duration = Duration::from_secs(10);

/// A process that is killed when this value is dropped.
struct KillOnDrop(Child);

impl Drop for KillOnDrop {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// Starts a service's program a second time, with the settings of the first and ports of its own,
/// and kills it.
pub(super) async fn run_second_process(practice: &Practice, service: &str) -> Result<()> {
    practice.recorder.record_kill(service);
    let process = PathBuf::from(format!("/proc/{}", practice.pid(service)?));
    let program = std::fs::read_link(process.join("exe"))?;
    let environment = String::from_utf8(std::fs::read(process.join("environ"))?)?;
    // One program holds all services; its arguments say which one it runs.
    let line = String::from_utf8(std::fs::read(process.join("cmdline"))?)?;
    let arguments = line.split_terminator('\0').skip(1);
    let settings = environment.split('\0').filter_map(|setting| setting.split_once('='));
    let upper = service.to_uppercase();
    let listens = [format!("{upper}_LISTEN"), format!("{upper}_HTTP_LISTEN")];
    let own = listens.into_iter().chain(["METRICS_LISTEN".to_owned()]);
    let mut command = Command::new(program);
    command.args(arguments).env_clear().envs(settings).current_dir("/").stdin(Stdio::null());
    for name in own {
        command.env(name, format!("127.0.0.1:{}", free_port()?));
    }
    let log = practice.data().join(format!("logs/{service}-second.log"));
    let log = std::fs::File::options().create(true).append(true).open(log)?;
    command.stdout(log.try_clone()?).stderr(log);
    let mut second = KillOnDrop(command.spawn().context("a second process")?);
    wait_for(DURATION).await;
    let ended = second.0.try_wait()?;
    ensure!(ended.is_none(), "the second process of {service} ended by itself: {ended:?}");
    Ok(())
}
