//! The attackers: a process of its own at low priority, so that honest clients and the practice
//! come first, as they do where attackers have machines of their own.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, Result};
use futures::future::join_all;
use siege::{Attack, KINDS, Prey};
use tokio::process::{Child, Command};

/// The built site, in which the attackers find a large file.
const SITE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/dist");

/// Whom to attack, and an account of the attackers.
pub(super) struct Target {
    pub(super) address: SocketAddr,
    pub(super) token: String,
}

/// Starts the attackers. They end by themselves.
pub(super) fn start(target: &Target, length: Duration) -> Result<Child> {
    let child = Command::new("nice")
        .args(["-n", "10"])
        .arg(std::env::current_exe()?)
        .arg("attack")
        .args([target.address.to_string(), length.as_secs().to_string()])
        .args([&target.token, &large_file()?])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn();
    child.context("the attackers do not start")
}

/// Attacks with all kinds of clients, and returns a table of what came of it.
pub(super) async fn attack(
    target: SocketAddr,
    length: Duration,
    (token, large_file): (&str, &str),
) -> String {
    let prey = Prey { token: token.to_owned(), large_file: large_file.to_owned() };
    let attacks = KINDS.iter().zip(1_u8..).map(|(kind, number)| {
        let source = Ipv4Addr::new(127, 0, 2, number);
        let (prey, connections) = (prey.clone(), kind.connections);
        let attack = Attack { target, source, prey, connections, openings_max: 100, length };
        siege::start(kind, attack).wait()
    });
    let outcomes = join_all(attacks).await;
    let line = |(kind, outcome): (&siege::Kind, &siege::Outcome)| {
        let statuses: Vec<String> =
            outcome.statuses.iter().map(|(status, count)| format!("{status} × {count}")).collect();
        format!(
            "{:40} {:>7} opened {:>7} closed {:>7} not opened  {}\n",
            kind.name,
            outcome.opened,
            outcome.closed,
            outcome.failed,
            statuses.join(", ")
        )
    };
    KINDS.iter().zip(&outcomes).map(line).collect()
}

/// The path of the site's largest file.
fn large_file() -> Result<String> {
    let site = Path::new(SITE);
    let mut folders = vec![site.to_owned()];
    let mut largest: Option<(u64, PathBuf)> = None;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).context("the site is not built")? {
            let (path, data) = entry.and_then(|entry| Ok((entry.path(), entry.metadata()?)))?;
            if data.is_dir() {
                folders.push(path);
            } else if largest.as_ref().is_none_or(|(length, _)| data.len() > *length) {
                largest = Some((data.len(), path));
            }
        }
    }
    let (_, path) = largest.context("the site is empty")?;
    Ok(format!("/{}", path.strip_prefix(site)?.to_string_lossy()))
}
