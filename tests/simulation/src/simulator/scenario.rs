//! Who takes part in a run, what each means to do, and the steps of that.

mod plan;

use booking::domain::availability::Rules;
use booking::domain::practitioners::Practitioners;
use booking::domain::span::Span;
use kernel::id::{Block, Booking};
use kernel::{Id, Timestamp};
use payments::domain::desk::Way as DeskWay;
use payments::domain::fact::{LinkId, OrderId};

use super::offerings::{ClosedTime, SlotRequest, practitioners, rules};

pub(crate) use plan::{Pay, Plan, Way, When, plan};

/// When every run begins: a Monday at 9:30 in India.
pub(crate) fn start_of_run() -> Timestamp {
    Timestamp::from_seconds(1_795_406_400).unwrap_or(Timestamp::EPOCH)
}

/// A customer's next step with one booking, or staff's.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    Request {
        tries: u32,
    },
    Start {
        tries: u32,
    },
    /// `StartPayment` was answered, with an order or with an error.
    Ordered(Option<OrderId>),
    /// The same, with a payment link.
    Linked(Option<LinkId>),
    Open {
        tries: u32,
    },
    Release {
        tries: u32,
    },
    Pay(Pay),
    Check,
    Claim {
        tries: u32,
    },
    Cancel {
        session: Option<usize>,
        tries: u32,
    },
    UndoCancel {
        tries: u32,
    },
    /// A session is moved by so many hours from the time that was seen.
    Move {
        number: usize,
        seen: Option<Span>,
        hours: i64,
        tries: u32,
    },
    /// The practice asks for another time.
    Propose {
        number: usize,
        seen: Option<Span>,
        tries: u32,
    },
    /// It takes that back.
    Withdraw {
        tries: u32,
    },
    AcceptClaim {
        tries: u32,
    },
    PayAtDesk {
        way: DeskWay,
        tries: u32,
    },
    GiveBack {
        way: DeskWay,
        tries: u32,
    },
    Refund {
        tries: u32,
    },
    ReleaseRefund {
        tries: u32,
    },
    Block {
        tries: u32,
    },
    Unblock {
        block_id: Id<Block>,
        tries: u32,
    },
}

/// One booking attempt.
#[derive(Debug, Clone)]
pub(crate) struct Saga {
    pub(crate) slot_request: SlotRequest,
    pub(crate) plan: Plan,
    pub(crate) booking: Option<Id<Booking>>,
    /// Where it can be paid, in the order in which the customer got there.
    pub(crate) places: Vec<Place>,
    /// How often a payment was started without an answer.
    pub(crate) starts: u32,
}

/// Where a booking can be paid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// In the checkout.
    Order(OrderId),
    /// On the page of a payment link.
    Link(LinkId),
}

/// All participants, and the settings of a whole run.
#[derive(Debug)]
pub(crate) struct Scenario {
    pub(crate) rules: Rules,
    /// One practitioner, or two.
    pub(crate) practitioners: Practitioners,
    /// The practice takes every claim at once (`PAYMENT_CLAIM_POLICY=accept`).
    pub(crate) accepts_claims: bool,
    pub(crate) sagas: Vec<Saga>,
    /// Times that staff want to close.
    pub(crate) blocks: Vec<ClosedTime>,
}

impl Default for Scenario {
    fn default() -> Self {
        Self {
            rules: rules(),
            practitioners: practitioners(false),
            accepts_claims: false,
            sagas: Vec::new(),
            blocks: Vec::new(),
        }
    }
}

impl Scenario {
    /// Whether money may come more than once for the booking of an order, which may be beneath a
    /// payment link.
    pub(crate) fn pays_often(&self, order: &OrderId, link: Option<&LinkId>) -> bool {
        let is_it = |place: &Place| match place {
            Place::Order(it) => it == order,
            Place::Link(it) => Some(it) == link,
        };
        let mut sagas = self.sagas.iter().filter(|saga| saga.places.iter().any(is_it));
        sagas.any(|saga| saga.plan.pays_often())
    }
}
