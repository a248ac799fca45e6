//! What a customer and staff mean to do with one booking.

use booking::domain::booking::{CancelledBy, RefundChoice};
use payments::domain::desk::Way as DeskWay;

use super::super::offerings::PACKAGE_SESSIONS;
use super::super::provider::{Course, Mismatch};
use super::super::rng::Rng;

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;

/// When a customer pays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    /// Within minutes.
    Soon,
    /// In the seconds around the hold's end.
    AtTheEnd,
    /// So many seconds after it.
    After(i64),
}

/// A way of paying.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// The checkout on our page.
    Checkout,
    /// A payment link.
    Link,
}

/// One payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pay {
    pub(crate) when: When,
    pub(crate) course: Course,
    pub(crate) oddity: Mismatch,
}

/// What is meant to happen to one booking.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    story: Story,
    /// The ways that the customer starts, one after the other.
    pub(crate) ways: Vec<Way>,
    pub(crate) pays: Vec<Pay>,
    /// Whether the page stays open, so that the checkout's answer arrives.
    pub(crate) stays: bool,
    pub(crate) is_claim_accepted: bool,
    /// After how many seconds it is cancelled: all of it, or a session of a package.
    pub(crate) cancels_after: Vec<(i64, Option<usize>)>,
    pub(crate) cancels_how: (CancelledBy, RefundChoice),
    pub(crate) refunds_after: Vec<i64>,
    /// After how many seconds it is paid at the desk, and how.
    pub(crate) desk_after: Option<(i64, DeskWay)>,
    /// After how many seconds staff give back there what is owed.
    pub(crate) gives_back_after: Vec<(i64, DeskWay)>,
    /// After how many seconds staff look for a refund that waits for the end of a dispute.
    pub(crate) lets_go_after: Vec<i64>,
}

impl Plan {
    /// Whether the time is given back.
    pub(crate) fn releases(&self) -> bool {
        matches!(self.story, Story::Release)
    }

    /// Whether a payment is started.
    pub(crate) fn starts(&self) -> bool {
        !matches!(self.story, Story::Abandon | Story::Release)
    }

    /// Whether money may come for it more than once.
    pub(crate) fn pays_often(&self) -> bool {
        let ends_well = |pay: &&Pay| !matches!(pay.course, Course::Failed | Course::Unfinished);
        self.pays.iter().filter(ends_well).count() > 1
    }

    /// Whether the customer says that it is paid.
    pub(crate) fn claims(&self) -> bool {
        matches!(self.story, Story::ClaimOnly | Story::PayAndClaim)
    }
}

/// What a customer does with the money.
#[derive(Debug, Clone, Copy)]
enum Story {
    Abandon,
    Release,
    OnlyStart,
    PayOnce,
    PayTwice,
    ClaimOnly,
    PayAndClaim,
    FailThenPay,
}

/// A plan by chance.
pub(crate) fn plan(rng: &mut Rng, is_package: bool) -> Plan {
    let story = rng.weighted(
        &[
            (80, Story::Abandon),
            (60, Story::Release),
            (50, Story::OnlyStart),
            (500, Story::PayOnce),
            (80, Story::PayTwice),
            (60, Story::ClaimOnly),
            (90, Story::PayAndClaim),
            (80, Story::FailThenPay),
        ],
        Story::PayOnce,
    );
    let pays = match story {
        Story::Abandon | Story::Release | Story::OnlyStart | Story::ClaimOnly => Vec::new(),
        Story::PayOnce | Story::PayAndClaim => vec![pay(rng)],
        Story::PayTwice => vec![pay(rng), pay(rng)],
        Story::FailThenPay => {
            let failed = Pay { when: When::Soon, course: Course::Failed, oddity: Mismatch::None };
            vec![failed, pay(rng)]
        }
    };
    let by = if rng.chance(600) { CancelledBy::Customer } else { CancelledBy::Practice };
    let refund = rng.weighted(
        &[(800, RefundChoice::ByPolicy), (100, RefundChoice::Full), (100, RefundChoice::Nothing)],
        RefundChoice::ByPolicy,
    );
    let refunds = rng.weighted(&[(850, 0), (80, 1), (40, 2), (30, 3)], 0);
    let cancels_after = cancels(rng, is_package);
    let lets_go_after = looks_for_held(rng, &cancels_after);
    let ways = rng.weighted(
        &[
            (520, [Some(Way::Checkout), None, None]),
            (260, [Some(Way::Link), None, None]),
            (80, [Some(Way::Link), Some(Way::Checkout), None]),
            (70, [Some(Way::Checkout), Some(Way::Link), None]),
            (70, [Some(Way::Link), Some(Way::Checkout), Some(Way::Link)]),
        ],
        [Some(Way::Checkout), None, None],
    );
    let (desk_after, gives_back_after) = at_desk(rng, &cancels_after);
    Plan {
        story,
        ways: ways.into_iter().flatten().collect(),
        pays,
        stays: rng.chance(600),
        is_claim_accepted: rng.chance(500),
        cancels_after,
        cancels_how: (by, refund),
        lets_go_after,
        desk_after,
        gives_back_after,
        refunds_after: (0..refunds).map(|_| rng.between(20 * MINUTE, 90 * HOUR)).collect(),
    }
}

