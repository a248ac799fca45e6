//! One of the practices: its seven services with ports, databases and an account of their own, and
//! all else as in the practice that `sukoon up` has started.

use std::collections::BTreeMap;
use std::fs::File;
use std::net::{SocketAddr, TcpListener};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};
use system::practice::STORES;
use testkit::until_within;

use super::account_server::{AccountServer, USERS, name_of};
use crate::environment::{RunningSystem, local, program};
use crate::http_client::{HttpClient, get};
use crate::request_pool::RequestPool;
use crate::second_instance::environment;

/// The services of a practice, in the order in which they are started.
pub(super) const SERVICES: [&str; 7] =
    ["catalogue", "identity", "booking", "payments", "notifications", "reviews", "gateway"];
/// What all practices share keeps its ports.
const SHARED: [&str; 3] = ["postgres", "nats", "sandbox"];
/// The settings that name the practice as browsers and tokens know it: one for all, so that one
/// issuer makes everybody's tokens.
const OF_ALL: [&str; 2] = ["PUBLIC_URL", "TOKEN_ISSUER"];
/// How long a practice may take until all of its parts work.
const TIMEOUT: Duration = Duration::from_secs(120);
const HOST: &str = "127.0.0.1:";

/// A practice; its processes end with this value.
pub(super) struct Instance {
    name: String,
    /// Where its gateway listens.
    pub(super) gateway: SocketAddr,
    /// Its requests for bookings.
    pub(super) pool: Arc<RequestPool>,
    admin_url: String,
    children: Vec<(&'static str, Child)>,
}

impl Instance {
    /// Starts one, and waits until all of its parts work.
    ///
    /// # Errors
    /// When one of them does not.
    pub(super) async fn start(
        running: &RunningSystem,
        server: &AccountServer,
        number: usize,
        connections: u32,
    ) -> Result<Self> {
        let name = name_of(number);
        let record = running.practice.record()?;
        let admin_url = database_url(&record, "booking", "admin_url")?;
        for service in STORES {
            make_database(&admin_url, &name, service).await?;
        }
        let ports = other_ports(&record, running.gateway.port())?;
        let port = ports.get(&running.gateway.port()).context("the gateway has no port")?;
        let pool = Arc::new(RequestPool::new(&running.practice).await?);
        let gateway = local(*port);
        let mut practice = Self { name, gateway, pool, admin_url, children: Vec::new() };
        for service in SERVICES {
            let mut settings = environment(running.practice.pid(service)?)?;
            for (setting, value) in &mut settings {
                *value = practice.adapted(setting, value, connections, &ports)?;
            }
            if USERS.contains(&service) {
                settings.retain(|(setting, _)| setting != "NATS_URL");
                settings.push(("NATS_URL".to_owned(), server.url(&practice.name, service)));
            }
            if STORES.contains(&service) {
                practice.migrate(&record, service, &settings)?;
            }
            let child = practice.command(service, &settings)?.spawn()?;
            practice.children.push((service, child));
        }
        practice.until_healthy().await?;
        Ok(practice)
    }

    /// Its processes, each with its service.
    pub(super) fn processes(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.children.iter().map(|(service, child)| (*service, u64::from(child.id())))
    }

    /// Connections of a superuser to the databases of these services.
    pub(super) async fn databases(&self, services: &[&str]) -> Result<Vec<PgConnection>> {
        let mut all = Vec::with_capacity(services.len());
        for service in services {
            let url = in_database(&self.admin_url, &database_of(&self.name, service))?;
            all.push(PgConnection::connect(&url).await?);
        }
        Ok(all)
    }

    /// A setting of the first practice as this one has it.
    fn adapted(
        &self,
        setting: &str,
        value: &str,
        connections: u32,
        ports: &BTreeMap<u16, u16>,
    ) -> Result<String> {
        if let Some(service) = setting.strip_suffix("_DATABASE_URL") {
            let database = database_of(&self.name, &service.to_lowercase());
            let url = in_database(value, &database)?;
            return Ok(format!("{url}?connection_limit={connections}"));
        }
        let is_of_all = OF_ALL.contains(&setting);
        Ok(if is_of_all { value.to_owned() } else { with_ports(value, ports) })
    }

    fn command(&self, service: &str, settings: &[(String, String)]) -> Result<Command> {
        let log = crate::environment::home().join(format!("sukoon-scale-{}.log", self.name));
        let log = File::options().create(true).append(true).open(log)?;
        let mut command = Command::new(program("services")?);
        command.arg(service).env_clear().envs(settings.iter().cloned()).current_dir("/");
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        Ok(command)
    }

    fn migrate(&self, record: &Value, service: &str, settings: &[(String, String)]) -> Result<()> {
        let owner = database_url(record, service, "migration_url")?;
        let owner = in_database(&owner, &database_of(&self.name, service))?;
        let name = format!("{}_MIGRATION_DATABASE_URL", service.to_uppercase());
        let ended = self.command(service, settings)?.arg("migrate").env(name, owner).status()?;
        ensure!(ended.success(), "{}'s {service} cannot be migrated: {ended}", self.name);
        Ok(())
    }

