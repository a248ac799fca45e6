//! What the practice writes holds within seconds, without a restart: for prices and texts, for the
//! next charge, in the next mail. A broken folder changes nothing, and a process that is killed
//! while it exchanges its files comes back with one revision.

#![expect(clippy::indexing_slicing, reason = "indexing JSON gives null where there is nothing")]

use std::fs;
use std::path::Path;

use anyhow::Result;
use serde_json::{Value, json};
use system::practice_folder::PracticeFolder;
use system::{Customer, Practice, mails, staff_command};
use testkit::until;

/// The parts that follow the practice's files.
const FOLLOWING: [&str; 5] = ["catalogue", "booking", "payments", "notifications", "reviews"];

const NEW_SERVICE: &str = "
[[services]]
service_id = \"sound-bath\"
title = \"Sound Bath\"
description = \"Lie down, and listen.\"
detailed_description = \"Bowls and gongs.\"
duration_text = \"45 minutes\"
duration_minutes = 45
price = { minor_units = 90_000, currency_code = \"INR\" }
accent = \"leaf\"

[[services.features]]
name = \"Rest\"
description = \"An hour of it.\"
";

fn replace(folder: &Path, file: &str, from: &str, to: &str) -> Result<()> {
    let path = folder.join(file);
    let text = fs::read_to_string(&path)?;
    assert!(text.contains(from), "{file} lacks {from}");
    fs::write(path, text.replacen(from, to, 1))?;
    Ok(())
}

/// The line of a price in paise within the block of meditation.
fn set_price(folder: &Path, from: &str, to: &str) -> Result<()> {
    let price = |units: &str| format!("minor_units = {units}, currency_code");
    replace(folder, "services.toml", &price(from), &price(to))
}

/// A folder of its own, with the videos that its files name.
fn own_folder() -> Result<PracticeFolder> {
    let own = PracticeFolder::with("")?;
    let media = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/local/practice/media");
    std::os::unix::fs::symlink(media, Path::new(&own.path()).join("media"))?;
    Ok(own)
}

async fn sukoon(practice: &Practice, words: &str) -> Result<staff_command::Output> {
    staff_command::run(practice, None, words).await
}

/// What the catalogue says of a service; its code where it does not know it.
async fn service(practice: &Practice, id: &str) -> Result<Value> {
    let url = format!("{}/rpc/catalogue.v1.CatalogueService/GetService", practice.url);
    let answer = practice.http.post(url).json(&json!({ "serviceId": id })).send().await?;
    Ok(answer.json().await.unwrap_or_default())
}

async fn wait_for_price(practice: &Practice, minor_units: &str) -> Result<()> {
    until("the catalogue has the new price", async || {
        let found = service(practice, "meditation").await?;
        Ok((found["service"]["price"]["minorUnits"] == minor_units).then_some(()))
    })
    .await
}

/// Waits until every service has this revision, by their own logs, and says that nothing is wrong.
async fn wait_for_revision(practice: &Practice, number: u32) -> Result<()> {
    until("all services follow", async || {
        let revision = format!("{number}-");
        let is_it = |line: &str| line.contains("is in use") && line.contains(&revision);
        let has = |part: &&'static str| practice.log(part).is_ok_and(|it| it.lines().any(is_it));
        Ok(FOLLOWING.iter().all(has).then_some(()))
    })
    .await?;
    practice.wait_until_healthy().await
}

/// The amount of the order for a session of meditation that is booked now.
async fn charged(practice: &Practice, customer: &Customer<'_>, key: &str) -> Result<Value> {
    let start = customer.free_starts("meditation").await?.remove(3);
    let booking_id = customer.hold("meditation", &start, key).await?;
    let order_id = customer.order(&booking_id).await?;
    let book = practice.book().await?;
    let orders = book["orders"].as_array().cloned().unwrap_or_default();
    let order = orders.into_iter().find(|order| order["id"] == order_id.as_str());
    customer.open_checkout(&booking_id).await?;
    let paid = practice.pay(&order_id).await?;
    customer.submit_checkout_answer(&booking_id, &paid).await?.ok()?;
    customer.wait_for_state(&booking_id, "BOOKING_STATE_MEETING_SCHEDULED").await?;
    let mail = practice.mail_of("booking_confirmed", &booking_id).await?;
    Ok(json!({
        "amount": order.map(|order| order["amount"].clone()),
        "mail": mails::plain_text(&mail),
    }))
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_applied_holds_for_charges_and_mails_and_can_be_undone() -> Result<()> {
    let own = own_folder()?;
    let folder = own.path();
    let practice = Practice::start(&[("PRACTICE_DIR", &folder)]).await?;
    let files = Path::new(&folder);
    set_price(files, "75_000", "65_000")?;
    replace(files, "practice.toml", "phone = \"+917555550100\"", "phone = \"+917555550199\"")?;
    replace(files, "terms.toml", "changed = \"", "changed = \"2026-11-30\" # \"")?;
    let services = files.join("services.toml");
    let text = fs::read_to_string(&services)?;
    let (before, packages) = text.split_once("[[packages]]").unwrap();
    fs::write(&services, format!("{before}{NEW_SERVICE}\n[[packages]]{packages}"))?;

    sukoon(&practice, &format!("practice check {folder}")).await?.done();
    let differs = sukoon(&practice, &format!("practice diff {folder}")).await?;
    differs.shows(&[
        "services.toml: services.meditation.price.minor_units: 75000 becomes 65000",
        "practice.toml: practice.phone: +917555550100 becomes +917555550199",
        "terms.toml: changed: ",
        "services.toml: services.sound-bath.title: Sound Bath is new",
    ]);
    assert_eq!(service(&practice, "meditation").await?["service"]["price"]["minorUnits"], "75000");
    let applied = sukoon(&practice, &format!("practice apply {folder} --note autumn")).await?;
    applied.shows(&["Revision 2-"]);
    applied.done();
    wait_for_revision(&practice, 2).await?;
    wait_for_price(&practice, "65000").await?;
    assert_eq!(service(&practice, "sound-bath").await?["service"]["title"], "Sound Bath");

    let asha = Customer::new(&practice, "Asha").await?;
    let booked = charged(&practice, &asha, "revisions-1").await?;
    assert_eq!(booked["amount"], 65_000, "{booked}");
    let mail = booked["mail"].as_str().unwrap_or_default();
    assert!(mail.contains("+91 75555 50199") && mail.contains("₹650"), "{mail}");

    sukoon(&practice, "practice undo").await?.done();
    wait_for_revision(&practice, 3).await?;
    wait_for_price(&practice, "75000").await?;
    assert_eq!(service(&practice, "sound-bath").await?["code"], "not_found");
    let listed = sukoon(&practice, "practice list").await?;
    listed.shows(&["* 3-", "undone: 1-", "  2-", "autumn", "  1-"]);
    practice.check().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_folder_changes_nothing_and_every_problem_is_told() -> Result<()> {
    let own = own_folder()?;
    let folder = own.path();
    let practice = Practice::start(&[("PRACTICE_DIR", &folder)]).await?;
    let files = Path::new(&folder);
    set_price(files, "75_000", "\"cheap\"")?;
    replace(files, "practice.toml", "step_minutes = 60", "step_minute = 60")?;
    replace(files, "terms.toml", "changed = ", "changes = ")?;
    let refused = sukoon(&practice, &format!("practice apply {folder}")).await?;
    assert_eq!(refused.code, Some(1), "{refused:?}");
    refused.shows(&[
        "services.meditation.price.minor_units must be a whole number",
        "availability.step_minute: it is not known here",
        "perhaps: step_minutes",
        "changed: it must be a day",
        "nothing has changed",
    ]);
    let listed = sukoon(&practice, "practice list").await?;
    assert_eq!(listed.done().lines().count(), 1, "one revision, that of the start");
    assert_eq!(service(&practice, "meditation").await?["service"]["price"]["minorUnits"], "75000");
    practice.wait_until_healthy().await
}

#[tokio::test(flavor = "multi_thread")]
async fn processes_that_are_killed_while_they_exchange_files_come_back_with_one_revision()
-> Result<()> {
    let own = own_folder()?;
    let folder = own.path();
    let practice = Practice::start(&[("PRACTICE_DIR", &folder)]).await?;
    let files = Path::new(&folder);
    let mut price = "75_000";
    for next in ["64_000", "63_000", "62_000"] {
        set_price(files, price, next)?;
        price = next;
        let applied = sukoon(&practice, &format!("practice apply {folder}")).await?;
        applied.done();
        practice.kill(&["catalogue", "booking", "payments", "notifications"])?;
        practice.wait_until_healthy().await?;
        wait_for_price(&practice, &next.replace('_', "")).await?;
    }
    let asha = Customer::new(&practice, "Asha").await?;
    let booked = charged(&practice, &asha, "revisions-2").await?;
    assert_eq!(booked["amount"], 62_000, "{booked}");
    practice.check().await
}
