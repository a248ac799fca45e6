//! What a request says of money that changed hands at the desk.

use contract::common::v1::{DeskWay, Money};
use eventstore::{Act, IdempotencyKey};
use staff::Staff;

use crate::app::desk_money::{self, DeskMoney};
use crate::app::idempotency::key_of;
use crate::domain::desk::Way;
use crate::domain::fact::Amount;
use crate::error::Error;

/// Reads amount, way and reference, and the key of the request.
///
/// # Errors
/// `InvalidDeskWay`, `InvalidReference` or `InvalidIdempotencyKey`.
pub(super) fn read(
    act: Act<'_>,
    staff: Staff,
    money: Option<&Money>,
    (way, reference): (i32, &str),
    key: &str,
) -> Result<(DeskMoney, IdempotencyKey), Error> {
    let way = match DeskWay::try_from(way) {
        Ok(DeskWay::Cash) => Some(Way::Cash),
        Ok(DeskWay::Upi) => Some(Way::Upi),
        Ok(DeskWay::Unspecified) | Err(_) => None,
    };
    let handover = desk_money::handover(way, reference)?;
    let money = money.cloned().unwrap_or_default();
    let amount = Amount { minor: money.minor_units, currency: money.currency_code };
    let (sum, word) = (format!("{} {}", amount.minor, amount.currency), handover.way.word());
    let asked = [act.subject, &sum, word, &handover.reference];
    let key = key_of(staff.id, act.action, key, &asked)?;
    Ok((DeskMoney { amount, handover }, key))
}
