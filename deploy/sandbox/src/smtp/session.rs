//! One SMTP session by RFC 5321: commands, replies, and the message with its dot-stuffing removed.
//! Errors are answered in the protocol and never end the process.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::time::timeout;

use crate::faults::{Fault, Kind};
use crate::smtp::mime;
use crate::state::AppState;

/// The size limit of a message.
const MESSAGE_BYTES_MAX: usize = 10 * 1024 * 1024;
/// The length limit of a command line, well above that of the standard.
const LINE_BYTES_MAX: usize = 4 * 1024;
const RECIPIENTS_MAX: usize = 100;
/// How long a client may send nothing before its connection is closed.
const READ_TIMEOUT: Duration = Duration::from_secs(300);

const FAULTS: [Kind; 6] = [
    Kind::Delay,
    Kind::Drop,
    Kind::Status,
    Kind::TimeoutAfterSuccess,
    Kind::Duplicate,
    Kind::Refuse,
];

/// The sender and the recipients of a message, as given so far.
#[derive(Default)]
struct Envelope {
    greeted: bool,
    from: Option<String>,
    to: Vec<String>,
}

/// The faults that can be injected for a single recipient.
const RECIPIENT_FAULTS: [Kind; 3] = [Kind::Drop, Kind::Status, Kind::Refuse];

enum Action {
    Reply(String),
    ReadMessage,
    ReadCredentials(&'static str),
    Quit,
    /// Closes the connection without a reply.
    Disconnect,
}

/// Serves one client until it leaves.
pub(super) async fn run(socket: TcpStream, app: &AppState) -> io::Result<()> {
    let (reader, mut writer) = socket.into_split();
    let mut reader = BufReader::new(reader);
    if let Some(fault) = app.faults.take("smtp_connect", &FAULTS) {
        match fault.kind {
            Kind::Delay => tokio::time::sleep(fault.pause(1_000)).await,
            Kind::Status | Kind::Refuse => {
                return reply(&mut writer, &refusal(&fault, 421)).await;
            }
            _ => return Ok(()),
        }
    }
    reply(&mut writer, "220 sandbox ESMTP ready").await?;
    let mut envelope = Envelope::default();
    while let Some(line) = read_line(&mut reader).await? {
        match answer(app, &mut envelope, &line) {
            Action::Reply(text) => reply(&mut writer, &text).await?,
            Action::ReadCredentials(prompt) => {
                reply(&mut writer, prompt).await?;
                // AUTH LOGIN asks twice. The credentials are ignored.
                drop(read_line(&mut reader).await?);
                if prompt.ends_with("VXNlcm5hbWU6") {
                    reply(&mut writer, "334 UGFzc3dvcmQ6").await?;
                    drop(read_line(&mut reader).await?);
                }
                reply(&mut writer, "235 2.7.0 Accepted").await?;
            }
            Action::ReadMessage => {
                reply(&mut writer, "354 End data with <CR><LF>.<CR><LF>").await?;
                let Some(message) = read_message(&mut reader).await? else {
                    return Ok(());
                };
                let received = std::mem::replace(&mut envelope, greeted());
                let Some(text) = accept(app, received, message).await else {
                    return Ok(());
                };
                reply(&mut writer, &text).await?;
            }
            Action::Quit => return reply(&mut writer, "221 2.0.0 Bye").await,
            Action::Disconnect => return Ok(()),
        }
    }
    Ok(())
}

fn greeted() -> Envelope {
    Envelope { greeted: true, ..Envelope::default() }
}

/// Decides what one command leads to.
fn answer(app: &AppState, envelope: &mut Envelope, line: &str) -> Action {
    let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
    let text = match verb.to_ascii_uppercase().as_str() {
        "EHLO" => {
            *envelope = greeted();
            let able = "SIZE 10485760\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250-PIPELINING";
            return Action::Reply(format!("250-sandbox\r\n250-{able}\r\n250 AUTH PLAIN LOGIN"));
        }
        "HELO" => {
            *envelope = greeted();
            "250 sandbox"
        }
        "AUTH" => return credentials(rest),
        "MAIL" => mail_from(envelope, rest),
        "RCPT" => return rcpt_to(app, envelope, rest),
        "DATA" if envelope.to.is_empty() => "503 5.5.1 Say MAIL and RCPT first",
        "DATA" => return Action::ReadMessage,
        "RSET" => {
            *envelope = Envelope { greeted: envelope.greeted, ..Envelope::default() };
            "250 2.0.0 Forgotten"
        }
        "NOOP" => "250 2.0.0 OK",
        "VRFY" => "252 2.1.5 Everybody is welcome here",
        "QUIT" => return Action::Quit,
        _ => "502 5.5.2 Unknown command",
    };
    Action::Reply(text.to_owned())
}

fn credentials(rest: &str) -> Action {
    let (way, first) = rest.split_once(' ').unwrap_or((rest, ""));
    match (way.to_ascii_uppercase().as_str(), first.is_empty()) {
        ("PLAIN", false) => Action::Reply("235 2.7.0 Accepted".to_owned()),
        ("PLAIN", true) => Action::ReadCredentials("334 "),
        ("LOGIN", true) => Action::ReadCredentials("334 VXNlcm5hbWU6"),
        ("LOGIN", false) => Action::ReadCredentials("334 UGFzc3dvcmQ6"),
        _ => Action::Reply("504 5.5.4 Unknown way to sign in".to_owned()),
    }
}

fn mail_from(envelope: &mut Envelope, rest: &str) -> &'static str {
    if !envelope.greeted {
        return "503 5.5.1 Say EHLO first";
    }
    let Some((path, parameters)) = path_after(rest, "FROM:") else {
        return "501 5.5.4 Write MAIL FROM:<address>";
    };
    let upper = parameters.to_ascii_uppercase();
    let size = upper.split_whitespace().find_map(|it| it.strip_prefix("SIZE="));
    if size.and_then(|size| size.parse::<usize>().ok()).is_some_and(|size| size > MESSAGE_BYTES_MAX)
    {
        return "552 5.3.4 This message is too large";
    }
    envelope.from = Some(path);
    envelope.to.clear();
    "250 2.1.0 OK"
}

