//! Writes the rows of holds and their contact data. Each statement also reads the bookings that it
//! wrote, because each round trip happens under a day's lock.

use eventstore::{StoreError, Tx};
use kernel::id::Booking;
use kernel::{Id, Timestamp};
use practice::Practice;
use sqlx::types::Json;
use sqlx::{Postgres, QueryBuilder};

use crate::domain::booking::Facts;
use crate::domain::contact::Contact;
use crate::domain::shown_texts::{Acceptance, ShownText};
use crate::read_model::project::mode_word;
use crate::read_model::view::{View, view_sql, views};

/// Stores the contact data and when the terms were accepted, and loads the booking. A repeated
/// request overwrites both.
pub async fn upsert_contact(
    tx: &mut Tx,
    practice: &Practice,
    id: Id<Booking>,
    contact: &Contact,
    accepted_at: Timestamp,
) -> Result<Option<View>, StoreError> {
    let sql = view_sql!(
        "with kept as (
             insert into booking_contacts (booking_id, first_name, last_name, email, phone, notes,
                                           terms_accepted_at)
             values ($1, $2, $3, $4, $5, $6, $7)
             on conflict (booking_id) do update
             set first_name = excluded.first_name, last_name = excluded.last_name,
                 email = excluded.email, phone = excluded.phone, notes = excluded.notes,
                 terms_accepted_at = excluded.terms_accepted_at
             returning *)",
        ("bookings", "slot_reservations", "kept"),
        "where b.booking_id = $1 order by r.starts_at"
    );
    let rows = sqlx::query(sql)
        .bind(id)
        .bind(contact.first_name())
        .bind(contact.last_name())
        .bind(contact.email())
        .bind(contact.phone())
        .bind(contact.notes())
        .bind(accepted_at)
        .fetch_all(tx.connection())
        .await?;
    Ok(views(&rows, practice)?.into_iter().next())
}

/// Replaces name, phone and note; the note before is not kept.
pub async fn correct_contact(
    tx: &mut Tx,
    id: Id<Booking>,
    contact: &Contact,
) -> Result<(), StoreError> {
    sqlx::query(
        "update booking_contacts set first_name = $2, last_name = $3, phone = $4, notes = $5
         where booking_id = $1",
    )
    .bind(id)
    .bind(contact.first_name())
    .bind(contact.last_name())
    .bind(contact.phone())
    .bind(contact.notes())
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// The times of a new booking, held or, where it costs nothing, booked.
#[derive(Debug, Clone, Copy)]
pub struct Hold<'h> {
    /// What is booked.
    pub facts: &'h Facts,
    /// Until when it is held, if it is to be paid.
    pub until: Timestamp,
    /// The customer's contact data.
    pub contact: &'h Contact,
    /// Where the request came from, as far as it is known. Personal data.
    pub network_hash: Option<&'h [u8]>,
    /// The same of its device.
    pub device_hash: Option<&'h [u8]>,
    /// What was accepted with it, unless staff book by phone.
    pub acceptance: Acceptance<'h>,
}

impl Hold<'_> {
    /// Until when its rows say that it is held; `None` where it is booked at once.
    fn held_until(&self) -> Option<Timestamp> {
        (!self.facts.is_free()).then_some(self.until)
    }
}

