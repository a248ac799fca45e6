//! Range requests (RFC 9110, section 14). Safari plays a video only from a server that supports
//! them, and players seek with them. Only a single range is served: several ranges have no use
//! here, and would let a client cause much work.

use std::ops::Range;

use http::{HeaderMap, HeaderValue, Method, header};

/// The requested range of a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum RequestedRange {
    /// The whole file.
    Whole,
    /// These bytes, at least one.
    Part(Range<usize>),
    /// A range beyond the end of the file.
    Unsatisfiable,
}

/// Parses the headers for a file of this length and ETag.
pub(crate) fn parse_range(
    method: &Method,
    headers: &HeaderMap,
    length: usize,
    tag: &HeaderValue,
) -> RequestedRange {
    if *method != Method::GET || !if_range_matches(headers, tag) {
        return RequestedRange::Whole;
    }
    let mut ranges = headers.get_all(header::RANGE).iter();
    let (Some(range), None) = (ranges.next(), ranges.next()) else { return RequestedRange::Whole };
    // An invalid range is ignored, as the RFC demands.
    range
        .to_str()
        .ok()
        .and_then(|range| parse_bytes_range(range, length))
        .unwrap_or(RequestedRange::Whole)
}

/// Whether `If-Range` matches. A date never does, because files in memory have none; a weak ETag
/// never does, because it does not guarantee the same bytes.
fn if_range_matches(headers: &HeaderMap, tag: &HeaderValue) -> bool {
    headers
        .get(header::IF_RANGE)
        .is_none_or(|known| known == tag && known.as_bytes().starts_with(b"\""))
}

fn parse_bytes_range(range: &str, length: usize) -> Option<RequestedRange> {
    let (unit, set) = range.split_once('=')?;
    if !unit.trim().eq_ignore_ascii_case("bytes") {
        return None;
    }
    let (first, last) = set.trim().split_once('-')?;
    let part = match (first, last) {
        ("", last) => length.saturating_sub(number(last)?)..length,
        (first, "") => number(first)?..length,
        (first, last) => {
            let (first, last) = (number(first)?, number(last)?);
            if last < first {
                return None;
            }
            first..last.saturating_add(1).min(length)
        }
    };
    Some(if part.start < part.end {
        RequestedRange::Part(part)
    } else {
        RequestedRange::Unsatisfiable
    })
}

/// A number that overflows is beyond every file.
fn number(text: &str) -> Option<usize> {
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::{RequestedRange, parse_range};
    use http::{HeaderMap, HeaderValue, Method};

    const TAG: HeaderValue = HeaderValue::from_static("\"abc\"");

    fn of_ten(headers: &[(&'static str, &str)]) -> RequestedRange {
        let mut request = HeaderMap::new();
        for (name, value) in headers {
            request.append(*name, value.parse().unwrap());
        }
        parse_range(&Method::GET, &request, 10, &TAG)
    }

    #[test]
    fn a_part_is_counted_from_the_start_or_from_the_end() {
        for (range, part) in [
            ("bytes=0-", 0..10),
            ("bytes=0-1", 0..2),
            ("BYTES= 3-3", 3..4),
            ("bytes=4-99", 4..10),
            ("bytes=9-", 9..10),
            ("bytes=-3", 7..10),
            ("bytes=-99", 0..10),
            ("bytes=0-99999999999999999999999", 0..10),
        ] {
            assert_eq!(of_ten(&[("range", range)]), RequestedRange::Part(part), "{range}");
        }
    }

    #[test]
    fn a_range_beyond_the_file_is_unsatisfiable() {
        for range in ["bytes=10-", "bytes=10-20", "bytes=-0", "bytes=99999999999999999999999-"] {
            assert_eq!(of_ten(&[("range", range)]), RequestedRange::Unsatisfiable, "{range}");
        }
    }

    #[test]
    fn an_invalid_range_is_ignored() {
        for range in [
            "bytes",
            "bytes=",
            "bytes=-",
            "bytes=a-b",
            "bytes=3-1",
            "bytes=0-1,3-4",
            "lines=0-1",
            "bytes=+1-2",
            "bytes=1",
            "0-1",
        ] {
            assert_eq!(of_ten(&[("range", range)]), RequestedRange::Whole, "{range}");
        }
        assert_eq!(
            of_ten(&[("range", "bytes=0-1"), ("range", "bytes=3-4")]),
            RequestedRange::Whole
        );
        let mut headers = HeaderMap::new();
        headers.insert("range", HeaderValue::from_static("bytes=0-1"));
        assert_eq!(parse_range(&Method::HEAD, &headers, 10, &TAG), RequestedRange::Whole);
    }

    #[test]
    fn a_range_applies_only_to_the_same_file() {
        let with = |known| of_ten(&[("range", "bytes=0-1"), ("if-range", known)]);
        assert_eq!(with("\"abc\""), RequestedRange::Part(0..2));
        for other in ["\"abd\"", "W/\"abc\"", "Sat, 21 Nov 2026 10:00:00 GMT", "*"] {
            assert_eq!(with(other), RequestedRange::Whole, "{other}");
        }
        let mut headers = HeaderMap::new();
        headers.insert("range", HeaderValue::from_static("bytes=0-1"));
        headers.insert("if-range", HeaderValue::from_static("W/\"abc\""));
        let weak = HeaderValue::from_static("W/\"abc\"");
        assert_eq!(parse_range(&Method::GET, &headers, 10, &weak), RequestedRange::Whole);
    }
}
