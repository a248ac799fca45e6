//! Pictures of reviews: uploads up to a size, standard errors, and downloads with safe headers.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use bytes::Bytes;
use contract::common::v1::ErrorDetail;
use futures::StreamExt as _;
use http::StatusCode;
use prost::Message as _;
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::harness::{TestGateway, TestOptions, rate_limit};

const PICTURE: &str = "/pictures/0123456789abcdef0123456789abcdef-large.webp";
const MEBIBYTE: usize = 1024 * 1024;

async fn upload(gateway: &TestGateway, body: impl Into<reqwest::Body>) -> reqwest::Response {
    let post =
        gateway.client.post(gateway.url("/uploads/reviews")).header("content-type", "image/png");
    let post = post.header("cookie", "admin=x").header("x-forwarded-for", "203.0.113.5");
    post.body(body).send().await.unwrap()
}

struct ErrorReply {
    status: StatusCode,
    code: String,
    message: String,
    reason: String,
}

async fn error_reply(answer: reqwest::Response) -> ErrorReply {
    let status = answer.status();
    assert_eq!(answer.headers()["content-type"], "application/json");
    let error: Value = answer.json().await.unwrap();
    let value = error["details"][0]["value"].as_str().unwrap();
    let detail = ErrorDetail::decode(STANDARD_NO_PAD.decode(value).unwrap().as_slice()).unwrap();
    assert_eq!(detail.reference_id.len(), 32);
    let text = |name: &str| error[name].as_str().unwrap().to_owned();
    ErrorReply { status, code: text("code"), message: text("message"), reason: detail.reason }
}

