//! A hundred cancellations by clients, each of a booking with a policy of its own and at a moment
//! of its own: the sum that the page showed is what the provider gives back, to the paisa, or the
//! press is refused with the new sum.

#![expect(clippy::indexing_slicing, reason = "indexing JSON gives null where there is nothing")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use system::practice::RAISED_LIMITS;
use system::practice_folder::PracticeFolder;
use system::staff_command::sukoon;
use system::{Customer, Practice};
use testkit::until;

const SERVICE: &str = "meditation";
const POLICIES: usize = 10;
const BOOKINGS: usize = 10;
/// For how long a client can take a cancellation back, and a minute more.
const UNDO_MINUTES: i64 = 4;
/// The parts that follow the practice's files.
const FOLLOWING: [&str; 5] = ["catalogue", "booking", "payments", "notifications", "reviews"];

/// Numbers that look drawn and are the same in each run.
struct Draws(u64);

impl Draws {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.0 >> 33) % limit.max(1)
    }
}

/// A booking whose cancellation was accepted.
struct Cancelled {
    booking_id: String,
    order_id: String,
    /// What its page showed with the press, in paise.
    shown: i64,
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_page_shows_is_what_the_provider_gives_back() -> Result<()> {
    let folder = PracticeFolder::with("")?;
    let media = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/local/practice/media");
    std::os::unix::fs::symlink(media, Path::new(&folder.path()).join("media"))?;
    let usual = fs::read_to_string(Path::new(&folder.path()).join("practice.toml"))?;
    let folder_path = folder.path();
    let own = [("PRACTICE_DIR", folder_path.as_str())];
    let practice = Practice::start(&[&own[..], &RAISED_LIMITS[..]].concat()).await?;
    let mut draws = Draws(20_261_201);
    let (mut cancelled, mut refused) = (Vec::new(), 0);
    for round in 0..POLICIES {
        let file = Path::new(&folder.path()).join("practice.toml");
        fs::write(file, policy(&usual, &mut draws))?;
        sukoon(&practice, &format!("practice apply {}", folder.path())).await?.done();
        wait_for_revision(&practice, round + 2).await?;
        let client = Customer::new(&practice, &format!("Client{round}")).await?;
        let booked = book(&practice, &client, round, &mut draws).await?;
        let mut seen = Vec::new();
        for (booking_id, order_id) in booked {
            let shown = shown(&client, &booking_id).await?.context("nothing was shown")?;
            seen.push(Cancelled { booking_id, order_id, shown });
        }
        practice.advance_clocks(i64::try_from(draws.below(20 * 60))?).await?;
        for it in seen {
            let (pressed, refusals) = press(&client, it).await?;
            cancelled.extend(pressed);
            refused += refusals;
        }
        practice.advance_clocks(UNDO_MINUTES).await?;
    }
    assert!(cancelled.len() > 70 && refused > 5, "{} pressed, {refused} refused", cancelled.len());
    let sums: std::collections::BTreeSet<i64> = cancelled.iter().map(|it| it.shown).collect();
    assert!(sums.len() > 4, "the policies give different sums: {sums:?}");
    gives_back(&practice, &cancelled).await?;
    practice.check().await
}

/// The practice's file with further steps that are drawn, below its limit of a day.
fn policy(usual: &str, draws: &mut Draws) -> String {
    let (mut hours, mut percent) = (24, 100);
    let mut text = usual.to_owned();
    for _step in 0..=draws.below(3) {
        (hours, percent) = (draws.below(hours - 2) + 1, draws.below(percent - 2) + 1);
        text += &format!(
            "\n[[policies.cancellation_steps]]\nuntil_hours = {hours}\nrefund_percent = {percent}\n"
        );
        if hours < 4 || percent < 4 {
            break;
        }
    }
    text
}

async fn wait_for_revision(practice: &Practice, number: usize) -> Result<()> {
    let revision = format!("{number}-");
    until("all services follow", async || {
        let is_it = |line: &str| line.contains("is in use") && line.contains(&revision);
        let has = |part: &&'static str| practice.log(part).is_ok_and(|it| it.lines().any(is_it));
        Ok(FOLLOWING.iter().all(has).then_some(()))
    })
    .await
}

/// Paid bookings with their orders, some soon and some later.
async fn book(
    practice: &Practice,
    client: &Customer<'_>,
    round: usize,
    draws: &mut Draws,
) -> Result<Vec<(String, String)>> {
    let mut booked = Vec::new();
    for number in 0..BOOKINGS {
        let mut starts = client.free_starts(SERVICE).await?;
        let start = starts.swap_remove(usize::try_from(draws.below(30))?);
        let id = client.hold(SERVICE, &start, &format!("shown-{round}-{number}")).await?;
        let order = client.order(&id).await?;
        client.open_checkout(&id).await?;
        let paid = practice.pay(&order).await?;
        client.submit_checkout_answer(&id, &paid).await?.ok()?;
        booked.push((id, order));
    }
    for (id, _order) in &booked {
        client.wait_for_state(id, "BOOKING_STATE_MEETING_SCHEDULED").await?;
    }
    Ok(booked)
}

fn minor(money: &Value) -> i64 {
    money["minorUnits"].as_str().and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// What the page shows; `None` once the session has begun.
async fn shown(client: &Customer<'_>, booking_id: &str) -> Result<Option<i64>> {
    let body = json!({ "bookingId": booking_id });
    let method = "booking.v1.BookingService/PreviewOwnCancellation";
    let answer = client.call(method, body).await?;
    match answer.reason().as_str() {
        "SESSION_BEGUN" | "NOT_CANCELLABLE" => Ok(None),
        _ => Ok(Some(minor(&answer.ok()?["refund"]))),
    }
}

/// Presses with what was shown, and where less comes back once more with the new sum; says how
/// often it was refused.
async fn press(client: &Customer<'_>, seen: Cancelled) -> Result<(Option<Cancelled>, usize)> {
    let press = async |shown: i64| {
        let body = json!({
            "idempotencyKey": format!("press-{}-{shown}", seen.booking_id),
            "bookingId": seen.booking_id, "expectedVersion": "1",
            "shownRefund": { "minorUnits": shown.to_string(), "currencyCode": "INR" },
        });
        client.call("booking.v1.BookingService/CancelOwnBooking", body).await
    };
    let first = press(seen.shown).await?;
    match first.reason().as_str() {
        "" => {
            first.ok()?;
            Ok((Some(seen), 0))
        }
        "REFUND_FELL" => {
            let now = shown(client, &seen.booking_id).await?.context("nothing is shown")?;
            assert!(now < seen.shown, "it was refused because less comes back");
            press(now).await?.ok()?;
            Ok((Some(Cancelled { shown: now, ..seen }), 1))
        }
        "SESSION_BEGUN" | "NOT_CANCELLABLE" => Ok((None, 0)),
        other => anyhow::bail!("{other}"),
    }
}

/// The provider's own book gave back what was shown, once it has taken all of it.
async fn gives_back(practice: &Practice, cancelled: &[Cancelled]) -> Result<()> {
    let promised: BTreeMap<&str, i64> = cancelled
        .iter()
        .filter(|it| it.shown > 0)
        .map(|it| (it.order_id.as_str(), it.shown))
        .collect();
    let names: BTreeMap<&str, &str> =
        cancelled.iter().map(|it| (it.order_id.as_str(), it.booking_id.as_str())).collect();
    until("the provider has given all of it back", async || {
        let book = practice.book().await?;
        let given = given_by_order(&book);
        let is_there = promised.keys().all(|order| given.contains_key(*order));
        Ok(is_there.then_some(()))
    })
    .await?;
    practice.wait_until_idle().await?;
    let given = given_by_order(&practice.book().await?);
    for (order, booking_id) in names {
        let (promised, given) = (promised.get(order).copied(), given.get(order).copied());
        assert_eq!(given.unwrap_or(0), promised.unwrap_or(0), "{booking_id} of {order}");
    }
    Ok(())
}

fn given_by_order(book: &Value) -> BTreeMap<String, i64> {
    let all = |name: &str| book[name].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let orders: BTreeMap<String, String> = all("payments")
        .iter()
        .map(|payment| (text(&payment["id"]), text(&payment["order_id"])))
        .collect();
    let mut given = BTreeMap::new();
    for refund in all("refunds") {
        if let Some(order) = orders.get(&text(&refund["payment_id"])) {
            *given.entry(order.clone()).or_default() += refund["amount"].as_i64().unwrap_or(0);
        }
    }
    given
}
