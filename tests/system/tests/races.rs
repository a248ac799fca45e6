//! Many clients want the same slot at once, over HTTP through the gateway: one for each
//! practitioner gets it, all others get the refusal, and none gets an error.

#![expect(clippy::indexing_slicing, reason = "indexing JSON gives null where there is nothing")]

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context as _, Result};
use futures::future::join_all;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use system::practice::RAISED_LIMITS;
use system::practice_folder::PracticeFolder;
use system::{Answer, Customer, Practice, TokenIssuer};
use tokio::sync::Mutex;

/// How many clients want the same slot.
const BUYERS: usize = 1000;
/// How many slots one client requests at once, and how many may be held.
const REQUESTS_OF_ONE_CLIENT: usize = 50;
const LIVE_HOLDS_MAX: usize = 2;
const REQUEST: &str = "booking.v1.BookingService/RequestBooking";
/// Two races at once would be two thousand buyers, more than a small machine answers in time.
static RACE: Mutex<()> = Mutex::const_new(());
/// One request: a service and its start.
type SlotRequest = (&'static str, String);

#[tokio::test(flavor = "multi_thread")]
async fn a_slot_is_sold_once() -> Result<()> {
    let _race = RACE.lock().await;
    let most = getrlimit(Resource::Nofile).maximum;
    setrlimit(Resource::Nofile, Rlimit { current: most, maximum: most })?;
    let mut practice = Practice::start(&RAISED_LIMITS).await?;
    // On a small machine the last of a thousand waits for all others.
    practice.http = reqwest::Client::builder().timeout(Duration::from_secs(120)).build()?;
    let issuer = TokenIssuer::of(&practice).await?;
    one_slot(&practice, &issuer).await?;
    overlapping_ranges(&practice, &issuer).await?;
    one_client_holds_two_slots(&practice, &issuer).await?;
    practice.check().await
}

/// A thousand buyers of packages that overlap: every session of a winner stands, and no session of
/// a loser.
#[tokio::test(flavor = "multi_thread")]
async fn packages_are_sold_whole() -> Result<()> {
    let _race = RACE.lock().await;
    let most = getrlimit(Resource::Nofile).maximum;
    setrlimit(Resource::Nofile, Rlimit { current: most, maximum: most })?;
    let mut practice = Practice::start(&RAISED_LIMITS).await?;
    practice.http = reqwest::Client::builder().timeout(Duration::from_secs(120)).build()?;
    let issuer = TokenIssuer::of(&practice).await?;
    let free = Customer::with_issued_token(&practice, &issuer, "Looking")?
        .free_starts("mental-health")
        .await?;
    let days = days_of(&free);
    // Three of seven days, at one of three hours, in every order.
    let request = |buyer: usize, customer: &Customer<'_>| {
        let hour = buyer % 3;
        let starts: Vec<String> = [buyer % 7, buyer % 7 + 1 + buyer % 2, buyer % 7 + 3]
            .iter()
            .map(|day| days[7 + day % 7][hour].clone())
            .collect();
        customer.package_request("mental-health", &starts, &format!("package-{buyer:06}"))
    };
    let buyers = (0..BUYERS).map(|buyer| {
        let customer = Customer::with_issued_token(&practice, &issuer, "Buyer")?;
        let request = request(buyer, &customer);
        Ok((customer, request))
    });
    let buyers = buyers.collect::<Result<Vec<_>>>()?;
    let asked = buyers.iter().map(|(buyer, request)| buyer.call_once(REQUEST, request));
    let mut answers = join_all(asked).await.into_iter().collect::<Result<Vec<_>>>()?;
    for ((buyer, request), answer) in buyers.iter().zip(&mut answers) {
        // On a busy machine an answer comes too late. The buyer asks again with the same key, as
        // the web application does, and is told what was decided.
        if answer.status == 504 {
            *answer = buyer.call(REQUEST, request.clone()).await?;
        }
    }
    let counts = tally(&answers);
    let held = counts.get("200 ").copied().unwrap_or(0);
    // Twenty-one times, of which each winner has three.
    assert!((1..=7).contains(&held), "{counts:?}");
    let mut refused = counts.keys().filter(|key| key.as_str() != "200 ");
    assert!(refused.all(|key| key.ends_with("SLOT_TAKEN")), "{counts:?}");
    let mut booking = practice.database("booking").await?;
    for (what, each) in [
        ("select count(*) from bookings", 1),
        ("select count(*) from slot_reservations where live", 3),
        ("select count(*) from slot_reservations", 3),
        ("select count(*) from events where event_type = 'booking.v1.SlotHeld'", 3),
        (
            "select count(*) from (select booking_id from slot_reservations
             group by booking_id having count(*) = 3) whole",
            1,
        ),
    ] {
        let count: i64 = sqlx::query_scalar(what).fetch_one(&mut booking).await?;
        assert_eq!(count, each * i64::try_from(held)?, "{what}");
    }
    practice.check().await
}

/// The free starts of each day.
fn days_of(free: &[String]) -> Vec<Vec<String>> {
    let mut days: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for start in free {
        days.entry(start.get(..10).unwrap_or_default()).or_default().push(start.clone());
    }
    days.into_values().collect()
}

async fn one_slot(practice: &Practice, issuer: &TokenIssuer) -> Result<()> {
    let start = first_start(practice, issuer, "meditation", 7).await?;
    let requests = (0..BUYERS).map(|_buyer| ("meditation", start.clone())).collect();
    winners(practice, issuer, requests, 1).await
}

