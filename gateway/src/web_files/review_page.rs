//! The document of one review with its content, so that it can be read before scripts have loaded,
//! and previews of shared links can quote it. The build leaves placeholders that are filled in
//! here; what visitors wrote is escaped for the context of each placeholder, and stands nowhere
//! else.

use std::collections::HashMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use contract::reviews::v1::Review;
use minijinja::HtmlEscape;

use crate::web_files::error::SiteError;
use crate::web_files::file::WebFile;

/// How long a review counts as recent; `relative-date.ts` has the same value.
const RECENT: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// How much of a review a preview quotes, in characters.
const EXCERPT_CHARS_MAX: usize = 160;

/// A placeholder in the build's document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Placeholder {
    Id,
    Name,
    Service,
    Text,
    Excerpt,
    Marks,
    Answer,
}

/// The placeholders that the build writes (web/src/prerender/review-words.ts).
const PLACEHOLDERS: [(&str, Placeholder); 7] = [
    ("rvw_00000000000000000000000000000000", Placeholder::Id),
    ("SUKOON-REVIEW-NAME", Placeholder::Name),
    ("SUKOON-REVIEW-SERVICE", Placeholder::Service),
    ("SUKOON-REVIEW-TEXT", Placeholder::Text),
    ("SUKOON-REVIEW-START", Placeholder::Excerpt),
    ("<!--SUKOON-REVIEW-MARKS-->", Placeholder::Marks),
    ("\"SUKOON-REVIEW-ANSWER\"", Placeholder::Answer),
];

/// The current time, for the badge of recent reviews.
#[expect(
    clippy::disallowed_methods,
    reason = "a badge for readers, whose browsers ask their own clocks a moment later; nothing is \
              decided by it"
)]
pub(crate) fn wall_clock() -> SystemTime {
    SystemTime::now()
}

/// The document, split at its placeholders: each piece is followed by its placeholder, except the
/// last.
#[derive(Debug)]
pub(crate) struct ReviewTemplate {
    pieces: Vec<(String, Option<Placeholder>)>,
    /// Stars and badges as HTML, by their name: `4`, `5-verified`, `5-verified-recent`.
    marks: HashMap<String, String>,
}

impl ReviewTemplate {
    /// Splits the build's document, and reads the HTML of the marks from the build's list.
    ///
    /// # Errors
    /// The list is invalid, or the document lacks a placeholder.
    pub(crate) fn new(document: &WebFile, marks: &WebFile) -> Result<Self, SiteError> {
        let malformed = |source| SiteError::Malformed { name: "the document of a review", source };
        let marks = serde_json::from_slice(&marks.bytes);
        let marks = marks.map_err(|source| malformed(Some(source)))?;
        let document = String::from_utf8_lossy(&document.bytes);
        let pieces = split_at_placeholders(&document);
        let is_there = |gap: Placeholder| pieces.iter().any(|(_piece, after)| *after == Some(gap));
        if !PLACEHOLDERS.iter().all(|(_name, gap)| is_there(*gap)) {
            return Err(malformed(None));
        }
        Ok(Self { pieces, marks })
    }

    /// The document of this review; `None` if the build has no HTML for its marks.
    /// `json` is the service's response about it.
    pub(crate) fn render(&self, review: &Review, json: &str, now: SystemTime) -> Option<WebFile> {
        let marks = self.marks.get(&marks_key(review, now))?;
        let json = escape_for_script(json);
        let mut html = String::new();
        for (piece, gap) in &self.pieces {
            html.push_str(piece);
            match gap {
                Some(Placeholder::Id) => html.push_str(&escape_html(&review.review_id)),
                Some(Placeholder::Name) => html.push_str(&escape_html(&review.name)),
                Some(Placeholder::Service) => html.push_str(&escape_html(&review.service)),
                Some(Placeholder::Text) => html.push_str(&escape_html(&review.text)),
                Some(Placeholder::Excerpt) => html.push_str(&escape_html(&excerpt(&review.text))),
                Some(Placeholder::Marks) => html.push_str(marks),
                Some(Placeholder::Answer) => html.push_str(&json),
                None => {}
            }
        }
        Some(WebFile::document(Bytes::from(html)))
    }
}

fn split_at_placeholders(document: &str) -> Vec<(String, Option<Placeholder>)> {
    let mut pieces = Vec::new();
    let mut rest = document;
    loop {
        let found =
            PLACEHOLDERS.iter().filter_map(|(name, gap)| Some((rest.find(name)?, *name, *gap)));
        let Some((at, name, gap)) = found.min_by_key(|(at, ..)| *at) else { break };
        let (piece, after) = rest.split_at(at);
        pieces.push((piece.to_owned(), Some(gap)));
        rest = after.strip_prefix(name).unwrap_or(after);
    }
    pieces.push((rest.to_owned(), None));
    pieces
}

fn marks_key(review: &Review, now: SystemTime) -> String {
    let written = review.created_at.as_ref();
    let written = written.and_then(|at| u64::try_from(at.seconds).ok()).unwrap_or_default();
    let now = now.duration_since(UNIX_EPOCH).unwrap_or_default();
    let recent = now.saturating_sub(Duration::from_secs(written)) < RECENT;
    let badges = [(review.verified, "-verified"), (recent, "-recent")];
    let badges = badges.into_iter().filter_map(|(has, name)| has.then_some(name));
    std::iter::once(review.rating.to_string().as_str()).chain(badges).collect()
}

/// The start of the text on one line, for previews.
fn excerpt(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(EXCERPT_CHARS_MAX) {
        Some((end, _letter)) => format!("{}…", line.get(..end).unwrap_or_default().trim_end()),
        None => line,
    }
}

/// Escapes a text for an element or an attribute.
fn escape_html(text: &str) -> String {
    HtmlEscape(text).to_string()
}

/// Escapes JSON so that its texts can't end the script element.
fn escape_for_script(json: &str) -> String {
    json.replace('<', "\\u003c")
}

#[cfg(test)]
mod tests;
