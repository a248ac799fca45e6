//! Random numbers from one seed. The generator is our own, so that a seed means the same run after
//! any update of a library.

/// SplitMix64: small, quick, and good enough to choose faults.
#[derive(Debug, Clone)]
pub(crate) struct Rng {
    state: u64,
}

impl Rng {
    /// A generator with this seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Any number.
    pub(crate) fn any(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`; 0 when there is none.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.any().checked_rem(end).unwrap_or(0)
    }

    /// A number from `least` to `most`, both included.
    pub(crate) fn between(&mut self, least: i64, most: i64) -> i64 {
        let width = most.saturating_sub(least).saturating_add(1);
        let offset = self.below(u64::try_from(width).unwrap_or(1));
        least.saturating_add(i64::try_from(offset).unwrap_or(0))
    }

    /// True with a probability of `per_mille` in a thousand.
    pub(crate) fn chance(&mut self, per_mille: u64) -> bool {
        self.below(1000) < per_mille
    }

    /// One of several, each as often as its weight says; `otherwise` when there are none.
    pub(crate) fn weighted<T: Copy>(&mut self, of: &[(u64, T)], otherwise: T) -> T {
        let total = of.iter().map(|(weight, _)| weight).sum();
        let mut at = self.below(total);
        for (weight, value) in of {
            if at < *weight {
                return *value;
            }
            at -= weight;
        }
        otherwise
    }

    /// So many seconds, short ones as often as long ones: an order of magnitude is chosen first.
    pub(crate) fn seconds_of_any_size(&mut self, most: i64) -> i64 {
        let sizes = [3, 20, 120, 900, 7_200, 43_200, 259_200];
        let chosen = sizes.get(usize::try_from(self.below(7)).unwrap_or(0)).copied().unwrap_or(3);
        self.between(1, chosen.min(most))
    }
}
