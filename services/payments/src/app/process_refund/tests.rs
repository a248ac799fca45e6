//! Payment, disputes, refunds and cancellations in every order: a payment gives back no more than
//! it brought, and all that is owed is held, going back, or told as final.

mod desk;
mod world;

use proptest::prelude::*;

use self::world::{PRICE, SHARE, Step, World, payment};
use crate::domain::collection::Standing;
use crate::domain::ledger::{Account, Books};
use crate::domain::refund::{Cause, End, LOST_TO_A_DISPUTE, Refund};

fn any_minor() -> impl Strategy<Value = i64> {
    prop_oneof![Just(PRICE), Just(SHARE), Just(PRICE - 50), Just(50), 1..=PRICE]
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => any_minor().prop_map(Step::Dispute),
        3 => prop::option::of(any_minor()).prop_map(Step::EndDispute),
        6 => (any::<bool>(), any::<bool>()).prop_map(|(is_answer_lost, are_keys_lost)| {
            Step::Ask { is_answer_lost, are_keys_lost }
        }),
        3 => (any::<bool>(), any::<bool>())
            .prop_map(|(is_processed, is_told)| Step::EndRefund { is_processed, is_told }),
        1 => Just(Step::Poll),
        2 => Just(Step::Renew),
        2 => prop::option::of(any_minor()).prop_map(Step::Staff),
        1 => any_minor().prop_map(Step::Elsewhere),
        1 => Just(Step::Release),
        3 => any_minor().prop_map(Step::Cancel),
        3 => prop::option::of(prop_oneof![Just(SHARE), Just(0), 1..SHARE])
            .prop_map(Step::EndSession),
    ]
}

/// What holds at any time.
fn always(world: &World) -> Result<(), TestCaseError> {
    let (book, known) = (world.desk.book(), world.known());
    prop_assert!(
        book.gone() + world.lost() <= PRICE,
        "{} went back and {} was lost of {PRICE}",
        book.gone(),
        world.lost()
    );
    let mut receipts: Vec<_> = book.refunds.iter().filter_map(|it| it.refund_id).collect();
    receipts.sort();
    prop_assert!(receipts.windows(2).all(|two| two[0] != two[1]), "a refund was made twice");
    prop_assert_eq!(book.asked_below, 0, "the provider was asked for less than its least");
    prop_assert_eq!(known.lost(&payment()), world.lost());
    let entries = Books::default().enter(&world.events);
    prop_assert_eq!(&entries, &world.written, "the ledger follows from the events");
    let sums = world.sums();
    let sum = |account| sums.get(&account).copied().unwrap_or(0);
    let with_end = |end| -> i64 {
        let refunds = known.refunds.values().filter(|it| it.end == end);
        refunds.map(|it| it.amount.minor).sum()
    };
    prop_assert_eq!(sums.values().sum::<i64>(), 0);
    let processed = with_end(Some(End::Processed));
    prop_assert_eq!(sum(Account::ProviderClearing), PRICE - processed - world.lost());
    prop_assert_eq!(sum(Account::RefundsPayable), -with_end(None));
    let (loss, advance) = (sum(Account::DisputeLoss), -sum(Account::CustomerAdvance));
    prop_assert!(loss == 0 || advance <= 0, "the same money is a loss and a debt");
    // A refund on the provider's page may have failed, and that is not known yet.
    if known.going_back(&payment()) + world.lost() <= PRICE {
        prop_assert!(loss >= 0 && advance >= 0, "loss {loss}, advance {advance}");
        prop_assert_eq!(advance, known.open(&payment()).max(0));
    }
    Ok(())
}

