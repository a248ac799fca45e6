//! The gRPC services of one process.

/// The routes of these generated servers, each of which refuses a request that is too large.
#[macro_export]
macro_rules! routes {
    ($first:expr $(, $more:expr)* $(,)?) => {
        ::tonic::service::Routes::new(
            $first.max_decoding_message_size(::runtime::server::REQUEST_BYTES_MAX),
        )
        $(.add_service(
            $more.max_decoding_message_size(::runtime::server::REQUEST_BYTES_MAX),
        ))*
    };
}
