//! What the edge refuses, counted by reason: one call beside each refusal.

use runtime::metrics::Label;
use runtime::metrics::catalogue::EDGE_REFUSALS;

/// Why a connection or request was refused before a service saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// A connection for which there was no room, in all or for its network.
    Connection,
    /// A client sent far more than its requests need, or reset most of them.
    Flood,
    /// A client took its response too slowly.
    SlowReader,
    /// Too many requests were in progress, in all or for a network.
    RequestsInProgress,
    /// An account had too many streams open.
    OpenStreams,
    /// An address had too many requests.
    AddressRate,
    /// An account had too many requests.
    AccountRate,
    /// An address tried to sign in too often.
    SignInRate,
    /// An address renewed sessions too often.
    RefreshRate,
    /// An address sent too many webhooks that were refused.
    WebhookRate,
    /// An address sent too many reviews.
    ReviewRate,
    /// An address asked for too many pictures, or sent too many.
    PictureRate,
    /// An address sent too many forms.
    FormRate,
    /// An address unsubscribed too often.
    UnsubscribeRate,
    /// A body is larger than any that is good.
    BodySize,
    /// There was no memory for a body, in all or for its network.
    BodyBudget,
    /// A body did not arrive in time.
    BodyTimeout,
}

impl Refusal {
    const ALL: [Self; 17] = [
        Self::Connection,
        Self::Flood,
        Self::SlowReader,
        Self::RequestsInProgress,
        Self::OpenStreams,
        Self::AddressRate,
        Self::AccountRate,
        Self::SignInRate,
        Self::RefreshRate,
        Self::WebhookRate,
        Self::ReviewRate,
        Self::PictureRate,
        Self::FormRate,
        Self::UnsubscribeRate,
        Self::BodySize,
        Self::BodyBudget,
        Self::BodyTimeout,
    ];

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

    fn word(self) -> &'static str {
        match self {
            Self::Connection => "connection",
            Self::Flood => "flood",
            Self::SlowReader => "slow_reader",
            Self::RequestsInProgress => "requests_in_progress",
            Self::OpenStreams => "open_streams",
            Self::AddressRate => "address_rate",
            Self::AccountRate => "account_rate",
            Self::SignInRate => "sign_in_rate",
            Self::RefreshRate => "refresh_rate",
            Self::WebhookRate => "webhook_rate",
            Self::ReviewRate => "review_rate",
            Self::PictureRate => "picture_rate",
            Self::FormRate => "form_rate",
            Self::UnsubscribeRate => "unsubscribe_rate",
            Self::BodySize => "body_size",
            Self::BodyBudget => "body_budget",
            Self::BodyTimeout => "body_timeout",
        }
    }
}
