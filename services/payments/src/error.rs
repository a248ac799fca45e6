//! The errors of commands: why a command is rejected, with code, reason, field and text.

use kernel::{Code, CommandError, Reject};

use crate::domain::{collection, payer, receipt};

/// How a command fails.
pub type Error = CommandError<Rejection>;

/// Why a command is rejected. Its text is shown to people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// Not 8 to 64 printable characters.
    #[error("An idempotency key has 8 to 64 letters, digits or signs.")]
    InvalidIdempotencyKey,
    /// The key was used for another request.
    #[error("This idempotency key was used for another request.")]
    IdempotencyKeyReused,
    /// Not a payment's id.
    #[error("This is not the id of a payment.")]
    InvalidPaymentId,
    /// No such booking, or not for this caller.
    #[error("There is no such booking.")]
    BookingNotFound,
    /// The terms of a booking that was made by phone were not accepted.
    #[error("Please agree to the terms first. You find them at the address that we sent you.")]
    TermsNotAccepted,
    /// Such a booking lacks the consent to its online sessions.
    #[error("Please consent to online sessions first, at the address that we sent you.")]
    ConsentRequired,
    /// The hold has run out.
    #[error("Your time is not held any more. Please choose a time again.")]
    HoldEnded,
    /// The amount can not be paid.
    #[error("Invalid price value")]
    InvalidPrice,
    /// The payment was continued in another way while this one was prepared.
    #[error("The payment was continued in another window. Please try again.")]
    MethodChanged,
    /// Links were asked for too often.
    #[error("There were too many attempts to pay on the other page. Please pay here.")]
    TooManyLinks,
    /// There is no order yet.
    #[error("The payment was not started yet.")]
    PaymentNotStarted,
    /// The checkout's answer is forged.
    #[error("This answer was not signed by the payment provider.")]
    SignatureInvalid,
    /// The provider does not answer.
    #[error("The payment provider does not answer right now. Please try again.")]
    ProviderUnavailable,
    /// No money is left.
    #[error("There is nothing to refund.")]
    NothingToRefund,
    /// Not an amount of what is left.
    #[error("This amount cannot be refunded.")]
    InvalidAmount,
    /// Too short, too long, or not of letters.
    #[error("An explanation has 3 to 500 characters.")]
    InvalidExplanation,
    /// The provider refunds no amount as small as this, or as what it would leave.
    #[error("A refund is of at least ₹1, and leaves nothing or at least ₹1.")]
    AmountNotRefundable,
    /// No refund of the booking waits for the end of a dispute.
    #[error("No refund of this booking waits for the end of a dispute.")]
    RefundNotHeld,
    /// The provider has deducted the money of every refund that waits.
    #[error("The bank has this money already, because of its dispute. Wait for its decision.")]
    RefundDeducted,
    /// Only bookings by phone are paid at the desk.
    #[error("This booking was not made by phone. Its client pays it on the website.")]
    NotByPhone,
    /// Its money is here.
    #[error("This booking is paid already.")]
    AlreadyPaid,
    /// Another sum than what is to be paid, or given back.
    #[error("This is not the amount that is owed.")]
    AmountNotOwed,
    /// Nothing is to be given back at the desk.
    #[error("Nothing of this booking is to be given back at the desk.")]
    NothingOwed,
    /// Neither in cash nor by UPI.
    #[error("Please say whether it was in cash or by UPI.")]
    InvalidDeskWay,
    /// Not the reference of a bank.
    #[error("A reference of the bank has at most 40 letters, digits, - and /; cash has none.")]
    InvalidReference,
    /// The front desk takes less than this.
    #[error("The front desk may not take this much. Please ask an owner or an admin.")]
    AboveDeskLimit,
    /// The list of what nothing explains has no such row.
    #[error("There is nothing of that kind to explain.")]
    NothingUnexplained,
    /// Not valid on a document.
    #[error("{0}")]
    InvalidPayer(payer::PayerError),
    /// Only receipts are issued, and they name the customer.
    #[error("This practice issues receipts only. They name the person with the booking.")]
    PapersOff,
    /// The invoice names a payer.
    #[error("The invoice is issued. Please write to us if something on it is not right.")]
    PayerFixed,
    /// No such receipt.
    #[error("There is no such receipt.")]
    ReceiptUnknown,
    /// What can only come from inside: the settings allow no receipt.
    #[error("The receipt cannot be issued: {0}")]
    ReceiptRefused(receipt::ReceiptError),
    /// What can only come from inside: an event or a job that does not fit its collection.
    #[error("This does not fit what is known of the payment.")]
    Misfit(collection::Rejection),
}

