//! The built site, held in memory: pages by their path, other files by their name. A request
//! only ever looks up a key, so no path can lead out of the folder.

use std::collections::{HashMap, HashSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::HeaderValue;
use serde::Deserialize;

use crate::access::entity_tag;

/// Smaller files do not get smaller.
const COMPRESS_FROM_BYTES: usize = 1024;

/// What the build says about its pages, in routes.json.
#[derive(Debug, Deserialize)]
struct RouteList {
    #[serde(rename = "static")]
    fixed: Vec<String>,
    services: Vec<String>,
    #[serde(default)]
    dynamic: Dynamic,
}

/// Pages whose content is looked up while they are open, by the folder that they are in.
#[derive(Debug, Default, Deserialize)]
struct Dynamic {
    reviews: Option<DynamicNames>,
}

/// The files of such a page.
#[derive(Debug, Deserialize)]
struct DynamicNames {
    found: String,
    missing: String,
}

/// The hashes of the scripts inside the pages, in csp.json.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ScriptHashes {
    script_hashes: Vec<String>,
}

/// Why the site cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum SiteError {
    /// There is no built site.
    #[error(
        "GATEWAY_WEB_DIR {folder:?} holds no built site; build it with `npm run build` in web/"
    )]
    Missing {
        /// The folder that was looked into.
        folder: PathBuf,
    },
    /// A file cannot be read.
    #[error("{path:?} of the built site cannot be read")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// One of the build's lists is not as expected.
    #[error("{name} of the built site is not as expected")]
    Malformed {
        /// The list's file name.
        name: &'static str,
        /// Why, if it is not JSON at all.
        #[source]
        source: Option<serde_json::Error>,
    },
    /// The build names a page that it did not write.
    #[error("the built site lacks the page {route}")]
    PageMissing {
        /// The page's path.
        route: String,
    },
}

/// One file with all that its answer needs.
#[derive(Debug)]
pub(crate) struct WebFile {
    pub(crate) bytes: Bytes,
    pub(crate) kind: &'static str,
    pub(crate) tag: HeaderValue,
    compressed: OnceLock<Option<Bytes>>,
}

impl WebFile {
    fn new(name: &str, bytes: Vec<u8>) -> Self {
        let bytes = Bytes::from(bytes);
        let tag = entity_tag(&bytes);
        Self { bytes, kind: kind_of(name), tag, compressed: OnceLock::new() }
    }

    /// The file as gzip, made when it is first asked for, if that pays.
    pub(crate) fn compressed(&self) -> Option<Bytes> {
        let make = || {
            let text = self.kind.starts_with("text/")
                || self.kind.starts_with("application/")
                || self.kind == "image/svg+xml";
            if !text || self.bytes.len() < COMPRESS_FROM_BYTES {
                return None;
            }
            let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(&self.bytes).ok()?;
            let bytes = encoder.finish().ok()?;
            (bytes.len() < self.bytes.len()).then(|| Bytes::from(bytes))
        };
        self.compressed.get_or_init(make).clone()
    }
}

/// A page whose content is looked up while it is open: for what there is, and for what there is
/// not.
#[derive(Debug)]
pub(crate) struct DynamicPage {
    pub(crate) found: WebFile,
    pub(crate) missing: WebFile,
}

/// The whole site.
#[derive(Debug)]
pub(crate) struct WebFiles {
    pages: HashMap<String, WebFile>,
    files: HashMap<String, WebFile>,
    services: HashSet<String>,
    pub(crate) not_found: WebFile,
    pub(crate) service_not_found: Option<WebFile>,
    /// The page of one review; older builds have none.
    pub(crate) review: Option<DynamicPage>,
    pub(crate) script_hashes: Vec<String>,
}

impl WebFiles {
    /// Reads a build's folder.
    ///
    /// # Errors
    /// It holds no build, or one that contradicts itself.
    pub(crate) fn load(folder: &Path) -> Result<Self, SiteError> {
        let missing = || SiteError::Missing { folder: folder.to_owned() };
        if !folder.join("routes.json").is_file() || !folder.join("404.html").is_file() {
            return Err(missing());
        }
        let mut found = HashMap::new();
        read_folder(folder, "", &mut found)?;
        let routes: RouteList = list(&mut found, "routes.json")?;
        let hashes: ScriptHashes = list(&mut found, "csp.json")?;
        let script_hashes = checked_hashes(hashes.script_hashes)?;
        let not_found = found.remove("/404.html").ok_or_else(missing)?;
        let service_not_found = found.remove("/service-not-found.html");
        let review = routes.dynamic.reviews;
        let review = review.map(|names| dynamic_page(&mut found, names)).transpose()?;
        let (documents, files): (HashMap<_, _>, HashMap<_, _>) =
            found.into_iter().partition(|(name, _)| name.ends_with(".html"));
        let documents = documents.into_iter();
        let pages = documents.map(|(name, file)| (route_of(&name), file)).collect();
        let services = routes.services.into_iter().collect();
        let site =
            Self { pages, files, services, not_found, service_not_found, review, script_hashes };
        let services = site.services.iter().map(|id| format!("/service/{id}"));
        for route in routes.fixed.into_iter().chain(services) {
            if !site.pages.contains_key(&route) {
                return Err(SiteError::PageMissing { route });
            }
        }
        Ok(site)
    }

