//! The environment of one test: this service, fakes of the other services, a mail server with an
//! inbox, and a clock that the test moves.

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result, ensure};
use contract::booking::v1::{BookingConfirmed, MeetingScheduled, SessionMode};
use contract::notifications::v1::{MailFailed, MailSent};
use eventstore::{Metadata, NewEvent, Recorded, Store, StoreError};
use kernel::Id;
use kernel::id::{Booking, Kind};
use messaging::{Nats, run_relay};
use notifications::config::{Config, MailSettings};
use notifications::mails::mail::{Mail, MailId, NewMail};
use notifications::repository;
use notifications::timers::kinds::SEND_MAIL;
use practice::Practice;
use prost::{Message, Name};
use runtime::caller::{PeerSettings, Peers, UserSettings, Users};
use runtime::{RotatedSecret, Shutdown};
use secrecy::SecretString;
use serde_json::{Value, json};
use sqlx::migrate::Migrator;
use testkit::{TestDatabase, TestKeys, TestUsers, until, until_at_rest};
use tokio::task::JoinHandle;

use crate::environment::{mail_server, practice_folder};
use crate::fake_services::{self, FakeData};

pub(crate) const CUSTOMER: &str = "asha@example.org";
pub(crate) const PRACTICE: &str = "bookings@sukoon.example";
/// The clock at the start of a test: Saturday, half past eleven in India, three days before the
/// session of the fake bookings.
pub(crate) const BEGIN: &str = "2026-11-21T06:00:00Z";
pub(crate) const ROOM_URL: &str = "https://meet.example/room/a?x=1&y=2";
/// The key of address hashes.
pub(crate) const ADDRESS_KEY: &str = "the-key-of-addresses-in-these-tests";
/// The key before it.
pub(crate) const FORMER_KEY: &str = "the-key-before-of-these-tests-ended";
/// The trace that every event of these tests belongs to.
pub(crate) const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

/// This service, running.
struct Running {
    shutdown: Shutdown,
    ended: JoinHandle<Result<()>>,
}

pub(crate) struct World {
    database: TestDatabase,
    log_database: TestDatabase,
    /// The log of all fake services.
    pub(crate) log: Store,
    /// The seconds by which the clock is ahead of the machine's at the start.
    ahead: i64,
    pub(crate) store: Store,
    pub(crate) data: Arc<FakeData>,
    pub(crate) users: TestUsers,
    config: Config,
    sandbox_url: String,
    http: reqwest::Client,
    folder: PathBuf,
    pub(crate) shutdown: Shutdown,
    running: Option<Running>,
}

impl World {
    /// A practice without the daily sheet.
    pub(crate) async fn new() -> Result<Self> {
        Self::with(|practice| practice.replace("day_sheet_at = \"07:00\"", "day_sheet_at = \"\""))
            .await
    }

    /// A practice whose file is the local one, changed.
    pub(crate) async fn with(change: impl FnOnce(&str) -> String) -> Result<Self> {
        let none = Migrator::with_migrations(Vec::new());
        let database = TestDatabase::new(&notifications::MIGRATIONS).await?;
        let log_database = TestDatabase::new(&none).await?;
        let (store, log) = (database.store()?, log_database.store()?);
        let keys = TestKeys::new(&["booking", "payments", "reviews", "identity", "notifications"])?;
        let ahead = sqlx::query_scalar(
            "select extract(epoch from $1::text::timestamptz - clock_timestamp())::bigint",
        )
        .bind(BEGIN)
        .fetch_one(store.pool())
        .await?;
        database.move_clock(ahead).await?;
        log_database.move_clock(ahead).await?;
        let users = TestUsers::new("http://127.0.0.1/auth/v1")?;
        let shutdown = Shutdown::new();
        let data = Arc::new(FakeData::default());
        let neighbours = fake_services::serve(&log, &data, &keys, &shutdown).await?;
        tokio::spawn(run_relay(log.clone(), shutdown.clone()));
        let room = eventstore::new_uuid().simple().to_string();
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(&room);
        let (sandbox_url, smtp_url) = mail_server(&folder, &shutdown).await?;
        let config = Config {
            listen: "127.0.0.1:0".parse()?,
            database_url: SecretString::from(database.url.clone()),
            nats: Nats::in_room(testkit::nats_url()?, &room),
            practice_dir: practice_folder(&folder, change)?,
            public_url: "http://127.0.0.1:8080".to_owned(),
            neighbours,
            mail: MailSettings {
                smtp_url,
                sender: "Sukoon <hello@sukoon.example>".parse()?,
                address_key: RotatedSecret::new(ADDRESS_KEY.into(), Some(FORMER_KEY.into())),
                recipient_limit: NonZeroU32::MIN.saturating_add(29),
            },
            contact_limit: NonZeroU32::MIN.saturating_add(59),
            peers: PeerSettings {
                private_key: SecretString::from(keys.private_key("notifications")?),
                public_keys: keys.public_keys(),
            },
            users: UserSettings {
                jwks_url: fake_services::jwks(users.jwks(), &shutdown).await?,
                issuer: users.issuer.clone(),
                identity_url: None,
            },
        };
        let http = runtime::http::client()?;
        let running = None;
        let mut world = Self {
            database,
            log_database,
            log,
            ahead,
            store,
            data,
            users,
            config,
            sandbox_url,
            http,
            folder,
            shutdown,
            running,
        };
        world.start();
        Ok(world)
    }