fn rcpt_to(app: &AppState, envelope: &mut Envelope, rest: &str) -> Action {
    let reply = |text: &str| Action::Reply(text.to_owned());
    let Some(from) = &envelope.from else { return reply("503 5.5.1 Say MAIL first") };
    let path = path_after(rest, "TO:").map(|(path, _)| path).filter(|path| path.contains('@'));
    let Some(path) = path else { return reply("501 5.1.3 Write RCPT TO:<address>") };
    if envelope.to.len() >= RECIPIENTS_MAX {
        return reply("452 4.5.3 Too many recipients");
    }
    if app.faults.is_greylisted(from, &path) {
        return reply("451 4.7.1 Greylisted, please come again later");
    }
    let recipients = [path];
    let fault = app.faults.take_for("smtp_rcpt", &RECIPIENT_FAULTS, &recipients);
    match fault {
        Some(fault) if fault.kind == Kind::Drop => return Action::Disconnect,
        Some(fault) => return Action::Reply(refusal(&fault, 550)),
        None => {}
    }
    envelope.to.extend(recipients);
    reply("250 2.1.5 OK")
}

/// The address between angle brackets after `FROM:` or `TO:`, and the parameters after it.
fn path_after(rest: &str, word: &str) -> Option<(String, String)> {
    let head = rest.get(..word.len())?;
    if !head.eq_ignore_ascii_case(word) {
        return None;
    }
    let path = rest.get(word.len()..)?.trim_start().strip_prefix('<')?;
    let (path, parameters) = path.split_once('>')?;
    Some((path.to_owned(), parameters.to_owned()))
}

