//! One wrong value in each table that is compared with its events.

use checker::snapshot::MailRow;

use super::Tamper;

/// The tables that are compared with their events, each with one wrong value.
pub(super) const WRONG_ROWS: [(&str, &str, Tamper); 10] = [
    ("bookings", "the row of", |it| {
        it.booking.bookings.first_mut().is_some_and(|row| {
            row.price_minor += 1;
            true
        })
    }),
    ("bookings: one too few", "has no row", |it| it.booking.bookings.pop().is_some()),
    ("reservations", "no row has it", |it| {
        let live = it.booking.reservations.iter_mut().find(|row| row.live);
        live.is_some_and(|row| {
            row.live = false;
            true
        })
    }),
    ("collections", "the collection of", |it| {
        it.payments.collections.first_mut().is_some_and(|row| {
            row.state.push('!');
            true
        })
    }),
    ("collections: one too few", "has no row", |it| it.payments.collections.pop().is_some()),
    ("links", "and not LinkRow", |it| {
        it.payments.links.first_mut().is_some_and(|row| {
            row.status.push('!');
            true
        })
    }),
    ("links: one too few", "lnk_", |it| it.payments.links.pop().is_some()),
    ("refunds", "and not RefundRow", |it| {
        it.payments.refunds.first_mut().is_some_and(|row| {
            row.amount_minor += 1;
            true
        })
    }),
    ("refunds: one too few", "rfn_", |it| it.payments.refunds.pop().is_some()),
    ("mails: one too few", "has events and no row", |it| {
        let mails = &mut it.notifications.mails;
        let is_told = |row: &MailRow| row.kind == "booking_confirmed" && row.state == "sent";
        mails.iter().position(is_told).map(|at| mails.remove(at)).is_some()
    }),
];