/// Inserts the rows of new bookings, sessions and contact data and returns the bookings, in one
/// round trip and in any order. The terms are accepted now, unless staff book by phone.
///
/// # Errors
/// `Excluded` when another live session or block overlaps one of the times.
pub(super) async fn insert_holds(
    tx: &mut Tx,
    practice: &Practice,
    holds: &[Hold<'_>],
    now: Timestamp,
) -> Result<Vec<View>, StoreError> {
    if holds.is_empty() {
        return Ok(Vec::new());
    }
    let mut sql = QueryBuilder::<Postgres>::new("");
    push_wanted(&mut sql, holds, now);
    push_sessions(&mut sql, holds);
    sql.push(view_sql!(
        "),
         held as (
             insert into bookings (booking_id, customer_id, service_id, service_title, price_minor,
                                   price_currency, practitioner_id, mode, state, held_until_at,
                                   requested_at, version, package_id, package_title,
                                   package_notice_hours, cancellation_policy, by_phone,
                                   last_ends_at)
             select booking_id, customer_id, service_id, service_title, price_minor,
                    price_currency, practitioner_id, mode,
                    case when until_at is null then 'confirmed' else 'held' end, until_at, now,
                    case when until_at is null then 2 else 1 end,
                    package_id, package_title, notice_hours, policy, by_phone, last_ends_at
             from wanted returning *),
         origin as (
             insert into hold_origins (booking_id, network_hash, device_hash, held_at,
                                       held_until_at)
             select booking_id, network_hash, device_hash, now, until_at from wanted
             where network_hash is not null or device_hash is not null),
         accepted as (
             insert into accepted_terms (booking_id, accepted_at, notice_hours,
                                         shown_notice_hours, terms_version, terms_hash,
                                         refunds_version, refunds_hash, privacy_version,
                                         privacy_hash)
             select booking_id, now, rule_hours, shown_hours, terms_version, terms_hash,
                    refunds_version, refunds_hash, privacy_version, privacy_hash
             from wanted where not by_phone),
         taken as (
             insert into slot_reservations (booking_id, practitioner_id, starts_at, ends_at,
                                            held_until_at, live)
             select booking_id, practitioner_id, session.starts_at, session.ends_at, until_at, true
             from wanted join session using (booking_id) returning *),
         kept as (
             insert into booking_contacts (booking_id, first_name, last_name, email, phone, notes,
                                           terms_accepted_at)
             select booking_id, first_name, last_name, email, phone, notes, terms_accepted_at
             from wanted returning *)",
        ("held", "taken", "kept"),
        "order by b.booking_id, r.starts_at"
    ));
    let rows = sql.build().fetch_all(tx.connection()).await?;
    views(&rows, practice)
}

/// What is known of each booking, with its first session.
fn push_wanted(sql: &mut QueryBuilder<Postgres>, holds: &[Hold<'_>], now: Timestamp) {
    sql.push(
        "with wanted (booking_id, customer_id, service_id, service_title, price_minor,
                      price_currency, practitioner_id, mode, until_at, now, starts_at, ends_at,
                      first_name, last_name, email, phone, notes, package_id, package_title,
                      notice_hours, policy, by_phone, terms_accepted_at, network_hash, device_hash,
                      rule_hours, shown_hours, terms_version, terms_hash, refunds_version,
                      refunds_hash, privacy_version, privacy_hash, last_ends_at) as (",
    );
    let firsts = holds.iter().filter_map(|hold| Some((hold, hold.facts.sessions.first()?)));
    sql.push_values(firsts, |mut row, (hold, span)| {
        let Hold { facts, contact, .. } = hold;
        row.push_bind(facts.booking_id).push_bind(facts.customer_id).push_bind(&facts.service_id);
        row.push_bind(&facts.service_title).push_bind(facts.price.minor);
        row.push_bind(facts.price.currency.code()).push_bind(&facts.practitioner_id);
        row.push_bind(mode_word(facts.mode)).push_bind(hold.held_until()).push_bind(now);
        row.push_bind(span.starts_at()).push_bind(span.ends_at());
        row.push_bind(contact.first_name()).push_bind(contact.last_name());
        row.push_bind(contact.email()).push_bind(contact.phone()).push_bind(contact.notes());
        let package = facts.package.as_ref();
        row.push_bind(package.map(|it| &it.id)).push_bind(package.map(|it| &it.title));
        row.push_bind(package.map(|it| it.notice_hours))
            .push_bind(facts.policy.as_deref().map(Json));
        row.push_bind(facts.is_by_phone()).push_bind((!facts.is_by_phone()).then_some(now));
        row.push_bind(hold.network_hash).push_bind(hold.device_hash);
        let Acceptance { shown, notice_hours } = hold.acceptance;
        row.push_bind(notice_hours).push_bind(shown.notice_hours);
        for text in [&shown.terms, &shown.refunds, &shown.privacy] {
            row.push_bind(text.as_ref().map(ShownText::version));
            row.push_bind(text.as_ref().map(ShownText::hash));
        }
        row.push_bind(facts.last_ends_at());
    });
}

/// The sessions of all bookings. The first one of each stands in its own row, so that a single
/// session needs no more.
fn push_sessions(sql: &mut QueryBuilder<Postgres>, holds: &[Hold<'_>]) {
    let further: Vec<_> = holds
        .iter()
        .flat_map(|hold| hold.facts.sessions.iter().skip(1).map(move |span| (hold.facts, span)))
        .collect();
    let firsts = "session as (select booking_id, starts_at, ends_at from wanted";
    if further.is_empty() {
        sql.push("), ").push(firsts);
        return;
    }
    sql.push("), further (booking_id, starts_at, ends_at) as (");
    sql.push_values(&further, |mut row, (facts, span)| {
        row.push_bind(facts.booking_id).push_bind(span.starts_at()).push_bind(span.ends_at());
    });
    sql.push("), ").push(firsts).push(" union all select * from further");
}
