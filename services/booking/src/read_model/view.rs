//! A booking's rows as the wire representation for its owner.

use contract::booking::v1 as wire;
use contract::common::v1::DeskWay;
use contract::convert::{self, to_wire};
use eventstore::StoreError;
use kernel::id::{Booking, Customer};
use kernel::{CancellationPolicy, Id, Money, PracticeLate, RefundStep, Timestamp};
use practice::Practice;
use serde_json::Value;
use sqlx::postgres::PgRow;
use sqlx::types::Json;
use sqlx::{PgExecutor, Row};

use crate::domain::booking::{Funds, Origin, Package, schedule, share_minor};
use crate::read_model::move_proposals;

mod moves;

/// A booking, with fields that its owner does not see.
#[derive(Clone)]
pub struct View {
    /// The owner.
    pub customer_id: Id<Customer>,
    /// When it was requested.
    pub requested_at: Timestamp,
    /// Whether it was confirmed on a claim and no payment was verified since.
    pub confirmed_on_claim: bool,
    /// Whether an account or staff made it.
    pub origin: Origin,
    /// Whether the terms are still to be accepted; false once the contact data was deleted.
    pub terms_missing: bool,
    /// Whether the client came, of each session that is marked, by its number.
    pub marks: Vec<wire::SessionMark>,
    /// How often the client moved each session without staff, in their order.
    pub own_moves: Vec<i32>,
    /// The owner's view.
    pub booking: wire::Booking,
}

impl View {
    /// Until how many hours before its start each session can be cancelled for all of its price.
    #[must_use]
    pub fn notice_hours(&self) -> i32 {
        let policy = self.booking.cancellation_policy.as_ref();
        policy.and_then(|it| it.tiers.first()).map_or(0, |tier| tier.until_hours)
    }

    /// Whether it is confirmed and placed, so that it has a calendar file.
    #[must_use]
    pub fn is_placed(&self) -> bool {
        matches!(
            self.booking.state(),
            wire::BookingState::Confirmed
                | wire::BookingState::MeetingScheduled
                | wire::BookingState::Completed
        )
    }
}

/// The query for one booking or several. They are separate, because PostgreSQL plans a query with a
/// list parameter anew each time, which takes longer than running it.
macro_rules! view_sql {
    ($rest:literal) => {
        $crate::read_model::view::view_sql!(
            "",
            ("bookings", "slot_reservations", "booking_contacts"),
            $rest
        )
    };
    ($with:literal, ($bookings:literal, $sessions:literal, $contacts:literal), $rest:literal) => {
        concat!(
            $with,
            " select b.booking_id, b.customer_id, b.service_id, b.service_title, b.price_minor,
                    b.price_currency, b.practitioner_id, b.mode,
                    case when b.no_show and b.state = 'completed' then 'no_show'
                         else b.state end as state, b.held_until_at,
                    b.checkout_opened, b.payment_state, b.mail_state, b.requested_at, b.version,
                    b.confirmed_on_claim, b.paid_minor,
                    b.payment_id, b.payment_id is not null as is_paid,
                    b.owed_minor, b.bank_minor, b.otherwise_minor,
                    c.first_name, c.last_name, c.email, c.phone, c.notes, c.join_url,
                    c.late_session, c.late_minutes, c.late_told_at,
                    b.package_id, b.package_title, b.package_notice_hours, b.by_phone, b.adopted,
                    c.terms_accepted_at, b.marks, b.cancellation_policy, b.pending_cancellation,
                    b.move_proposal,
                    case when b.cancellation_policy is null
                         then (select policy from earlier_cancellation_policy)
                    end as earlier_policy,
                    r.starts_at, r.ends_at, r.live, r.moves, r.own_moves
             from ",
            $bookings,
            " b join ",
            $sessions,
            " r using (booking_id) left join ",
            $contacts,
            " c using (booking_id) ",
            $rest
        )
    };
}

pub(crate) use view_sql;

