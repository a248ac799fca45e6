//! A database of an earlier version is migrated with its data.

use std::borrow::Cow;

use sqlx::migrate::Migrator;
use sqlx::{Connection as _, PgConnection};
use testkit::TestDatabase;

/// The first migration that the earlier version lacks.
const NEWER: i64 = 20_261_121_210_001;

/// Three bookings: one paid, one claimed and unpaid, one released.
const EARLIER: &str = "
    insert into bookings (booking_id, customer_id, service_id, service_title, price_minor,
                          price_currency, practitioner_id, mode, state, payment_state, requested_at)
    select ('01934000-0000-7000-8000-00000000000' || number)::uuid, gen_random_uuid(), 'meditation',
           'Meditation', 50000, 'INR', 'lead', 'online', state, payment_state, now()
    from (values (1, 'confirmed', 'paid'), (2, 'expired', 'claimed'), (3, 'released', 'pending'))
         as earlier (number, state, payment_state);
    insert into slot_reservations (booking_id, practitioner_id, starts_at, ends_at, live)
    select booking_id, 'lead', '2026-11-25T05:30Z', '2026-11-25T06:30Z', state = 'confirmed'
    from bookings;
    insert into events (event_id, stream_id, version, event_type, payload, metadata, recorded_at)
    values (gen_random_uuid(), 'booking-1', 2, 'booking.v1.BookingConfirmed',
            '{\"bookingId\": \"bkg_01934000000070008000000000000001\", \"paymentId\": \"pay_1\"}',
            '{}', now());";

#[tokio::test]
async fn an_upgrade_keeps_the_data_of_an_earlier_version() {
    let known = booking::MIGRATIONS.iter().filter(|migration| migration.version < NEWER);
    let earlier =
        Migrator { migrations: Cow::Owned(known.cloned().collect()), ..Migrator::DEFAULT };
    let db = TestDatabase::new(&earlier).await.unwrap();
    db.as_owner(EARLIER).await.unwrap();
    db.migrate(&booking::MIGRATIONS).await.unwrap();
    let mut connection = PgConnection::connect(&db.url).await.unwrap();
    let rows: Vec<(String, Option<String>, bool, bool)> = sqlx::query_as(
        "select state, payment_id, claimed, confirmed_on_claim from bookings order by booking_id",
    )
    .fetch_all(&mut connection)
    .await
    .unwrap();
    let row = |state: &str, payment: Option<&str>, claimed| {
        (state.to_owned(), payment.map(str::to_owned), claimed, false)
    };
    let paid = row("confirmed", Some("pay_1"), false);
    assert_eq!(rows, [paid, row("expired", None, true), row("released", None, false)]);
    let sessions: i64 = sqlx::query_scalar("select count(*) from slot_reservations")
        .fetch_one(&mut connection)
        .await
        .unwrap();
    assert_eq!(sessions, 3);
}

/// The migration that makes the practice an organisation.
const ORGANISATION: i64 = 20_261_126_170_000;

#[tokio::test]
async fn staff_members_are_carried_over_and_an_older_process_adds_more() {
    let known = booking::MIGRATIONS.iter().filter(|migration| migration.version < ORGANISATION);
    let earlier =
        Migrator { migrations: Cow::Owned(known.cloned().collect()), ..Migrator::DEFAULT };
    let db = TestDatabase::new(&earlier).await.unwrap();
    let insert = "insert into staff_members (user_id, role) values (gen_random_uuid(), 'owner')";
    db.as_owner(insert).await.unwrap();
    db.migrate(&booking::MIGRATIONS).await.unwrap();
    // As the release before writes it.
    db.as_owner(insert).await.unwrap();
    let mut connection = PgConnection::connect(&db.url).await.unwrap();
    let members: i64 = sqlx::query_scalar(
        "select count(*) from staff_members join practices using (practice_id) where active",
    )
    .fetch_one(&mut connection)
    .await
    .unwrap();
    assert_eq!(members, 2);
    let second = "insert into practices (practice_id) values (gen_random_uuid())";
    assert!(db.as_owner(second).await.is_err(), "a server has one practice");
}

/// The migration from which on a new member has no time without a second factor.
const SECOND_FACTOR: i64 = 20_261_128_213_700;

