//! The switches on the provider's dashboard. Two change the amount for payers: the convenience fee
//! is added to an order's amount, and an offer is deducted from it. The provider accepts such a
//! payment as full payment of its order. One switch turns webhooks off, and one takes fees from
//! prepaid credits and not from payments. A restart resets them.

use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Switches {
    /// The fee in percent of an order's amount.
    #[serde(default)]
    convenience_fee_percent: u8,
    /// The discount in percent of an order's amount.
    #[serde(default)]
    offer_percent: u8,
    /// Whether the webhooks' address is switched off: by a person, or by the provider after a day
    /// of failures. Events of that time are never sent later.
    #[serde(default)]
    webhooks_off: bool,
    /// Whether fees are taken from prepaid credits, so that payments are paid out in full.
    #[serde(default)]
    fee_credits: bool,
    /// Whether the scheduling provider takes times that are over, for tests whose clock is not the
    /// machine's.
    #[serde(default)]
    past_starts: bool,
}

impl Switches {
    /// Whether no webhooks are sent.
    pub(crate) fn are_webhooks_off(self) -> bool {
        self.webhooks_off
    }

    /// Whether no fee is deducted from payments.
    pub(crate) fn takes_fees_from_credits(self) -> bool {
        self.fee_credits
    }

    /// Whether the scheduling provider takes times that are over.
    pub(crate) fn takes_past_starts(self) -> bool {
        self.past_starts
    }

    /// Whether the percentages are allowed: at most 50 each.
    pub(crate) fn is_within_limits(self) -> bool {
        self.convenience_fee_percent <= 50 && self.offer_percent <= 50
    }

    /// The amount for the payer of an order, and the fee that it includes.
    pub(crate) fn payable(self, amount: i64) -> (i64, i64) {
        let part = |percent: u8| (amount * i64::from(percent) + 50) / 100;
        let fee = part(self.convenience_fee_percent);
        (amount - part(self.offer_percent) + fee, fee)
    }
}

#[derive(Default)]
pub(crate) struct AccountSwitches {
    switches: Mutex<Switches>,
}

impl AccountSwitches {
    pub(crate) fn current(&self) -> Switches {
        *self.switches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Replaces all switches.
    pub(crate) fn set(&self, switches: Switches) {
        *self.switches.lock().unwrap_or_else(PoisonError::into_inner) = switches;
    }

    /// Switches webhooks off until a person switches them on.
    pub(crate) fn switch_webhooks_off(&self) {
        self.switches.lock().unwrap_or_else(PoisonError::into_inner).webhooks_off = true;
    }
}
