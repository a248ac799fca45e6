//! Fills a run by chance. A run has several customers, few times, and many plans.

use booking::domain::booking::Mode;
use booking::domain::span::Span;
use kernel::id::Customer;
use kernel::{Id, Timestamp};
use practice::LEAD_ID;

use super::super::coverage::Fault;
use super::super::mutant::Mutant;
use super::super::offerings::{
    CONSULTATION, ClosedTime, OFFERINGS, PACKAGE_SESSIONS, SECOND, SlotRequest, practitioners,
};
use super::super::scenario::{Saga, Step, plan, start_of_run};
use super::super::world::{Task, World};

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;

impl World {
    /// Fills a run: customers who contend for few times, and staff who close some.
    pub(crate) fn plan_scenario(&mut self, sagas: usize) {
        self.scenario.practitioners = practitioners(self.rng.chance(500));
        self.scenario.accepts_claims = self.rng.chance(250);
        if self.fault(Fault::WebhooksOff, 150) {
            self.webhook_loss = 950;
        }
        // Few refunds wait for a dispute's end, and of few of these staff hear in time; few are
        // asked for after one was lost.
        let looks_often = self.has(Mutant::HoldReleased);
        let is_disputed_often = looks_often || self.has(Mutant::LossEndsAllRefunds);
        self.provider.book().is_disputed_often = is_disputed_often;
        let customers = self.rng.between(2, 5);
        let people: Vec<Id<Customer>> = (0..customers).map(|_| self.new_id()).collect();
        let mut arrives = 0_i64;
        let mut before: Option<SlotRequest> = None;
        for number in 0..sagas {
            let is_rival = self.rng.chance(350);
            let rivals = before.clone().filter(|_| is_rival);
            let slot_request = self.slot_request(number, &people, rivals.as_ref());
            let Some(slot_request) = slot_request else { continue };
            if rivals.is_none() {
                arrives += self.rng.between(0, 100 * MINUTE);
            }
            before = Some(slot_request.clone());
            let mut plan = plan(&mut self.rng, slot_request.is_package());
            if looks_often {
                plan.lets_go_after.extend((1..=16).map(|times| times * 6 * HOUR));
            }
            self.scenario.sagas.push(Saga {
                slot_request,
                plan,
                booking: None,
                places: Vec::new(),
                starts: 0,
            });
            let millis = arrives * 1000 + self.rng.between(0, 900);
            let saga = self.scenario.sagas.len() - 1;
            self.after(millis, Task::Customer { saga, step: Step::Request { tries: 0 } });
        }
        for _ in 0..self.rng.below(3) {
            self.plan_block();
        }
        if self.rng.chance(300) {
            let seconds = self.rng.between(60, 20 * HOUR);
            self.after(seconds * 1000, Task::PaidElsewhere);
        }
    }

    /// A request for one of few times; rivals want an earlier customer's time, or one that overlaps
    /// it.
    fn slot_request(
        &mut self,
        number: usize,
        people: &[Id<Customer>],
        rival: Option<&SlotRequest>,
    ) -> Option<SlotRequest> {
        let at = usize::try_from(self.rng.below(people.len().try_into().unwrap_or(1))).ok()?;
        let customer_id = *people.get(at)?;
        let [short, long] = OFFERINGS;
        let priced = if self.rng.chance(500) { short } else { long };
        let offering = if self.rng.chance(120) { CONSULTATION } else { priced };
        let starts_at = match rival {
            Some(rival) => rival.starts.first()?.plus_minutes(60 * self.rng.between(0, 1)),
            None => self.some_start(),
        };
        let is_package = offering != CONSULTATION && self.rng.chance(250);
        let starts = if is_package { self.package_starts(starts_at) } else { vec![starts_at] };
        let mode = if self.rng.chance(700) { Mode::Online } else { Mode::InPerson };
        let key = format!("request-key-{number}");
        let practitioner_id = self.wanted_practitioner();
        Some(SlotRequest { customer_id, offering, starts, practitioner_id, mode, key })
    }

    /// The starts of a package from a first one on, each on one of the next days.
    fn package_starts(&mut self, first: Timestamp) -> Vec<Timestamp> {
        let mut starts = vec![first];
        let mut last = first;
        while starts.len() < PACKAGE_SESSIONS {
            last = last.plus_minutes(24 * 60 * self.rng.between(1, 2));
            starts.push(last);
        }
        starts
    }

    /// Anyone, or one of two by name.
    fn wanted_practitioner(&mut self) -> Option<&'static str> {
        if !self.scenario.practitioners.are_several() {
            return None;
        }
        self.rng.weighted(&[(500, None), (250, Some(LEAD_ID)), (250, Some(SECOND))], None)
    }

    /// 11:00 to 14:00 in India, today or in the next three days.
    fn some_start(&mut self) -> Timestamp {
        let days = self.rng.weighted(&[(350, 0), (350, 1), (300, 3)], 1);
        let hours = self.rng.between(0, 3);
        start_of_run().plus_minutes(90 + 24 * 60 * days + 60 * hours)
    }

    fn plan_block(&mut self) {
        let starts_at = self.some_start();
        let minutes = self.rng.between(1, 3) * 60;
        let Some(span) = Span::new(starts_at, starts_at.plus_minutes(minutes)) else { return };
        let practitioner_id = self.wanted_practitioner().unwrap_or(LEAD_ID);
        self.scenario.blocks.push(ClosedTime { practitioner_id, span });
        let saga = self.scenario.blocks.len() - 1;
        let millis = self.rng.between(0, 12 * HOUR) * 1000;
        self.after(millis, Task::Customer { saga, step: Step::Block { tries: 0 } });
    }
}
