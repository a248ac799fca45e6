//! The timers of this service: polling orders, requesting refunds, cancelling payment links,
//! folding webhooks, issuing postponed receipts, retention.

use std::sync::Arc;
use std::time::Duration;

use eventstore::{Timer, TimerHandler};
use futures::future::BoxFuture;
use runtime::BoxError;

use self::kinds::{
    CLOSE_LINK, EXPECT_WEBHOOK, FOLD_WEBHOOK, ISSUE_RECEIPT, REFUND, RENEW_REFUND, read_step,
};
use self::polling::{POLL_ORDER, PollSchedule};
use self::sold_orders::{ASK_SOLD_ORDER, RecheckSchedule};
use crate::app::App;
use crate::app::ask_sold_order::ask_sold_order;
use crate::app::detect_missing_webhook::detect_missing_webhook;
use crate::app::end_link::close_link;
use crate::app::fold_webhook::fold_webhook;
use crate::app::issue_receipt::issue_postponed;
use crate::app::nightly;
use crate::app::poll_order::poll_order;
use crate::app::process_refund::process_refund;
use crate::app::renew_refund::renew_refund;
use crate::providers::deadline;
use crate::retention::{self, SWEEP_WEBHOOKS};

pub mod kinds;
pub mod polling;
pub mod sold_orders;
pub mod startup;

/// The handler of this service's timers.
#[derive(Debug, Clone)]
pub struct Timers {
    app: Arc<App>,
}

impl Timers {
    /// A handler of this app's timers.
    #[must_use]
    pub fn new(app: Arc<App>) -> Self {
        Self { app }
    }

    async fn work(&self, timer: &Timer) -> Result<(), BoxError> {
        let app = &self.app;
        match timer.kind.as_str() {
            POLL_ORDER => {
                poll_order(app, timer.subject.parse()?, PollSchedule::from_payload(&timer.payload))
                    .await?;
            }
            ASK_SOLD_ORDER => {
                let schedule = RecheckSchedule::from_payload(&timer.payload);
                ask_sold_order(app, timer.subject.parse()?, schedule).await?;
            }
            REFUND => {
                process_refund(app, timer.subject.parse()?, read_step(&timer.payload)).await?;
            }
            RENEW_REFUND => renew_refund(app, timer.subject.parse()?).await?,
            CLOSE_LINK => {
                close_link(app, timer.subject.parse()?, read_step(&timer.payload)).await?;
            }
            FOLD_WEBHOOK => fold_webhook(app, &timer.subject, timer.attempts).await?,
            EXPECT_WEBHOOK => detect_missing_webhook(app, &timer.subject).await?,
            ISSUE_RECEIPT => issue_postponed(app, timer.subject.parse()?).await?,
            SWEEP_WEBHOOKS => retention::run(&app.store).await?,
            kind if nightly::is_nightly(kind) => nightly::fire(app, timer).await?,
            unknown => return Err(format!("there is no timer {unknown}").into()),
        }
        Ok(())
    }
}

/// How long all calls of a firing to the provider may last. The rest of a handler's 20 s is for
/// recording what they brought.
const CALLS_WITHIN: Duration = Duration::from_secs(15);

impl TimerHandler for Timers {
    fn fire(&self, timer: Timer) -> BoxFuture<'_, Result<(), BoxError>> {
        Box::pin(async move { deadline::within(CALLS_WITHIN, self.work(&timer)).await })
    }

    /// These call the payment provider; webhooks are folded without it.
    fn share_a_third_party(&self) -> &'static [&'static [&'static str]] {
        &[&[
            POLL_ORDER,
            ASK_SOLD_ORDER,
            REFUND,
            CLOSE_LINK,
            nightly::SETTLE_DAY,
            nightly::LIST_PAYMENTS,
        ]]
    }
}
