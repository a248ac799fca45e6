//! The sandbox's own clock. It simulates companies that are independent of us, so it must not read
//! our databases' time. No other module of this crate reads the time.

/// Milliseconds since 1970, the unit of due times in the store.
#[expect(
    clippy::disallowed_methods,
    reason = "third parties have clocks of their own; this is theirs"
)]
pub(crate) fn now_ms() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}

/// Seconds since 1970, the unit of the provider's API.
pub(crate) fn now_s() -> i64 {
    now_ms() / 1000
}

/// A time in milliseconds as RFC 3339 text.
pub(crate) fn text(ms: i64) -> String {
    jiff::Timestamp::from_millisecond(ms).map_or_else(|_| String::new(), |at| format!("{at:.3}"))
}

/// Waits until this clock has reached a time.
pub(crate) async fn wait_until(due_ms: i64) {
    let left = u64::try_from(due_ms - now_ms()).unwrap_or(0);
    tokio::time::sleep(std::time::Duration::from_millis(left)).await;
}
