//! An invitation to the practice's staff.
