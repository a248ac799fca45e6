//! Whether a machine and what surrounds it are ready for a practice: name, ports, memory, disk,
//! mail server, payment keys.
use super::decisions::Decisions;
use super::places;
use anyhow::{Context, Result, bail};
use futures::future::BoxFuture;
use lettre::message::Mailbox;
use lettre::transport::smtp::extension::ClientId;
use lettre::{AsyncSmtpTransport, Tokio1Executor};
use machine::{mail_name, output};
use std::fs;
use std::net::{IpAddr, TcpListener, UdpSocket};
use std::path::Path;
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio::time::timeout;

/// The least memory, in MiB: a machine sold as one gigabyte has a little less.
const MEMORY_MIN: u64 = 900;
/// The least free space for data and backups, in GiB.
const DISK_MIN: u64 = 5;
const ANSWERS_WITHIN: Duration = Duration::from_secs(10);

/// One thing that is looked at.
struct Check {
    /// The word with which it can be left out.
    name: &'static str,
    /// Looks; the sentence says what is as it should be, the error what is not and what to do.
    run: for<'d> fn(&'d Decisions) -> BoxFuture<'d, Result<String>>,
}

const CHECKS: [Check; 6] = [
    Check { name: "memory", run: |_| Box::pin(async { memory() }) },
    Check { name: "disk", run: |_| Box::pin(async { disk() }) },
    Check { name: "ports", run: |_| Box::pin(async { ports() }) },
    Check { name: "dns", run: |decisions| Box::pin(dns(decisions)) },
    Check { name: "mail", run: |decisions| Box::pin(mail(decisions)) },
    Check { name: "payments", run: |decisions| Box::pin(payments(decisions)) },
];

/// The names of all checks.
pub(crate) fn names() -> Vec<&'static str> {
    CHECKS.iter().map(|check| check.name).chain([places::NAME]).collect()
}

/// Looks at everything but what is left out, says what it finds, and fails when something is not
/// ready.
pub(crate) async fn check(decisions: &Decisions, left_out: &[String]) -> Result<()> {
    let mut failed = Vec::new();
    for check in CHECKS {
        if left_out.iter().any(|name| name == check.name) {
            output::line(format_args!("  {:<9} left out", check.name));
            continue;
        }
        match (check.run)(decisions).await {
            Ok(said) => output::line(format_args!("  {:<9} {said}", check.name)),
            Err(error) => {
                output::line(format_args!("! {:<9} {error:#}", check.name));
                failed.push(check.name);
            }
        }
    }
    if !failed.is_empty() {
        bail!(
            "{} not ready; put that right, or go on without with --without {}",
            if failed.len() == 1 { "something is" } else { "some things are" },
            failed.join(",")
        );
    }
    Ok(())
}

/// The machine's memory in MiB.
pub(crate) fn memory_mib() -> Result<u64> {
    let text = fs::read_to_string("/proc/meminfo").context("/proc/meminfo cannot be read")?;
    total_mib(&text).context("/proc/meminfo names no memory")
}

fn total_mib(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kib: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kib / 1024)
}

fn memory() -> Result<String> {
    let there = memory_mib()?;
    if there < MEMORY_MIN {
        bail!("{there} MiB of memory; a practice needs a machine with 1 GB");
    }
    Ok(format!("{there} MiB"))
}

/// The volumes of data and backups, which may be others than that of /var/lib.
fn disk() -> Result<String> {
    let mut told = Vec::new();
    let folders = ["/var/lib/sukoon/postgres", "/var/lib/sukoon/backup"];
    let folders = folders.map(|it| if Path::new(it).is_dir() { it } else { "/var/lib" });
    for (folder, what) in folders.into_iter().zip(["data", "backups"]) {
        let there =
            rustix::fs::statvfs(folder).with_context(|| format!("{folder} cannot be looked at"))?;
        let free = there.f_bavail.saturating_mul(there.f_frsize) >> 30;
        if free < DISK_MIN {
            bail!("{free} GiB are free for {what} in {folder}; a practice needs {DISK_MIN}");
        }
        told.push(format!("{free} GiB free for {what}"));
    }
    Ok(told.join(", "))
}

fn ports() -> Result<String> {
    for port in [80, 443] {
        if let Err(error) = TcpListener::bind(("0.0.0.0", port)) {
            bail!("port {port} cannot be taken ({error}); stop the program that has it");
        }
    }
    Ok("80 and 443 are free".to_owned())
}

/// Whether the name leads here, by each of its addresses.
pub(crate) async fn dns(decisions: &Decisions) -> Result<String> {
    let domain = &decisions.domain;
    let asked = timeout(ANSWERS_WITHIN, tokio::net::lookup_host((domain.as_str(), 443))).await;
    let found: Vec<IpAddr> = match asked {
        Ok(Ok(found)) => found.map(|it| it.ip()).collect(),
        Ok(Err(_)) | Err(_) => Vec::new(),
    };
    if found.is_empty() {
        bail!("{domain} has no address; add an A record that points to this machine");
    }
    let shown = found.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    match own_address() {
        Some(own) if found.contains(&own) => {
            require_own_v6(&found)?;
            Ok(format!("{domain} is {shown}, this machine"))
        }
        Some(own) if is_private(own) => Ok(format!(
            "{domain} is {shown}; this machine is {own} behind it, so see that 80 and 443 are let \
             through"
        )),
        _ => bail!("{domain} is {shown}, which is another machine"),
    }
}

