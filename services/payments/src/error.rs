//! The errors of commands: why a command is rejected, with code, reason, field and text.

use kernel::{Code, CommandError, Reject as _};
use service::KeyRejection;

use crate::domain::{collection, payer, receipt};

/// How a command fails.
pub type Error = CommandError<Rejection>;

impl KeyRejection for Rejection {
    const REUSED: Self = Self::IdempotencyKeyReused;
}

kernel::rejections! {
    /// Why a command is rejected. Its text is shown to people.
    pub enum Rejection {
        InvalidIdempotencyKey: InvalidArgument "INVALID_IDEMPOTENCY_KEY" @ "idempotency_key",
            "An idempotency key has 8 to 64 letters, digits or signs.";
        IdempotencyKeyReused: InvalidArgument "IDEMPOTENCY_KEY_REUSED" @ "idempotency_key",
            "This idempotency key was used for another request.";
        InvalidPaymentId: InvalidArgument "INVALID_PAYMENT_ID" @ "payment_id",
            "This is not the id of a payment.";
        // No such booking, or not for this caller.
        BookingNotFound: NotFound "BOOKING_NOT_FOUND" @ "booking_id", "There is no such booking.";
        TermsNotAccepted: FailedPrecondition "TERMS_NOT_ACCEPTED",
            "Please agree to the terms first. You find them at the address that we sent you.";
        ConsentRequired: FailedPrecondition "CONSENT_REQUIRED",
            "Please consent to online sessions first, at the address that we sent you.";
        HoldEnded: FailedPrecondition "HOLD_ENDED",
            "Your time is not held any more. Please choose a time again.";
        // The amount can not be paid.
        InvalidPrice: FailedPrecondition "INVALID_PRICE", "Invalid price value";
        // The payment was continued in another way while this one was prepared.
        MethodChanged: FailedPrecondition "METHOD_CHANGED",
            "The payment was continued in another window. Please try again.";
        TooManyLinks: FailedPrecondition "TOO_MANY_LINKS",
            "There were too many attempts to pay on the other page. Please pay here.";
        PaymentNotStarted: FailedPrecondition "PAYMENT_NOT_STARTED",
            "The payment was not started yet.";
        SignatureInvalid: PermissionDenied "SIGNATURE_INVALID" @ "signature",
            "This answer was not signed by the payment provider.";
        ProviderUnavailable: Unavailable "PROVIDER_UNAVAILABLE",
            "The payment provider does not answer right now. Please try again.";
        NothingToRefund: FailedPrecondition "NOTHING_TO_REFUND", "There is nothing to refund.";
        // Of cancelled sessions, or it was given back.
        NothingKept: FailedPrecondition "NOTHING_KEPT",
            "No late cancellation of this booking has kept anything that is still here.";
        AmountNotKept: InvalidArgument "AMOUNT_NOT_KEPT" @ "amount",
            "This is not the sum that is kept. Please look at it again.";
        InvalidAmount: InvalidArgument "INVALID_AMOUNT" @ "amount",
            "This amount cannot be refunded.";
        // Too short, too long, or not of letters.
        InvalidExplanation: InvalidArgument "INVALID_EXPLANATION" @ "explanation",
            "An explanation has 3 to 500 characters.";
        // The provider refunds no amount as small as this, or as what it would leave.
        AmountNotRefundable: InvalidArgument "AMOUNT_NOT_REFUNDABLE" @ "amount",
            "A refund is of at least ₹1, and leaves nothing or at least ₹1.";
        RefundNotHeld: FailedPrecondition "REFUND_NOT_HELD",
            "No refund of this booking waits for the end of a dispute.";
        // The provider has deducted the money of every refund that waits.
        RefundDeducted: FailedPrecondition "REFUND_DEDUCTED",
            "The bank has this money already, because of its dispute. Wait for its decision.";
        SessionNotBegun: FailedPrecondition "SESSION_NOT_BEGUN",
            "A refund can be asked for once the session has begun. Until then it can be cancelled.";
        RefundTimeOver: FailedPrecondition "REFUND_TIME_OVER",
            "A refund can be asked for until 48 hours after the session.";
        InvalidReason: InvalidArgument "INVALID_REASON" @ "reason",
            "Please use at most 1,000 characters.";
        RefundRequestNotFound: NotFound "REFUND_REQUEST_NOT_FOUND" @ "request_id",
            "There is no such request for a refund.";
        AlreadyAnswered: FailedPrecondition "ALREADY_ANSWERED",
            "This request was answered already.";
        InvalidAnswer: InvalidArgument "INVALID_ANSWER" @ "answer",
            "An answer has 3 to 1,000 characters.";
        NotByPhone: FailedPrecondition "NOT_BY_PHONE",
            "This booking was not made by phone. Its client pays it on the website.";
        AlreadyPaid: FailedPrecondition "ALREADY_PAID", "This booking is paid already.";
        AmountNotOwed: InvalidArgument "AMOUNT_NOT_OWED" @ "amount",
            "This is not the amount that is owed.";
        NothingOwed: FailedPrecondition "NOTHING_OWED",
            "Nothing of this booking is to be given back at the desk.";
        InvalidDeskWay: InvalidArgument "INVALID_DESK_WAY" @ "way",
            "Please say whether it was in cash or by UPI.";
        InvalidReference: InvalidArgument "INVALID_REFERENCE" @ "reference",
            "A reference of the bank has at most 40 letters, digits, - and /; cash has none.";
        AboveDeskLimit: FailedPrecondition "ABOVE_DESK_LIMIT" @ "amount",
            "The front desk may not take this much. Please ask an owner or an admin.";
        NothingUnexplained: NotFound "NOTHING_UNEXPLAINED" @ "subject",
            "There is nothing of that kind to explain.";
        PapersOff: FailedPrecondition "PAPERS_OFF",
            "This practice issues receipts only. They name the person with the booking.";
        PayerFixed: FailedPrecondition "PAYER_FIXED",
            "The invoice is issued. Please write to us if something on it is not right.";
        ReceiptUnknown: NotFound "RECEIPT_UNKNOWN" @ "receipt_id", "There is no such receipt.";
        // What can only come from inside: the settings allow no receipt.
        ReceiptRefused(why: receipt::ReceiptError): FailedPrecondition "RECEIPT_REFUSED",
            "The receipt cannot be issued: {why}";
        // What can only come from inside: an event or a job that does not fit its collection.
        Misfit(_why: collection::Rejection): FailedPrecondition "PAYMENT_MISFIT",
            "This does not fit what is known of the payment.";
        ..InvalidPayer(payer::PayerError);
    }
}

impl Rejection {
    /// Whether the same request may succeed later.
    #[must_use]
    pub fn is_temporary(&self) -> bool {
        self.code() == Code::Unavailable
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
