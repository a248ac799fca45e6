//! Long proofs: `make prove` plays them whole and notes of which sources; a run whose sources are
//! the same plays a tenth of them (`tests/runner/proofs.mjs`, which sets the variable below).

/// Names of the proofs that this run plays whole, with blanks between them.
const WHOLE: &str = "SUKOON_WHOLE_PROOFS";

/// Whether this run plays the proof with this name whole, and not a tenth of it.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "tests have no settings")]
pub fn is_whole(proof: &str) -> bool {
    let named = std::env::var(WHOLE).unwrap_or_default();
    named.split_whitespace().any(|name| name == proof)
}

/// The seed of a test that draws its cases: fixed in a gate, drawn by `make prove`, as that of
/// property tests.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "tests have no settings")]
pub fn drawn_seed() -> Option<u64> {
    std::env::var("PROPTEST_RNG_SEED").ok()?.parse().ok()
}

/// All `cases` of a proof that is played whole, else each tenth of them from the first on.
pub fn cases<T>(proof: &str, cases: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
    cases.into_iter().step_by(if is_whole(proof) { 1 } else { 10 })
}
