//! notifications as it runs in the simulation: which mail an event asks for, when one is tried
//! again and when it is overtaken is decided by the service's own functions.

mod refunds;
mod reminders;
pub(super) mod tables;

use std::sync::LazyLock;

use checker::snapshot::SentMail;
use contract::booking::v1 as wire;
use contract::common::v1::Money;
use contract::convert::to_wire;
use eventstore::Recorded;
use kernel::id::{Booking, Refund};
use kernel::{Id, Timestamp};
use notifications::consumers::{booking as on_booking_events, payments as on_payments_events};
use notifications::contract as events;
use notifications::mails::facts::{BookingFacts, Facts};
use notifications::mails::kind::Kind;
use notifications::mails::kinds;
use notifications::mails::mail::{About, CLAIM_SECONDS, Mail, MailId, NewMail, State};
use notifications::mails::planning::{self, Plan};
use notifications::timers::kinds::SEND_MAIL;
use practice::Practice;
use serde_json::{Value, json};

use super::coverage::Fault;
use super::job::{DeliveryAttempt, Job};
use super::mail_server::Answer;
use super::mutant::Mutant;
use super::service::{Error, Service};
use super::store::{Batch, TimerKey};
use super::world::World;

pub(crate) use tables::{MailRecord, NotificationsTables};

/// The outcome of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Sent,
    Later { tells: bool },
    Never,
    Overtaken(&'static str),
    Waits(Timestamp),
}

/// The practice whose mails these are; the file is a part of the program, so that a run depends on
/// nothing but its seed.
static PRACTICE: LazyLock<Option<Practice>> = LazyLock::new(|| {
    toml::from_str(include_str!("../../../../deploy/local/practice/practice.toml")).ok()
});

fn practice() -> Result<&'static Practice, Error> {
    PRACTICE.as_ref().ok_or_else(|| Error::broken("the practice's file cannot be read"))
}

/// How many hours before a session its client is reminded.
pub(crate) fn reminder_hours() -> Option<i32> {
    PRACTICE.as_ref().map(|practice| practice.mails.reminder_hours)
}

impl World {
    /// A timer of notifications has fallen due.
    pub(crate) fn fire_notifications_timer(&mut self, key: &TimerKey) {
        let Some((_, attempts)) = self.claim::<NotificationsTables>(key) else { return };
        self.trace.note(self.now, "fires", &format_args!("{} {}", key.0, key.1));
        let outcome = self.send_mail(key, attempts);
        self.conclude::<NotificationsTables>((key, attempts), outcome);
    }

    fn send_mail(&mut self, key: &TimerKey, attempts: i32) -> Result<(), Error> {
        let id: MailId = key.1.parse().map_err(Error::broken)?;
        let row = self.notifications.tables.mails.get(&id).cloned();
        let Some(row) = row.filter(|row| !row.mail.state.is_over()) else {
            let mut batch = Batch::<NotificationsTables>::by("notifications");
            batch.end_timer(SEND_MAIL, &key.1);
            return self.commit(batch);
        };
        let About::Booking(booking) = row.mail.about else { return Ok(()) };
        let Ok(facts) = self.facts_for_mail(booking, &row.mail) else {
            return self.record_outcome(&row.mail, Outcome::Later { tells: false });
        };
        self.queue_further(&row.mail, &facts)?;
        match kinds::plan(&row.mail, &facts, practice()?, self.now) {
            Plan::Send => {}
            Plan::Wait(until) => return self.record_outcome(&row.mail, Outcome::Waits(until)),
            Plan::Drop(reason) => {
                return self.record_outcome(&row.mail, Outcome::Overtaken(reason));
            }
        }
        let mail = self.begin_mail(&row.mail, &facts)?;
        let message_id = self.message_id(&mail);
        let to = if mail.kind.is_for_the_practice() { "practice" } else { "customer" };
        let answer = self.deliver_mail(&message_id, to);
        if answer == Answer::Taken && self.fault(Fault::MailTakenThenCrash, 12) {
            self.mail_server.repeats += 1;
            self.crash(Service::Notifications);
            return Err(Error::Died);
        }
        let pause = self.rng.between(20, 2_000);
        let attempt = DeliveryAttempt { mail, answer, attempts };
        self.defer(Service::Notifications, pause, Job::Mailed(attempt));
        Ok(())
    }

