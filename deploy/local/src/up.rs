//! `sukoon up`: starts a practice from an empty folder, keeps it running, and stops it.
use crate::addresses;
use crate::chosen_ports;
use crate::options::{Form, Options};
use crate::owner;
use crate::practice;
use crate::process_specs::{self, PROGRAMS, Ports, SpecBuilder};
use crate::readiness;
use crate::small_form;
use crate::supervise::{ProcessSpec, Supervisor};
use anyhow::{Context, Result, bail};
use machine::account;
use machine::app_codes::OwnerApp;
use machine::certificates::{self, Certificates};
use machine::clock;
use machine::databases;
use machine::environment::Environment;
use machine::inheritance;
use machine::keys::Rotation;
use machine::nats::{self, Broker, PRACTICE_FILE_STORE};
use machine::output;
use machine::owner::Owner;
use machine::paths::{self, Paths};
use machine::ports::{self, Reservations};
use machine::postgres::{Cluster, Durability, SUPERUSER};
use machine::run_state::{self, Addresses, RunInfo, RunState};
use machine::secrets::{CALLERS, SecretStore};
use machine::tools::InstalledTools;
use rustix::process::Signal;
use serde_json::json;
use std::collections::BTreeMap;
use std::fs::File;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

const DATABASE_SECONDS: u64 = 60;

/// The settings of a run, its ports, and the lock on its data folder, which allows one practice at
/// a time.
pub(crate) struct RunConfig {
    environment: Environment,
    paths: Paths,
    options: Options,
    ports: Ports,
    _reservations: Reservations,
    _lock: File,
}

impl RunConfig {
    /// How the services run.
    pub(crate) fn form(&self) -> Form {
        self.options.form
    }

    /// Locks the data folder, stops the processes of an earlier run, and checks the two ports.
    pub(crate) async fn open(environment: &Environment, paths: &Paths) -> Result<Self> {
        // What is wrong is said before anything is made.
        Options::read(environment)?;
        paths::create_traversable(&paths.data)?;
        paths::create_private(&paths.data.join("logs"))?;
        paths::create_private(&paths.data.join("pictures"))?;
        let lock = lock(paths)?;
        stop_leftover_processes(paths).await;
        let chosen = chosen_ports::choose(environment, &paths.data)?;
        let options = Options::read(&chosen.environment)?;
        for (name, port) in [("PORT", options.port), ("SANDBOX_PORT", options.sandbox_port)] {
            if !ports::is_free(&options.host, port) {
                bail!(
                    "port {port} is taken by another program: stop that program, or choose \
                     another port, for example `make run {name}={}`",
                    port.saturating_add(1000)
                );
            }
        }
        Ok(Self {
            environment: chosen.environment,
            paths: paths.clone(),
            options,
            ports: chosen.internal,
            _reservations: chosen.reservations,
            _lock: lock,
        })
    }
}

fn lock(paths: &Paths) -> Result<File> {
    let path = paths.data.join("lock");
    let file = File::create(&path).with_context(|| format!("{} cannot be made", path.display()))?;
    if file.try_lock().is_err() {
        let who = run_state::previous_run(&paths.data).sukoon;
        let who = who.map(|who| format!(" (process {})", who.pid)).unwrap_or_default();
        bail!(
            "Sukoon is running already on {}{who}: stop it first, or set SUKOON_DATA, PORT and \
             SANDBOX_PORT to run a second practice",
            paths.data.display()
        );
    }
    Ok(file)
}

/// Stops the processes of a supervisor that was killed, the last started first.
async fn stop_leftover_processes(paths: &Paths) {
    let mut parts = run_state::previous_run(&paths.data).parts;
    let mut order: Vec<&str> = vec!["postgres", "nats"];
    order.extend(PROGRAMS);
    for name in order.into_iter().rev() {
        let Some(process) = parts.remove(name).and_then(|part| part.process) else {
            continue;
        };
        if process.is_alive() {
            output::step(format_args!("ending {name}, left over from an earlier start"));
            let signal = if name == "postgres" { Signal::INT } else { Signal::TERM };
            process.stop(signal, Duration::from_secs(10)).await;
        }
    }
}

