//! The policy of cancelled sessions that the practice's file states, as new bookings carry it.

use kernel::cancellation_policy::NOTICE_HOURS_MAX;
use kernel::{CancellationPolicy, CancellationTier, Grace, MoveLimits, PracticeLate, hex};
use sha2::{Digest as _, Sha256};

use crate::values::Policies;

/// The digits of a policy's version: of the SHA-256 hash of its tiers and its grace.
const VERSION_DIGITS: usize = 12;

impl Policies {
    /// What goes back of a session that is booked now, or of one of a package with a notice of its
    /// own: all of the price until so many hours before the start, then what the further steps say,
    /// and in the end nothing.
    #[must_use]
    pub fn cancellation_policy(&self, notice_hours: Option<i32>) -> CancellationPolicy {
        let hours =
            notice_hours.unwrap_or(self.cancellation_hours).clamp(0, NOTICE_HOURS_MAX.into());
        let until_hours = u16::try_from(hours).unwrap_or(NOTICE_HOURS_MAX);
        let practice_late = PracticeLate::Nothing;
        let full = CancellationTier { until_hours, refund_percent: 100, practice_late };
        let later = self.cancellation_steps.iter().filter(|step| step.until_hours < until_hours);
        let later = later.map(|step| CancellationTier {
            until_hours: step.until_hours,
            refund_percent: step.refund_percent,
            practice_late: step.practice_late,
        });
        let tiers: Vec<CancellationTier> = [full].into_iter().chain(later).collect();
        // The file's rules keep the steps in order.
        CancellationPolicy::new(String::new(), tiers)
            .unwrap_or_else(|| CancellationPolicy::all_or_nothing(String::new(), until_hours))
            .down_to_nothing(self.practice_late)
            .forgiving(self.grace.map(Into::into))
            .named(version_of)
            .moving(MoveLimits {
                until_hours: self.move_until_hours.unwrap_or(until_hours),
                times: self.moves_max,
            })
    }
}

fn version_of(policy: &CancellationPolicy) -> String {
    let words = policy.tiers().iter().map(|tier| {
        let given = match tier.practice_late {
            PracticeLate::Nothing => "nothing".to_owned(),
            PracticeLate::Share(percent) => format!("{percent}%"),
            PracticeLate::FreeSession => "free session".to_owned(),
        };
        format!("{} h {}% {given}\n", tier.until_hours, tier.refund_percent)
    });
    let grace = policy.grace().map(|Grace { times, months, refund_percent }| {
        format!("grace {times} in {months} months {refund_percent}%\n")
    });
    let mut version = hex::encode(Sha256::digest(words.chain(grace).collect::<String>()));
    version.truncate(VERSION_DIGITS);
    version
}