/// An AAAA record that leads elsewhere keeps those visitors away who have it first.
fn require_own_v6(found: &[IpAddr]) -> Result<()> {
    let Some(other) = found.iter().find(|it| it.is_ipv6()) else { return Ok(()) };
    if UdpSocket::bind((*other, 0)).is_err() {
        bail!("the AAAA record leads to {other}, which this machine has not; remove it");
    }
    Ok(())
}

/// The address with which this machine would reach the internet; nothing is sent.
fn own_address() -> Option<IpAddr> {
    let socket = UdpSocket::bind("0.0.0.0:0").ok()?;
    socket.connect("192.0.2.1:53").ok()?;
    Some(socket.local_addr().ok()?.ip())
}

fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(it) => it.is_private() || it.is_loopback() || it.is_link_local(),
        IpAddr::V6(it) => it.is_loopback() || it.is_unique_local(),
    }
}

async fn mail(decisions: &Decisions) -> Result<String> {
    let (host, port, is_plain) =
        mail_server(&decisions.mail.url).context("the mail server's address names no host")?;
    let connecting = timeout(ANSWERS_WITHIN, TcpStream::connect((host.as_str(), port))).await;
    let Ok(Ok(mut stream)) = connecting else {
        bail!("{host}:{port} does not answer; many providers close port 25, so use 465 or 587");
    };
    if !is_plain {
        return Ok(format!("{host}:{port} answers"));
    }
    let mut first = [0; 3];
    match timeout(ANSWERS_WITHIN, stream.read_exact(&mut first)).await {
        Ok(Ok(_)) if &first == b"220" => Ok(format!("{host}:{port} greets")),
        _ => bail!("{host}:{port} answers and is no mail server"),
    }
}

/// Host, port and whether it greets without TLS.
fn mail_server(url: &str) -> Option<(String, u16, bool)> {
    let (scheme, rest) = url.split_once("://")?;
    let is_plain = scheme == "smtp";
    let place = rest.rsplit_once('@').map_or(rest, |(_, place)| place);
    let place = place.split(['/', '?']).next()?;
    let (host, port) = match place.rsplit_once(':') {
        Some((host, port)) => (host, port.parse().ok()?),
        None => (place, if is_plain { 587 } else { 465 }),
    };
    (!host.is_empty()).then(|| (host.to_owned(), port, is_plain))
}

/// Whether the mail server takes the name and password, too.
pub(crate) async fn mail_login(decisions: &Decisions) -> Result<String> {
    // Another part of the program may have chosen it already.
    drop(rustls::crypto::ring::default_provider().install_default());
    let transport = AsyncSmtpTransport::<Tokio1Executor>::from_url(&decisions.mail.url).ok();
    let transport = transport.context("[mail] url is no address of a mail server")?;
    let mut transport = transport.timeout(Some(ANSWERS_WITHIN));
    let sender: Option<Mailbox> = decisions.mail.sender.parse().ok();
    let domain = sender.as_ref().map(|it| it.email.domain());
    if let Some(name) = domain.and_then(|it| mail_name::greeting(&decisions.mail.url, it)) {
        transport = transport.hello_name(ClientId::Domain(name.to_owned()));
    }
    let transport: AsyncSmtpTransport<Tokio1Executor> = transport.build();
    let tried = transport.test_connection().await;
    // lettre's error has the server's answer, and not the password.
    let is_taken = tried.context("the mail server does not let us in; look at [mail] url")?;
    anyhow::ensure!(is_taken, "the mail server hangs up; look at [mail] url");
    Ok("the mail server lets us in".to_owned())
}

/// The mail server's name.
pub(crate) fn mail_host(url: &str) -> Option<String> {
    mail_server(url).map(|(host, ..)| host)
}

/// Whether the payment provider takes the keys, and they move money.
pub(crate) async fn live_payments(decisions: &Decisions) -> Result<String> {
    let said = payments(decisions).await?;
    if decisions.payments.key_id.starts_with("rzp_test_") {
        bail!("TEST keys, which move no money: put the live ones into the answers");
    }
    Ok(said)
}

async fn payments(decisions: &Decisions) -> Result<String> {
    let payments = &decisions.payments;
    // Another part of the program may have chosen it already.
    drop(rustls::crypto::ring::default_provider().install_default());
    let client = reqwest::Client::builder().timeout(ANSWERS_WITHIN).build()?;
    let asked = client
        .get(format!("{}/payments?count=1", payments.url.trim_end_matches('/')))
        .basic_auth(&payments.key_id, Some(&payments.key_secret))
        .send()
        .await;
    match asked.map(|answer| answer.status().as_u16()) {
        Ok(200) if payments.key_id.starts_with("rzp_test_") => {
            Ok("the keys are accepted; they are TEST keys, which move no money".to_owned())
        }
        Ok(200) => Ok("the keys are accepted".to_owned()),
        Ok(401) => bail!("the provider refuses the keys; make new ones on its pages"),
        Ok(other) => bail!("the provider answers with {other}; try again later"),
        Err(_) => bail!("{} does not answer", payments.url),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_in_mebibytes() {
        assert_eq!(total_mib("MemTotal:        1015912 kB\nMemFree: 1 kB\n"), Some(992));
        assert_eq!(total_mib("nothing"), None);
    }

    #[test]
    fn a_mail_server_s_place_is_read_from_its_address() {
        let place = |url: &str| mail_server(url);
        let smtps = Some(("smtp.example.org".to_owned(), 465, false));
        assert_eq!(place("smtps://user:word@smtp.example.org"), smtps);
        let plain = Some(("127.0.0.1".to_owned(), 25, true));
        assert_eq!(place("smtp://127.0.0.1:25/?tls=required"), plain);
        assert_eq!(place("smtps://"), None);
    }
}