/// Stores a whole message, subject to injected faults. Without a reply the connection is closed.
async fn accept(app: &AppState, envelope: Envelope, message: Message) -> Option<String> {
    let Message::Whole(bytes) = message else {
        return Some("552 5.3.4 This message is too large".to_owned());
    };
    let fault = app.faults.take_for("smtp", &FAULTS, &envelope.to);
    let kind = fault.as_ref().map(|fault| fault.kind);
    match (&fault, kind) {
        (Some(_), Some(Kind::Drop)) => return None,
        (Some(fault), Some(Kind::Status | Kind::Refuse)) => return Some(refusal(fault, 451)),
        (Some(fault), Some(Kind::Delay)) => tokio::time::sleep(fault.pause(1_000)).await,
        _ => {}
    }
    let from = envelope.from.unwrap_or_default();
    let times = if kind == Some(Kind::Duplicate) { 2 } else { 1 };
    for _ in 0..times {
        let mail = mime::read(&bytes, &from, &envelope.to);
        let mut store = app.store();
        let changes = store.mail_changes(mail);
        if store.commit(changes).is_err() {
            return Some("451 4.3.0 It could not be written down".to_owned());
        }
    }
    match fault {
        Some(fault) if fault.kind == Kind::TimeoutAfterSuccess => {
            tokio::time::sleep(fault.pause(30_000)).await;
            None
        }
        _ => Some("250 2.0.0 Taken".to_owned()),
    }
}

fn refusal(fault: &Fault, usual: u16) -> String {
    let status = fault.status.filter(|it| (400..600).contains(it)).unwrap_or(usual);
    let class = status / 100;
    match &fault.code {
        Some(text) => format!("{status} {text}"),
        None => format!("{status} {class}.3.0 Refused by an ordered fault"),
    }
}

enum Message {
    Whole(Vec<u8>),
    TooLarge,
}

/// Reads up to the line with a single dot. A message that is too large is read to its end and
/// discarded, so that the client gets the reply that says why.
async fn read_message(reader: &mut BufReader<OwnedReadHalf>) -> io::Result<Option<Message>> {
    let mut message = Vec::new();
    let mut large = false;
    let mut line = Vec::new();
    loop {
        line.clear();
        let most = u64::try_from(MESSAGE_BYTES_MAX).unwrap_or(u64::MAX);
        let mut limited = (&mut *reader).take(most);
        let read = timeout(READ_TIMEOUT, limited.read_until(b'\n', &mut line)).await;
        if read.map_err(io::Error::other)?? == 0 {
            return Ok(None);
        }
        if line == b".\r\n" || line == b".\n" {
            let whole = if large { Message::TooLarge } else { Message::Whole(message) };
            return Ok(Some(whole));
        }
        // The client has put a second dot before a line that begins with one.
        let content = line.strip_prefix(b".").unwrap_or(&line);
        large = large || message.len() + content.len() > MESSAGE_BYTES_MAX;
        if large {
            message = Vec::new();
        } else {
            message.extend_from_slice(content);
        }
    }
}

/// Reads one command line without its line end. Returns none when the client has left.
async fn read_line(reader: &mut BufReader<OwnedReadHalf>) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    let most = u64::try_from(LINE_BYTES_MAX).unwrap_or(u64::MAX);
    let mut limited = (&mut *reader).take(most);
    let read = timeout(READ_TIMEOUT, limited.read_until(b'\n', &mut line)).await;
    let read = read.map_err(io::Error::other)??;
    if read == 0 || !line.ends_with(b"\n") {
        return Ok(None);
    }
    Ok(Some(String::from_utf8_lossy(&line).trim_end().to_owned()))
}

async fn reply(writer: &mut OwnedWriteHalf, text: &str) -> io::Result<()> {
    writer.write_all(format!("{text}\r\n").as_bytes()).await
}
