//! A running practice: started as `make run` starts it; tests read it, kill its parts and move its
//! clocks.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::PoisonError;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use checker::snapshot::Ack;
use serde_json::{Value, json};
use sqlx::postgres::{PgPool, PgPoolOptions};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};
use testkit::{until, until_within};
use tokio::sync::{Mutex, RwLock};
use tokio::time::Instant;

use crate::recorder::Recorder;

/// Every part that a kill may hit: our programs, the databases and NATS.
pub const KILLABLE_PARTS: [&str; 9] = [
    "booking",
    "catalogue",
    "gateway",
    "identity",
    "nats",
    "notifications",
    "payments",
    "postgres",
    "reviews",
];

/// The services with a database.
pub const STORES: [&str; 5] = ["booking", "payments", "notifications", "identity", "reviews"];

/// Settings for a test in which one machine plays many clients.
pub const RAISED_LIMITS: [(&str, &str); 15] = [
    ("GATEWAY_LIMIT_ADDRESS", "100000/1000000"),
    ("GATEWAY_LIMIT_ACCOUNT", "10000/100000"),
    ("GATEWAY_LIMIT_STAFF", "10000/100000"),
    // On a busy machine a thousand buyers connect long before the last of them can send a request.
    ("GATEWAY_HEAD_SECONDS", "120"),
    ("GATEWAY_LIMIT_SIGN_IN", "10000/100000"),
    ("GATEWAY_LIMIT_REVIEWS", "10000/100000"),
    ("GATEWAY_LIMIT_FORMS", "10000/100000"),
    ("GATEWAY_LIMIT_FORMS_PER_HOUR", "10000"),
    ("GATEWAY_LIMIT_UPLOADS_PER_HOUR", "10000"),
    ("GATEWAY_WATCHERS_PER_ACCOUNT", "1000"),
    ("GATEWAY_LIMIT_UNSUBSCRIBING", "10000/100000"),
    ("NOTIFICATIONS_CONTACT_LIMIT", "100000"),
    ("BOOKING_UNPAID_PER_ACCOUNT", "100000/0"),
    ("BOOKING_UNPAID_PER_DEVICE", "100000/0"),
    ("BOOKING_UNPAID_PER_NETWORK", "100000/0"),
];

/// How long a start may take on a busy machine.
const READY_TIMEOUT: Duration = Duration::from_secs(180);

/// How many connections of a pool a test has at most.
const POOL_MAX: u32 = 4;

/// A practice in a folder of its own; it stops when this value is dropped.
pub struct Practice {
    /// `sukoon`; none when something else runs the parts.
    child: Option<Child>,
    data: PathBuf,
    /// Whether the folder is kept for another start.
    keeps_data: bool,
    /// How far ahead the clocks are, in minutes.
    pub(crate) ahead: AtomicI64,
    /// Clocks stand still while this is held to read, for steps that take a person minutes.
    pub clock_lock: RwLock<()>,
    /// Held while the owner's password is entered, because there is one owner.
    pub owner_password_lock: Mutex<()>,
    /// The owner's newest access token, and when it was given.
    pub(crate) owner_token: Mutex<Option<(String, Instant)>>,
    /// Connections to databases by their URLs.
    pools: std::sync::Mutex<BTreeMap<String, PgPool>>,
    /// Records acknowledgements, mails, and faults that may repeat a mail.
    pub recorder: Recorder,
    /// The gateway's address.
    pub url: String,
    /// The sandbox's address.
    pub sandbox: String,
    /// An HTTP client that follows no redirects and has timeouts for a busy machine.
    pub http: reqwest::Client,
}

impl Practice {
    /// Starts a practice with these settings besides the defaults, and waits until it is ready.
    ///
    /// When it does not become ready; the error has its output.
    pub async fn start(settings: &[(&str, &str)]) -> Result<Self> {
        let mut practice = Self::spawn_in(Self::new_folder(), settings, Stdio::inherit())?;
        practice.wait_until_ready().await?;
        Ok(practice)
    }

