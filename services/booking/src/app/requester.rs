//! Who asks for a booking: a client with an account, or staff for a contact on the phone.

use eventstore::new_id;
use kernel::Id;
use kernel::id::Customer;

use super::free_session::{Client, FreeRequest};
use super::hold_origin::HoldOrigin;
use super::pending_request::PhoneTerms;
use crate::clients::catalogue::Offering;
use crate::domain::consent::proof::Proof;
use crate::error::{Error, Rejection, refuse};

/// The name of the staff's method in the audit log.
pub const PHONE_METHOD: &str = "RequestPhoneBooking";

/// Who asks for a booking.
pub(super) enum Requester {
    /// A client, for the own account.
    Client(Box<Client>),
    /// Staff, for a contact on the phone.
    Staff(PhoneTerms),
}

impl Requester {
    /// The customer who will own the booking: the client, or the contact, which gets an id.
    pub(super) fn customer_id(&self) -> Id<Customer> {
        match self {
            Self::Client(client) => client.customer_id,
            Self::Staff(_) => new_id(),
        }
    }

    /// The terms of what costs nothing; `None` for what is to be paid.
    pub(super) fn free(&self, offering: &Offering) -> Result<Option<FreeRequest>, Error> {
        match self {
            Self::Client(client) => FreeRequest::of(client, offering),
            Self::Staff(_) if offering.free.is_some() => Err(refuse(Rejection::NothingToPay)),
            Self::Staff(_) => Ok(None),
        }
    }

    /// Where the request comes from. Staff have no limit.
    pub(super) fn origin(&self) -> HoldOrigin {
        match self {
            Self::Client(client) => client.origin.clone(),
            Self::Staff(_) => HoldOrigin::default(),
        }
    }

    /// By which way a consent comes with the request. Staff bring none.
    pub(super) fn proof(&self) -> Proof {
        match self {
            Self::Client(client) => client.proof.clone(),
            Self::Staff(_) => Proof::default(),
        }
    }

    /// The terms of a booking by phone.
    pub(super) fn phone(&self) -> Option<PhoneTerms> {
        match self {
            Self::Client(_) => None,
            Self::Staff(terms) => Some(*terms),
        }
    }
}
