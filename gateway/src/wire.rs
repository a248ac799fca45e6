//! The generated messages and Connect services of `proto/`; nothing here is written by hand.
//! This is the one place where generated code opts out of the house's lints.
#![expect(
    elided_lifetimes_in_paths,
    unreachable_pub,
    clippy::all,
    clippy::pedantic,
    clippy::restriction,
    reason = "generated code keeps the generator's style"
)]

connectrpc::include_generated!("connect.rs");
