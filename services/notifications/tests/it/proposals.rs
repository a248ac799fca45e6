//! Another time for which the practice asks, codes for the page of a booking, and what clients
//! choose about reminders and thanks.

use anyhow::Result;
use contract::booking::v1::{
    BookingMoveProposalWithdrawn, BookingMoveProposed, GetConsentCodeMailResponse, MailPreferences,
    MailPreferencesChanged, MoveProposal, PageCodeRequested, SessionMode,
};
use contract::convert::to_wire;
use kernel::id::{Booking, Customer};
use kernel::{Id, Timestamp};

use crate::world::{World, new_id, text};

const CUSTOMER: &str = "asha@example.org";
const STARTS_AT: &str = "2026-11-27T08:30:00Z";
const UNTIL: &str = "2026-11-26T08:30:00Z";

fn at(instant: &str) -> Timestamp {
    instant.parse().unwrap()
}

/// The practice asks for another time of one booking, whose client asks for a code, and keeps that
/// of the other one.
pub(crate) async fn practice_asks(world: &World, [displaced, kept]: [String; 2]) -> Result<()> {
    time_is_to_be_chosen(world, &displaced).await?;
    page_code_is_asked_for(world, &displaced, "displaced@example.org").await?;
    time_is_kept(world, &kept).await
}

/// The practice asks for another time of a booking's session.
async fn time_is_to_be_chosen(world: &World, id: &str) -> Result<()> {
    world.data.change(id, |booking| {
        booking.move_proposal =
            Some(MoveProposal { session_number: 1, choose_until_at: Some(to_wire(at(UNTIL))) });
    });
    world
        .append_event(BookingMoveProposed {
            booking_id: id.to_owned(),
            session_number: 1,
            starts_at: Some(to_wire(at(STARTS_AT))),
            choose_until_at: Some(to_wire(at(UNTIL))),
            proposal_number: 1,
            opens_again: false,
        })
        .await
}

/// The session of a booking takes place at its time after all.
async fn time_is_kept(world: &World, id: &str) -> Result<()> {
    world.data.change(id, |booking| booking.move_proposal = None);
    let booking_id = id.to_owned();
    let event = BookingMoveProposalWithdrawn { booking_id, session_number: 1, proposal_number: 1 };
    world.append_event(event).await
}

/// A code for the page of a booking is asked for.
async fn page_code_is_asked_for(world: &World, id: &str, email: &str) -> Result<()> {
    let code = GetConsentCodeMailResponse {
        email: email.to_owned(),
        first_name: "Asha".to_owned(),
        code: "482913".to_owned(),
        valid_minutes: 15,
    };
    world.data.consent_codes.lock().unwrap().insert((id.to_owned(), 7), code);
    world.append_event(PageCodeRequested { booking_id: id.to_owned(), request_number: 7 }).await
}

async fn booked(world: &World) -> Result<String> {
    let id = world.booking(SessionMode::InPerson);
    let booking_id = id.to_string();
    world.data.change(&booking_id, |booking| {
        booking.sessions[0].starts_at = Some(to_wire(at(STARTS_AT)));
        booking.sessions[0].ends_at = Some(to_wire(at(STARTS_AT).plus_minutes(45)));
    });
    world.confirmed(id).await?;
    world.until_idle().await?;
    Ok(booking_id)
}

/// The client chooses; what booking answers from then on says it.
async fn choose(world: &World, id: &str, hours: &[i32], thanks: bool) -> Result<()> {
    let chosen = MailPreferences { reminder_hours: hours.to_vec(), thanks };
    world.data.preferences.lock().unwrap().insert(id.to_owned(), chosen);
    let customer_id = new_id::<Customer>();
    let booking_ids = vec![id.to_owned()];
    world.append_event(MailPreferencesChanged { customer_id, booking_ids }).await?;
    world.until_idle().await
}

async fn subjects(world: &World) -> Result<Vec<String>> {
    let mails = world.inbox_of(CUSTOMER).await?;
    Ok(mails.iter().map(|mail| text(mail, "subject").to_owned()).collect())
}

