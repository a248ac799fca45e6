//! Disputes of a payment whose owner is not known: its money stands in suspense, and so does what
//! they take of it.

use super::entry::{Account, Entry, EntryKind};
use crate::domain::dispute::Dispute;

/// A dispute of such a payment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnownedDispute {
    /// What is known of it.
    pub dispute: Dispute,
    /// How often what it took has changed, so that each entry has a cause of its own.
    pub moves: i32,
}

impl UnownedDispute {
    /// The dispute after a report, with the entry of what it took since; none when the report has
    /// nothing new.
    #[must_use]
    pub fn after(known: Option<&Self>, report: Dispute) -> Option<(Self, Option<Entry>)> {
        if known.is_some_and(|known| known.dispute.fact >= report.fact) {
            return None;
        }
        let (before, moves) =
            known.map_or((0, 0), |known| (known.dispute.fact.lost_minor(), known.moves));
        let mut amount = report.fact.amount.clone();
        amount.minor = report.fact.lost_minor().saturating_sub(before);
        let moves = moves.saturating_add(i32::from(amount.minor != 0));
        let what = (EntryKind::DisputeLost, format!("disputed {} {moves}", report.id));
        let accounts = (Account::Suspense, Account::ProviderClearing);
        let entry = Entry::transfer(what, &report.payment, &amount, accounts);
        Some((Self { dispute: report, moves }, entry))
    }
}

#[cfg(test)]
mod tests {
    use super::{Account, Dispute, UnownedDispute};
    use crate::domain::dispute::{DisputeFact, DisputeState, Phase};
    use crate::domain::fact::{Amount, DisputeId, PaymentId};

    fn report((phase, state): (Phase, DisputeState), deducted_minor: i64) -> Dispute {
        let amount = Amount { minor: 12_300, currency: "INR".to_owned() };
        let reason = "fraud".to_owned();
        Dispute {
            provider: "first".to_owned(),
            id: DisputeId::parse("disp_AAAAAAAAAAAAAA").unwrap(),
            payment: PaymentId::parse("pay_AAAAAAAAAAAAAA").unwrap(),
            fact: DisputeFact { phase, state, respond_by: None, deducted_minor, amount, reason },
        }
    }

    #[test]
    fn what_was_lost_leaves_suspense_once_and_comes_back_when_it_is_won() {
        let first = (Phase::Chargeback, DisputeState::Open);
        let lost = (Phase::Chargeback, DisputeState::Lost);
        let won = (Phase::Arbitration, DisputeState::Won);
        let mut known: Option<UnownedDispute> = None;
        let mut told = Vec::new();
        for (round, deducted) in [(first, 0), (lost, 5_000), (lost, 5_000), (won, 0), (lost, 5_000)]
        {
            let Some((next, entry)) =
                UnownedDispute::after(known.as_ref(), report(round, deducted))
            else {
                continue;
            };
            known = Some(next);
            told.extend(entry.map(|entry| {
                let lines = entry.lines.iter().map(|line| (line.account, line.amount.minor));
                (entry.cause.clone(), lines.collect::<Vec<_>>())
            }));
        }
        let entry = |times, minor: i64| {
            let lines = vec![(Account::Suspense, minor), (Account::ProviderClearing, -minor)];
            (format!("disputed disp_AAAAAAAAAAAAAA {times}"), lines)
        };
        assert_eq!(told, [entry(1, 5_000), entry(2, -5_000)]);
    }
}