/// The buyers ask for anyone of two practitioners.
#[tokio::test(flavor = "multi_thread")]
async fn a_slot_of_two_practitioners_is_sold_twice() -> Result<()> {
    let _race = RACE.lock().await;
    let most = getrlimit(Resource::Nofile).maximum;
    setrlimit(Resource::Nofile, Rlimit { current: most, maximum: most })?;
    let folder = PracticeFolder::of_two_practitioners()?;
    let path = folder.path();
    let settings: Vec<(&str, &str)> =
        RAISED_LIMITS.into_iter().chain([("PRACTICE_DIR", path.as_str())]).collect();
    let mut practice = Practice::start(&settings).await?;
    practice.http = reqwest::Client::builder().timeout(Duration::from_secs(120)).build()?;
    let issuer = TokenIssuer::of(&practice).await?;
    let start = first_start(&practice, &issuer, "meditation", 7).await?;
    let requests = (0..BUYERS).map(|_buyer| ("meditation", start.clone())).collect();
    winners(&practice, &issuer, requests, 2).await?;
    let mut booking = practice.database("booking").await?;
    let held = "select practitioner_id from bookings order by practitioner_id";
    let who: Vec<String> = sqlx::query_scalar(held).fetch_all(&mut booking).await?;
    assert_eq!(who, ["lead", "ravi"]);
    practice.check().await
}

/// A session of 90 minutes at eleven, and sessions of 30 to 75 minutes at twelve, inside of it.
async fn overlapping_ranges(practice: &Practice, issuer: &TokenIssuer) -> Result<()> {
    let long = first_start(practice, issuer, "karmic-healing", 14).await?;
    let hour = long.get(11..13).and_then(|hour| hour.parse::<u32>().ok()).context("no hour")?;
    let later = long.replacen(&format!("T{hour:02}"), &format!("T{:02}", hour + 1), 1);
    let short = ["vedic-astrology", "meditation", "energy-healing", "relationship-counseling"];
    let request = |buyer: usize| match buyer % 2 {
        0 => ("karmic-healing", long.clone()),
        _ => (short[buyer / 2 % short.len()], later.clone()),
    };
    winners(practice, issuer, (0..BUYERS).map(request).collect(), 1).await
}

async fn one_client_holds_two_slots(practice: &Practice, issuer: &TokenIssuer) -> Result<()> {
    let client = Customer::with_issued_token(practice, issuer, "Greedy")?;
    let starts = client.free_starts("vedic-astrology").await?;
    let requests =
        starts.iter().rev().take(REQUESTS_OF_ONE_CLIENT).enumerate().map(|(index, start)| {
            let request = client.request("vedic-astrology", start, &format!("greedy-{index:04}"));
            let client = &client;
            async move { client.call_once(REQUEST, &request).await }
        });
    let answers = join_all(requests).await.into_iter().collect::<Result<Vec<_>>>()?;
    assert_eq!(answers.len(), REQUESTS_OF_ONE_CLIENT);
    let counts = tally(&answers);
    assert_eq!(counts.get("200 "), Some(&LIVE_HOLDS_MAX), "{counts:?}");
    let refused = counts.keys().filter(|key| key.as_str() != "200 ");
    assert!(refused.clone().all(|key| key.ends_with("TOO_MANY_HOLDS")), "{counts:?}");
    Ok(())
}

/// A start some days ahead, so that the races use different slots.
async fn first_start(
    practice: &Practice,
    issuer: &TokenIssuer,
    service: &str,
    index: usize,
) -> Result<String> {
    let looking = Customer::with_issued_token(practice, issuer, "Looking")?;
    let free = looking.free_starts(service).await?;
    let day = free.get(index).and_then(|start| start.get(..10)).context("no such day")?;
    // The first of the next day, so that the hour after it is offered, too.
    let next = free.iter().find(|start| start.get(..10) > Some(day));
    Ok(next.context("no next day")?.clone())
}

/// So many of the buyers get it, and all others are told that it is taken.
async fn winners(
    practice: &Practice,
    issuer: &TokenIssuer,
    requests: Vec<SlotRequest>,
    most: usize,
) -> Result<()> {
    let buyers = requests.iter().enumerate().map(|(index, (service, start))| {
        let buyer = Customer::with_issued_token(practice, issuer, "Buyer")?;
        let request = buyer.request(service, start, &format!("race-{index:06}"));
        Ok((buyer, request))
    });
    let buyers = buyers.collect::<Result<Vec<_>>>()?;
    let asked = buyers.iter().map(|(buyer, request)| buyer.call_once(REQUEST, request));
    let answers = join_all(asked).await.into_iter().collect::<Result<Vec<_>>>()?;
    let counts = tally(&answers);
    assert_eq!(counts.get("200 "), Some(&most), "{counts:?}");
    let clean = |key: &String| ["400", "409", "412"].iter().any(|code| key.starts_with(code));
    let mut refused = counts.keys().filter(|key| key.as_str() != "200 ");
    assert!(refused.all(|key| clean(key) && key.ends_with("SLOT_TAKEN")), "{counts:?}");
    Ok(())
}

/// The number of answers by status and reason.
fn tally(answers: &[Answer]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for answer in answers {
        *counts.entry(format!("{} {}", answer.status, answer.reason())).or_default() += 1;
    }
    counts
}
