//! Migrations are compiled into the program, so cargo must watch their folder.

fn main() {
    println!("cargo:rerun-if-changed=../../migrations/booking");
}
