//! What a file of `kinds/` says about its mail.

use contract::identity::v1::CodeRequested;
use eventstore::Recorded;
use futures::future::BoxFuture;
use kernel::Id;
use messaging::ReactionError;
use serde_json::Value;

use crate::delivery::sources::Sources;
use crate::mails::facts::{BookingFacts, Facts, FactsError};
use crate::mails::kind::Kind;
use crate::mails::mail::{About, Mail, NewMail};
use crate::mails::planning::{Due, Plan};
use crate::templates::render::samples::{self, Form, Typed};

/// A mail as its file declares it.
#[derive(Debug, Clone, Copy)]
pub struct Declaration {
    /// How it reaches its reader.
    pub channel: Channel,
    /// To whom it goes.
    pub audience: Audience,
    /// Whether it may come late, or not at all.
    pub urgency: Urgency,
    /// Where an answer to it goes.
    pub replies: Replies,
    /// Whether its timer is a bulk timer, behind all others: many are due at once, and no person
    /// waits for them.
    pub is_bulk: bool,
    /// Whether the calendar file is attached.
    pub has_calendar_file: bool,
    /// Which pages it leads its client to.
    pub leads_to: LeadsTo,
    /// Who reads that it was sent.
    pub sending: Sending,
    /// The mail that an event asks for by itself. Where that takes the database, a consumer does
    /// it; a mail that no event asks for is queued by a form or a timer.
    pub asked_by: fn(&Recorded) -> Result<Option<NewMail>, ReactionError>,
    /// Fetches its facts when it is due.
    pub load: Load,
    /// Whether a mail about a booking, with this payload, is no longer true.
    pub is_untrue: fn(&BookingFacts, &Value) -> bool,
    /// Whether a mail that is true is sent now, later or never.
    pub plan: fn(&Due<'_>) -> Plan,
    /// Whether the checker believes a reason for which it was dropped, without a look at events.
    pub believes: fn(&str) -> bool,
    /// The mail in every variant, from invented facts, for `render` and the tests of the templates.
    pub samples: fn(&Typed) -> Vec<Form>,
}

/// How the facts of a mail are fetched.
pub type Load = for<'a> fn(&'a Sources, &'a Mail) -> BoxFuture<'a, Result<Facts, FactsError>>;

/// How a message reaches its reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Channel {
    /// By mail.
    Mail,
}

/// To whom a mail goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// To the practice.
    Practice,
    /// To a person about a booking, or by the practice's own will. These mails count towards the
    /// hourly limit of an address.
    Client,
    /// To an address that was typed into a form; these count as well. If the server refuses that
    /// address permanently, staff can do nothing about it.
    Visitor,
    /// To the address of an account, with a code or a notice. These don't count: requests for codes
    /// are rate limited by identity, and notices tell of what a signed-in person did.
    Account,
}

/// Whether a mail may come late, or not at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Urgency {
    /// It is sent in any case. Mails about a paid booking are never delayed: otherwise filling
    /// forms with a stranger's address could delay that person's confirmation, or a reminder until
    /// its session has begun.
    Needed,
    /// It is delayed when its address is over the hourly limit, and over this limit of its own.
    Limited {
        /// How many of its kind an address gets within an hour.
        per_hour: u32,
    },
    /// It is delayed when its address is over the hourly limit, and its recipient can unsubscribe
    /// from it: it goes to a person and is not about a booking or an account.
    Optional,
}

/// Which pages a mail leads its client to, each by a key of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeadsTo {
    /// To none.
    Nowhere,
    /// To the page on which the booking is moved and cancelled.
    Booking,
    /// To that page and to the one that leads to the session.
    BookingAndSession,
}

/// Who reads that a mail was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sending {
    /// Another service: an event says so.
    Published,
    /// Staff, in the mail's row.
    Kept,
}

/// Where an answer to a mail goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replies {
    /// To the practice.
    ToPractice,
    /// From the practice to the person that the mail is about. An answer to the notice of a dispute
    /// is meant for the bank.
    ToPerson,
}

impl Declaration {
    /// A mail to a client that has nothing special.
    pub const TO_CLIENT: Self = Self {
        channel: Channel::Mail,
        audience: Audience::Client,
        urgency: Urgency::Needed,
        replies: Replies::ToPractice,
        is_bulk: false,
        has_calendar_file: false,
        leads_to: LeadsTo::Nowhere,
        sending: Sending::Kept,
        asked_by: |_event| Ok(None),
        load: |sources, mail| Box::pin(sources.booking(mail)),
        is_untrue: |_facts, _payload| false,
        plan: |_due| Plan::Send,
        believes: |_reason| false,
        samples: |_typed| Vec::new(),
    };
    /// A mail to the practice that has nothing special.
    pub const TO_PRACTICE: Self = Self { audience: Audience::Practice, ..Self::TO_CLIENT };
    /// A mail that answers a form, and has nothing special.
    pub const TO_VISITOR: Self = Self {
        audience: Audience::Visitor,
        urgency: Urgency::Optional,
        // A permanently rejected address gets no mail.
        believes: |reason| {
            matches!(reason, "unsubscribed" | "address_invalid") || reason.starts_with("smtp_5")
        },
        ..Self::TO_CLIENT
    };
    /// A mail with a code of identity.
    pub const WITH_CODE: Self = Self {
        audience: Audience::Account,
        load: |sources, mail| Box::pin(sources.code(mail)),
        // A code that was used.
        believes: |_reason| true,
        samples: samples::codes,
        ..Self::TO_CLIENT
    };
}

/// The mail with a code that identity wants for a purpose.
///
/// # Errors
/// When the event cannot be read.
pub fn code_for(
    purpose: &str,
    kind: Kind,
    event: &Recorded,
) -> Result<Option<NewMail>, ReactionError> {
    let requested = event.get::<CodeRequested>()?.filter(|e| e.purpose == purpose);
    let Some(e) = requested else { return Ok(None) };
    let about = About::Code(id(&e.code_id)?);
    Ok(Some(NewMail::about(kind, e.code_id, about)))
}

/// Reads an id of an event. A malformed id parks the event, so that staff sees it.
///
/// # Errors
/// When it is none.
pub fn id<K: kernel::id::Kind>(text: &str) -> Result<Id<K>, ReactionError> {
    text.parse().map_err(|error: kernel::id::InvalidId| ReactionError::Failed(error.into()))
}
