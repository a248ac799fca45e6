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

kernel::words! {
    /// A kind of document about a payment's money.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Paper {
        /// Money came. Nothing else follows.
        Receipt = "receipt",
        /// Money came before its session: rule 50.
        ReceiptVoucher = "receipt_voucher",
        /// The money is earned, with tax: rule 46.
        TaxInvoice = "tax_invoice",
        /// The money is earned, and no tax is due on it: rule 49.
        BillOfSupply = "bill_of_supply",
        /// Money was refunded before it was earned: rule 51.
        RefundVoucher = "refund_voucher",
        /// Money was refunded after it was earned: rule 53.
        CreditNote = "credit_note",
    }
}

kernel::words! {
    /// What is numbered together, without gaps in a financial year.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Series {
        /// Receipts and receipt vouchers.
        Receipt = "receipt",
        /// Invoices and bills of supply.
        Invoice = "invoice",
        /// Refund vouchers.
        RefundVoucher = "refund_voucher",
        /// Credit notes.
        CreditNote = "credit_note",
    }
}

impl Paper {
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
