//! Failover drills: stores and processes of a practice fail under load as they do in a cluster, and
//! the figures say what was lost, how long bookings stood still, and what clients were answered.

mod database_server;
mod figures;
mod fleet;
mod load;
mod pair;
mod relay;
mod settling;
