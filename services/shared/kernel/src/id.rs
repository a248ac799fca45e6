//! Typed ids: a UUID inside, a short prefix and 32 hexadecimal digits on the wire.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::str::FromStr;

use uuid::Uuid;

/// A kind of thing that has ids; its prefix distinguishes it from other kinds.
pub trait Kind: Send + Sync + 'static {
    /// What the wire form begins with, without the underscore.
    const PREFIX: &'static str;
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $prefix:literal;)*) => {
        $($(#[$doc])* #[derive(Debug, Clone, Copy)] pub enum $name {}
        impl Kind for $name { const PREFIX: &'static str = $prefix; })*
    };
}

// One alphabetical list, so that two kinds with one prefix are noticed.
kinds! {
    /// A notice of a change to an account, which is mailed.
    AccountNotice = "ntc";
    /// A time that the practice has closed to customers.
    Block = "blk";
    /// A booking of one or more sessions.
    Booking = "bkg";
    /// The address of a practitioner's sessions for other calendars.
    CalendarFeed = "cal";
    /// A client's consent to online sessions.
    Consent = "cns";
    /// A message that a visitor wrote in the contact form.
    ContactMessage = "msg";
    /// A request for the meditation guide.
    GuideRequest = "gde";
    /// A one-time code that is mailed.
    MailedCode = "cod";
    /// The collection of one booking; the provider's `receipt`.
    Collection = "col";
    /// A mail to be sent.
    Mail = "mal";
    /// A key of a booking's page; each mail has its own.
    PageKey = "pgk";
    /// A payment link; the provider's reference of it.
    PaymentLink = "lnk";
    /// The practice as an organisation with members.
    Practice = "prc";
    /// A receipt for a payment.
    Receipt = "rct";
    /// A refund; the provider's idempotency key.
    Refund = "rfn";
    /// A client's request for a refund.
    RefundRequest = "rrq";
    /// A review that a visitor wrote.
    Review = "rvw";
    /// A picture that was uploaded for a review.
    ReviewImage = "img";
    /// An invitation to the practice's staff.
    StaffInvitation = "inv";
    /// The id from which the secret of such an invitation is derived; each of its mails has a new
    /// one.
    StaffInvitationToken = "ivt";
    /// A client's entry in the wait list.
    Waiting = "wai";
    /// A person with an account; the UUID is the access token's `sub`.
    Customer = "usr";
}

/// The id of a `K`. Its text form is the prefix, an underscore and the UUID in 32 lower-case
/// digits.
pub struct Id<K> {
    uuid: Uuid,
    kind: PhantomData<fn() -> K>,
}

/// A text is not the id of the kind that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this is not an id that begins with {prefix}_")]
pub struct InvalidId {
    prefix: &'static str,
}

impl<K: Kind> Id<K> {
    /// Gives a UUID its kind.
    #[must_use]
    pub const fn from_uuid(uuid: Uuid) -> Self {
        Self { uuid, kind: PhantomData }
    }

    /// The UUID inside, as PostgreSQL stores it.
    #[must_use]
    pub const fn uuid(self) -> Uuid {
        self.uuid
    }
}

impl<K> Clone for Id<K> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<K> Copy for Id<K> {}
impl<K> PartialEq for Id<K> {
    fn eq(&self, other: &Self) -> bool {
        self.uuid == other.uuid
    }
}
impl<K> Eq for Id<K> {}
impl<K> PartialOrd for Id<K> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl<K> Ord for Id<K> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.uuid.cmp(&other.uuid)
    }
}
impl<K> Hash for Id<K> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.uuid.hash(state);
    }
}
impl<K: Kind> fmt::Display for Id<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}_{}", K::PREFIX, self.uuid.simple())
    }
}
impl<K: Kind> fmt::Debug for Id<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<K: Kind> FromStr for Id<K> {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<Self, InvalidId> {
        let invalid = InvalidId { prefix: K::PREFIX };
        let digits = text
            .strip_prefix(K::PREFIX)
            .and_then(|rest| rest.strip_prefix('_'))
            .filter(|digits| digits.len() == 32)
            // An id has one text form; the parser of UUIDs would also accept capitals.
            .filter(|digits| digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')))
            .ok_or(invalid)?;
        Uuid::try_parse(digits).map(Self::from_uuid).map_err(|_unparsable| invalid)
    }
}

#[cfg(feature = "postgres")]
mod postgres {
    use super::{Id, Kind};
    use sqlx::encode::IsNull;
    use sqlx::error::BoxDynError;
    use sqlx::postgres::{PgArgumentBuffer, PgHasArrayType, PgTypeInfo, PgValueRef};
    use sqlx::{Decode, Encode, Postgres, Type};
    use uuid::Uuid;

    impl<K> Type<Postgres> for Id<K> {
        fn type_info() -> PgTypeInfo {
            <Uuid as Type<Postgres>>::type_info()
        }
    }
    impl<K> PgHasArrayType for Id<K> {
        fn array_type_info() -> PgTypeInfo {
            <Uuid as PgHasArrayType>::array_type_info()
        }
    }
    impl<K> Encode<'_, Postgres> for Id<K> {
        fn encode_by_ref(&self, buffer: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
            self.uuid.encode_by_ref(buffer)
        }
    }
    impl<K: Kind> Decode<'_, Postgres> for Id<K> {
        fn decode(value: PgValueRef<'_>) -> Result<Self, BoxDynError> {
            <Uuid as Decode<Postgres>>::decode(value).map(Self::from_uuid)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Booking, Customer, Id};
    use uuid::Uuid;

    #[test]
    fn the_text_form_goes_there_and_back() {
        let id: Id<Booking> =
            Id::from_uuid(Uuid::from_u128(0x0193_4000_0000_7000_8000_0000_0000_00ab));
        assert_eq!(id.to_string(), "bkg_019340000000700080000000000000ab");
        assert_eq!(id.to_string().parse(), Ok(id));
    }

    #[test]
    fn another_kind_and_other_spellings_are_refused() {
        let text = "bkg_019340000000700080000000000000ab";
        assert!(text.parse::<Id<Customer>>().is_err());
        for wrong in [
            "",
            "bkg_",
            "bkg_019340000000700080000000000000AB",
            "bkg_0193",
            "019340000000700080000000000000ab",
        ] {
            assert!(wrong.parse::<Id<Booking>>().is_err(), "{wrong}");
        }
    }
}
