//! The service as a separate process, for tests that measure its memory, kill it, or check what
//! remains of a picture.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context as _, Result, ensure};
use contract::reviews::v1::reviews_service_client::ReviewsServiceClient;
use contract::reviews::v1::{Review, SubmitReviewRequest};
use eventstore::{Store, new_uuid};
use reqwest::{Client, StatusCode};
use serde_json::Value;
use testkit::{TestDatabase, TestKeys, free_address, nats_url, until};
use tokio::process::{Child, Command};
use tonic::Status;
use tonic::transport::Channel;

/// The program under test; its children run it, too.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_reviews");

pub(crate) struct ServiceProcess {
    pub(crate) database: TestDatabase,
    pub(crate) store: Store,
    pub(crate) http: Client,
    pub(crate) address: SocketAddr,
    pub(crate) failpoints: PathBuf,
    folder: PathBuf,
    environment: Vec<(&'static str, String)>,
    process: Child,
    client: ReviewsServiceClient<Channel>,
}

impl Drop for ServiceProcess {
    fn drop(&mut self) {
        // A folder that cannot be removed is left in the system's temporary folder.
        drop(std::fs::remove_dir_all(&self.folder));
    }
}

/// The response of an upload.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) body: Value,
}

impl Answer {
    pub(crate) fn text(&self, field: &str) -> &str {
        self.body.get(field).and_then(Value::as_str).unwrap_or_default()
    }

    pub(crate) fn side(&self, field: &str) -> u64 {
        self.body.get(field).and_then(Value::as_u64).unwrap_or_default()
    }
}

impl ServiceProcess {
    pub(crate) async fn new() -> Result<Self> {
        runtime::http::install_crypto();
        let database = TestDatabase::new(&reviews::MIGRATIONS).await?;
        let folder = std::env::temp_dir().join(format!("studio-{}", new_uuid().simple()));
        let failpoints = folder.join("failpoints");
        std::fs::create_dir_all(&failpoints)?;
        let (grpc, address) = (free_address()?, free_address()?);
        let keys = TestKeys::new(&["booking", "reviews", "notifications"])?;
        let practice = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/local/practice");
        let closed = "http://127.0.0.1:1".to_owned();
        let environment = vec![
            ("SUKOON_MODE", "development".to_owned()),
            ("LOG_FILTER", "info".to_owned()),
            ("REVIEWS_LISTEN", grpc.to_string()),
            ("REVIEWS_HTTP_LISTEN", address.to_string()),
            ("REVIEWS_DATABASE_URL", database.url.clone()),
            ("NATS_URL", nats_url()?),
            ("PRACTICE_DIR", practice.to_owned()),
            ("BOOKING_URL", closed.clone()),
            ("REVIEWS_INVITATION_KEY", "demo-key-of-invitations-in-tests".to_owned()),
            ("REVIEWS_PICTURES_URL", format!("file://{}/pictures", folder.display())),
            ("IDENTITY_URL", closed.clone()),
            ("TOKEN_JWKS_URL", format!("{closed}/jwks.json")),
            ("TOKEN_ISSUER", closed),
            ("CALLER_PRIVATE_KEY", keys.private_key("reviews")?),
            ("CALLER_PUBLIC_KEYS", keys.public_keys()),
            ("FAILPOINTS_DIR", failpoints.display().to_string()),
        ];
        let process = start(&environment)?;
        let channel = runtime::channel::connect_lazy(&format!("http://{grpc}"))?;
        let service = Self {
            store: database.store()?,
            database,
            http: Client::builder().no_proxy().build()?,
            address,
            failpoints,
            folder,
            environment,
            process,
            client: ReviewsServiceClient::new(channel),
        };
        service.until_ready().await?;
        Ok(service)
    }

    async fn until_ready(&self) -> Result<()> {
        let url = format!("http://{}/healthz", self.address);
        until("the service answers", async || {
            let ready = self.http.get(&url).send().await.is_ok_and(|it| it.status().is_success());
            Ok(ready.then_some(()))
        })
        .await
    }

