//! The check of whole practices, on PostgreSQL and on what earlier releases have left behind.

mod kept;
mod defects;
mod mends;
mod migrations;
mod sound;
mod ways_in;
