//! `SUKOON_CODE`: the commands of staff use the second step before their calls.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};
use std::{fs, io, thread};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

const SIGNED_IN: &str = r#"{ "access_token": "one", "user": { "factors": [
    { "id": "begun", "factor_type": "totp", "status": "unverified" },
    { "id": "f1", "factor_type": "totp", "status": "verified" }] } }"#;
const WITHOUT_APP: &str = r#"{ "access_token": "one", "user": { "factors": [] } }"#;
const REFUSED: &str = r#"{ "code": "mfa_verification_failed", "message": "wrong" }"#;
/// As the gateway writes it: the detail holds the reason `SECOND_FACTOR_REQUIRED`.
const ONE_FACTOR: &str = r#"{ "code": "permission_denied", "message": "", "details": [
    { "type": "common.v1.ErrorDetail", "value": "ChZTRUNPTkRfRkFDVE9SX1JFUVVJUkVE" }] }"#;

/// The same with `SECOND_FACTOR_TOO_OLD`.
const TOO_OLD: &str = r#"{ "code": "permission_denied", "message": "", "details": [
    { "type": "common.v1.ErrorDetail", "value": "ChVTRUNPTkRfRkFDVE9SX1RPT19PTEQ" }] }"#;

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

    /// How often this path was asked for.
    fn count(&self, wanted: &str) -> usize {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.iter().filter(|request| path(request) == wanted).count()
    }

    /// `sukoon today --json` by a person of this practice.
    fn today(&self, code: Option<&str>) -> io::Result<Output> {
        self.run(&["today", "--json"], code, None)
    }

    /// The same of another command, by a person whose own files are in this folder.
    fn run(&self, words: &[&str], code: Option<&str>, home: Option<&Path>) -> io::Result<Output> {
        let data = Path::new(env!("CARGO_TARGET_TMPDIR")).join("second step");
        fs::create_dir_all(&data)?;
        Command::new(env!("CARGO_BIN_EXE_sukoon"))
            .args(words)
            .env_clear()
            .env("SUKOON_DATA", data)
            .env("SUKOON_URL", &self.url)
            .env("SUKOON_EMAIL", "meera@sukoon.example")
            .env("SUKOON_PASSWORD", "a quiet garden")
            .envs(code.map(|code| ("SUKOON_CODE", code)))
            .envs(home.map(|home| ("HOME", home)))
            .stdin(Stdio::null())
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

/// A session with a second factor that was shown an hour ago, or now. The access token begins with
/// this word.
#[expect(
    clippy::disallowed_methods,
    reason = "programs read the time of a token by the machine's clock"
)]
fn strong(word: &str, is_new: bool) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let shown = if is_new { now } else { now - 3600 };
    let claims = format!(
        r#"{{ "aal": "aal2", "iat": {now}, "exp": {}, "amr": [
            {{ "method": "totp", "timestamp": {shown} }} ] }}"#,
        now + 600
    );
    let claims = URL_SAFE_NO_PAD.encode(claims);
    format!(
        r#"{{ "access_token": "{word}.{claims}.s", "refresh_token": "again", "user": {{
            "factors": [
                {{ "id": "f1", "factor_type": "totp", "status": "verified" }} ] }} }}"#
    )
}

fn answer(request: &str, signed_in: &str) -> (u16, String) {
    let (status, body) = match path(request) {
        "/auth/v1/token?grant_type=password" => (200, signed_in),
        "/auth/v1/token?grant_type=refresh_token" => return (200, strong("two", false)),
        "/auth/v1/factors/f1/challenge" => (200, r#"{ "id": "c1" }"#),
        "/auth/v1/factors/f1/verify" => {
            let right = request.contains(r#""challenge_id":"c1""#)
                && request.contains(r#""code":"123456""#)
                && (request.contains("Bearer one") || request.contains("Bearer two"));
            if right {
                let again = request.contains("Bearer two");
                return (200, strong(if again { "twofold" } else { "two" }, again));
            }
            (422, REFUSED)
        }
        rpc if rpc.ends_with("/RefundPayment") && !request.contains("Bearer twofold") => {
            (403, TOO_OLD)
        }
        rpc if rpc.starts_with("/rpc/") && !request.contains("Bearer two") => (403, ONE_FACTOR),
        _ => (200, "{}"),
    };
    (status, body.to_owned())
}

/// A folder for a person's own files.
fn home(name: &str) -> io::Result<PathBuf> {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    drop(fs::remove_dir_all(&home));
    fs::create_dir_all(&home)?;
    Ok(home)
}

const SIGN_IN: &str = "/auth/v1/token?grant_type=password";

#[test]
fn a_code_is_asked_for_once_and_the_session_stays() -> io::Result<()> {
    let practice = Practice::start(SIGNED_IN)?;
    let home = home("kept session")?;
    for code in [Some("123456"), None, None] {
        let output = practice.run(&["today", "--json"], code, Some(&home))?;
        assert!(output.status.success(), "{output:?}");
    }
    assert_eq!(practice.count(SIGN_IN), 1);
    assert_eq!(practice.count("/auth/v1/logout?scope=local"), 0);
    Ok(())
}

#[test]
fn a_call_that_asks_for_a_new_second_step_gets_it_and_is_repeated() -> io::Result<()> {
    const REFUND: [&str; 4] = ["refund", "bkg_00000000000000000000000000000001", "--yes", "--json"];
    let practice = Practice::start(SIGNED_IN)?;
    let home = home("newer step")?;
    let first = practice.run(&["today", "--json"], Some("123456"), Some(&home))?;
    assert!(first.status.success(), "{first:?}");
    let refused = practice.run(&REFUND, None, Some(&home))?;
    let told = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success() && told.contains("set SUKOON_CODE"), "{refused:?}");
    let done = practice.run(&REFUND, Some("123456"), Some(&home))?;
    assert!(done.status.success(), "{done:?}");
    assert_eq!(practice.count(SIGN_IN), 1);
    // Each of the two tries was refused once; the second was repeated.
    assert_eq!(practice.count("/rpc/payments.v1.PaymentsStaffService/RefundPayment"), 3);
    Ok(())
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
