//! Honest clients of a besieged gateway, and what its process takes of the machine.

mod honest_clients;
mod observation;
