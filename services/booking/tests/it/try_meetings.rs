//! The operator's trial of the places for sessions online, as a process of its own.

use std::process::Output;

use serde_json::json;
use tokio::process::Command;

use crate::third_parties::ThirdParties;
use crate::world::FEED_KEY;
use crate::zoom_death::{Folders, folders_with};

/// Runs the command with settings beside those of every place.
async fn tried(folders: &Folders, settings: &[(&str, String)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_booking"));
    command
        .arg("try-meetings")
        .env_clear()
        .env("SUKOON_MODE", "development")
        .env("LOG_FILTER", "error")
        .env("PRACTICE_DIR", &folders.practice)
        .env("BOOKING_FEED_KEY", FEED_KEY)
        .envs(settings.iter().map(|(name, value)| (name, value)));
    command.output().await.unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[tokio::test]
async fn a_trial_at_zoom_makes_one_meeting_and_removes_it_or_says_what_is_wrong() {
    let server = ThirdParties::start().await;
    let folders = folders_with("provider = \"zoom\"\nuser = \"asha@example.org\"");
    let settings = |secret: &str| {
        [
            ("BOOKING_MEETING_ZOOM_URL", format!("{}/zoom/v2", server.url)),
            ("BOOKING_MEETING_ZOOM_TOKEN_URL", format!("{}/zoom/oauth/token", server.url)),
            ("BOOKING_MEETING_ZOOM_ACCOUNT", "demo-zoom-account".to_owned()),
            ("BOOKING_MEETING_ZOOM_CLIENT", "demo-zoom-client".to_owned()),
            ("BOOKING_MEETING_ZOOM_SECRET", secret.to_owned()),
        ]
    };
    let good = tried(&folders, &settings("demo-zoom-secret")).await;
    assert_eq!(text(&good.stdout), "Meera Joshi: a meeting at Zoom was made and removed\n");
    assert!(good.status.success());
    assert_eq!(server.got("/api/zoom").await, json!([]));
    let wrong = tried(&folders, &settings("another-secret")).await;
    let told = text(&wrong.stderr);
    assert!(!wrong.status.success());
    assert!(told.contains("Meera Joshi: Zoom gives no token (400 Bad Request): see the"), "{told}");
    assert!(!told.contains("another-secret"), "{told}");
    let nothing = tried(&folders, &[]).await;
    assert!(text(&nothing.stderr).contains("BOOKING_MEETING_ZOOM_ACCOUNT is not set"));
}

#[tokio::test]
async fn a_trial_elsewhere_says_what_it_found() {
    let server = ThirdParties::start().await;
    let jitsi = format!("provider = \"jitsi\"\nserver = \"{}/jitsi\"", server.url);
    let own = [
        ("BOOKING_MEETING_URL", server.url.clone()),
        ("BOOKING_MEETING_TOKEN", "demo-meeting-token".to_owned()),
    ];
    for (table, settings, found) in [
        ("provider = \"link\"\nlink = \"https://meet.example.org/a\"", vec![], "a fixed link"),
        (jitsi.as_str(), vec![], "the Jitsi server answers"),
        ("", own.to_vec(), "your own provider made a room"),
        ("", own.to_vec(), "your own provider made a room"),
    ] {
        let output = tried(&folders_with(table), &settings).await;
        let told = text(&output.stdout);
        assert!(told.starts_with(&format!("Meera Joshi: {found}")), "{told}");
    }
    // All trials have one room.
    let book = server.got("/api/book").await;
    assert_eq!(book["meetings"].as_array().map(Vec::len), Some(1));
}
