//! Conversions between money, time and policies of the wire and of the kernel.

use kernel::{
    CancellationPolicy, CancellationTier, Currency, Grace, Money, MoveLimits, PracticeLate,
    Timestamp,
};

use crate::common::v1 as wire;

impl From<Money> for wire::Money {
    fn from(money: Money) -> Self {
        Self { minor_units: money.minor, currency_code: money.currency.code().to_owned() }
    }
}

/// The kernel's form of an amount; `None` when the currency is not one that we are paid in.
#[must_use]
pub fn money(wire: &wire::Money) -> Option<Money> {
    let currency = Currency::from_code(&wire.currency_code)?;
    Some(Money { minor: wire.minor_units, currency })
}

/// The wire's form of an instant.
#[must_use]
pub fn to_wire(instant: Timestamp) -> prost_types::Timestamp {
    let jiff = instant.jiff();
    prost_types::Timestamp { seconds: jiff.as_second(), nanos: jiff.subsec_nanosecond() }
}

/// The kernel's form of an instant; `None` when it is out of range.
#[must_use]
pub fn timestamp(wire: &prost_types::Timestamp) -> Option<Timestamp> {
    let micros = wire.seconds.checked_mul(1_000_000)?.checked_add(i64::from(wire.nanos) / 1000)?;
    Timestamp::from_micros(micros)
}

impl From<&CancellationPolicy> for wire::CancellationPolicy {
    fn from(policy: &CancellationPolicy) -> Self {
        let tiers = policy.tiers().iter().map(|tier| wire::CancellationTier {
            until_hours: i32::from(tier.until_hours),
            refund_percent: i32::from(tier.refund_percent),
            practice_late: practice_late_to_wire(tier.practice_late),
        });
        let MoveLimits { until_hours, times } = policy.moves();
        let moves = wire::MoveLimits { until_hours: until_hours.into(), times: times.into() };
        Self {
            version: policy.version().to_owned(),
            tiers: tiers.collect(),
            moves: Some(moves),
            grace: policy.grace().map(grace_to_wire),
        }
    }
}

fn grace_to_wire(grace: Grace) -> wire::Grace {
    wire::Grace {
        times: grace.times.into(),
        months: grace.months.into(),
        refund_percent: grace.refund_percent.into(),
    }
}

/// The wire's form of what the practice gives; unset for nothing.
#[must_use]
pub fn practice_late_to_wire(late: PracticeLate) -> Option<wire::PracticeLate> {
    let (share_percent, free_session) = match late {
        PracticeLate::Nothing => return None,
        PracticeLate::Share(percent) => (i32::from(percent), false),
        PracticeLate::FreeSession => (0, true),
    };
    Some(wire::PracticeLate { share_percent, free_session })
}

/// The kernel's form of what the practice gives; `None` when it is none.
#[must_use]
pub fn practice_late(wire: Option<wire::PracticeLate>) -> Option<PracticeLate> {
    Some(match wire {
        None => PracticeLate::Nothing,
        Some(wire::PracticeLate { free_session: true, .. }) => PracticeLate::FreeSession,
        Some(late) => PracticeLate::Share(u8::try_from(late.share_percent).ok()?),
    })
}

fn grace_of(wire: &wire::Grace) -> Option<Grace> {
    let grace = Grace {
        times: u8::try_from(wire.times).ok()?,
        months: u8::try_from(wire.months).ok()?,
        refund_percent: u8::try_from(wire.refund_percent).ok()?,
    };
    Some(grace).filter(Grace::is_valid)
}

/// The kernel's form of a policy; `None` when it is none.
#[must_use]
pub fn cancellation_policy(wire: &wire::CancellationPolicy) -> Option<CancellationPolicy> {
    let tier = |tier: &wire::CancellationTier| {
        Some(CancellationTier {
            until_hours: u16::try_from(tier.until_hours).ok()?,
            refund_percent: u8::try_from(tier.refund_percent).ok()?,
            practice_late: practice_late(tier.practice_late)?,
        })
    };
    let tiers = wire.tiers.iter().map(tier).collect::<Option<Vec<_>>>()?;
    let grace = match &wire.grace {
        None => None,
        Some(grace) => Some(grace_of(grace)?),
    };
    let policy = CancellationPolicy::new(wire.version.clone(), tiers)?.forgiving(grace);
    let Some(limits) = wire.moves else { return Some(policy) };
    Some(policy.moving(MoveLimits {
        until_hours: u16::try_from(limits.until_hours).ok()?,
        times: u16::try_from(limits.times).ok()?,
    }))
}
