//! The application layer, one function per command: load under locks, decide, append events, update
//! the read model.

use eventstore::Store;
use practice::Practice;

use self::consent_secrets::ConsentCodes;
use self::consent_settings::ConsentSettings;
use self::feed_secrets::FeedSecrets;
use self::group_commit::GroupCommit;
use self::hold_origin::OriginHashes;
use self::invitation_keys::InvitationKeys;
use self::page_secrets::PageKeys;
use self::pending_request::PendingRequest;
use self::widget_visits::WidgetVisits;
use crate::clients::calendars::Calendars;
use crate::clients::catalogue::Catalogue;
use crate::clients::meetings::Meetings;
use crate::clients::scheduling::Scheduling;
use crate::domain::availability::Rules;
use crate::domain::claim_policy::ClaimPolicy;
use crate::domain::hold_limit::HoldLimits;
use crate::domain::practitioners::Practitioners;
use crate::repository::DaySnapshotCache;

pub mod request;
mod package_choice;
mod pending_request;
pub mod requester;
pub mod hold_origin;
mod hold_batch;
pub mod practitioner_choice;
pub mod free_session;
pub mod placement;
pub mod request_booking;
pub mod request_phone_booking;
pub mod group_commit;
pub mod open_checkout;
pub mod release_booking;
pub mod confirm_booking;
pub mod claim_payment;
pub mod expire_booking;
pub mod schedule_meeting;
pub mod move_meeting;
pub mod remove_meeting;
pub mod complete_booking;
pub mod list_slots;
pub mod cancel_booking;
pub mod accept_claim;
pub mod find_bookings;
pub mod release_hold;
pub mod mark_attendance;
pub mod block_time;
pub mod booking_history;
pub mod join_page;
pub mod unblock_time;
pub mod list_bookings;
pub mod own_bookings;
pub mod own_details;
pub mod mail_preferences;
pub mod own_actor;
pub mod grace;
pub mod own_cancellation;
pub mod move_times;
pub mod move_booking;
mod move_dates;
mod move_reason;
pub mod propose_move;
pub mod suggested_times;
mod wish;
pub mod waiting;
pub mod end_offer;
pub mod offer_times;
pub mod staff_waiting;
pub mod signed_ids;
pub mod calendar_feed;
pub mod own_calendar;
pub mod feed_secrets;
pub mod page_secrets;
pub mod page_keys;
pub mod invitation_keys;
pub mod staff_scope;
pub mod standing;
pub mod members;
pub mod invitations;
pub mod answer_invitation;
pub mod payment_page;
pub mod send_payment_page;
pub mod renew_page_key;
pub mod adopt_bookings;
pub mod read_calendar;
pub mod calendar_bookings;
pub mod scheduled_event;
pub mod widget_visits;
pub mod consent_settings;
pub mod consent;
pub mod consent_secrets;
pub mod consent_codes;
pub mod page_codes;
pub mod session_page;
pub mod consent_proof;
pub mod shown_texts;
pub mod widget_report;
pub mod probe;
pub mod startup;

/// The dependencies that commands share.
#[derive(Debug)]
pub struct App {
    /// The database.
    pub store: Store,
    /// The practice's settings.
    pub practice: Practice,
    /// The practice's own timetable: its zone and how far ahead can be booked.
    pub rules: Rules,
    /// The practitioners with their timetables.
    pub practitioners: Practitioners,
    /// Snapshots of the practitioners' days.
    pub day_snapshots: DaySnapshotCache,
    /// The queue of requests that are committed in batches.
    pub group_commit: GroupCommit<PendingRequest>,
    /// Prices and session lengths.
    pub catalogue: Catalogue,
    /// The scheduling provider, or our own calendar alone.
    pub scheduling: Scheduling,
    /// Practitioners' own calendars.
    pub calendars: Calendars,
    /// Where sessions online take place.
    pub meetings: Meetings,
    /// The website's URL, without a slash at its end.
    pub public_url: String,
    /// Makes and verifies the secret addresses of practitioners' sessions.
    pub feed_secrets: FeedSecrets,
    /// Makes and verifies the keys of payment pages.
    pub page_keys: PageKeys,
    /// Makes the keys of invitations to the practice's staff.
    pub invitation_keys: InvitationKeys,
    /// What clients consent to.
    pub consent: ConsentSettings,
    /// Makes the codes with which consents on pages are signed.
    pub consent_codes: ConsentCodes,
    /// How a customer's claim to have paid is treated.
    pub claim_policy: ClaimPolicy,
    /// How often times may be held without a payment.
    pub hold_limits: HoldLimits,
    /// Hashes where requests for times come from.
    pub origin_hashes: OriginHashes,
    /// Visits of the page with the scheduling provider's widget.
    pub widget_visits: WidgetVisits,
}
