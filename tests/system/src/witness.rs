//! Records what is visible from outside during a test: acknowledgements, delivered mails, and
//! faults that may deliver a mail twice.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use serde_json::Value;
use simulation::checker::snapshot::{Ack, Letter};

/// How many mails are being sent at the same time at most: as many as timers of a kind run.
const CONVERSATIONS_MAX: usize = 4;

/// The record. The sandbox keeps only its newest mails; this keeps all that were read.
#[derive(Debug, Default)]
pub struct Witness {
    acks: Mutex<Vec<Ack>>,
    letters: Mutex<BTreeMap<(String, String), Letter>>,
    repeats: AtomicUsize,
}

impl Witness {
    /// Records an acknowledgement.
    pub fn acknowledged(&self, ack: Ack) {
        let mut acks = self.acks.lock().unwrap_or_else(PoisonError::into_inner);
        if !acks.contains(&ack) {
            acks.push(ack);
        }
    }

    /// Records mails as the sandbox lists them.
    pub fn mails(&self, mails: &[Value]) {
        let mut letters = self.letters.lock().unwrap_or_else(PoisonError::into_inner);
        for mail in mails {
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            // The inbox omits the angle brackets.
            let id = text(&mail["messageId"]);
            let message_id = format!("<{}>", id.trim_matches(['<', '>']));
            let letter = Letter { message_id, to: text(&mail["to"][0]) };
            letters.insert((text(&mail["receivedAt"]), text(&mail["id"])), letter);
        }
    }

    /// Records the kill of a part: mails that it was sending may be delivered twice.
    pub fn part_was_killed(&self, part: &str) {
        if matches!(part, "notifications" | "postgres" | "sandbox") {
            self.mails_may_repeat(CONVERSATIONS_MAX);
        }
    }

    /// Records a fault that was ordered from the sandbox.
    pub fn fault_was_ordered(&self, fault: &Value) {
        let smtp = fault["target"].as_str().is_some_and(|it| it == "*" || it.starts_with("smtp"));
        let twice = ["duplicate", "timeout_after_success", "delay", "drop"];
        if smtp && twice.iter().any(|kind| fault["kind"] == *kind) {
            let times = fault["times"].as_u64().unwrap_or(1);
            self.mails_may_repeat(usize::try_from(times).unwrap_or(usize::MAX));
        }
    }

    /// Allows `count` mails to be delivered twice.
    pub fn mails_may_repeat(&self, count: usize) {
        self.repeats.fetch_add(count, Ordering::SeqCst);
    }

    /// Every acknowledgement, once each.
    #[must_use]
    pub fn acks(&self) -> Vec<Ack> {
        self.acks.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Drops all acknowledgements after the first `count`, because an older backup was restored.
    pub fn forget_acks_after(&self, count: usize) {
        self.acks.lock().unwrap_or_else(PoisonError::into_inner).truncate(count);
    }

    /// Every recorded mail, oldest first.
    #[must_use]
    pub fn letters(&self) -> Vec<Letter> {
        let letters = self.letters.lock().unwrap_or_else(PoisonError::into_inner);
        letters.values().cloned().collect()
    }

    /// How many mails may have been delivered twice.
    #[must_use]
    pub fn repeats(&self) -> usize {
        self.repeats.load(Ordering::SeqCst)
    }
}