/// Loads a booking; `None` when it doesn't exist.
pub async fn load(
    executor: impl PgExecutor<'_>,
    practice: &Practice,
    id: Id<Booking>,
) -> Result<Option<View>, StoreError> {
    let rows = sqlx::query(view_sql!("where b.booking_id = $1 order by r.starts_at"))
        .bind(id)
        .fetch_all(executor)
        .await?;
    Ok(views(&rows, practice)?.into_iter().next())
}

/// Loads bookings by their first sessions; those that do not exist are omitted.
pub async fn load_all(
    executor: impl PgExecutor<'_>,
    practice: &Practice,
    ids: &[Id<Booking>],
) -> Result<Vec<View>, StoreError> {
    let ids: Vec<_> = ids.iter().map(|id| id.uuid()).collect();
    let rows = sqlx::query(view_sql!(
        "where b.booking_id = any ($1)
         order by min(r.starts_at) over (partition by b.booking_id), b.booking_id, r.starts_at"
    ))
    .bind(ids)
    .fetch_all(executor)
    .await?;
    views(&rows, practice)
}

/// Groups consecutive rows into bookings.
pub(crate) fn views(rows: &[PgRow], practice: &Practice) -> Result<Vec<View>, StoreError> {
    let mut views: Vec<View> = Vec::new();
    for row in rows {
        let mut booking = to_wire_booking(row, practice)?;
        let session = wire::Session {
            starts_at: Some(to_wire(row.try_get("starts_at")?)),
            ends_at: Some(to_wire(row.try_get("ends_at")?)),
            // A placed booking's times are live, unless they were cancelled.
            cancelled: !row.try_get::<bool, _>("live")? && was_placed(booking.state()),
            moves: row.try_get("moves")?,
            ..wire::Session::default()
        };
        let own_moves = row.try_get("own_moves")?;
        match views.last_mut().filter(|last| last.booking.booking_id == booking.booking_id) {
            Some(last) => {
                last.booking.sessions.push(session);
                last.own_moves.push(own_moves);
            }
            None => {
                booking.sessions.push(session);
                views.push(View {
                    customer_id: row.try_get("customer_id")?,
                    requested_at: row.try_get("requested_at")?,
                    confirmed_on_claim: row.try_get("confirmed_on_claim")?,
                    origin: origin(row)?,
                    terms_missing: row
                        .try_get::<Option<Timestamp>, _>("terms_accepted_at")?
                        .is_none()
                        && booking.contact.is_some(),
                    marks: marks(row)?,
                    own_moves: vec![own_moves],
                    booking,
                });
            }
        }
    }
    for view in &mut views {
        set_refunds(&mut view.booking);
        moves::set_limits(&mut view.booking, &view.own_moves);
    }
    Ok(views)
}

/// The marks of a booking's sessions, in their order.
fn marks(row: &PgRow) -> Result<Vec<wire::SessionMark>, StoreError> {
    let stored: Value = row.try_get("marks")?;
    let marks = stored.as_object().into_iter().flatten().filter_map(|(number, word)| {
        let attendance = match word.as_str()? {
            "came" => wire::Attendance::Came,
            "late" => wire::Attendance::Late,
            "no_show" => wire::Attendance::NoShow,
            _ => return None,
        };
        let session_number = number.parse().ok()?;
        Some(wire::SessionMark { session_number, attendance: attendance.into() })
    });
    let mut marks: Vec<wire::SessionMark> = marks.collect();
    marks.sort_by_key(|mark| mark.session_number);
    Ok(marks)
}

fn origin(row: &PgRow) -> Result<Origin, StoreError> {
    Ok(match (row.try_get("by_phone")?, row.try_get("adopted")?) {
        (false, _) => Origin::Account,
        (true, false) => Origin::Phone,
        (true, true) => Origin::AdoptedPhone,
    })
}

