//! Everything that can be read from outside after a run. Each field says which table or which page
//! of the sandbox it is taken from.

use std::collections::BTreeSet;

use eventstore::Recorded;
use kernel::id::{
    Block, Booking, Collection, Customer, Mail, PaymentLink, Refund, RefundRequest, Review,
};
use kernel::{Id, Timestamp};
use payments::domain::link::Link;
use uuid::Uuid;

mod book;

pub use book::{
    ProviderBook, ProviderDispute, ProviderLink, ProviderOrder, ProviderPayment, ProviderRefund,
};

/// What a run left behind, read while nothing was under way.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// When it was read, by the one clock (`clock_now()`).
    pub taken_at: Timestamp,
    /// booking's database.
    pub booking: BookingStore,
    /// payments' database.
    pub payments: PaymentsStore,
    /// notifications' database.
    pub notifications: NotificationsStore,
    /// identity's log, where there is one.
    pub identity: Option<Log>,
    /// The log of reviews, where there is one.
    pub reviews: Option<Log>,
    /// What the payment provider itself knows.
    pub provider: ProviderBook,
    /// What the mail server took, in its order.
    pub inbox: Vec<SentMail>,
    /// What was acknowledged to a client (an answer that was no error).
    pub acks: Vec<Ack>,
    /// Faults that may have sent a mail twice: a crash or a lost answer between the mail server's
    /// "250" and the commit.
    pub mail_repeats_injected: usize,
    /// How many hours before a session its client is reminded, by the practice's file; none where
    /// that was not read.
    pub reminder_hours: Option<i32>,
    /// Whether all of it was written by programs of this version.
    pub is_of_this_version: bool,
}

/// The event log of one service and everything that stands around it.
#[derive(Debug, Clone, Default)]
pub struct Log {
    /// `events`, left join `feed`; in any order.
    pub events: Vec<EventRow>,
    /// `outbox`: the `seq` of events that have no position yet.
    pub outbox: Vec<i64>,
    /// `checkpoints` of this service's own consumers.
    pub checkpoints: Vec<CheckpointRow>,
    /// `parked_events` of this service's own consumers.
    pub parked: Vec<ParkedRow>,
    /// `timers`.
    pub timers: Vec<TimerRow>,
}

/// One row of `events`, with its row of `feed`.
#[derive(Debug, Clone)]
pub struct EventRow {
    /// `events.seq`.
    pub seq: i64,
    /// `feed.position`; none while it waits in the outbox.
    pub position: Option<i64>,
    /// The rest of the row. Its own `position` is not looked at.
    pub event: Recorded,
}

/// One row of `checkpoints`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckpointRow {
    /// The consumer, for example `booking-on-payments`.
    pub consumer: String,
    /// The service whose feed it reads.
    pub source: String,
    /// How far it has come.
    pub position: i64,
}

/// One row of `parked_events`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParkedRow {
    /// The consumer that could not handle it.
    pub consumer: String,
    /// The service whose event it is.
    pub source: String,
    /// Its place in that service's feed.
    pub position: i64,
    /// The stream that waits.
    pub stream_id: String,
    /// What went wrong.
    pub error: String,
}

/// One row of `timers`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimerRow {
    /// What is to be done.
    pub kind: String,
    /// With what.
    pub subject: String,
    /// When.
    pub due_at: Timestamp,
}

/// booking's database.
#[derive(Debug, Clone, Default)]
pub struct BookingStore {
    /// Its log.
    pub log: Log,
    /// `bookings`.
    pub bookings: Vec<BookingRow>,
    /// `slot_reservations`.
    pub reservations: Vec<ReservationRow>,
}

/// One row of `bookings`, as far as decisions or their proof rest on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BookingRow {
    /// Its id.
    pub booking_id: Id<Booking>,
    /// Its owner.
    pub customer_id: Id<Customer>,
    /// The service that was booked.
    pub service_id: String,
    /// `price_minor`.
    pub price_minor: i64,
    /// `price_currency`.
    pub price_currency: String,
    /// Whose time it takes.
    pub practitioner_id: String,
    /// `online` or `in_person`.
    pub mode: String,
    /// The word of its state.
    pub state: String,
    /// Until when it is held, while it is.
    pub held_until_at: Option<Timestamp>,
    /// Whether checkout was opened or a payment claimed.
    pub checkout_opened: bool,
    /// The word of its payment state.
    pub payment_state: String,
}

