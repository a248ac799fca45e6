//! What each user may do on a real nats-server, told by the server itself.
use super::{Broker, PRACTICE_FILE_STORE, permissions, test_users};
use crate::environment::Environment;
use crate::paths::Paths;
use crate::ports::Reservations;
use crate::tools;
use std::time::Duration;
use std::{fs, process};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

/// A server with the users of a practice, which ends with this value.
struct Server {
    broker: Broker,
    process: process::Child,
}

impl Server {
    async fn start(name: &str) -> Self {
        let environment = Environment::of_this_process();
        let paths = Paths::find(&environment).unwrap();
        let mut reservations = Reservations::default();
        let broker = Broker {
            tool: tools::find(&environment, &paths).unwrap().nats.unwrap(),
            folder: std::env::temp_dir().join(format!("sukoon-{name}-{}", process::id())),
            port: reservations.choose().unwrap(),
            users: test_users(),
            open: false,
            certificates: None,
            file_store: PRACTICE_FILE_STORE,
        };
        broker.configure().unwrap();
        drop(reservations);
        let (program, arguments) = broker.server();
        let mut command = process::Command::new(program);
        command.args(arguments).stderr(process::Stdio::null());
        let process = command.spawn().unwrap();
        broker.wait_until_ready(Duration::from_secs(60)).await.unwrap();
        Self { broker, process }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
        drop(fs::remove_dir_all(&self.broker.folder));
    }
}

/// A connection that speaks the protocol itself.
struct Connection(BufReader<TcpStream>);

impl Connection {
    async fn open(server: &Server, credentials: &str) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", server.broker.port)).await.unwrap();
        let mut connection = Self(BufReader::new(stream));
        let connect = format!("CONNECT {{\"verbose\":false,\"pedantic\":false{credentials}}}\r\n");
        connection.0.get_mut().write_all(connect.as_bytes()).await.unwrap();
        connection
    }

    async fn of(server: &Server, user: &str) -> Self {
        Self::open(server, &format!(",\"user\":\"{user}\",\"pass\":\"{user}\"")).await
    }

    /// Says something and a ping, and returns the errors that come before the answer to that.
    async fn refusals(&mut self, said: &str) -> String {
        let said = format!("{said}PING\r\n");
        // A server that refuses the user may have closed already; what it said first is read below.
        self.0.get_mut().write_all(said.as_bytes()).await.ok();
        let mut errors = String::new();
        loop {
            let mut line = String::new();
            // It closes with our words unread, which resets the connection: that ends it too.
            let read = self.0.read_line(&mut line).await.unwrap_or_default();
            if line.starts_with("PONG") {
                return errors;
            }
            if read == 0 {
                return errors + "the connection ended";
            }
            if line.starts_with("-ERR") {
                errors.push_str(&line);
            }
        }
    }

    async fn may_publish(&mut self, subject: &str) -> bool {
        self.refusals(&format!("PUB {subject} 0\r\n\r\n")).await.is_empty()
    }

    async fn may_subscribe(&mut self, subject: &str) -> bool {
        self.refusals(&format!("SUB {subject} 1\r\nUNSUB 1\r\n")).await.is_empty()
    }
}

#[tokio::test]
async fn no_service_speaks_for_another_or_hears_what_is_not_for_it() {
    let server = Server::start("subjects").await;
    for (user, sources) in permissions::SUBSCRIPTIONS {
        let mut connection = Connection::of(&server, user).await;
        for (other, _sources) in permissions::SUBSCRIPTIONS {
            let (is_own, reads) = (other == user, sources.contains(&other));
            let stream = other.to_uppercase();
            let consumer = format!("{stream}.{user}-on-{other}");
            for (subject, allowed) in [
                (format!("events.{other}.v1.Event"), is_own),
                (format!("$JS.API.STREAM.CREATE.{stream}"), is_own),
                (format!("$JS.API.STREAM.INFO.{stream}"), is_own || reads),
                (format!("$JS.API.STREAM.UPDATE.{stream}"), is_own),
                (format!("$JS.API.STREAM.DELETE.{stream}"), false),
                (format!("$JS.API.STREAM.PURGE.{stream}"), false),
                (format!("$JS.API.STREAM.MSG.GET.{stream}"), false),
                (format!("$JS.API.CONSUMER.CREATE.{consumer}"), reads),
                (format!("$JS.API.CONSUMER.MSG.NEXT.{consumer}"), reads),
                (format!("$JS.API.CONSUMER.MSG.NEXT.{stream}.stranger-on-{other}"), false),
                (format!("$JS.ACK.{consumer}.1.2.3.4.5"), reads),
                (format!("_INBOX_{other}.1"), false),
            ] {
                let may = connection.may_publish(&subject).await;
                assert_eq!(may, allowed, "{user} publishes to {subject}");
            }
            for (subject, allowed) in [
                (format!("_INBOX_{other}.>"), is_own),
                (format!("events.{other}.>"), false),
                ("_INBOX.>".to_owned(), false),
                (">".to_owned(), false),
            ] {
                let may = connection.may_subscribe(&subject).await;
                assert_eq!(may, allowed, "{user} subscribes to {subject}");
            }
        }
    }
}

#[tokio::test]
async fn who_is_no_user_is_not_let_in() {
    let server = Server::start("strangers").await;
    for credentials in [
        "",
        ",\"user\":\"gateway\",\"pass\":\"gateway\"",
        ",\"user\":\"sukoon\",\"pass\":\"sukoon\"",
        ",\"user\":\"booking\",\"pass\":\"payments\"",
    ] {
        let refused = Connection::open(&server, credentials).await.refusals("").await;
        assert!(refused.contains("Authorization Violation"), "{credentials}: {refused}");
    }
}
