//! Backups are worth what can be restored from them: a practice that an earlier release has left
//! behind is backed up by pgBackRest, restored to moments, drilled, and moved to another place.
use std::fs;

use anyhow::{Context as _, Result, ensure};
use system::installed::{InstalledPractice, succeeded};
use system::kept::KeptPractice;

#[test]
fn a_practice_comes_back_as_it_was_at_a_moment() -> Result<()> {
    let kept = KeptPractice::sound()?;
    let installed = InstalledPractice::init()?;
    installed.forget_the_provider()?;
    installed.fill(&kept)?;
    installed.sukoon(&["check"])?;
    installed.sukoon(&["backup"])?;
    installed.set_clocks(&kept)?;
    // Something happens after the backup, and after the moment that is wanted back something else.
    installed.sql("booking", "comment on table clock is 'before'")?;
    let moment = installed.sql(
        "booking",
        "select to_char(clock_timestamp() at time zone 'UTC', \
         'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')",
    )?;
    installed.sql("booking", "comment on table clock is 'after'; select pg_switch_wal()")?;
    let pictures = installed.root.join("var/lib/sukoon/reviews/pictures/reviews");
    let count = fs::read_dir(&pictures)?.count();
    ensure!(count > 0, "there are no pictures");
    fs::remove_dir_all(&pictures)?;
    fs::create_dir(&pictures)?;
    installed.sukoon(&["restore", "--yes", "--to", &moment])?;
    let comment = "select obj_description('clock'::regclass)";
    ensure!(installed.sql("booking", comment)? == "before", "another moment came back");
    ensure!(fs::read_dir(&pictures)?.count() == count, "pictures are missing");
    let due = "select count(*) from timers where kind = 'list-payments' and due_at <= clock_now()";
    ensure!(installed.sql("payments", due)? != "0", "the provider will not be asked");
    Ok(())
}

