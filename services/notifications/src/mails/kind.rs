//! The kinds of mails and their properties.

use std::fmt;
use std::str::FromStr;

use contract::notifications::v1::MailKind;

/// A row holds a value that this program does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this is not a word of the mails table")]
pub struct UnknownValue;

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $name:literal,)*) => {
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
                    $(Self::$kind => $name,)*
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

kinds! {
    /// The customer's confirmation.
    BookingConfirmed = "booking_confirmed",
    /// The practice's notice of a new booking.
    PracticeNotice = "practice_notice",
    /// The meeting link that came after the confirmation.
    MeetingLink = "meeting_link",
    /// The hold ended without money.
    HoldEnded = "hold_ended",
    /// A refund has started.
    RefundStarted = "refund_started",
    /// A refund is done.
    RefundDone = "refund_done",
    /// A refund failed for good.
    RefundFailed = "refund_failed",
    /// The practice's notice of that.
    RefundFailedNotice = "refund_failed_notice",
    /// The practice's notice of a session that has no room a day before it starts.
    RoomMissingNotice = "room_missing_notice",
    /// A code to confirm an address.
    ConfirmAddress = "confirm_address",
    /// A code to choose a new password.
    RecoverPassword = "recover_password",
    /// The booking was cancelled.
    BookingCancelled = "booking_cancelled",
    /// The practice's notice of that.
    CancellationNotice = "cancellation_notice",
    /// The receipt for a payment.
    Receipt = "receipt",
    /// A day before a session.
    Reminder = "reminder",
    /// Shortly before a session.
    SecondReminder = "second_reminder",
    /// After a session.
    FollowUp = "follow_up",
    /// A visitor's message, to the practice.
    ContactMessage = "contact_message",
    /// The acknowledgement of a message, to its sender.
    ContactAcknowledgement = "contact_acknowledgement",
    /// The meditation guide.
    MeditationGuide = "meditation_guide",
    /// The practice's notice of a new review.
    ReviewNotice = "review_notice",
    /// The practice's sessions of a day.
    DaySheet = "day_sheet",
    /// The practice's notice of a dispute.
    DisputeNotice = "dispute_notice",
    /// The address at which a booking that was made by phone is paid.
    PaymentPage = "payment_page",
    /// A code to sign in without a password.
    SignInCode = "sign_in_code",
    /// A code to accept an account that an administrator made.
    AccountInvitation = "account_invitation",
    /// A code with which an account leaves its address.
    LeaveAddress = "leave_address",
    /// A code to prove the address that an account changes to.
    NewAddress = "new_address",
    /// A code with which a signed-in user may set a new password.
    Reauthentication = "reauthentication",
    /// What has changed at an account.
    AccountNotice = "account_notice",
    /// An invitation to the practice's staff.
    StaffInvitation = "staff_invitation",
    /// A code with which the client of a booking by phone signs the consent.
    ConsentCode = "consent_code",
}

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
