//! `SUKOON_CODE`: the commands of staff use the second step before their calls.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex, PoisonError};
use std::{fs, io, thread};

const SIGNED_IN: &str = r#"{ "access_token": "one", "user": { "factors": [
    { "id": "begun", "factor_type": "totp", "status": "unverified" },
    { "id": "f1", "factor_type": "totp", "status": "verified" }] } }"#;
const WITHOUT_APP: &str = r#"{ "access_token": "one", "user": { "factors": [] } }"#;
const REFUSED: &str = r#"{ "code": "mfa_verification_failed", "message": "wrong" }"#;
/// As the gateway writes it: the detail holds the reason `SECOND_FACTOR_REQUIRED`.
const ONE_FACTOR: &str = r#"{ "code": "permission_denied", "message": "", "details": [
    { "type": "common.v1.ErrorDetail", "value": "ChZTRUNPTkRfRkFDVE9SX1JFUVVJUkVE" }] }"#;

/// The answers of a practice whose staff need a second factor, and the requests that it got.
struct Practice {
    url: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Practice {
    fn start(signed_in: &'static str) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let url = format!("http://{}", listener.local_addr()?);
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let seen = asked.clone();
        // It ends with the test's process.
        thread::spawn(move || {
            for mut connection in listener.incoming().flatten() {
                let request = read(&mut connection).unwrap_or_default();
                let (status, body) = answer(&request, signed_in);
                seen.lock().unwrap_or_else(PoisonError::into_inner).push(request);
                let length = body.len();
                let head = format!(
                    "HTTP/1.1 {status} x\r\ncontent-type: application/json\r\n\
                     content-length: {length}\r\nconnection: close\r\n\r\n"
                );
                connection.write_all(format!("{head}{body}").as_bytes()).ok();
            }
        });
        Ok(Self { url, asked })
    }

    /// The paths that were asked for with the second step's token.
    fn asked_with_two(&self) -> Vec<String> {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let with_two = asked.iter().filter(|request| request.contains("Bearer two"));
        with_two.map(|request| path(request).to_owned()).collect()
    }

    /// `sukoon today --json` by a person of this practice.
    fn today(&self, code: Option<&str>) -> io::Result<Output> {
        let data = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("second step");
        fs::create_dir_all(&data)?;
        Command::new(env!("CARGO_BIN_EXE_sukoon"))
            .args(["today", "--json"])
            .env_clear()
            .env("SUKOON_DATA", data)
            .env("SUKOON_URL", &self.url)
            .env("SUKOON_EMAIL", "meera@sukoon.example")
            .env("SUKOON_PASSWORD", "a quiet garden")
            .envs(code.map(|code| ("SUKOON_CODE", code)))
            .output()
    }
}

/// A whole request: its head and as much behind it as the head says.
fn read(connection: &mut TcpStream) -> io::Result<String> {
    let mut request = String::new();
    let mut part = [0; 4096];
    loop {
        let count = connection.read(&mut part)?;
        request.push_str(&String::from_utf8_lossy(part.get(..count).unwrap_or_default()));
        if let Some((head, body)) = request.split_once("\r\n\r\n") {
            let length = head.to_lowercase().split_once("content-length: ").map(|(_, rest)| {
                rest.split("\r\n").next().and_then(|length| length.parse().ok()).unwrap_or(0)
            });
            if body.len() >= length.unwrap_or(0) {
                return Ok(request);
            }
        }
        if count == 0 {
            return Ok(request);
        }
    }
}

fn path(request: &str) -> &str {
    request.split(' ').nth(1).unwrap_or_default()
}

fn answer(request: &str, signed_in: &'static str) -> (u16, &'static str) {
    match path(request) {
        "/auth/v1/token?grant_type=password" => (200, signed_in),
        "/auth/v1/factors/f1/challenge" => (200, r#"{ "id": "c1" }"#),
        "/auth/v1/factors/f1/verify" => {
            let right = request.contains(r#""challenge_id":"c1""#)
                && request.contains(r#""code":"123456""#)
                && request.contains("Bearer one");
            if right { (200, r#"{ "access_token": "two" }"#) } else { (422, REFUSED) }
        }
        rpc if rpc.starts_with("/rpc/") && !request.contains("Bearer two") => (403, ONE_FACTOR),
        _ => (200, "{}"),
    }
}

#[test]
fn a_call_of_staff_is_made_with_the_second_step() -> io::Result<()> {
    let practice = Practice::start(SIGNED_IN)?;
    let output = practice.today(Some("123456"))?;
    assert!(output.status.success(), "{output:?}");
    let service = "/rpc/booking.v1.BookingStaffService";
    let asked = practice.asked_with_two();
    assert!(asked.contains(&format!("{service}/ListBookings")), "{asked:?}");
    assert!(asked.contains(&format!("{service}/ListBlockedTimes")), "{asked:?}");
    Ok(())
}

#[test]
fn what_is_wrong_with_the_second_step_is_told_with_what_to_do() -> io::Result<()> {
    for (signed_in, code, words) in [
        (SIGNED_IN, None, "set SUKOON_CODE to the code that its authenticator app shows"),
        (SIGNED_IN, Some("000000"), "the code of SUKOON_CODE was refused; take the next one"),
        (WITHOUT_APP, Some("123456"), "the account has no authenticator app"),
    ] {
        let practice = Practice::start(signed_in)?;
        let output = practice.today(code)?;
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && told.contains(words), "{code:?}: {output:?}");
        assert!(practice.asked_with_two().is_empty(), "{code:?}");
    }
    Ok(())
}
