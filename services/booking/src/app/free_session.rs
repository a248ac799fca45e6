//! A session that costs nothing: it is given to a proved address, and to each once or again after
//! some time. Addresses that differ in their tag are one mailbox, and one address here.

use std::borrow::Cow;

use eventstore::{StoreError, Tx, request_hash};
use kernel::id::{Booking, Customer};
use kernel::{Id, Timestamp, hex};

use super::hold_origin::HoldOrigin;
use crate::clients::catalogue::{FreeTerms, Offering};
use crate::domain::consent::proof::{Channel, Proof};
use crate::error::{Error, Rejection, refuse};
use crate::read_model::free_sessions;

/// The client that asks for a booking.
#[derive(Clone)]
pub struct Client {
    /// The customer.
    pub customer_id: Id<Customer>,
    /// The address of the account, in lower case, if it is proved. Personal data.
    pub proved_email: Option<String>,
    /// Where the request comes from.
    pub origin: HoldOrigin,
    /// The address of the account, proved or not. Personal data.
    pub email: String,
    /// By which way a consent comes with the request.
    pub proof: Proof,
}

/// A client whose address is not proved.
impl From<Id<Customer>> for Client {
    fn from(customer_id: Id<Customer>) -> Self {
        Self {
            customer_id,
            proved_email: None,
            origin: HoldOrigin::default(),
            email: String::new(),
            proof: Proof { channel: Channel::Account, ..Proof::default() },
        }
    }
}

/// A request for a free session: its address and its terms.
#[derive(Clone)]
pub(super) struct FreeRequest {
    email: String,
    terms: FreeTerms,
}

impl FreeRequest {
    /// `None` for what is to be paid.
    ///
    /// # Errors
    /// `AddressNotProved`.
    pub(super) fn of(client: &Client, offering: &Offering) -> Result<Option<Self>, Error> {
        let Some(terms) = offering.free else { return Ok(None) };
        let email = client.proved_email.clone().ok_or(refuse(Rejection::AddressNotProved))?;
        Ok(Some(Self { email: without_tag(&email).into_owned(), terms }))
    }

    /// The address without its tag. Personal data.
    pub(super) fn email(&self) -> &str {
        &self.email
    }

    /// The name of the lock under which an address gets it; it does not show the address.
    pub(super) fn lock_name(&self) -> String {
        format!("free session {}", hex::encode(request_hash(self.email.as_bytes())))
    }

    /// Whether the address has one already. Exact under its lock.
    pub(super) async fn was_given(&self, tx: &mut Tx, now: Timestamp) -> Result<bool, StoreError> {
        let days = self.terms.repeat_after_days.map(i64::from);
        let since = days.map(|days| now.plus_minutes(-days * 24 * 60));
        free_sessions::was_given(tx, &self.email, since).await
    }

    /// Stores that the address has one now.
    pub(super) async fn store(
        &self,
        tx: &mut Tx,
        id: Id<Booking>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        free_sessions::insert(tx, id, &self.email, now).await
    }
}

/// The address without its tag, from the first `+` to the @. Unchanged if the name would be empty.
fn without_tag(address: &str) -> Cow<'_, str> {
    let split = address.rsplit_once('@');
    let tagged = split.and_then(|(local, host)| Some((local.split_once('+')?.0, host)));
    match tagged {
        Some((name, host)) if !name.is_empty() => format!("{name}@{host}").into(),
        _ => address.into(),
    }
}
