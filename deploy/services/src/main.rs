//! All services in one program: `services booking`, `services booking migrate`. So started, each is
//! a process of its own with settings of its own, as the programs of their names are elsewhere; but
//! the processes share one copy of the code, most of which (PostgreSQL, gRPC, TLS, traces) is the
//! same in all of them. `services serve` is all of them in one process, for a small practice.

use std::io::Write as _;
use std::process::ExitCode;

use reviews::picture::shrink;
use runtime::settings::Environment;
use runtime::{Program, Together};

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
    if name == SERVE && arguments.len() == 0 {
        return together().main_with(&Environment);
    }
    match program(&name) {
        Some(program) => program.main_with(&Environment, arguments),
        None => {
            writeln!(std::io::stderr(), "{}", usage()).ok();
            ExitCode::from(2)
        }
    }
}

const NAMES: [&str; 7] =
    ["booking", "catalogue", "gateway", "identity", "notifications", "payments", "reviews"];

/// The word for all of them in one process.
const SERVE: &str = "serve";

fn usage() -> String {
    let names = NAMES.join(", ");
    format!("services: name one of {names} and, if need be, a command; or say {SERVE}, for all")
}

fn together() -> Together {
    Together::new("services")
        .service(catalogue::program())
        .service(identity::program())
        .service(booking::program())
        .service(payments::program())
        .service(notifications::program())
        .service(reviews::program())
        .front(gateway::program())
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
        assert_eq!(usage(), format!("{told}; or say serve, for all"));
    }

    #[test]
    fn each_name_that_is_offered_is_a_service() {
        assert!(NAMES.iter().all(|name| program(name).is_some()));
        assert!(program("sandbox").is_none() && program("").is_none());
    }
}
