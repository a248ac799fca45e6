//! The services' databases, each read in one transaction that cannot write.

use std::path::Path;
use std::str::FromStr as _;

use anyhow::{Context as _, Result};
use kernel::Timestamp;
use runtime::Reader;
use secrecy::{ExposeSecret as _, SecretString};
use sqlx::postgres::{PgConnectOptions, PgRow};
use sqlx::query::Query;
use sqlx::{ConnectOptions as _, Executor as _, PgConnection, Postgres};

/// Where the databases are, by the names that the services use.
#[derive(Debug, Clone)]
pub struct Settings {
    /// `BOOKING_DATABASE_URL`.
    pub booking: SecretString,
    /// `PAYMENTS_DATABASE_URL`.
    pub payments: SecretString,
    /// `NOTIFICATIONS_DATABASE_URL`.
    pub notifications: SecretString,
    /// `IDENTITY_DATABASE_URL`; none where another identity server is used.
    pub identity: Option<SecretString>,
    /// `REVIEWS_DATABASE_URL`.
    pub reviews: SecretString,
    /// The moment as of which the practice is judged, by the machine's clock; `CHECK_AS_OF`.
    /// Without it the present one. What was restored is judged as of the last thing that happened
    /// there: since then no timer could go off.
    pub as_of: Option<Timestamp>,
    /// How many hours before a session its client is reminded, by the file in `PRACTICE_DIR`.
    /// Without it reminders that were left out are not judged.
    pub reminder_hours: Option<i32>,
}

impl Settings {
    /// Reads them.
    pub fn read(reader: &mut Reader<'_>) -> Self {
        Self {
            booking: reader.secret("BOOKING_DATABASE_URL"),
            payments: reader.secret("PAYMENTS_DATABASE_URL"),
            notifications: reader.secret("NOTIFICATIONS_DATABASE_URL"),
            identity: reader.optional_secret("IDENTITY_DATABASE_URL"),
            reviews: reader.secret("REVIEWS_DATABASE_URL"),
            as_of: as_of(reader),
            reminder_hours: reminder_hours(reader),
        }
    }
}

fn as_of(reader: &mut Reader<'_>) -> Option<Timestamp> {
    let text = reader.optional("CHECK_AS_OF")?;
    let moment: Option<jiff::Timestamp> = text.parse().ok();
    if moment.is_none() {
        reader.problem("CHECK_AS_OF", "it must be a time such as 2026-11-24T18:30:00Z");
    }
    moment.map(Timestamp::from_jiff)
}

fn reminder_hours(reader: &mut Reader<'_>) -> Option<i32> {
    let folder = reader.optional("PRACTICE_DIR")?;
    match practice::load(Path::new(&folder)) {
        Ok(practice) => Some(practice.mails.reminder_hours),
        Err(error) => {
            reader.problem("PRACTICE_DIR", &error.to_string());
            None
        }
    }
}

/// One service's database.
#[derive(Debug)]
pub(crate) struct Store {
    /// The service's name.
    pub(crate) name: &'static str,
    /// The connection, with its transaction.
    pub(crate) connection: PgConnection,
}

/// All databases of a practice.
#[derive(Debug)]
pub struct Stores {
    /// When the first one was begun to be read, by its clock.
    pub(crate) taken_at: Timestamp,
    /// How many hours before a session its client is reminded, if that is known.
    pub(crate) reminder_hours: Option<i32>,
    /// booking's.
    pub(crate) booking: Store,
    /// payments'.
    pub(crate) payments: Store,
    /// notifications'.
    pub(crate) notifications: Store,
    /// identity's, where there is one.
    pub(crate) identity: Option<Store>,
    /// reviews'.
    pub(crate) reviews: Store,
}

impl Stores {
    /// Connects and begins to read. What is written from now on is not seen.
    pub async fn open(settings: &Settings) -> Result<Self> {
        let mut booking = Store::open("booking", &settings.booking).await?;
        let taken_at = booking.now(settings.as_of).await?;
        Ok(Self {
            taken_at,
            reminder_hours: settings.reminder_hours,
            booking,
            payments: Store::open("payments", &settings.payments).await?,
            notifications: Store::open("notifications", &settings.notifications).await?,
            identity: match &settings.identity {
                Some(url) => Some(Store::open("identity", url).await?),
                None => None,
            },
            reviews: Store::open("reviews", &settings.reviews).await?,
        })
    }

    /// All of them.
    pub(crate) fn all(&mut self) -> impl Iterator<Item = &mut Store> {
        [&mut self.booking, &mut self.payments, &mut self.notifications, &mut self.reviews]
            .into_iter()
            .chain(&mut self.identity)
    }

    /// The one of a service.
    pub(crate) fn of(&mut self, name: &str) -> Option<&mut Store> {
        self.all().find(|store| store.name == name)
    }
}

impl Store {
    async fn open(name: &'static str, url: &SecretString) -> Result<Self> {
        let address = url.expose_secret();
        // `connection_limit` is ours and no parameter of PostgreSQL.
        let address = eventstore::Database::new(address).url;
        let options = PgConnectOptions::from_str(&address)
            .with_context(|| format!("the address of {name}'s database is no URL"))?
            .options([
                ("default_transaction_read_only", "on"),
                ("idle_in_transaction_session_timeout", "0"),
                ("statement_timeout", "0"),
                ("timezone", "UTC"),
                ("jit", "off"),
            ]);
        let connected = options.connect().await;
        let mut connection =
            connected.with_context(|| format!("{name}'s database does not answer"))?;
        connection.execute("begin isolation level repeatable read read only").await?;
        Ok(Self { name, connection })
    }

    /// A moment, or the present one, by the one clock.
    async fn now(&mut self, moment: Option<Timestamp>) -> Result<Timestamp> {
        let now =
            sqlx::query_scalar("select coalesce($1, clock_timestamp()) + offset_by from clock");
        Ok(now.bind(moment).fetch_one(&mut self.connection).await?)
    }

    /// Rows of one query, each read by `read`.
    pub(crate) async fn rows<T>(
        &mut self,
        query: Query<'_, Postgres, sqlx::postgres::PgArguments>,
        read: fn(&PgRow) -> Result<T, sqlx::Error>,
    ) -> Result<Vec<T>> {
        let name = self.name;
        let rows = query.fetch_all(&mut self.connection).await;
        let rows = rows.with_context(|| format!("{name}'s database cannot be read"))?;
        Ok(rows.iter().map(read).collect::<Result<_, _>>()?)
    }
}
