//! The kinds of documents, and which of them a practice issues.

use super::tax::Tax;

/// Which documents of a payment are issued, by the practice's settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// A receipt, and nothing else.
    Receipt,
    /// A receipt voucher, and the tax documents that follow it.
    All,
}

/// A kind of document about a payment's money.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Paper {
    /// Money came. Nothing else follows.
    Receipt,
    /// Money came before its session: rule 50.
    ReceiptVoucher,
    /// The money is earned, with tax: rule 46.
    TaxInvoice,
    /// The money is earned, and no tax is due on it: rule 49.
    BillOfSupply,
    /// Money was refunded before it was earned: rule 51.
    RefundVoucher,
    /// Money was refunded after it was earned: rule 53.
    CreditNote,
}

/// What is numbered together, without gaps in a financial year.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Series {
    /// Receipts and receipt vouchers.
    Receipt,
    /// Invoices and bills of supply.
    Invoice,
    /// Refund vouchers.
    RefundVoucher,
    /// Credit notes.
    CreditNote,
}

impl Paper {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Receipt,
        Self::ReceiptVoucher,
        Self::TaxInvoice,
        Self::BillOfSupply,
        Self::RefundVoucher,
        Self::CreditNote,
    ];

    /// What money that came gets.
    #[must_use]
    pub fn for_money(extent: Extent) -> Self {
        match extent {
            Extent::Receipt => Self::Receipt,
            Extent::All => Self::ReceiptVoucher,
        }
    }

    /// What earned money gets.
    #[must_use]
    pub fn for_supply(tax: Tax) -> Self {
        match tax {
            Tax::None => Self::BillOfSupply,
            Tax::Gst { .. } => Self::TaxInvoice,
        }
    }

    /// Its word in tables and events.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Receipt => "receipt",
            Self::ReceiptVoucher => "receipt_voucher",
            Self::TaxInvoice => "tax_invoice",
            Self::BillOfSupply => "bill_of_supply",
            Self::RefundVoucher => "refund_voucher",
            Self::CreditNote => "credit_note",
        }
    }

    /// Reads the word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|paper| paper.word() == word)
    }

    /// What it is numbered with.
    #[must_use]
    pub fn series(self) -> Series {
        match self {
            Self::Receipt | Self::ReceiptVoucher => Series::Receipt,
            Self::TaxInvoice | Self::BillOfSupply => Series::Invoice,
            Self::RefundVoucher => Series::RefundVoucher,
            Self::CreditNote => Series::CreditNote,
        }
    }
}

impl Series {
    /// Its word in the table of counters.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Receipt => "receipt",
            Self::Invoice => "invoice",
            Self::RefundVoucher => "refund_voucher",
            Self::CreditNote => "credit_note",
        }
    }
}
