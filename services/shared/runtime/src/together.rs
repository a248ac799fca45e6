//! All services in one process: what a practice on one small machine runs.
//!
//! Each service has its own settings, and all else that is its own by its [`crate::scope`]. The
//! process has one runtime, one log, one address for metrics and one signal to stop.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use crate::error::BoxError;
use crate::program::{Prepared, Program, complain, ended};
use crate::settings::{Reader, Source, read_file};
use crate::shutdown::Shutdown;
use crate::tasks::{TaskError, Tasks};
use crate::{metrics, status, telemetry};

/// How long the services wait for the fronts to stop.
const FRONT_TIMEOUT: Duration = Duration::from_secs(1);

/// Programs that serve in one process. The settings of each are in the file `<name>.env` of the
/// folder that `SERVICES_SETTINGS` names; those of the process itself are its source's.
#[must_use = "nothing is served until main_with is called"]
pub struct Together {
    name: &'static str,
    services: Vec<Program>,
    fronts: Vec<Program>,
}

/// What begins once all settings are known to be complete.
struct Begun {
    shown: telemetry::Settings,
    services: Vec<Prepared>,
    fronts: Vec<Prepared>,
}

impl Together {
    /// A process that logs under `name` what belongs to none of its services.
    pub fn new(name: &'static str) -> Self {
        Self { name, services: Vec::new(), fronts: Vec::new() }
    }

    /// Adds a service.
    pub fn service(mut self, program: Program) -> Self {
        self.services.push(program);
        self
    }

    /// Adds one that only calls the others: it stops before they do.
    pub fn front(mut self, program: Program) -> Self {
        self.fronts.push(program);
        self
    }

    /// Serves until a signal asks it to stop, or until a service ends with an error, with which the
    /// process then ends. The exit code is that of [`Program::main`].
    pub fn main_with(self, source: &dyn Source) -> ExitCode {
        let name = self.name;
        let begun = match self.begin(source) {
            Ok(begun) => begun,
            Err(what) => return complain(name, &what),
        };
        match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
            Ok(runtime) => runtime.block_on(work(name, begun)),
            Err(error) => complain(name, &status::chain(&error)),
        }
    }

    fn begin(self, source: &dyn Source) -> Result<Begun, String> {
        let mut reader = Reader::new(source);
        let settings: PathBuf = reader.path("SERVICES_SETTINGS");
        let shown = telemetry::Settings::read(&mut reader);
        let (settings, shown) = reader.finish((settings, shown)).map_err(|it| it.to_string())?;
        match (prepared(self.services, &settings), prepared(self.fronts, &settings)) {
            (Ok(services), Ok(fronts)) => Ok(Begun { shown, services, fronts }),
            (services, fronts) => {
                let faults = [services.err(), fronts.err()].into_iter().flatten();
                Err(faults.collect::<Vec<_>>().join("\n"))
            }
        }
    }
}

/// Reads the settings of these programs; the error tells all that is wrong with any of them.
fn prepared(programs: Vec<Program>, folder: &Path) -> Result<Vec<Prepared>, String> {
    let (mut all, mut faults) = (Vec::new(), Vec::new());
    for program in programs {
        let service = program.service;
        let settings = read_file(&folder.join(format!("{service}.env")));
        let done = settings
            .map_err(|error| status::chain(&error))
            .and_then(|settings| program.prepare("", Reader::of_shared_process(&settings)));
        match done {
            Ok(prepared) => all.push(prepared),
            Err(what) => faults.push(format!("{service}: {what}")),
        }
    }
    if faults.is_empty() { Ok(all) } else { Err(faults.join("\n")) }
}

async fn work(name: &'static str, Begun { shown, services, fronts }: Begun) -> ExitCode {
    let names: Vec<_> = services.iter().chain(&fronts).map(|it| it.scope.service()).collect();
    let guard = match telemetry::init_for(name, &names, &shown) {
        Ok(guard) => guard,
        Err(error) => return complain(name, &status::chain(&error)),
    };
    let done = async {
        let signal = Shutdown::on_signals()?;
        if let Some(address) = shown.metrics {
            let scopes = services.iter().map(|it| it.scope.clone()).collect();
            metrics::endpoint::open_for(name, scopes, address, &signal).await?;
        }
        Ok::<_, BoxError>(serve(services, fronts, signal).await?)
    };
    ended(done.await, guard).await
}

/// Serves until the signal is given or one ends. The fronts stop first, and then the services; a
/// front that takes long does not use up the time in which the process has to end.
async fn serve(
    services: Vec<Prepared>,
    fronts: Vec<Prepared>,
    signal: Shutdown,
) -> Result<(), TaskError> {
    let (stop_services, stop_fronts) = (Shutdown::new(), Shutdown::new());
    let services = started(services, &stop_services);
    let fronts = started(fronts, &stop_fronts);
    let asked = async {
        tokio::select! {
            () = signal.wait() => {}
            () = stop_services.wait() => {}
            () = stop_fronts.wait() => {}
        }
        stop_fronts.trigger();
        tokio::time::sleep(FRONT_TIMEOUT).await;
        stop_services.trigger();
    };
    let fronts = async {
        let ended = fronts.join().await;
        stop_services.trigger();
        ended
    };
    let served = async { tokio::join!(fronts, services.join()) };
    tokio::pin!(served, asked);
    let (fronts, services) = tokio::select! {
        served = &mut served => served,
        () = asked => served.await,
    };
    services.and(fronts)
}

