//! The generated messages and Connect services of `proto/`. Only this module opts out of the
//! workspace's lints.
#![expect(
    elided_lifetimes_in_paths,
    unreachable_pub,
    clippy::all,
    clippy::pedantic,
    clippy::restriction,
    reason = "generated code keeps the generator's style"
)]

connectrpc::include_generated!("connect.rs");
