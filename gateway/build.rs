//! Generates the gateway's message types and Connect services from `proto/`, without protoc.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use prost::Message as _;

/// The public protos, and the detail of errors. Events and internal calls are left out.
const GENERATED: &[&str] = &[
    "booking/v1/booking_calendar_service.proto",
    "booking/v1/booking_service.proto",
    "booking/v1/booking_staff_service.proto",
    "booking/v1/consent_service.proto",
    "booking/v1/join_page_service.proto",
    "booking/v1/organisation_service.proto",
    "booking/v1/payment_page_service.proto",
    "booking/v1/widget_service.proto",
    "catalogue/v1/catalogue_service.proto",
    "common/v1/error_detail.proto",
    "common/v1/money.proto",
    "common/v1/history.proto",
    "common/v1/parked_event.proto",
    // The staff calls use the mail kinds that this file defines; its events are never sent here.
    "notifications/v1/notifications_events.proto",
    "notifications/v1/notifications_service.proto",
    "notifications/v1/notifications_staff_service.proto",
    "payments/v1/page_payment_service.proto",
    "payments/v1/payments_service.proto",
    "payments/v1/payments_staff_service.proto",
    "reviews/v1/reviews_service.proto",
    "reviews/v1/reviews_staff_service.proto",
];

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    let root = Path::new("../proto");
    println!("cargo:rerun-if-changed={}", root.display());
    let mut files = Vec::new();
    collect(root, root, &mut files)?;
    files.sort();

    let set = protox::compile(&files, [root])?;
    let out = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    let path = out.join("descriptors.bin");
    write_as_old_as(&path, &set.encode_to_vec(), newest(root, &files)?)?;

    connectrpc_build::Config::new()
        .descriptor_set(&path)
        .files(GENERATED)
        .include_file("connect.rs")
        .compile()?;
    Ok(())
}

/// The last time that one of these files was changed.
fn newest(root: &Path, files: &[PathBuf]) -> Outcome<SystemTime> {
    let mut newest = SystemTime::UNIX_EPOCH;
    for file in files {
        newest = newest.max(std::fs::metadata(root.join(file))?.modified()?);
    }
    Ok(newest)
}

/// Writes what is made from files of that age. connectrpc-build has cargo watch this file; were it
/// newer than the build, cargo would build the gateway again each time.
fn write_as_old_as(path: &Path, bytes: &[u8], age: SystemTime) -> Outcome<()> {
    std::fs::write(path, bytes)?;
    std::fs::File::options().write(true).open(path)?.set_modified(age)?;
    Ok(())
}

/// Lists the .proto files under `folder` by their names relative to `root`.
fn collect(root: &Path, folder: &Path, files: &mut Vec<PathBuf>) -> Outcome<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(root, &path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "proto") {
            files.push(path.strip_prefix(root)?.to_path_buf());
        }
    }
    Ok(())
}