    async fn until_healthy(&mut self) -> Result<()> {
        let request = get(self.gateway, "/healthz", "");
        let gateway = self.gateway;
        until_within(TIMEOUT, "all parts of a practice work", async || {
            for (service, child) in &mut self.children {
                let ended = child.try_wait()?;
                ensure!(ended.is_none(), "{service} ended: {ended:?}");
            }
            let Ok(mut http) = HttpClient::open(gateway).await else { return Ok(None) };
            let answer = http.send(&request).await;
            Ok(answer.is_ok_and(|reply| reply.status == 200).then_some(()))
        })
        .await
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        for (_service, child) in &mut self.children {
            drop(child.kill());
            drop(child.wait());
        }
        let log = crate::environment::home().join(format!("sukoon-scale-{}.log", self.name));
        std::fs::remove_file(log).ok();
    }
}

/// The database of a service of a practice.
fn database_of(practice: &str, service: &str) -> String {
    format!("{practice}_{service}")
}

/// The same address with another database.
fn in_database(url: &str, database: &str) -> Result<String> {
    let (server, _database) = url.rsplit_once('/').context("the URL names no database")?;
    Ok(format!("{server}/{database}"))
}

fn database_url(record: &Value, service: &str, role: &str) -> Result<String> {
    let found = record.get("databases").and_then(|it| it.get(service)?.get(role)?.as_str());
    Ok(found.with_context(|| format!("{service} has no {role}"))?.to_owned())
}

/// Makes a database as `sukoon up` does, for the roles that it has made.
async fn make_database(admin_url: &str, practice: &str, service: &str) -> Result<()> {
    let database = database_of(practice, service);
    let mut server = PgConnection::connect(admin_url).await?;
    let sql = format!("create database {database} owner {service}_owner");
    server.execute(AssertSqlSafe(sql)).await?;
    let mut inside = PgConnection::connect(&in_database(admin_url, &database)?).await?;
    let sql = format!(
        "create extension btree_gist; create extension pg_trgm;
         alter schema public owner to {service}_owner;
         revoke create on schema public from public;
         grant usage on schema public to {service}"
    );
    sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut inside).await?;
    Ok(())
}

/// A free port for each port that the practice of the record does not share.
fn other_ports(record: &Value, gateway: u16) -> Result<BTreeMap<u16, u16>> {
    let parts = record.get("parts").and_then(Value::as_object).context("no part runs")?;
    let own = parts.iter().filter(|(part, _)| !SHARED.contains(&part.as_str()));
    let ports = own.filter_map(|(_, part)| part.get("ports")?.as_object());
    let known = ports.flat_map(|ports| ports.values()).filter_map(Value::as_u64);
    let known = known.map(u16::try_from).chain([Ok(gateway)]).collect::<Result<Vec<_>, _>>()?;
    // All are taken at once, so that none is given twice.
    let taken = known.into_iter().map(|port| Ok((port, TcpListener::bind(local(0))?)));
    let taken = taken.collect::<Result<BTreeMap<u16, TcpListener>>>()?;
    taken.iter().map(|(port, taken)| Ok((*port, taken.local_addr()?.port()))).collect()
}

/// A text in which these ports of this machine are replaced.
fn with_ports(text: &str, ports: &BTreeMap<u16, u16>) -> String {
    let mut parts = text.split(HOST);
    let mut changed = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|char: char| !char.is_ascii_digit()).unwrap_or(part.len());
        let (port, rest) = part.split_at(end);
        let other = port.parse().ok().and_then(|port: u16| ports.get(&port));
        let port = other.map_or_else(|| port.to_owned(), u16::to_string);
        changed.extend([HOST, port.as_str(), rest]);
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_ports_of_this_machine_are_replaced() {
        let ports = BTreeMap::from([(4000, 5000), (4001, 5001)]);
        let changed = |text| with_ports(text, &ports);
        assert_eq!(changed("http://127.0.0.1:4000/x"), "http://127.0.0.1:5000/x");
        assert_eq!(changed("127.0.0.1:40001"), "127.0.0.1:40001");
        assert_eq!(changed("127.0.0.1:4001 127.0.0.1:4000"), "127.0.0.1:5001 127.0.0.1:5000");
        assert_eq!(changed("mail.example:4000"), "mail.example:4000");
    }

    #[test]
    fn each_port_gets_another_one_but_those_of_the_stores() {
        let record = serde_json::json!({ "parts": {
            "postgres": { "ports": { "postgres": 1 } }, "sandbox": { "ports": { "http": 2 } },
            "booking": { "ports": { "grpc": 3, "metrics": 4 } }, "gateway": { "ports": {} },
        } });
        let ports = other_ports(&record, 5).unwrap();
        assert_eq!(ports.keys().copied().collect::<Vec<_>>(), [3, 4, 5]);
    }

    #[test]
    fn a_database_of_another_practice_is_another_one() {
        assert_eq!(name_of(7), "p007");
        let url = in_database("postgres://a:b@127.0.0.1:1/booking", "p007_booking").unwrap();
        assert_eq!(url, "postgres://a:b@127.0.0.1:1/p007_booking");
    }
}
