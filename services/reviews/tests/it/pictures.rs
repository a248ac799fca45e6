//! Uploading, storing, serving and removing pictures.

use anyhow::{Context as _, Result, ensure};
use image::{DynamicImage, ImageFormat, RgbaImage};
use reqwest::StatusCode;
use testkit::until;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::samples::{
    CORNERS, FORMATS, Format, SECRETS, chunks_of, corners, encoded, file, grey_jpeg, turned,
};
use crate::service_process::ServiceProcess;

const AN_HOUR: i64 = 60 * 60;

/// The colours at the centres of the four quarters.
fn quarters(picture: &DynamicImage) -> [[u8; 3]; 4] {
    let rgb = picture.to_rgb8();
    let (width, height) = rgb.dimensions();
    let at = |x: u32, y: u32| rgb.get_pixel(x * width / 4, y * height / 4).0;
    [at(1, 1), at(3, 1), at(1, 3), at(3, 3)]
}

fn is_near(seen: [u8; 3], wanted: [u8; 3]) -> bool {
    seen.into_iter().zip(wanted).all(|(seen, wanted)| seen.abs_diff(wanted) < 24)
}

fn contains(file: &[u8], secret: &str) -> bool {
    file.windows(secret.len()).any(|window| window == secret.as_bytes())
}

#[tokio::test]
async fn every_picture_stands_upright_and_tells_nothing_else() -> Result<()> {
    let service = ServiceProcess::new().await?;
    for format in FORMATS {
        for orientation in 1..=8 {
            let stored = turned(&corners(90, 60), orientation);
            let sent = file(format, &stored, orientation)?;
            ensure!(contains(&sent, "GPS-18.5204N") && contains(&sent, "TRAILING-SECRET"));
            let image = service.publish(sent).await?.image.context("an image")?;
            assert_eq!((image.width, image.height), (90, 60), "{format:?} {orientation}");
            for path in [&image.path, &image.small_path] {
                let served = service.get(path).await?.error_for_status()?.bytes().await?;
                let seen = image::load_from_memory_with_format(&served, ImageFormat::WebP)?;
                assert_eq!((seen.width(), seen.height()), (90, 60));
                let right = quarters(&seen).into_iter().zip(CORNERS).all(|(s, w)| is_near(s, w));
                assert!(right, "{format:?} {orientation}: {:?}", quarters(&seen));
                assert_eq!(chunks_of(&served).context("whole chunks")?, ["VP8 "]);
                for secret in SECRETS {
                    assert!(!contains(&served, secret), "{format:?} {orientation}: {secret}");
                }
            }
        }
    }
    Ok(())
}

#[tokio::test]
async fn large_pictures_are_made_smaller_and_small_ones_stay() -> Result<()> {
    let service = ServiceProcess::new().await?;
    let sizes = [
        ((4000, 3000), (1600, 1200), (480, 360)),
        ((1000, 2000), (800, 1600), (240, 480)),
        ((600, 500), (600, 500), (480, 400)),
        ((8000, 3000), (1600, 600), (480, 180)),
        ((8000, 1), (1600, 1), (480, 1)),
        // A panorama, and what phones of fifty million pixels make.
        ((9000, 2000), (1600, 356), (480, 107)),
        ((8064, 6048), (1600, 1200), (480, 360)),
        ((1, 1), (1, 1), (1, 1)),
    ];
    for (sent, large, small) in sizes {
        let uploaded = service.upload(grey_jpeg(sent.0, sent.1)?).await?;
        assert_eq!((uploaded.side("width"), uploaded.side("height")), large);
        let image =
            service.try_submit(uploaded.text("imageId")).await?.image.context("an image")?;
        assert_eq!((u64::try_from(image.width)?, u64::try_from(image.height)?), large);
        for (path, wanted) in [(&image.path, large), (&image.small_path, small)] {
            let served = service.get(path).await?.error_for_status()?.bytes().await?;
            let seen = image::load_from_memory_with_format(&served, ImageFormat::WebP)?;
            assert_eq!((u64::from(seen.width()), u64::from(seen.height())), wanted);
        }
    }
    Ok(())
}

