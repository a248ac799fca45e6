//! The rules for the practice's values, checked all at once.

use std::collections::HashSet;

use kernel::PracticeLate;
use kernel::cancellation_policy::{
    GRACE_MONTHS_MAX, GRACE_TIMES_MAX, MOVES_MAX, NOTICE_HOURS_MAX, TIERS_MAX,
};

use super::embedding;
use super::meeting_places;
use super::problems::Problems;
use super::values::{
    Availability, BlockedTime, Brand, CalendarKind, DarkBrand, Identity, LEAD_ID, Location, Mails,
    Papers, Policies, Practice, Receipts, ReviewChoices, Tax,
};

/// The longest name of a thing that a review can be about.
const REVIEW_SERVICE_CHARS_MAX: usize = 80;
/// The longest id and the longest name of a practitioner, and the most practitioners.
const PRACTITIONER_ID_CHARS_MAX: usize = 32;
const PRACTITIONER_NAME_CHARS_MAX: usize = 80;
const PRACTITIONERS_MAX: usize = 20;
/// The longest id of a calendar, and the most calendars.
const CALENDAR_ID_CHARS_MAX: usize = 32;
const CALENDARS_MAX: usize = 20;

/// Every invalid value, as its key and the reason.
pub(super) fn problems(practice: &Practice) -> Vec<String> {
    let mut found = Problems::default();
    identity(&mut found, &practice.practice);
    location(&mut found, &practice.location);
    policies(&mut found, &practice.policies);
    availability(&mut found, &practice.availability, practice.policies.hold_minutes);
    practitioners(&mut found, practice);
    calendars(&mut found, practice);
    reviews(&mut found, &practice.reviews);
    mails(&mut found, &practice.mails);
    receipts(&mut found, &practice.receipts);
    embedding::origins(&mut found, &practice.embedding);
    embedding::widgets(&mut found, &practice.scheduling_widgets);
    meeting_places::problems(&mut found, practice);
    colours(&mut found, &practice.brand);
    let mut keys = HashSet::new();
    for figure in &practice.figures {
        found.unless(keys.insert(&figure.key), "figures.key", "a key stands only once");
        found.text("figures.value", &figure.value);
        found.text("figures.label", &figure.label);
    }
    found.into_list()
}

fn identity(found: &mut Problems, identity: &Identity) {
    for (key, value) in [
        ("practice.name", &identity.name),
        ("practice.practitioner_name", &identity.practitioner_name),
        ("practice.address", &identity.address),
        ("practice.city", &identity.city),
        ("practice.region", &identity.region),
        ("practice.time_zone_label", &identity.zone_label),
        ("practice.contact_hours", &identity.contact_hours),
        ("practice.support_hours", &identity.support_hours),
        ("practice.crisis_note", &identity.crisis_note),
    ] {
        found.text(key, value);
    }
    found.phone("practice.phone", &identity.phone);
    if !identity.whatsapp.is_empty() {
        found.phone("practice.whatsapp", &identity.whatsapp);
    }
    found.email("practice.email", &identity.email);
    found.email("practice.notices_email", &identity.notices_email);
}

fn location(found: &mut Problems, location: &Location) {
    found.text("location.name", &location.name);
    found.text("location.address", &location.address);
    let web = location.map_url.is_empty() || location.map_url.starts_with("https://");
    found.unless(web, "location.map_url", "it must begin with https://, or be empty");
}

fn policies(found: &mut Problems, policies: &Policies) {
    found.range("policies.cancellation_hours", policies.cancellation_hours, 0..=720);
    cancellation_steps(found, policies);
    let latest = policies.move_until_hours.map_or(0, i32::from);
    found.range("policies.move_until_hours", latest, 0..=i32::from(NOTICE_HOURS_MAX));
    found.range("policies.moves_max", i32::from(policies.moves_max), 0..=i32::from(MOVES_MAX));
    if let Some(grace) = policies.grace {
        let (times, months) = (GRACE_TIMES_MAX.into(), GRACE_MONTHS_MAX.into());
        found.range("policies.grace.times", grace.times.into(), 1..=times);
        found.range("policies.grace.months", grace.months.into(), 1..=months);
        found.range("policies.grace.refund_percent", grace.refund_percent.into(), 1..=100);
    }
    found.range("policies.hold_minutes", policies.hold_minutes, 1..=120);
    found.range("policies.hold_extended_minutes", policies.hold_extended_minutes, 1..=240);
    found.unless(
        policies.hold_extended_minutes >= policies.hold_minutes,
        "policies.hold_extended_minutes",
        "it must not be less than hold_minutes",
    );
    found.range("policies.live_holds_max", policies.live_holds_max, 1..=20);
    found.range("policies.desk_limit_rupees", policies.desk_limit_rupees, 0..=1_000_000);
    found.range("policies.join_early_minutes", policies.join_early_minutes, 0..=120);
    found.text("policies.refund_days_text", &policies.refund_days_text);
    found.text("policies.reply_days_text", &policies.reply_days_text);
}

