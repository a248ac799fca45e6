//! Frames of HTTP/2 as bytes, also such as no client library sends.

/// What every connection begins with.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// GET / of the host x by http, compressed.
pub const GET: [u8; 6] = [0x82, 0x86, 0x84, 0x41, 0x01, b'x'];
/// The same with POST.
pub const POST: [u8; 6] = [0x83, 0x86, 0x84, 0x41, 0x01, b'x'];

/// The kinds of frames.
pub mod kind {
    /// A part of a body.
    pub const DATA: u8 = 0;
    /// The beginning of a head.
    pub const HEADERS: u8 = 1;
    /// An advice on order.
    pub const PRIORITY: u8 = 2;
    /// A request is given up.
    pub const RESET: u8 = 3;
    /// Settings of the connection.
    pub const SETTINGS: u8 = 4;
    /// A question whether the other side is there.
    pub const PING: u8 = 6;
    /// More may be sent.
    pub const WINDOW_UPDATE: u8 = 8;
    /// A further part of a head.
    pub const CONTINUATION: u8 = 9;
    /// A kind that no standard knows, which has to be ignored.
    pub const UNKNOWN: u8 = 0x40;
}

/// The flag of a request's last frame.
pub const END_STREAM: u8 = 1;
/// The flag of a head's last frame.
pub const END_HEADERS: u8 = 4;

/// A frame with its kind and flags.
#[must_use]
pub fn frame((kind, flags): (u8, u8), stream: u32, payload: &[u8]) -> Vec<u8> {
    let [_, high, middle, low] = u32::try_from(payload.len()).unwrap_or_default().to_be_bytes();
    let mut bytes = vec![high, middle, low, kind, flags];
    bytes.extend(stream.to_be_bytes());
    bytes.extend(payload);
    bytes
}

/// The beginning of a connection, with these frames behind it.
#[must_use]
pub fn start(frames: &[Vec<u8>]) -> Vec<u8> {
    start_with(&[], frames)
}

/// The same with settings, each a number and a value.
#[must_use]
pub fn start_with(settings: &[(u16, u32)], frames: &[Vec<u8>]) -> Vec<u8> {
    let bytes =
        |(name, value): &(u16, u32)| [&name.to_be_bytes()[..], &value.to_be_bytes()].concat();
    let settings: Vec<u8> = settings.iter().flat_map(bytes).collect();
    [PREFACE.to_vec(), frame((kind::SETTINGS, 0), 0, &settings), frames.concat()].concat()
}

/// A whole request without a body.
#[must_use]
pub fn ask(stream: u32) -> Vec<u8> {
    frame((kind::HEADERS, END_HEADERS | END_STREAM), stream, &GET)
}

#[cfg(test)]
mod tests {
    use super::{ask, frame, kind, start_with};

    #[test]
    fn a_frame_is_its_length_kind_flags_stream_and_payload() {
        assert_eq!(frame((kind::PING, 1), 0x0102, b"ab"), [0, 0, 2, 6, 1, 0, 0, 1, 2, b'a', b'b']);
        assert!(
            start_with(&[(4, 1)], &[]).ends_with(&[0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 1])
        );
        assert_eq!(ask(1).get(3..5), Some(&[1, 5][..]));
    }
}