    pub(crate) fn start(&mut self) {
        let shutdown = Shutdown::new();
        let ended = tokio::spawn(notifications::run(self.config.clone(), shutdown.clone()));
        self.running = Some(Running { shutdown, ended });
    }

    pub(crate) async fn stop(&mut self) -> Result<()> {
        let running = self.running.take().context("it does not run")?;
        running.shutdown.trigger();
        running.ended.await?
    }

    /// Ends the service and starts it with other settings.
    pub(crate) async fn restart_with(&mut self, change: impl FnOnce(&mut Config)) -> Result<()> {
        self.stop().await?;
        change(&mut self.config);
        self.start();
        Ok(())
    }

    /// The settings with which the service runs.
    pub(crate) fn config(&self) -> Config {
        self.config.clone()
    }

    /// Queues mails as if their events had been handled.
    pub(crate) async fn queue(&self, mails: Vec<NewMail>) -> Result<()> {
        self.store
            .write(Metadata::by("test", None), move |tx| {
                let mails = mails.clone();
                Box::pin(async move {
                    for mail in &mails {
                        repository::queue(tx, mail).await?;
                    }
                    Ok::<(), StoreError>(())
                })
            })
            .await?;
        Ok(())
    }

    /// Where the booking service is.
    pub(crate) fn booking_url(&self) -> &str {
        &self.config.neighbours.booking_url
    }

    /// This service among the others.
    pub(crate) fn peers(&self) -> Result<Peers> {
        Ok(Peers::new(notifications::NAME, &self.config.peers)?)
    }

    /// Verifies user tokens.
    pub(crate) fn verifier(&self) -> Result<Users> {
        Ok(Users::new(&self.config.users)?)
    }

    /// A new booking in the fake services.
    pub(crate) fn booking(&self, mode: SessionMode) -> Id<Booking> {
        let id = eventstore::new_id();
        let booking = fake_services::booking(&id.to_string(), mode);
        self.data.bookings.lock().unwrap().insert(id.to_string(), booking);
        id
    }

    /// Appends an event to the log of the fake services.
    pub(crate) async fn append_event<M>(&self, event: M) -> Result<()>
    where
        M: Message + Name + Clone + Sync + 'static,
    {
        let metadata =
            Metadata::by("test", Some(format!("00-{TRACE}-00f067aa0ba902b7-01"))).about("all");
        self.log
            .write(metadata, move |tx| {
                let event = event.clone();
                Box::pin(async move {
                    let version = tx.load("neighbours").await?.version;
                    tx.append("neighbours", version, &[NewEvent::of(&event)?]).await?;
                    Ok::<(), StoreError>(())
                })
            })
            .await?;
        Ok(())
    }

    pub(crate) async fn confirmed(&self, id: Id<Booking>) -> Result<()> {
        let payment_id = "pay_1".to_owned();
        let booking_id = id.to_string();
        let event = BookingConfirmed { booking_id, payment_id, ..Default::default() };
        self.append_event(event).await
    }

    /// The meeting room exists: booking has its link and publishes the event.
    pub(crate) async fn meeting_scheduled(&self, id: Id<Booking>) -> Result<()> {
        self.data.change(&id.to_string(), |booking| booking.join_url = ROOM_URL.to_owned());
        let meeting_id = "meeting-1".to_owned();
        self.append_event(MeetingScheduled { booking_id: id.to_string(), meeting_id }).await
    }

    /// Puts the clock so many seconds ahead of where it would be in this test, once a service that
    /// runs is at rest.
    pub(crate) async fn move_clock(&self, seconds: i64) -> Result<()> {
        self.until_at_rest().await?;
        self.move_clock_at_once(seconds).await
    }

