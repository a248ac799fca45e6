//! All services in one program, for a practice on one small machine: `services booking`, `services
//! booking migrate`. Each still runs as a process of its own with settings of its own, as the
//! programs of their names do elsewhere; but the processes share one copy of the code, most of
//! which (PostgreSQL, gRPC, TLS, traces) is the same in all of them.

use std::io::Write as _;
use std::process::ExitCode;

use reviews::picture::shrink;
use runtime::Program;

/// The C library's heap gives back only what is free at its end, so a busy minute stays in memory.
#[cfg(feature = "jemalloc")]
#[global_allocator]
static HEAP: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_default();
    // Reviews starts its own program again to decode a picture, without settings.
    if name == shrink::COMMAND {
        return shrink::main();
    }
    match program(&name) {
        Some(program) => program.main_with(arguments),
        None => {
            writeln!(std::io::stderr(), "{}", usage()).ok();
            ExitCode::from(2)
        }
    }
}

const NAMES: [&str; 7] =
    ["booking", "catalogue", "gateway", "identity", "notifications", "payments", "reviews"];

fn usage() -> String {
    format!("services: name one of {} and, if need be, a command", NAMES.join(", "))
}

fn program(name: &str) -> Option<Program> {
    Some(match name {
        "booking" => booking::program(),
        "catalogue" => catalogue::program(),
        "gateway" => gateway::program(),
        "identity" => identity::program(),
        "notifications" => notifications::program(),
        "payments" => payments::program(),
        "reviews" => reviews::program(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{NAMES, program, usage};

    #[test]
    fn the_usage_names_every_service() {
        let names = "booking, catalogue, gateway, identity, notifications, payments, reviews";
        let told = format!("services: name one of {names} and, if need be, a command");
        assert_eq!(usage(), told);
    }

    #[test]
    fn each_name_that_is_offered_is_a_service() {
        assert!(NAMES.iter().all(|name| program(name).is_some()));
        assert!(program("sandbox").is_none() && program("").is_none());
    }
}
