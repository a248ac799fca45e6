//! Messages, clients and servers generated from `proto/`, the table of its calls, and the JSON form
//! of events.
//!
//! Nothing here decides anything; `calls`, `json`, `events`, `convert` and `desk` are the only
//! hand-written parts.

pub mod calls;
pub mod json;
pub mod events;
pub mod convert;
pub mod desk;

/// The compiled descriptors of `proto/`, a `google.protobuf.FileDescriptorSet`.
pub static DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));

macro_rules! generated {
    ($($module:ident = $package:tt;)*) => {$(
        /// Generated from the proto package of the same name, where everything is described.
        pub mod $module {
            /// Version 1.
            #[expect(
                clippy::all, clippy::pedantic, clippy::restriction, clippy::nursery,
                reason = "generated code follows its generator's style"
            )]
            pub mod v1 {
                tonic::include_proto!($package);
            }
        }
    )*};
}
generated! {
    booking = "booking.v1";
    catalogue = "catalogue.v1";
    common = "common.v1";
    identity = "identity.v1";
    notifications = "notifications.v1";
    payments = "payments.v1";
    reviews = "reviews.v1";
}