    fn message_id(&mut self, mail: &Mail) -> String {
        let known = format!("<{}@sukoon.example>", mail.id.uuid().simple());
        if self.has(Mutant::NewMessageIdOnEachTry) {
            format!("<{}.{}@sukoon.example>", mail.attempts, mail.id.uuid().simple())
        } else {
            known
        }
    }

    /// Queues the reminders of a package's other sessions.
    fn queue_further(&mut self, mail: &Mail, facts: &Facts) -> Result<(), Error> {
        let further = planning::further_reminders(mail, facts);
        if further.is_empty() {
            return Ok(());
        }
        let mut batch = Batch::by("notifications");
        for mail in &further {
            self.queue(&mut batch, mail, State::Queued);
        }
        self.commit(batch)
    }

    /// What booking says for a mail.
    fn facts_for_mail(&self, id: Id<Booking>, mail: &Mail) -> Result<Facts, Error> {
        self.answers(Service::Booking)?;
        let tables = &self.booking.tables;
        let row = tables.rows.get(&id).ok_or(Error::Unavailable)?;
        let state = state_on_the_wire(&row.row.state);
        let mode = match row.row.mode.as_str() {
            "online" => wire::SessionMode::Online,
            _ => wire::SessionMode::InPerson,
        };
        let has_room = tables.states.get(&id).is_some_and(|state| {
            matches!(state, booking::domain::booking::State::MeetingScheduled { .. })
        });
        let join_url = if has_room { "https://meet.example/room" } else { "" };
        let known = tables.states.get(&id).ok_or(Error::Unavailable)?;
        let sessions = known.facts().ok_or(Error::Unavailable)?.sessions.iter().zip(1..);
        let sessions = sessions.map(|(span, number)| wire::Session {
            starts_at: Some(to_wire(span.starts_at())),
            ends_at: Some(to_wire(span.ends_at())),
            cancelled: known.is_session_cancelled(number),
            moves: known.moves(number).into(),
            ..wire::Session::default()
        });
        let booking = wire::Booking {
            state: state.into(),
            mode: mode.into(),
            join_url: join_url.to_owned(),
            sessions: sessions.collect(),
            contact: Some(wire::Contact::default()),
            // Whether it is owed, booking's own rows know; this model has none.
            refund_owed: Some(Money { minor_units: 1, currency_code: "INR".to_owned() }),
            given_by_bank: Some(Money { minor_units: 1, currency_code: "INR".to_owned() }),
            ..wire::Booking::default()
        };
        let facts = BookingFacts::complete(Some(booking), String::new());
        let facts = facts.and_then(|it| it.about_session(mail.kind, mail.session_number()));
        Ok(Facts::Booking(Box::new(facts.ok_or(Error::Unavailable)?)))
    }

    /// Hands a letter over.
    fn deliver_mail(&mut self, message_id: &str, to: &str) -> Answer {
        if self.fault(Fault::MailLater, 60) {
            return Answer::Later;
        }
        if self.fault(Fault::MailNever, 5) {
            return Answer::Never;
        }
        let letter = SentMail { message_id: message_id.to_owned(), to: to.to_owned() };
        self.mail_server.inbox.push(letter);
        if self.fault(Fault::MailAnswerLost, 20) {
            self.mail_server.repeats += 1;
            return Answer::TakenUnheard;
        }
        Answer::Taken
    }

