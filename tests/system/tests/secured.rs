//! With TLS between its parts a practice books, confirms and mails as it does without; no part
//! takes a connection in the clear; and new certificates are taken while it runs.

#![expect(clippy::indexing_slicing, reason = "indexing JSON gives null where there is nothing")]

use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, ensure};
use system::{Customer, Practice, staff_command};
use testkit::until;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// The services with their ports for our own calls.
const INNER: [(&str, &str); 9] = [
    ("booking", "grpc"),
    ("catalogue", "grpc"),
    ("identity", "grpc"),
    ("identity", "http"),
    ("notifications", "grpc"),
    ("payments", "grpc"),
    ("payments", "http"),
    ("reviews", "grpc"),
    ("reviews", "http"),
];
/// What a service logs when it takes new certificates.
const TAKEN: &str = "the certificates have changed";

#[tokio::test(flavor = "multi_thread")]
async fn parts_speak_tls_only_and_take_new_certificates_while_they_run() -> Result<()> {
    let practice = Practice::start(&[("SUKOON_TLS", "true")]).await?;
    let asha = Customer::new(&practice, "Asha").await?;
    confirmed(&practice, &asha).await?;
    for (part, purpose) in INNER {
        nothing_in_the_clear(&practice, part, purpose).await?;
    }
    databases_and_nats_have_it_too(&practice).await?;
    certificates_are_renewed(&practice).await?;
    confirmed(&practice, &asha).await?;
    practice.check().await?;
    practice.stop();
    Ok(())
}

/// Books, pays, and waits for the meeting and the mail: every service has had its part.
async fn confirmed(practice: &Practice, asha: &Customer<'_>) -> Result<()> {
    let start = asha.free_starts("general-consultation").await?.remove(0);
    let held = asha.try_hold_with_consent("general-consultation", &start, &start).await?;
    let booking_id = held.map_err(|refused| anyhow!("{refused:?}"))?;
    let order_id = asha.order(&booking_id).await?;
    asha.open_checkout(&booking_id).await?;
    practice.pay(&order_id).await?;
    asha.wait_for_state(&booking_id, "BOOKING_STATE_MEETING_SCHEDULED").await?;
    practice.mail_of("booking_confirmed", &booking_id).await.map(drop)
}

/// Speaks to a port as a client without TLS does: the server ends the connection without a word
/// of HTTP.
async fn nothing_in_the_clear(practice: &Practice, part: &str, purpose: &str) -> Result<()> {
    let port = practice.record()?["parts"][part]["ports"][purpose].as_u64();
    let port = u16::try_from(port.with_context(|| format!("{part} {purpose} has no port"))?)?;
    for said in
        [&b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0"[..], b"GET / HTTP/1.1\r\n\r\n"]
    {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).await?;
        stream.write_all(said).await?;
        let mut heard = Vec::new();
        // It may be reset; what was heard before counts.
        let ended = timeout(Duration::from_secs(120), stream.read_to_end(&mut heard)).await;
        ensure!(ended.is_ok(), "{part} {purpose} keeps a connection in the clear");
        let is_http = heard.starts_with(b"HTTP/") || heard.starts_with(&[0, 0]);
        ensure!(!is_http, "{part} {purpose} answers in the clear: {heard:?}");
    }
    Ok(())
}

async fn databases_and_nats_have_it_too(practice: &Practice) -> Result<()> {
    let mut database = practice.database("booking").await?;
    let sessions: Vec<(String, bool)> = sqlx::query_as(
        "select usename::text, ssl from pg_stat_ssl join pg_stat_activity using (pid)
         where usename in ('booking', 'identity', 'notifications', 'payments', 'reviews')",
    )
    .fetch_all(&mut database)
    .await?;
    ensure!(!sessions.is_empty(), "no service has a session");
    let open: Vec<_> = sessions.iter().filter(|(_, is_secure)| !is_secure).collect();
    ensure!(open.is_empty(), "{open:?} speak to PostgreSQL in the clear");
    let port = practice.record()?["parts"]["nats"]["ports"]["nats"].as_u64();
    let mut stream =
        TcpStream::connect(("127.0.0.1", u16::try_from(port.context("no NATS")?)?)).await?;
    let mut greeting = vec![0; 4096];
    let length = stream.read(&mut greeting).await?;
    let greeting = String::from_utf8_lossy(greeting.get(..length).unwrap_or_default()).into_owned();
    ensure!(greeting.contains("\"tls_required\":true"), "{greeting}");
    ensure!(greeting.contains("\"tls_verify\":true"), "{greeting}");
    Ok(())
}

/// A gateway that starts anew connects to all services, which look at their files then.
async fn certificates_are_renewed(practice: &Practice) -> Result<()> {
    staff_command::sukoon(practice, "keys renew-certificates").await?.done();
    practice.kill(&["gateway"])?;
    practice.wait_until_healthy().await?;
    for part in ["booking", "identity", "payments"] {
        let log = practice.data().join(format!("logs/{part}.log"));
        until(&format!("{part} has taken its new certificate"), async || {
            Ok(std::fs::read_to_string(&log)?.contains(TAKEN).then_some(()))
        })
        .await?;
    }
    Ok(())
}
