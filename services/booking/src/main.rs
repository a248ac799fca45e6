//! The booking service: free times, holds and bookings.

fn main() -> std::process::ExitCode {
    booking::program().main()
}