    /// Claims a mail for being handed over, and with a confirmation plans the booking's reminders.
    fn begin_mail(&mut self, mail: &Mail, facts: &Facts) -> Result<Mail, Error> {
        let claimed_until = self.now.plus_seconds(CLAIM_SECONDS);
        let begun = Mail {
            state: State::Sending,
            attempts: mail.attempts + 1,
            due_at: claimed_until,
            first_tried_at: mail.first_tried_at.or(Some(self.now)),
            ..mail.clone()
        };
        let message_id = format!("<{}@sukoon.example>", mail.id.uuid().simple());
        let mut batch = Batch::by("notifications");
        let after = begun.clone();
        batch.change(move |tables: &mut NotificationsTables| {
            if let Some(row) = tables.mails.get_mut(&after.id) {
                row.message_id.get_or_insert(message_id);
                row.link_told = true;
                row.mail = after;
            }
        });
        batch.set_timer(SEND_MAIL, &mail.id.to_string(), claimed_until, json!({}));
        self.plan_reminders(&mut batch, mail, facts)?;
        self.commit(batch)?;
        Ok(Mail { attempts: mail.attempts, ..begun })
    }

    /// The process died during the SMTP session: whether the mail was accepted is unknown.
    pub(crate) fn abandon(&mut self, attempt: &DeliveryAttempt) {
        if attempt.answer == Answer::Taken {
            self.coverage.fault(Fault::MailTakenThenCrash);
            self.mail_server.repeats += 1;
        }
    }

    /// Writes down what the mail server said.
    pub(crate) fn record_mail(&mut self, attempt: DeliveryAttempt) {
        let DeliveryAttempt { mail, answer, attempts } = attempt;
        // A process that stalled for longer than its claim may have been overtaken.
        let is_late = mail.due_at <= self.now;
        let outcome = match answer {
            Answer::Taken => Outcome::Sent,
            Answer::TakenUnheard | Answer::Later => Outcome::Later { tells: true },
            Answer::Never => Outcome::Never,
        };
        let recorded = self.record_outcome(&mail, outcome);
        if answer == Answer::Taken && (is_late || recorded.is_err()) {
            self.mail_server.repeats += 1;
        }
        let key = (SEND_MAIL, mail.id.to_string());
        self.conclude::<NotificationsTables>((&key, attempts), recorded);
    }

    fn record_outcome(&mut self, mail: &Mail, outcome: Outcome) -> Result<(), Error> {
        let Some(row) = self.notifications.tables.mails.get(&mail.id).cloned() else {
            return Ok(());
        };
        let is_mine = row.mail.due_at == mail.due_at && !row.mail.state.is_over();
        let mut batch = Batch::by("notifications");
        match outcome {
            Outcome::Waits(until) if is_mine => {
                self.set_mail(&mut batch, Mail { due_at: until, ..row.mail.clone() });
            }
            Outcome::Sent => sent(&mut batch, &row)?,
            Outcome::Overtaken(reason) => {
                let id = mail.id;
                batch.change(move |tables: &mut NotificationsTables| {
                    if let Some(row) = tables.mails.get_mut(&id) {
                        row.reason.get_or_insert(reason);
                    }
                });
                end(&mut batch, &row, State::Dropped)?;
            }
            Outcome::Never => end(&mut batch, &row, State::Failed)?,
            Outcome::Later { tells } => {
                let rng = u16::try_from(self.rng.below(65_536)).unwrap_or(0);
                match mail.next_try(self.now, rng) {
                    None => end(&mut batch, &row, State::Failed)?,
                    Some(due_at) if is_mine => {
                        if tells && !row.is_reported {
                            let new = events::failed(&row.mail, false).map_err(Error::broken)?;
                            batch.append(&events::stream(mail.id), new);
                        }
                        let attempts = row.mail.attempts.max(mail.attempts + 1);
                        let first_tried_at = row.mail.first_tried_at.or(Some(self.now));
                        let state = State::Retrying;
                        let known = row.mail.clone();
                        let after = Mail { state, attempts, due_at, first_tried_at, ..known };
                        self.set_mail(&mut batch, after);
                    }
                    Some(_) => {}
                }
            }
            Outcome::Waits(_) => {}
        }
        self.commit(batch)
    }

