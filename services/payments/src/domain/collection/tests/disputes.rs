//! What disputes take out of a payment, also in histories of before it was counted.

use super::refunds::{by_staff, cancel};
use super::*;
use crate::domain::dispute::{Dispute, DisputeFact, DisputeState, Phase};
use crate::domain::fact::DisputeId;
use crate::domain::ledger::{Account, Books};
use crate::domain::refund::{LOST_TO_A_DISPUTE, given_part, held_part, returned_part};

fn dispute(minor: i64, state: DisputeState) -> Dispute {
    Dispute {
        provider: RAZORPAY.to_owned(),
        id: DisputeId::parse("disp_AAAAAAAAAAAAAA").unwrap(),
        payment: pay(1),
        fact: DisputeFact {
            // The provider deducts nothing for it before its end.
            phase: Phase::Retrieval,
            state,
            respond_by: None,
            deducted_minor: 0,
            amount: inr(minor),
            reason: String::new(),
        },
    }
}

fn disputed(minor: i64, state: DisputeState) -> Event {
    Event::DisputeObserved(dispute(minor, state))
}

fn requested_part(number: u128, minor: i64, cause: Cause) -> Event {
    let refund = Refund::requested(pay(1), inr(minor), cause);
    Event::RefundRequested { refund_id: refund_id(number), refund }
}

fn given(refund_id: Id<RefundKind>) -> Event {
    Event::RefundFailed { refund_id, reason: LOST_TO_A_DISPUTE.to_owned() }
}

fn with(mut history: Vec<Event>, more: impl IntoIterator<Item = Event>) -> Vec<Event> {
    history.extend(more);
    history
}

/// Its account's balance, as a debit.
fn balance(history: &[Event], account: Account) -> i64 {
    let entries = Books::default().enter(history);
    let lines = entries.iter().flat_map(|entry| &entry.lines);
    lines.filter(|line| line.account == account).map(|line| line.amount.minor).sum()
}

#[test]
fn a_held_refund_is_cut_to_what_a_dispute_leaves() {
    let open = disputed(20_000, DisputeState::Open);
    let history = with(paid(), [open, requested_part(1, PRICE, Cause::Cancelled)]);
    assert!(super::open(&fold::<CollectionLife>(&history)).is_held(refund_id(1)));
    let rest = Refund {
        renews: Some(refund_id(1)),
        ..Refund::requested(pay(1), inr(PRICE - 20_000), Cause::Cancelled)
    };
    let then = [
        disputed(20_000, DisputeState::Lost),
        given(refund_id(1)),
        Event::RefundRequested { refund_id: following(refund_id(1)), refund: rest },
    ];
    check(&history, Command::ObserveDispute(dispute(20_000, DisputeState::Lost)), Ok(&then));
    let after = with(history, then);
    // Nothing more is promised, and nothing more is asked for.
    check(&after, cancel(PRICE), Ok(&[]));
    check(&after, by_staff(None, 2), Err(Rejection::NothingToRefund));
    let told = super::open(&fold::<CollectionLife>(&after)).clone();
    let told = told.failed_refund(refund_id(1), LOST_TO_A_DISPUTE).unwrap();
    assert_eq!((told.is_final, told.given_by_bank), (false, Some(inr(20_000))));
}

/// A dispute of a part holds that part, and the rest goes back at once.
#[test]
fn what_an_open_dispute_is_about_waits_alone() {
    let history = with(paid(), [disputed(20_000, DisputeState::Open)]);
    let held = held_part(refund_id(1));
    let later = Refund::requested(pay(1), inr(20_000), Cause::Cancelled);
    let then = [
        requested_part(1, PRICE - 20_000, Cause::Cancelled),
        Event::RefundRequested { refund_id: held, refund: later },
    ];
    check(&history, cancel(PRICE), Ok(&then));
    let after = with(history, then);
    let known = fold::<CollectionLife>(&after);
    let known = super::open(&known);
    assert_eq!((known.is_held(refund_id(1)), known.is_held(held)), (false, true));
    check(&after, cancel(PRICE), Ok(&[]));
    // The bank takes it, and the rest was no longer in question.
    let lost = disputed(20_000, DisputeState::Lost);
    let ended = [lost, given(held)];
    check(&after, Command::ObserveDispute(dispute(20_000, DisputeState::Lost)), Ok(&ended));
    // The provider would not refund so little.
    for minor in [99, PRICE - 99] {
        let history = with(paid(), [disputed(minor, DisputeState::Open)]);
        check(&history, cancel(PRICE), Ok(&[requested_part(1, PRICE, Cause::Cancelled)]));
    }
}

