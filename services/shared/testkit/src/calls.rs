//! Calls by the contract's names, so that a test covers methods that it does not name.

use std::path::Path;

use anyhow::{Context as _, Result};
use runtime::channel;
use tonic::client::Grpc;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::metadata::MetadataValue;
use tonic::{Request, Status};
use tonic_prost::ProstCodec;

/// The methods of the services for staff ("...StaffService") in `proto/<package>/v1`, such as
/// "booking.v1.BookingStaffService/ListBookings".
///
/// # Errors
/// When the contract cannot be read.
pub fn staff_methods(package: &str) -> Result<Vec<String>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../proto").join(package);
    let mut methods = Vec::new();
    for file in std::fs::read_dir(folder.join("v1")).context("no such package")? {
        let text = std::fs::read_to_string(file?.path())?;
        let mut service = "";
        for line in text.lines() {
            if let Some(rest) = line.strip_prefix("service ") {
                service = rest.split([' ', '{']).next().unwrap_or_default();
            }
            if let Some(rest) = line.strip_prefix("  rpc ")
                && service.ends_with("StaffService")
            {
                let method = rest.split('(').next().unwrap_or_default();
                methods.push(format!("{package}.v1.{service}/{method}"));
            }
        }
    }
    Ok(methods)
}

/// Calls a method with an empty message and a person's access token.
///
/// # Errors
/// When the call cannot be made; the service's answer is the inner result.
pub async fn call_empty(url: &str, method: &str, token: &str) -> Result<Result<(), Status>> {
    let mut client = Grpc::new(channel::connect_lazy(url).map_err(anyhow::Error::new)?);
    client.ready().await?;
    let mut request = Request::new(());
    let bearer: MetadataValue<_> = format!("Bearer {token}").parse()?;
    request.metadata_mut().insert("authorization", bearer);
    let path: PathAndQuery = format!("/{method}").parse()?;
    let answer = client.unary(request, path, ProstCodec::<(), ()>::default()).await;
    Ok(answer.map(drop))
}
