//! Where money stands that changed hands at the practice's desk.

use super::{Account, Books, Entry};
use crate::domain::collection::Event;
use crate::domain::desk::Way;

impl Account {
    /// The account of money that is paid or given back in this way.
    #[must_use]
    pub fn at_desk(way: Way) -> Self {
        match way {
            Way::Cash => Self::DeskCash,
            Way::Upi => Self::DeskUpi,
        }
    }
}

impl Books {
    /// Notes at which account money changed hands. That it counts, or is done, follows in the same
    /// append and posts it.
    pub(super) fn note_desk(&mut self, event: &Event) -> Vec<Entry> {
        if let Event::PaidAtDesk { payment, handover, .. } = event {
            self.held(payment).came_to = Account::at_desk(handover.way);
        }
        if let Event::GivenBackAtDesk { refund_id, handover, .. } = event
            && let Some(back) = self.refunds.get_mut(refund_id)
        {
            back.paid_from = Account::at_desk(handover.way);
        }
        Vec::new()
    }
}
