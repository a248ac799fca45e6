//! Receipts on the wire.

use contract::common::v1::Money;
use contract::convert::to_wire;
use contract::payments::v1::{Payer as WirePayer, Receipt, TaxMode};

use crate::domain::payer::Payer;
use crate::domain::receipt::tax::Tax;
use crate::error::{Error, Rejection, refuse};
use crate::read_model::receipts::ReceiptRow;

/// A payer as its readers see it.
pub(super) fn to_wire_payer(payer: Payer) -> WirePayer {
    let Payer { name, gstin, address, state } = payer;
    WirePayer { name, gstin, address, state_code: state }
}

/// A payer as its request has it.
///
/// # Errors
/// `InvalidPayer`.
pub(super) fn read_payer(payer: &WirePayer) -> Result<Payer, Error> {
    Payer::parse(&payer.name, &payer.gstin, &payer.address, &payer.state_code)
        .map_err(|refusal| refuse(Rejection::InvalidPayer(refusal)))
}

/// A receipt as its readers see it.
pub(super) fn to_wire_receipt(row: ReceiptRow) -> Receipt {
    let money = |minor_units| Some(Money { minor_units, currency_code: row.currency.clone() });
    let tax_mode = match row.tax {
        Tax::None => TaxMode::None,
        Tax::Gst { .. } => TaxMode::Gst,
    };
    Receipt {
        receipt_id: row.receipt_id.to_string(),
        issued_at: Some(to_wire(row.issued_at)),
        booking_id: row.booking_id.to_string(),
        amount: money(row.amount_minor),
        kind: row.paper.word().to_owned(),
        tax_mode: tax_mode.into(),
        gst_percent: row.tax.percent(),
        taxable: money(row.parts.taxable),
        central_tax: money(row.parts.central_tax),
        state_tax: money(row.parts.state_tax),
        integrated_tax: money(row.parts.integrated_tax),
        refunded: money(row.refunded_minor),
        refers_to_issued_at: row.refers_to.as_ref().map(|it| to_wire(it.issued_at)),
        refers_to_serial: row.refers_to.map(|it| it.serial).unwrap_or_default(),
        payer: row.payer.map(to_wire_payer),
        serial: row.serial,
        payment_id: row.payment_id,
        issued_by: row.letterhead.issued_by,
        issuer_address: row.letterhead.address,
        gstin: row.letterhead.gstin,
        service_code: row.letterhead.service_code,
    }
}
