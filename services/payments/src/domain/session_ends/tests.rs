//! The money of sessions, to the paisa.

use proptest::prelude::*;

use super::{SessionEnd, SessionEnds, SessionMoney};

/// Three sessions of a price of 100,001; each ended in the given way.
fn ends(refunds: [Option<Option<i64>>; 3]) -> SessionEnds {
    let mut ends = SessionEnds::default();
    for ((refund, share_minor), number) in
        refunds.into_iter().zip([33_333, 33_333, 33_335]).zip(1..)
    {
        if let Some(refund_minor) = refund {
            ends = ends.with(number, SessionEnd { share_minor, refund_minor });
        }
    }
    ends
}

#[test]
fn shares_are_earned_kept_or_given_back() {
    let money = |ends: &SessionEnds| ends.money(100_001, 100_001);
    assert_eq!(money(&SessionEnds::default()), SessionMoney::default());
    let mixed = ends([Some(None), Some(Some(33_333)), Some(Some(0))]);
    let expected = SessionMoney { back: 33_333, earned: vec![33_333], retained: vec![0, 33_335] };
    assert_eq!(money(&mixed), expected);
    assert_eq!(mixed.cancelled(), "2 3");
    // The last one alone: it has the remainder.
    let last = ends([None, None, Some(Some(33_335))]);
    assert_eq!(money(&last).back, 33_335);
}

#[test]
fn an_offer_takes_its_part_off_each_share() {
    let all = ends([Some(None), Some(None), Some(Some(33_335))]);
    let money = all.money(100_001, 90_000);
    assert_eq!(money.earned, [29_999, 29_999]);
    assert_eq!(money.back, 30_002);
}

#[test]
fn the_first_end_of_a_session_stays() {
    let first = SessionEnd { share_minor: 10, refund_minor: None };
    let other = SessionEnd { share_minor: 10, refund_minor: Some(10) };
    let ends = SessionEnds::default().with(1, first).with(1, other);
    assert_eq!(ends.iter().collect::<Vec<_>>(), [(1, first)]);
}

proptest! {
    #[test]
    fn what_came_is_what_is_earned_kept_and_given_back(
        price in 400_i64..5_000_000,
        off in 0_i64..100,
        ways in prop::collection::vec(0_usize..3, 2..20)
    ) {
        let count = i64::try_from(ways.len()).unwrap();
        let brought = price - off;
        let mut ends = SessionEnds::default();
        let mut sum = 0;
        for (way, number) in ways.iter().zip(1..) {
            let is_last = i64::from(number) == count;
            let share_minor = price / count + if is_last { price % count } else { 0 };
            let refund_minor = [None, Some(0), Some(share_minor)][*way];
            ends = ends.with(number, SessionEnd { share_minor, refund_minor });
            // What has ended never takes more than its part.
            let money = ends.money(price, brought);
            let all = money.earned.iter().chain(&money.retained).sum::<i64>() + money.back;
            prop_assert!(all >= sum && all <= brought);
            sum = all;
        }
        prop_assert_eq!(sum, brought);
    }
}
