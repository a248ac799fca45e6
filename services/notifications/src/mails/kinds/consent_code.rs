//! A code with which the client of a booking by phone signs the consent.