/// Runs the practice until a signal asks it to stop.
pub(crate) async fn run(run_config: RunConfig, found: &InstalledTools) -> Result<ExitCode> {
    let run_state = RunState::new(&run_config.paths.data);
    let mut supervisor = Supervisor::new(run_state.clone(), run_config.paths.data.join("logs"));
    supervisor.restart_within(Duration::from_millis(run_config.options.restart_ms_max));
    let (kill_now, kill_requested) = watch::channel(false);
    let mut signals = Signals::new()?;
    let started = tokio::select! {
        started = start(&run_config, found, &run_state, &mut supervisor) => Some(started),
        () = signals.next() => None,
    };
    if let Some(Ok(owner)) = &started {
        let has_app = OwnerApp::of(&run_config.paths.data).exists();
        let own = &run_config.paths.practice;
        addresses::print(&run_config.options, owner.as_ref(), has_app, own);
        tokio::select! {
            () = signals.next() => {}
            () = certificates::keep_new(&run_config.paths.data) => {}
        }
    }
    output::step("stopping");
    tokio::select! {
        () = supervisor.stop(kill_requested) => {}
        () = async { loop { signals.next().await; kill_now.send_replace(true); } } => {}
    }
    run_state.remove()?;
    match started {
        Some(Err(error)) => Err(error),
        Some(Ok(_)) | None => {
            output::line("Sukoon has stopped.");
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// The signals that ask us to stop.
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
    run_config: &RunConfig,
    found: &InstalledTools,
    run_state: &RunState,
    supervisor: &mut Supervisor,
) -> Result<Option<Owner>> {
    for name in ["sandbox", process_specs::SERVICES_PROGRAM] {
        if !run_config.paths.programs.join(name).is_file() {
            bail!("the program {name} has not been built; `make run` builds it");
        }
    }
    practice::complete(&run_config.paths)?;
    machine::practice::begin(&practice::places(&run_config.paths))?;
    let mut secret_store = SecretStore::open(&run_config.paths.data.join("secrets"))?;
    if Rotation::open(&run_config.paths.data.join("secrets"))?.finish_if_due(clock::now())? {
        output::step("the former signing key is removed");
    }
    let environment = &run_config.environment;
    let certificates = Certificates::wanted(environment, &run_config.paths.data)?;
    let (cluster, broker) =
        create_servers(run_config, found, certificates.as_ref(), &mut secret_store)?;
    output::step(match broker {
        Some(_) => "starting PostgreSQL and NATS",
        None => "starting PostgreSQL",
    });
    if let Some(server) = cluster.unrecorded_server() {
        server.stop(Signal::INT, Duration::from_secs(10)).await;
    }
    let mut servers = vec![cluster_spec(&cluster, environment)];
    servers.extend(broker.as_ref().map(|broker| broker_spec(broker, environment)));
    supervisor.start(servers)?;
    let limit = Duration::from_secs(DATABASE_SECONDS);
    cluster.wait_until_ready(limit).await.with_context(|| not_ready(supervisor, "postgres"))?;
    if let Some(broker) = &broker {
        broker.wait_until_ready(limit).await.with_context(|| not_ready(supervisor, "nats"))?;
    }
    let mut addresses = BTreeMap::new();
    for service in databases::SERVICES {
        let made = databases::ensure(&cluster, &mut secret_store, service)?;
        addresses.insert(service.to_owned(), made);
    }
    let builder = SpecBuilder {
        environment,
        paths: &run_config.paths,
        options: &run_config.options,
        ports: &run_config.ports,
        databases: &addresses,
        broker: broker.as_ref(),
        certificates: certificates.as_ref(),
    };
    let specs: Result<Vec<ProcessSpec>> =
        PROGRAMS.iter().map(|name| builder.process_spec(name, &mut secret_store)).collect();
    let specs = specs?;
    let owner = Owner::of(&run_config.environment, &mut secret_store)?;
    run_state.set_info(run_info(
        run_config,
        (&cluster, broker.as_ref()),
        &addresses,
        &mut secret_store,
    )?)?;
    output::step("bringing the databases up to date");
    migrate(supervisor, &specs).await?;
    if let Some(owner) = &owner {
        owner::seed(supervisor, &specs, owner, &OwnerApp::of(&run_config.paths.data)).await?;
    }
    output::step("starting the services");
    start_services(supervisor, &builder, specs)?;
    readiness::wait_until_ready(&run_config.options, run_state).await?;
    run_state.set_ready(true)?;
    Ok(owner)
}

/// Starts our own processes in the order of which they stop the other way round.
fn start_services(
    supervisor: &mut Supervisor,
    builder: &SpecBuilder<'_>,
    specs: Vec<ProcessSpec>,
) -> Result<()> {
    let last = |part: &ProcessSpec| match builder.options.form {
        Form::Many => part.name == "gateway",
        Form::Small => part.name != "sandbox",
    };
    let (last, first): (Vec<_>, Vec<_>) = specs.into_iter().partition(last);
    supervisor.start(first)?;
    supervisor.start(match builder.options.form {
        Form::Many => last,
        Form::Small => vec![small_form::process_spec(builder, last)?],
    })
}

fn create_servers(
    run_config: &RunConfig,
    found: &InstalledTools,
    certificates: Option<&Certificates>,
    secret_store: &mut SecretStore,
) -> Result<(Cluster, Option<Broker>)> {
    let data = &run_config.paths.data;
    let port = |key: &str| run_config.ports.get(key).copied().context("a port is missing");
    let cluster = Cluster {
        tool: found.postgres.clone().context("PostgreSQL is missing; run `sukoon prepare`")?,
        user: account::database_user()?,
        folder: data.join("postgres"),
        port: port("postgres postgres")?,
        password: secret_store.get_or_create("postgres-superuser")?,
        durability: Durability::Durable,
        certificates: certificates.cloned(),
    };
    paths::check_access(data, cluster.user.as_ref())?;
    if !cluster.folder.exists() {
        output::step("creating the databases");
    }
    cluster.create()?;
    cluster.take_certificate()?;
    if run_config.options.form == Form::Small {
        return Ok((cluster, None));
    }
    let broker = Broker {
        tool: found.nats.clone().context("nats-server is missing; run `sukoon prepare`")?,
        folder: data.join("nats"),
        port: port("nats nats")?,
        users: nats::users(secret_store)?,
        open: false,
        certificates: certificates.cloned(),
        file_store: PRACTICE_FILE_STORE,
    };
    Ok((cluster, Some(broker)))
}

fn cluster_spec(cluster: &Cluster, environment: &Environment) -> ProcessSpec {
    let (program, arguments) = cluster.server();
    let checked = cluster.clone();
    let libraries = cluster.tool.libraries.clone();
    let mut environment = inheritance::of("postgres", environment);
    environment.extend(libraries.map(|it| ("LD_LIBRARY_PATH".to_owned(), it)));
    ProcessSpec {
        arguments,
        environment,
        user: cluster.user.clone(),
        ports: BTreeMap::from([("postgres".to_owned(), cluster.port)]),
        before_start: Some(Arc::new(move || checked.remove_stale_pid_file())),
        // A fast shutdown disconnects clients and keeps committed data.
        stop: Signal::INT,
        ..ProcessSpec::new("postgres", program)
    }
}

fn broker_spec(broker: &Broker, environment: &Environment) -> ProcessSpec {
    let (program, arguments) = broker.server();
    let written = broker.clone();
    ProcessSpec {
        arguments,
        environment: inheritance::of("nats", environment),
        ports: BTreeMap::from([("nats".to_owned(), broker.port)]),
        // Its folder may be deleted at any time, so each start writes its configuration again.
        before_start: Some(Arc::new(move || written.configure())),
        ..ProcessSpec::new("nats", program)
    }
}

fn run_info(
    run_config: &RunConfig,
    (cluster, broker): (&Cluster, Option<&Broker>),
    addresses: &BTreeMap<String, Addresses>,
    secret_store: &mut SecretStore,
) -> Result<RunInfo> {
    let mut names: Vec<String> = CALLERS.map(|name| format!("caller-{name}")).to_vec();
    names.push("identity-signing".to_owned());
    let keys = names.into_iter().map(|name| (name.clone(), secret_store.key_path(&name))).collect();
    Ok(RunInfo {
        public_url: run_config.options.public_url.clone(),
        sandbox_url: run_config.options.sandbox_url.clone(),
        nats_url: broker.map(Broker::address),
        postgres_admin_url: cluster.url(SUPERUSER, &cluster.password, "postgres"),
        databases: addresses.clone(),
        keys,
        owner_email: Owner::of(&run_config.environment, secret_store)?.map(|owner| owner.email),
        provider: json!({
            "key_id": process_specs::key_id(secret_store)?,
            "key_secret": secret_store.get_or_create("provider-key-secret")?,
            "webhook_secret": secret_store.get_or_create("provider-webhook-secret")?,
            "meeting_token": secret_store.get_or_create("meeting-token")?,
        }),
    })
}

async fn migrate(supervisor: &Supervisor, specs: &[ProcessSpec]) -> Result<()> {
    for part in specs.iter().filter(|part| process_specs::migrates(part.name)) {
        let once = part.clone().with_argument("migrate").into_owners();
        let status = supervisor.command(&once)?.status().await;
        if !status.with_context(|| format!("{} cannot be started", part.name))?.success() {
            bail!("{}", not_ready(supervisor, part.name));
        }
    }
    Ok(())
}

fn not_ready(supervisor: &Supervisor, name: &str) -> String {
    readiness::not_ready(name, &supervisor.log(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::process::Identity;
    use machine::run_state::ProcessRecord;
    use std::fs;
    use std::path::PathBuf;
    use tokio::time::{Instant, sleep};

    fn paths(name: &str) -> Paths {
        let data = std::env::temp_dir().join(format!("sukoon-{name}-{}", std::process::id()));
        Paths {
            checkout: PathBuf::from("/"),
            practice: PathBuf::from("/practice"),
            test_data: data.join("test"),
            packages: data.join("packages"),
            programs: data.join("programs"),
            data,
        }
    }

    /// A practice on ports that are chosen.
    fn anywhere() -> Environment {
        Environment::from([("PORT", "0"), ("SANDBOX_PORT", "0")])
    }

    /// A process that another test is starting has copies of the lock and of the ports' sockets
    /// until it runs its program.
    async fn wait_until_opened(environment: &Environment, paths: &Paths) {
        let deadline = Instant::now() + Duration::from_secs(60);
        while let Err(error) = RunConfig::open(environment, paths).await {
            assert!(Instant::now() < deadline, "{error:#}");
            sleep(Duration::from_millis(10)).await;
        }
    }

    #[tokio::test]
    async fn a_folder_serves_one_practice_at_a_time() {
        let paths = paths("one");
        let environment = anywhere();
        let first = RunConfig::open(&environment, &paths).await.unwrap();
        let refused = RunConfig::open(&environment, &paths).await.err().unwrap().to_string();
        assert!(refused.contains("running already"), "{refused}");
        drop(first);
        wait_until_opened(&environment, &paths).await;
        fs::remove_dir_all(&paths.data).unwrap();
    }

    #[tokio::test]
    async fn a_taken_port_is_named_with_what_to_do() {
        let paths = paths("taken");
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port().to_string();
        let environment = Environment::from([("PORT", &*port)]);
        let refused = RunConfig::open(&environment, &paths).await.err().unwrap().to_string();
        assert!(refused.contains(&port) && refused.contains("make run PORT="), "{refused}");
        fs::remove_dir_all(&paths.data).unwrap();
    }

    #[tokio::test]
    async fn processes_of_an_earlier_run_are_stopped() {
        let paths = paths("left");
        fs::create_dir_all(&paths.data).unwrap();
        let mut left = std::process::Command::new("sleep").arg("600").spawn().unwrap();
        let part = ProcessRecord {
            process: Identity::of(left.id()),
            restarts: 0,
            log: PathBuf::new(),
            ports: BTreeMap::new(),
        };
        RunState::new(&paths.data).set_part("booking", part).unwrap();
        let environment = anywhere();
        RunConfig::open(&environment, &paths).await.unwrap();
        assert!(!left.wait().unwrap().success());
        fs::remove_dir_all(&paths.data).unwrap();
    }
}
