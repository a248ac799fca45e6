//! The mails, a file each, which declares all that there is to say of one. `build.rs` makes the
//! lists of them from this folder.

mod account_invitation;
mod account_notice;
mod booking_cancelled;
mod booking_confirmed;
mod booking_moved;
mod cancellation_notice;
mod confirm_address;
mod consent_code;
mod contact_acknowledgement;
mod contact_message;
mod day_sheet;
mod dispute_notice;
mod follow_up;
mod hold_ended;
mod leave_address;
mod meditation_guide;
mod meeting_link;
mod move_notice;
mod move_proposal_withdrawn;
mod move_proposed;
mod new_address;
mod page_code;
mod payment_page;
mod practice_notice;
mod reauthentication;
mod receipt;
mod recover_password;
mod refund_answered;
mod refund_asked;
mod refund_asked_notice;
mod refund_done;
mod refund_failed;
mod refund_failed_notice;
mod refund_started;
mod reminder;
mod review_notice;
mod room_missing_notice;
mod second_reminder;
mod sign_in_code;
mod staff_invitation;
mod waiting_offer;

use eventstore::Recorded;
use kernel::Timestamp;
use messaging::ReactionError;
use practice::Practice;

use crate::mails::declaration::{Audience, Declaration, LeadsTo, Replies, Sending, Urgency};
use crate::mails::facts::Facts;
use crate::mails::kind::Kind;
use crate::mails::mail::{Mail, NewMail};
use crate::mails::moves;
use crate::mails::planning::{Due, OVERTAKEN, Plan};

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident $name:ident)*) => {
        impl Kind {
            /// What its file declares.
            #[must_use]
            pub const fn declaration(self) -> &'static Declaration {
                match self {
                    $(Self::$kind => &$name::MAIL,)*
                }
            }
        }
    };
}

include!(concat!(env!("OUT_DIR"), "/kinds.rs"));

impl Kind {
    /// Whether its timer is a bulk timer.
    #[must_use]
    pub const fn is_bulk(self) -> bool {
        self.declaration().is_bulk
    }

    /// Whether the calendar file is attached.
    #[must_use]
    pub const fn has_calendar_file(self) -> bool {
        self.declaration().has_calendar_file
    }

    /// Whether it leads its client to the page of the session.
    #[must_use]
    pub const fn leads_to_session(self) -> bool {
        matches!(self.declaration().leads_to, LeadsTo::BookingAndSession)
    }

    /// Whether it leads its client to the page on which the booking is moved and cancelled.
    #[must_use]
    pub const fn leads_to_booking(self) -> bool {
        !matches!(self.declaration().leads_to, LeadsTo::Nowhere)
    }

    /// Whether another service reads that it was sent.
    #[must_use]
    pub const fn is_sending_published(self) -> bool {
        matches!(self.declaration().sending, Sending::Published)
    }

    /// Whether it goes to the practice.
    #[must_use]
    pub const fn is_for_the_practice(self) -> bool {
        matches!(self.declaration().audience, Audience::Practice)
    }

    /// Whether the practice's answer to it goes to the person that it is about.
    #[must_use]
    pub const fn is_answered_to_the_person(self) -> bool {
        matches!(self.declaration().replies, Replies::ToPerson)
    }

    /// Whether it counts towards the hourly limit of an address.
    #[must_use]
    pub const fn is_counted(self) -> bool {
        matches!(self.declaration().audience, Audience::Client | Audience::Visitor)
    }

    /// Whether it is delayed when its address is over the hourly limit.
    #[must_use]
    pub const fn is_rate_limited(self) -> bool {
        !matches!(self.declaration().urgency, Urgency::Needed)
    }

    /// The hourly limit of this kind per address, if it has its own.
    #[must_use]
    pub const fn hourly_max(self) -> Option<u32> {
        match self.declaration().urgency {
            Urgency::Limited { per_hour } => Some(per_hour),
            Urgency::Needed | Urgency::Optional => None,
        }
    }

    /// Whether it goes to an address typed into a form.
    #[must_use]
    pub const fn answers_a_form(self) -> bool {
        matches!(self.declaration().audience, Audience::Visitor)
    }

    /// Whether its recipient can unsubscribe from it.
    #[must_use]
    pub const fn can_be_unsubscribed(self) -> bool {
        matches!(self.declaration().urgency, Urgency::Optional)
    }
}

/// The mails that an event asks for by itself.
///
/// # Errors
/// When it asks for one and cannot be read.
pub fn asked_by(event: &Recorded) -> Result<Vec<NewMail>, ReactionError> {
    let asked = Kind::ALL.iter().map(|kind| (kind.declaration().asked_by)(event));
    asked.filter_map(Result::transpose).collect()
}

/// What to do with a mail at `now`.
#[must_use]
pub fn plan(mail: &Mail, facts: &Facts, practice: &Practice, now: Timestamp) -> Plan {
    let declared = mail.kind.declaration();
    if let Facts::Booking(facts) = facts
        && let Some(plan) = moves::until_known(facts, mail, now)
    {
        return plan;
    }
    match facts {
        Facts::Booking(facts) if (declared.is_untrue)(facts, &mail.payload) => {
            Plan::Drop(OVERTAKEN)
        }
        _ => (declared.plan)(&Due { mail, facts, practice, now }),
    }
}