/// Whether its sessions take place, have taken place, or were cancelled.
fn was_placed(state: wire::BookingState) -> bool {
    matches!(
        state,
        wire::BookingState::Confirmed
            | wire::BookingState::MeetingScheduled
            | wire::BookingState::Completed
            | wire::BookingState::NoShow
    )
}

/// Whether none of its sessions takes place any more.
fn is_over(state: wire::BookingState) -> bool {
    !matches!(
        state,
        wire::BookingState::Held
            | wire::BookingState::AwaitingPayment
            | wire::BookingState::Confirmed
            | wire::BookingState::MeetingScheduled
    )
}

/// States the share of each session of a package, and what goes back of each that may be cancelled.
fn set_refunds(booking: &mut wire::Booking) {
    let policy = booking.cancellation_policy.as_ref().and_then(convert::cancellation_policy);
    let price = booking.price.as_ref().and_then(convert::money);
    let (Some(price), Some(policy)) = (price, policy) else { return };
    let may_take_place = !is_over(booking.state());
    let count = booking.sessions.len();
    let displaced = booking.move_proposal.as_ref();
    let displaced = displaced.and_then(|it| usize::try_from(it.session_number).ok());
    for (session, number) in booking.sessions.iter_mut().zip(1..) {
        let share = Money { minor: share_minor(price.minor, (number, count)), ..price };
        session.share = booking.package.as_ref().map(|_| share.into());
        let starts_at = session.starts_at.as_ref().and_then(convert::timestamp);
        let is_open = may_take_place && share.minor > 0 && !session.cancelled;
        let steps = starts_at.filter(|_| is_open).map(|at| match displaced {
            Some(displaced) if displaced == number => vec![everything(share, at)],
            Some(_) | None => schedule(&policy, share, at),
        });
        session.refund_steps = steps.into_iter().flatten().map(step_to_wire).collect();
    }
}

/// Of a session for which the practice asks for another time all comes back until its start.
fn everything(share: Money, starts_at: Timestamp) -> RefundStep {
    RefundStep { until: starts_at, refund: share, practice_late: PracticeLate::Nothing }
}

fn step_to_wire(step: RefundStep) -> wire::RefundStep {
    wire::RefundStep {
        until_at: Some(to_wire(step.until)),
        refund: Some(step.refund.into()),
        practice_late: convert::practice_late_to_wire(step.practice_late),
    }
}

/// The booking's own policy; of one that carries none its package's notice, or else the one that
/// was kept for such bookings.
fn policy(row: &PgRow, practice: &Practice) -> Result<CancellationPolicy, StoreError> {
    let stored = |name| row.try_get::<Option<Json<CancellationPolicy>>, _>(name);
    if let Some(Json(policy)) = stored("cancellation_policy")? {
        return Ok(policy);
    }
    if let Some(notice_hours) = row.try_get("package_notice_hours")? {
        let (id, title) = (String::new(), String::new());
        return Ok(Package { id, title, notice_hours }.policy());
    }
    let earlier = stored("earlier_policy")?.map(|Json(policy)| policy);
    Ok(earlier.unwrap_or_else(|| practice.policies.cancellation_policy(None)))
}

fn package(row: &PgRow) -> Result<Option<wire::BookedPackage>, StoreError> {
    let Some(package_id) = row.try_get::<Option<String>, _>("package_id")? else {
        return Ok(None);
    };
    Ok(Some(wire::BookedPackage {
        package_id,
        title: row.try_get("package_title")?,
        notice_hours: row.try_get("package_notice_hours")?,
    }))
}

