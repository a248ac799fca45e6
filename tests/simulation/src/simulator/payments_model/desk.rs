//! Money at the practice's desk: a booking is paid there, and what is owed of it is given back.

use kernel::Id;
use kernel::id::Booking;
use payments::domain::collection::{Collection, Command, Effect, Event, Terms};
use payments::domain::desk::{Handover, Way, payment_id};
use payments::domain::fact::Amount;
use payments::domain::ledger::{Account, Entry};

use super::super::service::{Error, Service};
use super::super::store::Batch;
use super::super::world::World;
use super::locked::LockedCollection;

impl World {
    /// `RecordDeskPayment`: the price is paid at the desk while the time is held. The key is the
    /// booking's, so that a repeat is the same payment.
    pub(crate) fn pay_at_desk(&mut self, booking_id: Id<Booking>, way: Way) -> Result<(), Error> {
        self.answers(Service::Payments)?;
        let facts = self.facts_of(booking_id)?;
        let Some(facts) = facts else { return Err(Error::Refused("BookingNotFound".to_owned())) };
        let mut locked = self.lock_collection(booking_id);
        let payment = payment_id(way, booking_id.uuid());
        let payment = payment.ok_or_else(|| Error::broken("no id of a payment"))?;
        if locked.collection().is_some_and(|known| known.is_at_desk(&payment)) {
            return Ok(());
        }
        if locked.collection().is_some_and(|known| known.verified.is_some()) {
            return Err(Error::Refused("AlreadyPaid".to_owned()));
        }
        if facts.held_until.is_none_or(|until| until <= self.now) {
            return Err(Error::Refused("HoldEnded".to_owned()));
        }
        let terms = Terms {
            collection_id: self.new_id(),
            booking_id,
            customer_id: facts.customer_id,
            amount: facts.price,
        };
        let mut batch = Batch::by("usr");
        self.apply(&mut batch, &mut locked, Command::Open(terms))?;
        let (amount, handover) = (Amount::from(facts.price), handover(way));
        let command = Command::PayAtDesk { payment, amount, handover };
        self.apply(&mut batch, &mut locked, command)?;
        self.commit(batch)
    }

    /// `RecordDeskRefund`: all that is owed at the desk is given back. Says whether anything was.
    pub(crate) fn give_back_at_desk(
        &mut self,
        booking_id: Id<Booking>,
        way: Way,
    ) -> Result<bool, Error> {
        self.answers(Service::Payments)?;
        let mut locked = self.lock_collection(booking_id);
        let owed = locked.collection().into_iter().flat_map(Collection::owed_at_desk);
        let owed: Vec<Amount> = owed.map(|(_, refund)| refund.amount.clone()).collect();
        let Some(first) = owed.first() else { return Ok(false) };
        let minor = owed.iter().fold(0_i64, |sum, amount| sum.saturating_add(amount.minor));
        let amount = Amount { minor, currency: first.currency.clone() };
        let command = Command::GiveBackAtDesk { amount, handover: handover(way) };
        let mut batch = Batch::by("usr");
        self.apply(&mut batch, &mut locked, command)?;
        self.commit(batch).map(|()| true)
    }
}

impl LockedCollection {
    /// No other way of paying is begun after that.
    pub(super) fn refuse_if_paid_at_desk(&self) -> Result<(), Error> {
        match self.collection() {
            Some(known) if known.is_paid_at_desk() => Err(Error::Refused("AlreadyPaid".to_owned())),
            Some(_) | None => Ok(()),
        }
    }

    /// The request that the provider would get if a refund were not a person's to give back.
    pub(super) fn asks_for_desk(&self, event: &Event) -> Option<Effect> {
        let Event::RefundRequested { refund_id, refund } = event else { return None };
        let is_at_desk = self.collection()?.is_at_desk(&refund.payment);
        is_at_desk.then_some(Effect::RequestRefund(*refund_id))
    }
}

fn handover(way: Way) -> Handover {
    Handover { way, reference: String::new() }
}

/// Entries as they would be if the desk's money were thought to be at the provider.
pub(super) fn at_provider(mut entries: Vec<Entry>) -> Vec<Entry> {
    for line in entries.iter_mut().flat_map(|entry| &mut entry.lines) {
        if matches!(line.account, Account::DeskCash | Account::DeskUpi) {
            line.account = Account::ProviderClearing;
        }
    }
    entries
}
