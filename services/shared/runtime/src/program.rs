//! What every `main.rs` does: settings, logs, the runtime, one command, and an exit code.

use std::io::Write as _;
use std::process::ExitCode;

use futures::FutureExt as _;
use futures::future::BoxFuture;

use crate::error::BoxError;
use crate::scope::Scope;
use crate::settings::{Environment, Reader, Source};
use crate::shutdown::Shutdown;
use crate::tls::{Tls, TlsSettings};
use crate::{failpoint, http, metrics, status, telemetry};

/// What runs once the settings are known to be complete.
pub(crate) type Job = Box<dyn FnOnce(Shutdown) -> BoxFuture<'static, Result<(), BoxError>>>;
/// Reads a command's settings and prepares it.
type Prepare = Box<dyn FnOnce(&mut Reader<'_>) -> Job>;

/// A process: its name and its commands. See the crate's README for a whole `main.rs`.
#[must_use = "a program does nothing until main is called"]
pub struct Program {
    pub(crate) service: &'static str,
    commands: Vec<(&'static str, Prepare)>,
}

impl Program {
    /// A process that logs under `service`.
    pub fn new(service: &'static str) -> Self {
        Self { service, commands: Vec::new() }
    }

    /// The command without an argument: `read` collects the settings, `run` works until the
    /// shutdown signal is given.
    pub fn serve<C, F, E>(
        self,
        read: fn(&mut Reader<'_>) -> C,
        run: impl FnOnce(C, Shutdown) -> F + 'static,
    ) -> Self
    where
        C: 'static,
        F: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<BoxError>,
    {
        self.command("", read, run)
    }

    /// The command `migrate`, which ends by itself.
    pub fn migrate<C, F, E>(
        self,
        read: fn(&mut Reader<'_>) -> C,
        run: impl FnOnce(C) -> F + 'static,
    ) -> Self
    where
        C: 'static,
        F: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<BoxError>,
    {
        self.command("migrate", read, move |config, _shutdown| run(config))
    }

    /// Another command.
    pub fn command<C, F, E>(
        mut self,
        name: &'static str,
        read: fn(&mut Reader<'_>) -> C,
        run: impl FnOnce(C, Shutdown) -> F + 'static,
    ) -> Self
    where
        C: 'static,
        F: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<BoxError>,
    {
        let prepare: Prepare = Box::new(move |reader| {
            let config = read(reader);
            Box::new(move |shutdown| run(config, shutdown).map(|r| r.map_err(Into::into)).boxed())
        });
        self.commands.push((name, prepare));
        self
    }

    /// Runs the command that the argument names. The exit code is 0 when it ended well, 1 when it
    /// failed, and 2 when it could not begin.
    pub fn main(self) -> ExitCode {
        self.main_with(&Environment, std::env::args().skip(1))
    }

    /// Runs the command of the remaining arguments with the settings of a source, for a program
    /// that contains several.
    pub fn main_with(
        self,
        source: &dyn Source,
        mut arguments: impl Iterator<Item = String>,
    ) -> ExitCode {
        let service = self.service;
        let wanted = arguments.next().unwrap_or_default();
        if arguments.next().is_some() {
            return complain(service, NO_COMMAND);
        }
        let prepared = match self.prepare(&wanted, Reader::new(source)) {
            Ok(prepared) => prepared,
            Err(what) => return complain(service, &what),
        };
        match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
            Ok(runtime) => runtime.block_on(work(prepared)),
            Err(error) => complain(service, &status::chain(&error)),
        }
    }

    /// Reads the settings of a command. The error says why it cannot begin.
    pub(crate) fn prepare(self, wanted: &str, mut reader: Reader<'_>) -> Result<Prepared, String> {
        let known = self.commands.into_iter().find(|(name, _)| *name == wanted);
        let (_, prepare) = known.ok_or(NO_COMMAND)?;
        let failpoints = failpoint::folder(&reader);
        let mut shown = telemetry::Settings::read(&mut reader);
        if !wanted.is_empty() {
            // A command runs beside the serving process, which uses the address.
            shown.metrics = None;
        }
        let tls = TlsSettings::read(&mut reader);
        let job = prepare(&mut reader);
        let mut exposed = reader.exposed_secrets().join(", ");
        if !wanted.is_empty() {
            // A command runs once, often for a person, and its output is the answer.
            exposed.clear();
        }
        let shares_process = reader.shares_process();
        let complete = reader.finish((shown, tls, job));
        let (shown, tls, job) = complete.map_err(|invalid| invalid.to_string())?;
        http::install_crypto();
        let tls = tls.map(Tls::open).transpose();
        let tls = tls.map_err(|error| status::chain(error.as_ref()))?;
        let scope = Scope::new(self.service, tls, failpoints, shares_process);
        Ok(Prepared { scope, shown, exposed, job })
    }
}

/// What is said of a word that names no command.
const NO_COMMAND: &str = "there is no such command";

/// A command whose settings are complete.
pub(crate) struct Prepared {
    pub(crate) scope: Scope,
    pub(crate) shown: telemetry::Settings,
    /// The secrets that stand in the environment itself.
    pub(crate) exposed: String,
    pub(crate) job: Job,
}

async fn work(Prepared { scope, shown, exposed, job }: Prepared) -> ExitCode {
    let service = scope.service();
    let guard = match telemetry::init(service, &shown) {
        Ok(guard) => guard,
        Err(error) => return complain(service, &status::chain(&error)),
    };
    if !exposed.is_empty() {
        tracing::warn!(settings = exposed, "secrets stand in the environment; name files instead");
    }
    let done = scope.within(async { job(begin(service, &shown).await?).await }).await;
    ended(done, guard).await
}

/// Logs how the process ended, sends its last spans, and gives its exit code.
pub(crate) async fn ended(done: Result<(), BoxError>, guard: telemetry::Guard) -> ExitCode {
    let code = match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!(error = status::chain(error.as_ref()), "failed");
            ExitCode::FAILURE
        }
    };
    // Sending the last spans blocks, and the exporter needs this runtime meanwhile.
    if tokio::task::spawn_blocking(move || drop(guard)).await.is_err() {
        tracing::warn!("the last spans were not sent");
    }
    code
}

/// Follows signals, and opens the metrics if there is an address for them.
async fn begin(service: &'static str, shown: &telemetry::Settings) -> Result<Shutdown, BoxError> {
    let shutdown = Shutdown::on_signals()?;
    if let Some(address) = shown.metrics {
        metrics::endpoint::open(service, address, &shutdown).await?;
    }
    Ok(shutdown)
}

/// Writes to standard error why the process cannot start; there are no logs yet.
pub(crate) fn complain(service: &str, what: &str) -> ExitCode {
    // If standard error cannot be written, the exit code still tells.
    writeln!(std::io::stderr(), "{service}: {what}").ok();
    ExitCode::from(2)
}
