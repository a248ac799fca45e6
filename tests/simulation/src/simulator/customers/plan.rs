//! The plans of customers and staff. A run has several customers, few times, and many plans.

use booking::domain::booking::{CancelledBy, Mode, RefundChoice};
use booking::domain::span::Span;
use kernel::id::Customer;
use kernel::{Id, Timestamp};
use payments::domain::desk::Way as DeskWay;
use practice::LEAD_ID;

use super::super::coverage::Fault;
use super::super::mutant::Mutant;
use super::super::offerings::{
    CONSULTATION, ClosedTime, OFFERINGS, PACKAGE_SESSIONS, SECOND, SlotRequest, practitioners,
};
use super::super::provider::{Course, Mismatch};
use super::super::rng::Rng;
use super::super::world::{Task, World};
use super::{Saga, Step};

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

impl World {
    /// Fills a run: customers who contend for few times, and staff who close some.
    pub(crate) fn plan_scenario(&mut self, sagas: usize) {
        self.scenario.practitioners = practitioners(self.rng.chance(500));
        self.scenario.accepts_claims = self.rng.chance(250);
        if self.fault(Fault::WebhooksOff, 150) {
            self.webhook_loss = 950;
        }
        // Few refunds wait for a dispute's end, and of few of these staff hear in time; few are
        // asked for after one was lost.
        let looks_often = self.has(Mutant::HoldReleased);
        let is_disputed_often = looks_often || self.has(Mutant::LossEndsAllRefunds);
        self.provider.book().is_disputed_often = is_disputed_often;
        let customers = self.rng.between(2, 5);
        let people: Vec<Id<Customer>> = (0..customers).map(|_| self.new_id()).collect();
        let mut arrives = 0_i64;
        let mut before: Option<SlotRequest> = None;
        for number in 0..sagas {
            let is_rival = self.rng.chance(350);
            let rivals = before.clone().filter(|_| is_rival);
            let slot_request = self.slot_request(number, &people, rivals.as_ref());
            let Some(slot_request) = slot_request else { continue };
            if rivals.is_none() {
                arrives += self.rng.between(0, 100 * MINUTE);
            }
            before = Some(slot_request.clone());
            let mut plan = plan(&mut self.rng, slot_request.is_package());
            if looks_often {
                plan.lets_go_after.extend((1..=16).map(|times| times * 6 * HOUR));
            }
            self.scenario.sagas.push(Saga {
                slot_request,
                plan,
                booking: None,
                places: Vec::new(),
                starts: 0,
            });
            let millis = arrives * 1000 + self.rng.between(0, 900);
            let saga = self.scenario.sagas.len() - 1;
            self.after(millis, Task::Customer { saga, step: Step::Request { tries: 0 } });
        }
        for _ in 0..self.rng.below(3) {
            self.plan_block();
        }
        if self.rng.chance(300) {
            let seconds = self.rng.between(60, 20 * HOUR);
            self.after(seconds * 1000, Task::PaidElsewhere);
        }
    }

    /// A request for one of few times; rivals want an earlier customer's time, or one that overlaps
    /// it.
    fn slot_request(
        &mut self,
        number: usize,
        people: &[Id<Customer>],
        rival: Option<&SlotRequest>,
    ) -> Option<SlotRequest> {
        let at = usize::try_from(self.rng.below(people.len().try_into().unwrap_or(1))).ok()?;
        let customer_id = *people.get(at)?;
        let [short, long] = OFFERINGS;
        let priced = if self.rng.chance(500) { short } else { long };
        let offering = if self.rng.chance(120) { CONSULTATION } else { priced };
        let starts_at = match rival {
            Some(rival) => rival.starts.first()?.plus_minutes(60 * self.rng.between(0, 1)),
            None => self.some_start(),
        };
        let is_package = offering != CONSULTATION && self.rng.chance(250);
        let starts = if is_package { self.package_starts(starts_at) } else { vec![starts_at] };
        let mode = if self.rng.chance(700) { Mode::Online } else { Mode::InPerson };
        let key = format!("request-key-{number}");
        let practitioner_id = self.wanted_practitioner();
        Some(SlotRequest { customer_id, offering, starts, practitioner_id, mode, key })
    }

    /// The starts of a package from a first one on, each on one of the next days.
    fn package_starts(&mut self, first: Timestamp) -> Vec<Timestamp> {
        let mut starts = vec![first];
        let mut last = first;
        while starts.len() < PACKAGE_SESSIONS {
            last = last.plus_minutes(24 * 60 * self.rng.between(1, 2));
            starts.push(last);
        }
        starts
    }

    /// Anyone, or one of two by name.
    fn wanted_practitioner(&mut self) -> Option<&'static str> {
        if !self.scenario.practitioners.are_several() {
            return None;
        }
        self.rng.weighted(&[(500, None), (250, Some(LEAD_ID)), (250, Some(SECOND))], None)
    }

    /// 11:00 to 14:00 in India, today or in the next three days.
    fn some_start(&mut self) -> Timestamp {
        let days = self.rng.weighted(&[(350, 0), (350, 1), (300, 3)], 1);
        let hours = self.rng.between(0, 3);
        start_of_run().plus_minutes(90 + 24 * 60 * days + 60 * hours)
    }

    fn plan_block(&mut self) {
        let starts_at = self.some_start();
        let minutes = self.rng.between(1, 3) * 60;
        let Some(span) = Span::new(starts_at, starts_at.plus_minutes(minutes)) else { return };
        let practitioner_id = self.wanted_practitioner().unwrap_or(LEAD_ID);
        self.scenario.blocks.push(ClosedTime { practitioner_id, span });
        let saga = self.scenario.blocks.len() - 1;
        let millis = self.rng.between(0, 12 * HOUR) * 1000;
        self.after(millis, Task::Customer { saga, step: Step::Block { tries: 0 } });
    }
}

/// When every run begins: a Monday at 9:30 in India.
pub(crate) fn start_of_run() -> Timestamp {
    Timestamp::from_seconds(1_795_406_400).unwrap_or(Timestamp::EPOCH)
}

fn plan(rng: &mut Rng, is_package: bool) -> Plan {
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
        if rng.chance(500) {
            looks.push(seconds.saturating_add(rng.between(10 * MINUTE, 30 * HOUR)));
        }
    }
    if rng.chance(200) {
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
