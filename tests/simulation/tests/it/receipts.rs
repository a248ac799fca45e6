//! What the checker says of receipts that are missing or groundless, and what it lets pass.

use checker::check;
use checker::snapshot::{EventRow, ReceiptRow, Snapshot};
use contract::payments::v1::ReceiptIssued;
use eventstore::{NewEvent, Recorded};
use payments::contract::collection_stream;
use simulation::simulator::{RunOptions, run};

/// How many runs may be looked at for one that has what is to be changed.
const SEEDS: u64 = 150;

/// A sound run with a receipt of such money, and where that is.
fn sound(is_such: fn(&Snapshot, &ReceiptRow) -> bool) -> Option<(Snapshot, usize)> {
    let mut runs = (0..SEEDS).map(|seed| run(seed, RunOptions::default()).snapshot);
    runs.find_map(|it| {
        let at = it.payments.receipts.iter().flatten().position(|row| is_such(&it, row))?;
        Some((it, at))
    })
}

/// The session takes place, or took place, for all of it.
fn is_paid(snapshot: &Snapshot, row: &ReceiptRow) -> bool {
    let refunds = &snapshot.payments.refunds;
    let mut rows = snapshot.payments.collections.iter();
    rows.any(|it| it.booking_id == row.booking_id && it.state == "paid")
        && !refunds.iter().any(|it| it.booking_id == row.booking_id)
}

/// All of it went back because its booking was cancelled.
fn went_back(snapshot: &Snapshot, row: &ReceiptRow) -> bool {
    let of_it = snapshot.payments.refunds.iter().filter(|it| it.payment_id == row.payment_id);
    let whole = |it: &checker::snapshot::RefundRow| {
        it.cause == "cancelled" && it.state == "processed" && it.amount_minor == row.amount_minor
    };
    of_it.clone().count() == 1 && of_it.clone().any(whole)
}

/// Takes the receipt away, and closes the gap.
fn without(mut snapshot: Snapshot, at: usize) -> Snapshot {
    let rows = snapshot.payments.receipts.get_or_insert_default();
    let gone = rows.remove(at);
    let later = |row: &&mut ReceiptRow| {
        row.financial_year == gone.financial_year && row.number > gone.number
    };
    rows.iter_mut().filter(later).for_each(|row| row.number -= 1);
    snapshot
}

/// Appends the event that the receipt was issued at the end of the log.
fn issued_last(mut snapshot: Snapshot, at: usize) -> Option<Snapshot> {
    let row = snapshot.payments.receipts.iter().flatten().nth(at)?;
    let issued = NewEvent::of(&ReceiptIssued {
        receipt_id: "rct_1".to_owned(),
        booking_id: row.booking_id.to_string(),
        payment_id: row.payment_id.clone(),
        serial: "SUK/26-27/00001".to_owned(),
        ..ReceiptIssued::default()
    })
    .ok()?;
    let rows = &mut snapshot.payments.log.events;
    let stream = collection_stream(row.booking_id);
    let of_money = rows.iter().find(|it| it.event.stream_id == stream)?;
    let (event_type, payload) = (issued.event_type.clone(), issued.payload.clone());
    let stream_id = "receipt-00000000-0000-0000-0000-000000000000".to_owned();
    let event = Recorded { stream_id, event_type, payload, ..of_money.event.clone() };
    let seq = rows.iter().map(|it| it.seq).max().unwrap_or(0) + 1;
    rows.push(EventRow { seq, position: None, event });
    Some(snapshot)
}

fn says(snapshot: &Snapshot, what: &str) -> bool {
    check(snapshot).iter().any(|violation| violation.to_string().contains(what))
}

#[test]
fn a_missing_receipt_is_reported() {
    let (snapshot, at) = sound(is_paid).unwrap();
    assert!(says(&without(snapshot, at), "has 0 receipts"));
}

#[test]
fn a_missing_receipt_of_a_cancelled_booking_is_reported() {
    let (snapshot, at) = sound(went_back).unwrap();
    assert!(!says(&snapshot, "receipt"), "it keeps it");
    assert!(says(&without(snapshot, at), "went back without its receipt"));
}

#[test]
fn a_receipt_for_refunded_money_is_reported() {
    const GROUNDLESS: &str = "was issued when nothing of";
    let (snapshot, at) = sound(went_back).unwrap();
    assert!(says(&issued_last(snapshot, at).unwrap(), GROUNDLESS));
    let (snapshot, at) = sound(is_paid).unwrap();
    assert!(!says(&issued_last(snapshot, at).unwrap(), GROUNDLESS));
}
