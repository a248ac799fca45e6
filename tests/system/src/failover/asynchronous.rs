//! The drill of a standby that is behind when it takes the primary's place: what was acknowledged
//! and is gone is known, the steps of a restore are done, and no money is double.

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::Result;
use checker::snapshot::{Ack, Snapshot};
use checker::{Invariant, check};
use sqlx::{Connection as _, PgConnection};
use tokio::time::Instant;

use super::database_server::DatabaseServer;
use super::figures::Report;
use super::fleet::Fleet;
use super::load::{Load, Rate};
use super::pair::Pair;
use super::postgres::REWOUND;
use super::relay::Relay;
use super::settling;
use crate::pause::wait_for;
use crate::verdict::Verdict;

/// How far the standby is behind.
const BEHIND: Duration = Duration::from_secs(4);

/// What clients and the provider had been told at a moment.
struct AckMark {
    acks: usize,
    webhooks: BTreeSet<String>,
    mails: BTreeSet<String>,
    at: Instant,
}

impl AckMark {
    async fn now(fleet: &Fleet) -> Result<Self> {
        let at = Instant::now();
        let book = fleet.practice.book().await?;
        let hooks = book["webhooks"].as_array().cloned().unwrap_or_default();
        let delivered = hooks.iter().filter(|hook| hook["state"] == "delivered");
        let ids = delivered.filter_map(|hook| hook["event_id"].as_str().map(str::to_owned));
        let mails = fleet.practice.inbox().await?;
        let mails = mails.iter().filter_map(|mail| mail["messageId"].as_str().map(str::to_owned));
        let acks = fleet.practice.recorder.acks().len();
        Ok(Self { acks, webhooks: ids.collect(), mails: mails.collect(), at })
    }
}

/// Which databases fall back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Those of all services, which share a server.
    Practice,
    /// That of booking alone: what the others know of it is more than it knows.
    Booking,
}

/// A server with an asynchronous standby, of all databases of a practice or of booking's alone.
struct Servers {
    pair: Pair,
    /// The server of the other databases, and the address of booking's.
    apart: Option<(DatabaseServer, Relay)>,
    /// Between the standby and its primary.
    network: Relay,
}

impl Servers {
    /// Starts them, and a practice on them.
    async fn start(scope: Scope) -> Result<(Fleet, Self)> {
        let (mut fleet, server) = Fleet::take_over().await?;
        let network = Relay::listen(0).await?;
        let apart = match scope {
            Scope::Practice => None,
            Scope::Booking => {
                let mut rest = server.copy("rest")?;
                rest.start().await?;
                Some((rest, fleet.set_database_apart("booking").await?))
            }
        };
        let pair = Pair::start(server, false, &network).await?;
        let all = fleet.database_relay()?;
        match &apart {
            None => all.lead_to(&[pair.primary.port]),
            Some((rest, address)) => {
                all.lead_to(&[rest.port]);
                address.lead_to(&[pair.primary.port]);
            }
        }
        fleet.start_broker()?;
        fleet.start_services().await?;
        Ok((fleet, Self { pair, apart, network }))
    }

    /// Promotes the standby and leads the services to it. Where all databases have fallen back, it
    /// does what `sukoon restore` does after a restore. Returns how many acknowledged bookings the
    /// standby does not have, and how many questions to the provider are due.
    async fn promote(&mut self, fleet: &Fleet) -> Result<(usize, u64)> {
        let Self { pair, apart, .. } = self;
        pair.standby.promote().await?;
        let mut booking = PgConnection::connect(&pair.standby.url("booking")).await?;
        let there: Vec<uuid::Uuid> =
            sqlx::query_scalar("select booking_id from bookings").fetch_all(&mut booking).await?;
        let there: BTreeSet<uuid::Uuid> = there.into_iter().collect();
        let is_missing =
            |ack: &&Ack| matches!(ack, Ack::Requested(id) if !there.contains(&id.uuid()));
        let missing = fleet.practice.recorder.acks().iter().filter(is_missing).count();
        let mut asked = 0;
        let address = match apart {
            Some((_, address)) => address,
            None => {
                fleet.restart_broker_empty()?;
                let mut payments = PgConnection::connect(&pair.standby.url("payments")).await?;
                let done = sqlx::query(ASK_THE_PROVIDER).execute(&mut payments).await?;
                asked = done.rows_affected();
                fleet.database_relay()?
            }
        };
        address.lead_to(&[pair.standby.port]);
        std::mem::swap(&mut pair.primary, &mut pair.standby);
        Ok((missing, asked))
    }

    /// Kills the primary while the standby is seconds behind, and promotes the standby.
    async fn fail_over(&mut self, fleet: &Fleet) -> Result<Loss> {
        let before = AckMark::now(fleet).await?;
        self.network.hold(true);
        wait_for(BEHIND).await;
        // Mails of the seconds that are lost are sent again, with the same ids.
        let mails = fleet.practice.inbox().await?.len();
        fleet.practice.recorder.allow_mail_repeats(mails);
        self.pair.primary.kill()?;
        let after = AckMark::now(fleet).await?;
        self.network.cut();
        self.network.hold(false);
        let (missing, asked) = self.promote(fleet).await?;
        Ok(Loss { before, after, missing, asked })
    }
}