/// The holder of a practitioner's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Holder {
    /// A booking.
    Booking(Id<Booking>),
    /// A time that the practice closed.
    Block(Id<Block>),
}

/// One row of `slot_reservations`, or of the table that keeps a blocked time from being sold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReservationRow {
    /// The holder of the time.
    pub holder: Holder,
    /// Whose time it is.
    pub practitioner_id: String,
    /// When it begins.
    pub starts_at: Timestamp,
    /// When it ends.
    pub ends_at: Timestamp,
    /// Until when it is held; none once it is booked or blocked.
    pub held_until_at: Option<Timestamp>,
    /// Whether it still counts.
    pub live: bool,
}

/// payments' database.
#[derive(Debug, Clone, Default)]
pub struct PaymentsStore {
    /// Its log.
    pub log: Log,
    /// `collections`.
    pub collections: Vec<CollectionRow>,
    /// `payment_links`.
    pub links: Vec<LinkRow>,
    /// `refunds`.
    pub refunds: Vec<RefundRow>,
    /// `webhook_inbox`.
    pub webhooks: Vec<WebhookRow>,
    /// The ledger's lines; none where there is no ledger.
    pub ledger: Option<Vec<LedgerLine>>,
    /// `receipts`; none where there are no receipts.
    pub receipts: Option<Vec<ReceiptRow>>,
    /// `refund_requests`, without the words that client and practice wrote.
    pub refund_requests: Vec<RefundRequestRow>,
}

/// One row of `refund_requests`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefundRequestRow {
    /// Its id.
    pub request_id: Id<RefundRequest>,
    /// The booking whose money is asked for.
    pub booking_id: Id<Booking>,
    /// `open`, `granted` or `declined`.
    pub state: String,
    /// `amount_minor` of a granted one.
    pub amount_minor: Option<i64>,
    /// `amount_currency` of a granted one.
    pub amount_currency: Option<String>,
}

/// One row of `receipts`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceiptRow {
    /// The year of the April in which its financial year began.
    pub financial_year: i32,
    /// Its number in that year.
    pub number: i32,
    /// The booking that the money is for.
    pub booking_id: Id<Booking>,
    /// The provider's payment.
    pub payment_id: String,
    /// `amount_minor`.
    pub amount_minor: i64,
}

/// One row of `collections`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollectionRow {
    /// What it pays for.
    pub booking_id: Id<Booking>,
    /// The provider's receipt.
    pub collection_id: Id<Collection>,
    /// The booking's owner.
    pub customer_id: Id<Customer>,
    /// `amount_minor`.
    pub amount_minor: i64,
    /// `amount_currency`.
    pub amount_currency: String,
    /// The provider's order, once there is one.
    pub order_id: Option<String>,
    /// The word of its standing.
    pub state: String,
    /// The payment that counts.
    pub verified_payment_id: Option<String>,
}

/// One row of `payment_links`, with its rows of `payment_link_orders`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkRow {
    /// Our id, the reference.
    pub link_id: Id<PaymentLink>,
    /// What it pays for.
    pub booking_id: Id<Booking>,
    /// The provider's id, once its creation was answered.
    pub provider_link_id: Option<String>,
    /// `created`, `partially_paid`, `paid`, `cancelled`, `expired` or `absent`.
    pub status: String,
    /// Why it is not handed out any more.
    pub withdrawn: Option<String>,
    /// Until when it takes money.
    pub expires_at: Timestamp,
    /// The orders beneath it.
    pub order_ids: BTreeSet<String>,
}

impl LinkRow {
    /// The row of a link as it stands.
    #[must_use]
    pub fn of(booking_id: Id<Booking>, link_id: Id<PaymentLink>, link: &Link) -> Self {
        let status = if link.is_absent { "absent" } else { link.status.word() };
        Self {
            link_id,
            booking_id,
            provider_link_id: link.created.as_ref().map(|created| created.id.to_string()),
            status: status.to_owned(),
            withdrawn: link.withdrawn.map(|why| why.word().to_owned()),
            expires_at: link.expires_at,
            order_ids: link.orders.iter().map(ToString::to_string).collect(),
        }
    }
}