impl Rejection {
    /// Whether the same request may succeed later.
    #[must_use]
    pub fn is_temporary(&self) -> bool {
        self.code() == Code::Unavailable
    }
}

impl Reject for Rejection {
    fn code(&self) -> Code {
        match self {
            Self::InvalidIdempotencyKey
            | Self::IdempotencyKeyReused
            | Self::InvalidPaymentId
            | Self::InvalidExplanation
            | Self::InvalidPayer(_)
            | Self::AmountNotRefundable
            | Self::AmountNotOwed
            | Self::InvalidDeskWay
            | Self::InvalidReference
            | Self::InvalidAmount => Code::InvalidArgument,
            Self::BookingNotFound | Self::NothingUnexplained | Self::ReceiptUnknown => {
                Code::NotFound
            }
            Self::HoldEnded
            | Self::TermsNotAccepted
            | Self::ConsentRequired
            | Self::InvalidPrice
            | Self::MethodChanged
            | Self::TooManyLinks
            | Self::PaymentNotStarted
            | Self::NothingToRefund
            | Self::RefundNotHeld
            | Self::RefundDeducted
            | Self::NotByPhone
            | Self::AlreadyPaid
            | Self::NothingOwed
            | Self::AboveDeskLimit
            | Self::PapersOff
            | Self::PayerFixed
            | Self::ReceiptRefused(_)
            | Self::Misfit(_) => Code::FailedPrecondition,
            Self::SignatureInvalid => Code::PermissionDenied,
            Self::ProviderUnavailable => Code::Unavailable,
        }
    }