#[test]
fn what_is_promised_after_a_lost_dispute_has_an_end_each() {
    let history = with(paid(), [disputed(20_000, DisputeState::Lost)]);
    let part = given_part(refund_id(1));
    let refund = Refund::requested(pay(1), inr(20_000), Cause::Cancelled);
    let then = [
        requested_part(1, PRICE - 20_000, Cause::Cancelled),
        Event::RefundRequested { refund_id: part, refund },
        given(part),
    ];
    check(&history, cancel(PRICE), Ok(&then));
}

#[test]
fn a_refund_that_fits_beside_an_open_dispute_does_not_wait() {
    let open = disputed(20_000, DisputeState::Open);
    let fits = requested_part(1, PRICE - 20_000, Cause::Cancelled);
    let more = requested_part(2, 1_000, Cause::Cancelled);
    let history = with(paid(), [open, fits, more]);
    let known = fold::<CollectionLife>(&history);
    let known = super::open(&known);
    assert_eq!((known.is_held(refund_id(1)), known.is_held(refund_id(2))), (false, true));
    let release = Command::ReleaseRefund { refund_id: refund_id(2) };
    check(&history, release, Ok(&[Event::RefundReleased { refund_id: refund_id(2) }]));
    let early = Command::ReleaseRefund { refund_id: refund_id(1) };
    check(&history, early, Err(Rejection::RefundNotHeld));
}

/// The bank has this money already: to give it back as well would pay it twice.
#[test]
fn what_was_deducted_for_an_open_dispute_is_not_released() {
    let open = |minor: i64, deducted_minor: i64, state| {
        let known = dispute(minor, state);
        Dispute { fact: DisputeFact { deducted_minor, ..known.fact.clone() }, ..known }
    };
    let release = |number| Command::ReleaseRefund { refund_id: refund_id(number) };
    let released = |number| Event::RefundReleased { refund_id: refund_id(number) };
    let sessions = [8_000, 15_000, 25_000].into_iter().zip(1..);
    let sessions = sessions.map(|(minor, number)| requested_part(number, minor, Cause::Cancelled));
    let deducted = Event::DisputeObserved(open(PRICE, 20_000, DisputeState::Open));
    let history = with(paid(), [deducted]);
    let history = with(history, sessions);
    // 30,000 is there: the largest that fits goes, and for the others too little is left.
    check(&history, release(3), Ok(&[released(3)]));
    for number in [1, 2] {
        check(&history, release(number), Err(Rejection::RefundDeducted));
        let after = with(history.clone(), [released(3)]);
        check(&after, release(number), Err(Rejection::RefundDeducted));
    }
    // Nor does staff give it beside them.
    let by_staff_of = |minor| by_staff(Some(minor), 9);
    let deducted = Event::DisputeObserved(open(PRICE, 20_000, DisputeState::Open));
    let alone = with(paid(), [deducted]);
    let there = requested_part(9, 30_000, Cause::Staff);
    check(&alone, by_staff_of(30_001), Err(Rejection::RefundDeducted));
    check(&alone, by_staff_of(PRICE + 1), Err(Rejection::AmountNotRefundable));
    check(&alone, by_staff_of(30_000), Ok(std::slice::from_ref(&there)));
    check(&alone, by_staff(None, 9), Ok(std::slice::from_ref(&there)));
    check(&with(alone, [there]), by_staff(None, 8), Err(Rejection::RefundDeducted));
    // What ended in the practice's favour was given back to it.
    let won = Event::DisputeObserved(open(PRICE, 0, DisputeState::Won));
    check(&with(history, [won]), release(1), Err(Rejection::RefundNotHeld));
}