#[tokio::test]
async fn only_members_of_before_have_time_to_set_up_a_second_factor() {
    let known = booking::MIGRATIONS.iter().filter(|migration| migration.version < SECOND_FACTOR);
    let earlier =
        Migrator { migrations: Cow::Owned(known.cloned().collect()), ..Migrator::DEFAULT };
    let db = TestDatabase::new(&earlier).await.unwrap();
    let insert = "insert into staff_members (user_id, role) values (gen_random_uuid(), 'owner')";
    db.as_owner(insert).await.unwrap();
    db.migrate(&booking::MIGRATIONS).await.unwrap();
    // As the release before writes it.
    db.as_owner(insert).await.unwrap();
    let mut connection = PgConnection::connect(&db.url).await.unwrap();
    let days: Vec<i32> = sqlx::query_scalar(
        "select round(extract(epoch from second_factor_by - clock_timestamp()) / 86400)::int4
         from staff_members order by second_factor_by desc",
    )
    .fetch_all(&mut connection)
    .await
    .unwrap();
    assert_eq!(days, [14, 0]);
}

/// The migration with which refunds are added up.
const REFUND_SUMS: i64 = 20_261_128_211_000;

#[tokio::test]
async fn refunds_of_before_are_read_again_and_promises_are_known() {
    let known = booking::MIGRATIONS.iter().filter(|migration| migration.version < REFUND_SUMS);
    let earlier =
        Migrator { migrations: Cow::Owned(known.cloned().collect()), ..Migrator::DEFAULT };
    let db = TestDatabase::new(&earlier).await.unwrap();
    db.as_owner(EARLIER).await.unwrap();
    db.as_owner(
        "insert into checkpoints (consumer, source, position)
         values ('booking-on-payments', 'payments', 40);
         insert into events (event_id, stream_id, version, event_type, payload, metadata,
                             recorded_at)
         values (gen_random_uuid(), 'booking-1', 3, 'booking.v1.BookingCancelled',
                 '{\"bookingId\": \"bkg_01934000000070008000000000000001\",
                   \"refund\": {\"minorUnits\": \"50000\", \"currencyCode\": \"INR\"}}',
                 '{}', now());",
    )
    .await
    .unwrap();
    db.migrate(&booking::MIGRATIONS).await.unwrap();
    let mut connection = PgConnection::connect(&db.url).await.unwrap();
    let promised: Vec<Option<i64>> =
        sqlx::query_scalar("select promised_minor from bookings order by booking_id")
            .fetch_all(&mut connection)
            .await
            .unwrap();
    assert_eq!(promised, [Some(50_000), None, None]);
    let noted: Vec<(String, Option<String>)> =
        sqlx::query_as("select payment_state, mended_to from payment_states_before")
            .fetch_all(&mut connection)
            .await
            .unwrap();
    assert_eq!(noted, [("paid".to_owned(), None)]);
    let store = db.store().unwrap();
    let who = ("booking-on-payments", "payments");
    let again = eventstore::consumer_release::take_over(&store, who, "1").await.unwrap();
    assert_eq!(again, Some(0));
    assert_eq!(eventstore::checkpoint::position(&store, who.0, who.1).await.unwrap(), 0);
}

/// The migration that gives consents their way.
const CONSENT_PROOF: i64 = 20_261_129_060_100;

#[tokio::test]
async fn consents_of_pages_carry_way_unknown() {
    let known = booking::MIGRATIONS.iter().filter(|migration| migration.version < CONSENT_PROOF);
    let earlier =
        Migrator { migrations: Cow::Owned(known.cloned().collect()), ..Migrator::DEFAULT };
    let db = TestDatabase::new(&earlier).await.unwrap();
    // One that came with a request, and one of the page of a booking by phone.
    db.as_owner(
        "insert into bookings (booking_id, customer_id, service_id, service_title, price_minor,
                               price_currency, practitioner_id, mode, state, payment_state,
                               requested_at, by_phone)
         select ('01934000-0000-7000-8000-00000000000' || number)::uuid, gen_random_uuid(),
                'meditation', 'Meditation', 50000, 'INR', 'lead', 'online', 'released', 'pending',
                now(), number = 2
         from generate_series(1, 2) number;
         insert into consent_texts values ('2026-11-25.00', 'I agree.', now());
         insert into consents (consent_id, customer_id, booking_id, version, full_name, email,
                               signature, given_at)
         select gen_random_uuid(), customer_id, booking_id, '2026-11-25.00', 'Asha Rao',
                'asha@example.org', 'A. Rao', now()
         from bookings;",
    )
    .await
    .unwrap();
    db.migrate(&booking::MIGRATIONS).await.unwrap();
    let mut connection = PgConnection::connect(&db.url).await.unwrap();
    let channels: Vec<String> =
        sqlx::query_scalar("select channel from consents order by booking_id")
            .fetch_all(&mut connection)
            .await
            .unwrap();
    assert_eq!(channels, ["account", "unknown"]);
    // What was given does not change afterwards, either.
    let changed = sqlx::query("update consents set channel = 'account'");
    assert!(changed.execute(&mut connection).await.is_err());
}
