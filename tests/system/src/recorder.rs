//! Records what is visible from outside during a test: acknowledgements, delivered mails, and
//! faults that may deliver a mail twice.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use checker::snapshot::{Ack, SentMail};
use serde_json::Value;

/// How many mails are being sent at the same time at most: as many as timers of a kind run.
const CONCURRENT_MAILS_MAX: usize = 4;

/// The record. The sandbox keeps only its newest mails; this keeps all that were read.
#[derive(Debug, Default)]
pub struct Recorder {
    acks: Mutex<Vec<Ack>>,
    mails: Mutex<BTreeMap<(String, String), SentMail>>,
    repeats: AtomicUsize,
}

impl Recorder {
    /// Records an acknowledgement.
    pub fn record_ack(&self, ack: Ack) {
        let mut acks = self.acks.lock().unwrap_or_else(PoisonError::into_inner);
        if !acks.contains(&ack) {
            acks.push(ack);
        }
    }

    /// Records mails as the sandbox lists them.
    pub fn record_mails(&self, mails: &[Value]) {
        let mut recorded = self.mails.lock().unwrap_or_else(PoisonError::into_inner);
        for mail in mails {
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            // The inbox omits the angle brackets.
            let id = text(&mail["messageId"]);
            let message_id = format!("<{}>", id.trim_matches(['<', '>']));
            let delivered = SentMail { message_id, to: text(&mail["to"][0]) };
            recorded.insert((text(&mail["receivedAt"]), text(&mail["id"])), delivered);
        }
    }

    /// Records the kill of a part: mails that it was sending may be delivered twice.
    pub fn record_kill(&self, part: &str) {
        if matches!(part, "notifications" | "postgres" | "sandbox") {
            self.allow_mail_repeats(CONCURRENT_MAILS_MAX);
        }
    }

    /// Records a fault that was ordered from the sandbox.
    pub fn record_fault(&self, fault: &Value) {
        let smtp = fault["target"].as_str().is_some_and(|it| it == "*" || it.starts_with("smtp"));
        let twice = ["duplicate", "timeout_after_success", "delay", "drop"];
        if smtp && twice.iter().any(|kind| fault["kind"] == *kind) {
            let times = fault["times"].as_u64().unwrap_or(1);
            self.allow_mail_repeats(usize::try_from(times).unwrap_or(usize::MAX));
        }
    }

    /// Allows `count` mails to be delivered twice.
    pub fn allow_mail_repeats(&self, count: usize) {
        self.repeats.fetch_add(count, Ordering::SeqCst);
    }

    /// Every acknowledgement, once each.
    #[must_use]
    pub fn acks(&self) -> Vec<Ack> {
        self.acks.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Drops all acknowledgements after the first `count`, because an older backup was restored.
    pub fn truncate_acks(&self, count: usize) {
        self.acks.lock().unwrap_or_else(PoisonError::into_inner).truncate(count);
    }

    /// Every recorded mail, oldest first.
    #[must_use]
    pub fn delivered_mails(&self) -> Vec<SentMail> {
        let recorded = self.mails.lock().unwrap_or_else(PoisonError::into_inner);
        recorded.values().cloned().collect()
    }

    /// How many mails may have been delivered twice.
    #[must_use]
    pub fn repeats(&self) -> usize {
        self.repeats.load(Ordering::SeqCst)
    }
}
