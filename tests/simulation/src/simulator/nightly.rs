//! What payments does every night: it compares the provider's list of the last four days with its
//! book, and looks for orders whose creation had no answer.

use futures::FutureExt as _;
use kernel::Id;
use kernel::id::Booking;
use payments::app::fold::Next;
use payments::domain::collection::{Command, State};
use payments::domain::fact::{PaymentId, Source, Status};
use payments::domain::refund::Progress;
use payments::ledger::{Account, Entry, EntryKind};
use payments::provider::{PaymentReport, Provider as _, ProviderError, WantedOrder};

use super::store::Batch;
use super::till::TillTables;
use super::world::{Fail, Service, Task, World};

const DAY_SECONDS: i64 = 24 * 60 * 60;

impl World {
    /// Compares the list; what could not be done is tried again soon.
    pub(crate) fn nightly(&mut self, nights_left: u32) {
        let done = self.answers(Service::Payments).and_then(|()| self.compare_list());
        match done {
            Ok(()) if nights_left > 0 => {
                self.after(DAY_SECONDS * 1000, Task::Nightly(nights_left - 1));
            }
            Ok(()) => {}
            Err(Fail::Broken(why)) => self.broken.push(why),
            Err(_) => self.after(60_000, Task::Nightly(nights_left)),
        }
    }

    fn compare_list(&mut self) -> Result<(), Fail> {
        let ids: Vec<PaymentId> = self.provider.book().payments.keys().cloned().collect();
        for id in ids {
            let Some(report) = self.provider.book().seen(&id) else { continue };
            match self.booking_of_report(&report) {
                Some(booking_id) => {
                    let told = self.look_into(vec![report]);
                    self.fold_told(booking_id, &told, (Source::Poll, Next::Keep))?;
                }
                None => self.take_in_unknown(&report)?,
            }
        }
        self.find_orders()
    }

    fn booking_of_report(&self, report: &PaymentReport) -> Option<Id<Booking>> {
        self.booking_of(&report.payment.id).or_else(|| {
            let order = report.payment.fact.order.as_ref()?;
            let mut rows = self.payments.tables.collections.values();
            let row = rows.find(|row| row.order_id.as_deref() == Some(order.as_str()));
            row.map(|row| row.booking_id)
        })
    }

    /// Captured money of nobody that we know goes to suspense.
    fn take_in_unknown(&mut self, report: &PaymentReport) -> Result<(), Fail> {
        let payment = &report.payment;
        if payment.fact.status < Status::Captured {
            return Ok(());
        }
        let mut entries: Vec<Entry> =
            Entry::captured(&payment.id, &payment.fact.amount, Account::Suspense)
                .into_iter()
                .collect();
        let book = self.provider.book();
        let gone = book.refunds.values().filter(|it| it.payment == payment.id);
        for refund in gone.filter(|it| it.progress == Progress::Processed) {
            let what = (EntryKind::RefundProcessed, format!("refunded {}", refund.id));
            let accounts = (Account::Suspense, Account::ProviderClearing);
            entries.extend(Entry::transfer(what, &payment.id, &refund.amount, accounts));
        }
        drop(book);
        let mut batch = Batch::by("payments");
        batch.change(move |tables: &mut TillTables| tables.post(entries));
        self.commit(batch)
    }

    /// Orders whose creation had no answer, and about which nobody asked again.
    fn find_orders(&mut self) -> Result<(), Fail> {
        let states = self.payments.tables.states.iter();
        let without: Vec<Id<Booking>> = states
            .filter(|(_, state)| matches!(state, State::Open(known) if known.order.is_none()))
            .map(|(id, _)| *id)
            .collect();
        for booking_id in without {
            let mut open = self.open_collection(booking_id);
            let Some(terms) = open.collection().map(|known| known.terms) else { continue };
            let (receipt, amount) = (terms.collection_id, terms.amount);
            let wanted = WantedOrder { receipt, booking_id, amount };
            let asked = self.at_provider(|provider| provider.find_order(wanted).now_or_never());
            let found = asked.unwrap_or(Err(ProviderError::Unusable("no answer")));
            let Some(order) = found.map_err(|_silent| Fail::Unavailable)? else { continue };
            let mut batch = Batch::by("payments");
            self.apply(&mut batch, &mut open, Command::RecordOrder(order))?;
            self.commit(batch)?;
        }
        Ok(())
    }
}
