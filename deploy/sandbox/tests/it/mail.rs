//! Mail: a real SMTP session, the resulting inbox, and injected faults.

use lettre::message::{Attachment, Message, MultiPart};
use lettre::{AsyncSmtpTransport, AsyncTransport, Tokio1Executor};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

use crate::website::{Folder, Running, answer, status};

fn transport(sandbox: &Running) -> AsyncSmtpTransport<Tokio1Executor> {
    AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(sandbox.smtp.ip().to_string())
        .port(sandbox.smtp.port())
        .build()
}

fn letter(to: &str, subject: &str) -> Message {
    let calendar = "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n".to_owned();
    let kind = "text/calendar; method=PUBLISH; charset=utf-8".parse().unwrap();
    let file = Attachment::new("session.ics".to_owned()).body(calendar, kind);
    let text = "Namaste आशा,\n.a line that begins with a dot\n..and one with two\n".to_owned();
    let both = MultiPart::alternative_plain_html(text, "<p>Namaste <b>आशा</b></p>".to_owned());
    Message::builder()
        .from("Sukoon <hello@practice.example>".parse().unwrap())
        .to(to.parse().unwrap())
        .subject(subject)
        .message_id(Some("<one@practice.example>".to_owned()))
        .multipart(MultiPart::mixed().multipart(both).singlepart(file))
        .unwrap()
}

async fn inbox(sandbox: &Running, query: &str) -> Vec<Value> {
    let list = answer(sandbox.get(&format!("/api/inbox{query}"))).await;
    list.as_array().unwrap().clone()
}

#[tokio::test]
async fn a_mail_arrives_whole() {
    let folder = Folder::new();
    let sandbox = Running::start(&folder, None).await;
    let mailer = transport(&sandbox);
    mailer.send(letter("asha@example.com", "First ✓")).await.unwrap();
    mailer.send(letter("ravi@example.com", "Second")).await.unwrap();

    let mails = inbox(&sandbox, "").await;
    let subjects: Vec<_> = mails.iter().map(|mail| mail["subject"].as_str().unwrap()).collect();
    assert_eq!(subjects, ["Second", "First ✓"], "the newest comes first");
    let mail = &inbox(&sandbox, "?to=ASHA@example.com").await[0];
    assert_eq!(mail["from"], "hello@practice.example");
    assert_eq!(mail["fromName"], "Sukoon");
    assert_eq!(mail["to"], json!(["asha@example.com"]));
    assert_eq!(mail["messageId"], "one@practice.example");
    let text = mail["text"].as_str().unwrap();
    assert!(text.contains("\n.a line") || text.contains("\r\n.a line"), "{text:?}");
    assert!(text.contains("..and one"), "{text:?}");
    assert!(mail["html"].as_str().unwrap().contains("<b>आशा</b>"));
    let header = |name: &str| {
        let mut headers = mail["headers"].as_array().unwrap().iter();
        headers.find(|it| it["name"] == name).unwrap()["value"].as_str().unwrap().to_owned()
    };
    assert_eq!(header("Message-ID"), "<one@practice.example>");
    assert_eq!(header("To"), "asha@example.com");
    assert!(header("Content-Type").starts_with("multipart/mixed; boundary="), "on one line");
    let files = mail["attachments"].as_array().unwrap();
    assert_eq!(files.len(), 1);
    assert_eq!(files[0]["filename"], "session.ics");
    assert_eq!(files[0]["contentType"], "text/calendar");

    let file = format!("/inbox/{}/0", mail["id"].as_str().unwrap());
    let download = sandbox.get(&file).send().await.unwrap();
    assert_eq!(download.headers()["content-disposition"], "attachment; filename=\"session.ics\"");
    assert!(download.text().await.unwrap().starts_with("BEGIN:VCALENDAR\r\n"));

    let cleared = sandbox.http.delete(format!("{}/api/inbox", sandbox.url));
    assert_eq!(status(cleared).await, 204);
    assert!(inbox(&sandbox, "").await.is_empty());
}

/// A raw SMTP session: each line, and the reply code that it must get.
async fn talk(sandbox: &Running, lines: &[(&str, &str)]) {
    let (reader, mut writer) = TcpStream::connect(sandbox.smtp).await.unwrap().into_split();
    let mut answers = BufReader::new(reader).lines();
    assert!(answers.next_line().await.unwrap().unwrap().starts_with("220"));
    for (said, code) in lines {
        writer.write_all(said.as_bytes()).await.unwrap();
        writer.write_all(b"\r\n").await.unwrap();
        let mut line = answers.next_line().await.unwrap().unwrap();
        while line.as_bytes().get(3) == Some(&b'-') {
            line = answers.next_line().await.unwrap().unwrap();
        }
        assert!(line.starts_with(code), "{said:.60} was answered {line}");
    }
}