/// razorpay.com/docs/payments/disputes/chargeback-fees-and-penalties: what is disputed is deducted
/// "at the outset"; and the entity's `amount_deducted` "will be 0 unless the status is lost".
#[test]
fn the_money_of_a_chargeback_is_deducted_from_its_beginning() {
    let open = |phase| {
        let known = dispute(20_000, DisputeState::Open);
        Event::DisputeObserved(Dispute { fact: DisputeFact { phase, ..known.fact }, ..known })
    };
    let release = Command::ReleaseRefund { refund_id: refund_id(2) };
    let sessions = [(1, PRICE - 20_000), (2, 1_000)];
    let sessions = sessions.map(|(number, minor)| requested_part(number, minor, Cause::Cancelled));
    for phase in [Phase::Chargeback, Phase::PreArbitration, Phase::Arbitration] {
        let history = with(paid(), [open(phase)]);
        check(&history, by_staff(Some(PRICE - 19_900), 9), Err(Rejection::RefundDeducted));
        let there = requested_part(9, PRICE - 20_000, Cause::Staff);
        check(&history, by_staff(None, 9), Ok(std::slice::from_ref(&there)));
        // The first one goes beside it, and nothing is there for the second one.
        let history = with(history, sessions.clone());
        check(&history, release.clone(), Err(Rejection::RefundDeducted));
    }
    let asked = with(paid(), [open(Phase::Retrieval)]);
    check(&asked, by_staff(None, 9), Ok(&[requested_part(9, PRICE, Cause::Staff)]));
}

/// 9a841881 failed the whole refund for a dispute of a part.
#[test]
fn what_an_older_release_held_back_is_owed() {
    let history = with(
        paid(),
        [
            requested_part(1, PRICE, Cause::Cancelled),
            disputed(20_000, DisputeState::Lost),
            given(refund_id(1)),
        ],
    );
    let known = fold::<CollectionLife>(&history);
    let known = super::open(&known);
    assert_eq!((known.left(&pay(1)), known.owed(&pay(1))), (PRICE - 20_000, PRICE - 20_000));
    assert_eq!(known.standing(), Standing::Refunding);
    check(&history, by_staff(None, 2), Ok(&[requested_part(2, PRICE - 20_000, Cause::Staff)]));
    assert_eq!(balance(&history, Account::DisputeLoss), 0);
    assert_eq!(balance(&history, Account::CustomerAdvance), 20_000 - PRICE);
}

/// 9a841881 let staff give the money once more.
#[test]
fn what_an_older_release_gave_twice_is_a_loss() {
    let history = with(
        paid(),
        [
            requested_part(1, PRICE, Cause::Cancelled),
            disputed(PRICE, DisputeState::Lost),
            given(refund_id(1)),
            requested_part(2, PRICE, Cause::Staff),
            Event::RefundProcessed { refund_id: refund_id(2) },
        ],
    );
    stands(&history, Standing::Refunded);
    assert_eq!(balance(&history, Account::DisputeLoss), PRICE);
    assert_eq!(balance(&history, Account::CustomerAdvance), 0);
    assert_eq!(balance(&history, Account::ProviderClearing), -PRICE);
}

#[test]
fn what_the_provider_never_refunds_is_not_asked_for() {
    let prepare = Command::PrepareRefund { refund_id: refund_id(1), least_minor: 100 };
    let history = with(paid(), [requested_part(1, 99, Cause::Cancelled)]);
    let reason = "below_the_least".to_owned();
    let ended = Event::RefundFailed { refund_id: refund_id(1), reason };
    check(&history, prepare.clone(), Ok(std::slice::from_ref(&ended)));
    let known = fold::<CollectionLife>(&with(history, [ended]));
    assert!(super::open(&known).failed_refund(refund_id(1), "").unwrap().is_final);
    check(&with(paid(), [requested_part(1, 100, Cause::Cancelled)]), prepare, Ok(&[]));
    for minor in [1, 99, PRICE - 99, PRICE - 1] {
        check(&paid(), by_staff(Some(minor), 2), Err(Rejection::BelowTheLeast));
    }
}

/// Accepted by the provider under this number.
fn accepted(number: u128) -> Event {
    let provider_refund = ProviderRefundId::parse(&format!("rfnd_{number:014}")).unwrap();
    Event::RefundAccepted { refund_id: refund_id(number), provider_refund }
}

fn fails(number: u128) -> Command {
    let id = ProviderRefundId::parse(&format!("rfnd_{number:014}")).unwrap();
    let update = RefundUpdate::Taken { id, progress: Progress::Failed };
    Command::LearnRefund { refund_id: refund_id(number), update, rest_id: refund_id(90) }
}