    async fn until_at_rest(&self) -> Result<()> {
        if self.running.is_some() {
            until_at_rest(&self.log).await?;
            until_at_rest(&self.store).await?;
        }
        Ok(())
    }

    /// The same while something hangs on purpose.
    pub(crate) async fn move_clock_at_once(&self, seconds: i64) -> Result<()> {
        self.log_database.move_clock(self.ahead + seconds).await?;
        self.database.move_clock(self.ahead + seconds).await
    }

    /// Sets the clock to an instant, forward or back, once a service that runs is at rest.
    pub(crate) async fn set_clock(&self, instant: &str) -> Result<()> {
        self.until_at_rest().await?;
        let sql =
            format!("update clock set offset_by = timestamptz '{instant}' - clock_timestamp()");
        self.log_database.as_owner(&sql).await?;
        self.database.as_owner(&sql).await
    }

    /// The practice as its file says now.
    pub(crate) fn practice(&self) -> Result<Practice> {
        Ok(practice::load(&self.config.practice_dir)?)
    }

    /// Changes the practice's file; the service reads it when it starts.
    pub(crate) fn change_practice(&self, change: impl FnOnce(&str) -> String) -> Result<()> {
        let file = self.config.practice_dir.join("practice.toml");
        let text = change(&std::fs::read_to_string(&file)?);
        Ok(std::fs::write(file, text)?)
    }

    /// Orders a fault of the sandbox's mail server, in its own JSON.
    pub(crate) async fn order_fault(&self, fault: Value) -> Result<()> {
        let url = format!("{}/api/faults", self.sandbox_url);
        self.http.post(url).json(&fault).send().await?.error_for_status()?;
        Ok(())
    }

    pub(crate) async fn clear_faults(&self) -> Result<()> {
        let url = format!("{}/api/faults", self.sandbox_url);
        self.http.delete(url).send().await?.error_for_status()?;
        Ok(())
    }

    /// Every accepted mail, oldest first.
    pub(crate) async fn inbox(&self) -> Result<Vec<Value>> {
        let url = format!("{}/api/inbox", self.sandbox_url);
        let mut mails: Vec<Value> = self.http.get(url).send().await?.json().await?;
        mails.reverse();
        Ok(mails)
    }

    /// The mails to one address, oldest first.
    pub(crate) async fn inbox_of(&self, address: &str) -> Result<Vec<Value>> {
        let mails = self.inbox().await?;
        Ok(mails.into_iter().filter(|mail| mail["to"] == json!([address])).collect())
    }

    /// Waits until every event is handled and only timers of the future are left: mails that are
    /// not due, the daily sheet, and erasures.
    pub(crate) async fn until_idle(&self) -> Result<()> {
        self.until_taken_in().await?;
        until("nothing is left to be done", async || {
            let timers: i64 = sqlx::query_scalar(
                "select count(*) from timers t
                 where t.kind = 'send_mail' and not exists (
                     select from mails m
                     where m.kind in ('reminder', 'second_reminder', 'follow_up')
                       and m.state = 'queued' and m.due_at > clock_now()
                       and t.subject = 'mal_' || replace(m.mail_id::text, '-', ''))",
            )
            .fetch_one(self.store.pool())
            .await?;
            Ok((timers == 0).then_some(()))
        })
        .await
    }

    pub(crate) async fn until_taken_in(&self) -> Result<()> {
        until("every event was taken in", async || {
            for source in ["booking", "payments", "reviews", "identity"] {
                let consumer = format!("notifications-on-{source}");
                if !testkit::has_taken_in(&self.store, &consumer, &self.log).await? {
                    return Ok(None);
                }
            }
            Ok(Some(()))
        })
        .await
    }

    /// Waits until the mail of a kind is in a state.
    pub(crate) async fn until_state(&self, kind: &str, state: &str) -> Result<()> {
        until(&format!("{kind} is {state}"), async || {
            Ok((self.column(kind, "state").await?.as_deref() == Some(state)).then_some(()))
        })
        .await
    }

    /// Waits until the mail of a kind was tried so often and waits for its retry.
    pub(crate) async fn until_tried(&self, kind: &str, times: u32) -> Result<()> {
        until(&format!("{kind} was tried {times} times"), async || {
            let tried = self.column(kind, "attempts::text").await?;
            let state = self.column(kind, "state").await?;
            let waits = state.as_deref() == Some("retrying");
            Ok((waits && tried == Some(times.to_string())).then_some(()))
        })
        .await
    }

    /// Leaves the confirmations that were sent as a release before left them, which sent some
    /// without the room's address and promised it in a second mail.
    pub(crate) async fn owe_links(&self) -> Result<()> {
        self.as_owner("update mails set link_told = false where kind = 'booking_confirmed'").await
    }