fn is_too_large(error: &ErrorReply) {
    assert_eq!(error.status, StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(
        (error.code.as_str(), error.reason.as_str()),
        ("resource_exhausted", "IMAGE_TOO_LARGE")
    );
    assert_eq!(error.message, "Please select an image smaller than 5MB.");
}

#[tokio::test]
async fn a_picture_passes_byte_for_byte() {
    let gateway = TestGateway::new().await;
    let bytes: Vec<u8> = (0..=250).cycle().take(5 * MEBIBYTE).collect();
    let answer = upload(&gateway, bytes.clone()).await;
    assert_eq!(answer.status(), StatusCode::CREATED);
    assert_eq!(answer.headers()["cache-control"], "no-store");
    let made: Value = answer.json().await.unwrap();
    assert_eq!(made["imageId"], "img_1");
    let seen = gateway.reviews.http.lock().unwrap();
    let (path, headers, got) = seen.last().unwrap();
    assert_eq!(path, "/uploads/reviews");
    assert!(got == &bytes);
    assert_eq!(headers["content-type"], "image/png");
    assert_eq!(headers["content-length"], bytes.len().to_string());
    assert_eq!(headers["x-forwarded-for"], "127.0.0.1");
    assert!(headers.contains_key("traceparent") && !headers.contains_key("cookie"));
}

#[tokio::test]
async fn the_services_errors_arrive_as_standard_errors() {
    let gateway = TestGateway::new().await;
    let error = error_reply(upload(&gateway, "GIF89a").await).await;
    assert_eq!(error.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    assert_eq!((error.code.as_str(), error.reason.as_str()), ("invalid_argument", "INVALID_IMAGE"));
    assert_eq!(error.message, "Please select a valid image file.");

    let busy = upload(&gateway, "BUSY").await;
    assert_eq!(busy.headers()["retry-after"], "2");
    let error = error_reply(busy).await;
    assert_eq!(error.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!((error.code.as_str(), error.reason.as_str()), ("unavailable", "BUSY"));

    let error = error_reply(upload(&gateway, "OOPS").await).await;
    assert_eq!(
        (error.code.as_str(), error.reason.as_str()),
        ("unavailable", "SERVICE_UNAVAILABLE")
    );
    assert!(!error.message.contains("secret"));
}

#[tokio::test]
async fn a_picture_that_is_too_large_is_refused() {
    let gateway = TestGateway::new().await;
    is_too_large(&error_reply(upload(&gateway, vec![1; 6 * MEBIBYTE]).await).await);
    // Without a content length the size is known only at the end.
    let piece = Bytes::from(vec![1; 64 * 1024]);
    let pieces = futures::stream::iter(0..6 * 16).map(move |_| Ok(piece.clone()));
    let body = reqwest::Body::wrap(http_body(pieces));
    is_too_large(&error_reply(upload(&gateway, body).await).await);
    assert!(
        gateway.reviews.http.lock().unwrap().is_empty(),
        "a part of it was taken for the whole"
    );
}

/// A chunked body of unknown length.
fn http_body(
    pieces: impl futures::Stream<Item = Result<Bytes, std::io::Error>> + Send + Unpin + 'static,
) -> Pieces {
    Pieces(std::sync::Mutex::new(Box::new(pieces)))
}

type Source = Box<dyn futures::Stream<Item = Result<Bytes, std::io::Error>> + Send + Unpin>;

struct Pieces(std::sync::Mutex<Source>);

impl hyper::body::Body for Pieces {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<hyper::body::Frame<Bytes>, std::io::Error>>> {
        let polled = self.get_mut().0.get_mut().unwrap().poll_next_unpin(context);
        polled.map(|piece| piece.map(|piece| piece.map(hyper::body::Frame::data)))
    }
}

#[tokio::test]
async fn an_announced_flood_is_refused_before_it_comes() {
    let gateway = TestGateway::new().await;
    let address = gateway.base.trim_start_matches("http://").to_owned();
    let mut stream = TcpStream::connect(&address).await.unwrap();
    let head = "POST /uploads/reviews HTTP/1.1\r\nhost: localhost\r\n\
                content-length: 99999999999\r\nexpect: 100-continue\r\nconnection: close\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
    assert!(answer.contains("Please select an image smaller than 5MB."), "{answer}");
}

#[tokio::test]
async fn an_aborted_upload_is_not_stored() {
    let gateway = TestGateway::new().await;
    let address = gateway.base.trim_start_matches("http://").to_owned();
    let mut stream = TcpStream::connect(&address).await.unwrap();
    let head = "POST /uploads/reviews HTTP/1.1\r\nhost: localhost\r\n\
                transfer-encoding: chunked\r\n\r\n4\r\nRIFF\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    drop(stream);
    let whole = upload(&gateway, "RIFF and the rest").await;
    assert_eq!(whole.status(), StatusCode::CREATED);
    let seen = gateway.reviews.http.lock().unwrap();
    let bodies: Vec<_> = seen.iter().map(|(_, _, body)| body.as_slice()).collect();
    assert_eq!(bodies, [b"RIFF and the rest"]);
}

#[tokio::test]
async fn uploads_are_posted_within_the_limit_while_reviews_is_there() {
    let gateway = TestGateway::new().await;
    let read = gateway.get("/uploads/reviews").await;
    assert_eq!(read.status(), StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(read.headers()["allow"], "POST");

    let mut options = TestOptions::default();
    options.rate_limits.reviews = rate_limit(1, 1);
    let gateway = TestGateway::with_options(options).await;
    assert_eq!(upload(&gateway, "x").await.status(), StatusCode::CREATED);
    // A browser gets the response although it has not sent everything yet.
    let error = upload(&gateway, vec![1; 5 * MEBIBYTE]).await;
    assert!(error.headers().contains_key("retry-after"));
    let error = error_reply(error).await;
    assert_eq!(error.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(error.reason, "TOO_MANY_REQUESTS");

    let mut options = TestOptions::default();
    options.rate_limits.address = rate_limit(1, 1);
    let gateway = TestGateway::with_options(options).await;
    assert_eq!(upload(&gateway, "x").await.status(), StatusCode::CREATED);
    let error = error_reply(upload(&gateway, vec![1; 5 * MEBIBYTE]).await).await;
    assert_eq!(error.status, StatusCode::TOO_MANY_REQUESTS);

    let gateway =
        TestGateway::with_options(TestOptions { without_services: true, ..TestOptions::default() })
            .await;
    let error = error_reply(upload(&gateway, vec![0; MEBIBYTE]).await).await;
    assert_eq!(error.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(error.reason, "SERVICE_UNAVAILABLE");
}

#[tokio::test]
async fn a_picture_is_shown_with_the_headers_that_keep_it_harmless() {
    let mut options = TestOptions::default();
    options.rate_limits.address = rate_limit(1, 1);
    let gateway = TestGateway::with_options(options).await;
    // Every page shows many, so they don't count for the general limit.
    for _ in 0..3 {
        let answer = gateway.get(PICTURE).await;
        assert_eq!(answer.status(), StatusCode::OK);
        let kept = [
            ("content-type", "image/webp"),
            ("cache-control", "public, max-age=86400, immutable"),
            (
                "content-security-policy",
                "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox",
            ),
            ("x-content-type-options", "nosniff"),
            ("content-disposition", "inline; filename=picture.webp"),
            ("cross-origin-resource-policy", "same-origin"),
        ];
        for (name, value) in kept {
            assert_eq!(answer.headers()[name], value);
            assert_eq!(answer.headers().get_all(name).iter().count(), 1, "{name}");
        }
        assert!(!answer.headers().contains_key("set-cookie"));
        assert_eq!(answer.bytes().await.unwrap(), "RIFF");
    }
    let head = gateway.client.head(gateway.url(PICTURE)).send().await.unwrap();
    assert_eq!(head.status(), StatusCode::OK);
    assert!(head.bytes().await.unwrap().is_empty());
    assert_eq!(gateway.reviews.http.lock().unwrap().len(), 4);
}

#[tokio::test]
async fn downloading_pictures_is_limited_and_forwards_no_credentials() {
    let mut options = TestOptions { trust_proxy: true, ..TestOptions::default() };
    options.rate_limits.pictures = rate_limit(1, 1);
    let gateway = TestGateway::with_options(options).await;
    let look = |address: &'static str| {
        let get = gateway.client.get(gateway.url(PICTURE)).header("x-forwarded-for", address);
        let get = get.bearer_auth("a-token").header("x-moderation-grant", "forged");
        let get = get.header("x-caller-address", "203.0.113.5").header("if-none-match", "\"a\"");
        get.body("a body").send()
    };
    assert_eq!(look("192.0.2.1").await.unwrap().status(), StatusCode::OK);
    let error = look("192.0.2.1").await.unwrap();
    assert!(error.headers().contains_key("retry-after"));
    assert_eq!(error_reply(error).await.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(look("192.0.2.2").await.unwrap().status(), StatusCode::OK);
    let seen = gateway.reviews.http.lock().unwrap();
    assert_eq!(seen.len(), 2);
    let headers = &seen[0].1;
    assert_eq!(headers["if-none-match"], "\"a\"");
    assert_eq!(headers["x-forwarded-for"], "192.0.2.1");
    let kept = ["authorization", "x-moderation-grant", "x-caller-address", "content-length"];
    for name in kept {
        assert!(!headers.contains_key(name), "{name}");
    }
}

#[tokio::test]
async fn a_missing_picture_gives_a_standard_error() {
    let gateway = TestGateway::new().await;
    let error = error_reply(gateway.get("/pictures/gone-large.webp").await).await;
    assert_eq!((error.status, error.reason.as_str()), (StatusCode::NOT_FOUND, "IMAGE_NOT_FOUND"));
    for other in ["/pictures/%2e%2e%2flivez", "/pictures/a%3fb", "/pictures/.x"] {
        assert_eq!(gateway.get(other).await.status(), StatusCode::NOT_FOUND, "{other}");
    }
    assert_eq!(gateway.reviews.http.lock().unwrap().len(), 1, "only a name leads to reviews");
    let post = gateway.client.post(gateway.url(PICTURE)).send().await.unwrap();
    assert_eq!(post.status(), StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(post.headers()["allow"], "GET, HEAD");
}
