//! Three NATS servers of one cluster, made from the configuration of a practice's single one, and
//! what their monitoring says of the streams.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result};
use serde_json::Value;
use testkit::until_within;

use super::fleet::Fleet;
use crate::launch::{Launch, Process};
use crate::practice::free_port;

/// How many servers there are.
pub(crate) const SERVERS: usize = 3;
/// How long a leader's election and a catch-up may take.
const PATIENCE: Duration = Duration::from_secs(90);

/// One of the servers.
struct Server {
    launch: Launch,
    log: PathBuf,
    port: u16,
    monitoring: u16,
    process: Option<Process>,
}

/// What a server says of a stream that it leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StreamState {
    /// Its name.
    pub(crate) name: String,
    /// On how many servers it is to be.
    pub(crate) replicas: u64,
    /// How many of the others have all of it.
    pub(crate) current: usize,
    /// How many messages it has.
    pub(crate) messages: i64,
    /// The name of the server that leads it.
    pub(crate) leader: String,
}

/// The servers; they are killed when this value is dropped.
pub(crate) struct BrokerCluster {
    servers: Vec<Server>,
    http: reqwest::Client,
}

impl BrokerCluster {
    /// Starts the servers behind the practice's one address of NATS.
    pub(crate) async fn start(fleet: &Fleet) -> Result<Self> {
        let folder = fleet.practice.data().join("nats");
        let single = fs::read_to_string(folder.join("nats.conf"))?;
        let routes = (0..SERVERS).map(|_| free_port()).collect::<Result<Vec<_>>>()?;
        let mut servers = Vec::new();
        for number in 0..SERVERS {
            let (port, monitoring) = (free_port()?, free_port()?);
            let file = folder.join(format!("nats-{number}.conf"));
            fs::write(&file, configuration(&single, (number, port, monitoring), &routes)?)?;
            let arguments = vec!["--config".to_owned(), file.to_string_lossy().into_owned()];
            let launch = fleet.launch("nats")?.clone().with_arguments(arguments);
            let log = fleet.practice.data().join(format!("logs/nats-{number}.log"));
            let process = Some(launch.spawn(&log)?);
            servers.push(Server { launch, log, port, monitoring, process });
        }
        let ports: Vec<u16> = servers.iter().map(|server| server.port).collect();
        fleet.broker_relay()?.lead_to(&ports);
        let cluster = Self { servers, http: fleet.practice.http.clone() };
        until_within(PATIENCE, "the servers of NATS have a leader", async || {
            let answer = cluster.monitoring(0, "jsz").await.unwrap_or_default();
            Ok(answer["meta_cluster"]["leader"].is_string().then_some(()))
        })
        .await?;
        Ok(cluster)
    }

    /// Kills one of them.
    pub(crate) fn kill(&mut self, number: usize) -> Result<()> {
        let server = self.servers.get_mut(number).context("there is no such server")?;
        server.process.take().context("the server does not run")?.kill()
    }

    /// Starts one of them again.
    pub(crate) fn start_again(&mut self, number: usize) -> Result<()> {
        let server = self.servers.get_mut(number).context("there is no such server")?;
        server.process = Some(server.launch.spawn(&server.log)?);
        Ok(())
    }

    /// Waits until each of the five streams is on this many servers, and all of them have all of
    /// it.
    ///
    /// # Errors
    /// When that takes too long.
    pub(crate) async fn until_replicated(&self, replicas: u64) -> Result<Vec<StreamState>> {
        let mut last = Vec::new();
        until_within(PATIENCE, "every stream is on every server", async || {
            last = self.streams().await;
            let others = usize::try_from(replicas)?.saturating_sub(1);
            let is_whole = |it: &StreamState| it.replicas == replicas && it.current == others;
            Ok((last.len() == 5 && last.iter().all(is_whole)).then_some(()))
        })
        .await
        .with_context(|| format!("{last:?}"))?;
        Ok(last)
    }

    /// What the leaders say of their streams.
    pub(crate) async fn streams(&self) -> Vec<StreamState> {
        let mut found = Vec::new();
        for number in 0..self.servers.len() {
            let asked = self.monitoring(number, "jsz?streams=true&config=true").await;
            let Ok(answer) = asked else { continue };
            let accounts = answer["account_details"].as_array().into_iter().flatten();
            let streams = accounts.filter_map(|it| it["stream_detail"].as_array()).flatten();
            let own = name_of(number);
            found.extend(streams.filter_map(state_of).filter(|state| state.leader == own));
        }
        found.sort_by(|one, other| one.name.cmp(&other.name));
        found
    }

    async fn monitoring(&self, number: usize, path: &str) -> Result<Value> {
        let port = self.servers.get(number).context("there is no such server")?.monitoring;
        let url = format!("http://127.0.0.1:{port}/{path}");
        let asked = self.http.get(url).timeout(Duration::from_secs(2)).send().await?;
        Ok(asked.json().await?)
    }
}

fn name_of(number: usize) -> String {
    format!("nats-{number}")
}

fn state_of(stream: &Value) -> Option<StreamState> {
    let others = stream["cluster"]["replicas"].as_array().map(Vec::as_slice).unwrap_or_default();
    Some(StreamState {
        name: stream["name"].as_str()?.to_owned(),
        replicas: stream["config"]["num_replicas"].as_u64()?,
        current: others.iter().filter(|other| other["current"] == true).count(),
        messages: stream["state"]["messages"].as_i64()?,
        leader: stream["cluster"]["leader"].as_str()?.to_owned(),
    })
}

/// The configuration of one of the servers: that of the single one, with ports, a name and a folder
/// of its own, and the addresses of all.
fn configuration(
    single: &str,
    (number, port, monitoring): (usize, u16, u16),
    routes: &[u16],
) -> Result<String> {
    let own = routes.get(number).context("there is no such server")?;
    let name = name_of(number);
    let lines = single.lines().map(|line| {
        if line.starts_with("port:") {
            format!("port: {port}\nhttp: \"127.0.0.1:{monitoring}\"")
        } else if line.starts_with("server_name:") {
            format!("server_name: \"{name}\"")
        } else {
            line.replace("/streams\"", &format!("/streams-{number}\""))
        }
    });
    let all = routes.iter().map(|port| format!("\"nats://127.0.0.1:{port}\""));
    let all = all.collect::<Vec<_>>().join(", ");
    let cluster = format!(
        "cluster {{\n  name: \"sukoon\"\n  host: \"127.0.0.1\"\n  port: {own}\n  \
         no_advertise: true\n  routes: [{all}]\n}}\n"
    );
    Ok(lines.collect::<Vec<_>>().join("\n") + "\n" + &cluster)
}

#[cfg(test)]
mod tests {
    use super::configuration;

    #[test]
    fn each_server_has_its_own_ports_name_and_folder() {
        let single = "host: \"127.0.0.1\"\nport: 4222\nserver_name: \"sukoon\"\n\
                      jetstream {\n  store_dir: \"/data/nats/streams\"\n}\n";
        let text = configuration(single, (1, 5001, 8001), &[7000, 7001, 7002]).unwrap();
        for line in [
            "port: 5001",
            "http: \"127.0.0.1:8001\"",
            "server_name: \"nats-1\"",
            "  store_dir: \"/data/nats/streams-1\"",
            "  port: 7001",
        ] {
            assert!(text.lines().any(|it| it == line), "{line}: {text}");
        }
        assert!(!text.contains("4222"), "{text}");
    }
}