fn to_wire_booking(row: &PgRow, practice: &Practice) -> Result<wire::Booking, StoreError> {
    let id: Id<Booking> = row.try_get("booking_id")?;
    let in_person = row.try_get::<&str, _>("mode")? == "in_person";
    let mode = if in_person { wire::SessionMode::InPerson } else { wire::SessionMode::Online };
    let held_until_at: Option<Timestamp> = row.try_get("held_until_at")?;
    let price_minor: i64 = row.try_get("price_minor")?;
    let practitioner_id: String = row.try_get("practitioner_id")?;
    Ok(wire::Booking {
        booking_id: id.to_string(),
        service_id: row.try_get("service_id")?,
        service_title: row.try_get("service_title")?,
        sessions: Vec::new(),
        time_zone: zone_name(practice),
        mode: mode.into(),
        price: Some(contract::common::v1::Money {
            minor_units: price_minor,
            currency_code: row.try_get("price_currency")?,
        }),
        state: state(row.try_get("state")?).into(),
        held_until_at: held_until_at.map(to_wire),
        checkout_opened: row.try_get("checkout_opened")?,
        // Nothing is to be said of the money where there is none.
        payment_state: if price_minor == 0 {
            wire::PaymentState::Unspecified.into()
        } else {
            payment_state(row.try_get("payment_state")?, row.try_get("owed_minor")?).into()
        },
        mail_state: mail_state(row.try_get("mail_state")?).into(),
        join_url: row.try_get::<Option<String>, _>("join_url")?.unwrap_or_default(),
        contact: contact(row)?,
        version: row.try_get("version")?,
        practitioner_name: practice.name_of_practitioner(&practitioner_id).to_owned(),
        practitioner_id,
        location: if in_person { location_line(practice) } else { String::new() },
        package: package(row)?,
        refund_owed: some_money(row, row.try_get("owed_minor")?)?,
        given_by_bank: some_money(row, row.try_get("bank_minor")?)?,
        paid: paid(row, price_minor)?,
        refunded_otherwise: some_money(row, row.try_get("otherwise_minor")?)?,
        paid_at_desk: paid_at_desk(row)?.into(),
        cancellation_policy: Some((&policy(row, practice)?).into()),
        pending_cancellation: pending_cancellation(row)?,
        told_late: told_late(row)?,
        move_proposal: move_proposals::read(row)?,
    })
}

fn told_late(row: &PgRow) -> Result<Option<wire::ToldLate>, StoreError> {
    let told_at: Option<Timestamp> = row.try_get("late_told_at")?;
    let Some(told_at) = told_at else { return Ok(None) };
    Ok(Some(wire::ToldLate {
        session_number: row.try_get("late_session")?,
        minutes: row.try_get("late_minutes")?,
        told_at: Some(to_wire(told_at)),
    }))
}

/// A cancellation under way, as it is stored.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct StoredCancellation {
    /// The number of its session; `None` for all.
    pub(super) session: Option<usize>,
    /// What will go back, in the booking's currency.
    pub(super) refund_minor: i64,
    /// When it takes effect.
    pub(super) takes_effect_at: Timestamp,
    /// How often grace is used up by it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) grace_times: u16,
}

fn is_zero(times: &u16) -> bool {
    *times == 0
}

fn pending_cancellation(row: &PgRow) -> Result<Option<wire::PendingCancellation>, StoreError> {
    let stored: Option<Json<StoredCancellation>> = row.try_get("pending_cancellation")?;
    let Some(Json(stored)) = stored else { return Ok(None) };
    let number = stored.session.and_then(|number| i32::try_from(number).ok());
    // What went back before does not go back once more.
    let price: i64 = row.try_get("price_minor")?;
    let brought = row.try_get::<Option<i64>, _>("paid_minor")?.unwrap_or(price);
    let given = row.try_get::<i64, _>("otherwise_minor")?;
    let given = given.saturating_add(row.try_get("bank_minor")?);
    let funds = Funds { price, brought, given };
    Ok(Some(wire::PendingCancellation {
        session_number: number.unwrap_or_default(),
        refund: Some(contract::common::v1::Money {
            minor_units: funds.goes_back(stored.refund_minor, 0),
            currency_code: row.try_get("price_currency")?,
        }),
        takes_effect_at: Some(to_wire(stored.takes_effect_at)),
    }))
}

