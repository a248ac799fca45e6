//! Writes consents and the texts that they are to.

use eventstore::{StoreError, Tx, new_id};
use kernel::id::{Booking, Consent as ConsentKind, Customer};
use kernel::{Id, Timestamp};
use practice::consent::ConsentTerms;
use sqlx::{Postgres, QueryBuilder};

use crate::domain::consent::Consent;
use crate::domain::consent::proof::Proof;

/// A consent that comes with a booking.
#[derive(Debug, Clone, Copy)]
pub struct NewConsent<'c> {
    /// The customer that gives it.
    pub customer_id: Id<Customer>,
    /// The booking.
    pub booking_id: Id<Booking>,
    /// What was typed; to the terms that are written with it.
    pub consent: &'c Consent,
    /// By which way it is given.
    pub proof: &'c Proof,
}

/// Stores consents and, once per version, the text of the terms. While a consent of a customer to
/// these terms is in force, another one adds nothing; the transaction holds the customers' locks.
pub async fn insert(
    tx: &mut Tx,
    terms: &ConsentTerms,
    given: &[NewConsent<'_>],
    now: Timestamp,
) -> Result<(), StoreError> {
    if given.is_empty() {
        return Ok(());
    }
    let mut sql = QueryBuilder::<Postgres>::new(
        "with shown as (
             insert into consent_texts (version, content, first_given_at) values (",
    );
    sql.push_bind(&terms.version).push(", ").push_bind(terms.text()).push(", ").push_bind(now);
    sql.push(
        ") on conflict do nothing)
         insert into consents (consent_id, customer_id, booking_id, version, full_name, email,
                               signature, given_at, channel, session_id, page_key, network,
                               user_agent, code_mailed_to, code_confirmed_at) ",
    );
    sql.push_values(given, |mut row, NewConsent { customer_id, booking_id, consent, proof }| {
        row.push_bind(new_id::<ConsentKind>()).push_bind(customer_id).push_bind(booking_id);
        row.push_bind(consent.version()).push_bind(consent.full_name());
        row.push_bind(consent.email()).push_bind(consent.signature()).push_bind(now);
        row.push_bind(proof.channel.word()).push_bind(proof.session_id);
        row.push_bind(&proof.page_key).push_bind(&proof.network).push_bind(&proof.user_agent);
        row.push_bind(&proof.code_mailed_to).push_bind(proof.code_confirmed_at);
    });
    sql.push(" on conflict do nothing");
    sql.build().execute(tx.connection()).await?;
    Ok(())
}

/// Withdraws every consent of a customer that is in force.
pub async fn withdraw(
    tx: &mut Tx,
    customer_id: Id<Customer>,
    now: Timestamp,
) -> Result<(), StoreError> {
    sqlx::query(
        "update consents set withdrawn_at = $2 where customer_id = $1 and withdrawn_at is null",
    )
    .bind(customer_id)
    .bind(now)
    .execute(tx.connection())
    .await?;
    Ok(())
}