/// When the waiting reminders of the one booking are due, by their kind.
async fn due(world: &World) -> Result<Vec<(String, Timestamp)>> {
    let rows = sqlx::query_as(
        "select kind, due_at from mails
         where kind in ('reminder', 'second_reminder') and state = 'queued' order by due_at, kind",
    );
    Ok(rows.fetch_all(world.store.pool()).await?)
}

#[tokio::test]
async fn a_client_is_asked_once_with_free_times_and_not_reminded_meanwhile() -> Result<()> {
    let world = World::new().await?;
    let id = booked(&world).await?;
    let free = ["2026-11-27T10:30:00Z", "2026-11-28T08:30:00Z"].map(at);
    world.data.suggested.lock().unwrap().insert(id.clone(), free.to_vec());
    time_is_to_be_chosen(&world, &id).await?;
    world.until_idle().await?;
    let mails = world.inbox_of(CUSTOMER).await?;
    let mail = mails.last().unwrap();
    let words = text(mail, "text");
    assert_eq!(
        text(mail, "subject"),
        "Please choose another time: Friday 27 November 2026, 2:00 pm IST"
    );
    for said in [
        "Friday 27 November 2026, 4:00 pm IST",
        &format!("/session#key=session-{id}&choose=2026-11-28T08%3A30%3A00Z"),
        "Thursday 26 November 2026, 2:00 pm IST",
    ] {
        assert!(words.contains(said), "{said} in {words}");
    }
    // The reminder of a session that can't be held waits until the choice is over.
    world.set_clock("2026-11-26T08:00:00Z").await?;
    world.until_idle().await?;
    assert_eq!(due(&world).await?[0].0, "reminder");
    time_is_kept(&world, &id).await?;
    world.until_idle().await?;
    let kept = subjects(&world).await?;
    assert!(kept.last().unwrap().starts_with("Your session takes place after all"), "{kept:?}");
    world.set_clock("2026-11-26T08:31:00Z").await?;
    world.until_idle().await?;
    let reminded = subjects(&world).await?;
    assert!(reminded.last().unwrap().starts_with("A reminder of your session"), "{reminded:?}");
    world.end().await
}

#[tokio::test]
async fn the_client_of_a_booking_by_phone_chooses_on_the_page_of_its_payment() -> Result<()> {
    let world = World::new().await?;
    let id = booked(&world).await?;
    world.data.page_keys.lock().unwrap().insert(id.clone(), "by-phone".to_owned());
    let free = vec![at("2026-11-28T08:30:00Z")];
    world.data.suggested.lock().unwrap().insert(id.clone(), free);
    time_is_to_be_chosen(&world, &id).await?;
    world.until_idle().await?;
    let mails = world.inbox_of(CUSTOMER).await?;
    let words = text(mails.last().unwrap(), "text");
    let choice = "/pay/booking#key=by-phone&choose=2026-11-28T08%3A30%3A00Z";
    assert!(words.contains(choice) && !words.contains("/session#key="), "{words}");
    world.end().await
}

#[tokio::test]
async fn a_time_that_was_chosen_before_the_mail_was_due_is_not_asked_for() -> Result<()> {
    let world = World::new().await?;
    let id = booked(&world).await?;
    time_is_to_be_chosen(&world, &id).await?;
    world.data.change(&id, |booking| booking.move_proposal = None);
    let sql = "select count(*) from mails where kind = 'move_proposed' and state = 'sent'";
    world.until_idle().await?;
    let sent: i64 = sqlx::query_scalar(sql).fetch_one(world.store.pool()).await?;
    let asked = subjects(&world).await?.iter().filter(|it| it.contains("another time")).count();
    assert_eq!(i64::try_from(asked)?, sent, "it is sent before the choice or not at all");
    world.end().await
}

#[tokio::test]
async fn a_mail_of_an_earlier_proposal_is_not_sent_for_a_later_one() -> Result<()> {
    let world = World::new().await?;
    let id = booked(&world).await?;
    // Before its mail was due it was withdrawn, and the practice asked again, for the new time.
    let later = MoveProposal { session_number: 1, choose_until_at: Some(to_wire(at(STARTS_AT))) };
    world.data.change(&id, |booking| booking.move_proposal = Some(later));
    world
        .append_event(BookingMoveProposed {
            booking_id: id.clone(),
            session_number: 1,
            starts_at: Some(to_wire(at(STARTS_AT))),
            choose_until_at: Some(to_wire(at(UNTIL))),
            proposal_number: 1,
            opens_again: false,
        })
        .await?;
    world.until_state("move_proposed", "dropped").await?;
    world.end().await
}

