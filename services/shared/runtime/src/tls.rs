//! TLS between our own services: one authority, and a certificate for each, shown by both sides.
//!
//! Each new connection checks the files and reads them again when they have changed, so a new
//! certificate needs no restart: open connections go on, and new ones use it.

pub(crate) mod incoming;
pub(crate) mod outgoing;

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;
use std::{fmt, fs};

use rustls::client::ResolvesClientCert;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::sign::CertifiedKey;
use rustls::version::TLS13;
use rustls::{ClientConfig, RootCertStore, ServerConfig, SignatureScheme};

use crate::error::BoxError;
use crate::settings::Reader;

/// The metadata with the names on the caller's certificate, which only our own server sets.
pub(crate) const CALLER_CERTIFICATE: &str = "x-caller-certificate";
/// The protocol of gRPC.
const HTTP_2: &[u8] = b"h2";
/// The further protocol of other HTTP.
const HTTP_1: &[u8] = b"http/1.1";

/// The paths of a service's certificates, as PEM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsSettings {
    /// The authority that signs all of them; `TLS_CA`.
    pub authority: PathBuf,
    /// The own certificate, followed by those between it and the authority; `TLS_CERTIFICATE`.
    pub certificate: PathBuf,
    /// Its private key; `TLS_KEY`.
    pub key: PathBuf,
}

impl TlsSettings {
    /// Reads them; `None` when none is set, because TLS between services is off then.
    pub fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let names = ["TLS_CA", "TLS_CERTIFICATE", "TLS_KEY"];
        if names.iter().all(|name| reader.optional(name).is_none()) {
            return None;
        }
        let [authority, certificate, key] = names.map(|name| reader.path(name));
        Some(Self { authority, certificate, key })
    }
}

/// The certificates of a service. Clones share one state.
#[derive(Clone)]
pub struct Tls {
    inner: Arc<Inner>,
}

struct Inner {
    settings: TlsSettings,
    current: Mutex<Current>,
}

struct Current {
    configs: Configs,
    versions: Vec<Version>,
}

/// The configurations of one version of the files.
#[derive(Clone)]
pub(crate) struct Configs {
    /// For connections that are accepted.
    pub(crate) server: Arc<ServerConfig>,
    /// For connections that are made.
    pub(crate) client: Arc<ClientConfig>,
    authorities: Arc<RootCertStore>,
    own: Arc<CertifiedKey>,
}

/// Identifies a version of a file.
type Version = Option<(SystemTime, u64, u64)>;

/// Shows the current certificate.
#[derive(Debug)]
struct Own(Tls);

impl ResolvesClientCert for Own {
    fn resolve(
        &self,
        _authorities: &[&[u8]],
        _schemes: &[SignatureScheme],
    ) -> Option<Arc<CertifiedKey>> {
        Some(self.0.configs().own)
    }

    fn has_certs(&self) -> bool {
        true
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tls").field("settings", &self.inner.settings).finish_non_exhaustive()
    }
}

impl Tls {
    /// Reads the files.
    ///
    /// # Errors
    /// When one cannot be read, or they do not fit together.
    pub fn open(settings: TlsSettings) -> Result<Self, BoxError> {
        let versions = versions(&settings);
        let current = Current { configs: load(&settings)?, versions };
        Ok(Self { inner: Arc::new(Inner { settings, current: Mutex::new(current) }) })
    }

    /// Where the files are, for a library that reads them itself.
    #[must_use]
    pub fn settings(&self) -> &TlsSettings {
        &self.inner.settings
    }

    /// The settings of a client that another library makes once: it shows the current certificate,
    /// but trusts the authorities of its making. So a new authority has to be in the file before
    /// its certificates are used.
    ///
    /// # Errors
    /// When the library refuses them.
    pub fn client_of_library(&self) -> Result<ClientConfig, rustls::Error> {
        let authorities = self.configs().authorities;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&TLS13])?
            .with_root_certificates(authorities)
            .with_client_cert_resolver(Arc::new(Own(self.clone())));
        Ok(config)
    }

    /// The current configurations. If a new version of the files cannot be used, that is logged and
    /// the last one stays.
    pub(crate) fn configs(&self) -> Configs {
        // A panic in another thread cannot leave the state half-written.
        let mut current = self.inner.current.lock().unwrap_or_else(PoisonError::into_inner);
        let versions = versions(&self.inner.settings);
        if versions != current.versions {
            current.versions = versions;
            match load(&self.inner.settings) {
                Ok(configs) => {
                    tracing::info!("the certificates have changed and are used from now on");
                    current.configs = configs;
                }
                Err(error) => {
                    tracing::error!(error, "the new certificates cannot be used; the old ones are");
                }
            }
        }
        current.configs.clone()
    }
}

fn versions(settings: &TlsSettings) -> Vec<Version> {
    let version = |path: &PathBuf| {
        let found = fs::metadata(path).ok()?;
        Some((found.modified().ok()?, found.len(), found.ino()))
    };
    [&settings.authority, &settings.certificate, &settings.key].map(version).into()
}

fn load(settings: &TlsSettings) -> Result<Configs, BoxError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut roots = RootCertStore::empty();
    for certificate in certificates(&settings.authority)? {
        roots.add(certificate)?;
    }
    let authorities = Arc::new(roots);
    let own = certificates(&settings.certificate)?;
    let key = PrivateKeyDer::from_pem_file(&settings.key)
        .map_err(|error| format!("{}: {error}", settings.key.display()))?;
    Ok(Configs {
        server: server(&provider, &authorities, (own.clone(), key.clone_key()))?,
        client: client(&provider, &authorities, (own.clone(), key.clone_key()))?,
        own: Arc::new(CertifiedKey::from_der(own, key, &provider)?),
        authorities,
    })
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, BoxError> {
    let wrong = |error| format!("{}: {error}", path.display());
    let found = CertificateDer::pem_file_iter(path).map_err(wrong)?;
    let found = found.collect::<Result<Vec<_>, _>>().map_err(wrong)?;
    if found.is_empty() {
        Err(format!("{}: no certificate", path.display()).into())
    } else {
        Ok(found)
    }
}

type Identity = (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>);

fn server(
    provider: &Arc<CryptoProvider>,
    roots: &Arc<RootCertStore>,
    (certificates, key): Identity,
) -> Result<Arc<ServerConfig>, BoxError> {
    let callers = WebPkiClientVerifier::builder_with_provider(roots.clone(), provider.clone());
    let mut config = ServerConfig::builder_with_provider(provider.clone())
        .with_protocol_versions(&[&TLS13])?
        .with_client_cert_verifier(callers.build()?)
        .with_single_cert(certificates, key)?;
    config.alpn_protocols = vec![HTTP_2.to_vec(), HTTP_1.to_vec()];
    Ok(Arc::new(config))
}

fn client(
    provider: &Arc<CryptoProvider>,
    roots: &Arc<RootCertStore>,
    (certificates, key): Identity,
) -> Result<Arc<ClientConfig>, BoxError> {
    let mut config = ClientConfig::builder_with_provider(provider.clone())
        .with_protocol_versions(&[&TLS13])?
        .with_root_certificates(roots.clone())
        .with_client_auth_cert(certificates, key)?;
    config.alpn_protocols = vec![HTTP_2.to_vec()];
    Ok(Arc::new(config))
}

#[cfg(test)]
mod tests;
