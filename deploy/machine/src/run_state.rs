//! `run.json`: the running processes with their pids, ports and addresses. Tests use it to find and
//! kill processes. A later start uses it to stop what a killed one has left running.
use crate::process::Identity;
use crate::secrets;
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// One process as the file describes it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ProcessRecord {
    /// Its identity while it runs.
    pub process: Option<Identity>,
    /// The number of its restarts.
    pub restarts: u32,
    /// The path of its log.
    pub log: PathBuf,
    /// The ports it listens on, by name.
    #[serde(default)]
    pub ports: BTreeMap<String, u16>,
}

/// The URLs of one service's database.
#[derive(Clone, Debug, Serialize)]
pub struct Addresses {
    /// For the running service.
    pub url: String,
    /// For its migrations.
    pub migration_url: String,
    /// For what only reads: checks, drills, reports.
    pub reader_url: String,
    /// For tests that read as superuser.
    pub admin_url: String,
}

/// What the file contains besides the processes.
#[derive(Debug)]
pub struct RunInfo {
    /// The address for browsers.
    pub public_url: String,
    /// The sandbox's address.
    pub sandbox_url: String,
    /// The address of NATS, without credentials; none in the small form.
    pub nats_url: Option<String>,
    /// The superuser's database URL.
    pub postgres_admin_url: String,
    /// The services' databases.
    pub databases: BTreeMap<String, Addresses>,
    /// The files of private keys, by name.
    pub keys: BTreeMap<String, PathBuf>,
    /// The provider's secrets, with which a test can act as the provider.
    pub provider: Value,
    /// The owner's email address, when this program has created an owner.
    pub owner_email: Option<String>,
}

#[derive(Debug, Default)]
struct State {
    info: Option<RunInfo>,
    parts: BTreeMap<String, ProcessRecord>,
    ready: bool,
}

/// The run state, shared by all tasks that change a process's record.
#[derive(Clone, Debug)]
pub struct RunState {
    path: PathBuf,
    state: Arc<Mutex<State>>,
}

impl RunState {
    /// A new state for a data folder. The file is written at the first change.
    pub fn new(data: &Path) -> Self {
        Self { path: file(data), state: Arc::default() }
    }

    /// Records the addresses.
    pub fn set_info(&self, info: RunInfo) -> Result<()> {
        self.change(|state| state.info = Some(info))
    }

    /// Records whether the practice is ready.
    pub fn set_ready(&self, ready: bool) -> Result<()> {
        self.change(|state| state.ready = ready)
    }

    /// Records the state of a process.
    pub fn set_part(&self, name: &str, part: ProcessRecord) -> Result<()> {
        self.set_parts([(name, part)])
    }

    /// Records the state of a process that is several parts.
    pub fn set_parts<'n>(
        &self,
        parts: impl IntoIterator<Item = (&'n str, ProcessRecord)>,
    ) -> Result<()> {
        let named = parts.into_iter().map(|(name, part)| (name.to_owned(), part));
        self.change(|state| state.parts.extend(named))
    }

    /// The current records of all processes.
    pub fn parts(&self) -> BTreeMap<String, ProcessRecord> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).parts.clone()
    }

    /// Removes the file when nothing runs any more.
    pub fn remove(&self) -> Result<()> {
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(error).with_context(|| format!("{} cannot be removed", self.path.display()))
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }

    fn change(&self, change: impl FnOnce(&mut State)) -> Result<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut state);
        let text = serde_json::to_vec_pretty(&state.as_json()).context("no record can be made")?;
        secrets::write_private(&self.path, &text)
    }
}

