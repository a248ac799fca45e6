//! The program as an operator starts it: what it answers, and the pages that `make` builds with it.

mod pages;
mod units;
mod commands;
mod second_step;
mod watch;
