//! The process dies between the moment at which Zoom has made a meeting and that at which it is
//! recorded.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command};

use booking::domain::claim_policy::ClaimPolicy;
use contract::booking::v1::BookingState;
use testkit::{TestUsers, free_address, until};

use crate::fakes;
use crate::third_parties::ThirdParties;
use crate::world::{CONSENT_KEY, FEED_KEY, World, folder, practice_of_two};
use crate::zoom_rooms::{meetings, paid, places};

/// A practice's folder with meetings at Zoom, and one of failpoints.
pub(crate) struct Folders {
    pub(crate) practice: PathBuf,
    failpoints: PathBuf,
}

impl Drop for Folders {
    fn drop(&mut self) {
        // What is left of a failed test is of no use.
        drop(fs::remove_dir_all(self.practice.parent().unwrap()));
    }
}

/// The sample practice that meets as a table says.
pub(crate) fn folders_with(table: &str) -> Folders {
    let root = std::env::temp_dir().join(format!("zoom-{}", eventstore::new_uuid().simple()));
    let (practice, failpoints) = (root.join("practice"), root.join("failpoints"));
    fs::create_dir_all(&practice).unwrap();
    fs::create_dir_all(failpoints.join("arm")).unwrap();
    for entry in fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|it| it == "toml") {
            fs::copy(&path, practice.join(path.file_name().unwrap())).unwrap();
        }
    }
    let file = practice.join("practice.toml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(file, format!("{text}\n[meetings]\n{table}\n")).unwrap();
    Folders { practice, failpoints }
}

/// The booking service as a process of its own, on the database of a world.
async fn process(world: &World, server: &ThirdParties, folders: &Folders) -> Child {
    let users = TestUsers::new("http://127.0.0.1/auth/v1").unwrap();
    let nowhere = format!("http://{}", free_address().unwrap());
    let zoom = places(server).zoom.unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_booking"));
    command
        .env_clear()
        .env("SUKOON_MODE", "development")
        .env("FAILPOINTS_DIR", &folders.failpoints)
        .env("BOOKING_LISTEN", free_address().unwrap().to_string())
        .env("BOOKING_DATABASE_URL", &world.db.url)
        .env("NATS_URL", format!("nats://booking:word@{}", free_address().unwrap()))
        .env("PRACTICE_DIR", &folders.practice)
        .env("PUBLIC_URL", "http://127.0.0.1:8080")
        .env("BOOKING_CONSENT_KEY", CONSENT_KEY)
        .env("BOOKING_FEED_KEY", FEED_KEY)
        .env("BOOKING_MEETING_ZOOM_URL", &zoom.url)
        .env("BOOKING_MEETING_ZOOM_TOKEN_URL", &zoom.token_url)
        .env("BOOKING_MEETING_ZOOM_ACCOUNT", &zoom.account)
        .env("BOOKING_MEETING_ZOOM_CLIENT", &zoom.client)
        .env("BOOKING_MEETING_ZOOM_SECRET", "demo-zoom-secret")
        .env("TOKEN_JWKS_URL", fakes::jwks(users.jwks()).await)
        .env("TOKEN_ISSUER", "http://127.0.0.1/auth/v1")
        .env("CALLER_PRIVATE_KEY", world.keys.private_key("booking").unwrap())
        .env("CALLER_PUBLIC_KEYS", world.keys.public_keys());
    for name in ["CATALOGUE_URL", "PAYMENTS_URL", "NOTIFICATIONS_URL"] {
        command.env(name, &nowhere);
    }
    command.spawn().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_dies_between_made_and_recorded_leaves_one_meeting() {
    let server = ThirdParties::start().await;
    let world = World::of(practice_of_two(), ClaimPolicy::Review).await;
    let id = paid(&world, 1, 11).await;
    let folders = folders_with("provider = \"zoom\"\nuser = \"asha@example.org\"");
    fs::write(folders.failpoints.join("arm/booking.meeting.after"), "").unwrap();
    let mut first = process(&world, &server, &folders).await;
    let died = folders.failpoints.join("died/booking.meeting.after");
    until("the process dies", async || Ok(died.exists().then_some(()))).await.unwrap();
    first.wait().unwrap();
    assert_eq!(meetings(&server).await.len(), 1);
    assert_eq!(world.state(id).await, BookingState::Confirmed);
    let mut second = process(&world, &server, &folders).await;
    let booking = world.reaches(id, BookingState::MeetingScheduled).await;
    second.kill().unwrap();
    second.wait().unwrap();
    let made = meetings(&server).await;
    assert_eq!(made.len(), 1);
    assert_eq!(made[0]["join_url"], booking.join_url.as_str());
}
