//! Who stands behind the practice: `about.toml`.

use contract::catalogue::v1::{About, Qualification};

use super::media::media_url;
use super::section::Section;

/// It shares the home page with other content.
const INTRODUCTION_CHARS_MAX: usize = 500;
/// Visitors do not read longer stories to the end.
const STORY_PARAGRAPHS_MAX: usize = 12;
const STORY_PARAGRAPH_CHARS_MAX: usize = 1000;
/// It is set in large letters.
const PHILOSOPHY_CHARS_MAX: usize = 300;

pub(super) fn about(file: &mut Section<'_>) -> About {
    About {
        introduction: file.paragraph("introduction", INTRODUCTION_CHARS_MAX),
        story: file.paragraphs("story", STORY_PARAGRAPHS_MAX, STORY_PARAGRAPH_CHARS_MAX),
        philosophy: file.text("philosophy", PHILOSOPHY_CHARS_MAX),
        qualifications: file.blocks("qualifications", "", |block| Qualification {
            title: block.text("title", 80),
            description: block.text("description", 300),
        }),
        portrait_url: media_url(file, "portrait_url"),
    }
}
