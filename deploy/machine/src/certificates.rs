//! TLS between the processes of a practice: an authority of its own, and a certificate for each
//! process, which says both where it listens and which service it is.
use crate::environment::Environment;
use crate::output;
use crate::paths;
use crate::secrets::write_private;
use anyhow::{Context, Result};
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose,
};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use tokio::time::sleep;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// How long the authority is valid.
const AUTHORITY_DAYS: u32 = 3650;
/// How long a certificate is valid.
const DAYS: u32 = 90;
/// The age at which it is made anew: there is time left to notice that this fails.
const RENEWED_AFTER_DAYS: u32 = 30;
/// Clocks of other machines may be behind.
const BACKDATED: Duration = Duration::from_secs(60 * 60);

/// The processes that have one.
const HOLDERS: [&str; 9] = [
    "booking",
    "catalogue",
    "gateway",
    "identity",
    "nats",
    "notifications",
    "payments",
    "postgres",
    "reviews",
];

/// The certificates in a folder of secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificates {
    folder: PathBuf,
}

impl Certificates {
    /// Makes the authority and each certificate that is missing or due.
    pub fn ensure(secrets: &Path) -> Result<Self> {
        let certificates = Self { folder: secrets.join("tls") };
        paths::create_private(&certificates.folder)?;
        certificates.renew(DAY * RENEWED_AFTER_DAYS)?;
        Ok(certificates)
    }

    /// Those of a practice, if its operator wants TLS between its processes.
    pub fn wanted(environment: &Environment, data: &Path) -> Result<Option<Self>> {
        let is_on = environment.is_on("SUKOON_TLS");
        is_on.then(|| Self::ensure(&data.join("secrets"))).transpose()
    }

    /// Those that a folder of secrets has already.
    pub fn existing(secrets: &Path) -> Option<Self> {
        let certificates = Self { folder: secrets.join("tls") };
        certificates.authority_file().is_file().then_some(certificates)
    }

    /// Makes anew what is at least this old. Our services read their files again when they change;
    /// PostgreSQL and NATS do when they start.
    pub fn renew(&self, age: Duration) -> Result<()> {
        let issuer = self.authority()?;
        for name in HOLDERS {
            let [certificate, key] = [self.file(name, "pem"), self.file(name, "key")];
            if !key.is_file() || self.age(&certificate).is_none_or(|now| now >= age) {
                sign(name, &issuer, (&certificate, &key))
                    .with_context(|| format!("no certificate can be made for {name}"))?;
            }
        }
        Ok(())
    }

    /// The settings with which a process is told of its own.
    pub fn settings(&self, name: &str) -> [(&'static str, String); 3] {
        let text = |path: PathBuf| path.to_string_lossy().into_owned();
        [
            ("TLS_CA", text(self.authority_file())),
            ("TLS_CERTIFICATE", text(self.file(name, "pem"))),
            ("TLS_KEY", text(self.file(name, "key"))),
        ]
    }

    /// The authority's certificate.
    pub fn authority_file(&self) -> PathBuf {
        self.file("authority", "pem")
    }

    /// A certificate of a process, or its key, by the ending `pem` or `key`.
    pub fn file(&self, name: &str, ending: &str) -> PathBuf {
        self.folder.join(format!("{name}.{ending}"))
    }

    fn age(&self, file: &Path) -> Option<Duration> {
        let made = fs::metadata(file).and_then(|found| found.modified()).ok()?;
        Some(made.elapsed().unwrap_or_default())
    }

    /// The authority, which is made once.
    fn authority(&self) -> Result<Issuer<'static, KeyPair>> {
        let [certificate, key] = [self.authority_file(), self.file("authority", "key")];
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        params.distinguished_name.push(DnType::CommonName, "Sukoon");
        if let Ok(pem) = fs::read_to_string(&key)
            && certificate.is_file()
        {
            let pair = KeyPair::from_pem(&pem)
                .with_context(|| format!("{} is not a private key", key.display()))?;
            return Ok(Issuer::new(params, pair));
        }
        valid_for(&mut params, AUTHORITY_DAYS);
        let pair = KeyPair::generate().context("no key can be made")?;
        let signed = params.self_signed(&pair).context("no authority can be made")?;
        write_private(&key, pair.serialize_pem().as_bytes())?;
        write_private(&certificate, signed.pem().as_bytes())?;
        Ok(Issuer::new(params, pair))
    }
}

/// Makes anew what is due in a folder, every day, if there is any; ends only with the process.
pub async fn keep_new(data: &Path) {
    loop {
        sleep(DAY).await;
        let certificates = Certificates::existing(&data.join("secrets"));
        if let Some(Err(error)) = certificates.map(|it| it.renew(DAY * RENEWED_AFTER_DAYS)) {
            output::problem(&error);
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "certificates are made for the machine's clock")]
fn valid_for(params: &mut CertificateParams, days: u32) {
    let now = SystemTime::now();
    params.not_before = (now - BACKDATED).into();
    params.not_after = (now + DAY * days).into();
}

fn sign(
    name: &str,
    issuer: &Issuer<'static, KeyPair>,
    (certificate, key): (&Path, &Path),
) -> Result<()> {
    let names = [name, "localhost", "127.0.0.1"].map(str::to_owned);
    let mut params = CertificateParams::new(names)?;
    params.distinguished_name.push(DnType::CommonName, name);
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages =
        vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
    valid_for(&mut params, DAYS);
    let pair = KeyPair::generate()?;
    let signed = params.signed_by(&pair, issuer)?;
    // A process that reads between the two finds that they do not fit, and keeps what it has.
    write_private(key, pair.serialize_pem().as_bytes())?;
    write_private(certificate, signed.pem().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_authority_is_made_once_and_certificates_when_they_are_due() {
        let folder = std::env::temp_dir().join(format!("sukoon-tls-{}", std::process::id()));
        assert_eq!(Certificates::existing(&folder), None);
        let made = Certificates::ensure(&folder).unwrap();
        let read = |path: PathBuf| fs::read_to_string(path).unwrap();
        let authority = read(made.authority_file());
        let [first, other] = ["booking", "gateway"].map(|name| read(made.file(name, "pem")));
        assert_ne!(first, other);
        let again = Certificates::ensure(&folder).unwrap();
        assert_eq!(Certificates::existing(&folder), Some(made));
        assert_eq!(read(again.file("booking", "pem")), first, "it is not due");
        again.renew(Duration::ZERO).unwrap();
        assert_ne!(read(again.file("booking", "pem")), first);
        assert_eq!(read(again.authority_file()), authority);
        let told = again.settings("booking").map(|(name, _path)| name);
        assert_eq!(told, ["TLS_CA", "TLS_CERTIFICATE", "TLS_KEY"]);
        fs::remove_dir_all(folder).unwrap();
    }
}
