//! The test program's connections to the server as its administrator. A new connection is a new
//! process of PostgreSQL, which costs more than most statements, so all tests share these.

use std::sync::{LazyLock, mpsc};
use std::time::Duration;

use anyhow::{Result, anyhow};
use sqlx::postgres::{PgPool, PgPoolOptions};
use sqlx::{AssertSqlSafe, Executor as _};
use tokio::runtime::{Builder, Runtime};

use crate::servers::setting;

/// While one waits for the end of a database's connections, the other makes the next database.
const CONNECTIONS_MAX: u32 = 2;

/// How long a statement may wait for its turn on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

static ADMINISTRATOR: LazyLock<Result<Administrator>> = LazyLock::new(Administrator::new);

/// It has a runtime of its own: a test's runtime ends with the test.
struct Administrator {
    runtime: Runtime,
    pool: PgPool,
}

impl Administrator {
    fn new() -> Result<Self> {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let options = PgPoolOptions::new().max_connections(CONNECTIONS_MAX);
        let pool = {
            let _inside = runtime.enter();
            options.acquire_timeout(PATIENCE).connect_lazy(&url()?)?
        };
        Ok(Self { runtime, pool })
    }

    fn get() -> Result<&'static Self> {
        ADMINISTRATOR.as_ref().map_err(|error| anyhow!("no administrator: {error:#}"))
    }

    fn execute(&self, sql: String) -> impl Future<Output = Result<()>> + Send + use<> {
        let pool = self.pool.clone();
        async move {
            pool.execute(AssertSqlSafe(sql)).await?;
            Ok(())
        }
    }
}

/// The server's URL for its administrator.
pub(crate) fn url() -> Result<String> {
    setting("SUKOON_TEST_POSTGRES_URL")
}

/// Runs a statement.
pub(crate) async fn run(sql: String) -> Result<()> {
    let administrator = Administrator::get()?;
    administrator.runtime.spawn(administrator.execute(sql)).await?
}

/// Runs a statement for a caller that cannot await.
pub(crate) fn run_blocking(sql: String) -> Result<()> {
    let administrator = Administrator::get()?;
    let (done, ended) = mpsc::channel();
    let work = administrator.execute(sql);
    administrator.runtime.spawn(async move { done.send(work.await) });
    ended.recv()?
}
