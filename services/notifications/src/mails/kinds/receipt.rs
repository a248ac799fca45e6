//! The receipt for a payment.

use contract::booking::v1::SessionMode;
use contract::convert;
use contract::payments::v1::{Payer, Receipt, ReceiptIssued, TaxMode};
use eventstore::Recorded;
use kernel::Id;
use kernel::id::Receipt as ReceiptId;
use messaging::ReactionError;
use serde_json::json;

use crate::delivery::sources::Sources;
use crate::mails::declaration::{Declaration, id};
use crate::mails::facts::{BookingFacts, Facts, FactsError};
use crate::mails::kind::Kind;
use crate::mails::mail::{About, Mail, NewMail};
use crate::mails::planning::{Due, Plan, TOO_LATE, is_stale};
use crate::templates::render::samples::figures::{HOUR, PRICE, at, money};
use crate::templates::render::samples::{Form, ROOM_URL, Typed, booking, of, package};

/// The declaration.
pub(super) const MAIL: Declaration = Declaration {
    asked_by,
    load: |sources, mail| Box::pin(load(sources, mail)),
    plan,
    samples,
    ..Declaration::TO_CLIENT
};

/// It belongs to payments, and is fetched when the mail is sent.
fn asked_by(event: &Recorded) -> Result<Option<NewMail>, ReactionError> {
    let Some(e) = event.get::<ReceiptIssued>()? else { return Ok(None) };
    let (booking, receipt): (_, Id<ReceiptId>) = (id(&e.booking_id)?, id(&e.receipt_id)?);
    Ok(Some(NewMail::about(Kind::Receipt, receipt.to_string(), About::Booking(booking))))
}

async fn load(sources: &Sources, mail: &Mail) -> Result<Facts, FactsError> {
    let mut facts = sources.booking_without(mail, None).await?;
    sources.clients().add_receipt(&mut facts, &mail.subject).await?;
    Ok(Facts::Booking(Box::new(facts)))
}

/// A receipt issued long after its session is from before the practice issued receipts: the client
/// finds it with the booking, and needs no mail about it.
fn plan(due: &Due<'_>) -> Plan {
    let is_old = |facts: &BookingFacts| is_stale(facts.ends_at, due.mail.queued_at);
    match due.booking() {
        Some(facts) if is_for_money(facts) && is_old(facts) => Plan::Drop(TOO_LATE),
        _ => Plan::Send,
    }
}

/// Whether it is a receipt for a payment. Invoices and refund documents are issued after the
/// session.
fn is_for_money(facts: &BookingFacts) -> bool {
    let kind = facts.receipt.as_ref().map_or("", |receipt| &receipt.kind);
    matches!(kind, "" | "receipt" | "receipt_voucher")
}

fn samples(typed: &Typed) -> Vec<Form> {
    let form = |name, tax_mode, refunded| {
        let mut facts = booking(typed, SessionMode::Online, ROOM_URL);
        facts.receipt = Some(receipt(tax_mode, refunded));
        (name, of(facts), json!({}))
    };
    let paper = |name: &'static str, tax_mode| {
        let mut facts = booking(typed, SessionMode::Online, ROOM_URL);
        let has_tax = tax_mode == TaxMode::Gst;
        let payer = Payer {
            name: typed.name.clone(),
            gstin: "27AAPFU0939F1ZV".to_owned(),
            address: "12 MG Road, Pune 411001".to_owned(),
            state_code: "27".to_owned(),
        };
        facts.receipt = Some(Receipt {
            kind: name.to_owned(),
            serial: "INV/26-27/00042".to_owned(),
            gstin: "23ABCDE1234F1Z5".to_owned(),
            central_tax: Some(money(0)),
            state_tax: Some(money(0)),
            integrated_tax: Some(money(if has_tax { 22_881 } else { 0 })),
            payer: has_tax.then_some(payer),
            refers_to_serial: "SUK/26-27/00042".to_owned(),
            refers_to_issued_at: Some(convert::to_wire(at(-3 * 24 * HOUR))),
            ..receipt(tax_mode, 0)
        });
        (name, of(facts), json!({}))
    };
    vec![
        form("without_tax", TaxMode::None, 0),
        form("with_tax", TaxMode::Gst, 0),
        form("refunded", TaxMode::Gst, 75_000),
        paper("tax_invoice", TaxMode::Gst),
        paper("bill_of_supply", TaxMode::None),
        paper("credit_note", TaxMode::Gst),
        package_receipt(typed),
    ]
}

fn package_receipt(typed: &Typed) -> Form {
    let mut facts = package(typed, None);
    if let Facts::Booking(facts) = &mut facts {
        facts.receipt = Some(receipt(TaxMode::None, 0));
    }
    ("package", facts, json!({}))
}

fn receipt(tax_mode: TaxMode, refunded: i64) -> Receipt {
    let has_tax = tax_mode == TaxMode::Gst;
    let (taxable, central, state) = if has_tax { (127_119, 11_441, 11_440) } else { (PRICE, 0, 0) };
    let if_taxed = |text: &str| if has_tax { text.to_owned() } else { String::new() };
    Receipt {
        receipt_id: "rct_01934000000070008000000000000001".to_owned(),
        serial: "SUK/26-27/00042".to_owned(),
        issued_at: Some(convert::to_wire(at(-3 * 24 * HOUR))),
        booking_id: "bkg_019340000000700080000000000a2b3c".to_owned(),
        payment_id: "pay_Nq7T2kXv9LmB4e".to_owned(),
        amount: Some(money(PRICE)),
        tax_mode: tax_mode.into(),
        gst_percent: if has_tax { 18 } else { 0 },
        taxable: Some(money(taxable)),
        central_tax: Some(money(central)),
        state_tax: Some(money(state)),
        issued_by: "Sukoon".to_owned(),
        issuer_address: "Arera Colony, Bhopal, Madhya Pradesh 462016".to_owned(),
        gstin: if_taxed("23ABCDE1234F1Z5"),
        service_code: if_taxed("999319"),
        refunded: Some(money(refunded)),
        ..Receipt::default()
    }
}