fn started(all: Vec<Prepared>, stop: &Shutdown) -> Tasks {
    let mut tasks = Tasks::new(stop);
    for one in all {
        tasks.spawn(one.scope.service(), run(one, stop.clone()));
    }
    tasks
}

/// Serves as one service. A panic is an error of this service, by its name.
fn run(
    Prepared { scope, exposed, job, .. }: Prepared,
    stop: Shutdown,
) -> impl Future<Output = Result<(), BoxError>> + Send + 'static {
    let job = scope.within_sync(|| job(stop));
    let serving = async move {
        if !exposed.is_empty() {
            tracing::warn!(settings = exposed, "secrets stand in the settings; name files instead");
        }
        job.await
    };
    async { tokio::spawn(scope.within(serving)).await? }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use tokio::sync::Notify;

    use super::{Prepared, prepared, serve};
    use crate::program::Job;
    use crate::scope::Scope;
    use crate::status::chain;
    use crate::{BoxError, Program, Reader, Shutdown, telemetry};

    /// The services that have stopped as they were asked, in this order.
    #[derive(Clone, Default)]
    struct Stopped {
        names: Arc<Mutex<Vec<&'static str>>>,
        more: Arc<Notify>,
    }

    impl Stopped {
        fn names(&self) -> Vec<&'static str> {
            self.names.lock().unwrap().clone()
        }
    }

    fn service(name: &'static str, job: Job) -> Prepared {
        let none: &[(&str, &str)] = &[];
        let shown = telemetry::Settings::read(&mut Reader::new(&none));
        let scope = Scope::new(name, None, None, true);
        Prepared { scope, shown, exposed: String::new(), job }
    }

    /// A service that stops when it is asked, or ends at once with this fault.
    fn stopping(name: &'static str, stopped: &Stopped, fault: Option<&'static str>) -> Prepared {
        let stopped = stopped.clone();
        let job = move |stop: Shutdown| {
            let serving = async move {
                match fault {
                    Some("panic") => panic!("as it must"),
                    Some(fault) => return Err(BoxError::from(fault)),
                    None => stop.wait().await,
                }
                stopped.names.lock().unwrap().push(name);
                stopped.more.notify_one();
                Ok(())
            };
            Box::pin(serving) as _
        };
        service(name, Box::new(job))
    }

    #[tokio::test]
    async fn a_signal_stops_the_front_and_then_the_services() {
        let (stopped, signal) = (Stopped::default(), Shutdown::new());
        let services = vec![stopping("booking", &stopped, None)];
        let fronts = vec![stopping("gateway", &stopped, None)];
        signal.trigger();
        serve(services, fronts, signal).await.unwrap();
        assert_eq!(stopped.names(), ["gateway", "booking"]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_front_that_does_not_stop_does_not_keep_the_services() {
        let (stopped, signal) = (Stopped::default(), Shutdown::new());
        let released = Arc::new(Notify::new());
        let wait = Arc::clone(&released);
        let stuck = move |_stop| {
            Box::pin(async move {
                wait.notified().await;
                Ok(())
            }) as _
        };
        let fronts = vec![service("gateway", Box::new(stuck))];
        signal.trigger();
        let releasing = async {
            stopped.more.notified().await;
            assert_eq!(stopped.names(), ["booking"]);
            released.notify_one();
        };
        let services = vec![stopping("booking", &stopped, None)];
        let (served, ()) = tokio::join!(serve(services, fronts, signal), releasing);
        served.unwrap();
    }

    #[tokio::test]
    async fn a_service_that_fails_ends_all_and_is_named() {
        for fault in ["no room", "panic"] {
            let stopped = Stopped::default();
            let [booking, payments] = [("booking", Some(fault)), ("payments", None)]
                .map(|(name, fault)| stopping(name, &stopped, fault));
            let (services, fronts) =
                (vec![booking, payments], vec![stopping("gateway", &stopped, None)]);
            let error = serve(services, fronts, Shutdown::new()).await.unwrap_err();
            let told = chain(&error);
            assert!(told.starts_with("booking ended with an error: "), "{told}");
            assert!(told.contains(fault), "{told}");
            let names = stopped.names();
            assert!(["gateway", "payments"].iter().all(|it| names.contains(it)), "{names:?}");
        }
    }

    #[test]
    fn all_that_is_wrong_with_any_service_is_told_at_once() {
        let folder = std::env::temp_dir().join(format!("sukoon-together-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("booking.env"), "LISTEN='nowhere'\n").unwrap();
        std::fs::write(folder.join("payments.env"), "LISTEN='127.0.0.1:1'\n").unwrap();
        let program = |name: &'static str| {
            let read = |reader: &mut Reader<'_>| reader.address("LISTEN");
            Program::new(name).serve(read, async |_, _| Ok::<(), BoxError>(()))
        };
        let told = prepared(["booking", "payments", "reviews"].map(program).into(), &folder);
        let told = told.err().unwrap();
        assert!(told.contains("booking: ") && told.contains("\n  LISTEN: "), "{told}");
        assert!(told.contains("reviews: ") && told.contains("reviews.env"), "{told}");
        assert!(!told.contains("payments"), "{told}");
        std::fs::remove_dir_all(folder).unwrap();
    }
}