    /// The page of a path. Both paths of a service have one, each with its own document or not.
    pub(crate) fn page(&self, path: &str) -> Option<&WebFile> {
        match service_id(path) {
            Some(id) if self.services.contains(id) => {
                self.pages.get(path).or_else(|| self.pages.get(&format!("/service/{id}")))
            }
            Some(_) => None,
            None => self.pages.get(path),
        }
    }

    /// A file that is not a page.
    pub(crate) fn file(&self, path: &str) -> Option<&WebFile> {
        self.files.get(path)
    }
}

/// The id in /service/{id} or /services/{id}.
pub(crate) fn service_id(path: &str) -> Option<&str> {
    let id = path.strip_prefix("/service/").or_else(|| path.strip_prefix("/services/"))?;
    (!id.is_empty() && !id.contains('/')).then_some(id)
}

/// The id in /reviews/{id}.
pub(crate) fn review_id(path: &str) -> Option<&str> {
    let id = path.strip_prefix("/reviews/")?;
    (!id.is_empty() && !id.contains('/')).then_some(id)
}

/// Takes the files of a dynamic page out of those that have an address of their own.
fn dynamic_page(
    found: &mut HashMap<String, WebFile>,
    names: DynamicNames,
) -> Result<DynamicPage, SiteError> {
    let mut take = |name: String| {
        let route = format!("/{name}");
        found.remove(&route).ok_or(SiteError::PageMissing { route })
    };
    Ok(DynamicPage { found: take(names.found)?, missing: take(names.missing)? })
}

/// Where a document is served: /about/index.html and /about.html at /about.
fn route_of(name: &str) -> String {
    let stem = name.strip_suffix("/index.html").or_else(|| name.strip_suffix(".html"));
    match stem.unwrap_or(name) {
        "" => "/".to_owned(),
        route => route.to_owned(),
    }
}

/// Reads a folder's files under their paths from the top; hidden ones are left out.
fn read_folder(
    folder: &Path,
    prefix: &str,
    found: &mut HashMap<String, WebFile>,
) -> Result<(), SiteError> {
    let unreadable = |source| SiteError::Unreadable { path: folder.to_owned(), source };
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        if name.starts_with('.') {
            continue;
        }
        let key = format!("{prefix}/{name}");
        if path.is_dir() {
            read_folder(&path, &key, found)?;
        } else {
            let bytes = std::fs::read(&path)
                .map_err(|source| SiteError::Unreadable { path: path.clone(), source })?;
            found.insert(key.clone(), WebFile::new(&key, bytes));
        }
    }
    Ok(())
}

/// Takes one of the build's lists out of its files, because it is not for visitors.
fn list<T: for<'de> Deserialize<'de>>(
    found: &mut HashMap<String, WebFile>,
    name: &'static str,
) -> Result<T, SiteError> {
    let malformed = |source| SiteError::Malformed { name, source };
    let file = found.remove(&format!("/{name}")).ok_or_else(|| malformed(None))?;
    serde_json::from_slice(&file.bytes).map_err(|source| malformed(Some(source)))
}

/// The hashes without quotes. They become part of a header, so nothing else may be in them.
fn checked_hashes(hashes: Vec<String>) -> Result<Vec<String>, SiteError> {
    let check = |hash: String| {
        let hash = hash.trim_matches('\'').to_owned();
        let digest = hash.strip_prefix("sha256-").or_else(|| hash.strip_prefix("sha384-"));
        let good = digest.is_some_and(|digest| {
            let base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte);
            !digest.is_empty() && digest.bytes().all(base64)
        });
        if good { Ok(hash) } else { Err(SiteError::Malformed { name: "csp.json", source: None }) }
    };
    hashes.into_iter().map(check).collect()
}

fn kind_of(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "txt" => "text/plain; charset=utf-8",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "xml" => "application/xml",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "webp" => "image/webp",
        "avif" => "image/avif",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "mp4" => "video/mp4",
        "webm" => "video/webm",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests;
