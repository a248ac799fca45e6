//! The sandbox through its real interfaces: HTTP and SMTP on loopback, with a website that receives
//! its webhooks.

// `cfg(test)` tells clippy that the helpers are tests too, and may unwrap.
#[cfg(test)]
mod website;
#[cfg(test)]
mod payments;
#[cfg(test)]
mod pushes;
#[cfg(test)]
mod links;
#[cfg(test)]
mod webhooks;
#[cfg(test)]
mod refunds;
#[cfg(test)]
mod settlements;
#[cfg(test)]
mod mail;
#[cfg(test)]
mod interfaces;
#[cfg(test)]
mod dumps;