    /// A path for a data folder that no other test uses.
    #[must_use]
    pub fn new_folder() -> PathBuf {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::SeqCst);
        let name = format!("sukoon-system-{}-{count}", std::process::id());
        std::env::temp_dir().join(name)
    }

    /// Starts a practice on this data folder, new or left by an earlier start, and does not wait;
    /// the output of `sukoon` goes to `output`.
    ///
    /// When the program does not exist.
    pub fn spawn_in(data: PathBuf, settings: &[(&str, &str)], output: Stdio) -> Result<Self> {
        Self::spawn_program(&program("sukoon")?, data, settings, output)
    }

    /// The same by another release's `sukoon`.
    ///
    /// # Errors
    /// When the program does not exist.
    pub(crate) fn spawn_program(
        sukoon: &Path,
        data: PathBuf,
        settings: &[(&str, &str)],
        output: Stdio,
    ) -> Result<Self> {
        let (port, sandbox_port) = (free_port()?, free_port()?);
        let http = runtime::http::client()?;
        let child = Command::new(sukoon)
            .arg("up")
            .env("SUKOON_DATA", &data)
            .env("PORT", port.to_string())
            .env("SANDBOX_PORT", sandbox_port.to_string())
            // The people of these tests don't refresh their tokens.
            .env("IDENTITY_ACCESS_TOKEN_SECONDS", "3600")
            .envs(settings.iter().copied())
            .stdin(Stdio::null())
            .stdout(output)
            .stderr(Stdio::inherit())
            .spawn()?;
        Ok(Self {
            child: Some(child),
            data,
            keeps_data: false,
            ahead: AtomicI64::new(0),
            clock_lock: RwLock::default(),
            owner_password_lock: Mutex::default(),
            owner_token: Mutex::default(),
            pools: std::sync::Mutex::default(),
            recorder: Recorder::default(),
            url: format!("http://127.0.0.1:{port}"),
            sandbox: format!("http://127.0.0.1:{sandbox_port}"),
            http,
        })
    }

    /// Waits until it is ready.
    ///
    /// When it does not become ready; the error has its output.
    pub async fn wait_until_ready(&mut self) -> Result<()> {
        let ready = tokio::time::timeout(READY_TIMEOUT, self.wait_for_record());
        ready.await.context("sukoon up did not get ready")?
    }

    /// Stops it and keeps its data folder for another start.
    pub fn stop(mut self) {
        self.keeps_data = true;
    }

    /// Kills `sukoon` itself and keeps its data folder for another start. Its parts may run on for
    /// a moment.
    ///
    /// # Errors
    /// When there is no process to kill.
    pub(crate) fn kill_supervisor(&mut self) -> Result<()> {
        self.keeps_data = true;
        if let Some(child) = &mut self.child {
            child.kill()?;
            child.wait()?;
        }
        Ok(())
    }

    /// Ends `sukoon` and all of its parts. The caller runs the parts on this data folder from then
    /// on, and writes their record.
    ///
    /// # Errors
    /// When it cannot be ended.
    pub(crate) fn end_supervisor(&mut self) -> Result<()> {
        let Some(mut child) = self.child.take() else { return Ok(()) };
        Command::new("kill").arg("-TERM").arg(child.id().to_string()).status()?;
        child.wait()?;
        Ok(())
    }

    /// Reads the offset of this data folder's clocks from the machine's.
    pub(crate) async fn load_clock_offset(&self) -> Result<()> {
        let mut booking = self.database("booking").await?;
        let minutes: i64 = sqlx::query_scalar(
            "select floor(extract(epoch from offset_by) / 60)::bigint from clock",
        )
        .fetch_one(&mut booking)
        .await?;
        self.ahead.store(minutes, Ordering::SeqCst);
        Ok(())
    }

    async fn wait_for_record(&mut self) -> Result<()> {
        loop {
            if self.record().is_ok_and(|record| record["ready"] == true) {
                return Ok(());
            }
            let child = self.child.as_mut().context("sukoon up was ended")?;
            ensure!(child.try_wait()?.is_none(), "sukoon up ended before it was ready");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// The record that `sukoon` writes about its parts.
    ///
    /// When there is none yet.
    pub fn record(&self) -> Result<Value> {
        Ok(serde_json::from_slice(&std::fs::read(self.data.join("run.json"))?)?)
    }

    /// Whether all services are one process, as in the small form.
    ///
    /// # Errors
    /// When there is no record.
    pub fn is_one_process(&self) -> Result<bool> {
        let parts = &self.record()?["parts"];
        Ok(parts["booking"]["log"] == parts["payments"]["log"])
    }

    /// What a part has logged; in the small form the services have one log.
    ///
    /// # Errors
    /// When it has none.
    pub fn log(&self, part: &str) -> Result<String> {
        let record = self.record()?;
        let path = record["parts"][part]["log"].as_str().context("no such part")?;
        Ok(std::fs::read_to_string(path)?)
    }

    /// The data folder.
    #[must_use]
    pub fn data(&self) -> &Path {
        &self.data
    }

    /// The owner's address and password, which `sukoon` made and printed.
    ///
    /// # Errors
    /// When there is none.
    pub fn owner(&self) -> Result<(String, String)> {
        let record = self.record()?;
        let email = record["owner_email"].as_str().context("no owner")?.to_owned();
        let secrets = std::fs::read(self.data.join("secrets/words.json"))?;
        let words: Value = serde_json::from_slice(&secrets)?;
        let word = words["owner-password"].as_str().context("no password")?;
        // It is printed in four groups of four.
        let groups = (0..4).filter_map(|group| word.get(group * 4..group * 4 + 4));
        Ok((email, groups.collect::<Vec<_>>().join("-")))
    }

    /// Waits until every part reports that it is ready.
    ///
    /// # Errors
    /// When that takes too long.
    pub async fn wait_until_healthy(&self) -> Result<()> {
        until_within(READY_TIMEOUT, "every part is ready", async || {
            let asked = self.http.get(format!("{}/healthz", self.url)).send().await;
            Ok(asked.is_ok_and(|answer| answer.status() == 200).then_some(()))
        })
        .await
    }

    /// Kills these parts with SIGKILL; `sukoon` starts them again. One of several may have died a
    /// moment before, which is no error.
    ///
    /// # Errors
    /// When there was no process to kill.
    pub fn kill(&self, parts: &[&str]) -> Result<()> {
        let pids = parts.iter().map(|part| self.pid(part)).collect::<Result<Vec<_>>>()?;
        for part in parts {
            self.recorder.record_kill(part);
        }
        let mut killed = 0;
        for pid in pids {
            let pid = pid.to_string();
            killed += usize::from(Command::new("kill").args(["-KILL", &pid]).status()?.success());
        }
        ensure!(killed > 0, "{parts:?} were not there to be killed");
        Ok(())
    }

    /// Sends a part's process a signal such as `STOP`.
    ///
    /// # Errors
    /// When it has no process just now.
    pub fn signal(&self, part: &str, signal: &str) -> Result<()> {
        let (pid, signal) = (self.pid(part)?.to_string(), format!("-{signal}"));
        let sent = Command::new("kill").args([signal, pid]).status()?;
        ensure!(sent.success(), "{part} was not there for a signal");
        Ok(())
    }

    /// The process id of a part.
    ///
    /// # Errors
    /// When it has none just now.
    pub fn pid(&self, part: &str) -> Result<u64> {
        let record = self.record()?;
        let pid = record["parts"][part]["process"]["pid"].as_u64();
        pid.with_context(|| format!("{part} has no process: {record}"))
    }

    /// Sets the clock of every service so many minutes ahead of the machine's.
    pub async fn move_clocks(&self, minutes: i64) -> Result<()> {
        self.ahead.fetch_max(minutes, Ordering::SeqCst);
        let sql = format!("update clock set offset_by = make_interval(mins => {minutes})");
        for service in STORES {
            until_within(READY_TIMEOUT, "a clock is moved", async || {
                let Ok(owner) = self.pool(service) else { return Ok(None) };
                Ok(owner.execute(AssertSqlSafe(sql.clone())).await.ok())
            })
            .await?;
        }
        Ok(())
    }

    /// Moves the clocks so many minutes ahead of where they are.
    pub async fn advance_clocks(&self, minutes: i64) -> Result<()> {
        let _moving = self.clock_lock.write().await;
        let ahead = self.ahead.load(Ordering::SeqCst) + minutes;
        self.move_clocks(ahead).await
    }

    /// Records an acknowledgement.
    pub fn record_ack(&self, ack: Ack) {
        self.recorder.record_ack(ack);
    }

    /// A superuser's own connection to a service's database.
    pub async fn database(&self, service: &str) -> Result<PgConnection> {
        let url = self.superuser_url(service)?;
        until("the database can be reached", async || Ok(PgConnection::connect(&url).await.ok()))
            .await
    }

    /// The superuser's connections to a service's database that all of a test share, for statements
    /// that stand alone: a new connection costs the server more than most of these.
    pub fn pool(&self, service: &str) -> Result<PgPool> {
        let url = self.superuser_url(service)?;
        // A map of pools cannot be half-written.
        let mut pools = self.pools.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pool) = pools.get(&url) {
            return Ok(pool.clone());
        }
        let options = PgPoolOptions::new().max_connections(POOL_MAX);
        let pool = options.acquire_timeout(READY_TIMEOUT).connect_lazy(&url)?;
        pools.insert(url, pool.clone());
        Ok(pool)
    }

    fn superuser_url(&self, service: &str) -> Result<String> {
        let record = self.record()?;
        let url = record["databases"][service]["admin_url"].as_str().context("no such database")?;
        Ok(url.to_owned())
    }

    /// Every mail that the sandbox's mail server has accepted, newest first; thousands of them are
    /// many megabytes.
    pub async fn inbox(&self) -> Result<Vec<Value>> {
        self.read_inbox(&[]).await
    }

    /// The mails to one address, newest first.
    pub async fn inbox_of(&self, email: &str) -> Result<Vec<Value>> {
        self.read_inbox(&[("to", email)]).await
    }

    async fn read_inbox(&self, filter: &[(&str, &str)]) -> Result<Vec<Value>> {
        let url = format!("{}/api/inbox", self.sandbox);
        let url = reqwest::Url::parse_with_params(&url, filter)?;
        let mails: Value = self.http.get(url).send().await?.json().await?;
        let mails = mails.as_array().cloned().unwrap_or_default();
        self.recorder.record_mails(&mails);
        Ok(mails)
    }

    /// The provider's book: orders, payments, refunds, webhooks.
    pub async fn book(&self) -> Result<Value> {
        Ok(self.http.get(format!("{}/api/book", self.sandbox)).send().await?.json().await?)
    }

    /// Pays an order at the provider without a browser, and returns the checkout's answer.
    ///
    /// When the sandbox refuses.
    pub async fn pay(&self, order_id: &str) -> Result<Value> {
        self.sandbox_post("/api/pay", &json!({ "order_id": order_id, "method": "upi" })).await
    }

    /// Posts to the sandbox.
    pub async fn sandbox_post(&self, path: &str, body: &Value) -> Result<Value> {
        if path == "/api/faults" {
            self.recorder.record_fault(body);
        }
        let url = format!("{}{path}", self.sandbox);
        let answer = self.http.post(url).json(body).send().await?.error_for_status()?;
        Ok(answer.json().await.unwrap_or(Value::Null))
    }
}

impl Drop for Practice {
    fn drop(&mut self) {
        // On SIGTERM it stops its parts; a test's folder is deleted afterwards. A failure here
        // leaves the folder and affects no other test.
        drop(self.end_supervisor());
        if self.keeps_data {
            return;
        }
        if std::env::var_os("SUKOON_KEEP_DATA").is_some() {
            writeln!(std::io::stdout(), "kept: {}", self.data.display()).ok();
        } else {
            drop(std::fs::remove_dir_all(&self.data));
        }
    }
}

/// One of our programs: beside our own program, or beside the folder of a test's program.
pub(crate) fn program(name: &str) -> Result<PathBuf> {
    let own = std::env::current_exe()?;
    let found = own.ancestors().skip(1).take(2).map(|folder| folder.join(name));
    let found = found.into_iter().find(|program| program.exists());
    found.with_context(|| format!("{name} is not built: start the tests by `make test`"))
}

pub(crate) fn free_port() -> Result<u16> {
    Ok(testkit::free_address()?.port())
}
