//! The kinds of mails: each has a file in `kinds/`, after which it is named.

use std::fmt;
use std::str::FromStr;

use contract::notifications::v1::MailKind;

/// A row holds a value that this program does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this is not a word of the mails table")]
pub struct UnknownValue;

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident $name:ident)*) => {
        /// The kind of a mail. Its name is that of its templates and of its rows.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Kind {
            $($(#[$doc])* $kind,)*
        }

        impl Kind {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$kind,)*];

            /// Its name in rows, templates and logs.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => stringify!($name),)*
                }
            }

            /// Its name on the wire.
            #[must_use]
            pub const fn wire(self) -> MailKind {
                match self {
                    $(Self::$kind => MailKind::$kind,)*
                }
            }
        }
    };
}

include!(concat!(env!("OUT_DIR"), "/kinds.rs"));

impl Kind {
    /// Whether its timer is a bulk timer, behind all others: many are due at once, and no person
    /// waits for them.
    #[must_use]
    pub const fn is_bulk(self) -> bool {
        matches!(self, Self::Reminder | Self::SecondReminder | Self::FollowUp)
    }

    /// Whether the calendar file is attached.
    #[must_use]
    pub const fn has_calendar_file(self) -> bool {
        matches!(self, Self::BookingConfirmed | Self::MeetingLink | Self::BookingCancelled)
    }

    /// Whether it leads its client to the page of the session.
    #[must_use]
    pub const fn leads_to_session(self) -> bool {
        matches!(
            self,
            Self::BookingConfirmed | Self::MeetingLink | Self::Reminder | Self::SecondReminder
        )
    }

    /// Whether it goes to the practice.
    #[must_use]
    pub const fn is_for_the_practice(self) -> bool {
        matches!(
            self,
            Self::PracticeNotice
                | Self::CancellationNotice
                | Self::ContactMessage
                | Self::ReviewNotice
                | Self::DaySheet
                | Self::DisputeNotice
                | Self::RefundFailedNotice
                | Self::RoomMissingNotice
        )
    }

    /// Whether the practice's answer to it goes to the client that it is about. An answer to the
    /// notice of a dispute is meant for the bank.
    #[must_use]
    pub const fn is_answered_to_the_client(self) -> bool {
        matches!(self, Self::PracticeNotice | Self::CancellationNotice | Self::RefundFailedNotice)
    }

    /// Whether it counts towards the hourly limit of an address: it goes to a person, and is
    /// neither a code nor a notice about an account. Requests for codes are rate limited by
    /// identity, and notices tell of what a signed-in person did.
    #[must_use]
    pub const fn is_counted(self) -> bool {
        !self.is_for_the_practice() && !self.is_a_code() && !matches!(self, Self::AccountNotice)
    }

    /// Whether it brings a code of identity.
    #[must_use]
    pub const fn is_a_code(self) -> bool {
        matches!(
            self,
            Self::ConfirmAddress
                | Self::RecoverPassword
                | Self::SignInCode
                | Self::AccountInvitation
                | Self::LeaveAddress
                | Self::NewAddress
                | Self::Reauthentication
        )
    }

    /// Whether it is delayed when its address is over the hourly limit. Mails about a paid booking
    /// count and are never delayed: otherwise filling forms with a stranger's address could delay
    /// that person's confirmation, or a reminder until its session has begun.
    #[must_use]
    pub const fn is_rate_limited(self) -> bool {
        matches!(
            self,
            Self::HoldEnded | Self::ContactAcknowledgement | Self::MeditationGuide | Self::FollowUp
        )
    }

    /// The hourly limit of this kind per address, if it has its own. Holding a slot doesn't prove
    /// that the address belongs to the client.
    #[must_use]
    pub const fn hourly_max(self) -> Option<u32> {
        match self {
            Self::HoldEnded => Some(4),
            _ => None,
        }
    }

    /// Whether it goes to an address typed into a form. If the server refuses that address
    /// permanently, staff can do nothing about it.
    #[must_use]
    pub const fn answers_a_form(self) -> bool {
        matches!(self, Self::ContactAcknowledgement | Self::MeditationGuide)
    }

    /// Whether its recipient can unsubscribe from it: it goes to a person and is not about a
    /// booking or an account.
    #[must_use]
    pub const fn can_be_unsubscribed(self) -> bool {
        matches!(self, Self::ContactAcknowledgement | Self::MeditationGuide | Self::FollowUp)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Kind {
    type Err = UnknownValue;

    fn from_str(text: &str) -> Result<Self, UnknownValue> {
        Self::ALL.iter().copied().find(|kind| kind.name() == text).ok_or(UnknownValue)
    }
}
