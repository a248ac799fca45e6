//! Settlements: the provider's payouts to the bank, line by line, matched with our ledger. A
//! matching line clears the provider's account. Of any other line only the bank's amount is posted,
//! against suspense.

use kernel::Timestamp;

use crate::domain::fact::{
    Amount, DisputeId, PaymentId, ProviderRefundId, SettledId, SettlementId,
};
use crate::domain::ledger::{self, Account, Entry, EntryKind};

/// What a line is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineSubject {
    /// A payment that was captured.
    Payment(PaymentId),
    /// A refund, and the payment that it gave back.
    Refund(ProviderRefundId, Option<PaymentId>),
    /// Money that a dispute deducted, before or after its decision, or returned.
    Dispute(DisputeId, Option<PaymentId>),
    /// An adjustment by the provider, with its reason code.
    Other(String),
}

impl LineSubject {
    /// Its word in the table.
    #[must_use]
    pub fn word(&self) -> &str {
        match self {
            Self::Payment(_) => "payment",
            Self::Refund(..) => "refund",
            Self::Dispute(..) => "dispute",
            Self::Other(word) => word,
        }
    }

    /// The payment that it is about, if any.
    #[must_use]
    pub fn payment(&self) -> Option<&PaymentId> {
        match self {
            Self::Payment(payment)
            | Self::Refund(_, Some(payment))
            | Self::Dispute(_, Some(payment)) => Some(payment),
            Self::Refund(_, None) | Self::Dispute(_, None) | Self::Other(_) => None,
        }
    }
}

/// The amounts of a line, in minor units of its currency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figures {
    /// The amount of the payment or of the refund.
    pub amount: i64,
    /// What was taken from the payout.
    pub debit: i64,
    /// What was added to it.
    pub credit: i64,
    /// What the provider keeps, tax and all.
    pub fee: i64,
    /// The tax in it.
    pub tax: i64,
    /// ISO 4217 code.
    pub currency: String,
}

/// A line of the provider's report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The payout that it is a part of.
    pub settlement: SettlementId,
    /// The provider's id of what it is about.
    pub id: SettledId,
    /// What it is about.
    pub about: LineSubject,
    /// What it says.
    pub figures: Figures,
    /// When it was paid out.
    pub settled_at: Option<Timestamp>,
}

/// A payout to the bank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settlement {
    /// Its id.
    pub id: SettlementId,
    /// How much.
    pub amount_minor: i64,
    /// The provider's state of it.
    pub state: String,
    /// The bank's reference.
    pub bank_reference: Option<String>,
}

kernel::words! {
    /// Why a settlement or its line does not match our ledger.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Break {
        /// An adjustment by the provider.
        Adjustment = "adjustment",
        /// The payment or refund is not in our ledger.
        Unknown = "unknown",
        /// Another amount than in our ledger.
        Amount = "amount",
        /// Another currency than in our ledger.
        Currency = "currency",
        /// What is paid out is not the amount less the fee.
        Net = "net",
        /// The tax is more than the fee, or negative.
        Tax = "tax",
        /// It was paid out by another settlement already.
        Twice = "twice",
        /// The lines of a settlement do not add up to it.
        Sum = "sum",
        /// The payout failed.
        Failed = "failed",
    }
}

impl Break {
    /// The same in a sentence for people.
    #[must_use]
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Adjustment => "The provider added or took money for a reason of its own.",
            Self::Unknown => "The provider settled something that is not in our books.",
            Self::Amount => "The provider settled another amount than is in our books.",
            Self::Currency => "The provider settled in another currency than is in our books.",
            Self::Net => "What was paid out is not the amount less the fee.",
            Self::Tax => "The tax does not fit the fee.",
            Self::Twice => "The provider settled the same thing twice.",
            Self::Sum => "The lines of this settlement do not add up to what was paid out.",
            Self::Failed => "The payout to the bank failed.",
        }
    }
}

/// The ledger's record of a line's subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Booked {
    /// The captured or refunded amount.
    pub amount: Amount,
    /// Whether another settlement has it already.
    pub is_settled: bool,
}

/// Checks a line against our ledger.
pub fn check(line: &Line, booked: Option<&Booked>) -> Result<(), Break> {
    let figures = &line.figures;
    let net = match &line.about {
        LineSubject::Other(_) => return Err(Break::Adjustment),
        LineSubject::Payment(_) => figures.amount.checked_sub(figures.fee),
        // A refund's fee is deducted, too.
        LineSubject::Refund(..) => figures.amount.checked_add(figures.fee).map(i64::saturating_neg),
        // It is deducted or returned.
        LineSubject::Dispute(..) => {
            paid_out(figures).filter(|net| net.abs() == figures.amount.abs())
        }
    };
    let booked = booked.ok_or(Break::Unknown)?;
    let amount = match &line.about {
        LineSubject::Dispute(..) => figures.amount.saturating_abs(),
        LineSubject::Payment(_) | LineSubject::Refund(..) | LineSubject::Other(_) => figures.amount,
    };
    if booked.amount.currency != figures.currency {
        Err(Break::Currency)
    } else if booked.amount.minor != amount {
        Err(Break::Amount)
    } else if booked.is_settled {
        Err(Break::Twice)
    } else if net.is_none() || net != paid_out(figures) {
        Err(Break::Net)
    } else if figures.tax < 0 || figures.tax > figures.fee {
        Err(Break::Tax)
    } else {
        Ok(())
    }
}

fn paid_out(figures: &Figures) -> Option<i64> {
    figures.credit.checked_sub(figures.debit)
}

/// Whether a settlement is what its lines add up to.
pub fn check_sum(settlement: &Settlement, lines_minor: i64) -> Result<(), Break> {
    if settlement.state == "failed" {
        Err(Break::Failed)
    } else if settlement.amount_minor != lines_minor {
        Err(Break::Sum)
    } else {
        Ok(())
    }
}

/// The cause of a line's entry. A line that is reported again with other figures has another
/// revision.
#[must_use]
pub fn cause(line: &Line, revision: i32) -> String {
    format!("settled {} {} {revision}", line.settlement, line.id)
}

/// The entry of a line: the bank's amount, the provider's fee and tax, and the cleared amount.
#[must_use]
pub fn entry(line: &Line, checked: Result<(), Break>, revision: i32) -> Option<Entry> {
    let figures = &line.figures;
    let bank = paid_out(figures)?;
    let (fee, tax, rest) = match checked {
        Ok(()) => (figures.fee.checked_sub(figures.tax)?, figures.tax, Account::ProviderClearing),
        Err(_) => (0, 0, Account::Suspense),
    };
    let other = bank.checked_add(fee)?.checked_add(tax)?.checked_neg()?;
    let sums = [
        (Account::Bank, bank),
        (Account::GatewayFee, fee),
        (Account::GstInput, tax),
        (rest, other),
    ];
    let of = |(account, minor)| ledger::Line {
        account,
        amount: Amount { minor, currency: figures.currency.clone() },
    };
    let lines: Vec<_> = sums.into_iter().filter(|(_, minor)| *minor != 0).map(of).collect();
    let provider_refund = match &line.about {
        LineSubject::Refund(refund, _) => Some(refund.clone()),
        LineSubject::Payment(_) | LineSubject::Dispute(..) | LineSubject::Other(_) => None,
    };
    (!lines.is_empty()).then(|| Entry {
        cause: cause(line, revision),
        kind: EntryKind::Settled,
        payment: line.about.payment().cloned(),
        provider_refund,
        lines,
    })
}

#[cfg(test)]
mod tests;