/// What is in force, and what ends after the moment that is wanted back.
const BEFORE: [(&str, &str); 3] = [
    (
        "booking",
        "insert into staff_members (user_id, role) values
             ('00000000-0000-4000-8000-00000000000a', 'admin'),
             ('00000000-0000-4000-8000-00000000000b', 'admin');
         insert into calendar_feeds values ('nobody', gen_random_uuid(), false, clock_now());
         insert into own_calendars
         select ('00000000-0000-4000-8000-00000000000' || n)::uuid, gen_random_uuid(), false,
                clock_now()
         from unnest('{a,b}'::text[]) n;
         insert into consent_texts values ('of a test', '', clock_now());
         insert into consents (consent_id, customer_id, booking_id, version, full_name, email,
                               signature, given_at)
         values ('00000000-0000-4000-8000-00000000000d', '00000000-0000-4000-8000-00000000000a',
                 '00000000-0000-4000-8000-00000000000d', 'of a test', 'Asha', 'a@example.org',
                 'Asha', clock_now());
         insert into page_keys (key_id, key_hash, booking_id, purpose, made_for, made_at)
         select ('00000000-0000-4000-8000-00000000000' || n)::uuid, sha256(n::bytea),
                gen_random_uuid(), 'page', 'mal_' || n, clock_now()
         from unnest('{a,b}'::text[]) n",
    ),
    (
        "identity",
        "insert into users (user_id, identity_id, email, password_hash, created_at, updated_at)
         select ('00000000-0000-4000-8000-00000000000' || n)::uuid, gen_random_uuid(),
                n || '@example.org', 'old', clock_now(), clock_now()
         from unnest('{a,b,c}'::text[]) n;
         insert into passkeys (passkey_id, user_id, friendly_name, user_handle, credential_id,
                               public_key, credential_state, created_at)
         select user_id, user_id, 'key', '', user_id::text::bytea, '', '', clock_now()
         from users where email in ('a@example.org', 'b@example.org');
         insert into recovery_codes select user_id, '\\x01', clock_now() from users
         where email = 'b@example.org'",
    ),
    ("notifications", "select 1"),
];
const ENDED: [(&str, &str); 3] = [
    (
        "booking",
        "update staff_members set active = false where user_id::text like '%00a';
         update staff_members set role = 'front_desk' where user_id::text like '%00b';
         update calendar_feeds set feed_id = '00000000-0000-4000-8000-0000000000ff'
         where practitioner_id = 'nobody';
         update own_calendars set feed_id = '00000000-0000-4000-8000-0000000000fe'
         where customer_id::text like '%00a';
         delete from own_calendars where customer_id::text like '%00b';
         update consents set withdrawn_at = clock_now()
         where consent_id = (select min(consent_id::text)::uuid from consents
                             where withdrawn_at is null);
         update page_keys set ended_at = clock_now(), ended_why = 'renewed'
         where made_for = 'mal_a';
         insert into page_keys (key_id, key_hash, booking_id, purpose, made_for, made_at, ended_at,
                                ended_why)
         values (gen_random_uuid(), sha256('before'), gen_random_uuid(), 'page',
                 'the release before', clock_now(), clock_now(), 'adopted')",
    ),
    (
        "identity",
        "update users set password_hash = 'new' where email = 'a@example.org';
         update users set banned_until_at = '2999-01-01' where email = 'b@example.org';
         delete from users where email = 'c@example.org';
         delete from passkeys where user_id::text like '%00a';
         delete from recovery_codes where user_id::text like '%00b'",
    ),
    (
        "notifications",
        "insert into unsubscribed_addresses
         values ('\\x000102030405060708090a0b0c0d0e0f', clock_now())",
    ),
];
/// What a restored practice says of it, the same before and after a second restore.
const IN_FORCE: [(&str, &str, &str); 5] = [
    (
        "booking",
        "select string_agg(concat(role, ' ', active), ', ' order by user_id) from staff_members
         where user_id::text like '00000000-0000-4000-8000-%'",
        "admin f, front_desk t",
    ),
    (
        "booking",
        "select (select feed_id from calendar_feeds where practitioner_id = 'nobody')
                = '00000000-0000-4000-8000-0000000000ff'
                and (select array_agg(feed_id::text) from own_calendars)
                    = '{00000000-0000-4000-8000-0000000000fe}'
                and exists (select from consents where withdrawn_at is not null)",
        "t",
    ),
    (
        "booking",
        "select string_agg(concat(ended_why, '-'), '' order by key_hash = sha256('b'), ended_why)
         from page_keys where key_hash in (sha256('a'), sha256('b'), sha256('before'))",
        "adopted-renewed--",
    ),
    (
        "identity",
        "select string_agg(concat(email, ' ', password_hash, ' ', banned_until_at::date, ' ',
                                  (select count(*) from passkeys p where p.user_id = u.user_id),
                                  (select count(*) from recovery_codes r
                                   where r.user_id = u.user_id)), ', ' order by email)
                || (select ', ' || count(*) from sessions)
         from users u where email in ('a@example.org', 'b@example.org', 'c@example.org')",
        "a@example.org   00, b@example.org old 2999-01-01 10, 0",
    ),
    (
        "notifications",
        "select count(*) from unsubscribed_addresses
         where address_hash = '\\x000102030405060708090a0b0c0d0e0f'",
        "1",
    ),
];

fn require_ended(installed: &InstalledPractice) -> Result<()> {
    for (database, sql, wanted) in IN_FORCE {
        let found = installed.sql(database, sql)?;
        ensure!(found == wanted, "{database}: {found}, not {wanted}");
    }
    Ok(())
}

