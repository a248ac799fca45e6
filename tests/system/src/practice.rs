//! A running practice: started as `make run` starts it, and looked at, killed and moved in time.

use std::io::Write as _;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use simulation::checker::snapshot::Ack;
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};
use testkit::{until, until_within};
use tokio::sync::{Mutex, RwLock};

use crate::witness::Witness;

/// Everything that a kill may hit: all parts of ours and what they store and travel through.
pub const OURS: [&str; 9] = [
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

/// The services that keep their truth in a database.
pub const STORES: [&str; 5] = ["booking", "payments", "notifications", "identity", "reviews"];

/// Settings for a test in which one machine plays many people.
pub const GENEROUS: [(&str, &str); 8] = [
    ("GATEWAY_LIMIT_ADDRESS", "100000/1000000"),
    ("GATEWAY_LIMIT_ACCOUNT", "10000/100000"),
    // A thousand buyers on a busy machine connect long before the last of them can ask.
    ("GATEWAY_HEAD_SECONDS", "120"),
    ("GATEWAY_LIMIT_SIGN_IN", "10000/100000"),
    ("GATEWAY_LIMIT_REVIEWS", "10000/100000"),
    ("GATEWAY_LIMIT_FORMS", "10000/100000"),
    ("GATEWAY_LIMIT_UNSUBSCRIBING", "10000/100000"),
    ("NOTIFICATIONS_CONTACT_LIMIT", "100000"),
];

/// How long a start may take on a busy machine.
const READY: Duration = Duration::from_secs(180);

/// A practice in a folder of its own, stopped with this value.
pub struct Practice {
    child: Child,
    data: PathBuf,
    /// Whether its folder stays for another start.
    keeps_data: bool,
    /// How far ahead the clocks are, in minutes.
    pub(crate) ahead: AtomicI64,
    /// Held to read by who does what a person does within minutes; the clocks stand meanwhile.
    pub calm: RwLock<()>,
    /// Held by who types the owner's password, of whom there is one.
    pub owner_types: Mutex<()>,
    /// What was acknowledged and delivered, and what may repeat a mail.
    pub witness: Witness,
    /// The gateway's address.
    pub url: String,
    /// The sandbox's address.
    pub sandbox: String,
    /// A client that follows nothing and waits long enough for a busy machine.
    pub http: reqwest::Client,
}

impl Practice {
    /// Starts a practice with these settings besides the usual ones, and waits until it is ready.
    ///
    /// # Errors
    /// When it does not get ready; its own words are in the error.
    pub async fn start(settings: &[(&str, &str)]) -> Result<Self> {
        let mut practice = Self::spawn_in(Self::new_folder(), settings, Stdio::inherit())?;
        practice.ready().await?;
        Ok(practice)
    }

    /// Where a data folder may be made that no other test has.
    #[must_use]
    pub fn new_folder() -> PathBuf {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::SeqCst);
        let name = format!("sukoon-system-{}-{count}", std::process::id());
        std::env::temp_dir().join(name)
    }

    /// Starts a practice on this data folder, which may be one that another start has left, and
    /// waits for nothing; what `sukoon` says goes to `says`.
    ///
    /// # Errors
    /// When the program is not there.
    pub fn spawn_in(data: PathBuf, settings: &[(&str, &str)], says: Stdio) -> Result<Self> {
        let (port, sandbox_port) = (free_port()?, free_port()?);
        let http = runtime::http::client()?;
        let child = Command::new(program()?)
            .arg("up")
            .env("SUKOON_DATA", &data)
            .env("PORT", port.to_string())
            .env("SANDBOX_PORT", sandbox_port.to_string())
            .envs(settings.iter().copied())
            .stdin(Stdio::null())
            .stdout(says)
            .stderr(Stdio::inherit())
            .spawn()?;
        Ok(Self {
            child,
            data,
            keeps_data: false,
            ahead: AtomicI64::new(0),
            calm: RwLock::default(),
            owner_types: Mutex::default(),
            witness: Witness::default(),
            url: format!("http://127.0.0.1:{port}"),
            sandbox: format!("http://127.0.0.1:{sandbox_port}"),
            http,
        })
    }

    /// Waits until it is ready.
    ///
    /// # Errors
    /// When it does not get ready; its own words are in the error.
    pub async fn ready(&mut self) -> Result<()> {
        let ready = tokio::time::timeout(READY, self.wait_for_the_first_time());
        ready.await.context("sukoon up did not get ready")?
    }

    /// Stops it and leaves its data folder for another start.
    pub fn stop(mut self) {
        self.keeps_data = true;
    }

    /// Kills `sukoon` itself, and leaves its data folder for another start. Its parts may go on for
    /// a moment.
    ///
    /// # Errors
    /// When there is no process to kill.
    pub(crate) fn kill_supervisor(&mut self) -> Result<()> {
        self.keeps_data = true;
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// Reads how far the clocks of this data folder are from the machine's.
    ///
    /// # Errors
    /// When a database does not answer.
    pub(crate) async fn learn_clocks(&self) -> Result<()> {
        let mut booking = self.database("booking").await?;
        let minutes: i64 = sqlx::query_scalar(
            "select floor(extract(epoch from offset_by) / 60)::bigint from clock",
        )
        .fetch_one(&mut booking)
        .await?;
        self.ahead.store(minutes, Ordering::SeqCst);
        Ok(())
    }

    async fn wait_for_the_first_time(&mut self) -> Result<()> {
        loop {
            if self.record().is_ok_and(|record| record["ready"] == true) {
                return Ok(());
            }
            ensure!(self.child.try_wait()?.is_none(), "sukoon up ended before it was ready");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// What `sukoon` says of its parts.
    ///
    /// # Errors
    /// When it says nothing yet.
    pub fn record(&self) -> Result<Value> {
        Ok(serde_json::from_slice(&std::fs::read(self.data.join("run.json"))?)?)
    }

    /// The data folder.
    #[must_use]
    pub fn data(&self) -> &Path {
        &self.data
    }

    /// The address and the password of the owner, whom `sukoon` has made and told.
    ///
    /// # Errors
    /// When there is none.
    pub fn owner(&self) -> Result<(String, String)> {
        let record = self.record()?;
        let email = record["owner_email"].as_str().context("no owner")?.to_owned();
        let secrets = std::fs::read(self.data.join("secrets/words.json"))?;
        let words: Value = serde_json::from_slice(&secrets)?;
        let word = words["owner-password"].as_str().context("no password")?;
        // It is told in four groups of four.
        let groups = (0..4).filter_map(|group| word.get(group * 4..group * 4 + 4));
        Ok((email, groups.collect::<Vec<_>>().join("-")))
    }

    /// Waits until every part says that it is ready.
    ///
    /// # Errors
    /// When that takes too long.
    pub async fn healthy(&self) -> Result<()> {
        until_within(READY, "every part is ready", async || {
            let asked = self.http.get(format!("{}/healthz", self.url)).send().await;
            Ok(asked.is_ok_and(|answer| answer.status() == 200).then_some(()))
        })
        .await
    }

    /// Kills these parts as a power cut would. `sukoon` starts them again by itself. One of several
    /// may have died a moment before: then it is dead too, which is what was asked for.
    ///
    /// # Errors
    /// When there was no process to kill.
    pub fn kill(&self, parts: &[&str]) -> Result<()> {
        let pids = parts.iter().map(|part| self.pid(part)).collect::<Result<Vec<_>>>()?;
        for part in parts {
            self.witness.part_was_killed(part);
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

    /// The number of a part's process.
    ///
    /// # Errors
    /// When it has none just now.
    pub fn pid(&self, part: &str) -> Result<u64> {
        let record = self.record()?;
        let pid = record["parts"][part]["process"]["pid"].as_u64();
        pid.with_context(|| format!("{part} has no process: {record}"))
    }

    /// Puts the clock of every service so many minutes ahead of the machine's.
    ///
    /// # Errors
    /// When a database refuses.
    pub async fn move_clocks(&self, minutes: i64) -> Result<()> {
        self.ahead.fetch_max(minutes, Ordering::SeqCst);
        let sql = format!("update clock set offset_by = make_interval(mins => {minutes})");
        for service in STORES {
            until_within(READY, "a clock is moved", async || {
                let Ok(mut owner) = self.database(service).await else { return Ok(None) };
                Ok(owner.execute(AssertSqlSafe(sql.clone())).await.ok())
            })
            .await?;
        }
        Ok(())
    }

    /// Puts the clocks so many minutes ahead of where they are.
    ///
    /// # Errors
    /// When a database refuses.
    pub async fn advance_clocks(&self, minutes: i64) -> Result<()> {
        let _moving = self.calm.write().await;
        let ahead = self.ahead.load(Ordering::SeqCst) + minutes;
        self.move_clocks(ahead).await
    }

    /// Notes that something was acknowledged.
    pub fn acknowledged(&self, ack: Ack) {
        self.witness.acknowledged(ack);
    }

    /// A superuser's connection to a service's database, to look on.
    ///
    /// # Errors
    /// When it cannot be reached.
    pub async fn database(&self, service: &str) -> Result<PgConnection> {
        let record = self.record()?;
        let url = record["databases"][service]["admin_url"].as_str().context("no such database")?;
        let url = url.to_owned();
        until("the database can be reached", async || Ok(PgConnection::connect(&url).await.ok()))
            .await
    }

    /// Every mail that the sandbox's server has taken, newest first; thousands of them are many
    /// megabytes.
    ///
    /// # Errors
    /// When the sandbox does not answer.
    pub async fn inbox(&self) -> Result<Vec<Value>> {
        self.read_inbox(&[]).await
    }

    /// The mails that went to one address, newest first.
    ///
    /// # Errors
    /// When the sandbox does not answer.
    pub async fn inbox_of(&self, email: &str) -> Result<Vec<Value>> {
        self.read_inbox(&[("to", email)]).await
    }

    async fn read_inbox(&self, filter: &[(&str, &str)]) -> Result<Vec<Value>> {
        let url = format!("{}/api/inbox", self.sandbox);
        let url = reqwest::Url::parse_with_params(&url, filter)?;
        let mails: Value = self.http.get(url).send().await?.json().await?;
        let mails = mails.as_array().cloned().unwrap_or_default();
        self.witness.mails(&mails);
        Ok(mails)
    }

    /// What the provider has in its book.
    ///
    /// # Errors
    /// When the sandbox does not answer.
    pub async fn book(&self) -> Result<Value> {
        Ok(self.http.get(format!("{}/api/book", self.sandbox)).send().await?.json().await?)
    }

    /// Pays an order at the provider without a browser, and returns the checkout's answer.
    ///
    /// # Errors
    /// When the sandbox does not do it.
    pub async fn pay(&self, order_id: &str) -> Result<Value> {
        self.sandbox_post("/api/pay", &json!({ "order_id": order_id, "method": "upi" })).await
    }

    /// Tells the sandbox something.
    ///
    /// # Errors
    /// When it refuses.
    pub async fn sandbox_post(&self, path: &str, body: &Value) -> Result<Value> {
        if path == "/api/faults" {
            self.witness.fault_was_ordered(body);
        }
        let url = format!("{}{path}", self.sandbox);
        let answer = self.http.post(url).json(body).send().await?.error_for_status()?;
        Ok(answer.json().await.unwrap_or(Value::Null))
    }
}

impl Drop for Practice {
    fn drop(&mut self) {
        // Asked to stop, it stops its parts; a test's folder is of no use afterwards. What fails
        // here is left lying and spoils no other test.
        drop(Command::new("kill").arg("-TERM").arg(self.child.id().to_string()).status());
        drop(self.child.wait());
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

/// `sukoon`: beside our own program, or beside the folder that a test's own program lies in.
fn program() -> Result<PathBuf> {
    let own = std::env::current_exe()?;
    let found = own.ancestors().skip(1).take(2).map(|folder| folder.join("sukoon"));
    let found = found.into_iter().find(|program| program.exists());
    found.context("sukoon is not built: start the tests by `make test`")
}

pub(crate) fn free_port() -> Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}
