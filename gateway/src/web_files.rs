//! The built site, in memory: pages by path, other files by name. A request only looks up a key, so
//! no path can leave the folder. The build does not know the site's address; its placeholder is
//! replaced here, so that one build serves every address.

pub(crate) mod review_page;

use std::collections::{HashMap, HashSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::HeaderValue;
use kernel::Id;
use kernel::id::Review;
use percent_encoding::percent_decode_str;
use serde::Deserialize;

use crate::etag::{strong_etag, weak_etag};
use crate::web_files::review_page::ReviewTemplate;

/// Compression doesn't make smaller files smaller.
const COMPRESS_FROM_BYTES: usize = 1024;
/// The build's placeholder for the site's origin.
const BUILD_ORIGIN: &str = "https://site.invalid";
/// The build's placeholder for a review's id.
const BUILD_REVIEW: &str = "rvw_00000000000000000000000000000000";
/// Prefixes of content types that are compressed with gzip. All others are sent as they are, in
/// ranges: most are compressed formats.
const COMPRESSIBLE: &[&str] =
    &["text/", "application/json", "application/manifest+json", "application/xml", "image/svg+xml"];

/// The build's list of pages, in routes.json.
#[derive(Debug, Deserialize)]
struct RouteList {
    #[serde(rename = "static")]
    fixed: Vec<String>,
    services: Vec<String>,
    #[serde(default)]
    dynamic: Dynamic,
}

/// Pages whose content is looked up at run time, by their folder.
#[derive(Debug, Default, Deserialize)]
struct Dynamic {
    reviews: Option<DynamicNames>,
}

/// The files of a dynamic page.
#[derive(Debug, Deserialize)]
struct DynamicNames {
    found: String,
    missing: String,
    /// The document with placeholders for a review; older builds have none.
    words: Option<WordsNames>,
}

/// The files of the template.
#[derive(Debug, Deserialize)]
struct WordsNames {
    document: String,
    marks: String,
}

/// Sources that the content policy has to allow for these pages, in csp.json.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct CspFile {
    script_hashes: Vec<String>,
    #[serde(default)]
    media_origins: Vec<String>,
    #[serde(default)]
    image_origins: Vec<String>,
}

/// The same, validated.
#[derive(Debug, Default)]
pub(crate) struct CspSources {
    /// `sha256-…` of inline scripts in the pages.
    pub(crate) script_hashes: Vec<String>,
    /// Origins of the practice's external videos and captions.
    pub(crate) media_origins: Vec<String>,
    /// Origins of the practice's external pictures.
    pub(crate) image_origins: Vec<String>,
}

/// Why the site can't be served.
#[derive(Debug, thiserror::Error)]
pub enum SiteError {
    /// There is no built site.
    #[error(
        "GATEWAY_WEB_DIR {folder:?} holds no built site; build it with `npm run build` in web/"
    )]
    Missing {
        /// The folder.
        folder: PathBuf,
    },
    /// A file cannot be read.
    #[error("{path:?} of the built site cannot be read")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: std::io::Error,
    },
    /// One of the build's lists is invalid.
    #[error("{name} of the built site is not as expected")]
    Malformed {
        /// The list's file name.
        name: &'static str,
        /// The cause, if it is not JSON.
        #[source]
        source: Option<serde_json::Error>,
    },
    /// The build lists a page that it lacks.
    #[error("the built site lacks the page {route}")]
    PageMissing {
        /// The page's path.
        route: String,
    },
}

/// One file with everything that its response needs.
#[derive(Debug)]
pub(crate) struct WebFile {
    pub(crate) bytes: Bytes,
    pub(crate) content_type: &'static str,
    pub(crate) tag: HeaderValue,
    /// Whether it may be sent as gzip. Other files are always sent as the same bytes, so ranges of
    /// them can be served.
    pub(crate) compressible: bool,
    compressed: OnceLock<Option<Bytes>>,
}

impl WebFile {
    /// A file of the build, at the site's origin.
    pub(crate) fn new(name: &str, bytes: Vec<u8>, origin: &str) -> Self {
        let content_type = content_type_of(name);
        let bytes =
            Bytes::from(if contains_origin(name) { with_origin(bytes, origin) } else { bytes });
        let compressible = COMPRESSIBLE.iter().any(|start| content_type.starts_with(start));
        let tag = if compressible { weak_etag(&bytes) } else { strong_etag(&bytes) };
        Self { bytes, content_type, tag, compressible, compressed: OnceLock::new() }
    }