#[tokio::test]
async fn each_reason_to_refuse_a_picture_has_a_sentence() -> Result<()> {
    let service = ServiceProcess::new().await?;
    let many = encoded(Format::Png, &corners(6000, 4100), None)?;
    let heic = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic".to_vec();
    for (file, reason) in [
        (many, "TOO_MANY_PIXELS"),
        (heic, "OTHER_IMAGE_KIND"),
        (b"GIF89a\x01\0\x01\0".to_vec(), "OTHER_IMAGE_KIND"),
        (b"hello".to_vec(), "INVALID_IMAGE"),
        (Vec::new(), "INVALID_IMAGE"),
    ] {
        let answer = service.try_upload(file).await?;
        assert_eq!(answer.status, StatusCode::UNSUPPORTED_MEDIA_TYPE, "{reason}");
        assert_eq!(answer.text("reason"), reason);
    }
    Ok(())
}

#[tokio::test]
async fn transparent_pixels_become_white() -> Result<()> {
    let service = ServiceProcess::new().await?;
    let mut picture = RgbaImage::from_pixel(40, 40, image::Rgba([200, 0, 0, 0]));
    for (_x, _y, pixel) in picture.enumerate_pixels_mut().filter(|(x, _, _)| *x >= 20) {
        pixel.0 = [0, 0, 0, 255];
    }
    let mut sent = std::io::Cursor::new(Vec::new());
    picture.write_to(&mut sent, ImageFormat::Png)?;
    let image = service.publish(sent.into_inner()).await?.image.context("an image")?;
    let served = service.get(&image.path).await?.bytes().await?;
    let seen = image::load_from_memory_with_format(&served, ImageFormat::WebP)?;
    let [left, right, ..] = quarters(&seen);
    assert!(is_near(left, [255; 3]) && is_near(right, [0; 3]), "{left:?} {right:?}");
    Ok(())
}

#[tokio::test]
async fn a_picture_is_cached_for_a_day_and_can_do_nothing() -> Result<()> {
    let service = ServiceProcess::new().await?;
    let sent = encoded(Format::Png, &corners(30, 20), None)?;
    let image = service.publish(sent).await?.image.context("an image")?;
    let file = image.path.strip_prefix("/pictures/").context("a path")?;
    let got = service.get(&image.path).await?;
    let url = format!("http://{}{}", service.address, image.path);
    let head = service.http.head(&url).send().await?;
    for answer in [&got, &head] {
        assert_eq!(answer.status(), StatusCode::OK);
        let header = |name: &str| answer.headers().get(name).and_then(|it| it.to_str().ok());
        assert_eq!(header("content-type"), Some("image/webp"));
        assert_eq!(header("cache-control"), Some("public, max-age=86400, immutable"));
        assert_eq!(header("x-content-type-options"), Some("nosniff"));
        assert_eq!(
            header("content-security-policy"),
            Some("default-src 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox")
        );
        let disposition = format!("inline; filename=\"{file}\"");
        assert_eq!(header("content-disposition"), Some(disposition.as_str()));
        assert_eq!(header("content-length"), got.headers()["content-length"].to_str().ok());
    }
    assert!(head.bytes().await?.is_empty());
    assert!(!got.bytes().await?.is_empty());
    Ok(())
}

#[tokio::test]
async fn a_picture_is_seen_while_its_review_is() -> Result<()> {
    let service = ServiceProcess::new().await?;
    let uploaded = service.upload(encoded(Format::Jpeg, &corners(30, 20), None)?).await?;
    let name: String = sqlx::query_scalar("select name from review_images")
        .fetch_one(service.store.pool())
        .await?;
    let path = format!("/pictures/{name}-large.webp");
    let hidden = service.get(&path).await?;
    assert_eq!(hidden.status(), StatusCode::NOT_FOUND, "no review has it");
    assert_eq!(hidden.headers()["cache-control"], "no-store");
    let review = service.try_submit(uploaded.text("imageId")).await?;
    assert_eq!(review.image.context("an image")?.path, path);
    assert_eq!(service.get(&path).await?.status(), StatusCode::OK);
    for odd in [
        "/pictures/".to_owned(),
        format!("/pictures/{name}.webp"),
        format!("/pictures/{name}-huge.webp"),
        format!("/pictures/{name}-large.webp%00"),
        format!("/pictures/%2e%2e%2freviews%2f{name}-large.webp"),
        format!("/pictures/../pictures/{name}-large.png"),
        format!("/pictures/{}-large.webp", name.to_uppercase()),
        format!("/pictures/{}-large.webp", "0".repeat(32)),
        "/pictures/%ff%fe".to_owned(),
        format!("/pictures/{}", "a".repeat(3000)),
    ] {
        assert_eq!(service.get(&odd).await?.status(), StatusCode::NOT_FOUND, "{odd}");
    }
    let delete = "update reviews set deleted_at = clock_now(), deleted_by = 'usr_x'";
    service.database.as_owner(delete).await?;
    for size in ["large", "small"] {
        let gone = service.get(&format!("/pictures/{name}-{size}.webp")).await?;
        assert_eq!(gone.status(), StatusCode::NOT_FOUND);
    }
    Ok(())
}

