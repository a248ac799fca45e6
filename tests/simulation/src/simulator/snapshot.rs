//! What a run left behind, as the checker reads it.

use std::collections::BTreeMap;

use notifications::mails::mail::{About, State};
use payments::domain::collection::State as CollectionState;
use payments::domain::refund::{BELOW_THE_LEAST, LOST_TO_A_DISPUTE, Progress};

use super::coverage::End;
use super::notifications_model::reminder_hours;
use super::store::LogModel;
use super::world::World;
use checker::snapshot::{
    BookingStore, CheckpointRow, EventRow, Log, MailRow, NotificationsStore, ParkedRow,
    PaymentsStore, ProviderBook, ProviderDispute, ProviderLink, ProviderOrder, ProviderPayment,
    ProviderRefund, Snapshot, TimerRow, WebhookRow,
};

impl World {
    /// Everything that can be read from outside.
    pub(crate) fn snapshot(&self) -> Snapshot {
        Snapshot {
            taken_at: self.now,
            booking: BookingStore {
                log: log(&self.booking.log),
                bookings: self.booking.tables.rows.values().map(|it| it.row.clone()).collect(),
                reservations: self.booking.tables.reservations.values().cloned().collect(),
            },
            payments: PaymentsStore {
                log: log(&self.payments.log),
                collections: self.payments.tables.collections.values().cloned().collect(),
                links: self.payments.tables.links.values().cloned().collect(),
                refunds: self.payments.tables.refunds.values().cloned().collect(),
                webhooks: self.webhooks(),
                ledger: Some(self.payments.tables.ledger.clone()),
                receipts: Some(self.payments.tables.receipts.clone()),
                refund_requests: Vec::new(),
            },
            notifications: NotificationsStore {
                log: log(&self.notifications.log),
                mails: self.mails(),
            },
            identity: None,
            reviews: None,
            provider: self.provider_book(),
            inbox: self.mail_server.inbox.clone(),
            acks: self.acks.clone(),
            mail_repeats_injected: self.mail_server.repeats,
            reminder_hours: reminder_hours(),
            is_of_this_version: true,
        }
    }

    fn webhooks(&self) -> Vec<WebhookRow> {
        let webhooks = self.payments.tables.webhooks.iter();
        webhooks
            .map(|(event_id, webhook)| WebhookRow {
                event_id: event_id.clone(),
                body_sha256: webhook.body.clone().into_bytes(),
                folded: webhook.is_folded,
                waits_for_order_id: webhook.waits_for.as_ref().map(ToString::to_string),
            })
            .collect()
    }

    fn mails(&self) -> Vec<MailRow> {
        let rows = self.notifications.tables.mails.values();
        rows.map(|row| MailRow {
            mail_id: row.mail.id,
            kind: row.mail.kind.name().to_owned(),
            subject: row.mail.subject.clone(),
            booking_id: match row.mail.about {
                About::Booking(id) => Some(id),
                _ => None,
            },
            state: row.mail.state.name().to_owned(),
            reason: row.reason.map(str::to_owned),
            message_id: row.message_id.clone(),
            link_told: row.link_told,
        })
        .collect()
    }

    fn provider_book(&self) -> ProviderBook {
        let book = self.provider.book();
        let orders = book.orders.iter().map(|(id, order)| ProviderOrder {
            order_id: id.to_string(),
            receipt: order.receipt.clone(),
            amount_minor: order.amount.minor,
            currency: order.amount.currency.clone(),
        });
        let links = book.links.iter().map(|(id, link)| ProviderLink {
            provider_link_id: id.to_string(),
            reference: link.reference.clone(),
            status: link.status.word().to_owned(),
            created_at: link.created_at,
            ended_at: link.ended_at,
        });
        let payments = book.payments.iter().map(|(id, paid)| ProviderPayment {
            payment_id: id.to_string(),
            order_id: paid.order.as_ref().map(ToString::to_string),
            amount_minor: paid.amount.minor,
            currency: paid.amount.currency.clone(),
            status: paid.status.word().to_owned(),
            captured_at: paid.captured_at,
            pays_order: paid.pays_order,
        });
        let refunds = book.refunds.values().map(|refund| ProviderRefund {
            provider_refund_id: refund.id.to_string(),
            payment_id: refund.payment.to_string(),
            amount_minor: refund.amount.minor,
            status: match refund.progress {
                Progress::Pending => "pending",
                Progress::Processed => "processed",
                Progress::Failed => "failed",
            }
            .to_owned(),
            receipt: refund.receipt.clone(),
        });
        let mut lost_in_disputes = BTreeMap::new();
        for dispute in book.disputes.values() {
            let payment = dispute.payment.to_string();
            lost_in_disputes.insert(payment, book.lost(&dispute.payment));
        }
        let disputes = book.disputes.iter().map(|(id, dispute)| ProviderDispute {
            dispute_id: id.to_string(),
            payment_id: dispute.payment.to_string(),
            state: dispute.fact.state.word().to_owned(),
        });
        ProviderBook {
            orders: orders.collect(),
            links: links.collect(),
            payments: payments.collect(),
            refunds: refunds.collect(),
            adjustments_minor: 0,
            disputes: disputes.collect(),
            lost_in_disputes,
        }
    }

