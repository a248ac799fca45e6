//! What a mail says of cancelling: the booking's own policy and schedule, as booking tells them.

use contract::booking::v1::{Booking, RefundStep, Session};
use contract::common::v1;
use contract::convert;
use kernel::Timestamp;
use serde_json::{Value, json};

use super::TemplateContext;
use crate::mails::facts::BookingFacts;

impl TemplateContext {
    /// The steps after the whole price that still lie ahead: until when how much of it goes back.
    /// None in a mail about all of a package, whose sessions have different times.
    pub(super) fn later_steps(&self, facts: &BookingFacts, now: Timestamp) -> Vec<Value> {
        let steps = session_of(facts).map(|session| session.refund_steps.as_slice());
        let later = steps.unwrap_or_default().iter().skip(1);
        let line = |step: &RefundStep| {
            let until = step.until_at.as_ref().and_then(convert::timestamp)?;
            let refund = step.refund.as_ref().and_then(convert::money)?;
            (refund.minor > 0 && now <= until).then(|| {
                json!({
                    "refund_text": refund.to_string(),
                    "until_text": self.day_and_time(until),
                    "given_if_we_cancel": given(step.practice_late),
                })
            })
        };
        later.filter_map(line).collect()
    }
}

/// Until how many hours before its start a session can be cancelled for all of its price.
pub(super) fn notice_hours(booking: &Booking) -> i64 {
    let first = booking.cancellation_policy.as_ref().and_then(|policy| policy.tiers.first());
    first.map_or(0, |tier| i64::from(tier.until_hours))
}

/// The tiers after the whole price that give something back.
pub(super) fn later_tiers(booking: &Booking) -> Vec<Value> {
    let tiers = booking.cancellation_policy.iter().flat_map(|policy| policy.tiers.iter().skip(1));
    let later = tiers.filter(|tier| tier.refund_percent > 0);
    let line = |tier: &v1::CancellationTier| {
        json!({
            "hours": tier.until_hours,
            "percent": tier.refund_percent,
            "given_if_we_cancel": given(tier.practice_late),
        })
    };
    later.map(line).collect()
}

/// What the practice gives when it cancels so many seconds before the start; empty for nothing.
pub(super) fn given_at(booking: &Booking, notice_seconds: i64) -> String {
    let mut tiers = booking.cancellation_policy.iter().flat_map(|policy| policy.tiers.iter());
    let tier = tiers.find(|tier| i64::from(tier.until_hours) * 3600 <= notice_seconds);
    given(tier.and_then(|tier| tier.practice_late))
}

/// Whether a refund, in minor units, is a part of what belongs to the mail's session.
pub(super) fn is_part(facts: &BookingFacts, refund: i64) -> bool {
    let session = session_of(facts);
    let share = session.and_then(|it| it.share.as_ref().or(facts.booking.price.as_ref()));
    refund > 0 && share.is_some_and(|share| refund < share.minor_units)
}

fn session_of(facts: &BookingFacts) -> Option<&Session> {
    let index = match facts.session_number {
        Some(number) => number.checked_sub(1)?,
        None if facts.booking.package.is_some() => return None,
        None => 0,
    };
    facts.booking.sessions.get(index)
}

fn given(late: Option<v1::PracticeLate>) -> String {
    convert::practice_late(late).and_then(kernel::PracticeLate::words).unwrap_or_default()
}
