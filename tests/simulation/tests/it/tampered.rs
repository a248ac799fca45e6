//! Every single check can fail: what a sound run left behind is changed in one place, and the
//! checker reports the invariant that this breaks.

#![expect(clippy::indexing_slicing, reason = "a case that does not find its place has failed")]

mod places;
mod rows;

use checker::snapshot::{
    Ack, CheckpointRow, EventRow, Holder, LedgerLine, ProviderLink, ProviderOrder, ProviderRefund,
    ReceiptRow, ReservationRow, SentMail, Snapshot, TimerRow,
};
use checker::{Invariant, check};
use kernel::Id;
use simulation::simulator::{RunOptions, run};
use uuid::Uuid;

use places::{
    a_new_id, ack, append, captured_orders, drop_all, drop_last, drop_one, entry_of_a_client,
    fail_whole_refund, forget_mails, live_booking, refund, verified,
};
use rows::WRONG_ROWS;

/// How many runs may be looked at for one that has what is to be changed.
const SEEDS: u64 = 150;

/// Changes a snapshot in one place; says whether there was something to change.
type Tamper = fn(&mut Snapshot) -> bool;

/// What breaks which invariant: what it is called, a part of what the checker says of it, so that
/// no other check speaks for one that is dead, and how it is done.
const CASES: [(Invariant, &str, &str, Tamper); 69] = [
    (Invariant::I1, "a request that nobody stored", "Requested(bkg_", |it| {
        ack(it, Ack::Requested(a_new_id()))
    }),
    (Invariant::I1, "a checkout that nobody stored", "CheckoutOpened(", |it| {
        ack(it, Ack::CheckoutOpened(a_new_id()))
    }),
    (Invariant::I1, "a release that nobody stored", "Released(", |it| {
        ack(it, Ack::Released(a_new_id()))
    }),
    (Invariant::I1, "a claim that nobody stored", "Claimed(", |it| {
        ack(it, Ack::Claimed(a_new_id()))
    }),
    (Invariant::I1, "a cancellation that nobody stored", "Cancelled(", |it| {
        ack(it, Ack::Cancelled(a_new_id()))
    }),
    (Invariant::I1, "an accepted claim", "ClaimAccepted(", |it| {
        ack(it, Ack::ClaimAccepted(a_new_id()))
    }),
    (Invariant::I1, "a block", "Blocked(", |it| ack(it, Ack::Blocked(Id::from_uuid(Uuid::nil())))),
    (Invariant::I1, "an end of a block", "Unblocked(", |it| {
        ack(it, Ack::Unblocked(Id::from_uuid(Uuid::nil())))
    }),
    (Invariant::I1, "a refund", "RefundRequested(", |it| {
        ack(it, Ack::RefundRequested(Id::from_uuid(Uuid::nil())))
    }),
    (Invariant::I1, "an event", "Event(", |it| ack(it, Ack::Event(Uuid::nil()))),
    (Invariant::I1, "a message of the form", "there are 0 contact_message", |it| {
        ack(it, Ack::Messaged("key".to_owned()))
    }),
    (Invariant::I1, "a wish for the guide", "there are 0 meditation_guide", |it| {
        ack(it, Ack::GuideRequested("key".to_owned()))
    }),
    (Invariant::I1, "another order", "OrderStarted {", |it| {
        let order_id = "order_00000000000000".to_owned();
        ack(it, Ack::OrderStarted { booking_id: a_new_id(), order_id })
    }),
    (Invariant::I1, "another link", "LinkStarted {", |it| {
        let link_id = "plink_00000000000000".to_owned();
        ack(it, Ack::LinkStarted { booking_id: a_new_id(), link_id })
    }),
    (Invariant::I1, "a webhook that was not kept", "Webhook {", |it| {
        it.payments.webhooks.pop().is_some()
    }),
    (Invariant::I2, "a time that is given twice", "was given the time of", |it| {
        let live: Vec<String> = it.booking.reservations.iter().filter_map(live_booking).collect();
        let has_time = |row: &&EventRow| {
            let booked = row.event.event_type == "booking.v1.SlotBooked";
            booked && live.iter().any(|id| row.event.payload["bookingId"] == id.as_str())
        };
        let Some(mut twice) = it.booking.log.events.iter().find(has_time).cloned() else {
            return false;
        };
        twice.event.payload["bookingId"] = a_new_id().to_string().into();
        append(&mut it.booking.log, twice)
    }),
    (Invariant::I2, "two rows at one time", "the rows of", |it| {
        let Some(row) = it.booking.reservations.iter().find(|row| row.live).cloned() else {
            return false;
        };
        let holder = Holder::Booking(a_new_id());
        it.booking.reservations.push(ReservationRow { holder, ..row });
        true
    }),
    (Invariant::I2, "a booking that is on no day", "its day knows nothing", |it| {
        drop_all(&mut it.booking.log, "Slot")
    }),
    (Invariant::I3, "a refund that never arrived", "is kept where 0 should be", |it| {
        fail_whole_refund(it)
    }),
    (Invariant::I3, "a refund that nobody wanted", "is kept where", |it| refund(it, 1, None)),
    (Invariant::I3, "an entry that does not come to nothing", "is off by 1", |it| {
        let Some(line) = it.payments.ledger.as_mut().and_then(|lines| lines.first_mut()) else {
            return false;
        };
        line.minor += 1;
        true
    }),
    (Invariant::I3, "an entry that is missing", ", the provider has", |it| {
        let Some(lines) = it.payments.ledger.as_mut() else { return false };
        let Some(entry) = entry_of_a_client(lines) else { return false };
        lines.retain(|line| line.entry != entry);
        true
    }),
    (
        Invariant::I3,
        "an order of ours that we do not know",
        "an order of ours that we do not know",
        |it| {
            let rows = &mut it.payments.collections;
            rows.iter_mut().find(|row| row.verified_payment_id.is_some()).is_some_and(|row| {
                row.order_id = None;
                true
            })
        },
    ),
    (Invariant::I4, "two orders of one receipt", "are orders of one receipt", |it| {
        let Some(order) = it.provider.orders.first().cloned() else { return false };
        let order_id = "order_again".to_owned();
        it.provider.orders.push(ProviderOrder { order_id, ..order });
        true
    }),
    (Invariant::I4, "two links that can be paid", "could be paid at once", |it| {
        let started = it.acks.iter().find_map(|ack| match ack {
            Ack::LinkStarted { booking_id, link_id } => Some((*booking_id, link_id.clone())),
            _ => None,
        });
        let Some((booking_id, link_id)) = started else { return false };
        let links = &mut it.provider.links;
        let Some(first) = links.iter().find(|it| it.provider_link_id == link_id).cloned() else {
            return false;
        };
        let other = "plink_other".to_owned();
        let reference = "lnk_other".to_owned();
        links.push(ProviderLink { provider_link_id: other.clone(), reference, ..first });
        ack(it, Ack::LinkStarted { booking_id, link_id: other })
    }),
    (Invariant::I4, "two receipts for one payment", "has 2 receipts", |it| {
        let Some(rows) = it.payments.receipts.as_mut() else { return false };
        let Some(row) = rows.first().cloned() else { return false };
        rows.push(ReceiptRow { financial_year: row.financial_year + 1, number: 1, ..row });
        true
    }),
    (Invariant::I4, "a receipt of nobody", "is not what a booking is placed with", |it| {
        let Some(rows) = it.payments.receipts.as_mut() else { return false };
        let Some(row) = rows.last().cloned() else { return false };
        rows.push(ReceiptRow {
            number: row.number + 1,
            payment_id: "pay_00000000000000".to_owned(),
            ..row
        });
        true
    }),
    (Invariant::I4, "a number that is missing", "where 1 belongs", |it| {
        let Some(rows) = it.payments.receipts.as_mut() else { return false };
        rows.iter_mut().for_each(|row| row.number += 1);
        !rows.is_empty()
    }),
    (Invariant::I4, "two bookings with one order", "have one order", |it| {
        let rows = &mut it.payments.collections;
        let Some(order) = rows.first().and_then(|row| row.order_id.clone()) else { return false };
        rows.iter_mut().skip(1).for_each(|row| row.order_id = Some(order.clone()));
        rows.len() > 1
    }),
    (Invariant::I4, "more back than came", "went back than came", |it| {
        refund(it, i64::MAX / 2, None)
    }),
    (Invariant::I4, "back what a dispute had taken", "went back than came", |it| {
        let refunds = it.provider.refunds.iter();
        let mut processed = refunds.filter(|refund| refund.status == "processed");
        let Some(payment) = processed.next().map(|refund| refund.payment_id.clone()) else {
            return false;
        };
        it.provider.lost_in_disputes.insert(payment, i64::from(i32::MAX));
        true
    }),
    (Invariant::I4, "two refunds of one receipt", "are refunds of one receipt", |it| {
        let refunds = it.provider.refunds.iter();
        let mut ours = refunds.filter(|it| it.receipt.is_some() && it.status == "processed");
        let Some(twice) = ours.next().cloned() else { return false };
        let provider_refund_id = "rfnd_again".to_owned();
        it.provider.refunds.push(ProviderRefund { provider_refund_id, ..twice });
        true
    }),
    (Invariant::I4, "a refund twice for one cause", "was refunded twice because", |it| {
        let twice = it.provider.refunds.iter().find(|it| it.receipt.is_some()).cloned();
        let Some(twice) = twice.filter(|it| it.status == "processed") else { return false };
        it.provider.refunds.push(twice);
        true
    }),
    (Invariant::I4, "a second payment that is kept", "has kept", |it| {
        let orders: Vec<String> = captured_orders(it);
        let is_double = |order: &&String| orders.iter().filter(|it| it == order).count() > 1;
        let is_paid_twice = orders.iter().any(|order| is_double(&order));
        it.provider.refunds.clear();
        is_paid_twice && drop_all(&mut it.payments.log, "Refund")
    }),
    (Invariant::I5, "another amount", "of another amount", |it| {
        verified(it, |payment| {
            payment.amount_minor -= 1;
            payment.pays_order = false;
        })
    }),
    (Invariant::I5, "another currency", "of another currency", |it| {
        verified(it, |payment| "USD".clone_into(&mut payment.currency))
    }),
    (Invariant::I5, "another order", "made for another order", |it| {
        verified(it, |payment| payment.order_id = None)
    }),
    (Invariant::I5, "not captured", "has not captured it", |it| {
        verified(it, |payment| payment.captured_at = None)
    }),
    (Invariant::I5, "unknown to the provider", "knows no such payment", |it| {
        verified(it, |payment| "pay_other".clone_into(&mut payment.payment_id))
    }),
    (Invariant::I5, "not verified", "has not verified it", |it| {
        drop_all(&mut it.payments.log, "PaymentVerified")
    }),
    (Invariant::I5, "a claim that nobody made", "by a claim that nobody made", |it| {
        let log = &mut it.booking.log;
        let is_accepted = log.events.iter().any(|row| row.event.payload["claimAccepted"] == true);
        is_accepted && drop_all(&mut it.payments.log, "PaymentClaimed")
    }),
    (Invariant::I6, "a mail that nobody queued", "was never queued", |it| {
        it.notifications.mails.pop().is_some()
    }),
    (Invariant::I6, "a mail that did not arrive", "was sent and is not there", |it| {
        let gone = it.inbox.pop();
        gone.is_some_and(|gone| {
            it.inbox.retain(|letter| letter.message_id != gone.message_id);
            true
        })
    }),
    (Invariant::I6, "a mail twice", "came twice", |it| {
        it.mail_repeats_injected = 0;
        let Some(letter) = it.inbox.first().cloned() else { return false };
        it.inbox.push(letter);
        true
    }),
    (Invariant::I6, "a Message-ID of its own", "is the Message-ID of no mail", |it| {
        it.inbox.push(SentMail { message_id: "<other>".to_owned(), to: "customer".to_owned() });
        true
    }),
    (Invariant::I6, "a mail that was dropped and is owed", "was dropped, and is owed", |it| {
        let mails = &mut it.notifications.mails;
        mails.iter_mut().find(|row| row.kind == "refund_done").is_some_and(|row| {
            "dropped".clone_into(&mut row.state);
            true
        })
    }),
    (Invariant::I6, "a reminder that nobody queued", "reminder of bkg_", |it| {
        forget_mails(it, "reminder")
    }),
    (Invariant::I6, "nobody was thanked", "follow_up of bkg_", |it| forget_mails(it, "follow_up")),
    (Invariant::I6, "a reminder that was dropped in time", "owed: inside_window", |it| {
        let mails = &mut it.notifications.mails;
        // A session that is booked later than that has none that was sent.
        mails.iter_mut().find(|it| it.kind == "reminder" && it.state == "sent").is_some_and(|row| {
            "dropped".clone_into(&mut row.state);
            row.reason = Some("inside_window".to_owned());
            true
        })
    }),
    (Invariant::I6, "a link that nobody was told", "nobody was told the meeting link", |it| {
        let log = &it.booking.log.events;
        let has_room = |id: &str| {
            log.iter().any(|row| {
                row.event.event_type == "booking.v1.MeetingScheduled"
                    && row.event.payload["bookingId"] == id
            })
        };
        let mails = &mut it.notifications.mails;
        mails.retain(|row| row.kind != "meeting_link");
        let mut told = mails.iter_mut().filter(|row| row.kind == "booking_confirmed");
        told.find(|row| row.link_told && row.state == "sent" && has_room(&row.subject)).is_some_and(
            |row| {
                row.link_told = false;
                true
            },
        )
    }),
    (Invariant::I7, "a timer that is late", "was due at", |it| {
        let due_at = it.taken_at.plus_seconds(-600);
        let (kind, subject) = ("hold-end".to_owned(), a_new_id().to_string());
        it.booking.log.timers.push(TimerRow { kind, subject, due_at });
        true
    }),
    (Invariant::I7, "a consumer that is behind", "is behind at", |it| {
        let checkpoints = &mut it.notifications.log.checkpoints;
        checkpoints.first_mut().is_some_and(|row| {
            row.position -= 1;
            true
        })
    }),
    (Invariant::I7, "a relay that is behind", "the relay is behind", |it| {
        let Some(row) = it.booking.log.events.last_mut() else { return false };
        row.position = None;
        it.booking.log.outbox.push(row.seq);
        true
    }),
    (Invariant::I7, "money that nobody took in", "neither placed nor unplaced", |it| {
        drop_all(&mut it.booking.log, "BookingConfirmed")
    }),
    (Invariant::I7, "a hold that nobody ends", "is held since", |it| {
        drop_last(&mut it.booking.log, "Expired")
    }),
    (Invariant::I7, "a session that nobody ends", "no timer is left for session-end", |it| {
        drop_all(&mut it.booking.log, "Completed")
    }),
    (Invariant::I7, "a refund that nobody asks for", "no timer is left for refund", |it| {
        drop_all(&mut it.payments.log, "RefundProcessed")
    }),
    (Invariant::I7, "a webhook that nobody folds", "no timer is left for fold-webhook", |it| {
        let webhooks = &mut it.payments.webhooks;
        webhooks.iter_mut().find(|row| row.folded).is_some_and(|row| {
            row.folded = false;
            true
        })
    }),
    (Invariant::I7, "a link that nobody cancels", "no timer is left for close-link", |it| {
        let log = &it.payments.log;
        let withdrawn = log
            .events
            .iter()
            .find(|row| row.event.event_type == "payments.v1.PaymentLinkWithdrawn");
        let Some(link) = withdrawn.map(|row| row.event.payload["linkId"].clone()) else {
            return false;
        };
        let opened = log.events.iter().find(|row| {
            row.event.event_type == "payments.v1.PaymentLinkOpened"
                && row.event.payload["linkId"] == link
        });
        let Some(opened_at) = opened.map(|row| row.event.recorded_at) else { return false };
        it.taken_at = opened_at;
        drop_all(&mut it.payments.log, "PaymentLinkObserved")
    }),
    (Invariant::I7, "a mail that nobody sends", "no timer is left for send_mail", |it| {
        it.notifications.mails.first_mut().is_some_and(|row| {
            "queued".clone_into(&mut row.state);
            true
        })
    }),
    (Invariant::I8, "a version that is missing", "has 3 where 2 belongs", |it| {
        drop_one(&mut it.booking.log, 2)
    }),
    (Invariant::I8, "an event that is there twice", "two events are", |it| {
        let Some(row) = it.payments.log.events.last().cloned() else { return false };
        it.payments.log.events.push(row);
        true
    }),
    (Invariant::I8, "a stream that is turned around", "the feed turns", |it| {
        let log = &mut it.payments.log;
        let first = log.events.iter().position(|row| row.event.version == 1);
        let second = log.events.iter().position(|row| row.event.version == 2);
        let (Some(first), Some(second)) = (first, second) else { return false };
        let position = log.events[first].position;
        log.events[first].position = log.events[second].position;
        log.events[second].position = position;
        log.events[first].event.stream_id == log.events[second].event.stream_id
    }),
    (Invariant::I8, "an event that is lost for others", "can never be seen by others", |it| {
        it.booking.log.events.first_mut().is_some_and(|row| row.position.take().is_some())
    }),
    (Invariant::I8, "a checkpoint behind the end", "of a feed that ends at", |it| {
        let (consumer, source) = ("payments-on-booking".to_owned(), "booking".to_owned());
        let row = CheckpointRow { consumer, source, position: 1_000_000 };
        it.payments.log.checkpoints.push(row);
        true
    }),
    (Invariant::I8, "an event that nobody can read", "cannot be read", |it| {
        it.payments.log.events.first_mut().is_some_and(|row| {
            "payments.v1.Other".clone_into(&mut row.event.event_type);
            true
        })
    }),
    (Invariant::I9, "money of a live booking in another account", "the ledger lacks", |it| {
        let Some(lines) = it.payments.ledger.as_mut() else { return false };
        lines.iter_mut().find(|line| line.account == "customer_advance").is_some_and(|line| {
            "revenue".clone_into(&mut line.account);
            true
        })
    }),
    (
        Invariant::I9,
        "an entry that no event tells of",
        "which no event of its booking tells",
        |it| {
            let Some(lines) = it.payments.ledger.as_mut() else { return false };
            let Some(first) = entry_of_a_client(lines) else { return false };
            let again: Vec<LedgerLine> =
                lines.iter().filter(|line| line.entry == first).cloned().collect();
            lines.extend(
                again.into_iter().map(|line| LedgerLine { entry: "again".to_owned(), ..line }),
            );
            true
        },
    ),
    (Invariant::I9, "a mail that told otherwise", "and was told as None", |it| {
        drop_all(&mut it.notifications.log, "MailSent")
    }),
];

#[test]
fn every_check_reports_what_breaks_it() {
    let mut unseen = Vec::new();
    let rows = WRONG_ROWS.iter().map(|(what, says, tamper)| (Invariant::I9, *what, *says, *tamper));
    for (invariant, what, says, tamper) in CASES.into_iter().chain(rows) {
        let mut tampered = (0..SEEDS).filter_map(|seed| {
            let mut snapshot = run(seed, RunOptions::default()).snapshot;
            tamper(&mut snapshot).then_some(snapshot)
        });
        let seen = tampered.next().map(|snapshot| check(&snapshot));
        let is_seen = seen
            .iter()
            .flatten()
            .any(|violation| violation.invariant == invariant && violation.what.contains(says));
        if !is_seen {
            unseen.push(format!("{invariant:?} {what}, {says:?}: {seen:?}"));
        }
    }
    assert!(unseen.is_empty(), "{}", unseen.join("\n"));
}
