//! A new migration is part of the program, so cargo has to look for one.

fn main() {
    println!("cargo:rerun-if-changed=../../migrations/reviews");
}
