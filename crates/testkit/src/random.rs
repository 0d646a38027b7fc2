//! A small seeded generator, so that a failing run can be repeated.

use std::time::Duration;

/// The same seed gives the same sequence.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// Begins the sequence of `seed`.
    pub fn seeded(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 bits (splitmix64).
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`, which must not be zero.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.bits() % limit
    }

    /// A time between the bounds, short ones far more often than long ones.
    pub fn mostly_short(&mut self, least: Duration, most: Duration) -> Duration {
        let unit = f64::from(u32::try_from(self.below(1 << 20)).unwrap_or_default()) / f64::from(1 << 20);
        least + most.saturating_sub(least).mul_f64(unit.powi(3))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_repeats_its_sequence_and_another_differs() {
        let draw = |seed| {
            let mut random = Random::seeded(seed);
            [random.bits(), random.bits(), random.bits()]
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
    }

    #[test]
    fn times_stay_within_their_bounds_and_are_mostly_short() {
        let (least, most) = (Duration::from_millis(5), Duration::from_millis(500));
        let mut random = Random::seeded(1);
        let times: Vec<_> = (0..1000).map(|_| random.mostly_short(least, most)).collect();
        assert!(times.iter().all(|time| (least..=most).contains(time)));
        let short = times.iter().filter(|time| **time < Duration::from_millis(70)).count();
        assert!((400..700).contains(&short), "{short} of 1000 below 70 ms");
    }
}
