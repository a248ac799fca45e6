//! A practice whose processes a drill runs itself, behind addresses that stay: what `sukoon up` has
//! made is taken over, and each part can be started twice, led around, rolled, or killed.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use runtime::health::Probe;
use serde_json::{Value, json};
use testkit::until_within;

use super::database_server::{DatabaseServer, last_lines};
use super::relay::Relay;
use crate::launch::{Launch, Process};
use crate::pause::wait_for;
use crate::practice::{Practice, RAISED_LIMITS, free_port, program};
use crate::practice_folder::PracticeFolder;
use crate::timetable;

/// The programs behind addresses of their own, in the order of a rollout.
pub(crate) const ROLLED: [&str; 7] =
    ["catalogue", "identity", "booking", "payments", "notifications", "reviews", "gateway"];
/// How long a process may take until it is ready, and until it has ended.
const START_MAX: Duration = Duration::from_secs(60);
const STOP_MAX: Duration = Duration::from_secs(30);
/// How long a process serves on after new connections are led to another. Kubernetes waits for
/// five seconds, because not every balancer hears of it at once; the relay does.
const PRE_STOP: Duration = Duration::from_secs(1);
/// Longer than the gateway waits for a service, so that its answer in words is seen.
const ANSWER_MAX: Duration = Duration::from_secs(30);

/// The ports of one process by their purpose.
type Ports = BTreeMap<String, u16>;

/// A process beside the one of a part that runs, ready, and known to its address.
pub(crate) struct Joined {
    process: Process,
    ports: Ports,
}

/// The processes of a practice. They end with this value.
pub(crate) struct Fleet {
    processes: Mutex<BTreeMap<&'static str, Process>>,
    /// By part and purpose.
    relays: BTreeMap<(String, String), Relay>,
    launches: BTreeMap<String, Launch>,
    record: Mutex<Value>,
    /// The practice as clients and the checker see it.
    pub(crate) practice: Practice,
    folder: PracticeFolder,
}

impl Fleet {
    /// Takes a new practice over whose times do not run out. Nothing of it runs yet; its database
    /// server is handed out with it.
    ///
    /// # Errors
    /// When it does not start once, or its ports cannot be taken.
    pub(crate) async fn take_over() -> Result<(Self, DatabaseServer)> {
        Self::take_over_from(&program("sukoon")?, &timetable::usual()).await
    }

    /// The same of a practice that this `sukoon` starts, with what this folder says of it.
    ///
    /// # Errors
    /// When it does not start once, or its ports cannot be taken.
    pub(crate) async fn take_over_from(
        sukoon: &Path,
        practice: &Path,
    ) -> Result<(Self, DatabaseServer)> {
        let folder = PracticeFolder::with_dense_hours(practice)?;
        let path = folder.path();
        let mut given = RAISED_LIMITS.to_vec();
        given.push(("PRACTICE_DIR", &path));
        let data = Practice::new_folder();
        let mut practice = Practice::spawn_program(sukoon, data, &given, Stdio::inherit())?;
        practice.wait_until_ready().await?;
        let record = practice.record()?;
        let parts = record["parts"].as_object().context("no parts")?.keys();
        let launch = |part: &String| Ok((part.clone(), Launch::of(practice.pid(part)?)?));
        let launches = parts.map(launch).collect::<Result<BTreeMap<_, _>>>()?;
        practice.end_supervisor()?;
        practice.http = reqwest::Client::builder().no_proxy().timeout(ANSWER_MAX).build()?;
        let server = DatabaseServer::of(
            launches.get("postgres").context("no PostgreSQL")?,
            &password(&record)?,
            &practice.data().join("logs"),
        )?;
        let mut relays = BTreeMap::new();
        for part in ROLLED.into_iter().chain(["postgres", "nats"]) {
            for (purpose, port) in ports_of(&record, part) {
                relays.insert((part.to_owned(), purpose), Relay::listen(port).await?);
            }
        }
        let fleet = Self {
            processes: Mutex::default(),
            relays,
            launches,
            record: Mutex::new(record),
            practice,
            folder,
        };
        fleet.write_record()?;
        Ok((fleet, server))
    }

    /// The address of PostgreSQL.
    ///
    /// # Errors
    /// When the practice has none.
    pub(crate) fn database_relay(&self) -> Result<&Relay> {
        self.relay("postgres", "postgres")
    }

