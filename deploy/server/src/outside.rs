//! The site as its visitors have it: asked by its name, over TLS, with its certificate checked.
use anyhow::{Context, Result, bail};
use jiff::Timestamp;
use reqwest::Client;
use reqwest::tls::TlsInfo;
use std::error::Error;
use std::time::Duration;
use tokio::time::{Instant, sleep};
use x509_parser::prelude::{FromDer as _, X509Certificate};

/// For so many days at least a certificate has to be good. It is renewed a month before its end.
pub(crate) const DAYS_MIN: i64 = 14;
const ANSWERS_WITHIN: Duration = Duration::from_secs(10);
/// How long the first certificate may take.
const CERTIFICATE_WITHIN: Duration = Duration::from_secs(90);
/// What to look at when visitors do not reach the site.
const ADVICE: &str = "see that the name points to this machine and that ports 80 and 443 reach it, \
                      through the provider's firewall too; `sukoon logs caddy` says why there is \
                      no certificate";

/// For how many days the certificate of a site is good that answers.
///
/// # Errors
/// Visitors do not reach it; the error says why, and what to look at.
pub(crate) async fn days_left(domain: &str) -> Result<i64> {
    // Another part of the program may have chosen it already.
    drop(rustls::crypto::ring::default_provider().install_default());
    let client = Client::builder().timeout(ANSWERS_WITHIN).tls_info(true).build()?;
    ask(&client, &format!("https://{domain}")).await
}

/// The same once a site that was just started is there.
pub(crate) async fn wait_until_open(domain: &str) -> Result<i64> {
    let deadline = Instant::now() + CERTIFICATE_WITHIN;
    loop {
        match days_left(domain).await {
            Err(_) if Instant::now() < deadline => sleep(Duration::from_secs(2)).await,
            asked => return asked,
        }
    }
}

async fn ask(client: &Client, site: &str) -> Result<i64> {
    let asked = client.get(format!("{site}/healthz")).send().await;
    let answer = match asked {
        Ok(answer) => answer,
        Err(error) => bail!("{site} does not answer: {}; {ADVICE}", cause(&error)),
    };
    if !answer.status().is_success() {
        bail!("{site} answers with {}; `sukoon doctor` says what does not work", answer.status());
    }
    let certificate = answer.extensions().get::<TlsInfo>().and_then(TlsInfo::peer_certificate);
    days_of(certificate.context("the site shows no certificate")?, crate::moments::now())
}

/// The innermost reason, which names the certificate's fault or the refused connection.
fn cause(error: &dyn Error) -> String {
    let mut innermost = error;
    while let Some(inner) = innermost.source() {
        innermost = inner;
    }
    innermost.to_string()
}

fn days_of(certificate: &[u8], now: Timestamp) -> Result<i64> {
    let (_, certificate) =
        X509Certificate::from_der(certificate).context("the certificate cannot be read")?;
    let end = certificate.validity().not_after.timestamp();
    Ok(end.saturating_sub(now.as_second()) / 86_400)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
    use std::sync::Arc;
    use std::time::SystemTime;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    const NAME: &str = "book.example.org";

    /// A site with a certificate for so many days, from an authority that the client trusts.
    async fn site(days: u64, status: &'static str) -> (Client, String) {
        drop(rustls::crypto::ring::default_provider().install_default());
        let mut authority = CertificateParams::new(vec![]).unwrap();
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let root = authority.self_signed(&key).unwrap();
        let issuer = Issuer::new(authority, key);
        let mut own = CertificateParams::new(vec![NAME.to_owned()]).unwrap();
        let day = Duration::from_secs(86_400);
        #[expect(
            clippy::disallowed_methods,
            reason = "a certificate is valid by a machine's clock"
        )]
        let now = SystemTime::now();
        own.not_before = (now - day).into();
        own.not_after = (now + day * u32::try_from(days).unwrap() + day / 2).into();
        let key = KeyPair::generate().unwrap();
        let certificate = own.signed_by(&key, &issuer).unwrap();
        let config = rustls::ServerConfig::builder().with_no_client_auth().with_single_cert(
            vec![certificate.der().clone()],
            rustls::pki_types::PrivateKeyDer::Pkcs8(key.serialize_der().into()),
        );
        let acceptor = tokio_rustls::TlsAcceptor::from(Arc::new(config.unwrap()));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let Ok(mut stream) = acceptor.accept(stream).await else { continue };
                let mut request = [0; 1024];
                let read = stream.read(&mut request).await.unwrap();
                assert!(request[..read].starts_with(b"GET /healthz "));
                let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n");
                stream.write_all(answer.as_bytes()).await.unwrap();
            }
        });
        let trusted = reqwest::Certificate::from_der(root.der()).unwrap();
        let client = Client::builder()
            .resolve_to_addrs(NAME, &[address])
            .resolve_to_addrs("other.example.org", &[address])
            .tls_certs_only([trusted])
            .tls_info(true);
        (client.build().unwrap(), format!("https://{NAME}:{}", address.port()))
    }

    #[tokio::test]
    async fn a_site_that_answers_tells_for_how_long_its_certificate_is_good() {
        let (client, url) = site(30, "200 OK").await;
        assert_eq!(ask(&client, &url).await.unwrap(), 30);
    }

    #[tokio::test]
    async fn a_site_with_another_certificate_or_none_or_a_fault_is_not_open() {
        let (client, url) = site(30, "503 Service Unavailable").await;
        let told = ask(&client, &url).await.unwrap_err().to_string();
        assert!(told.contains("503"), "{told}");
        let other = url.replace(NAME, "other.example.org");
        let told = ask(&client, &other).await.unwrap_err().to_string();
        assert!(told.contains("certificate") && told.contains("sukoon logs caddy"), "{told}");
        // Visitors do not know this authority.
        let stranger = Client::builder().resolve_to_addrs(NAME, &[address_of(&url)]);
        let stranger = stranger.tls_info(true).build().unwrap();
        let told = ask(&stranger, &url).await.unwrap_err().to_string();
        assert!(told.contains("does not answer: invalid peer certificate"), "{told}");
        assert!(ask(&client, "https://127.0.0.1:1").await.is_err());
    }

    fn address_of(url: &str) -> std::net::SocketAddr {
        let port = url.rsplit_once(':').unwrap().1;
        format!("127.0.0.1:{port}").parse().unwrap()
    }
}
