//! The words by which staff name the values of the contract's enums: `BOOKING_STATE_NO_SHOW` is
//! `no-show`.
use contract::booking::v1::{
    Attendance, BookingState, CancelledBy, InvitationState, MovedBy, SessionMode, StaffRole,
};
use contract::common::v1::DeskWay;
use contract::notifications::v1::DeliveryState;
use contract::payments::v1::RefundRequestState;

/// An enum of the contract.
pub(crate) trait WireEnum: Copy + TryFrom<i32> {
    /// How the names of its values begin.
    const PREFIX: &'static str;

    /// The name of a value, as calls have it.
    fn name(self) -> &'static str;
}

macro_rules! wire_enums {
    ($($name:ident = $prefix:literal;)*) => {$(
        impl WireEnum for $name {
            const PREFIX: &'static str = $prefix;

            fn name(self) -> &'static str {
                self.as_str_name()
            }
        }
    )*};
}

wire_enums! {
    Attendance = "ATTENDANCE_";
    BookingState = "BOOKING_STATE_";
    CancelledBy = "CANCELLED_BY_";
    DeliveryState = "DELIVERY_STATE_";
    DeskWay = "DESK_WAY_";
    InvitationState = "INVITATION_STATE_";
    MovedBy = "MOVED_BY_";
    RefundRequestState = "REFUND_REQUEST_STATE_";
    SessionMode = "SESSION_MODE_";
    StaffRole = "STAFF_ROLE_";
}

/// The word of a value.
pub(crate) fn word<E: WireEnum>(value: E) -> String {
    word_of::<E>(value.name())
}

/// The word of a name of this enum, which may be of a later release; another text stays as it is.
pub(crate) fn word_of<E: WireEnum>(name: &str) -> String {
    let known = name.strip_prefix(E::PREFIX).map(|rest| rest.to_lowercase().replace('_', "-"));
    known.unwrap_or_else(|| name.to_owned())
}

/// Reads a word of this enum.
pub(crate) fn read<E: WireEnum>(said: &str) -> Result<E, String> {
    let said = said.to_lowercase().replace('_', "-");
    // The value 0 is never said: it is the missing one.
    let all = || (1..).map_while(|number| E::try_from(number).ok());
    all().find(|value| word(*value) == said).ok_or_else(|| {
        let words: Vec<String> = all().map(word).collect();
        format!("it must be one of {}", words.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_said_by_the_words_of_the_contract() {
        assert_eq!(read("no-show"), Ok(BookingState::NoShow));
        assert_eq!(read("Awaiting-Payment"), Ok(BookingState::AwaitingPayment));
        assert_eq!(
            (read("front_desk"), read("cash")),
            (Ok(StaffRole::FrontDesk), Ok(DeskWay::Cash))
        );
        assert_eq!(word(BookingState::PaidUnplaced), "paid-unplaced");
        assert_eq!(word_of::<BookingState>("BOOKING_STATE_DREAMT"), "dreamt");
        let told = read::<Attendance>("perhaps").unwrap_err();
        assert_eq!(told, "it must be one of came, late, no-show, unmarked");
        assert!(read::<BookingState>("unspecified").is_err());
    }
}
