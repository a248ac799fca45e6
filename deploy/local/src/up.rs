//! `sukoon up`: from an empty folder to a practice that answers, and back again at the end.
use crate::account;
use crate::databases::{self, Addresses};
use crate::environment::Environment;
use crate::healthz;
use crate::knobs::Knobs;
use crate::nats::Broker;
use crate::owner::{self, Owner};
use crate::parts::{self, INNER_PORTS, PROGRAMS, Plan, Ports};
use crate::place::{self, Place};
use crate::ports;
use crate::postgres::{Care, Cluster, SUPERUSER};
use crate::practice;
use crate::process::last_lines;
use crate::record::{self, Facts, Record};
use crate::say;
use crate::secrets::{self, Vault};
use crate::supervise::{Part, Supervisor};
use crate::tools::Found;
use anyhow::{Context, Result, bail};
use rustix::process::Signal;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

/// A part that cannot even start this often will not be ready later either.
const RESTARTS_BEFORE_READY_MAX: u32 = 6;
const DATABASE_SECONDS: u64 = 60;

/// The data folder while it is ours: one practice runs on it at a time.
pub(crate) struct Desk {
    environment: Environment,
    place: Place,
    knobs: Knobs,
    _lock: File,
}

impl Desk {
    /// Takes the data folder, ends what an earlier start has left, and checks the two ports.
    pub(crate) async fn open(environment: &Environment, place: &Place) -> Result<Self> {
        let knobs = Knobs::read(environment)?;
        place::create_passage(&place.data)?;
        place::create_private(&place.data.join("logs"))?;
        let lock = lock(place)?;
        end_leftovers(place).await;
        for (name, port) in [("PORT", knobs.port), ("SANDBOX_PORT", knobs.sandbox_port)] {
            if !ports::is_free(&knobs.host, port) {
                bail!(
                    "port {port} is taken by another program: stop that program, or choose \
                     another port, for example `make run {name}={}`",
                    port.saturating_add(1000)
                );
            }
        }
        Ok(Self { environment: environment.clone(), place: place.clone(), knobs, _lock: lock })
    }
}

fn lock(place: &Place) -> Result<File> {
    let path = place.data.join("lock");
    let file = File::create(&path).with_context(|| format!("{} cannot be made", path.display()))?;
    if file.try_lock().is_err() {
        let who = record::earlier(&place.data).sukoon;
        let who = who.map(|who| format!(" (process {})", who.pid)).unwrap_or_default();
        bail!(
            "Sukoon is running already on {}{who}: stop it first, or set SUKOON_DATA, PORT and \
             SANDBOX_PORT to run a second practice",
            place.data.display()
        );
    }
    Ok(file)
}

/// Ends the parts of a supervisor that was killed, the last started first.
async fn end_leftovers(place: &Place) {
    let mut parts = record::earlier(&place.data).parts;
    let mut order: Vec<&str> = vec!["postgres", "nats"];
    order.extend(PROGRAMS);
    for name in order.into_iter().rev() {
        let Some(process) = parts.remove(name).and_then(|part| part.process) else {
            continue;
        };
        if process.is_alive() {
            say::step(format_args!("ending {name}, left over from an earlier start"));
            let signal = if name == "postgres" { Signal::INT } else { Signal::TERM };
            process.end(signal, Duration::from_secs(10)).await;
        }
    }
}