/// After how many seconds money changes hands at the desk, and by which way.
type DeskMoney = (i64, DeskWay);

/// A booking by phone that is paid at the desk, mostly before anything else is; what is owed then
/// is given back some time after a cancellation.
fn at_desk(rng: &mut Rng, cancels: &[(i64, Option<usize>)]) -> (Option<DeskMoney>, Vec<DeskMoney>) {
    if !rng.chance(120) {
        return (None, Vec::new());
    }
    let way = |rng: &mut Rng| if rng.chance(500) { DeskWay::Cash } else { DeskWay::Upi };
    let seconds = rng.weighted(&[(600, 120), (400, 16 * MINUTE)], 120);
    let paid = (rng.between(1, seconds), way(rng));
    let mut gives_back = Vec::new();
    for (seconds, _) in cancels {
        gives_back.push((seconds.saturating_add(rng.between(MINUTE, 30 * HOUR)), way(rng)));
    }
    gives_back.push((rng.between(HOUR, 150 * HOUR), way(rng)));
    (Some(paid), gives_back)
}

/// Staff look for refunds that wait after a cancellation, and now and then.
fn looks_for_held(rng: &mut Rng, cancels: &[(i64, Option<usize>)]) -> Vec<i64> {
    let mut looks = Vec::new();
    for (seconds, _) in cancels {
        for _ in 0..2 {
            looks.push(seconds.saturating_add(rng.between(10 * MINUTE, 60 * HOUR)));
        }
    }
    if rng.chance(400) {
        looks.push(rng.between(HOUR, 150 * HOUR));
    }
    looks
}

fn cancels(rng: &mut Rng, is_package: bool) -> Vec<(i64, Option<usize>)> {
    if !is_package {
        let after = rng.chance(220).then(|| rng.between(10 * MINUTE, 40 * HOUR));
        return after.map(|seconds| (seconds, None)).into_iter().collect();
    }
    let mut cancels = Vec::new();
    for number in 1..=PACKAGE_SESSIONS {
        if rng.chance(250) {
            cancels.push((rng.between(10 * MINUTE, 100 * HOUR), Some(number)));
        }
    }
    if rng.chance(150) {
        cancels.push((rng.between(10 * MINUTE, 100 * HOUR), None));
    }
    cancels
}

fn pay(rng: &mut Rng) -> Pay {
    let after = rng.between(1, 30 * HOUR);
    let seconds = rng.between(30, 24 * HOUR);
    let when = rng.weighted(
        &[(600, When::Soon), (150, When::AtTheEnd), (250, When::After(after))],
        When::Soon,
    );
    let course = rng.weighted(
        &[
            (700, Course::Captured),
            (100, Course::Late(seconds)),
            (100, Course::FailedThenCaptured(seconds.max(20))),
            (60, Course::Failed),
            (40, Course::Unfinished),
        ],
        Course::Captured,
    );
    let oddity = rng.weighted(
        &[(920, Mismatch::None), (50, Mismatch::Amount), (30, Mismatch::Currency)],
        Mismatch::None,
    );
    Pay { when, course, oddity }
}