/// Each step ends later than the one before it and gives less; the first follows the whole price.
fn cancellation_steps(found: &mut Problems, policies: &Policies) {
    let key = "policies.cancellation_steps";
    let most = TIERS_MAX - 2;
    let few = policies.cancellation_steps.len() <= most;
    found.unless(few, key, &format!("there are at most {most} further steps"));
    let (mut hours, mut percent) = (policies.cancellation_hours, 100);
    for step in &policies.cancellation_steps {
        let is_lower = (1..percent).contains(&step.refund_percent);
        let falls = i32::from(step.until_hours) < hours && is_lower;
        let why = "each step has fewer hours and a lower percentage than the one before it, the \
                   first fewer hours than cancellation_hours and less than 100, and none has 0";
        found.unless(falls, key, why);
        (hours, percent) = (i32::from(step.until_hours), step.refund_percent);
    }
    let given = policies.cancellation_steps.iter().map(|step| step.practice_late);
    let is_share = |late: PracticeLate| match late {
        PracticeLate::Share(percent) => (1..=100).contains(&percent),
        PracticeLate::Nothing | PracticeLate::FreeSession => true,
    };
    found.unless(
        given.chain([policies.practice_late]).all(is_share),
        "policies.practice_late",
        "a share must be from 1% to 100%",
    );
}

fn availability(found: &mut Problems, availability: &Availability, hold_minutes: i32) {
    hours(found, "availability", availability);
    found.unless(!availability.weekdays.is_empty(), "availability.weekdays", "it is empty");
    found.range("availability.step_minutes", availability.step_minutes, 5..=1440);
    found.range("availability.notice_minutes", availability.notice_minutes, 0..=10_080);
    found.unless(
        availability.notice_minutes >= hold_minutes,
        "availability.notice_minutes",
        "it must not be less than hold_minutes: a session could begin before it is paid",
    );
    found.range("availability.horizon_days", availability.horizon_days, 1..=365);
}

/// Days and times, of the practice or of one practitioner.
fn hours(found: &mut Problems, section: &str, hours: &Availability) {
    let mut days = HashSet::new();
    let once = hours.weekdays.iter().all(|day| days.insert(day.to_monday_zero_offset()));
    found.unless(once, &format!("{section}.weekdays"), "a day stands only once");
    found.unless(
        hours.first_start <= hours.last_start,
        &format!("{section}.last_start"),
        "it must not be before first_start",
    );
    let ends_after_its_begin = |blocked: &BlockedTime| blocked.from < blocked.to;
    found.unless(
        hours.blocked_times.iter().all(ends_after_its_begin),
        &format!("{section}.blocked_times.to"),
        "it must be after from",
    );
}

fn practitioners(found: &mut Problems, practice: &Practice) {
    let key = "practitioners.practitioner_id";
    let mut ids = HashSet::new();
    for further in &practice.practitioners {
        let id = &further.practitioner_id;
        let allowed = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        let good = (1..=PRACTITIONER_ID_CHARS_MAX).contains(&id.len()) && id.bytes().all(allowed);
        found.unless(good, key, "it must be 1 to 32 small letters, digits and hyphens");
        found.unless(id != LEAD_ID, key, "lead is the practitioner of practice.practitioner_name");
        found.unless(ids.insert(id), key, "an id stands only once");
        let section = if good { format!("practitioners.{id}") } else { "practitioners".to_owned() };
        let name_key = format!("{section}.name");
        found.text(&name_key, &further.name);
        let short = further.name.chars().count() <= PRACTITIONER_NAME_CHARS_MAX;
        found.unless(short, &name_key, "a name has at most 80 characters");
        hours(found, &section, &further.hours(&practice.availability));
    }
    let few = practice.practitioners.len() < PRACTITIONERS_MAX;
    found.unless(few, "practitioners", "there are at most 20 practitioners");
}

