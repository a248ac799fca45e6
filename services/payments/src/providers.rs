//! Payment providers, one folder each, behind the port in `provider.rs`. Nothing outside of a
//! provider's folder knows its JSON, its addresses, its headers or its vocabulary.

pub mod razorpay;
