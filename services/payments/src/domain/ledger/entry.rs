//! Accounts, and the entries that move money between them.

use crate::domain::fact::{Amount, PaymentId, ProviderRefundId};

kernel::words! {
    /// Where money is, or what it is for.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Account {
        /// What the provider has captured for us and not paid out.
        ProviderClearing = "provider_clearing",
        /// What it has paid out.
        Bank = "bank",
        /// What was paid in cash at the practice's desk.
        DeskCash = "desk_cash",
        /// What was paid there by UPI, to an account of the practice's own.
        DeskUpi = "desk_upi",
        /// What customers have paid for sessions that are still to come.
        CustomerAdvance = "customer_advance",
        /// What was earned by sessions.
        Revenue = "revenue",
        /// What was kept although the session did not take place.
        Retained = "retained",
        /// What customers have paid beside the price because the provider adds its fee to it.
        ConvenienceFee = "convenience_fee",
        /// What offers at the checkout took off the price of sessions that took place.
        Discount = "discount",
        /// What the provider keeps for its work, without tax.
        GatewayFee = "gateway_fee",
        /// The tax on that.
        GstInput = "gst_input",
        /// What lost disputes took.
        DisputeLoss = "dispute_loss",
        /// Refunds under way to customers.
        RefundsPayable = "refunds_payable",
        /// Money that does not match, or is not ours.
        Suspense = "suspense",
    }
}

kernel::words! {
    /// What an entry is about.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum EntryKind {
        /// Money came.
        Captured = "captured",
        /// Money in suspense was identified as ours.
        Identified = "identified",
        /// A refund was requested.
        RefundRequested = "refund_requested",
        /// An external refund was found.
        RefundDiscovered = "refund_discovered",
        /// A refund failed.
        RefundFailed = "refund_failed",
        /// It was refunded.
        RefundProcessed = "refund_processed",
        /// The session took place.
        Earned = "earned",
        /// The session did not take place, and the money is kept.
        Retained = "retained",
        /// A dispute was lost, or what was lost by it came back.
        DisputeLost = "dispute_lost",
        /// The provider paid it out, or took it from what it pays out.
        Settled = "settled",
        /// What was posted before is taken back.
        Reversed = "reversed",
    }
}

/// A part of an entry. Debits are positive, credits negative.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The account.
    pub account: Account,
    /// How much, and never nothing.
    pub amount: Amount,
}

/// A movement of money: lines whose sum is zero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// What led to it; unique.
    pub cause: String,
    /// What it is about.
    pub kind: EntryKind,
    /// The provider's payment that it is about, as far as it is about one.
    pub payment: Option<PaymentId>,
    /// The provider's refund that it is about.
    pub provider_refund: Option<ProviderRefundId>,
    /// Its lines.
    pub lines: Vec<Line>,
}

impl Entry {
    /// Moves an amount from the account that is credited to the one that is debited; no entry when
    /// there is nothing to move.
    #[must_use]
    pub fn transfer(
        (kind, cause): (EntryKind, String),
        payment: &PaymentId,
        amount: &Amount,
        (debit, credit): (Account, Account),
    ) -> Option<Self> {
        let line = |account, minor| Line {
            account,
            amount: Amount { minor, currency: amount.currency.clone() },
        };
        let less = amount.minor.checked_neg().filter(|minor| *minor != 0)?;
        Some(Self {
            cause,
            kind,
            payment: Some(payment.clone()),
            provider_refund: None,
            lines: vec![line(debit, amount.minor), line(credit, less)],
        })
    }

    /// The same with a part of it in a third account instead of the one that is credited.
    pub(super) fn with_part(
        mut self,
        part: i64,
        (credit, instead): (Account, Account),
    ) -> Option<Self> {
        for line in self.lines.iter_mut().filter(|line| line.account == credit) {
            line.amount.minor = line.amount.minor.checked_add(part)?;
        }
        let amount = Amount { minor: part.checked_neg()?, ..self.lines.first()?.amount.clone() };
        self.lines.push(Line { account: instead, amount });
        self.lines.retain(|line| line.amount.minor != 0);
        Some(self)
    }

    /// Captured money: debits the provider, or the desk; credits the customer's advance or
    /// suspense.
    #[must_use]
    pub fn captured(
        payment: &PaymentId,
        amount: &Amount,
        (came_to, owed): (Account, Account),
    ) -> Option<Self> {
        let what = (EntryKind::Captured, format!("captured {payment}"));
        Self::transfer(what, payment, amount, (came_to, owed))
    }
}
