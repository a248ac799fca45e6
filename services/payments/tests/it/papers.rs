//! Tax documents: which one is issued when, to whom, and under which number.

use anyhow::{Result, ensure};
use contract::payments::v1::{
    CollectionState, ListReceiptsRequest, ListReceiptsResponse, Payer, Receipt,
    RefundPaymentRequest, SetPayerRequest,
};
use eventstore::new_id;
use kernel::Id;
use kernel::id::Customer;
use serde_json::json;
use tonic::{Code, Status};

use crate::ledger::{complete, confirm, confirmed, ordered, text};
use crate::receipt_numbering::gapless;
use crate::receipts::{inr, of, practice, taken_in_again, until_taken_in};
use crate::world::{Held, PRICE, World, assert_refused};

/// The payer, and whether it can be changed.
type Named = (Option<Payer>, bool);

const PAPERS: &str = "select count(*) from tax_papers";
/// The settings of a registered practice that issues everything.
const ALL: [(&str, &str); 3] = [
    ("papers = \"receipt\"", "papers = \"all\""),
    ("tax = \"none\"", "tax = \"gst\""),
    ("gstin = \"\"", "gstin = \"23ABCDE1234F1Z5\""),
];

async fn issuing_all() -> Result<World> {
    let mut world = World::without_webhooks().await?;
    let process = world.another(&practice(&world, "all", &ALL)?).await?;
    world.replace(process).await?;
    Ok(world)
}

fn of_pune() -> Payer {
    Payer {
        name: "Asha Rao Traders".to_owned(),
        gstin: "27AAPFU0939F1ZV".to_owned(),
        address: "12 MG Road, Pune 411001".to_owned(),
        state_code: "27".to_owned(),
    }
}

async fn set(
    world: &World,
    customer: Id<Customer>,
    held: Held,
    payer: Option<Payer>,
) -> Result<Result<Named, Status>> {
    let asked = SetPayerRequest { booking_id: held.id.to_string(), payer };
    match world.client.clone().set_payer(world.request(customer, asked)?).await {
        Ok(_) => Ok(Ok(named(world, held).await?)),
        Err(refused) => Ok(Err(refused)),
    }
}

async fn named(world: &World, held: Held) -> Result<Named> {
    let asked = ListReceiptsRequest { booking_id: held.id.to_string() };
    let answer = world.client.clone().list_receipts(world.request(held.customer, asked)?).await?;
    let ListReceiptsResponse { payer, takes_payer, .. } = answer.into_inner();
    Ok((payer, takes_payer))
}

async fn refund(world: &World, held: Held, amount: i64, key: &str) -> Result<()> {
    let asked = RefundPaymentRequest {
        booking_id: held.id.to_string(),
        amount: inr(amount),
        idempotency_key: key.to_owned(),
    };
    let owner = world.employ("owner");
    world.staff.clone().refund_payment(world.request(owner, asked)?).await?;
    Ok(())
}

/// The papers of a booking once there are so many.
async fn papers(world: &World, held: Held, count: usize) -> Result<Vec<Receipt>> {
    testkit::until("the papers", async || {
        let found = of(world, held).await?;
        Ok((found.len() == count).then_some(found))
    })
    .await
}

fn told(paper: &Receipt) -> (&str, &str, Option<i64>, &str) {
    let amount = paper.amount.as_ref().map(|it| it.minor_units);
    (&paper.kind, &paper.serial[..4], amount, paper.refers_to_serial.as_str())
}

#[tokio::test]
async fn every_step_of_the_money_has_its_paper_and_its_series() -> Result<()> {
    let world = issuing_all().await?;
    let (held, _payment) = confirmed(&world).await?;
    let [voucher] = &papers(&world, held, 1).await?[..] else { anyhow::bail!("one") };
    assert_eq!(told(voucher), ("receipt_voucher", "SUK/", Some(PRICE), ""));
    refund(&world, held, 20_000, "before-the-session").await?;
    papers(&world, held, 2).await?;
    complete(&world, held).await?;
    papers(&world, held, 3).await?;
    refund(&world, held, 10_000, "after-the-session").await?;
    let all = papers(&world, held, 4).await?;
    let found: Vec<_> = all.iter().map(told).collect();
    let (voucher, invoice) = (all[0].serial.as_str(), all[2].serial.as_str());
    let wanted = [
        ("receipt_voucher", "SUK/", Some(PRICE), ""),
        ("refund_voucher", "RFV/", Some(20_000), voucher),
        ("tax_invoice", "INV/", Some(30_000), voucher),
        ("credit_note", "CRN/", Some(10_000), invoice),
    ];
    assert_eq!(found, wanted);
    ensure!(all.iter().all(|it| it.serial.ends_with("/00001")), "each series has its own numbers");
    assert_eq!(all[2].taxable, inr(25_424));
    assert_eq!((&all[2].central_tax, &all[2].state_tax), (&inr(2_288), &inr(2_288)));
    assert_eq!((&all[2].integrated_tax, &all[2].payer), (&inr(0), &None));
    // Consuming all events of booking again issues nothing more.
    taken_in_again(&world).await?;
    assert_eq!(world.number(PAPERS).await?, 3);
    world.until_number("select count(*) from timers where kind = 'issue-receipt'", 0).await?;
    gapless(&world.store).await
}

