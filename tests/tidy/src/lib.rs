//! The house rules that a machine can keep. Each rule is a function from files to faults with a
//! test that shows it a bad sample; `tests/house.rs` holds the whole checkout to all of them.
pub mod tree;
pub mod rust;
pub mod web;
pub mod layers;
pub mod layout;
pub mod boundaries;
pub mod imports;
pub mod migrations;
pub mod kept;
pub mod commits;
pub mod text;
pub mod words;
pub mod evidence;
pub mod asvs;
pub mod invariants;
pub mod hazards;
pub mod inventory;
pub mod reach;
pub mod stored;
pub mod stored_names;
pub mod parts;
pub mod touch_counts;
pub mod code_lines;
pub mod sizes;
pub mod wildcards;