    /// Puts the clock so many seconds ahead of the machine's, once the process is at rest.
    pub(crate) async fn move_clock(&self, seconds: i64) -> Result<()> {
        testkit::until_at_rest(&self.store).await?;
        self.database.move_clock(seconds).await
    }

    /// Kills the process and restarts it.
    pub(crate) async fn restart(&mut self) -> Result<()> {
        self.process.kill().await?;
        self.process = start(&self.environment)?;
        self.until_ready().await
    }

    /// Restarts the process if it has died; returns whether it had.
    pub(crate) async fn restart_if_dead(&mut self) -> Result<bool> {
        let died = self.process.try_wait()?.is_some();
        if died {
            self.restart().await?;
        }
        Ok(died)
    }

    /// Peak memory of the process so far, in KiB.
    pub(crate) fn peak_kib(&self) -> Result<u64> {
        let pid = self.process.id().context("it lives")?;
        memory_kib(pid, "VmHWM:")
    }

    pub(crate) async fn try_upload(&self, file: Vec<u8>) -> Result<Answer> {
        let url = format!("http://{}/uploads/reviews", self.address);
        let response = self.http.post(url).body(file).send().await?;
        let status = response.status();
        ensure!(response.headers().get("cache-control").is_some_and(|it| it == "no-store"));
        Ok(Answer { status, body: response.json().await? })
    }

    /// Uploads a picture that must be accepted.
    pub(crate) async fn upload(&self, file: Vec<u8>) -> Result<Answer> {
        let answer = self.try_upload(file).await?;
        ensure!(answer.status == StatusCode::CREATED, "{answer:?}");
        Ok(answer)
    }

    pub(crate) async fn try_submit(&self, image_id: &str) -> Result<Review, Status> {
        let request = SubmitReviewRequest {
            name: "Asha".to_owned(),
            email: "asha@example.com".to_owned(),
            service: SERVICE.to_owned(),
            rating: 5,
            text: "It helped.".to_owned(),
            image_id: image_id.to_owned(),
            idempotency_key: new_uuid().simple().to_string(),
            ..Default::default()
        };
        let answer = self.client.clone().submit_review(request).await?;
        answer.into_inner().review.ok_or_else(|| Status::internal("no review"))
    }

    /// Uploads a picture and publishes a review with it.
    pub(crate) async fn publish(&self, file: Vec<u8>) -> Result<Review> {
        let uploaded = self.upload(file).await?;
        Ok(self.try_submit(uploaded.text("imageId")).await?)
    }

    pub(crate) async fn get(&self, path: &str) -> Result<reqwest::Response> {
        Ok(self.http.get(format!("http://{}{path}", self.address)).send().await?)
    }

    /// The files in the folder of pictures.
    pub(crate) fn objects(&self) -> Result<Vec<PathBuf>> {
        let folder = self.folder.join("pictures/reviews");
        let Ok(entries) = std::fs::read_dir(folder) else { return Ok(Vec::new()) };
        Ok(entries.map(|entry| entry.map(|it| it.path())).collect::<Result<_, _>>()?)
    }

    pub(crate) async fn rows(&self) -> Result<i64> {
        let count = sqlx::query_scalar("select count(*) from review_images");
        Ok(count.fetch_one(self.store.pool()).await?)
    }

    pub(crate) async fn drop_timers(&self) -> Result<i64> {
        let count = sqlx::query_scalar("select count(*) from timers where kind = 'drop-image'");
        Ok(count.fetch_one(self.store.pool()).await?)
    }
}

/// One of the practice's choices.
pub(crate) const SERVICE: &str = "Energy Healing";

fn start(environment: &[(&'static str, String)]) -> Result<Child> {
    let mut command = Command::new(PROGRAM);
    command.env_clear().envs(environment.iter().map(|(name, value)| (name, value)));
    Ok(command.stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true).spawn()?)
}

/// A line of `/proc/<pid>/status`, in KiB.
fn memory_kib(pid: u32, line: &str) -> Result<u64> {
    let status = std::fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("status"))?;
    let value = status.lines().find_map(|it| it.strip_prefix(line)).context("no such line")?;
    Ok(value.trim().trim_end_matches("kB").trim().parse()?)
}
