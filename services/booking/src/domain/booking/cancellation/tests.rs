//! Any policy at any moment gives what its schedule says, and never more for less notice.

use kernel::{CancellationPolicy, CancellationTier, Money, PracticeLate, Timestamp};
use proptest::prelude::*;

use super::{Cancellation, CancelledBy, RefundChoice, schedule};
use crate::domain::booking::tests::facts_at;

fn at(minutes: i64) -> Timestamp {
    Timestamp::from_seconds(1_795_400_000).unwrap().plus_minutes(minutes)
}

fn policy(tiers: &[(u16, u8)]) -> CancellationPolicy {
    let practice_late = PracticeLate::Nothing;
    let tier = |(until_hours, refund_percent): &(u16, u8)| CancellationTier {
        until_hours: *until_hours,
        refund_percent: *refund_percent,
        practice_late,
    };
    CancellationPolicy::new(String::new(), tiers.iter().map(tier).collect()).unwrap()
}

/// What a client gets back who cancels a session of this price so many minutes before its start.
fn refund(policy: &CancellationPolicy, minor: i64, minutes_before: i64) -> i64 {
    let cancellation = Cancellation {
        by: CancelledBy::Customer,
        refund: RefundChoice::ByPolicy,
        session: None,
        unwritten: policy.clone(),
        grace_left: 0,
    };
    let session = (Money::inr(minor), Some(at(0)));
    cancellation.refund_of(session, &facts_at(0), at(-minutes_before)).minor
}

#[test]
fn each_tier_holds_until_its_last_moment() {
    let steps = policy(&[(24, 100), (12, 50), (0, 0)]);
    for (minutes_before, back) in [
        (24 * 60, 150_001),
        (24 * 60 - 1, 75_001),
        (12 * 60, 75_001),
        (12 * 60 - 1, 0),
        (0, 0),
        (-30, 0),
    ] {
        assert_eq!(refund(&steps, 150_001, minutes_before), back, "{minutes_before}");
    }
    let ends_early = policy(&[(24, 100), (12, 50)]);
    assert_eq!(refund(&ends_early, 150_000, 60), 0, "after the last tier nothing goes back");
}

fn any_policy() -> impl Strategy<Value = CancellationPolicy> {
    let hours = prop::collection::btree_set(0_u16..=720, 1..=6);
    let percents = prop::collection::btree_set(0_u8..=100, 6);
    (hours, percents).prop_map(|(hours, percents)| {
        let tiers: Vec<(u16, u8)> =
            hours.into_iter().rev().zip(percents.into_iter().rev()).collect();
        policy(&tiers)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]
    #[test]
    fn what_goes_back_is_what_the_schedule_says(
        policy in any_policy(),
        minor in 0_i64..1_000_000_000,
        minutes_before in -600_i64..50_000,
    ) {
        let back = refund(&policy, minor, minutes_before);
        prop_assert!((0..=minor).contains(&back));
        prop_assert!(refund(&policy, minor, minutes_before + 1) >= back, "more notice gives less");
        let steps = schedule(&policy, Money::inr(minor), at(0));
        let open = steps.iter().find(|step| at(-minutes_before) <= step.until);
        prop_assert_eq!(open.map_or(0, |step| step.refund.minor), back);
    }
}

#[test]
fn the_practice_gives_what_its_tier_names_where_it_cancels_itself() {
    let practice_late = PracticeLate::Share(20);
    let tier = CancellationTier { until_hours: 12, refund_percent: 50, practice_late };
    let unwritten = CancellationPolicy::new(String::new(), vec![tier]).unwrap();
    let given = |by, minutes_before: i64| {
        let (refund, session, unwritten) = (RefundChoice::ByPolicy, None, unwritten.clone());
        let cancellation = Cancellation { by, refund, session, unwritten, grace_left: 0 };
        cancellation.given(&facts_at(0), at(0), at(-minutes_before))
    };
    assert_eq!(given(CancelledBy::Practice, 12 * 60), practice_late);
    assert_eq!(given(CancelledBy::Practice, 60), PracticeLate::Nothing);
    assert_eq!(given(CancelledBy::Customer, 24 * 60), PracticeLate::Nothing);
}
