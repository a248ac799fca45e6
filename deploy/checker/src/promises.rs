//! I6: what clients were told of refunds is true. "On its way" is said of a refund that the
//! provider has taken, and the end of one that failed for good is told as well.

use std::collections::{BTreeMap, BTreeSet};

use contract::payments::v1::RefundFailed;
use kernel::Id;
use kernel::id::Refund as RefundKind;
use payments::domain::collection::Event;
use payments::domain::refund::{BELOW_THE_LEAST, Cause, OVERTAKEN, Refund};

use crate::history::History;
use crate::snapshot::{MailRow, Snapshot};
use crate::violation::{Finding, Invariant, Violation};

/// How long a promise of an earlier version may wait for the provider.
const PATIENCE_SECONDS: i64 = 24 * 60 * 60;

/// Compares what was mailed with what became of each refund.
pub(crate) fn check(snapshot: &Snapshot, history: &History) -> Vec<Violation> {
    let mut found = Finding::of(Invariant::I6);
    let mails = snapshot.notifications.mails.iter();
    let mails: BTreeMap<(&str, &str), &MailRow> =
        mails.map(|row| ((row.kind.as_str(), row.subject.as_str()), row)).collect();
    promises(snapshot, history, &mails, &mut found);
    failures(snapshot, &mails, &mut found);
    found.violations
}

fn promises(
    snapshot: &Snapshot,
    history: &History,
    mails: &BTreeMap<(&str, &str), &MailRow>,
    found: &mut Finding,
) {
    for (booking_id, past) in &history.money {
        let Some(collection) = history.collections.get(booking_id) else { continue };
        for it in past {
            let Event::RefundRequested { refund_id, .. } = &it.event else { continue };
            let Some(refund) = collection.refunds.get(refund_id) else { continue };
            // What is given back at the desk is not promised by the provider.
            if collection.is_at_desk(&refund.payment) {
                continue;
            }
            let is_old = snapshot.taken_at.seconds_since(it.at) > PATIENCE_SECONDS;
            let subject = refund_id.to_string();
            let is_told = mails.get(&("refund_started", subject.as_str()));
            let is_told = is_told.is_some_and(|row| row.state != "dropped");
            let about = [subject, booking_id.to_string()];
            let mut ends = about.iter().map(|it| ("refund_failed", it.as_str()));
            // Earlier versions promised what the provider had not taken yet; later ones mend that.
            let is_mended =
                !snapshot.is_of_this_version && ends.any(|key| mails.contains_key(&key));
            if is_told && is_old && !is_taken(*refund_id, refund, history) && !is_mended {
                let what = "was promised by mail, and the provider never took it";
                found.add_mended_by_upgrade(format!("{refund_id} of {booking_id} {what}"));
            }
        }
    }
}

/// Whether the provider has a refund, or the one that was requested in its place.
fn is_taken(refund_id: Id<RefundKind>, refund: &Refund, history: &History) -> bool {
    let renewed = || {
        let collections = history.collections.values();
        let refunds = collections.flat_map(|known| &known.refunds);
        refunds.filter(|(_, it)| it.renews == Some(refund_id)).map(|(id, it)| (*id, it)).next()
    };
    refund.accepted.is_some()
        || refund.cause == Cause::Elsewhere
        || renewed().is_some_and(|(id, it)| is_taken(id, it, history))
}

/// An event of an earlier version does not say whether it is the last word.
fn failures(snapshot: &Snapshot, mails: &BTreeMap<(&str, &str), &MailRow>, found: &mut Finding) {
    let parked = snapshot.notifications.log.parked.iter();
    let parked: BTreeSet<&str> = parked.map(|row| row.stream_id.as_str()).collect();
    for row in &snapshot.payments.log.events {
        let Ok(Some(failed)) = row.event.get::<RefundFailed>() else { continue };
        let is_last = failed.r#final || failed.given_by_bank.is_some();
        let is_told = mails.contains_key(&("refund_failed", failed.refund_id.as_str()));
        let waits = parked.contains(row.event.stream_id.as_str());
        let is_untold = [OVERTAKEN, BELOW_THE_LEAST].contains(&failed.reason.as_str());
        if failed.amount.is_some() && is_last && !is_untold && !is_told && !waits {
            found.add(format!("refund_failed of {} was never queued", failed.refund_id));
        }
    }
}
