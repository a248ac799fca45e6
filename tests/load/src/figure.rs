//! One line of the table: what was measured, beside what, and whether that is enough.

/// What a number counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Calls or events in a second.
    PerSecond,
    /// Milliseconds.
    Millis,
    /// Seconds.
    Seconds,
    /// Mebibytes.
    Mebibytes,
    /// Things that are counted.
    Count,
}

/// How ours is put beside the limit that was measured in the same run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Against {
    /// There is none: our own number counts.
    Nothing,
    /// Ours divided by it.
    Ratio,
    /// What ours takes longer, in milliseconds.
    Difference,
}

/// How much is wanted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Bound {
    /// This or more.
    AtLeast(f64),
    /// This or less.
    AtMost(f64),
}

impl Bound {
    fn holds(self, number: f64) -> bool {
        match self {
            Self::AtLeast(limit) => number >= limit,
            Self::AtMost(limit) => number <= limit,
        }
    }
}

/// The verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It is not what was to be reached.
    Missed,
    /// It is.
    Met,
    /// It is even what was hoped for.
    Stretch,
}

impl Verdict {
    /// The word in the table.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Missed => "MISSED",
            Self::Met => "met",
            Self::Stretch => "stretch",
        }
    }
}

/// One measured figure.
#[derive(Debug, Clone)]
pub(crate) struct Figure {
    /// What it says, in a few words.
    pub(crate) title: String,
    /// What `ours` and `reference` count.
    pub(crate) unit: Unit,
    /// What we do.
    pub(crate) ours: f64,
    /// What the limit does, measured in the same run, and its name.
    pub(crate) reference: Option<(&'static str, f64)>,
    /// How the two are compared.
    pub(crate) against: Against,
    /// What is to be reached.
    pub(crate) reach: Bound,
    /// What is hoped for, where that is more.
    pub(crate) stretch: Option<Bound>,
    /// What else is worth knowing.
    pub(crate) note: String,
}

impl Figure {
    /// A figure that stands by itself.
    pub(crate) fn absolute(
        title: impl Into<String>,
        unit: Unit,
        ours: f64,
        most: (f64, f64),
    ) -> Self {
        Self {
            title: title.into(),
            unit,
            ours,
            reference: None,
            against: Against::Nothing,
            reach: Bound::AtMost(most.0),
            stretch: Some(Bound::AtMost(most.1)),
            note: String::new(),
        }
    }

    /// So many in a second, as a part of what something else does.
    pub(crate) fn rate(
        title: impl Into<String>,
        ours: f64,
        reference: (&'static str, f64),
        least: (f64, f64),
    ) -> Self {
        Self {
            title: title.into(),
            unit: Unit::PerSecond,
            ours,
            reference: Some(reference),
            against: Against::Ratio,
            reach: Bound::AtLeast(least.0),
            stretch: Some(Bound::AtLeast(least.1)),
            note: String::new(),
        }
    }

    /// A time, as a multiple of another.
    pub(crate) fn times(
        title: impl Into<String>,
        ours: f64,
        reference: (&'static str, f64),
        most: (f64, f64),
    ) -> Self {
        Self {
            unit: Unit::Millis,
            reach: Bound::AtMost(most.0),
            stretch: Some(Bound::AtMost(most.1)),
            ..Self::rate(title, ours, reference, most)
        }
    }

    /// The same with something to know about it.
    pub(crate) fn noting(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }

    /// The number that is held against the bounds.
    pub(crate) fn compared(&self) -> f64 {
        let reference = self.reference.map_or(0.0, |(_name, number)| number);
        match self.against {
            Against::Nothing => self.ours,
            // A comparison with an unmeasured reference is no success.
            Against::Ratio | Against::Difference if reference <= 0.0 => f64::NAN,
            Against::Ratio => self.ours / reference,
            Against::Difference => self.ours - reference,
        }
    }

    /// The verdict.
    pub(crate) fn verdict(&self) -> Verdict {
        let number = self.compared();
        if !self.reach.holds(number) {
            return Verdict::Missed;
        }
        match self.stretch {
            Some(stretch) if stretch.holds(number) => Verdict::Stretch,
            Some(_) | None => Verdict::Met,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_is_better_for_rates_and_worse_for_times() {
        let rate = |ours| Figure::rate("bookings", ours, ("SQL", 1000.0), (0.3, 0.5)).verdict();
        assert_eq!(rate(299.0), Verdict::Missed);
        assert_eq!(rate(300.0), Verdict::Met);
        assert_eq!(rate(500.0), Verdict::Stretch);
        let time = |ours| Figure::times("p99", ours, ("SQL", 10.0), (3.0, 2.0)).verdict();
        assert_eq!(time(31.0), Verdict::Missed);
        assert_eq!(time(30.0), Verdict::Met);
        assert_eq!(time(20.0), Verdict::Stretch);
    }

    #[test]
    fn a_difference_is_what_is_added() {
        let figure = Figure {
            against: Against::Difference,
            ..Figure::times("p50", 7.5, ("SQL", 5.0), (3.0, 2.0))
        };
        assert!((figure.compared() - 2.5).abs() < 1e-9);
        assert_eq!(figure.verdict(), Verdict::Met);
    }

    #[test]
    fn what_stands_alone_is_held_against_its_own_bounds() {
        let absolute = |ours| Figure::absolute("start", Unit::Seconds, ours, (2.0, 1.0)).verdict();
        assert_eq!(absolute(2.1), Verdict::Missed);
        assert_eq!(absolute(1.5), Verdict::Met);
        assert_eq!(absolute(0.9), Verdict::Stretch);
    }

    #[test]
    fn without_a_stretch_there_is_nothing_more_to_reach() {
        let figure =
            Figure { stretch: None, ..Figure::absolute("wait", Unit::Seconds, 0.1, (2.0, 2.0)) };
        assert_eq!(figure.verdict(), Verdict::Met);
    }

    #[test]
    fn a_limit_that_was_not_measured_is_no_success() {
        let figure = Figure::rate("bookings", 10.0, ("SQL", 0.0), (0.3, 0.5));
        assert_eq!(figure.verdict(), Verdict::Missed);
        let times = Figure::times("p99", 10.0, ("SQL", 0.0), (3.0, 2.0));
        assert_eq!(times.verdict(), Verdict::Missed);
        let difference = Figure { against: Against::Difference, ours: 0.0, ..times };
        assert_eq!(difference.verdict(), Verdict::Missed);
    }
}