/// What a failover has lost.
struct Loss {
    /// When the standby began to be behind.
    before: AckMark,
    /// When the primary was killed.
    after: AckMark,
    /// How many acknowledged bookings the promoted standby does not have.
    missing: usize,
    /// How many questions to the provider were due at once.
    asked: u64,
}

/// The primary is killed while its asynchronous standby is seconds behind, and the standby is
/// promoted.
pub(crate) async fn behind(scope: Scope, rate: Rate) -> Result<Report> {
    let (fleet, mut servers) = Servers::start(scope).await?;
    let load = Load::new(&fleet.practice, rate).await?;
    let script = async {
        wait_for(Duration::from_secs(u64::from(rate.seconds)) / 2).await;
        servers.fail_over(&fleet).await
    };
    let (ran, loss) = tokio::join!(load.run(), script);
    ran?;
    let loss = loss?;
    let mut tally = load.tally();
    // Who has an acknowledgement of a lost booking learns of that when it is to be paid.
    let asked_for = tally.given_up.len();
    tally.given_up.retain(|why| !(why.starts_with("paying") && why.contains("not_found")));
    let unpayable = asked_for - tally.given_up.len();
    let gap = tally.gap_since(loss.after.at);
    let acknowledged = tally.acknowledged_between(loss.before.at, loss.after.at);
    let all = settling::judge(&fleet).await?;
    let mut snapshot = fleet.practice.snapshot().await?;
    let lost = lost_acks(&mut snapshot, (&loss.before, &loss.after));
    let mut verdict = Verdict::of_snapshot(&snapshot, Vec::new());
    let listed = listed_payments(&fleet).await?;
    let for_staff = verdict.take_known(|what| {
        what.ends_with(OF_A_LOST_ORDER) && listed.iter().any(|id| what.contains(id.as_str()))
    });
    let mails = loss.after.mails.difference(&loss.before.mails);
    let of_lost_mails = verdict.take_known(|what| {
        what.ends_with(OF_A_LOST_MAIL) && mails.clone().any(|id| what.contains(id.as_str()))
    });
    let drill = if scope == Scope::Practice { "async" } else { "async-booking" };
    let mut report = Report::new(drill, rate, (tally, gap), verdict).with_known_losses(lost);
    report.note(format!(
        "{acknowledged} bookings were acknowledged while the standby was behind; it missed {} \
         acknowledged bookings when it was promoted, which is known before it serves; {lost} \
         acknowledgements of that time are lost, {} in all",
        loss.missing, all.lost,
    ));
    let rewound = fleet.count_in_logs(REWOUND);
    report.note(format!(
        "{unpayable} clients could not pay because their booking was lost; {for_staff} payments of \
         lost orders are on the list of what nothing explains; {of_lost_mails} mails of lost \
         bookings had left; {} questions to the provider were due at once; consumers \
         noticed {rewound} times that they knew more than the log",
        loss.asked,
    ));
    report.require(loss.missing > 0, "nothing was lost, so the drill has shown nothing");
    let noticed = scope == Scope::Practice || rewound > 0;
    report.require(noticed, "no consumer noticed that it knew more than the log");
    Ok(report)
}

/// What the checker says of money whose order was lost. A person gives it back: the provider's list
/// names it, and nothing of ours explains it.
const OF_A_LOST_ORDER: &str = "was captured for an order of ours that we do not know";

/// What the checker says of a mail that had left before its booking was lost.
const OF_A_LOST_MAIL: &str = "is the Message-ID of no mail of ours";

/// The payments on staff's list of what belongs to no order.
async fn listed_payments(fleet: &Fleet) -> Result<Vec<String>> {
    let mut payments = fleet.practice.database("payments").await?;
    let sql = "select payment_id from unknown_payments where explained_at is null";
    Ok(sqlx::query_scalar(sql).fetch_all(&mut payments).await?)
}

/// The step of `sukoon restore` in SQL.
const ASK_THE_PROVIDER: &str =
    include_str!("../../../../deploy/server/src/restore/ask_the_provider.sql");

/// Takes out of a snapshot what was acknowledged while the standby was behind and is not stored,
/// and counts it. What was acknowledged at another time stays, for the checker to find.
fn lost_acks(snapshot: &mut Snapshot, (before, after): (&AckMark, &AckMark)) -> usize {
    let violations = check(snapshot);
    let lost = violations.iter().filter(|it| it.invariant == Invariant::I1);
    let lost: Vec<&str> = lost.map(|it| it.what.as_str()).collect();
    let is_known_loss = |(number, ack): (usize, &Ack)| {
        let is_of_the_time = match ack {
            Ack::Webhook { event_id, .. } => {
                after.webhooks.contains(event_id) && !before.webhooks.contains(event_id)
            }
            _ => (before.acks..after.acks).contains(&number),
        };
        // The checker's words begin with the acknowledgement.
        is_of_the_time && lost.iter().any(|what| what.starts_with(&format!("{ack:?} ")))
    };
    let all = snapshot.acks.len();
    let acks = std::mem::take(&mut snapshot.acks).into_iter().enumerate();
    let kept = acks.filter(|(number, ack)| !is_known_loss((*number, ack)));
    snapshot.acks = kept.map(|(_, ack)| ack).collect();
    all - snapshot.acks.len()
}