#[tokio::test]
async fn a_code_for_the_page_is_one_mail() -> Result<()> {
    let world = World::new().await?;
    let id = booked(&world).await?;
    for _ in 0..2 {
        page_code_is_asked_for(&world, &id, CUSTOMER).await?;
    }
    world.until_idle().await?;
    let mails = world.inbox_of(CUSTOMER).await?;
    let of_code = |mail: &&_| text(mail, "subject") == "Your code for the page of your booking";
    assert_eq!(mails.iter().filter(of_code).count(), 1);
    assert!(text(mails.last().unwrap(), "text").contains("482913"));
    world.end().await
}

#[tokio::test]
async fn a_client_is_reminded_when_it_chose_and_can_choose_again() -> Result<()> {
    let world = World::new().await?;
    let id = booked(&world).await?;
    let usual = due(&world).await?;
    choose(&world, &id, &[4, 1], true).await?;
    let start = at(STARTS_AT);
    let chosen = [("reminder", 4), ("second_reminder", 1)]
        .map(|(kind, hours)| (kind.to_owned(), start.plus_minutes(-60 * hours)));
    assert_eq!(due(&world).await?, chosen);
    // No reminder at all: they wait, because the choice may change.
    choose(&world, &id, &[], true).await?;
    assert!(due(&world).await?.iter().all(|(_kind, at)| *at == start));
    choose(&world, &id, &[24], true).await?;
    assert_eq!(due(&world).await?[0], usual[0]);
    choose(&world, &id, &[], true).await?;
    world.set_clock("2026-11-27T08:40:00Z").await?;
    world.until_idle().await?;
    let reminded = subjects(&world).await?.iter().any(|it| it.contains("reminder"));
    assert!(!reminded, "a client who chose no reminder gets none");
    world.end().await
}

#[tokio::test]
async fn a_client_who_was_reminded_is_not_reminded_again_by_a_choice() -> Result<()> {
    let world = World::new().await?;
    let id = booked(&world).await?;
    world.set_clock("2026-11-26T08:30:00Z").await?;
    world.until_state("reminder", "sent").await?;
    // Ten hours later both moments of the choice are over.
    world.set_clock("2026-11-26T18:30:00Z").await?;
    choose(&world, &id, &[48, 24], true).await?;
    world.until_state("second_reminder", "dropped").await?;
    let told = |all: Vec<String>| all.iter().filter(|it| it.contains("reminder of")).count();
    assert_eq!(told(subjects(&world).await?), 1);
    // One that is still to come is sent then.
    choose(&world, &id, &[24, 4], true).await?;
    let four = at(STARTS_AT).plus_minutes(-4 * 60);
    assert_eq!(due(&world).await?, [("second_reminder".to_owned(), four)]);
    world.end().await
}

#[tokio::test]
async fn a_booking_of_a_client_who_chose_two_reminders_has_both() -> Result<()> {
    let world = World::new().await?;
    let id: Id<Booking> = world.booking(SessionMode::InPerson);
    let booking_id = id.to_string();
    world.data.change(&booking_id, |booking| {
        booking.sessions[0].starts_at = Some(to_wire(at(STARTS_AT)));
        booking.sessions[0].ends_at = Some(to_wire(at(STARTS_AT).plus_minutes(45)));
    });
    let chosen = MailPreferences { reminder_hours: vec![12, 2], thanks: true };
    world.data.preferences.lock().unwrap().insert(booking_id, chosen);
    world.confirmed(id).await?;
    world.until_idle().await?;
    let hours = |hours: i64| at(STARTS_AT).plus_minutes(-60 * hours);
    let both = [("reminder".to_owned(), hours(12)), ("second_reminder".to_owned(), hours(2))];
    assert_eq!(due(&world).await?, both);
    world.end().await
}