    /// Changes a mail's row and its timer with it.
    fn set_mail(&self, batch: &mut Batch<NotificationsTables>, after: Mail) {
        batch.set_timer(SEND_MAIL, &after.id.to_string(), after.due_at, json!({}));
        batch.change(move |tables: &mut NotificationsTables| {
            if let Some(row) = tables.mails.get_mut(&after.id) {
                row.mail = after;
            }
        });
    }

    fn queue(&self, batch: &mut Batch<NotificationsTables>, mail: &NewMail, state: State) {
        self.queue_due(batch, mail, (state, self.now));
    }

    fn queue_due(
        &self,
        batch: &mut Batch<NotificationsTables>,
        mail: &NewMail,
        (state, due_at): (State, Timestamp),
    ) {
        let id = mail.id();
        if self.notifications.tables.mails.contains_key(&id) {
            return;
        }
        if self.has(Mutant::ForgetMail) && id.uuid().as_u128() % 7 == 3 {
            return;
        }
        let row = MailRecord::queued(mail, state, (self.now, due_at));
        batch.change(move |tables: &mut NotificationsTables| drop(tables.mails.insert(id, row)));
        if state == State::Queued {
            batch.set_timer(SEND_MAIL, &id.to_string(), due_at, json!({}));
        }
    }
}

fn sent(batch: &mut Batch<NotificationsTables>, row: &MailRecord) -> Result<(), Error> {
    if !row.mail.state.is_over() {
        end(batch, row, State::Sent)?;
    }
    batch.end_timer(SEND_MAIL, &row.mail.id.to_string());
    Ok(())
}

/// Ends a mail: sent, failed or dropped; an event reports the first two.
fn end(
    batch: &mut Batch<NotificationsTables>,
    row: &MailRecord,
    state: State,
) -> Result<(), Error> {
    let id = row.mail.id;
    if !row.mail.state.is_over() {
        let told = match state {
            State::Sent if row.mail.kind.is_sending_published() || row.is_reported => {
                Some(events::sent(&row.mail))
            }
            State::Failed => Some(events::failed(&row.mail, true)),
            _ => None,
        };
        if let Some(told) = told {
            batch.append(&events::stream(id), told.map_err(Error::broken)?);
        }
        batch.change(move |tables: &mut NotificationsTables| {
            if let Some(row) = tables.mails.get_mut(&id) {
                row.mail.state = state;
            }
        });
    }
    batch.end_timer(SEND_MAIL, &id.to_string());
    Ok(())
}

fn state_on_the_wire(word: &str) -> wire::BookingState {
    use wire::BookingState as Wire;
    match word {
        "held" => Wire::Held,
        "awaiting_payment" => Wire::AwaitingPayment,
        "confirmed" => Wire::Confirmed,
        "meeting_scheduled" => Wire::MeetingScheduled,
        "completed" => Wire::Completed,
        "expired" => Wire::Expired,
        "released" | "cancelled" => Wire::Cancelled,
        "paid_unplaced" => Wire::PaidUnplaced,
        _ => Wire::Unspecified,
    }
}