/// Runs the practice until somebody wants it to end.
pub(crate) async fn run(desk: Desk, found: &Found) -> Result<ExitCode> {
    let record = Record::new(&desk.place.data);
    let mut supervisor = Supervisor::new(record.clone(), desk.place.data.join("logs"));
    supervisor.restart_within(Duration::from_millis(desk.knobs.restart_ms_max));
    let (hurry, hurried) = watch::channel(false);
    let mut signals = Signals::new()?;
    let started = tokio::select! {
        started = start(&desk, found, &record, &mut supervisor) => Some(started),
        () = signals.next() => None,
    };
    if let Some(Ok(owner)) = &started {
        announce(&desk.knobs, owner.as_ref());
        signals.next().await;
    }
    say::step("stopping");
    tokio::select! {
        () = supervisor.stop(hurried) => {}
        () = async { loop { signals.next().await; hurry.send_replace(true); } } => {}
    }
    record.remove()?;
    match started {
        Some(Err(error)) => Err(error),
        Some(Ok(_)) | None => {
            say::line("Sukoon has stopped.");
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn announce(knobs: &Knobs, owner: Option<&Owner>) {
    say::line(format_args!("Sukoon is ready: {}", knobs.public_url));
    if let Some(Owner { email, password }) = owner {
        say::line(format_args!("  its owner signs in: {email} with the password {password}"));
        say::line("  signed in, the Admin button at the bottom right takes the same password");
    }
    say::line(format_args!("  mail it sends:     {}/inbox", knobs.sandbox_url));
    say::line(format_args!("  its third parties: {} (simulated)", knobs.sandbox_url));
    say::line("  Ctrl-C stops it.");
}

/// Signals that ask us to end.
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hangup: tokio::signal::unix::Signal,
}

impl Signals {
    fn new() -> Result<Self> {
        let catch = |kind| signal(kind).context("signals cannot be caught");
        Ok(Self {
            interrupt: catch(SignalKind::interrupt())?,
            terminate: catch(SignalKind::terminate())?,
            hangup: catch(SignalKind::hangup())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = self.hangup.recv() => {}
        }
    }
}

async fn start(
    desk: &Desk,
    found: &Found,
    record: &Record,
    supervisor: &mut Supervisor,
) -> Result<Option<Owner>> {
    for name in ["sandbox", parts::TOGETHER] {
        if !desk.place.programs.join(name).is_file() {
            bail!("the program {name} has not been built; `make run` builds it");
        }
    }
    practice::complete(&desk.place)?;
    let mut vault = Vault::open(&desk.place.data.join("secrets"))?;
    let ports = inner_ports(&desk.place)?;
    let (cluster, broker) = stores(desk, found, &ports, &mut vault)?;
    say::step("starting PostgreSQL and NATS");
    if let Some(server) = cluster.unrecorded_server() {
        server.end(Signal::INT, Duration::from_secs(10)).await;
    }
    supervisor.start(vec![cluster_part(&cluster), broker_part(&broker)])?;
    let limit = Duration::from_secs(DATABASE_SECONDS);
    cluster.ready(limit).await.with_context(|| not_ready(supervisor, "postgres"))?;
    broker.ready(limit).await.with_context(|| not_ready(supervisor, "nats"))?;
    let mut addresses = BTreeMap::new();
    for service in databases::SERVICES {
        let made = databases::ensure(&cluster, &mut vault, service)?;
        addresses.insert(service.to_owned(), made);
    }
    let nats_url = broker.url();
    let plan = Plan {
        environment: &desk.environment,
        place: &desk.place,
        knobs: &desk.knobs,
        ports: &ports,
        databases: &addresses,
        nats_url: &nats_url,
    };
    let made: Result<Vec<Part>> = PROGRAMS.iter().map(|name| plan.part(name, &mut vault)).collect();
    let made = made?;
    let owner = Owner::of(&desk.environment, &mut vault)?;
    record.set_facts(facts(desk, &cluster, &nats_url, &addresses, &mut vault)?)?;
    say::step("bringing the databases up to date");
    migrate(supervisor, &made).await?;
    if let Some(owner) = &owner {
        owner::seed(supervisor, &made, owner).await?;
    }
    say::step("starting the services");
    let (gateway, services): (Vec<_>, Vec<_>) =
        made.into_iter().partition(|part| part.name == "gateway");
    supervisor.start(services)?;
    supervisor.start(gateway)?;
    wait_until_ready(&desk.knobs, record).await?;
    record.set_ready(true)?;
    Ok(owner)
}

/// Ports of an earlier start are used again where they are still free.
fn inner_ports(place: &Place) -> Result<Ports> {
    let file = place.data.join("ports.json");
    let earlier: Ports =
        serde_json::from_slice(&fs::read(&file).unwrap_or_default()).unwrap_or_default();
    let mut taken: BTreeSet<u16> = BTreeSet::new();
    let mut chosen = Ports::new();
    for (part, purpose) in INNER_PORTS {
        let key = format!("{part} {purpose}");
        let again = earlier.get(&key).copied().filter(|port| ports::is_free("127.0.0.1", *port));
        let port = match again.filter(|port| taken.insert(*port)) {
            Some(port) => port,
            None => ports::choose(&mut taken)?,
        };
        chosen.insert(key, port);
    }
    secrets::write_private(&file, &serde_json::to_vec_pretty(&chosen)?)?;
    Ok(chosen)
}

fn stores(
    desk: &Desk,
    found: &Found,
    ports: &Ports,
    vault: &mut Vault,
) -> Result<(Cluster, Broker)> {
    let data = &desk.place.data;
    let port = |key: &str| ports.get(key).copied().context("a port is missing");
    let cluster = Cluster {
        tool: found.postgres.clone().context("PostgreSQL is missing; run `sukoon prepare`")?,
        user: account::database_user()?,
        folder: data.join("postgres"),
        port: port("postgres postgres")?,
        password: vault.word("postgres-superuser")?,
        care: Care::Durable,
    };
    place::check_reach(data, cluster.user.as_ref())?;
    if !cluster.folder.exists() {
        say::step("creating the databases");
    }
    cluster.create()?;
    let broker = Broker {
        tool: found.nats.clone().context("nats-server is missing; run `sukoon prepare`")?,
        folder: data.join("nats"),
        port: port("nats nats")?,
        password: Some(vault.word("nats")?),
    };
    Ok((cluster, broker))
}

fn cluster_part(cluster: &Cluster) -> Part {
    let (program, arguments) = cluster.server();
    let checked = cluster.clone();
    let libraries = cluster.tool.libraries.clone();
    Part {
        arguments,
        environment: libraries.map(|it| ("LD_LIBRARY_PATH".to_owned(), it)).into_iter().collect(),
        user: cluster.user.clone(),
        ports: BTreeMap::from([("postgres".to_owned(), cluster.port)]),
        before: Some(Arc::new(move || checked.forget_dead_server())),
        // Fast: clients are told to go, what they committed is kept.
        stop: Signal::INT,
        ..Part::new("postgres", program)
    }
}

fn broker_part(broker: &Broker) -> Part {
    let (program, arguments) = broker.server();
    let written = broker.clone();
    Part {
        arguments,
        ports: BTreeMap::from([("nats".to_owned(), broker.port)]),
        // Its folder may be wiped at any time; each start puts back what it needs.
        before: Some(Arc::new(move || written.configure())),
        ..Part::new("nats", program)
    }
}

fn facts(
    desk: &Desk,
    cluster: &Cluster,
    nats_url: &str,
    addresses: &BTreeMap<String, Addresses>,
    vault: &mut Vault,
) -> Result<Facts> {
    let mut names: Vec<String> = parts::CALLERS.map(|name| format!("caller-{name}")).to_vec();
    names.push("identity-signing".to_owned());
    let keys = names.into_iter().map(|name| (name.clone(), vault.key_path(&name))).collect();
    Ok(Facts {
        public_url: desk.knobs.public_url.clone(),
        sandbox_url: desk.knobs.sandbox_url.clone(),
        nats_url: nats_url.to_owned(),
        postgres_admin_url: cluster.url(SUPERUSER, &cluster.password, "postgres"),
        databases: addresses.clone(),
        keys,
        owner_email: Owner::of(&desk.environment, vault)?.map(|owner| owner.email),
        provider: json!({
            "key_id": parts::key_id(vault)?,
            "key_secret": vault.word("provider-key-secret")?,
            "webhook_secret": vault.word("provider-webhook-secret")?,
            "meeting_token": vault.word("meeting-token")?,
        }),
    })
}

async fn migrate(supervisor: &Supervisor, made: &[Part]) -> Result<()> {
    for part in made.iter().filter(|part| parts::migrates(part.name)) {
        let once = part.clone().with("migrate");
        let status = supervisor.command(&once)?.status().await;
        if !status.with_context(|| format!("{} cannot be started", part.name))?.success() {
            bail!("{}", not_ready(supervisor, part.name));
        }
    }
    Ok(())
}

fn not_ready(supervisor: &Supervisor, name: &str) -> String {
    told(name, &supervisor.log(name))
}

/// One sentence about a part that is not ready, and what it said last.
fn told(name: &str, log: &std::path::Path) -> String {
    format!("{name} is not ready; its log {} ends with:\n{}", log.display(), last_lines(log, 12))
}

async fn wait_until_ready(knobs: &Knobs, record: &Record) -> Result<()> {
    let deadline = Instant::now() + Duration::from_secs(knobs.ready_seconds);
    loop {
        let answer = healthz::get(knobs.port, "/healthz").await;
        if answer.as_ref().is_some_and(|answer| answer.status == 200) {
            return Ok(());
        }
        let parts = record.parts();
        let troubled = parts.iter().max_by_key(|(_, part)| part.restarts);
        let troubled = troubled.filter(|(_, part)| part.restarts > 0);
        let worst = troubled.map_or(0, |(_, part)| part.restarts);
        if worst >= RESTARTS_BEFORE_READY_MAX || Instant::now() >= deadline {
            let named = answer.as_ref().and_then(|answer| unready_part(&answer.body));
            let name = troubled.map(|(name, _)| name.clone()).or(named);
            let name = name.unwrap_or_else(|| "gateway".to_owned());
            bail!("{}", told(&name, &parts.get(&name).map(|p| p.log.clone()).unwrap_or_default()));
        }
        sleep(Duration::from_millis(100)).await;
    }
}

/// The first part that the gateway does not find ready. A part with two doors, or with something to
/// tell beside its readiness, has two entries.
fn unready_part(report: &str) -> Option<String> {
    let report: serde_json::Value = serde_json::from_str(report).ok()?;
    let parts = report.get("parts")?.as_object()?;
    let (name, _) = parts.iter().find(|(_, state)| state.as_str() != Some("ready"))?;
    Some(name.trim_end_matches("_http").trim_end_matches("_orders").to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::Identity;
    use crate::record::PartRecord;
    use std::path::PathBuf;

    fn place(name: &str) -> Place {
        let data = std::env::temp_dir().join(format!("sukoon-{name}-{}", std::process::id()));
        Place {
            checkout: PathBuf::from("/"),
            practice: PathBuf::from("/practice"),
            test_data: data.join("test"),
            packages: data.join("packages"),
            programs: data.join("programs"),
            data,
        }
    }

    /// Two ports that nobody listens at.
    fn free_ports() -> [String; 2] {
        let mut taken = BTreeSet::new();
        [(); 2].map(|()| ports::choose(&mut taken).unwrap().to_string())
    }

    #[tokio::test]
    async fn a_folder_serves_one_practice_at_a_time() {
        let place = place("one");
        let [port, sandbox_port] = free_ports();
        let environment = Environment::from([("PORT", &*port), ("SANDBOX_PORT", &*sandbox_port)]);
        let first = Desk::open(&environment, &place).await.unwrap();
        let refused = Desk::open(&environment, &place).await.err().unwrap().to_string();
        assert!(refused.contains("running already"), "{refused}");
        drop(first);
        assert!(Desk::open(&environment, &place).await.is_ok());
        fs::remove_dir_all(&place.data).unwrap();
    }

    #[tokio::test]
    async fn a_taken_port_is_named_with_what_to_do() {
        let place = place("taken");
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port().to_string();
        let environment = Environment::from([("PORT", &*port)]);
        let refused = Desk::open(&environment, &place).await.err().unwrap().to_string();
        assert!(refused.contains(&port) && refused.contains("make run PORT="), "{refused}");
        fs::remove_dir_all(&place.data).unwrap();
    }

    #[tokio::test]
    async fn parts_that_an_earlier_start_has_left_are_ended() {
        let place = place("left");
        fs::create_dir_all(&place.data).unwrap();
        let mut left = std::process::Command::new("sleep").arg("600").spawn().unwrap();
        let part = PartRecord {
            process: Identity::of(left.id()),
            restarts: 0,
            log: PathBuf::new(),
            ports: BTreeMap::new(),
        };
        Record::new(&place.data).set_part("booking", part).unwrap();
        let [port, sandbox_port] = free_ports();
        let environment = Environment::from([("PORT", &*port), ("SANDBOX_PORT", &*sandbox_port)]);
        Desk::open(&environment, &place).await.unwrap();
        assert!(!left.wait().unwrap().success());
        fs::remove_dir_all(&place.data).unwrap();
    }

    #[test]
    fn the_part_that_is_not_ready_is_named() {
        let report = r#"{"ready":false,"parts":{"booking":"ready","payments_http":"not ready"}}"#;
        assert_eq!(unready_part(report).as_deref(), Some("payments"));
        assert_eq!(unready_part("not JSON"), None);
    }
}
