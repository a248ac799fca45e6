//! The desk's commands against a whole practice: a booking by phone is paid at the desk, listed,
//! cancelled, and its money given back there.

#![expect(clippy::indexing_slicing, reason = "indexing JSON gives null where there is nothing")]

use anyhow::{Context as _, Result};
use checker::snapshot::Ack;
use kernel::Timestamp;
use serde_json::Value;
use system::practice::RAISED_LIMITS;
use system::staff_command::sukoon;
use system::{Customer, Practice};
use testkit::until;

const SERVICE: &str = "general-consultation";

/// Waits for a mail to a client whose subject begins like this.
async fn mailed(customer: &Customer<'_>, subject: &str) -> Result<()> {
    until(&format!("{subject} was mailed"), async || {
        let mails = customer.mails().await?;
        let begins =
            |mail: &Value| mail["subject"].as_str().is_some_and(|text| text.starts_with(subject));
        Ok(mails.iter().any(begins).then_some(()))
    })
    .await
}

/// Books in person for a client on the phone; the booking, its local date, and its price in rupees.
async fn by_phone(practice: &Practice, asha: &Customer<'_>) -> Result<(String, String, i64)> {
    let free = asha.free_starts(SERVICE).await?;
    let start = free.get(free.len() / 2).context("no free time")?;
    let local = start.parse::<Timestamp>()?.plus_minutes(330).to_string();
    let local = local.get(..16).context("no local time")?;
    let asked = format!(
        "phone-booking {SERVICE} {local} --first-name Asha --last-name Canaryworth --email {} \
         --mode in-person --json",
        asha.email
    );
    let held: Value = serde_json::from_str(&sukoon(practice, &asked).await?.done())?;
    let booking = &held["booking"]["booking"];
    let id = booking["bookingId"].as_str().context("no booking")?.to_owned();
    let minor: i64 = booking["price"]["minorUnits"].as_str().context("no price")?.parse()?;
    Ok((id, local.get(..10).context("no date")?.to_owned(), minor / 100))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_booking_by_phone_is_paid_and_given_back_at_the_desk() -> Result<()> {
    let practice = Practice::start(&RAISED_LIMITS).await?;
    let asha = Customer::new(&practice, "Asha").await?;
    let (id, date, price) = by_phone(&practice, &asha).await?;
    let short = format!("pay-at-desk {id} {} --way cash --yes", price - 1);
    sukoon(&practice, &short).await?.refused("not the amount that is owed");
    let pay = format!("pay-at-desk {id} {price} --way upi --reference 412345678901");
    sukoon(&practice, &pay).await?.refused("add --yes");
    sukoon(&practice, &format!("{pay} --yes")).await?.shows(&[" by UPI is recorded"]);
    until("it is listed as paid", async || {
        let day = sukoon(&practice, &format!("today {date}")).await?.done();
        Ok((day.contains(&id) && day.contains("paid, UPI at the desk")).then_some(()))
    })
    .await?;
    mailed(&asha, "Your session is confirmed").await?;
    mailed(&asha, "Your receipt").await?;
    let history = sukoon(&practice, &format!("history {id}")).await?;
    history.shows(&["Desk payment recorded", "412345678901", "Booking confirmed"]);
    sukoon(&practice, &format!("{pay} --yes")).await?.refused("paid already");
    // The provider has nothing of it: the practice owes it until it says that it has given it back.
    let cancelled = sukoon(&practice, &format!("cancel {id} --by practice --yes")).await?;
    cancelled.shows(&["is to be given back at the desk", "sukoon give-back"]);
    practice.recorder.record_ack(Ack::Cancelled(id.parse()?));
    mailed(&asha, &format!("You get ₹{price} back at the practice")).await?;
    sukoon(&practice, "orders unexplained --all").await?.shows(&["OWED_AT_DESK", &id]);
    let give = format!("give-back {id} {price} --way cash --yes");
    sukoon(&practice, &give).await?.shows(&["is recorded as given back"]);
    mailed(&asha, &format!("Your refund of ₹{price} is done")).await?;
    until("it is listed as given back", async || {
        let day = sukoon(&practice, &format!("today {date}")).await?.done();
        Ok(day.contains("refunded, UPI at the desk").then_some(()))
    })
    .await?;
    sukoon(&practice, &give).await?.refused("to be given back at the desk");
    sukoon(&practice, "balances").await?.shows(&["desk_cash", "desk_upi"]);
    practice.check().await
}
