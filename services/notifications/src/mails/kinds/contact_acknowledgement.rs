//! The acknowledgement of a message, to its sender.
