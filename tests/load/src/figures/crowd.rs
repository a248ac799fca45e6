//! How long a code that a person waits for takes to its mail server while 100,000 reminders are
//! looked at again, as after a change of their hours: each asks booking for its session, which is
//! far off, and is rescheduled.

use std::time::Duration;

use anyhow::{Result, ensure};
use kernel::Timestamp;
use sqlx::PgConnection;
use system::accounts::sign_up_and_request_code;
use system::{Customer, Practice};
use testkit::until_within;
use uuid::Uuid;

use crate::catch_up::until_caught_up;
use crate::environment::{Environment, Hours, RunningSystem};
use crate::figure::{Figure, Unit};
use crate::request_pool::rfc3339;
use crate::samples::{Samples, millis};
use crate::timetable::SERVICE;

const REMINDERS: i32 = 100_000;
/// Farther off than any reminder is sent before its session.
const FAR_SECONDS: i64 = 7 * 24 * 60 * 60;
/// How many codes are requested during that work, one after the other.
const CODES: u32 = 20;
/// How long a code may take.
const TIMEOUT: Duration = Duration::from_secs(30);

const CROWD: &str = "
with mail as (
    insert into mails (mail_id, kind, subject, booking_id, due_at, queued_at)
    select md5('crowd ' || n)::uuid, 'reminder', 'bkg_' || md5('crowd ' || n), $1,
           clock_now(), clock_now()
    from generate_series(1, $2) n
    returning mail_id)
insert into timers (kind, subject, due_at, is_bulk)
select 'send_mail', 'mal_' || replace(mail_id::text, '-', ''), clock_now(), true from mail";
const FORGOTTEN: [&str; 2] = [
    "delete from timers using mails
     where timers.kind = 'send_mail' and mails.booking_id = $1 and mails.kind = 'reminder'
       and timers.subject = 'mal_' || replace(mails.mail_id::text, '-', '')",
    "delete from mails where booking_id = $1 and kind = 'reminder'",
];
const LEFT: &str = "select count(*) from timers where kind = 'send_mail' and is_bulk
                    and due_at <= clock_now()";
const SENT: &str = "select (extract(epoch from sent_at - queued_at) * 1e6)::bigint from mails
                    where kind = 'recover_password' and sent_at is not null and queued_at >= $1";

pub(crate) async fn measure(environment: &mut Environment) -> Result<Vec<Figure>> {
    let running = environment.at(Hours::Dense).await?;
    let practice = &running.practice;
    let mut database = practice.database("notifications").await?;
    let booking = far_booking(running, now(&mut database).await?).await?;
    until_caught_up(practice).await?;
    let made = sqlx::query(CROWD).bind(booking).bind(REMINDERS).execute(&mut database).await?;
    ensure!(made.rows_affected() == u64::try_from(REMINDERS)?, "the crowd is not whole");
    let measured = codes(practice, &mut database).await;
    let left: i64 = sqlx::query_scalar(LEFT).fetch_one(&mut database).await?;
    for forgotten in FORGOTTEN {
        sqlx::query(forgotten).bind(booking).execute(&mut database).await?;
    }
    let waits = measured?;
    ensure!(left > 0, "the crowd was gone before the last code");
    let title = "code behind 100,000 waking reminders, slowest";
    let figure = Figure::absolute(title, Unit::Millis, millis(waits.longest()), (1_000.0, 250.0));
    let note = format!(
        "{} codes, p50 {:.1} ms; {left} reminders still waited then",
        waits.len(),
        millis(waits.p50())
    );
    Ok(vec![figure.noting(note)])
}

async fn now(database: &mut PgConnection) -> Result<Timestamp> {
    Ok(sqlx::query_scalar("select clock_now()").fetch_one(database).await?)
}

/// A booking that is paid, and whose session is farther off than its reminder.
async fn far_booking(running: &RunningSystem, now: Timestamp) -> Result<Uuid> {
    let (request_pool, practice) = (running.request_pool()?, &running.practice);
    let far = now.seconds() + FAR_SECONDS;
    let start = loop {
        let start = request_pool.time()?;
        if start > far {
            break start;
        }
    };
    let customer = Customer::with_issued_token(practice, &running.issuer, "Asha")?;
    let id = customer.hold(SERVICE, &rfc3339(start), "crowd-booking").await?;
    let order = customer.order(&id).await?;
    practice.pay(&order).await?;
    customer.wait_for_state(&id, "BOOKING_STATE_MEETING_SCHEDULED").await?;
    Ok(id.trim_start_matches("bkg_").parse()?)
}

/// Asks for codes, and returns how long each took from its event to the mail server.
async fn codes(practice: &Practice, database: &mut PgConnection) -> Result<Samples> {
    let since = now(database).await?;
    for number in 0..CODES {
        sign_up_and_request_code(practice, &format!("crowd{number}@customers.example")).await?;
        until_within(TIMEOUT, "a code is sent", async || {
            let sent = sqlx::query(SENT).bind(since).fetch_all(&mut *database).await?.len();
            Ok((sent > usize::try_from(number)?).then_some(()))
        })
        .await?;
    }
    let took: Vec<i64> = sqlx::query_scalar(SENT).bind(since).fetch_all(database).await?;
    let mut waits = Samples::default();
    for micros in took {
        waits.push(Duration::from_micros(u64::try_from(micros)?));
    }
    Ok(waits)
}
