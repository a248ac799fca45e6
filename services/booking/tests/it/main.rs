//! The booking service on real PostgreSQL: commands, timers, consumers and calls. Other services
//! answer over the network as in production.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a helper that meets the unexpected fails its test there"
)]

mod world;
mod zones;
mod fakes;
mod grpc_harness;
mod races;
mod hold_limits;
mod holds;
mod requests;
mod slots;
mod money;
mod moves;
mod proposals;
mod handed_over;
mod meetings;
mod meeting_places;
mod jitsi_rooms;
mod zoom_moves;
mod zoom_rooms;
mod zoom_death;
mod try_meetings;
mod calls;
mod day_sessions;
mod desk;
mod claims;
mod cancels;
mod cancellation_policies;
mod blocks;
mod staff;
mod second_factor;
mod process_lifecycle;
mod upgrade;
mod day_snapshots;
mod stepped_clock;
mod group_commit;
mod rebuild;
mod refund_sums;
mod accepted_terms;
mod consents;
mod consent_proof;
mod practitioners;
mod probe;
mod packages;
mod package_sessions;
mod free_sessions;
mod gauges;
mod phone_bookings;
mod page_keys;
mod payment_pages;
mod adoptions;
mod widget_reports;
mod calendar_feeds;
mod client_calendars;
mod busy_calendars;
mod caldav_hosts;
mod radicale;
mod third_parties;
mod scheduling;
mod scheduling_widget;
mod organisation;
mod invitations;
mod join_pages;
mod client_join_pages;
mod own_calendar;
mod own_bookings;
mod own_details;
mod mail_preferences;
mod session_pages;
mod grace;
mod waiting;
mod staff_waiting;
mod dumps;