    /// The address of NATS.
    ///
    /// # Errors
    /// When the practice has none.
    pub(crate) fn broker_relay(&self) -> Result<&Relay> {
        self.relay("nats", "nats")
    }

    fn relay(&self, part: &str, purpose: &str) -> Result<&Relay> {
        let relay = self.relays.get(&(part.to_owned(), purpose.to_owned()));
        relay.with_context(|| format!("{part} has no address"))
    }

    /// How a part was started by `sukoon`.
    ///
    /// # Errors
    /// When there is no such part.
    pub(crate) fn launch(&self, part: &str) -> Result<&Launch> {
        self.launches.get(part).with_context(|| format!("there is no {part}"))
    }

    /// Lets the sandbox of this folder play the third parties from its next start on.
    ///
    /// # Errors
    /// When the practice had none.
    pub(crate) fn set_sandbox_of(&mut self, programs: &Path) -> Result<()> {
        let launch = self.launch("sandbox")?.clone().of_folder(programs);
        self.launches.insert("sandbox".to_owned(), launch);
        Ok(())
    }

    /// Gives all programs a setting for their next start.
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        for part in ROLLED {
            if let Some(launch) = self.launches.get_mut(part) {
                *launch = launch.clone().with(name, value);
            }
        }
    }

    /// Gives the database of a service an address of its own, at its next start.
    ///
    /// # Errors
    /// When the service has no database.
    pub(crate) async fn set_database_apart(&mut self, service: &str) -> Result<Relay> {
        let relay = Relay::listen(0).await?;
        let old = format!(":{}/", self.database_relay()?.port());
        let new = format!(":{}/", relay.port());
        let name = format!("{}_DATABASE_URL_FILE", service.to_uppercase());
        let launch = self.launches.get_mut(service).context("there is no such service")?;
        let file = launch.setting(&name).context("the service has no database")?;
        let apart = format!("{file}-apart");
        std::fs::write(&apart, std::fs::read_to_string(file)?.replace(&old, &new))?;
        *launch = launch.clone().with(&name, apart);
        for url in self.record()["databases"][service].as_object_mut().into_iter().flatten() {
            *url.1 = json!(url.1.as_str().unwrap_or_default().replace(&old, &new));
        }
        self.write_record()?;
        Ok(relay)
    }

    /// Starts everything, with all databases on this one server.
    ///
    /// # Errors
    /// When one does not get ready.
    pub(crate) async fn start_on(&self, server: &mut DatabaseServer) -> Result<()> {
        server.start().await?;
        self.database_relay()?.lead_to(&[server.port]);
        self.start_broker()?;
        self.start_services().await
    }

    /// Starts the one NATS server of a practice.
    pub(crate) fn start_broker(&self) -> Result<()> {
        let port = free_port()?;
        let file = self.practice.data().join("nats/nats.conf");
        let text = std::fs::read_to_string(&file)?;
        let own: Vec<String> = text
            .lines()
            .map(
                |line| {
                    if line.starts_with("port:") { format!("port: {port}") } else { line.into() }
                },
            )
            .collect();
        std::fs::write(&file, own.join("\n"))?;
        self.keep("nats", self.launch("nats")?.spawn(&self.log("nats"))?)?;
        self.broker_relay()?.lead_to(&[port]);
        Ok(())
    }

    /// Kills the NATS server and starts it again.
    pub(crate) fn restart_broker(&self) -> Result<()> {
        let old = self.running().remove("nats");
        old.context("NATS does not run")?.kill()?;
        self.start_broker()
    }

    /// Ends the NATS server, deletes its streams and starts it again, as after a restore: it may
    /// hold messages of events that the databases do not have.
    pub(crate) fn restart_broker_empty(&self) -> Result<()> {
        let old = self.running().remove("nats");
        old.context("NATS does not run")?.kill()?;
        std::fs::remove_dir_all(self.practice.data().join("nats/streams"))?;
        self.start_broker()
    }

    /// Starts the sandbox, the services and the gateway, and waits until all are ready.
    ///
    /// # Errors
    /// When one does not get ready.
    pub(crate) async fn start_services(&self) -> Result<()> {
        self.keep("sandbox", self.launch("sandbox")?.spawn(&self.log("sandbox"))?)?;
        let mut started = Vec::new();
        for part in ROLLED {
            started.push((part, self.start(part)?));
        }
        for (part, (process, ports)) in started {
            self.until_ready(part, &ports).await?;
            self.keep(part, process)?;
            self.lead_to(part, &ports)?;
        }
        self.practice.wait_until_healthy().await
    }

    /// Replaces a process by a new one as a rolling update does: the new one gets ready and gets
    /// all new connections, then the old one is asked to stop and ends what it has begun.
    ///
    /// # Errors
    /// When the new one does not get ready, or the old one does not end by itself.
    pub(crate) async fn roll(&self, part: &'static str) -> Result<()> {
        let (process, ports) = self.start(part)?;
        self.until_ready(part, &ports).await?;
        self.replace(part, Joined { process, ports }).await
    }

    /// Starts a process of another release beside the one that runs; new connections go to both in
    /// turn.
    ///
    /// # Errors
    /// When it does not get ready.
    pub(crate) async fn join(&self, part: &'static str, programs: &Path) -> Result<Joined> {
        let (process, ports) = self.spawn(part, self.launch(part)?.clone().of_folder(programs))?;
        self.until_ready(part, &ports).await?;
        for (purpose, port) in &ports {
            self.relay(part, purpose)?.lead_also_to(*port);
        }
        Ok(Joined { process, ports })
    }

    /// Leads new connections to this process alone; then the one before is asked to stop and ends
    /// what it has begun.
    ///
    /// # Errors
    /// When the one before does not end by itself.
    pub(crate) async fn replace(&self, part: &'static str, joined: Joined) -> Result<()> {
        let Joined { process, ports } = joined;
        self.lead_to(part, &ports)?;
        let mut old = self.keep(part, process)?.with_context(|| format!("{part} did not run"))?;
        wait_for(PRE_STOP).await;
        old.signal("TERM")?;
        let ended = old.wait(STOP_MAX).await.with_context(|| format!("the old {part}"))?;
        ensure!(ended.success(), "the old {part} ended with {ended}");
        Ok(())
    }

    /// Asks a process to stop, and waits until it has ended what it has begun. Nothing serves its
    /// addresses then.
    ///
    /// # Errors
    /// When it does not end by itself.
    pub(crate) async fn end(&self, part: &'static str) -> Result<()> {
        let process = self.running().remove(part);
        let mut process = process.with_context(|| format!("{part} did not run"))?;
        process.signal("TERM")?;
        let ended = process.wait(STOP_MAX).await.with_context(|| format!("the old {part}"))?;
        ensure!(ended.success(), "the old {part} ended with {ended}");
        Ok(())
    }

    /// Starts a process of this folder where none runs.
    ///
    /// # Errors
    /// When it does not get ready.
    pub(crate) async fn begin(&self, part: &'static str, programs: &Path) -> Result<()> {
        let Joined { process, ports } = self.join(part, programs).await?;
        self.lead_to(part, &ports)?;
        self.keep(part, process).map(drop)
    }

    /// Adds to the practice's folder what came with the release in this folder, as a person does
    /// before an upgrade.
    pub(crate) fn complete_practice(&self, programs: &Path) -> Result<()> {
        let mut command = Command::new(programs.join("sukoon"));
        command.arg("complete-practice").env("PRACTICE_DIR", self.folder.path());
        let ended = command.stdout(Stdio::null()).status()?;
        ensure!(ended.success(), "it ended with {ended}");
        Ok(())
    }

    /// Migrates a service's database by the program of this folder, as a rollout's Job does.
    pub(crate) fn migrate(&self, programs: &Path, service: &str) -> Result<()> {
        let url = self.record()["databases"][service]["migration_url"].clone();
        let url = url.as_str().context("its owner is not known")?.to_owned();
        let name = format!("{}_MIGRATION_DATABASE_URL", service.to_uppercase());
        let launch = self.launch(service)?.clone().of_folder(programs).with(&name, url);
        let ended = launch.command().arg("migrate").stdout(Stdio::null()).status()?;
        ensure!(ended.success(), "it ended with {ended}");
        Ok(())
    }

    /// That every process that was started still runs: none gives up because a store is away.
    ///
    /// # Errors
    /// Names those that have ended, with the end of their logs.
    pub(crate) fn check_alive(&self) -> Result<()> {
        let mut dead = Vec::new();
        for (part, process) in self.running().iter_mut() {
            if let Some(ended) = process.ended()? {
                dead.push(format!("{part} ended with {ended}: {}", last_lines(&self.log(part))));
            }
        }
        ensure!(dead.is_empty(), "{}", dead.join("\n"));
        Ok(())
    }

    /// How many lines of the services' logs have these words.
    pub(crate) fn count_in_logs(&self, words: &str) -> usize {
        let count = |part: &&str| {
            let text = std::fs::read(self.log(part)).unwrap_or_default();
            String::from_utf8_lossy(&text).lines().filter(|line| line.contains(words)).count()
        };
        ROLLED.iter().map(count).sum()
    }

    /// Starts a process of a part at ports of its own.
    fn start(&self, part: &'static str) -> Result<(Process, Ports)> {
        self.spawn(part, self.launch(part)?.clone())
    }

    fn spawn(&self, part: &'static str, mut launch: Launch) -> Result<(Process, Ports)> {
        let mut ports = Ports::new();
        for purpose in ports_of(&self.record(), part).into_keys() {
            let port = free_port()?;
            launch = launch.with(&setting_of(part, &purpose), format!("127.0.0.1:{port}"));
            ports.insert(purpose, port);
        }
        Ok((launch.spawn(&self.log(part))?, ports))
    }

    async fn until_ready(&self, part: &'static str, ports: &Ports) -> Result<()> {
        let port = |purpose: &str| ports.get(purpose).with_context(|| format!("{part} {purpose}"));
        if part == "gateway" {
            let url = format!("http://127.0.0.1:{}/readyz", port("http")?);
            return until_within(START_MAX, "the gateway is ready", async || {
                let asked = self.practice.http.get(&url).send().await;
                Ok(asked.is_ok_and(|answer| answer.status() == 200).then_some(()))
            })
            .await;
        }
        let probe = Probe::new(&format!("http://127.0.0.1:{}", port("grpc")?))?;
        until_within(START_MAX, &format!("{part} is ready"), async || {
            Ok(probe.check().await.is_ok().then_some(()))
        })
        .await
        .with_context(|| last_lines(&self.log(part)))
    }

    fn lead_to(&self, part: &str, ports: &Ports) -> Result<()> {
        for (purpose, port) in ports {
            self.relay(part, purpose)?.lead_to(&[*port]);
        }
        Ok(())
    }

    /// Keeps a process, also in the record that tests read, and gives the one before.
    fn keep(&self, part: &'static str, process: Process) -> Result<Option<Process>> {
        self.record()["parts"][part]["process"] = json!({ "pid": process.id() });
        let old = self.running().insert(part, process);
        self.write_record()?;
        Ok(old)
    }

    fn write_record(&self) -> Result<()> {
        let text = serde_json::to_vec_pretty(&*self.record())?;
        Ok(std::fs::write(self.practice.data().join("run.json"), text)?)
    }

    fn record(&self) -> MutexGuard<'_, Value> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn running(&self) -> MutexGuard<'_, BTreeMap<&'static str, Process>> {
        self.processes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn log(&self, part: &str) -> std::path::PathBuf {
        self.practice.data().join(format!("logs/{part}.log"))
    }
}

/// Where `sukoon` had a part listen.
fn ports_of(record: &Value, part: &str) -> Ports {
    let ports = record["parts"][part]["ports"].as_object().into_iter().flatten();
    let port = |(purpose, port): (&String, &Value)| {
        Some((purpose.clone(), u16::try_from(port.as_u64()?).ok()?))
    };
    ports.filter_map(port).collect()
}

/// The name of the setting that says where a part listens for a purpose.
fn setting_of(part: &str, purpose: &str) -> String {
    let upper = part.to_uppercase();
    match (part, purpose) {
        (_, "metrics") => "METRICS_LISTEN".to_owned(),
        ("gateway", "inner") => "GATEWAY_INNER_LISTEN".to_owned(),
        ("gateway", _) | (_, "grpc") => format!("{upper}_LISTEN"),
        _ => format!("{upper}_HTTP_LISTEN"),
    }
}

/// The superuser's password, from its URL.
fn password(record: &Value) -> Result<String> {
    let url = record["postgres_admin_url"].as_str().context("no superuser")?;
    let url = reqwest::Url::parse(url)?;
    Ok(url.password().context("no password")?.to_owned())
}