    /// Counts which ends the run has reached.
    pub(crate) fn count_ends(&mut self) {
        let refunds = self.payments.tables.refunds.values();
        let mut ends: Vec<End> = refunds
            .filter(|row| row.state == "processed")
            .filter_map(|row| match row.cause.as_str() {
                "mismatched" => Some(End::MismatchedBack),
                "double" => Some(End::DoubleBack),
                "cancelled" => Some(End::CancelledWithRefund),
                _ => None,
            })
            .collect();
        for event in self.booking.log.events.iter().chain(&self.payments.log.events) {
            let says = |field: &str| event.payload.get(field).is_some();
            ends.extend(match event.event_type.as_str() {
                "booking.v1.BookingExpired" => Some(End::Expired),
                "booking.v1.BookingReleased" => Some(End::Released),
                "booking.v1.BookingCompleted" => Some(End::Completed),
                "booking.v1.BookingSessionCompleted" => Some(End::SessionCompleted),
                "booking.v1.BookingSessionCancelled" => Some(End::SessionCancelled),
                "booking.v1.BookingCancellationRequested" => Some(End::CancellationRequested),
                "booking.v1.BookingMoved" if says("practitionerId") => Some(End::HandedOver),
                "booking.v1.BookingMoveProposed" => Some(End::MoveProposed),
                "booking.v1.BookingMoveProposalWithdrawn" => Some(End::ProposalWithdrawn),
                "booking.v1.BookingMoved" => Some(End::Moved),
                "booking.v1.BookingCancellationUndone" => Some(End::CancellationUndone),
                "booking.v1.BookingUnplaced" => Some(End::Unplaced),
                "booking.v1.BookingPaid" => Some(End::PaidLater),
                "booking.v1.SlotUnblocked" => Some(End::Unblocked),
                "booking.v1.BookingConfirmed" if says("claimAccepted") => Some(End::ClaimAccepted),
                "booking.v1.BookingConfirmed" if says("reinstated") => Some(End::Reinstated),
                "payments.v1.RefundFailed" => {
                    match event.payload.get("reason").and_then(|it| it.as_str()) {
                        Some(LOST_TO_A_DISPUTE) => Some(End::GivenByBank),
                        Some(BELOW_THE_LEAST) => Some(End::RefundTooSmall),
                        _ => None,
                    }
                }
                "payments.v1.DeskPaymentRecorded" => Some(End::PaidAtDesk),
                "payments.v1.DeskRefundRecorded" => Some(End::GivenBackAtDesk),
                "payments.v1.PaymentRetained" => Some(End::CancelledRetained),
                "payments.v1.PaymentLinkObserved" => {
                    match event.payload.get("status").and_then(|it| it.as_str()) {
                        Some("paid") => Some(End::LinkPaid),
                        Some("cancelled") => Some(End::LinkCancelled),
                        Some("expired") => Some(End::LinkExpired),
                        _ => None,
                    }
                }
                _ => None,
            });
        }
        let known = self.payments.tables.states.values();
        ends.extend(known.filter(|state| is_paid_twice(state)).map(|_| End::PaidAtDeskAndThere));
        ends.into_iter().for_each(|end| self.coverage.end(end));
        let failed = self.notifications.tables.mails.values();
        let failed = failed.filter(|row| row.mail.state == State::Failed).count();
        (0..failed).for_each(|_| self.coverage.end(End::MailForAPerson));
        self.coverage.sagas = u64::try_from(self.scenario.sagas.len()).unwrap_or(0);
        self.coverage.acknowledged = u64::try_from(self.acks.len()).unwrap_or(0);
    }
}

/// Whether money came at the desk and with the provider.
fn is_paid_twice(state: &CollectionState) -> bool {
    match state {
        CollectionState::Absent => false,
        CollectionState::Open(known) => !known.at_desk.is_empty() && !known.mismatched.is_empty(),
    }
}

fn log(model: &LogModel) -> Log {
    let mut events: Vec<EventRow> = model
        .events
        .iter()
        .zip(1_i64..)
        .map(|(event, seq)| EventRow { seq, position: None, event: event.clone() })
        .collect();
    for (position, seq) in &model.feed {
        let index = usize::try_from(seq - 1).unwrap_or(usize::MAX);
        if let Some(row) = events.get_mut(index) {
            row.position = Some(*position);
        }
    }
    Log {
        events,
        outbox: model.outbox.iter().copied().collect(),
        checkpoints: model
            .checkpoints
            .iter()
            .filter_map(|(consumer, checkpoint)| {
                Some(CheckpointRow {
                    consumer: (*consumer).to_owned(),
                    source: (*consumer).split("-on-").nth(1)?.to_owned(),
                    position: checkpoint.position,
                })
            })
            .collect(),
        parked: model
            .parked
            .iter()
            .map(|parked| ParkedRow {
                consumer: parked.consumer.to_owned(),
                source: parked.source.name().to_owned(),
                position: parked.position,
                stream_id: parked.stream_id.clone(),
                error: parked.error.clone(),
            })
            .collect(),
        timers: model
            .timers
            .iter()
            .map(|((kind, subject), timer)| TimerRow {
                kind: (*kind).to_owned(),
                subject: subject.clone(),
                due_at: timer.due_at,
            })
            .collect(),
    }
}
