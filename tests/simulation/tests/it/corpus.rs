//! Every seed with which a run once failed. Another way of drawing leads a seed elsewhere, so each
//! mend has a test of its own, too; the corpus grows by what `make simulate` finds.

use simulation::simulator::{RunOptions, run};

/// A second payment of a sold order that no webhook and no list reported. Sold orders are polled
/// again since (`services/payments/src/sold_orders.rs`).
const SECOND_PAYMENTS: [u64; 8] = [6095, 6979, 9925, 10309, 10485, 10503, 10685, 15283];
/// A refund made elsewhere that failed after the money beside it was earned and given back. What
/// went back of earned money is tracked separately since (`Collection::open`).
const EARNED_AND_REFUNDED: [u64; 2] = [8133, 1_622_954_200];
/// A session booked in the second in which its reminder was due. The checker compared whole
/// seconds.
const REMINDED_AT_ONCE: [u64; 9] = [
    9441,
    1_622_893_117,
    1_622_893_829,
    1_622_930_557,
    1_622_932_489,
    1_622_937_562,
    1_622_948_136,
    1_622_978_175,
    1_622_991_595,
];
/// A refund by another hand that failed after its booking was cancelled or could not be placed.
/// The returned money is refunded, too, and the model does what booking wants as the service does
/// it.
const CAME_HOME: [u64; 2] = [1_622_902_744, 1_622_952_744];
/// A refund of ours that failed while another hand's was on its way, which failed as well. It is
/// asked for again since (`Collection::renewable`).
const RENEWED_LATE: [u64; 3] = [1_622_935_436, 2_812_853_127, 2_812_920_599];
/// A fee that the provider had added, given back by another hand with the money of a session that
/// took place: it was earned once more.
const FEE_GIVEN_BACK: [u64; 3] = [1_883_770_890, 1_883_771_073, 1_883_772_345];
/// A wrong amount that counted, because another payment had paid its order while the list of
/// payments had no answer. The payments are asked for after the order since.
const PAID_BY_ANOTHER: [u64; 2] = [772_881_433, 772_912_394];
/// A package of which all went back on the provider's pages after its first session: the payment's
/// "refunded" and the refund itself counted twice, so that later sessions earned once more.
const REFUNDED_BETWEEN_SESSIONS: [u64; 1] = [158_329_058];
/// A dispute's webhook that was the first news of its payment: the model did not know the payment
/// when it came to the dispute, as the service's transaction does
/// (`services/payments/tests/it/disputes.rs`).
const FIRST_NEWS: [u64; 2] = [912_567_960, 912_632_189];
/// Refunds that waited for the end of a dispute and were released, although the provider had
/// deducted their money for it (`what_was_deducted_for_an_open_dispute_is_not_released`).
const RELEASED_AND_DEDUCTED: [u64; 1] = [1_567_391_904];

#[test]
fn seeds_that_once_failed_pass() {
    let all = [
        SECOND_PAYMENTS.as_slice(),
        &EARNED_AND_REFUNDED,
        &REMINDED_AT_ONCE,
        &CAME_HOME,
        &RENEWED_LATE,
        &FEE_GIVEN_BACK,
        &PAID_BY_ANOTHER,
        &REFUNDED_BETWEEN_SESSIONS,
        &FIRST_NEWS,
        &RELEASED_AND_DEDUCTED,
    ];
    for seed in all.concat() {
        let outcome = run(seed, RunOptions::default());
        let what = format!("{:?} {:?}", outcome.violations, outcome.broken);
        assert!(outcome.is_clean(), "make simulate RUNS=0 SEED={seed}: {what}");
    }
}