#[tokio::test]
async fn a_payer_of_another_state_is_named_and_pays_integrated_tax() -> Result<()> {
    let world = issuing_all().await?;
    let (held, order) = ordered(&world).await?;
    let mut typed = of_pune();
    typed.gstin = " 27aapfu0939f1zv".to_owned();
    let now = set(&world, held.customer, held, Some(typed)).await??;
    assert_eq!(now, (Some(of_pune()), true));
    let paid = world.pay(&order, json!({})).await?;
    assert_eq!(world.check(held).await??, CollectionState::Paid);
    confirm(&world, held, text(&paid, "payment_id")?).await?;
    let voucher = papers(&world, held, 1).await?.remove(0);
    assert_eq!(voucher.payer, Some(of_pune()));
    assert_eq!((&voucher.taxable, &voucher.integrated_tax), (&inr(42_373), &inr(7_627)));
    assert_eq!((&voucher.central_tax, &voucher.state_tax), (&inr(0), &inr(0)));
    // Moved home: the invoice states another tax, and the voucher stays as it was.
    let here = Payer { gstin: String::new(), state_code: "23".to_owned(), ..of_pune() };
    set(&world, held.customer, held, Some(here.clone())).await??;
    complete(&world, held).await?;
    let all = papers(&world, held, 2).await?;
    assert_eq!(all[0], voucher);
    assert_eq!((&all[1].payer, &all[1].central_tax), (&Some(here.clone()), &inr(3_814)));
    // It stands on an invoice, so it cannot be changed any more; and the credit note follows it.
    let late = set(&world, held.customer, held, None).await?;
    assert_refused(late, Code::FailedPrecondition, "PAYER_FIXED");
    let fixed = (Some(here.clone()), false);
    assert_eq!(named(&world, held).await?, fixed);
    refund(&world, held, PRICE, "the-whole-of-it").await?;
    let note = papers(&world, held, 3).await?.remove(2);
    assert_eq!((note.kind.as_str(), &note.payer), ("credit_note", &Some(here)));
    assert_eq!((&note.central_tax, &note.integrated_tax), (&inr(3_814), &inr(0)));
    gapless(&world.store).await
}

#[tokio::test]
async fn what_cannot_stand_on_a_paper_is_refused_by_its_field() -> Result<()> {
    let world = issuing_all().await?;
    let held = world.held().await?;
    world.start(held).await?;
    let payer = of_pune();
    let wrong = [
        (Payer { name: "  ".to_owned(), ..payer.clone() }, "payer.name"),
        (Payer { gstin: "27AAPFU0939F1ZU".to_owned(), ..payer.clone() }, "payer.gstin"),
        (Payer { address: "x".repeat(301), ..payer.clone() }, "payer.address"),
        (Payer { state_code: "23".to_owned(), ..payer.clone() }, "payer.state_code"),
    ];
    for (payer, field) in wrong {
        let answer = set(&world, held.customer, held, Some(payer)).await?;
        let detail = answer.as_ref().err().and_then(runtime::status::detail_of);
        assert_eq!(detail.map(|it| it.field).as_deref(), Some(field));
        assert_refused(answer, Code::InvalidArgument, "INVALID_PAYER");
    }
    let stranger = set(&world, new_id(), held, Some(payer.clone())).await?;
    assert_refused(stranger, Code::NotFound, "BOOKING_NOT_FOUND");
    assert_eq!(world.number("select count(*) from payers").await?, 0);
    set(&world, held.customer, held, Some(payer)).await??;
    let nothing = set(&world, held.customer, held, None).await??;
    assert_eq!(nothing, (None, true));
    Ok(())
}

#[tokio::test]
async fn without_the_setting_there_are_receipts_and_nothing_else() -> Result<()> {
    let world = World::without_webhooks().await?;
    let (held, _payment) = confirmed(&world).await?;
    let refused = set(&world, held.customer, held, Some(of_pune())).await?;
    assert_refused(refused, Code::FailedPrecondition, "PAPERS_OFF");
    complete(&world, held).await?;
    refund(&world, held, 10_000, "after-the-session").await?;
    world.until(held, "RefundProcessed").await?;
    until_taken_in(&world).await?;
    let [receipt] = &of(&world, held).await?[..] else { anyhow::bail!("one") };
    assert_eq!(told(receipt), ("receipt", "SUK/", Some(PRICE), ""));
    assert_eq!(named(&world, held).await?, (None, false));
    assert_eq!(world.number(PAPERS).await?, 0);
    world.until_number("select count(*) from timers where kind = 'issue-receipt'", 0).await
}

#[tokio::test]
async fn papers_cannot_be_changed_and_no_program_can_leave_a_gap() -> Result<()> {
    let world = issuing_all().await?;
    let (held, _payment) = confirmed(&world).await?;
    complete(&world, held).await?;
    papers(&world, held, 2).await?;
    for change in [
        "update tax_papers set amount_minor = 1, taxable_minor = 1",
        "delete from tax_papers",
        "truncate tax_papers",
    ] {
        ensure!(world.database.as_owner(change).await.is_err(), "{change}");
    }
    let gap = "insert into tax_papers
         select gen_random_uuid(), kind, series, financial_year, number + 2, 'X/1', booking_id,
                payment_id, refund_id, refers_to_serial, refers_to_issued_at, amount_minor,
                amount_currency, tax_mode, gst_percent, taxable_minor, central_tax_minor,
                state_tax_minor, integrated_tax_minor, issued_by, issuer_address, gstin,
                service_code, payer_name, payer_gstin, payer_address, payer_state, issued_at
         from tax_papers";
    ensure!(world.database.as_owner(gap).await.is_err(), "a gap was taken");
    assert_eq!(world.number(PAPERS).await?, 1);
    Ok(())
}