#[tokio::test]
async fn of_two_reviews_that_want_one_picture_one_has_it() -> Result<()> {
    let service = ServiceProcess::new().await?;
    for _round in 0..5 {
        let uploaded = service.upload(encoded(Format::Jpeg, &corners(9, 9), None)?).await?;
        let image_id = uploaded.text("imageId");
        let tries = (0..4).map(|_| service.try_submit(image_id));
        let answers = futures::future::join_all(tries).await;
        assert_eq!(answers.iter().filter(|it| it.is_ok()).count(), 1, "{answers:?}");
        for refused in answers.into_iter().filter_map(Result::err) {
            let detail = runtime::status::detail_of(&refused).context("a reason")?;
            assert_eq!(detail.reason, "IMAGE_NOT_FOUND");
        }
    }
    assert_eq!(service.drop_timers().await?, 0, "what is a review's is not dropped");
    Ok(())
}

#[tokio::test]
async fn an_upload_that_no_review_takes_is_gone_after_an_hour() -> Result<()> {
    let mut service = ServiceProcess::new().await?;
    let kept = service.publish(encoded(Format::Jpeg, &corners(30, 20), None)?).await?;
    let lost = service.upload(encoded(Format::Png, &corners(30, 20), None)?).await?;
    assert_eq!((service.rows().await?, service.objects()?.len()), (2, 4));
    service.restart().await?;
    service.move_clock(AN_HOUR - 60).await?;
    assert_eq!((service.rows().await?, service.drop_timers().await?), (2, 1), "it is not yet time");
    service.move_clock(AN_HOUR + 60).await?;
    until("the upload is gone", async || {
        let gone = service.rows().await? == 1 && service.objects()?.len() == 2;
        Ok((gone && service.drop_timers().await? == 0).then_some(()))
    })
    .await?;
    let refused = service.try_submit(lost.text("imageId")).await.expect_err("it is gone");
    let detail = runtime::status::detail_of(&refused).context("a reason")?;
    assert_eq!(detail.reason, "IMAGE_NOT_FOUND");
    let path = kept.image.context("an image")?.path;
    assert_eq!(service.get(&path).await?.status(), StatusCode::OK);
    Ok(())
}

#[tokio::test]
async fn a_kill_at_any_step_leaves_no_object_behind() -> Result<()> {
    let mut service = ServiceProcess::new().await?;
    let mut hours = 0;
    lose_one(&mut service, &mut hours, None).await?;
    let seen = std::fs::read_dir(service.failpoints.join("seen"))?;
    let names = seen.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
    let mut places = names.collect::<Result<Vec<String>>>()?;
    places.retain(|it| it.contains("picture") || it.contains("drop-image"));
    ensure!(places.len() >= 8, "{places:?}");
    for place in places {
        std::fs::write(service.failpoints.join("arm").join(&place), "")?;
        lose_one(&mut service, &mut hours, Some(&place)).await?;
    }
    Ok(())
}

/// Uploads a picture without a review and waits until it is removed completely, although the
/// process is killed at one place.
async fn lose_one(
    service: &mut ServiceProcess,
    hours: &mut i64,
    place: Option<&str>,
) -> Result<()> {
    let died = place.map(|place| service.failpoints.join("died").join(place));
    let has_died = || died.as_ref().is_some_and(|it| it.exists());
    let small = encoded(Format::Jpeg, &corners(30, 20), None)?;
    until("an upload has begun", async || {
        restart_if_dead(service).await?;
        // A killed process sends no answer.
        Ok((service.try_upload(small.clone()).await.is_ok() || has_died()).then_some(()))
    })
    .await?;
    *hours += 2;
    // At once, because a process that was killed comes to no rest.
    service.database.move_clock(*hours * AN_HOUR).await?;
    until(place.unwrap_or("nothing is left"), async || {
        restart_if_dead(service).await?;
        let left = service.rows().await? > 0 || !service.objects()?.is_empty();
        let done = !left && service.drop_timers().await? == 0;
        Ok((done && (died.is_none() || has_died())).then_some(()))
    })
    .await
}