#[test]
fn what_had_ended_stays_ended_after_a_restore() -> Result<()> {
    let kept = KeptPractice::sound()?;
    let installed = InstalledPractice::init()?;
    installed.forget_the_provider()?;
    installed.fill(&kept)?;
    for (database, sql) in BEFORE {
        installed.sql(database, sql)?;
    }
    installed.sukoon(&["backup"])?;
    installed.set_clocks(&kept)?;
    installed.sql("booking", "comment on table clock is 'before'")?;
    let moment = installed.sql(
        "booking",
        "select to_char(clock_timestamp() at time zone 'UTC', \
         'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')",
    )?;
    for (database, sql) in ENDED {
        installed.sql(database, sql)?;
    }
    installed.sql("booking", "comment on table clock is 'after'; select pg_switch_wal()")?;
    let back = ["restore", "--yes", "--to", &moment];
    // A restore that is killed on its way goes on with what it knew.
    for place in ["list-kept", "databases-restored", "rights-taken-away"] {
        let mut command = installed.command(&back)?;
        let stopped = command.env("SUKOON_RESTORE_STOPS_AT", place).output()?;
        ensure!(!stopped.status.success(), "it did not stop at {place}");
        let note = installed.root.join("var/lib/sukoon/operations/restoring.json");
        ensure!(note.is_file(), "{place}: the practice could open");
    }
    let said = installed.sukoon(&back)?;
    ensure!(said.contains("1 members who had been removed"), "{said}");
    let comment = "select obj_description('clock'::regclass)";
    ensure!(installed.sql("booking", comment)? == "before", "another moment came back");
    require_ended(&installed)?;
    let note = installed.root.join("var/lib/sukoon/operations/restoring.json");
    ensure!(!note.exists(), "the practice could not open");
    put_aside_ends(&installed)?;
    // Where the practice's own cluster says nothing, the end of its log does.
    installed.sql("booking", "select pg_switch_wal()")?;
    let said = installed.sukoon(&["restore", "--yes", "--to", &moment, "--with-ended-rights"])?;
    ensure!(said.contains("As asked for, what had ended is back"), "{said}");
    ensure!(installed.sql("identity", "select count(*) from sessions")? == "0", "a session");
    Ok(())
}

/// What was replaced goes after a week.
fn put_aside_ends(installed: &InstalledPractice) -> Result<()> {
    let aside = installed.root.join("var/lib/sukoon/postgres.before");
    ensure!(aside.join("PG_VERSION").is_file(), "nothing was put aside");
    installed.sukoon(&["backup"])?;
    ensure!(aside.join("PG_VERSION").is_file(), "it went at once");
    let note = fs::File::options().write(true).open(aside.join("sukoon-put-aside"))?;
    let week = std::time::Duration::from_secs(7 * 24 * 60 * 60 + 60);
    note.set_modified(std::time::SystemTime::UNIX_EPOCH.max(note.metadata()?.modified()? - week))?;
    installed.sukoon(&["backup"])?;
    ensure!(!aside.join("PG_VERSION").exists(), "it stays for ever");
    Ok(())
}

#[test]
fn a_drill_judges_what_it_restores() -> Result<()> {
    let kept = KeptPractice::sound()?;
    let installed = InstalledPractice::init()?;
    installed.forget_the_provider()?;
    installed.fill(&kept)?;
    installed.sukoon(&["backup", "--full"])?;
    installed.set_clocks(&kept)?;
    installed.sukoon(&["drill"])?;
    let result = installed.drill_result()?;
    ensure!(result["sound"] == true && result["bookings"].as_u64() >= Some(20), "{result:#}");
    installed.set_clocks(&kept)?;
    // A person breaks the practice; what was archived since the backup is in the drill.
    installed.sql("booking", "delete from timers where kind = 'session-end'")?;
    installed.sql("booking", "select pg_switch_wal()")?;
    let done = installed.command(&["drill"])?.output()?;
    let result = installed.drill_result()?;
    ensure!(!done.status.success() && result["sound"] == false, "{result:#}");
    ensure!(result["broken"][0]["invariant"] == "I7", "{result:#}");
    Ok(())
}

#[test]
fn a_practice_moves_in_one_sealed_file() -> Result<()> {
    let kept = KeptPractice::sound()?;
    let old = InstalledPractice::init()?;
    old.fill(&kept)?;
    old.set_clocks(&kept)?;
    let file = old.root.join("practice.sukoon");
    let said = old.sukoon(&["export", file.to_str().context("no path")?])?;
    let key = said.lines().find(|line| line.starts_with("AGE-SECRET-KEY-")).context("no key")?;
    let sealed = fs::read(&file)?;
    ensure!(sealed.starts_with(b"age-encryption.org"), "the archive is not sealed");
    let events = old.sql("booking", "select count(*), max(event_id::text) from events")?;
    let new = InstalledPractice::init()?;
    let refused = new.command(&["import", file.to_str().context("no path")?])?.output()?;
    ensure!(!refused.status.success(), "it was imported without its key");
    let mut import = new.command(&["import", file.to_str().context("no path")?])?;
    succeeded(&import.env("SUKOON_ARCHIVE_KEY", key).output()?)?;
    let there = new.sql("booking", "select count(*), max(event_id::text) from events")?;
    ensure!(there == events, "{there} came of {events}");
    Ok(())
}

