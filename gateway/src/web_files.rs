//! The built site, in memory: pages by path, other files by name. A request only looks up a key, so
//! no path can leave the folder.

pub(crate) mod review_page;
pub(crate) mod file;
pub(crate) mod csp;
pub(crate) mod error;

use std::collections::{HashMap, HashSet};
use std::path::Path;

use kernel::Id;
use kernel::id::Booking;
use percent_encoding::percent_decode_str;
use serde::Deserialize;

use crate::web_files::csp::{CspSources, validate};
use crate::web_files::error::SiteError;
use crate::web_files::file::WebFile;
use crate::web_files::review_page::ReviewTemplate;

/// The build's list of pages, in routes.json.
#[derive(Debug, Deserialize)]
struct RouteList {
    #[serde(rename = "static")]
    fixed: Vec<String>,
    services: Vec<String>,
    /// Services that the practice offered in earlier revisions.
    #[serde(default)]
    gone: Vec<String>,
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

/// A page whose content is looked up at run time, with its variants for existing and missing
/// content.
#[derive(Debug)]
pub(crate) struct DynamicPage {
    /// The page without content, for when the lookup fails.
    pub(crate) found: WebFile,
    pub(crate) missing: WebFile,
    pub(crate) template: Option<ReviewTemplate>,
}

/// The build's list of pages, which every site has.
pub(crate) const ROUTES: &str = "routes.json";

/// The whole site.
#[derive(Debug)]
pub(crate) struct WebFiles {
    pages: HashMap<String, WebFile>,
    files: HashMap<String, WebFile>,
    services: HashSet<String>,
    gone: HashSet<String>,
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
        if !folder.join(ROUTES).is_file() || !folder.join("404.html").is_file() {
            return Err(missing());
        }
        let mut found = HashMap::new();
        let mut read = |name: String, bytes| {
            let file = WebFile::new(&name, bytes, origin);
            found.insert(name, file);
        };
        read_folder(folder, "", &mut read)?;
        let routes: RouteList = take_list(&mut found, ROUTES)?;
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
        let gone = routes.gone.into_iter().collect();
        let site =
            Self { pages, files, services, gone, not_found, service_not_found, review, allowed };
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
        if is_desk_screen(path) {
            return self.pages.get(DESK);
        }
        if let Some(page) = page_of_booking(path) {
            return self.pages.get(page);
        }
        match service_id(path) {
            Some(id) if self.services.contains(id) => {
                self.pages.get(path).or_else(|| self.pages.get(&format!("/service/{id}")))
            }
            Some(_) => None,
            None => self.pages.get(path),
        }
    }

    /// Whether the practice offered this service once.
    pub(crate) fn is_gone(&self, service_id: &str) -> bool {
        self.gone.contains(service_id) && !self.services.contains(service_id)
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

/// Beginnings of paths that end with a booking's id, and the path that the build renders their
/// document from.
const PAGES_OF_BOOKINGS: [(&str, &str); 2] =
    [("/join/", "/join/-"), ("/account/sessions/", "/account/sessions/-")];

/// The page of a path that ends with a booking's id: /join/{booking} for the practice, and
/// /account/sessions/{booking} for its client.
fn page_of_booking(path: &str) -> Option<&'static str> {
    let is_booking = |id: &str| id.parse::<Id<Booking>>().is_ok();
    let is_its = |prefix: &str| path.strip_prefix(prefix).is_some_and(is_booking);
    PAGES_OF_BOOKINGS.iter().find(|(prefix, _)| is_its(prefix)).map(|(_, page)| *page)
}

/// The document of the practice's desk.
pub(crate) const DESK: &str = "/desk";
/// Its screens without an id or a date.
const DESK_SCREENS: [&str; 6] = ["calendar", "find", "new", "tasks", "more", "waiting"];

/// Whether a path below /desk is one of its screens, which share its document.
pub(crate) fn is_desk_screen(path: &str) -> bool {
    let screen = path.strip_prefix(DESK).and_then(|rest| rest.strip_prefix('/'));
    match screen.map(|screen| screen.split_once('/').unwrap_or((screen, ""))) {
        Some((name, "")) => DESK_SCREENS.contains(&name),
        Some(("day", date)) => is_date(date),
        Some(("bookings", id)) => id.parse::<Id<Booking>>().is_ok(),
        Some(_) | None => false,
    }
}

/// Whether a text has the form of a date, such as 2026-11-24.
fn is_date(text: &str) -> bool {
    let fits = |(at, sign): (usize, u8)| match at {
        4 | 7 => sign == b'-',
        _ => sign.is_ascii_digit(),
    };
    text.len() == "2026-11-24".len() && text.bytes().enumerate().all(fits)
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

#[cfg(test)]
mod tests;
