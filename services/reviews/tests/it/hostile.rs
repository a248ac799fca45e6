//! Uploads of two hundred hostile files.

mod polyglots;
mod files;
mod oversized;
mod truncated;

use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use futures::{StreamExt as _, TryStreamExt as _, stream};
use reqwest::StatusCode;
use tokio::process::Command;

use self::files::{Hostile, PAYLOAD, corpus};
use crate::samples::{Format, chunks_of, corners, encoded};
use crate::service_process::{PROGRAM, ServiceProcess};

/// Maximum growth of peak memory compared with valid pictures.
const GROWTH_KIB_MAX: u64 = 64 * 1024;
/// What is said of a file that is no picture that can be shown.
const SAID: &[(&str, &str)] = &[
    ("INVALID_IMAGE", "Please select a valid image file."),
    (
        "OTHER_IMAGE_KIND",
        "This kind of image, such as GIF, HEIC or AVIF, can't be shown. \
         Please select a JPEG, PNG or WebP.",
    ),
    ("ANIMATED_IMAGE", "A moving image can't be shown. Please select a still JPEG, PNG or WebP."),
    ("TOO_MANY_PIXELS", "This image has too many pixels. Please select one of at most 24 million."),
];
/// Concurrent uploads.
const AT_ONCE: usize = 4;
/// Timeout of one upload on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

#[tokio::test]
async fn two_hundred_hostile_files_do_no_harm() -> Result<()> {
    let service = ServiceProcess::new().await?;
    let good = encoded(Format::Jpeg, &corners(1200, 900), None)?;
    for _warming in 0..3 {
        service.upload(good.clone()).await?;
    }
    let (before, taken) = (service.peak_kib()?, service.objects()?.len());
    let files = corpus()?;
    assert_eq!(files.len(), 200);
    let sent = stream::iter(files.into_iter().map(|it| send(&service, it)));
    let taken_more: Vec<bool> = sent.buffer_unordered(AT_ONCE).try_collect().await?;
    let growth = service.peak_kib()?.saturating_sub(before);
    ensure!(growth <= GROWTH_KIB_MAX, "the service grew by {growth} KiB");
    let objects = service.objects()?;
    let pictures = taken_more.into_iter().filter(|taken| *taken).count();
    assert_eq!(objects.len(), taken + 2 * pictures);
    println!("{pictures} of 200 were pictures and made anew; the service grew by {growth} KiB");
    for path in objects {
        let object = std::fs::read(&path)?;
        assert_eq!(chunks_of(&object).context("whole chunks")?, ["VP8 "]);
        assert!(!object.windows(PAYLOAD.len()).any(|window| window == PAYLOAD));
    }
    service.publish(good).await?;
    Ok(())
}

/// Uploads the file; returns whether it was accepted as a picture.
async fn send(service: &ServiceProcess, hostile: Hostile) -> Result<bool> {
    let Hostile { name, bytes, may_be_taken } = hostile;
    // On a busy machine an upload may be rejected as `BUSY`, so it is repeated.
    let answer = testkit::until_within(PATIENCE, &name, async || {
        let answer = service.try_upload(bytes.clone()).await?;
        Ok((answer.text("reason") != "BUSY").then_some(answer))
    })
    .await?;
    let seen = (answer.status, answer.text("reason"), answer.text("message"));
    match answer.status {
        StatusCode::CREATED => {
            ensure!(may_be_taken, "{name} was taken");
            return Ok(true);
        }
        StatusCode::PAYLOAD_TOO_LARGE => {
            let said = ("IMAGE_TOO_LARGE", "Please select an image smaller than 5MB.");
            ensure!((seen.1, seen.2) == said, "{name}: {seen:?}");
        }
        _ => {
            ensure!(seen.0 == StatusCode::UNSUPPORTED_MEDIA_TYPE, "{name}: {seen:?}");
            ensure!(SAID.contains(&(seen.1, seen.2)), "{name}: {seen:?}");
        }
    }
    Ok(false)
}

#[tokio::test]
async fn the_child_has_given_up_what_it_does_not_need() -> Result<()> {
    let mut command = Command::new(PROGRAM);
    command.arg("shrink").env_clear().kill_on_drop(true);
    let piped = std::process::Stdio::piped;
    // The child waits as long as its input is empty.
    let mut child = command.stdin(piped()).stdout(piped()).spawn()?;
    let limits = format!("/proc/{}/limits", child.id().context("it lives")?);
    let wanted = [
        ("Max address space", 512 * 1024 * 1024),
        ("Max cpu time", 8),
        ("Max core file size", 0),
        ("Max file size", 0),
        ("Max open files", 8),
        ("Max processes", 0),
    ];
    testkit::until("it has limits", async || {
        let limits = std::fs::read_to_string(&limits)?;
        let holds = |(name, most): &(&str, u64)| {
            let line = limits.lines().find_map(|line| line.strip_prefix(name));
            line.is_some_and(|line| {
                let numbers = line.split_whitespace().map(str::parse);
                numbers.take(2).all(|number| number == Ok(*most))
            })
        };
        Ok(wanted.iter().all(holds).then_some(()))
    })
    .await?;
    drop(child.stdin.take());
    let answer = child.wait_with_output().await?;
    assert!(answer.status.success());
    assert_eq!(answer.stdout, b"Rk", "nothing is no picture");
    Ok(())
}