    fn reason(&self) -> &'static str {
        match self {
            Self::InvalidIdempotencyKey => "INVALID_IDEMPOTENCY_KEY",
            Self::IdempotencyKeyReused => "IDEMPOTENCY_KEY_REUSED",
            Self::InvalidPaymentId => "INVALID_PAYMENT_ID",
            Self::BookingNotFound => "BOOKING_NOT_FOUND",
            Self::TermsNotAccepted => "TERMS_NOT_ACCEPTED",
            Self::ConsentRequired => "CONSENT_REQUIRED",
            Self::HoldEnded => "HOLD_ENDED",
            Self::InvalidPrice => "INVALID_PRICE",
            Self::MethodChanged => "METHOD_CHANGED",
            Self::TooManyLinks => "TOO_MANY_LINKS",
            Self::PaymentNotStarted => "PAYMENT_NOT_STARTED",
            Self::SignatureInvalid => "SIGNATURE_INVALID",
            Self::ProviderUnavailable => "PROVIDER_UNAVAILABLE",
            Self::NothingToRefund => "NOTHING_TO_REFUND",
            Self::InvalidAmount => "INVALID_AMOUNT",
            Self::AmountNotRefundable => "AMOUNT_NOT_REFUNDABLE",
            Self::RefundNotHeld => "REFUND_NOT_HELD",
            Self::RefundDeducted => "REFUND_DEDUCTED",
            Self::NotByPhone => "NOT_BY_PHONE",
            Self::AlreadyPaid => "ALREADY_PAID",
            Self::AmountNotOwed => "AMOUNT_NOT_OWED",
            Self::NothingOwed => "NOTHING_OWED",
            Self::InvalidDeskWay => "INVALID_DESK_WAY",
            Self::InvalidReference => "INVALID_REFERENCE",
            Self::AboveDeskLimit => "ABOVE_DESK_LIMIT",
            Self::InvalidExplanation => "INVALID_EXPLANATION",
            Self::NothingUnexplained => "NOTHING_UNEXPLAINED",
            Self::InvalidPayer(_) => "INVALID_PAYER",
            Self::PapersOff => "PAPERS_OFF",
            Self::PayerFixed => "PAYER_FIXED",
            Self::ReceiptUnknown => "RECEIPT_UNKNOWN",
            Self::ReceiptRefused(_) => "RECEIPT_REFUSED",
            Self::Misfit(_) => "PAYMENT_MISFIT",
        }
    }

    fn field(&self) -> Option<&'static str> {
        match self {
            Self::InvalidIdempotencyKey | Self::IdempotencyKeyReused => Some("idempotency_key"),
            Self::InvalidPaymentId => Some("payment_id"),
            Self::SignatureInvalid => Some("signature"),
            Self::BookingNotFound => Some("booking_id"),
            Self::InvalidAmount
            | Self::AmountNotRefundable
            | Self::AmountNotOwed
            | Self::AboveDeskLimit => Some("amount"),
            Self::InvalidDeskWay => Some("way"),
            Self::InvalidReference => Some("reference"),
            Self::InvalidExplanation => Some("explanation"),
            Self::NothingUnexplained => Some("subject"),
            Self::ReceiptUnknown => Some("receipt_id"),
            Self::InvalidPayer(payer::PayerError::Name(_)) => Some("payer.name"),
            Self::InvalidPayer(payer::PayerError::Gstin) => Some("payer.gstin"),
            Self::InvalidPayer(payer::PayerError::Address(_)) => Some("payer.address"),
            Self::InvalidPayer(payer::PayerError::State) => Some("payer.state_code"),
            Self::PapersOff
            | Self::PayerFixed
            | Self::TermsNotAccepted
            | Self::ConsentRequired
            | Self::HoldEnded
            | Self::InvalidPrice
            | Self::MethodChanged
            | Self::TooManyLinks
            | Self::PaymentNotStarted
            | Self::ProviderUnavailable
            | Self::NothingToRefund
            | Self::RefundNotHeld
            | Self::RefundDeducted
            | Self::NotByPhone
            | Self::AlreadyPaid
            | Self::NothingOwed
            | Self::ReceiptRefused(_)
            | Self::Misfit(_) => None,
        }
    }
}

impl From<collection::Rejection> for Rejection {
    fn from(rejection: collection::Rejection) -> Self {
        match rejection {
            collection::Rejection::NotOpened => Self::PaymentNotStarted,
            collection::Rejection::AmountNotPayable => Self::InvalidPrice,
            collection::Rejection::NothingToRefund => Self::NothingToRefund,
            collection::Rejection::AmountNotRefundable => Self::InvalidAmount,
            collection::Rejection::BelowTheLeast => Self::AmountNotRefundable,
            collection::Rejection::RefundNotHeld => Self::RefundNotHeld,
            collection::Rejection::RefundDeducted => Self::RefundDeducted,
            collection::Rejection::TooManyLinks => Self::TooManyLinks,
            collection::Rejection::AlreadyPaid => Self::AlreadyPaid,
            collection::Rejection::AmountNotOwed => Self::AmountNotOwed,
            collection::Rejection::NothingOwed => Self::NothingOwed,
            collection::Rejection::OtherTerms
            | collection::Rejection::OtherOrder
            | collection::Rejection::LinkOpen
            | collection::Rejection::LinkUnknown
            | collection::Rejection::OtherLink
            | collection::Rejection::PaymentUnknown
            | collection::Rejection::RefundUnknown => Self::Misfit(rejection),
        }
    }
}

/// A rejection as an error, for `?`.
pub(crate) fn refuse(rejection: Rejection) -> Error {
    CommandError::Rejected(rejection)
}
