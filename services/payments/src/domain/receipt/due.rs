//! Decides which document is due next for a booking's money, from the state of the money and the
//! documents issued before. Every paisa that came is at most once in an invoice or a refund
//! voucher, and none is in a credit note that was not in an invoice before.

use kernel::id::{Booking, Refund as RefundKind};
use kernel::{Id, Money, Timestamp};

use super::paper::{Extent, Paper};
use super::tax::{PlaceOfSupply, Tax};
use crate::domain::collection::Collection;
use crate::domain::fact::PaymentId;
use crate::domain::refund::End;

/// An issued document, as far as later ones depend on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issued {
    /// Which one.
    pub paper: Paper,
    /// The payment whose money it is about.
    pub payment: PaymentId,
    /// The refund that it is about.
    pub refund: Option<Id<RefundKind>>,
    /// How much, in minor units.
    pub amount_minor: i64,
    /// How it states tax.
    pub tax: Tax,
    /// Whose tax it states.
    pub place: PlaceOfSupply,
    /// Its serial number and when it was issued.
    pub reference: Reference,
}

/// A document as others refer to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// Its serial number.
    pub serial: String,
    /// When it was issued.
    pub issued_at: Timestamp,
}

/// A document that is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Due {
    /// Which one.
    pub paper: Paper,
    /// The booking.
    pub booking_id: Id<Booking>,
    /// The provider's payment.
    pub payment: PaymentId,
    /// The refund that it is about.
    pub refund: Option<Id<RefundKind>>,
    /// How much.
    pub amount: Money,
    /// How it states tax: as its receipt did, because the tax was due when the money came.
    pub tax: Tax,
    /// The place of supply, if an earlier document states it; else the payer's address decides.
    pub place: Option<PlaceOfSupply>,
    /// The document that it refers to.
    pub refers_to: Option<Reference>,
}

/// The document that is due next; `None` when all are issued.
#[must_use]
pub fn next(
    known: &Collection,
    placed: Option<&PaymentId>,
    issued: &[Issued],
    (extent, tax): (Extent, Tax),
) -> Option<Due> {
    let is_issued = |payment: &PaymentId| issued.iter().any(|it| it.payment == *payment);
    if let Some(payment) = for_money(known, placed).filter(|it| !is_issued(it)) {
        return Some(Due {
            paper: Paper::for_money(extent),
            booking_id: known.terms.booking_id,
            payment: payment.clone(),
            refund: None,
            amount: Money { minor: known.brought(payment), ..known.terms.amount },
            tax,
            place: None,
            refers_to: None,
        });
    }
    if extent == Extent::Receipt {
        return None;
    }
    let vouchers = issued.iter().filter(|it| it.paper == Paper::ReceiptVoucher);
    vouchers.map(|voucher| Papers::of(known, voucher, issued)).find_map(|it| it.next())
}

/// The payment that a receipt is due for: the one that the booking is placed with, if it is
/// verified here and not all of it is refunded or being refunded. If a part is refunded, the
/// receipt states what was paid, and `refunded` beside it. If a refund fails later, the receipt is
/// due then.
#[must_use]
pub fn for_money<'p>(known: &Collection, placed: Option<&'p PaymentId>) -> Option<&'p PaymentId> {
    placed.filter(|it| known.verified.as_ref() == Some(it) && known.left(it) > 0)
}

/// The documents of one payment that has a receipt voucher.
struct Papers<'p> {
    known: &'p Collection,
    voucher: &'p Issued,
    issued: Vec<&'p Issued>,
}

impl<'p> Papers<'p> {
    fn of(known: &'p Collection, voucher: &'p Issued, issued: &'p [Issued]) -> Self {
        let issued = issued.iter().filter(|it| it.payment == voucher.payment).collect();
        Self { known, voucher, issued }
    }

    fn sum(&self, is_meant: impl Fn(&Issued) -> bool) -> i64 {
        let amounts = self.issued.iter().filter(|it| is_meant(it)).map(|it| it.amount_minor);
        amounts.fold(0, i64::saturating_add)
    }

    /// What is neither in an invoice nor in a refund voucher.
    fn unstated(&self) -> i64 {
        let stated = self.sum(|it| is_supply(it) || it.paper == Paper::RefundVoucher);
        self.voucher.amount_minor.saturating_sub(stated)
    }

    fn next(&self) -> Option<Due> {
        self.supply().or_else(|| {
            let payment = &self.voucher.payment;
            let back = self.known.refunds_of(payment);
            let back = back.filter(|(_, refund)| refund.end == Some(End::Processed));
            back.map(|(id, refund)| (id, refund.amount.minor))
                .find_map(|(id, minor)| self.back(id, minor))
        })
    }

    /// The invoice, or bill of supply, for what is earned and in none yet.
    fn supply(&self) -> Option<Due> {
        let closed = self.known.closed(&self.voucher.payment);
        let new = closed.saturating_sub(self.sum(is_supply)).min(self.unstated());
        let paper = Paper::for_supply(self.voucher.tax);
        self.due(paper, new, None, (self.voucher, None))
    }

    /// What a refund that has arrived is due: of money that was not earned a refund voucher, of the
    /// rest a credit note. An amount that was in no document before, such as a provider's fee, is
    /// in neither.
    fn back(&self, refund: Id<RefundKind>, minor: i64) -> Option<Due> {
        let has =
            |paper| self.issued.iter().any(|it| it.refund == Some(refund) && it.paper == paper);
        let rest = minor.saturating_sub(self.sum(|it| it.refund == Some(refund)));
        if !has(Paper::RefundVoucher) && !has(Paper::CreditNote) {
            let amount = rest.min(self.unstated());
            let place = Some(self.voucher.place);
            let due = self.due(Paper::RefundVoucher, amount, Some(refund), (self.voucher, place));
            if due.is_some() {
                return due;
            }
        }
        if has(Paper::CreditNote) {
            return None;
        }
        let invoice = self.issued.iter().rev().find(|it| is_supply(it))?;
        let noted = self.sum(|it| it.paper == Paper::CreditNote);
        let amount = rest.min(self.sum(is_supply).saturating_sub(noted));
        self.due(Paper::CreditNote, amount, Some(refund), (invoice, Some(invoice.place)))
    }

    fn due(
        &self,
        paper: Paper,
        minor: i64,
        refund: Option<Id<RefundKind>>,
        (before, place): (&Issued, Option<PlaceOfSupply>),
    ) -> Option<Due> {
        (minor > 0).then(|| Due {
            paper,
            booking_id: self.known.terms.booking_id,
            payment: self.voucher.payment.clone(),
            refund,
            amount: Money { minor, ..self.known.terms.amount },
            tax: self.voucher.tax,
            place,
            refers_to: Some(before.reference.clone()),
        })
    }
}

fn is_supply(issued: &Issued) -> bool {
    matches!(issued.paper, Paper::TaxInvoice | Paper::BillOfSupply)
}

#[cfg(test)]
mod tests;
