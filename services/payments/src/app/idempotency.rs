//! The idempotency keys of requests about money. A key stands for one request. The response is
//! computed each time, because it is the payment's current state.

use eventstore::{IdempotencyKey, Metadata, Tx, request_hash};
use kernel::Id;
use kernel::id::{Booking, Customer};
use runtime::failpoint;

use super::App;
use super::request::parse_key;
use crate::error::Error;

/// The step that stores the key of a request whose response isn't stored.
const STEP: &str = "app.idempotency.IdempotencyKey.check_or_store";

/// The key of a request; `asked` is the rest of the request.
///
/// # Errors
/// When it is not 8 to 64 printable characters.
pub fn key_of(
    customer_id: Id<Customer>,
    method: &'static str,
    key: &str,
    asked: &[&str],
) -> Result<IdempotencyKey, Error> {
    let key = parse_key(key)?;
    // A part with its length cannot run into the next one.
    let parts = asked.iter().map(|part| format!("{}:{part}", part.len()));
    let hash = request_hash(parts.collect::<String>().as_bytes());
    Ok(IdempotencyKey { caller: customer_id.to_string(), method, key, hash })
}

/// The key of a request by the holder of a page's key, who is known by the booking alone.
///
/// # Errors
/// When it is not 8 to 64 printable characters.
pub fn key_of_page(booking_id: Id<Booking>, key: &str) -> Result<IdempotencyKey, Error> {
    let key = parse_key(key)?;
    let caller = format!("page {booking_id}");
    let hash = request_hash(caller.as_bytes());
    Ok(IdempotencyKey { caller, method: "StartPagePayment", key, hash })
}

/// Accepts a request whose key is new or was used for the same request; stores a new key.
///
/// # Errors
/// `IdempotencyKeyReused`, or that the database does not answer.
pub async fn check_or_store(
    app: &App,
    key: &IdempotencyKey,
    booking_id: Id<Booking>,
) -> Result<(), Error> {
    let metadata = Metadata::by(key.caller.clone(), None);
    let key = key.clone();
    let work = async {
        let stored = app.store.write(metadata, move |tx| {
            let key = key.clone();
            Box::pin(async move { check_or_store_in(tx, &key, booking_id).await })
        });
        stored.await
    };
    failpoint::named(&STEP, work).await
}

/// The same in a transaction that does the work of the request, before it takes other locks.
///
/// # Errors
/// As [`check_or_store`].
pub async fn check_or_store_in(
    tx: &mut Tx,
    key: &IdempotencyKey,
    booking_id: Id<Booking>,
) -> Result<(), Error> {
    if key.answer(tx).await?.is_none() {
        key.store(tx, booking_id).await?;
    }
    Ok(())
}
