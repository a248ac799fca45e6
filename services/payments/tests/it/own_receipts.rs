//! A client's receipts of a financial year, of all bookings.

use anyhow::Result;
use contract::payments::v1::{ListOwnReceiptsRequest, ListOwnReceiptsResponse};
use eventstore::new_id;
use kernel::Id;
use kernel::id::Customer;
use tonic::Code;

use crate::ledger::confirm;
use crate::receipt_numbering::{stop_clock, verified_of};
use crate::world::World;

async fn list(world: &World, customer: Id<Customer>, year: i32) -> Result<ListOwnReceiptsResponse> {
    let asked = ListOwnReceiptsRequest { financial_year: year };
    let request = world.request(customer, asked)?;
    Ok(world.client.clone().list_own_receipts(request).await?.into_inner())
}

fn serials(listed: &ListOwnReceiptsResponse) -> Vec<&str> {
    listed.receipts.iter().map(|receipt| receipt.serial.as_str()).collect()
}

/// Confirms so many bookings of these clients, one after the other, so that their order is known.
async fn confirm_for(world: &World, customers: &[Id<Customer>]) -> Result<()> {
    for customer in customers {
        let count = world.number("select count(*) from receipts").await?;
        let (held, payment_id) = verified_of(world, *customer).await?;
        confirm(world, held, &payment_id).await?;
        world.until_number("select count(*) from receipts", count + 1).await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_client_finds_the_receipts_of_each_year_and_no_one_elses() -> Result<()> {
    let world = World::without_webhooks().await?;
    let (asha, ravi, stranger) = (new_id(), new_id(), new_id());
    stop_clock(&world, "2027-03-31 23:59:59+05:30").await?;
    confirm_for(&world, &[asha, ravi, asha]).await?;
    stop_clock(&world, "2027-04-01 00:00:00+05:30").await?;
    confirm_for(&world, &[ravi, asha]).await?;

    let newest = list(&world, asha, 0).await?;
    assert_eq!(serials(&newest), ["SUK/27-28/00002"]);
    assert_eq!((newest.financial_year, newest.has_more), (2027, false));
    assert_eq!(newest.financial_years, [2027, 2026]);
    let before = list(&world, asha, 2026).await?;
    assert_eq!(serials(&before), ["SUK/26-27/00001", "SUK/26-27/00003"]);
    assert_eq!(serials(&list(&world, ravi, 2026).await?), ["SUK/26-27/00002"]);
    for year in [2025, 2028, -1, i32::MAX] {
        let none = list(&world, asha, year).await?;
        assert!(none.receipts.is_empty() && none.financial_years.len() == 2, "{year}: {none:?}");
    }
    assert_eq!(list(&world, stranger, 0).await?, ListOwnReceiptsResponse::default());
    let asked = ListOwnReceiptsRequest::default();
    let anonymous = world.client.clone().list_own_receipts(asked).await.unwrap_err();
    assert_eq!(anonymous.code(), Code::Unauthenticated);
    Ok(())
}

/// What it costs does not grow with what others have: both tables are read by their index.
#[tokio::test]
async fn a_year_of_one_client_is_found_by_the_index_of_the_clients_bookings() -> Result<()> {
    let world = World::without_webhooks().await?;
    confirm_for(&world, &[new_id(), new_id()]).await?;
    let plan = "explain (format text) select 1 from receipts
        where booking_id = any (array(select booking_id from collections
                                      where customer_id = '018f0000-0000-7000-8000-000000000000'))";
    let mut tx = world.store.pool().begin().await?;
    sqlx::query("set local enable_seqscan = off").execute(&mut *tx).await?;
    let lines: Vec<String> = sqlx::query_scalar(plan).fetch_all(&mut *tx).await?;
    let plan = lines.join("\n");
    for index in ["collections_by_customer", "receipts_by_booking"] {
        assert!(plan.contains(index), "{index} is not used:\n{plan}");
    }
    Ok(())
}
