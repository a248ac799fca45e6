//! The sandbox's own clock. It plays companies that have nothing to do with us, so it must not
//! read our databases' time; nothing else in this crate asks for the time.

/// Milliseconds since 1970, the unit in which the book keeps every due time.
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

/// A time as RFC 3339 text with milliseconds.
pub(crate) fn text(ms: i64) -> String {
    jiff::Timestamp::from_millisecond(ms).map_or_else(|_| String::new(), |at| format!("{at:.3}"))
}

/// Waits until a time of this clock has come.
pub(crate) async fn wait_until(due_ms: i64) {
    let left = u64::try_from(due_ms - now_ms()).unwrap_or(0);
    tokio::time::sleep(std::time::Duration::from_millis(left)).await;
}
