//! Reads stored messages and the ids in them.

use eventstore::{Recorded, Unreadable};
use kernel::Id;
use kernel::id::Kind;

/// The stored event as a message of this kind; none if it is of another kind.
pub(super) fn get<M>(stored: &Recorded) -> Result<Option<M>, Unreadable>
where
    M: prost::Message + prost::Name + Default,
{
    stored.get::<M>().map_err(|_malformed| Unreadable::of(stored))
}

/// An id of a message; none if it is empty or malformed.
pub(super) fn parse<K: Kind>(text: &str) -> Option<Id<K>> {
    text.parse().ok()
}
