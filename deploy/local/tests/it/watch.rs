//! `sukoon watch` as an operator starts it, on a process that tells its metrics.

use std::error::Error;
use std::path::Path;
use std::process::Output;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::process::Command;

/// A process whose ledger is out of balance by so much; it gives the port of its metrics.
async fn process(imbalance: i64) -> std::io::Result<u16> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let port = listener.local_addr()?.port();
    let body = format!("sukoon_ledger_imbalance{{currency=\"INR\"}} {imbalance}\n");
    let length = body.len();
    let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{body}");
    tokio::spawn(async move {
        while let Ok((mut connection, _peer)) = listener.accept().await {
            // What it asks for does not matter.
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                if connection.read_buf(&mut head).await.unwrap_or(0) == 0 {
                    break;
                }
            }
            connection.write_all(answer.as_bytes()).await.ok();
        }
    });
    Ok(port)
}

async fn look_once(imbalance: i64) -> std::io::Result<Output> {
    let port = process(imbalance).await?;
    let data = Path::new(env!("CARGO_TARGET_TMPDIR")).join("watch");
    let mut command = Command::new(env!("CARGO_BIN_EXE_sukoon"));
    command.args(["watch", "--once"]).env_clear().env("SUKOON_DATA", data);
    command.env("SUKOON_METRICS_PORTS", format!("payments={port}")).output().await
}

#[tokio::test]
async fn one_look_ends_with_whether_there_is_an_alarm() -> Result<(), Box<dyn Error>> {
    let quiet = look_once(0).await?;
    assert_eq!(quiet.status.code(), Some(0), "{quiet:?}");
    assert!(String::from_utf8(quiet.stdout)?.starts_with("No alarm.\n"));
    let alarm = look_once(-500).await?;
    assert_eq!(alarm.status.code(), Some(1), "{alarm:?}");
    let told = String::from_utf8(alarm.stdout)?;
    let sentence = "The ledger's accounts do not net to zero in INR.";
    assert!(told.starts_with(&format!("NOW   LedgerImbalance: {sentence} → ")), "{told}");
    Ok(())
}
