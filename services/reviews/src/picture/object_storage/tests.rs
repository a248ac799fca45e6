//! A folder and a bucket of pictures.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::any;
use runtime::Reader;
use url::Url;

use super::{BucketSettings, ObjectStorage};
use crate::picture::name::{Name, Size};

fn folder_storage(folder: &Path) -> ObjectStorage {
    let url = Url::from_directory_path(folder).unwrap();
    ObjectStorage::open(url.as_str(), &BucketSettings::default()).unwrap()
}

async fn keeps(objects: &ObjectStorage) {
    let name = Name::new();
    assert!(objects.get(name, Size::Large).await.unwrap().is_none());
    objects.put(name, Size::Large, Bytes::from_static(b"large")).await.unwrap();
    objects.put(name, Size::Small, Bytes::from_static(b"small")).await.unwrap();
    let read = objects.get(name, Size::Large).await.unwrap().unwrap().bytes().await.unwrap();
    assert_eq!(read, "large");
    // Removing is repeated after a crash.
    for _time in 0..2 {
        objects.remove(name).await.unwrap();
        assert!(objects.get(name, Size::Large).await.unwrap().is_none());
        assert!(objects.get(name, Size::Small).await.unwrap().is_none());
    }
}

#[tokio::test]
async fn a_folder_stores_whole_pictures_only() {
    let folder = std::env::temp_dir().join(format!("pictures-{}", Name::new()));
    let objects = folder_storage(&folder);
    keeps(&objects).await;
    let name = Name::new();
    objects.put(name, Size::Large, Bytes::from_static(b"large")).await.unwrap();
    let half = folder.join("reviews").join(format!("{}#1", name.file_name(Size::Small)));
    std::fs::write(&half, "sma").unwrap();
    objects.remove(name).await.unwrap();
    assert_eq!(std::fs::read_dir(folder.join("reviews")).unwrap().count(), 0);
    std::fs::remove_dir_all(folder).unwrap();
}

type Kept = Arc<Mutex<BTreeMap<String, Bytes>>>;

/// A minimal bucket: checks for signed requests, supports three methods.
async fn bucket(State(kept): State<Kept>, request: Request) -> Response {
    let signed = request.headers().get("authorization").and_then(|it| it.to_str().ok());
    if !signed.is_some_and(|it| it.starts_with("AWS4-HMAC-SHA256 Credential=an-id/")) {
        return StatusCode::FORBIDDEN.into_response();
    }
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let body = axum::body::to_bytes(request.into_body(), 1000).await.unwrap();
    let mut kept = kept.lock().unwrap();
    match method {
        Method::PUT => {
            kept.insert(path, body);
            [("etag", "\"1\"")].into_response()
        }
        Method::DELETE => {
            kept.remove(&path);
            StatusCode::NO_CONTENT.into_response()
        }
        _ => match kept.get(&path) {
            Some(body) => {
                let headers = [("last-modified", "Sat, 21 Nov 2026 06:00:00 GMT")];
                (headers, body.clone()).into_response()
            }
            None => StatusCode::NOT_FOUND.into_response(),
        },
    }
}

#[tokio::test]
async fn a_bucket_keeps_pictures_under_its_prefix() {
    let kept = Kept::default();
    let router = axum::Router::new().fallback(any(bucket)).with_state(Arc::clone(&kept));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    // As any process may have them; the bucket's are those of the source.
    let source: &[(&str, &str)] = &[
        ("AWS_ENDPOINT_URL", &endpoint),
        ("AWS_ALLOW_HTTP", "true"),
        ("AWS_ACCESS_KEY_ID", "an-id"),
        ("AWS_SECRET_ACCESS_KEY", "a-key"),
    ];
    let settings = BucketSettings::read(&Reader::new(&source));
    assert!(!format!("{settings:?}").contains("a-key"), "{settings:?}");
    let objects = ObjectStorage::open("s3://the-bucket/some/where", &settings).unwrap();
    keeps(&objects).await;
    let name = Name::new();
    objects.put(name, Size::Small, Bytes::from_static(b"small")).await.unwrap();
    let path = format!("/the-bucket/some/where/reviews/{name}-small.webp");
    assert_eq!(kept.lock().unwrap().keys().collect::<Vec<_>>(), [&path]);
    let bare = ObjectStorage::open("s3://the-bucket", &settings).unwrap();
    keeps(&bare).await;
}

#[test]
fn other_places_are_refused() {
    for url in ["", "pictures", "/pictures", "http://127.0.0.1/x", "gs://bucket", "s3:///x"] {
        assert!(ObjectStorage::open(url, &BucketSettings::default()).is_err(), "{url}");
    }
}
