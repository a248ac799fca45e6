//! Moves the clocks at random, so that holds end, polls become due and days pass.

use std::time::Duration;

use anyhow::Result;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};

use crate::pause::wait_for;
use crate::practice::Practice;

/// Minutes by which the clocks are moved; most often the length of a hold.
const MOVES_MINUTES: [i64; 8] = [16, 16, 31, 31, 61, 6 * 60, 24 * 60, 73 * 60];

/// Moves the clocks until it is dropped.
pub(super) async fn advance_randomly(practice: &Practice, seed: u64) -> Result<()> {
    let mut rng = StdRng::seed_from_u64(!seed);
    loop {
        wait_for(Duration::from_millis(rng.random_range(5_000..12_000))).await;
        let minutes = MOVES_MINUTES.choose(&mut rng).copied().unwrap_or(31);
        // The clock of a database that is down moves with the next one.
        drop(practice.advance_clocks(minutes).await);
    }
}