/// One row of `refunds`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefundRow {
    /// Our id.
    pub refund_id: Id<Refund>,
    /// Whose money it is.
    pub booking_id: Id<Booking>,
    /// The provider's payment.
    pub payment_id: String,
    /// `amount_minor`.
    pub amount_minor: i64,
    /// `amount_currency`.
    pub amount_currency: String,
    /// Why.
    pub cause: String,
    /// `requested`, `accepted`, `processed` or `failed`.
    pub state: String,
    /// The provider's id, once it took it.
    pub provider_refund_id: Option<String>,
}

/// One row of `webhook_inbox`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookRow {
    /// The id under which it was kept.
    pub event_id: String,
    /// The hash of its body.
    pub body_sha256: Vec<u8>,
    /// Whether it was folded.
    pub folded: bool,
    /// The order that it waits for, while that is not known.
    pub waits_for_order_id: Option<String>,
}

/// One line of an entry of the ledger. Debits are positive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerLine {
    /// What binds the lines of one entry together: its id as text.
    pub entry: String,
    /// The provider's payment that the entry is about, if it is about one.
    pub payment_id: Option<String>,
    /// The account's word, for example `customer_advance`.
    pub account: String,
    /// Signed minor units.
    pub minor: i64,
    /// ISO 4217 code.
    pub currency: String,
}

/// notifications' database.
#[derive(Debug, Clone, Default)]
pub struct NotificationsStore {
    /// Its log.
    pub log: Log,
    /// `mails`.
    pub mails: Vec<MailRow>,
}

/// One row of `mails`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailRow {
    /// Its id.
    pub mail_id: Id<Mail>,
    /// Which mail it is, for example `booking_confirmed`.
    pub kind: String,
    /// What it is sent once for: the wire id of a booking, refund, receipt, code, message, request
    /// or review, or a date.
    pub subject: String,
    /// The booking that it is about, if it is about one.
    pub booking_id: Option<Id<Booking>>,
    /// The word of its state.
    pub state: String,
    /// `last_error`: why it failed or was dropped.
    pub reason: Option<String>,
    /// Its Message-ID, once it was tried, as the row has it.
    pub message_id: Option<String>,
    /// Whether it had the meeting link.
    pub link_told: bool,
}

/// A mail as the mail server took it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentMail {
    /// Its Message-ID, with its angle brackets as in the header.
    pub message_id: String,
    /// To whom.
    pub to: String,
}

/// An acknowledgement: the caller got a success answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ack {
    /// `RequestBooking` answered with this booking.
    Requested(Id<Booking>),
    /// `OpenCheckout` was answered.
    CheckoutOpened(Id<Booking>),
    /// `ReleaseBooking` was answered.
    Released(Id<Booking>),
    /// `StartPayment` answered with this order.
    OrderStarted { booking_id: Id<Booking>, order_id: String },
    /// The same with a payment link, by the provider's id.
    LinkStarted { booking_id: Id<Booking>, link_id: String },
    /// `ClaimPayment` was answered.
    Claimed(Id<Booking>),
    /// A webhook was answered with 200.
    Webhook { event_id: String, body_sha256: Vec<u8> },
    /// Staff cancelled a booking, or its customer did.
    Cancelled(Id<Booking>),
    /// Staff took the customer's word.
    ClaimAccepted(Id<Booking>),
    /// Staff closed a time.
    Blocked(Id<Block>),
    /// Staff opened it again.
    Unblocked(Id<Block>),
    /// Staff or another command requested a refund; the answer has its id.
    RefundRequested(Id<Refund>),
    /// `SubmitReview` answered with this review.
    Reviewed(Id<Review>),
    /// `SendContactMessage` was answered; by its key, because the answer has no id.
    Messaged(String),
    /// `RequestMeditationGuide` was answered, for an address that gets one; by its key.
    GuideRequested(String),
    /// Any other command whose answer has an event's id.
    Event(Uuid),
}

impl Snapshot {
    /// The logs of all services, with their names.
    #[must_use]
    pub fn logs(&self) -> Vec<(&'static str, &Log)> {
        let mut logs = vec![
            ("booking", &self.booking.log),
            ("payments", &self.payments.log),
            ("notifications", &self.notifications.log),
        ];
        logs.extend(self.identity.as_ref().map(|log| ("identity", log)));
        logs.extend(self.reviews.as_ref().map(|log| ("reviews", log)));
        logs
    }

    /// The log of a service by its name.
    #[must_use]
    pub fn log_of(&self, name: &str) -> Option<&Log> {
        self.logs().into_iter().find(|(known, _)| *known == name).map(|(_, log)| log)
    }
}
