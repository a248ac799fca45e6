//! All of the practice's files together, as they are served.

use std::path::Path;

use practice::Practice;
use practice::consent::{self, ConsentTerms};
use practice::guide::{self, Guide};
use runtime::{BoxError, status};

use super::Content;

/// The content of all of the practice's files.
pub(crate) struct Files {
    pub(crate) practice: Practice,
    pub(crate) content: Content,
    pub(crate) guide: Guide,
    pub(crate) consent: ConsentTerms,
}

impl Files {
    /// Loads all files, so that mistakes in one do not hide mistakes in others.
    pub(crate) fn read(folder: &Path) -> Result<Self, BoxError> {
        let practice = practice::load(folder);
        // The consent names settings of the practice: without these it is read and not filled in.
        let consent = consent::read(folder)
            .and_then(|file| practice.as_ref().ok().map(|it| file.with(it)).transpose());
        let content = Content::load(folder, practice.as_ref().ok());
        match (practice, content, guide::load(folder), consent) {
            (Ok(practice), Ok(content), Ok(guide), Ok(Some(consent))) => {
                Ok(Self { practice, content, guide, consent })
            }
            (practice, content, guide, consent) => {
                let errors = [
                    practice.err().map(|error| status::chain(&error)),
                    content.err().map(|error| error.to_string()),
                    guide.err().map(|error| status::chain(&error)),
                    consent.err().map(|error| status::chain(&error)),
                ];
                Err(errors.into_iter().flatten().collect::<Vec<_>>().join("\n").into())
            }
        }
    }
}
