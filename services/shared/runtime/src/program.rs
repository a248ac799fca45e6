//! What every `main.rs` does: settings, logs, the runtime, one command, and an exit code.

use std::io::Write as _;
use std::process::ExitCode;

use futures::FutureExt as _;
use futures::future::BoxFuture;

use crate::error::BoxError;
use crate::settings::{Environment, Reader};
use crate::shutdown::Shutdown;
use crate::tls::{Tls, TlsSettings};
use crate::{failpoint, http, metrics, status, telemetry};

/// What runs once the settings are known to be complete.
type Job = Box<dyn FnOnce(Shutdown) -> BoxFuture<'static, Result<(), BoxError>>>;
/// Reads a command's settings and prepares it.
type Prepare = Box<dyn FnOnce(&mut Reader<'_>) -> Job>;

/// A process: its name and its commands. See the crate's README for a whole `main.rs`.
#[must_use = "a program does nothing until main is called"]
pub struct Program {
    service: &'static str,
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
        self.main_with(std::env::args().skip(1))
    }

    /// Runs the command of the remaining arguments, for a program that contains several.
    pub fn main_with(self, mut arguments: impl Iterator<Item = String>) -> ExitCode {
        let service = self.service;
        let wanted = arguments.next().unwrap_or_default();
        let known = self.commands.into_iter().find(|(name, _)| *name == wanted);
        let (Some((_, prepare)), None) = (known, arguments.next()) else {
            return complain(service, "there is no such command");
        };
        failpoint::in_service(service);
        let mut reader = Reader::new(&Environment);
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
        let (shown, tls, job) = match reader.finish((shown, tls, job)) {
            Ok(complete) => complete,
            Err(invalid) => return complain(service, &invalid.to_string()),
        };
        http::install_crypto();
        match tls.map(Tls::open).transpose() {
            Ok(tls) => tls.into_iter().for_each(Tls::install),
            Err(error) => return complain(service, &status::chain(error.as_ref())),
        }
        match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
            Ok(runtime) => runtime.block_on(work(service, (&shown, &exposed), job)),
            Err(error) => complain(service, &status::chain(&error)),
        }
    }
}

async fn work(
    service: &'static str,
    (shown, exposed): (&telemetry::Settings, &str),
    job: Job,
) -> ExitCode {
    let guard = match telemetry::init(service, shown) {
        Ok(guard) => guard,
        Err(error) => return complain(service, &status::chain(&error)),
    };
    if !exposed.is_empty() {
        tracing::warn!(settings = exposed, "secrets stand in the environment; name files instead");
    }
    let done = match begin(service, shown).await {
        Ok(shutdown) => job(shutdown).await,
        Err(error) => Err(error),
    };
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
fn complain(service: &str, what: &str) -> ExitCode {
    // If standard error cannot be written, the exit code still tells.
    writeln!(std::io::stderr(), "{service}: {what}").ok();
    ExitCode::from(2)
}
