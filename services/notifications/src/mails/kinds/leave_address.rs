//! A code with which an account leaves its address.
