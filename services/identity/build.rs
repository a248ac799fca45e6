//! Rebuilds when a migration is added, because migrations are embedded in the program.

fn main() {
    println!("cargo:rerun-if-changed=../../migrations/identity");
}