    /// The one mail of a kind, as a worker reads it.
    pub(crate) async fn mail(&self, kind: &str) -> Result<Mail> {
        let id = self.column(kind, "mail_id::text").await?.context("no such mail")?;
        let id = MailId::from_uuid(id.parse()?);
        let found = repository::load(self.store.pool(), id).await?;
        Ok(found.context("no such mail")?.0)
    }

    /// Claims a mail as a worker does.
    pub(crate) async fn begin(&self, mail: &Mail) -> Result<Option<Mail>> {
        let mail = mail.clone();
        Ok(self
            .store
            .write(Metadata::by("test", None), move |tx| {
                let mail = mail.clone();
                let claim = repository::Claim {
                    message_id: "<id@sukoon.example>".to_owned(),
                    recipient: None,
                };
                Box::pin(async move { repository::claim(tx, &mail, &claim).await })
            })
            .await?)
    }

    /// Runs a statement with the rights of the database's owner.
    pub(crate) async fn as_owner(&self, sql: &str) -> Result<()> {
        self.database.as_owner(sql).await
    }

    /// Ends all claims and the leases of timers, as some seconds of the machine's time would.
    pub(crate) async fn end_claims(&self) -> Result<()> {
        for table in ["mails set claimed_until_at", "timers set lease_until_at"] {
            self.database.as_owner(&format!("update {table} = '-infinity'")).await?;
        }
        Ok(())
    }

    /// The seconds until the mail of a kind may be claimed again.
    pub(crate) async fn claimed_for(&self, kind: &str) -> Result<i64> {
        let sql = "select extract(epoch from least(m.due_at, t.due_at) - clock_now())::bigint
                   from mails m join timers t on t.kind = $2 and t.subject = $3
                   where m.kind = $1";
        Ok(sqlx::query_scalar(sql)
            .bind(kind)
            .bind(SEND_MAIL)
            .bind(self.mail(kind).await?.id.to_string())
            .fetch_one(self.store.pool())
            .await?)
    }

    /// One column of the one mail of a kind.
    pub(crate) async fn column(&self, kind: &str, column: &str) -> Result<Option<String>> {
        let sql = format!("select {column} from mails where kind = $1");
        let value: Option<Option<String>> = sqlx::query_scalar(sqlx::AssertSqlSafe(sql))
            .bind(kind)
            .fetch_optional(self.store.pool())
            .await?;
        Ok(value.flatten())
    }

    /// What was published about the one mail of a kind, in order.
    pub(crate) async fn events(&self, kind: &str) -> Result<Vec<Recorded>> {
        let id = self.column(kind, "mail_id::text").await?.context("no such mail")?;
        Ok(self.store.load(&format!("mail-{id}")).await?)
    }

    /// The same as text: `sent`, `failed`, `failed for good`.
    pub(crate) async fn published(&self, kind: &str) -> Result<Vec<&'static str>> {
        let events = self.events(kind).await?;
        events
            .iter()
            .map(|event| {
                if event.get::<MailSent>()?.is_some() {
                    return Ok("sent");
                }
                let failed = event.get::<MailFailed>()?.context("an unknown event")?;
                Ok(if failed.r#final { "failed for good" } else { "failed" })
            })
            .collect()
    }

    /// Everything in this service's database, as text.
    pub(crate) async fn dump(&self) -> Result<String> {
        let mut all = String::new();
        for table in ["mails", "timers", "events", "parked_events", "checkpoints"] {
            let sql = format!("select coalesce(string_agg(t::text, ' '), '') from {table} t");
            let text: String =
                sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).fetch_one(self.store.pool()).await?;
            all.push_str(&text);
        }
        Ok(all)
    }

    pub(crate) async fn end(mut self) -> Result<()> {
        let parked: i64 = sqlx::query_scalar("select count(*) from parked_events")
            .fetch_one(self.store.pool())
            .await?;
        ensure!(parked == 0, "an event could not be handled");
        self.stop().await
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if let Some(running) = &self.running {
            running.shutdown.trigger();
        }
        self.shutdown.trigger();
        // Files that cannot be removed are left to the next `cargo clean`.
        std::fs::remove_dir_all(&self.folder).ok();
    }
}

/// A new id in its wire form.
pub(crate) fn new_id<K: Kind>() -> String {
    eventstore::new_id::<K>().to_string()
}

/// A text in a mail's JSON.
#[track_caller]
pub(crate) fn text<'m>(mail: &'m Value, field: &str) -> &'m str {
    mail[field].as_str().unwrap()
}