    /// A document that was rendered for one response.
    pub(crate) fn document(bytes: Bytes) -> Self {
        let (content_type, tag) = (content_type_of("html"), weak_etag(&bytes));
        Self { bytes, content_type, tag, compressible: true, compressed: OnceLock::new() }
    }

    /// The document with the review's id in its own address. The type guarantees that only an id is
    /// inserted.
    pub(crate) fn for_review(&self, id: Id<Review>) -> Self {
        let text = String::from_utf8_lossy(&self.bytes).replace(BUILD_REVIEW, &id.to_string());
        Self::document(Bytes::from(text))
    }

    /// The file as gzip, compressed on first use; `None` if that isn't smaller.
    pub(crate) fn compressed(&self) -> Option<Bytes> {
        let make = || {
            if !self.compressible || self.bytes.len() < COMPRESS_FROM_BYTES {
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

/// A page whose content is looked up at run time, with its variants for existing and missing
/// content.
#[derive(Debug)]
pub(crate) struct DynamicPage {
    /// The page without content, for when the lookup fails.
    pub(crate) found: WebFile,
    pub(crate) missing: WebFile,
    pub(crate) template: Option<ReviewTemplate>,
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
    pub(crate) allowed: CspSources,
}

impl WebFiles {
    /// Reads a build's folder for a site at this origin.
    ///
    /// # Errors
    /// It holds no build, or one that contradicts itself.
    pub(crate) fn load(folder: &Path, origin: &str) -> Result<Self, SiteError> {
        let missing = || SiteError::Missing { folder: folder.to_owned() };
        if !folder.join("routes.json").is_file() || !folder.join("404.html").is_file() {
            return Err(missing());
        }
        let mut found = HashMap::new();
        let mut read = |name: String, bytes| {
            let file = WebFile::new(&name, bytes, origin);
            found.insert(name, file);
        };
        read_folder(folder, "", &mut read)?;
        let routes: RouteList = take_list(&mut found, "routes.json")?;
        let allowed = validate(take_list(&mut found, "csp.json")?)?;
        let not_found = found.remove("/404.html").ok_or_else(missing)?;
        let service_not_found = found.remove("/service-not-found.html");
        let review = routes.dynamic.reviews;
        let review = review.map(|names| dynamic_page(&mut found, names)).transpose()?;
        let (documents, files): (HashMap<_, _>, HashMap<_, _>) =
            found.into_iter().partition(|(name, _)| name.ends_with(".html"));
        let documents = documents.into_iter();
        let pages = documents.map(|(name, file)| (route_of(&name), file)).collect();
        let services = routes.services.into_iter().collect();
        let site = Self { pages, files, services, not_found, service_not_found, review, allowed };
        let services = site.services.iter().map(|id| format!("/service/{id}"));
        for route in routes.fixed.into_iter().chain(services) {
            if !site.pages.contains_key(&route) {
                return Err(SiteError::PageMissing { route });
            }
        }
        Ok(site)
    }

    /// The page of a path. `/service/{id}` and `/services/{id}` may share one document.
    pub(crate) fn page(&self, path: &str) -> Option<&WebFile> {
        match service_id(path) {
            Some(id) if self.services.contains(id) => {
                self.pages.get(path).or_else(|| self.pages.get(&format!("/service/{id}")))
            }
            Some(_) => None,
            None => self.pages.get(path),
        }
    }

    /// A service's id from the site's own list, if there is such a service.
    pub(crate) fn service(&self, id: &str) -> Option<&str> {
        self.services.get(id).map(String::as_str)
    }

    /// A file that is not a page. Names may have spaces and non-English letters, which browsers
    /// escape in a path.
    pub(crate) fn file(&self, path: &str) -> Option<&WebFile> {
        let name = percent_decode_str(path).decode_utf8().ok()?;
        self.files.get(&*name)
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

/// Removes the files of a dynamic page from the files with an address of their own.
fn dynamic_page(
    found: &mut HashMap<String, WebFile>,
    names: DynamicNames,
) -> Result<DynamicPage, SiteError> {
    let mut take = |name: String| {
        let route = format!("/{name}");
        found.remove(&route).ok_or(SiteError::PageMissing { route })
    };
    let (there, missing) = (take(names.found)?, take(names.missing)?);
    let template = match names.words {
        Some(names) => Some(ReviewTemplate::new(&take(names.document)?, &take(names.marks)?)?),
        None => None,
    };
    Ok(DynamicPage { found: there, missing, template })
}

/// The path of a document: /about/index.html and /about.html are served at /about.
fn route_of(name: &str) -> String {
    let stem = name.strip_suffix("/index.html").or_else(|| name.strip_suffix(".html"));
    match stem.unwrap_or(name) {
        "" => "/".to_owned(),
        route => route.to_owned(),
    }
}

/// Whether files of this type may contain the site's origin.
fn contains_origin(name: &str) -> bool {
    [".html", ".xml", ".txt"].iter().any(|end| name.ends_with(end))
}

/// Replaces the build's placeholder with the site's origin.
fn with_origin(bytes: Vec<u8>, origin: &str) -> Vec<u8> {
    match String::from_utf8(bytes) {
        Ok(text) => text.replace(BUILD_ORIGIN, origin).into_bytes(),
        Err(other) => other.into_bytes(),
    }
}

/// Reads a folder's files by their path from the root; hidden files are skipped.
fn read_folder(
    folder: &Path,
    prefix: &str,
    take: &mut impl FnMut(String, Vec<u8>),
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
            read_folder(&path, &key, take)?;
        } else {
            let bytes = std::fs::read(&path)
                .map_err(|source| SiteError::Unreadable { path: path.clone(), source })?;
            take(key, bytes);
        }
    }
    Ok(())
}

/// Removes one of the build's lists from the files, because it is not public, and parses it.
fn take_list<T: for<'de> Deserialize<'de>>(
    found: &mut HashMap<String, WebFile>,
    name: &'static str,
) -> Result<T, SiteError> {
    let malformed = |source| SiteError::Malformed { name, source };
    let file = found.remove(&format!("/{name}")).ok_or_else(|| malformed(None))?;
    serde_json::from_slice(&file.bytes).map_err(|source| malformed(Some(source)))
}

/// Validates hashes (quotes are removed) and origins: they become part of a header, so nothing else
/// may be in them.
fn validate(list: CspFile) -> Result<CspSources, SiteError> {
    let malformed = || SiteError::Malformed { name: "csp.json", source: None };
    let mut origins = list.media_origins.iter().chain(&list.image_origins);
    if !origins.all(|origin| is_secure_origin(origin)) {
        return Err(malformed());
    }
    let hashes = list.script_hashes.iter().map(|hash| hash.trim_matches('\'').to_owned());
    let script_hashes: Vec<_> = hashes.collect();
    if !script_hashes.iter().all(|hash| is_script_hash(hash)) {
        return Err(malformed());
    }
    let CspFile { media_origins, image_origins, .. } = list;
    Ok(CspSources { script_hashes, media_origins, image_origins })
}

fn is_script_hash(hash: &str) -> bool {
    let digest = hash.strip_prefix("sha256-").or_else(|| hash.strip_prefix("sha384-"));
    digest.is_some_and(|digest| {
        let base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte);
        !digest.is_empty() && digest.bytes().all(base64)
    })
}

/// One host over https, without a wildcard; it is taken from a URL in the practice's files.
fn is_secure_origin(origin: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte);
    let host = origin.strip_prefix("https://");
    host.is_some_and(|host| !host.is_empty() && host.bytes().all(plain))
}

fn content_type_of(name: &str) -> &'static str {
    // Cameras and older systems write extensions in capitals.
    let ending = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    match ending.as_str() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "txt" => "text/plain; charset=utf-8",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "xml" => "application/xml; charset=utf-8",
        "vtt" => "text/vtt; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "webp" => "image/webp",
        "avif" => "image/avif",
        "gif" => "image/gif",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "mp4" | "m4v" => "video/mp4",
        "webm" => "video/webm",
        "mov" => "video/quicktime",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests;