#[tokio::test]
async fn smtp_commands_are_refused_out_of_order() {
    let folder = Folder::new();
    let sandbox = Running::start(&folder, None).await;
    let body = "Subject: by hand\r\n\r\n..dot\r\n...\r\nend\r\n.";
    talk(
        &sandbox,
        &[
            ("MAIL FROM:<a@b.example>", "503"),
            ("HELO client", "250"),
            ("EHLO client", "250"),
            ("AUTH PLAIN AGEAYg==", "235"),
            ("RCPT TO:<c@d.example>", "503"),
            ("MAIL FROM:<a@b.example> SIZE=99999999", "552"),
            ("MAIL FROM:<a@b.example> SIZE=100 BODY=8BITMIME", "250"),
            ("RCPT TO:nobody", "501"),
            ("DATA", "503"),
            ("RCPT TO:<c@d.example>", "250"),
            ("RSET", "250"),
            ("DATA", "503"),
            ("mail from:<a@b.example>", "250"),
            ("rcpt to:<c@d.example>", "250"),
            ("rcpt to:<e@f.example>", "250"),
            ("DATA", "354"),
            (body, "250"),
            ("NOOP", "250"),
            ("HELP", "502"),
            ("QUIT", "221"),
        ],
    )
    .await;
    let mails = inbox(&sandbox, "").await;
    assert_eq!(mails.len(), 1);
    assert_eq!(mails[0]["to"], json!(["c@d.example", "e@f.example"]));
    let text = mails[0]["text"].as_str().unwrap().replace('\r', "");
    assert_eq!(text.trim_end(), ".dot\n..\nend", "one dot is taken back from each such line");
}

#[tokio::test]
async fn a_mail_that_is_too_large_is_refused_and_the_next_one_taken() {
    let folder = Folder::new();
    let sandbox = Running::start(&folder, None).await;
    let large = format!("Subject: large\r\n\r\n{}\r\n.", "0123456789\r\n".repeat(900_000));
    talk(
        &sandbox,
        &[
            ("EHLO client", "250"),
            ("MAIL FROM:<a@b.example>", "250"),
            ("RCPT TO:<c@d.example>", "250"),
            ("DATA", "354"),
            (&large, "552"),
            ("MAIL FROM:<a@b.example>", "250"),
            ("RCPT TO:<c@d.example>", "250"),
            ("DATA", "354"),
            ("Subject: small\r\n\r\nhello\r\n.", "250"),
        ],
    )
    .await;
    assert_eq!(inbox(&sandbox, "").await.len(), 1);
}

#[tokio::test]
async fn one_recipient_is_refused_and_others_are_taken() {
    let folder = Folder::new();
    let sandbox = Running::start(&folder, None).await;
    let gone = |target: &str, status: u16| {
        json!({
            "target": target, "kind": "refuse", "times": 0, "status": status,
            "recipient": "Asha@example.com",
        })
    };
    sandbox.fault(gone("smtp_rcpt", 550)).await;
    let begin = [("EHLO client", "250"), ("MAIL FROM:<a@b.example>", "250")];
    let refused = [("RCPT TO:<asha@example.com>", "550"), ("DATA", "503")];
    talk(&sandbox, &[begin, refused].concat()).await;
    assert!(transport(&sandbox).send(letter("asha@example.com", "No")).await.is_err());
    transport(&sandbox).send(letter("ravi@example.com", "Yes")).await.unwrap();

    let cleared = sandbox.http.delete(format!("{}/api/faults", sandbox.url));
    assert_eq!(status(cleared).await, 204);
    sandbox.fault(gone("smtp", 452)).await;
    let late = transport(&sandbox).send(letter("asha@example.com", "No")).await.unwrap_err();
    assert!(late.is_transient(), "{late}");
    transport(&sandbox).send(letter("ravi@example.com", "Yes")).await.unwrap();
    assert_eq!(inbox(&sandbox, "").await.len(), 2);
}

#[tokio::test]
async fn an_unknown_sender_is_greylisted() {
    let folder = Folder::new();
    let sandbox = Running::start(&folder, None).await;
    sandbox.fault(json!({ "target": "smtp_rcpt", "kind": "greylist" })).await;
    for (to, taken) in [("asha", false), ("asha", true), ("ravi", false), ("asha", true)] {
        let letter = letter(&format!("{to}@example.com"), "Hello");
        let sent = transport(&sandbox).send(letter).await;
        assert_eq!(sent.is_ok(), taken, "{to}");
        assert!(sent.err().is_none_or(|refused| refused.is_transient()));
    }
    assert_eq!(inbox(&sandbox, "").await.len(), 2);
}

#[tokio::test]
async fn mail_faults_are_injected_in_their_order() {
    let folder = Folder::new();
    let sandbox = Running::start(&folder, None).await;
    sandbox.fault(json!({ "target": "smtp", "kind": "refuse", "status": 451 })).await;
    sandbox.fault(json!({ "target": "smtp", "kind": "drop" })).await;
    let lost = json!({ "target": "smtp", "kind": "timeout_after_success", "delay_ms": 1 });
    sandbox.fault(lost).await;
    sandbox.fault(json!({ "target": "smtp", "kind": "duplicate" })).await;
    for (sent, kept) in [(false, 0), (false, 0), (false, 1), (true, 3), (true, 4)] {
        let result = transport(&sandbox).send(letter("asha@example.com", "Again")).await;
        assert_eq!(result.is_ok(), sent);
        assert_eq!(inbox(&sandbox, "").await.len(), kept);
    }
}