/// Restarts a killed process and ends its leases at once.
async fn restart_if_dead(service: &mut ServiceProcess) -> Result<()> {
    if service.restart_if_dead().await? {
        let free = "update timers set lease_until_at = '-infinity' where kind = 'drop-image'";
        service.database.as_owner(free).await?;
    }
    Ok(())
}

#[tokio::test]
async fn what_is_too_large_is_refused_whatever_it_says() -> Result<()> {
    let service = ServiceProcess::new().await?;
    let mut large = encoded(Format::Jpeg, &corners(30, 20), None)?;
    large.resize(5 * 1024 * 1024, 0);
    service.upload(large.clone()).await?;
    // The body is drained only up to the last length; beyond it the client may see the connection
    // end.
    for length in [5 * 1024 * 1024 + 1, 6_000_000, 20 * 1024 * 1024] {
        large.resize(length, 0);
        let refused = service.try_upload(large.clone()).await?;
        assert_eq!(refused.status, StatusCode::PAYLOAD_TOO_LARGE);
        assert_eq!(refused.text("reason"), "IMAGE_TOO_LARGE");
        assert_eq!(refused.text("message"), "Please select an image smaller than 5MB.");
    }
    // The same without a content length.
    let mut stream = TcpStream::connect(service.address).await?;
    let head = "POST /uploads/reviews HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes()).await?;
    for part in large.chunks(1 << 20).take(6) {
        stream.write_all(format!("{:x}\r\n", part.len()).as_bytes()).await?;
        stream.write_all(part).await?;
        stream.write_all(b"\r\n").await?;
    }
    stream.write_all(b"0\r\n\r\n").await?;
    let mut answer = vec![0; 12];
    stream.read_exact(&mut answer).await?;
    assert_eq!(String::from_utf8_lossy(&answer), "HTTP/1.1 413");
    Ok(())
}

#[tokio::test]
async fn slow_and_dropped_uploads_leave_nothing_and_take_no_place_for_good() -> Result<()> {
    let service = ServiceProcess::new().await?;
    let good = encoded(Format::Jpeg, &corners(30, 20), None)?;
    let mut open = Vec::new();
    let busy = until("all places are taken", async || {
        let mut stream = TcpStream::connect(service.address).await?;
        let head = "POST /uploads/reviews HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\n";
        stream.write_all(head.as_bytes()).await?;
        stream.write_all(&good).await?;
        open.push(stream);
        let answer = service.try_upload(good.clone()).await?;
        Ok((answer.status != StatusCode::CREATED).then_some(answer))
    })
    .await?;
    assert_eq!(busy.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(busy.text("reason"), "BUSY");
    let rows = service.rows().await?;
    drop(open);
    until("there are places again", async || {
        let answer = service.try_upload(good.clone()).await?;
        Ok((answer.status == StatusCode::CREATED).then_some(()))
    })
    .await?;
    assert_eq!(service.rows().await?, rows + 1);
    Ok(())
}

#[tokio::test]
async fn uploads_that_no_review_took_cannot_fill_the_store() -> Result<()> {
    let service = ServiceProcess::new().await?;
    let good = encoded(Format::Jpeg, &corners(30, 20), None)?;
    let many = "insert into review_images (image_id, name, width, height, uploaded_at)
                select gen_random_uuid(), lpad(to_hex(n), 32, '0'), 1, 1, clock_now()
                from generate_series(1, 499) n";
    service.database.as_owner(many).await?;
    let last = service.upload(good.clone()).await?;
    let mut large = good.clone();
    large.resize(4 * 1024 * 1024, 0);
    for file in [good.clone(), large] {
        let refused = service.try_upload(file).await?;
        assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(refused.text("reason"), "BUSY");
    }
    // Attaching an upload to a review makes room for another.
    service.try_submit(last.text("imageId")).await?;
    service.upload(good).await?;
    Ok(())
}