impl State {
    fn as_json(&self) -> Value {
        let mut shown = json!({
            "sukoon": Identity::of(std::process::id()),
            "ready": self.ready,
            "parts": self.parts,
        });
        if let (Some(info), Some(object)) = (&self.info, shown.as_object_mut()) {
            let inbox = format!("{}/inbox", info.sandbox_url);
            object.insert("public_url".to_owned(), json!(info.public_url));
            object.insert("sandbox_url".to_owned(), json!(info.sandbox_url));
            object.insert("inbox_url".to_owned(), json!(inbox));
            object.insert("nats_url".to_owned(), json!(info.nats_url));
            object.insert("postgres_admin_url".to_owned(), json!(info.postgres_admin_url));
            object.insert("databases".to_owned(), json!(info.databases));
            object.insert("keys".to_owned(), json!(info.keys));
            object.insert("provider".to_owned(), info.provider.clone());
            object.insert("owner_email".to_owned(), json!(info.owner_email));
        }
        shown
    }
}

/// The processes of an earlier run.
#[derive(Debug, Default, Deserialize)]
pub struct PreviousRun {
    /// The supervisor.
    pub sukoon: Option<Identity>,
    /// The processes that it supervised.
    #[serde(default)]
    pub parts: BTreeMap<String, ProcessRecord>,
}

/// The practice that runs on a data folder, as far as the staff's commands need it.
#[derive(Debug, Default, Deserialize)]
pub struct RunningPractice {
    /// The address for browsers.
    pub public_url: Option<String>,
    /// The owner's email address.
    pub owner_email: Option<String>,
    /// Its processes.
    #[serde(default)]
    parts: BTreeMap<String, RunningPart>,
}

#[derive(Debug, Default, Deserialize)]
struct RunningPart {
    #[serde(default)]
    ports: BTreeMap<String, u16>,
}

impl RunningPractice {
    /// The address of the gateway's inner listener, where the health report is.
    pub fn inner_url(&self) -> Option<String> {
        let port = self.parts.get("gateway")?.ports.get("inner")?;
        Some(format!("http://127.0.0.1:{port}"))
    }
}

/// Reads the address of the running practice. Without one, all fields are empty.
pub fn running_practice(data: &Path) -> RunningPractice {
    let text = fs::read(file(data)).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_default()
}

/// The address of a service's database in the running practice, by the service's own role.
pub fn database_url(data: &Path, service: &str) -> Option<String> {
    let run: Value = serde_json::from_slice(&fs::read(file(data)).ok()?).ok()?;
    Some(run.get("databases")?.get(service)?.get("url")?.as_str()?.to_owned())
}

/// The URL, the key's id and the key's secret of the provider of the practice that runs on a
/// folder.
pub fn provider(data: &Path) -> Option<[String; 3]> {
    let run: Value = serde_json::from_slice(&fs::read(file(data)).ok()?).ok()?;
    let text = |value: Option<&Value>| Some(value?.as_str()?.to_owned());
    let provider = run.get("provider")?;
    Some([
        text(run.get("sandbox_url"))?,
        text(provider.get("key_id"))?,
        text(provider.get("key_secret"))?,
    ])
}

/// Reads the file of an earlier run. An unreadable file counts as empty.
pub fn previous_run(data: &Path) -> PreviousRun {
    let text = fs::read(file(data)).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_default()
}

fn file(data: &Path) -> PathBuf {
    data.join("run.json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_start_reads_the_processes_of_an_earlier_one() {
        let data = std::env::temp_dir().join(format!("sukoon-record-{}", std::process::id()));
        fs::create_dir_all(&data).unwrap();
        assert!(previous_run(&data).parts.is_empty());
        let own = Identity::of(std::process::id());
        let part = ProcessRecord {
            process: own.clone(),
            restarts: 2,
            log: data.join("booking.log"),
            ports: BTreeMap::from([("grpc".to_owned(), 20_001)]),
        };
        let record = RunState::new(&data);
        record.set_part("booking", part).unwrap();
        let read = previous_run(&data);
        assert_eq!(read.sukoon, own);
        assert_eq!(read.parts["booking"].process, own);
        assert_eq!(read.parts["booking"].restarts, 2);
        fs::remove_dir_all(data).unwrap();
    }
}