/// Practitioners' own calendars.
fn calendars(found: &mut Problems, practice: &Practice) {
    let key = "calendars.calendar_id";
    let mut ids = HashSet::new();
    for calendar in &practice.calendars {
        let id = &calendar.calendar_id;
        let allowed = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        let good = (1..=CALENDAR_ID_CHARS_MAX).contains(&id.len()) && id.bytes().all(allowed);
        found.unless(good, key, "it must be 1 to 32 small letters, digits and hyphens");
        found.unless(ids.insert(id), key, "an id stands only once");
        let section = if good { format!("calendars.{id}") } else { "calendars".to_owned() };
        let whose = &calendar.practitioner_id;
        let known = whose == LEAD_ID
            || practice.practitioners.iter().any(|it| it.practitioner_id == *whose);
        found.unless(known, &format!("{section}.practitioner_id"), "there is no such practitioner");
        let is_address = |text: &String| text.trim() == text && text.split('@').count() == 2;
        let why = "each must be a mail address";
        let invited = calendar.invited_as.iter().all(is_address);
        found.unless(invited, &format!("{section}.invited_as"), why);
        let (url, username) = (format!("{section}.url"), format!("{section}.username"));
        match calendar.kind {
            CalendarKind::Address => {
                let why = "the address of a calendar is a secret, and belongs to the settings";
                found.unless(calendar.url.is_empty(), &url, why);
                let why = "only a caldav calendar has one";
                found.unless(calendar.username.is_empty(), &username, why);
            }
            CalendarKind::Caldav => {
                // A server on the machine itself is for trials; booking decides whether it may be.
                let web = ["https://", "http://127.0.0.1:"];
                let web = web.iter().any(|start| calendar.url.starts_with(start));
                found.unless(web, &url, "it must begin with https://");
                let has_user = authority(&calendar.url).contains('@');
                found.unless(!has_user, &url, "no name or password belongs here");
                found.text(&username, &calendar.username);
            }
        }
    }
    let few = practice.calendars.len() <= CALENDARS_MAX;
    found.unless(few, "calendars", "there are at most 20 calendars");
}

/// The part of an address that may hold a name and a password. A mail address in its path is none:
/// many servers have an account's calendars at one.
fn authority(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = rest.trim_start_matches(['/', '\\']);
    rest.split(['/', '\\', '?', '#']).next().unwrap_or_default()
}

fn reviews(found: &mut Problems, reviews: &ReviewChoices) {
    let key = "reviews.services";
    found.unless(!reviews.services.is_empty(), key, "it is empty");
    let mut choices = HashSet::new();
    found.unless(reviews.services.iter().all(|it| choices.insert(it)), key, "a choice stands once");
    for choice in &reviews.services {
        found.text(key, choice);
        let short = choice.chars().count() <= REVIEW_SERVICE_CHARS_MAX;
        found.unless(short, key, "a choice has at most 80 characters");
    }
}

fn mails(found: &mut Problems, mails: &Mails) {
    found.range("mails.reminder_hours", mails.reminder_hours, 1..=168);
    found.range("mails.second_reminder_hours", mails.second_reminder_hours, 0..=48);
    found.unless(
        mails.second_reminder_hours < mails.reminder_hours,
        "mails.second_reminder_hours",
        "it must be less than reminder_hours",
    );
    found.range("mails.follow_up_minutes", mails.follow_up_minutes, 0..=10_080);
}

fn receipts(found: &mut Problems, receipts: &Receipts) {
    let Receipts { papers, tax, gst_percent, gstin, .. } = receipts;
    let capital = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit();
    let prefixes = [
        ("receipts.prefix", &receipts.prefix),
        ("receipts.invoice_prefix", &receipts.invoice_prefix),
        ("receipts.refund_voucher_prefix", &receipts.refund_voucher_prefix),
        ("receipts.credit_note_prefix", &receipts.credit_note_prefix),
    ];
    for (at, (key, prefix)) in prefixes.iter().enumerate() {
        let good = (1..=3).contains(&prefix.len()) && prefix.bytes().all(capital);
        found.unless(good, key, "it must be one to three capital letters or digits");
        let is_new = prefixes.iter().take(at).all(|(_, other)| other != prefix);
        found.unless(is_new, key, "another kind of paper has this prefix already");
    }
    found.range("receipts.gst_percent", *gst_percent, 1..=40);
    let good = gstin.is_empty() || (gstin.len() == 15 && gstin.bytes().all(capital));
    found.unless(good, "receipts.gstin", "it must be 15 capital letters and digits, or empty");
    let named = *tax == Tax::None || !gstin.is_empty();
    found.unless(named, "receipts.gstin", "with tax = \"gst\" it must be given");
    let named = *papers == Papers::Receipt || !gstin.is_empty();
    found.unless(named, "receipts.gstin", "with papers = \"all\" it must be given");
}

fn colours(found: &mut Problems, brand: &Brand) {
    let Brand { primary, on_primary, background, surface, ink, ink_soft, line, soft, dark } = brand;
    for (key, value) in [
        ("brand.primary", primary),
        ("brand.on_primary", on_primary),
        ("brand.background", background),
        ("brand.surface", surface),
        ("brand.ink", ink),
        ("brand.ink_soft", ink_soft),
        ("brand.line", line),
        ("brand.soft", soft),
    ] {
        found.colour(key, value);
    }
    let DarkBrand { primary, on_primary, background, surface, ink, ink_soft, line, soft } = dark;
    for (key, value) in [
        ("brand.dark.primary", primary),
        ("brand.dark.on_primary", on_primary),
        ("brand.dark.background", background),
        ("brand.dark.surface", surface),
        ("brand.dark.ink", ink),
        ("brand.dark.ink_soft", ink_soft),
        ("brand.dark.line", line),
        ("brand.dark.soft", soft),
    ] {
        found.colour(key, value);
    }
}
