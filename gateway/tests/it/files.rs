//! Files: ranges of a video, as Safari and seeking players request them, and the site's address in
//! place of the build's placeholder.

use http::StatusCode;
use reqwest::Response;

use crate::harness::{TestGateway, TestOptions, media};

const VIDEO: &str = "/media/breath.mp4";

async fn asked(gateway: &TestGateway, path: &str, headers: &[(&str, &str)]) -> Response {
    let mut request = gateway.client.get(gateway.url(path));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.send().await.unwrap()
}

#[tokio::test]
async fn a_video_is_served_in_the_requested_ranges() {
    let gateway = TestGateway::new().await;
    for (range, place, part) in [
        ("bytes=0-1", "bytes 0-1/5000", "01"),
        ("bytes=4995-", "bytes 4995-4999/5000", "56789"),
        ("bytes=-3", "bytes 4997-4999/5000", "789"),
        ("bytes=4998-9999", "bytes 4998-4999/5000", "89"),
    ] {
        // A browser accepts gzip; a range of compressed bytes would be useless.
        let headers = [("range", range), ("accept-encoding", "gzip, br")];
        let answer = asked(&gateway, VIDEO, &headers).await;
        assert_eq!(answer.status(), StatusCode::PARTIAL_CONTENT, "{range}");
        assert_eq!(answer.headers()["content-range"], place);
        assert_eq!(answer.headers()["content-length"], part.len().to_string().as_str());
        assert_eq!(answer.headers()["content-type"], "video/mp4");
        assert_eq!(answer.headers()["accept-ranges"], "bytes");
        assert!(!answer.headers().contains_key("content-encoding"));
        assert!(answer.headers().contains_key("etag"));
        assert_eq!(answer.text().await.unwrap(), part);
    }
}

#[tokio::test]
async fn a_whole_video_announces_range_support() {
    let gateway = TestGateway::new().await;
    let whole = asked(&gateway, VIDEO, &[("accept-encoding", "gzip")]).await;
    assert_eq!(whole.status(), StatusCode::OK);
    assert_eq!(whole.headers()["accept-ranges"], "bytes");
    assert!(!whole.headers().contains_key("content-encoding"));
    assert_eq!(whole.headers()["cache-control"], "public, max-age=3600");
    assert_eq!(whole.text().await.unwrap(), media());
    for ignored in ["bytes=0-1,3-4", "bytes=2-1", "lines=1-2"] {
        let answer = asked(&gateway, VIDEO, &[("range", ignored)]).await;
        assert_eq!(answer.status(), StatusCode::OK, "{ignored}");
        assert_eq!(answer.text().await.unwrap().len(), 5000);
    }
    let head = gateway.client.head(gateway.url(VIDEO)).header("range", "bytes=0-1");
    let head = head.send().await.unwrap();
    assert_eq!(head.status(), StatusCode::OK);
    assert_eq!(head.headers()["content-length"], "5000");
}

#[tokio::test]
async fn file_names_may_have_spaces_capitals_and_any_letters() {
    let gateway = TestGateway::new().await;
    for (path, kind) in [
        ("/media/Tief%20Atmen%20%C3%BCben.MP4", "video/mp4"),
        // Escaped more than necessary.
        ("/media/Tief%20%41tmen%20%c3%bcben%2EMP4", "video/mp4"),
        ("/media/50%25%20more.mov", "video/quicktime"),
    ] {
        let headers = [("range", "bytes=0-1"), ("accept-encoding", "gzip")];
        let part = asked(&gateway, path, &headers).await;
        assert_eq!(part.status(), StatusCode::PARTIAL_CONTENT, "{path}");
        assert_eq!(part.headers()["content-type"], kind);
        assert_eq!(part.headers()["accept-ranges"], "bytes");
        assert!(!part.headers().contains_key("content-encoding"));
        assert_eq!(part.text().await.unwrap(), "01");
    }
    for none in [
        // A name that was escaped twice is another name.
        "/media/Tief%2520Atmen%2520%25C3%25BCben.MP4",
        "/media/tief%20atmen%20%C3%BCben.mp4",
        "/media/%FF.mp4",
        "/media/%00",
    ] {
        assert_eq!(asked(&gateway, none, &[]).await.status(), StatusCode::NOT_FOUND, "{none}");
    }
}

#[tokio::test]
async fn a_range_beyond_a_video_is_unsatisfiable() {
    let gateway = TestGateway::new().await;
    for range in ["bytes=5000-", "bytes=-0", "bytes=99999999999999999999999999-"] {
        let answer = asked(&gateway, VIDEO, &[("range", range)]).await;
        assert_eq!(answer.status(), StatusCode::RANGE_NOT_SATISFIABLE, "{range}");
        assert_eq!(answer.headers()["content-range"], "bytes */5000");
        assert!(answer.bytes().await.unwrap().is_empty());
    }
}