const COMMENT: &str = "select obj_description('clock'::regclass)";

/// A restore that does not succeed: what it says. The practice has its data afterwards, and nothing
/// keeps it from opening.
fn failed_restore(installed: &InstalledPractice, to: &str) -> Result<String> {
    let mut command = installed.command(&["restore", "--yes", "--to", to])?;
    let done = command.output()?;
    ensure!(!done.status.success(), "it was restored to {to}");
    let comment = installed.sql("booking", COMMENT)?;
    ensure!(comment == "after", "{to}: the data of then are {comment}");
    let left = ["operations/restoring.json", "postgres.before"];
    let left = left.map(|it| installed.root.join("var/lib/sukoon").join(it));
    ensure!(left.iter().all(|it| !it.exists()), "{to}: something keeps the practice closed");
    Ok(String::from_utf8_lossy(&done.stderr).into_owned())
}

/// The beginning of a second that is later than all that was done.
fn next_second(installed: &InstalledPractice) -> Result<String> {
    let sql = "select to_char(clock_timestamp() at time zone 'UTC', \
               'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')";
    let done = installed.sql("booking", sql)?;
    loop {
        let now = installed.sql("booking", sql)?;
        if now > done {
            return Ok(now);
        }
    }
}

#[test]
fn a_restore_that_does_not_succeed_leaves_the_practice_with_its_data() -> Result<()> {
    let kept = KeptPractice::sound()?;
    let installed = InstalledPractice::init()?;
    installed.forget_the_provider()?;
    installed.fill(&kept)?;
    installed.sukoon(&["backup"])?;
    installed.set_clocks(&kept)?;
    installed.sql("booking", "comment on table clock is 'after'; select pg_switch_wal()")?;
    let now = next_second(&installed)?;
    // Moments that cannot come back are refused before anything stops.
    let started = "select pg_postmaster_start_time()";
    let before = installed.sql("booking", started)?;
    let said = failed_restore(&installed, "2020-01-01T00:00:00Z")?;
    ensure!(said.contains("oldest backup") && said.contains("Asia/Kolkata"), "{said}");
    let said = failed_restore(&installed, "2999-01-01T00:00:00Z")?;
    ensure!(said.contains("has not come yet"), "{said}");
    ensure!(installed.sql("booking", started)? == before, "something stopped");
    // Nothing was archived after this moment, and a cluster that is lost cannot write anything.
    installed.stop()?;
    let said = failed_restore(&installed, &now)?;
    ensure!(said.contains("has the data that it had before"), "{said}");
    ensure!(said.contains("before configured recovery target"), "{said}");
    fails_after_it_opened(&installed, (&kept, &now))
}

/// The restored data have opened, and pictures cannot be restored without their key. What the old
/// data write afterwards comes back with the next restore.
fn fails_after_it_opened(
    installed: &InstalledPractice,
    (kept, now): (&KeptPractice, &str),
) -> Result<()> {
    let pictures = installed.root.join("var/lib/sukoon/reviews/pictures/reviews");
    fs::remove_dir_all(&pictures)?;
    fs::create_dir(&pictures)?;
    let key = installed.root.join("etc/sukoon/pgbackrest.d/pictures.key");
    let away = key.with_extension("away");
    fs::rename(&key, &away)?;
    let said = failed_restore(installed, now)?;
    ensure!(said.contains("has the data that it had before"), "{said}");
    fs::rename(&away, &key)?;
    installed.set_clocks(kept)?;
    installed.sql("booking", "comment on table clock is 'later'; select pg_switch_wal()")?;
    installed.sukoon(&["restore", "--yes"])?;
    ensure!(installed.sql("booking", COMMENT)? == "later", "what came since was given up");
    Ok(())
}