/// An amount in the booking's currency; `None` for nothing.
fn some_money(row: &PgRow, minor: i64) -> Result<Option<contract::common::v1::Money>, StoreError> {
    let currency_code = row.try_get("price_currency")?;
    let money = contract::common::v1::Money { minor_units: minor, currency_code };
    Ok((minor != 0).then_some(money))
}

/// How it was paid at the practice's desk, if it was.
fn paid_at_desk(row: &PgRow) -> Result<DeskWay, StoreError> {
    let payment_id: Option<String> = row.try_get("payment_id")?;
    Ok(payment_id.map_or(DeskWay::Unspecified, |id| contract::desk::wire_way_of(&id)))
}

/// What was paid; `None` while no payment was verified.
fn paid(row: &PgRow, price: i64) -> Result<Option<contract::common::v1::Money>, StoreError> {
    let paid: Option<i64> = row.try_get("paid_minor")?;
    let minor = if row.try_get("is_paid")? { paid.unwrap_or(price) } else { 0 };
    some_money(row, minor)
}

/// The IANA name of the practice's zone.
#[must_use]
pub fn zone_name(practice: &Practice) -> String {
    practice.practice.zone.iana_name().unwrap_or("UTC").to_owned()
}

/// The location of a session in person, on one line.
#[must_use]
pub fn location_line(practice: &Practice) -> String {
    let location = &practice.location;
    if location.name.is_empty() || location.address.starts_with(&location.name) {
        location.address.clone()
    } else {
        format!("{}, {}", location.name, location.address)
    }
}

/// `None` once the customer's data was deleted.
fn contact(row: &PgRow) -> Result<Option<wire::Contact>, StoreError> {
    let Some(first_name) = row.try_get::<Option<String>, _>("first_name")? else {
        return Ok(None);
    };
    Ok(Some(wire::Contact {
        first_name,
        last_name: row.try_get("last_name")?,
        email: row.try_get("email")?,
        phone: row.try_get("phone")?,
        notes: row.try_get("notes")?,
    }))
}

/// Each state on the wire and as stored.
const STATES: [(wire::BookingState, &str); 10] = [
    (wire::BookingState::Held, "held"),
    (wire::BookingState::AwaitingPayment, "awaiting_payment"),
    (wire::BookingState::Confirmed, "confirmed"),
    (wire::BookingState::MeetingScheduled, "meeting_scheduled"),
    (wire::BookingState::Completed, "completed"),
    // Stored as completed, with a mark.
    (wire::BookingState::NoShow, "no_show"),
    (wire::BookingState::Expired, "expired"),
    (wire::BookingState::Cancelled, "released"),
    (wire::BookingState::Cancelled, "cancelled"),
    (wire::BookingState::PaidUnplaced, "paid_unplaced"),
];

fn state(word: &str) -> wire::BookingState {
    let known = STATES.iter().find(|(_, known)| *known == word);
    known.map_or(wire::BookingState::Unspecified, |(state, _)| *state)
}

/// The stored words of a wire state; none for a state that bookings do not use.
pub fn state_words(state: i32) -> impl Iterator<Item = &'static str> {
    STATES.iter().filter(move |(known, _)| i32::from(*known) == state).map(|(_, word)| *word)
}

/// Money that was to go back, and is owed because that failed, is not on its way.
fn payment_state(word: &str, owed: i64) -> wire::PaymentState {
    match word {
        "refunding" if owed > 0 => wire::PaymentState::RefundFailed,
        "pending" => wire::PaymentState::Pending,
        "claimed" => wire::PaymentState::Claimed,
        "paid" => wire::PaymentState::Paid,
        "failed" => wire::PaymentState::Failed,
        "refunding" => wire::PaymentState::Refunding,
        "refunded" => wire::PaymentState::Refunded,
        _ => wire::PaymentState::Unspecified,
    }
}

fn mail_state(word: &str) -> wire::MailState {
    match word {
        "sent" => wire::MailState::Sent,
        "failed" => wire::MailState::Failed,
        _ => wire::MailState::Unspecified,
    }
}