#[tokio::test]
async fn ranges_of_two_different_files_are_never_mixed() {
    let gateway = TestGateway::new().await;
    let tag = asked(&gateway, VIDEO, &[]).await.headers()["etag"].to_str().unwrap().to_owned();
    assert!(tag.starts_with('"'), "{tag}");
    let same = [("range", "bytes=0-1"), ("if-range", tag.as_str())];
    assert_eq!(asked(&gateway, VIDEO, &same).await.status(), StatusCode::PARTIAL_CONTENT);
    for other in ["\"older\"", "Sat, 21 Nov 2026 10:00:00 GMT"] {
        let answer = asked(&gateway, VIDEO, &[("range", "bytes=0-1"), ("if-range", other)]).await;
        assert_eq!(answer.status(), StatusCode::OK, "{other}");
        assert_eq!(answer.text().await.unwrap().len(), 5000);
    }
    let known = [("range", "bytes=0-1"), ("if-none-match", tag.as_str())];
    assert_eq!(asked(&gateway, VIDEO, &known).await.status(), StatusCode::NOT_MODIFIED);
}

/// A client may say by If-Match, too, of which file it has the beginning.
#[tokio::test]
async fn a_download_goes_on_with_the_same_file_only() {
    let gateway = TestGateway::new().await;
    let tag = asked(&gateway, VIDEO, &[]).await.headers()["etag"].to_str().unwrap().to_owned();
    for (known, status) in [
        (tag.clone(), StatusCode::PARTIAL_CONTENT),
        (format!("\"older\", {tag}"), StatusCode::PARTIAL_CONTENT),
        ("*".to_owned(), StatusCode::PARTIAL_CONTENT),
        ("\"older\"".to_owned(), StatusCode::PRECONDITION_FAILED),
        (format!("W/{tag}"), StatusCode::PRECONDITION_FAILED),
    ] {
        let headers = [("range", "bytes=2-3"), ("if-match", known.as_str())];
        let answer = asked(&gateway, VIDEO, &headers).await;
        assert_eq!(answer.status(), status, "{known}");
        let text = answer.text().await.unwrap();
        let is_part = status == StatusCode::PARTIAL_CONTENT;
        assert_eq!(text, if is_part { "23" } else { "" }, "{known}");
    }
    let lines = [("if-none-match", "\"older\""), ("if-none-match", tag.as_str())];
    for known in [&lines[..], &[("if-none-match", "*")]] {
        let answer = asked(&gateway, VIDEO, known).await;
        assert_eq!(answer.status(), StatusCode::NOT_MODIFIED, "{known:?}");
    }
}

#[tokio::test]
async fn captions_are_text_and_pages_have_no_ranges() {
    let gateway = TestGateway::new().await;
    let headers = [("accept-encoding", "gzip"), ("range", "bytes=0-1")];
    let captions = asked(&gateway, "/media/breath.vtt", &headers).await;
    assert_eq!(captions.status(), StatusCode::OK);
    assert_eq!(captions.headers()["content-type"], "text/vtt; charset=utf-8");
    assert_eq!(captions.headers()["content-encoding"], "gzip");
    let page = asked(&gateway, "/services", &headers).await;
    assert_eq!(page.status(), StatusCode::OK);
    assert_eq!(asked(&gateway, "/media/gone.mp4", &headers).await.status(), StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn pages_and_lists_name_the_sites_own_address() {
    let options =
        TestOptions { public: "https://sukoon.example".to_owned(), ..TestOptions::default() };
    let gateway = TestGateway::with_options(options).await;
    for (path, kind, named) in [
        ("/about", "text/html; charset=utf-8", "href=\"https://sukoon.example/about\""),
        ("/sitemap.xml", "application/xml; charset=utf-8", "<loc>https://sukoon.example/about<"),
        ("/robots.txt", "text/plain; charset=utf-8", "Sitemap: https://sukoon.example/sitemap.xml"),
    ] {
        let answer = gateway.get(path).await;
        assert_eq!(answer.status(), StatusCode::OK, "{path}");
        assert_eq!(answer.headers()["content-type"], kind);
        let text = answer.text().await.unwrap();
        assert!(text.contains(named) && !text.contains("site.invalid"), "{text}");
    }
}

#[tokio::test]
async fn only_cards_may_be_shown_by_other_sites() {
    let gateway = TestGateway::new().await;
    for (path, policy) in [("/cards/home.png", "cross-origin"), (VIDEO, "same-origin")] {
        let answer = asked(&gateway, path, &[]).await;
        assert_eq!(answer.status(), StatusCode::OK, "{path}");
        assert_eq!(answer.headers()["cross-origin-resource-policy"], policy, "{path}");
    }
    let card = asked(&gateway, "/cards/home.png", &[]).await;
    assert_eq!(card.headers()["content-type"], "image/png");
}
