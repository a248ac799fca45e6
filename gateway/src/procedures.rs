//! All calls that a browser may make, as `proto/` declares them. A call that is declared as
//! internal doesn't exist from outside.

use std::collections::HashMap;

use connectrpc::{IdempotencyLevel, Spec, StreamType};
use contract::calls::{Access, CALLS, Call, Limit, SecondFactor};

use crate::schema::Schema;

/// One call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Procedure {
    pub(crate) spec: Spec,
    pub(crate) declared: &'static Call,
}

impl Procedure {
    /// Whether the call may change state; commands are limited per account.
    pub(crate) fn is_command(self) -> bool {
        self.spec.stream_type == StreamType::Unary
            && self.spec.idempotency_level != IdempotencyLevel::NoSideEffects
            && !self.declared.read_by_secret
    }

    /// Whether staff make the call, also to read.
    pub(crate) fn is_of_staff(self) -> bool {
        self.declared.second_factor != SecondFactor::Unspecified
    }

    /// Whether the call's response is a stream.
    pub(crate) fn is_stream(self) -> bool {
        self.spec.stream_type != StreamType::Unary
    }

    /// Whether the call may take or free a slot.
    pub(crate) fn changes_slots(self) -> bool {
        self.is_command()
            && self.spec.procedure.starts_with("/booking.")
            && !self.declared.keeps_slots
    }

    /// Whether only the panel may make it.
    pub(crate) fn is_of_panel(self) -> bool {
        self.declared.access == Access::Panel
    }

    /// The dedicated rate limit. Reviews records each rejected call of the panel, so such calls are
    /// limited: a call without a grant counts like a guessed password.
    pub(crate) fn dedicated_limit(self, has_grant: bool) -> Limit {
        let refused = self.is_of_panel() && self.is_command() && !self.is(LOCK) && !has_grant;
        if refused { Limit::SignIn } else { self.declared.limit }
    }

    /// Whether it is the call of this path.
    pub(crate) fn is(self, path: &str) -> bool {
        self.spec.procedure == path
    }
}

/// Checks a password and creates a grant.
pub(crate) const UNLOCK: &str = "/reviews.v1.ReviewsStaffService/Unlock";
/// Revokes a grant.
pub(crate) const LOCK: &str = "/reviews.v1.ReviewsStaffService/Lock";

/// Unsubscribes from mails.
pub(crate) const UNSUBSCRIBE: &str = "/notifications.v1.NotificationsService/Unsubscribe";

/// The calendar of a secret address, which is served over HTTP.
pub(crate) const GET_SESSION_CALENDAR: &str =
    "/booking.v1.BookingCalendarService/GetSessionCalendar";

/// The calls by their path, "/package.Service/Method".
#[derive(Clone, Debug)]
pub(crate) struct Procedures(HashMap<&'static str, Procedure>);

impl Procedures {
    pub(crate) fn new(schema: &Schema) -> Self {
        let known = CALLS.iter().filter(|call| is_reached(call.access));
        let known = known.filter_map(|declared| {
            Some(Procedure { spec: schema.method(declared.path)?.spec, declared })
        });
        Self(known.map(|procedure| (procedure.spec.procedure, procedure)).collect())
    }

    pub(crate) fn get(&self, path: &str) -> Option<Procedure> {
        self.0.get(path).copied()
    }

    /// All of them.
    pub(crate) fn all(&self) -> impl Iterator<Item = Procedure> {
        self.0.values().copied()
    }
}

/// Whether a call of this access exists from outside.
fn is_reached(access: Access) -> bool {
    match access {
        Access::Public | Access::SignedIn | Access::Panel => true,
        Access::Internal | Access::Unspecified => false,
    }
}

#[cfg(test)]
mod tests;
