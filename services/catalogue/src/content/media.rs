//! URLs of clips and pictures in the practice's files.

use super::section::Section;

/// A file in the practice's media folder, which the site serves, or an external https URL.
pub(super) fn media_url(block: &mut Section<'_>, key: &'static str) -> String {
    let url = block.optional_text(key, 500);
    let is_known = ["https://", "/media/"].iter().any(|start| url.starts_with(start));
    if !url.is_empty() && !is_known {
        block.problem(key, "must begin with https:// or /media/");
    }
    url
}
