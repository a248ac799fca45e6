//! What the edge refuses, counted by reason: one call beside each refusal.

use runtime::metrics::Label;
use runtime::metrics::catalogue::EDGE_REFUSALS;

kernel::words! {
    /// Why a connection or request was refused before a service saw it.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum Refusal {
        /// A connection for which there was no room, in all or for its network.
        Connection = "connection",
        /// A client sent far more than its requests need, or reset most of them.
        Flood = "flood",
        /// A client took its response too slowly.
        SlowReader = "slow_reader",
        /// Too many requests were in progress, in all or for a network.
        RequestsInProgress = "requests_in_progress",
        /// An account had too many streams open.
        OpenStreams = "open_streams",
        /// An address had too many requests.
        AddressRate = "address_rate",
        /// An account had too many requests.
        AccountRate = "account_rate",
        /// An address tried to sign in too often.
        SignInRate = "sign_in_rate",
        /// An address renewed sessions too often.
        RefreshRate = "refresh_rate",
        /// An address sent too many webhooks that were refused.
        WebhookRate = "webhook_rate",
        /// An address sent too many reviews.
        ReviewRate = "review_rate",
        /// An address asked for too many pictures, or sent too many.
        PictureRate = "picture_rate",
        /// An address sent too many forms.
        FormRate = "form_rate",
        /// An address unsubscribed too often.
        UnsubscribeRate = "unsubscribe_rate",
        /// A body is larger than any that is good.
        BodySize = "body_size",
        /// There was no memory for a body, in all or for its network.
        BodyBudget = "body_budget",
        /// A body did not arrive in time.
        BodyTimeout = "body_timeout",
    }
}

impl Refusal {
    /// Counts one more.
    pub(crate) fn count(self) {
        EDGE_REFUSALS.add(1, &[Label::Reason.of(self.word())]);
    }

    /// Begins each reason with none, so that its first refusal is seen as an increase.
    pub(crate) fn begin_all() {
        for refusal in Self::ALL {
            EDGE_REFUSALS.add(0, &[Label::Reason.of(refusal.word())]);
        }
    }
}
