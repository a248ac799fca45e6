//! The corpus of hostile files, deterministic in each run.

use anyhow::Result;
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};

use super::{oversized, polyglots, truncated};
use crate::samples::{FORMATS, Format, encoded};

/// The payload, which must not be served.
pub(super) const PAYLOAD: &[u8] = b"HARMFUL-PAYLOAD";
/// The number of files.
const COUNT: usize = 200;
/// The generator's seed.
const SEED: u64 = 4;

/// A hostile file.
pub(super) struct Hostile {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
    /// Whether it may be accepted as a picture and re-encoded.
    pub(super) may_be_taken: bool,
}

/// A file that must be rejected.
pub(super) fn invalid(name: impl Into<String>, bytes: Vec<u8>) -> Hostile {
    Hostile { name: name.into(), bytes, may_be_taken: false }
}

/// A file that a lenient decoder may accept.
pub(super) fn either(name: impl Into<String>, bytes: Vec<u8>) -> Hostile {
    Hostile { name: name.into(), bytes, may_be_taken: true }
}

/// A valid picture of noise, so that every byte matters.
pub(super) fn good(format: Format, generator: &mut StdRng) -> Result<Vec<u8>> {
    let mut picture = image::RgbImage::new(64, 48);
    generator.fill(&mut picture);
    encoded(format, &picture, Some(1))
}

/// The whole corpus, filled up with valid pictures with flipped bits.
pub(super) fn corpus() -> Result<Vec<Hostile>> {
    let mut generator = StdRng::seed_from_u64(SEED);
    let mut files = oversized::files()?;
    files.extend(polyglots::files(&mut generator)?);
    files.extend(truncated::files(&mut generator)?);
    while files.len() < COUNT {
        let format = FORMATS[files.len() % FORMATS.len()];
        let mut bytes = good(format, &mut generator)?;
        for _flip in 0..generator.random_range(1..12) {
            let at = generator.random_range(0..bytes.len());
            bytes[at] ^= 1 << generator.random_range(0..8);
        }
        files.push(either(format!("{format:?} with flipped bits {}", files.len()), bytes));
    }
    Ok(files)
}