/// What holds once all is quiet.
fn at_the_end(world: &World) -> Result<(), TestCaseError> {
    let (book, known, id) = (world.desk.book(), world.known(), payment());
    let by_hand = |cause| matches!(cause, Cause::Staff | Cause::Elsewhere);
    let told_at_last = |id| world.told.get(id).copied().unwrap_or(false);
    // What staff asked for goes back, or a dispute gave it and that is told.
    let settles =
        |id, it: &Refund| it.goes_back() || it.end == Some(End::Given) && told_at_last(id);
    let is_by_hand = known.refunds.iter().any(|(id, it)| by_hand(it.cause) && settles(id, it));
    for (refund_id, refund) in &known.refunds {
        prop_assert!(
            refund.end.is_some() || known.is_held(*refund_id),
            "{refund:?} is asked for, and never comes to an end"
        );
        let failed = refund.end == Some(End::Failed) && refund.cause != Cause::Elsewhere;
        let is_renewed = known.refunds.values().any(|it| it.renews == Some(*refund_id));
        // What would have been renewed may have been given by another refund: that of a
        // cancellation by staff's, and staff's by that of a cancellation.
        let is_given =
            is_by_hand || by_hand(refund.cause) && known.refunds.values().any(Refund::goes_back);
        let told = is_given || told_at_last(refund_id);
        prop_assert!(!failed || is_renewed || told, "{refund:?} failed, and that is not told");
    }
    // What a dispute ended, the bank has given.
    let given = known.refunds.iter().filter(|(_, it)| it.end == Some(End::Given));
    for (refund_id, refund) in given {
        let told = known.failed_refund(*refund_id, LOST_TO_A_DISPUTE).unwrap().given_by_bank;
        let told = told.map_or(0, |amount| amount.minor);
        prop_assert_eq!(told, known.given(*refund_id, refund), "{:?}", refund);
    }
    let ours: i64 = known
        .refunds
        .values()
        .filter(|it| it.end == Some(End::Processed))
        .map(|it| it.amount.minor)
        .sum();
    prop_assert_eq!(ours, book.gone(), "we know all that went back");
    let is_all_gone = book.gone() + world.lost() == PRICE;
    let held = known.going_back(&id) - ours;
    prop_assert_eq!(known.left(&id), PRICE - book.gone() - world.lost() - held);
    prop_assert!(!is_all_gone || known.standing() == Standing::Refunded, "all of it is back");
    // What was promised is back, given by the bank, held, or owed as told.
    if let Some(promised) = world.cancelled {
        let reached = ours + world.lost() + held + known.owed(&id);
        prop_assert!(reached >= promised.min(PRICE), "{reached} of {promised} is accounted for");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn a_payment_gives_back_no_more_than_it_brought(
        steps in prop::collection::vec(any_step(), 1..14)
    ) {
        let mut world = World::new();
        for step in steps {
            world.go(step);
            always(&world)?;
        }
        world.settle_down();
        always(&world)?;
        at_the_end(&world)?;
    }
}

/// Staff ask again before a failed refund is renewed, and a dispute takes what they asked for: the
/// second one is told as given by the bank, so that nothing more is owed.
#[test]
fn what_staff_ask_for_again_and_a_dispute_takes_is_told_once() {
    let mut world = World::new();
    world.go(Step::Staff(None));
    world.go(Step::Ask { is_answer_lost: false, are_keys_lost: false });
    world.go(Step::EndRefund { is_processed: false, is_told: false });
    let taken =
        [Step::Dispute(PRICE), Step::Poll, Step::Staff(None), Step::EndDispute(Some(PRICE))];
    for step in taken {
        world.go(step);
    }
    world.settle_down();
    always(&world).unwrap();
    at_the_end(&world).unwrap();
    let told: Vec<bool> = world.told.values().copied().collect();
    assert_eq!((told, world.known().owed(&payment())), (vec![false, true], 0));
}

/// money.md M1: a second refund under a receipt of ours counts, as one that was made elsewhere.
#[test]
fn a_second_refund_under_the_same_receipt_is_external() {
    let mut world = World::new();
    world.go(Step::Cancel(SHARE));
    world.go(Step::Ask { is_answer_lost: false, are_keys_lost: false });
    world.doubles_the_first_refund();
    world.go(Step::Poll);
    assert_eq!(world.known().going_back(&payment()), 2 * SHARE);
    world.go(Step::Poll);
    let elsewhere = world.known().refunds.values().filter(|it| it.cause == Cause::Elsewhere);
    assert_eq!(elsewhere.count(), 1, "a repeat is the same one");
}