/// notifications takes an event of booking in.
pub(crate) fn on_booking(
    world: &mut World,
    batch: &mut Batch<NotificationsTables>,
    event: &Recorded,
) -> Result<(), Error> {
    use on_booking_events::{Step, step};
    match step(event)? {
        Step::Confirm { booking, payload, booked_at } => {
            for kind in [Kind::BookingConfirmed, Kind::PracticeNotice] {
                let mail = NewMail::of_booking(kind, booking).with_payload(payload.clone());
                world.queue(batch, &mail, State::Queued);
            }
            // No confirmation of a simulated booking was sent before its reminders are queued.
            let due_at = world.now.plus_seconds(planning::PLANNED_WITHIN_SECONDS);
            for mail in on_booking_events::reminders(&practice()?.mails, booking, booked_at) {
                world.queue_due(batch, &mail, (State::Queued, due_at));
            }
        }
        // Only what a release before has queued waits for a room.
        Step::SendLink(_booking) => {}
        Step::SendCancellation { booking, payload } => {
            for kind in [Kind::BookingCancelled, Kind::CancellationNotice] {
                let mail = on_booking_events::cancellation_mail(kind, (booking, None), &payload);
                world.queue(batch, &mail, State::Queued);
            }
        }
        Step::SendSessionCancellation { booking, number, payload } => {
            for kind in [Kind::BookingCancelled, Kind::CancellationNotice] {
                let about = (booking, Some(number));
                let mail = on_booking_events::cancellation_mail(kind, about, &payload);
                world.queue(batch, &mail, State::Queued);
            }
        }
        Step::WakeFollowUp(booking) => {
            let woken = NewMail::of_booking(Kind::FollowUp, booking).id();
            let row = world.notifications.tables.mails.get(&woken);
            if let Some(row) = row.filter(|row| row.mail.state == State::Queued) {
                world.set_mail(batch, Mail { due_at: world.now, ..row.mail.clone() });
            }
        }
        // The reminders of the time before drop themselves when they are due.
        Step::Move(moved) => {
            let reminders = moved.reminders(&practice()?.mails);
            for mail in moved.mails().iter().chain(&reminders) {
                world.queue(batch, mail, State::Queued);
            }
        }
        // No simulated client chooses about mails.
        Step::Replan(_bookings) => {}
        // Its reminders wait until the choice would have ended, and are planned anew then.
        Step::KeepTime(mail, _booking) => {
            world.queue(batch, &mail, State::Queued);
        }
        Step::Queue(mails) => {
            for mail in &mails {
                world.queue(batch, mail, State::Queued);
            }
        }
    }
    Ok(())
}

/// notifications takes an event of payments in.
pub(crate) fn on_payments(
    world: &mut World,
    batch: &mut Batch<NotificationsTables>,
    event: &Recorded,
) -> Result<(), Error> {
    use on_payments_events::{Step, step};
    match step(event)? {
        None => {}
        Some(Step::SendRefundStarted { booking, refund, payload }) => {
            let mail = about_refund(Kind::RefundStarted, booking, refund, payload);
            world.queue(batch, &mail, State::Queued);
        }
        Some(Step::RecordRefund { booking, refund, payload }) => {
            let mail = about_refund(Kind::RefundStarted, booking, refund, payload);
            world.note_refund(batch, &mail);
        }
        Some(Step::AnnounceRefund { refund }) => {
            world.announce_refund(batch, &refund.to_string());
        }
        Some(Step::SendRefundFailed { booking, subject, payload }) => {
            for mail in on_payments_events::refund_failed_mails(booking, &subject, &payload) {
                world.queue(batch, &mail, State::Queued);
            }
        }
        Some(Step::SendRefundDone { booking, refund }) => {
            let subject = refund.to_string();
            let mut rows = world.notifications.tables.mails.values();
            let started = rows
                .find(|row| row.mail.kind == Kind::RefundStarted && row.mail.subject == subject)
                .map(|row| row.mail.payload.clone());
            let Some(payload) = started else { return Ok(()) };
            let mail = about_refund(Kind::RefundDone, booking, refund, payload);
            world.queue(batch, &mail, State::Queued);
        }
        Some(Step::Queue(mails)) => {
            for mail in &mails {
                world.queue(batch, mail, State::Queued);
            }
        }
    }
    Ok(())
}

fn about_refund(kind: Kind, booking: Id<Booking>, refund: Id<Refund>, payload: Value) -> NewMail {
    let (subject, about) = (refund.to_string(), About::Booking(booking));
    NewMail { kind, subject, about, payload }
}