fn rest(number: u128, minor: i64) -> Event {
    let refund = Refund::requested(pay(1), inr(minor), Cause::Cancelled);
    let refund = Refund { renews: Some(refund_id(number)), ..refund };
    Event::RefundRequested { refund_id: following(refund_id(number)), refund }
}

/// What is told of a refund, and what is owed of the payment.
fn told(history: &[Event], reason: &str) -> (bool, Option<Amount>, i64) {
    let known = fold::<CollectionLife>(history);
    let known = open(&known);
    let told = known.failed_refund(refund_id(1), reason).unwrap();
    (told.is_final, told.given_by_bank, known.owed(&pay(1)))
}

/// The bank takes the money while the provider has the refund, which then fails there.
#[test]
fn a_refund_that_fails_after_its_money_was_lost_is_given_by_the_bank() {
    let under_way = with(paid(), [requested_part(1, PRICE, Cause::Cancelled), accepted(1)]);
    let history = with(under_way.clone(), [disputed(PRICE, DisputeState::Lost)]);
    check(&history, fails(1), Ok(&[given(refund_id(1))]));
    let after = with(history, [given(refund_id(1))]);
    stands(&after, Standing::Refunded);
    assert_eq!(told(&after, LOST_TO_A_DISPUTE), (true, Some(inr(PRICE)), 0));
    check(&after, by_staff(None, 2), Err(Rejection::NothingToRefund));
    assert_eq!(balance(&after, Account::CustomerAdvance), 0);
    assert_eq!(balance(&after, Account::DisputeLoss), 0);
    // It was sent after all.
    let processed = Event::RefundProcessed { refund_id: refund_id(1) };
    assert_eq!(balance(&with(after, [processed]), Account::ProviderClearing), -PRICE);
    // Of a part the rest goes back, also where the provider had said that all of it was.
    for said in [None, Some(observed(seen(1, Status::Refunded)))] {
        let history = with(under_way.clone(), said);
        let history = with(history, [disputed(20_000, DisputeState::Lost)]);
        let then = [given(refund_id(1)), rest(1, PRICE - 20_000)];
        check(&history, fails(1), Ok(&then));
        let after = with(history, then);
        assert_eq!(told(&after, LOST_TO_A_DISPUTE), (false, Some(inr(20_000)), 0));
        check(&after, cancel(PRICE), Ok(&[]));
    }
}

/// A refund fails, and its client turns to the bank: what that gives is not owed any more.
#[test]
fn what_failed_and_was_given_by_the_bank_is_not_owed() {
    let reason = "payment_too_old".to_owned();
    let failed = Event::RefundFailed { refund_id: refund_id(1), reason };
    let history = with(paid(), [requested_part(1, PRICE, Cause::Cancelled), failed]);
    let lose = |minor| Command::ObserveDispute(dispute(minor, DisputeState::Lost));
    let lost = |minor| disputed(minor, DisputeState::Lost);
    check(&history, lose(PRICE), Ok(&[lost(PRICE), given(refund_id(1))]));
    let after = with(history.clone(), [lost(PRICE), given(refund_id(1))]);
    stands(&after, Standing::Refunded);
    assert_eq!(told(&after, LOST_TO_A_DISPUTE), (true, Some(inr(PRICE)), 0));
    // Of a part the rest has failed as the whole had.
    let reason = "failed".to_owned();
    let rest_failed = Event::RefundFailed { refund_id: following(refund_id(1)), reason };
    let then = [lost(20_000), given(refund_id(1)), rest(1, PRICE - 20_000), rest_failed];
    check(&history, lose(20_000), Ok(&then));
    let after = with(history, then);
    assert_eq!(told(&after, LOST_TO_A_DISPUTE), (false, Some(inr(20_000)), PRICE - 20_000));
    check(&after, by_staff(None, 2), Ok(&[requested_part(2, PRICE - 20_000, Cause::Staff)]));
    assert_eq!(balance(&after, Account::CustomerAdvance), 20_000 - PRICE);
    assert_eq!(balance(&after, Account::DisputeLoss), 0);
}

