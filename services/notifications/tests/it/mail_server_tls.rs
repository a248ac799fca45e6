//! A mail goes only to the mail server that the URL names: no password and no mail is told to one
//! without the certificate, nor to one that offers no TLS where it is required.

use std::sync::Arc;

use lettre::Message;
use notifications::smtp::{MailServer, SendError};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::ServerConfig;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use secrecy::SecretString;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

/// How a server talks before the mail.
#[derive(Clone, Copy)]
enum Opening {
    /// TLS from the first byte, with a certificate that no authority has signed.
    Tls,
    /// In the clear; TLS with that certificate is offered.
    Offered,
    /// In the clear, and nothing else.
    Clear,
}

/// Sends a mail to a server that opens like this, and gives the error and all that it was told.
async fn tell(opening: Opening, scheme: &str, query: &str) -> (SendError, Vec<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = tokio::spawn(async move {
        let (socket, _) = listener.accept().await.unwrap();
        listen(socket, opening).await
    });
    let url = format!("{scheme}://user:password@127.0.0.1:{port}{query}");
    let message = Message::builder()
        .from("hello@example.org".parse().unwrap())
        .to("asha@example.org".parse().unwrap())
        .body("Namaste".to_owned())
        .unwrap();
    let client = MailServer::new(&SecretString::from(url), "sukoon.example").unwrap();
    let error = client.send(&message).await.unwrap_err();
    (error, server.await.unwrap())
}

/// What a client says, line by line, until it goes away or TLS fails.
async fn listen(socket: TcpStream, opening: Opening) -> Vec<String> {
    let mut told = Vec::new();
    if let Opening::Tls = opening {
        let Ok(stream) = acceptor().accept(socket).await else { return told };
        let mut lines = BufReader::new(stream).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            told.push(line);
        }
        return told;
    }
    let mut stream = BufReader::new(socket);
    stream.write_all(b"220 mail ESMTP\r\n").await.unwrap();
    let mut line = String::new();
    while stream.read_line(&mut line).await.is_ok_and(|bytes| bytes > 0) {
        told.push(std::mem::take(&mut line).trim_end().to_owned());
        let command = told.last().unwrap();
        let answer = match (command.get(..4), opening) {
            (Some("EHLO"), Opening::Offered) => "250-mail\r\n250-STARTTLS\r\n250 AUTH PLAIN\r\n",
            (Some("EHLO"), _) => "250-mail\r\n250 AUTH PLAIN\r\n",
            (Some("STAR"), _) => {
                stream.write_all(b"220 go on\r\n").await.unwrap();
                if acceptor().accept(stream.into_inner()).await.is_ok() {
                    told.push("TLS".into());
                }
                return told;
            }
            (Some("QUIT"), _) => return told,
            _ => "250 ok\r\n",
        };
        stream.write_all(answer.as_bytes()).await.unwrap();
    }
    told
}

fn acceptor() -> TlsAcceptor {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(signing_key.serialize_der()));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider);
    let config = config.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    let config = config.with_single_cert(vec![cert.der().clone()], key).unwrap();
    TlsAcceptor::from(Arc::new(config))
}

#[tokio::test]
async fn a_server_without_its_certificate_is_told_nothing() {
    let (error, told) = tell(Opening::Tls, "smtps", "").await;
    assert!(matches!(error, SendError::Transient(_)), "{error}");
    assert!(told.is_empty(), "{told:?}");

    let (error, told) = tell(Opening::Offered, "smtp", "?tls=required").await;
    assert!(matches!(error, SendError::Transient(_)), "{error}");
    assert_eq!(
        told.iter().filter(|line| !line.starts_with("EHLO")).collect::<Vec<_>>(),
        ["STARTTLS"]
    );
}

/// Google's relay hangs up on a client that calls itself `[127.0.0.1]`.
#[tokio::test]
async fn a_server_is_greeted_with_the_sender_s_domain_or_with_the_url_s_name() {
    for (path, name) in [("", "sukoon.example"), ("/relay.example.org", "relay.example.org")] {
        let (_error, told) = tell(Opening::Offered, "smtp", &format!("{path}?tls=required")).await;
        assert_eq!(told.first(), Some(&format!("EHLO {name}")));
    }
}

#[tokio::test]
async fn where_tls_is_required_a_server_that_offers_none_gets_no_password_and_no_mail() {
    let (error, told) = tell(Opening::Clear, "smtp", "?tls=required").await;
    assert!(matches!(error, SendError::Transient(_)), "{error}");
    let told: Vec<_> = told.iter().filter_map(|line| line.get(..4)).collect();
    assert!(!told.contains(&"AUTH") && !told.contains(&"MAIL"), "{told:?}");
}
