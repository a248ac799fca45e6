//! What payments does every night: it compares the provider's list of the last four days with its
//! book, and looks for orders whose creation had no answer.

use futures::FutureExt as _;
use kernel::id::Booking;
use kernel::{Id, Timestamp};
use payments::app::fold::PollDirective;
use payments::domain::collection::{Command, State};
use payments::domain::fact::{Source, Status};
use payments::domain::ledger::{Account, Entry, EntryKind};
use payments::domain::refund::Progress;
use payments::providers::{OrderRequest, PaymentReport, Provider as _, ProviderError};

use super::payments_model::PaymentsTables;
use super::provider::PROVIDER;
use super::service::{Error, Service};
use super::store::Batch;
use super::world::{Task, World};

const DAY_SECONDS: i64 = 24 * 60 * 60;
/// How far back payments are listed, as in `payments::app::list_payments`.
const LISTED_SECONDS: i64 = 4 * DAY_SECONDS;
/// How far back disputes are listed, as in `payments::app::list_disputes`.
const DISPUTED_SECONDS: i64 = 180 * DAY_SECONDS;

impl World {
    /// Compares a page of the list, and after the last one looks for orders; what could not be done
    /// is tried again soon.
    pub(crate) fn nightly(&mut self, nights_left: u32, skip: usize) {
        let done = self.answers(Service::Payments).and_then(|()| self.compare_page(skip));
        match done {
            Ok(Some(skip)) => self.after(1_000, Task::Nightly { nights_left, skip }),
            Ok(None) if nights_left > 0 => {
                let next = Task::Nightly { nights_left: nights_left - 1, skip: 0 };
                self.after(DAY_SECONDS * 1000, next);
            }
            Ok(None) => {}
            Err(Error::Broken(why)) => self.broken.push(why),
            Err(_) => self.after(60_000, Task::Nightly { nights_left, skip }),
        }
    }

    /// Says where the next page begins.
    fn compare_page(&mut self, skip: usize) -> Result<Option<usize>, Error> {
        let from = self.now.plus_seconds(-LISTED_SECONDS);
        let to = self.now.plus_seconds(DAY_SECONDS);
        let asked = self
            .at_provider(|provider| provider.payments_between(from, to, skip).now_or_never())
            .unwrap_or(Err(ProviderError::InvalidAnswer("no answer")));
        let page = asked.map_err(|_silent| Error::Unavailable)?;
        for report in page.items {
            match self.booking_of_report(&report)? {
                Some(booking_id) => {
                    let told = self.fetch_missing_refunds(vec![report]);
                    self.apply_reports(booking_id, &told, (Source::Poll, PollDirective::Keep))?;
                }
                None => self.record_unknown(&report)?,
            }
        }
        if page.next.is_none() {
            self.list_disputes(to)?;
            self.query_unknown()?;
            self.find_orders()?;
        }
        Ok(page.next)
    }

    /// Every dispute of the last months is taken in again.
    fn list_disputes(&mut self, to: Timestamp) -> Result<(), Error> {
        let from = self.now.plus_seconds(-DISPUTED_SECONDS);
        let mut skip = Some(0);
        while let Some(begin) = skip {
            let asked = self
                .at_provider(|provider| provider.disputes_between(from, to, begin).now_or_never())
                .unwrap_or(Err(ProviderError::InvalidAnswer("no answer")));
            let page = asked.map_err(|_silent| Error::Unavailable)?;
            for dispute in page.items {
                let mut batch = Batch::by("payments");
                if let Some(booking_id) = self.booking_of(&dispute.payment) {
                    let mut locked = self.lock_collection(booking_id);
                    self.apply(&mut batch, &mut locked, Command::ObserveDispute(dispute))?;
                } else {
                    batch.change(move |tables: &mut PaymentsTables| {
                        tables.note_unowned_dispute(dispute);
                    });
                }
                self.commit(batch)?;
            }
            skip = page.next;
        }
        Ok(())
    }

    fn booking_of_report(&mut self, report: &PaymentReport) -> Result<Option<Id<Booking>>, Error> {
        let payment = &report.payment;
        if let Some(booking_id) = self.booking_of(&payment.id) {
            return Ok(Some(booking_id));
        }
        let Some(order) = &payment.fact.order else { return Ok(None) };
        match self.booking_of_order(order) {
            Some(booking_id) => Ok(Some(booking_id)),
            // As the service does: only money is worth a question.
            None if payment.fact.status < Status::Captured => Ok(None),
            None => self.adopt_link_order(order),
        }
    }

    /// Captured money without a known booking goes to suspense.
    fn record_unknown(&mut self, report: &PaymentReport) -> Result<(), Error> {
        let payment = &report.payment;
        if payment.fact.status < Status::Captured {
            return Ok(());
        }
        let mut entries: Vec<Entry> = Entry::captured(
            &payment.id,
            &payment.fact.amount,
            (Account::ProviderClearing, Account::Suspense),
        )
        .into_iter()
        .collect();
        let gone = if report.refunded_minor > 0 {
            let asked = self
                .at_provider(|provider| provider.refunds_of(&payment.id).now_or_never())
                .unwrap_or(Err(ProviderError::InvalidAnswer("no answer")));
            asked.map_err(|_silent| Error::Unavailable)?
        } else {
            Vec::new()
        };
        for refund in gone.iter().filter(|it| it.progress == Progress::Processed) {
            let what = (EntryKind::RefundProcessed, format!("refunded {}", refund.id));
            let accounts = (Account::Suspense, Account::ProviderClearing);
            entries.extend(Entry::transfer(what, &payment.id, &refund.amount, accounts));
        }
        let mut batch = Batch::by("payments");
        let id = payment.id.clone();
        batch.change(move |tables: &mut PaymentsTables| {
            tables.post(entries);
            tables.note_unknown(id);
        });
        self.commit(batch)
    }

    /// Unexplained money is polled until all of it has been refunded, also when it is
    /// not listed any more.
    fn query_unknown(&mut self) -> Result<(), Error> {
        for id in self.payments.tables.unknown.clone() {
            let asked = self
                .at_provider(|provider| provider.payment(&id).now_or_never())
                .unwrap_or(Err(ProviderError::InvalidAnswer("no answer")));
            let report = asked.map_err(|_silent| Error::Unavailable)?;
            self.record_unknown(&report)?;
        }
        Ok(())
    }

    /// Orders whose creation had no answer and wasn't retried.
    fn find_orders(&mut self) -> Result<(), Error> {
        let states = self.payments.tables.states.iter();
        let without: Vec<Id<Booking>> = states
            .filter(|(_, state)| matches!(state, State::Open(known) if known.order.is_none()))
            .map(|(id, _)| *id)
            .filter(|id| self.payments.tables.leases.contains_key(id))
            .collect();
        for booking_id in without {
            let mut open = self.lock_collection(booking_id);
            let Some(terms) = open.collection().map(|known| known.terms) else { continue };
            let (receipt, amount) = (terms.collection_id, terms.amount);
            let wanted = OrderRequest { receipt, booking_id, amount };
            let asked = self.at_provider(|provider| provider.find_order(wanted).now_or_never());
            let found = asked.unwrap_or(Err(ProviderError::InvalidAnswer("no answer")));
            let Some(order) = found.map_err(|_silent| Error::Unavailable)? else { continue };
            let mut batch = Batch::by("payments");
            self.apply(
                &mut batch,
                &mut open,
                Command::RecordOrder { provider: PROVIDER.to_owned(), order },
            )?;
            self.commit(batch)?;
        }
        Ok(())
    }
}