/// The bank takes the money in the hour before a failed refund is renewed.
#[test]
fn a_refund_that_waits_for_its_renewal_is_cut_to_what_a_dispute_leaves() {
    let history = with(paid(), [requested_part(1, PRICE, Cause::Cancelled)]);
    let history = with(history, failed_there(1));
    let lose = |minor| Command::ObserveDispute(dispute(minor, DisputeState::Lost));
    let lost = |minor| disputed(minor, DisputeState::Lost);
    check(&history, lose(PRICE), Ok(&[lost(PRICE), given(refund_id(1))]));
    let then = [lost(20_000), given(refund_id(1)), rest(1, PRICE - 20_000)];
    check(&history, lose(20_000), Ok(&then));
    let after = with(history, then);
    let known = fold::<CollectionLife>(&after);
    assert_eq!(open(&known).renewable(Some(&pay(1))).count(), 0, "it is asked for already");
}

/// money.md H2, in the other order: the dispute comes while a refund is not taken yet.
#[test]
fn a_refund_that_was_requested_before_a_dispute_of_a_part_waits_with_that_part_only() {
    let history = with(paid(), [requested_part(1, PRICE, Cause::Cancelled)]);
    let history = with(history, [disputed(20_000, DisputeState::Open)]);
    let prepare = |refund_id| Command::PrepareRefund { refund_id, least_minor: 100 };
    let overtaken = "overtaken".to_owned();
    let first = following(refund_id(1));
    let held = held_part(first);
    let part = Refund::requested(pay(1), inr(20_000), Cause::Cancelled);
    let part = Refund { renews: Some(refund_id(1)), ..part };
    let then = [
        Event::RefundFailed { refund_id: refund_id(1), reason: overtaken },
        rest(1, PRICE - 20_000),
        Event::RefundRequested { refund_id: held, refund: part },
    ];
    check(&history, prepare(refund_id(1)), Ok(&then));
    let after = with(history.clone(), then);
    let known = fold::<CollectionLife>(&after);
    let known = open(&known);
    assert_eq!((known.is_held(first), known.is_held(held)), (false, true));
    assert_eq!((known.left(&pay(1)), known.owed(&pay(1))), (0, 0));
    check(&after, prepare(first), Ok(&[]));
    check(&after, prepare(held), Ok(&[]));
    check(&after, cancel(PRICE), Ok(&[]));
    // One that staff released goes back whole.
    let released = with(history, [Event::RefundReleased { refund_id: refund_id(1) }]);
    check(&released, prepare(refund_id(1)), Ok(&[]));
}

/// A lost dispute goes on in a later round, and the bank takes back what it gave.
#[test]
fn what_the_bank_takes_back_in_a_later_round_is_refunded_after_all() {
    let part = given_part(refund_id(1));
    let refund = Refund::requested(pay(1), inr(20_000), Cause::Cancelled);
    let history = with(
        paid(),
        [
            disputed(20_000, DisputeState::Lost),
            requested_part(1, PRICE - 20_000, Cause::Cancelled),
            Event::RefundRequested { refund_id: part, refund: refund.clone() },
            given(part),
        ],
    );
    let later = |state| {
        let mut later = dispute(20_000, state);
        later.fact.phase = Phase::PreArbitration;
        later
    };
    let (open_again, won) = (later(DisputeState::Open), later(DisputeState::Won));
    let returned = returned_part(part);
    let refund = Refund { renews: Some(part), ..refund };
    let then = [
        Event::DisputeObserved(open_again.clone()),
        Event::RefundRequested { refund_id: returned, refund },
        given(part),
    ];
    check(&history, Command::ObserveDispute(open_again), Ok(&then));
    let after = with(history, then);
    let state = fold::<CollectionLife>(&after);
    let known = open(&state);
    assert!(known.is_held(returned) && !known.is_held(refund_id(1)));
    let told = known.failed_refund(part, LOST_TO_A_DISPUTE).unwrap();
    assert_eq!((told.is_final, told.given_by_bank), (false, None));
    check(&after, cancel(PRICE), Ok(&[]));
    let end = Event::DisputeObserved(won.clone());
    check(&after, Command::ObserveDispute(won), Ok(std::slice::from_ref(&end)));
    let done = [refund_id(1), returned].map(|refund_id| Event::RefundProcessed { refund_id });
    let after = with(with(after, [end]), done);
    stands(&after, Standing::Refunded);
    for account in [Account::DisputeLoss, Account::CustomerAdvance, Account::ProviderClearing] {
        assert_eq!(balance(&after, account), 0);
    }
}
