//! Calls by the contract's names, so that a test covers methods that it does not name.

use anyhow::Result;
use contract::calls::{CALLS, Call};
use runtime::channel;
use tonic::client::Grpc;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::metadata::MetadataValue;
use tonic::{Request, Status};
use tonic_prost::ProstCodec;

/// The methods of a package's services for staff ("...StaffService"), such as
/// "booking.v1.BookingStaffService/ListBookings".
#[must_use]
pub fn staff_methods(package: &str) -> Vec<String> {
    let of_staff = CALLS.iter().map(Call::names).filter(|(service, _)| {
        service.ends_with("StaffService") && service.split('.').next() == Some(package)
    });
    of_staff.map(|(service, method)| format!("{service}/{method}")).collect()
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
