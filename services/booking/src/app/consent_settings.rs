//! What consents need of the practice's settings.

use practice::consent::ConsentTerms;

use crate::domain::consent::document::Fingerprints;

/// The terms that clients consent to, and the fingerprints that prove their files.
#[derive(Debug, Clone)]
pub struct ConsentSettings {
    /// Today's terms.
    pub terms: ConsentTerms,
    /// Makes and verifies the fingerprints of consent files.
    pub fingerprints: Fingerprints,
}
