//! Why the built site can't be served.

use std::path::PathBuf;

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
