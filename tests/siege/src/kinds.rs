//! The kinds of hostile clients: what each sends first, what it sends on and on, and whether it
//! reads.

use std::time::Duration;

use crate::frames::{self, END_HEADERS, END_STREAM, GET, POST, frame, kind};

/// A kind of hostile client.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// What it does.
    pub name: &'static str,
    /// Connections that it holds at once in a full siege.
    pub connections: usize,
    /// What each connection begins with.
    pub start: fn(&Prey) -> Vec<u8>,
    /// What it sends then, and the pause behind it; nothing if it only waits.
    pub piece: Option<(Piece, Duration)>,
    /// Whether it reads what comes.
    pub reads: bool,
    /// What stops it.
    pub expected: Expected,
}

/// What a client sends again and again; by its number.
pub type Piece = fn(&Prey, u32) -> Vec<u8>;

/// What stops a kind of hostile client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Its connections are closed.
    CutOff,
    /// It gets this status.
    Status(u16),
    /// It is borne: it takes a bounded part of what there is.
    Nothing,
}

/// What the attackers know of their target.
#[derive(Clone, Debug, Default)]
pub struct Prey {
    /// The access token of an account that the attackers have made.
    pub token: String,
    /// The path of a large file.
    pub large_file: String,
}

const NO_PAUSE: Duration = Duration::ZERO;
const SHORT_PAUSE: Duration = Duration::from_millis(20);
const LONG_PAUSE: Duration = Duration::from_secs(1);

/// All kinds.
pub const KINDS: &[Kind] = &[
    waiting("says nothing", 4500, Expected::CutOff, |_| Vec::new()),
    waiting("sends half of a greeting", 100, Expected::CutOff, |_| b"PRI * HT".to_vec()),
    sending(
        "sends a head byte by byte",
        (100, LONG_PAUSE),
        Expected::CutOff,
        (|_| b"GET / HTTP/1.1\r\na: ".to_vec(), |_, _| b"a".to_vec()),
    ),
    sending(
        "sends a head without end",
        (20, SHORT_PAUSE),
        Expected::Status(431),
        (|_| b"GET / HTTP/1.1\r\n".to_vec(), |_, _| b"a: b\r\n".repeat(100)),
    ),
    waiting("leaves a sign-in unfinished", 150, Expected::Status(408), |_| {
        post("/auth/v1/token?grant_type=password", 900)
    }),
    waiting("leaves a large webhook unfinished", 150, Expected::Status(408), |_| {
        [post("/webhooks/razorpay", 250_000), vec![b'x'; 240_000]].concat()
    }),
    sending(
        "sends a call byte by byte",
        (100, LONG_PAUSE),
        Expected::Status(408),
        (|_| post(SLOTS, 5000), |_, _| b" ".to_vec()),
    ),
    waiting("leaves an upload unfinished", 150, Expected::Nothing, |_| {
        [post("/uploads/reviews", 900_000), b"RIFF".to_vec()].concat()
    }),
    waiting("opens HTTP/2 and is silent", 100, Expected::CutOff, |_| frames::start(&[])),
    sending(
        "resets its requests",
        (20, NO_PAUSE),
        Expected::CutOff,
        (
            |_| frames::start(&[]),
            |_, turn| {
                let stream = turn.wrapping_mul(2).wrapping_add(1) & 0x7fff_ffff;
                let reset = frame((kind::RESET, 0), stream, &8_u32.to_be_bytes());
                [frames::ask(stream), reset].concat()
            },
        ),
    ),
    sending(
        "continues a head without end",
        (20, NO_PAUSE),
        Expected::CutOff,
        (
            |_| frames::start(&[frame((kind::HEADERS, END_STREAM), 1, &GET)]),
            |_, _| frame((kind::CONTINUATION, 0), 1, b"\x00\x01a\x01b"),
        ),
    ),
    sending(
        "sends pings",
        (20, NO_PAUSE),
        Expected::CutOff,
        (|_| frames::start(&[]), |_, _| frame((kind::PING, 0), 0, &[0; 8]).repeat(50)),
    ),
    sending(
        "sends settings",
        (20, NO_PAUSE),
        Expected::CutOff,
        (|_| frames::start(&[]), |_, _| frame((kind::SETTINGS, 0), 0, &[]).repeat(50)),
    ),
    sending(
        "sends tiny data",
        (20, NO_PAUSE),
        Expected::CutOff,
        (
            |_| frames::start(&[frame((kind::HEADERS, END_HEADERS), 1, &POST)]),
            |_, _| frame((kind::DATA, 0), 1, b"x").repeat(50),
        ),
    ),
    waiting("opens no window", 100, Expected::CutOff, |_| {
        let asked: Vec<_> = (0..50).map(|turn| frames::ask(turn * 2 + 1)).collect();
        frames::start_with(&[(4, 0)], &asked)
    }),
    Kind {
        reads: false,
        ..sending(
            "asks for large files and reads nothing",
            (60, NO_PAUSE),
            Expected::CutOff,
            (|_| Vec::new(), |prey, _| get(&prey.large_file)),
        )
    },
    sending(
        "comes and goes",
        (100, NO_PAUSE),
        Expected::Nothing,
        (|_| b"\r\n".to_vec(), |_, _| Vec::new()),
    ),
    sending(
        "asks for pages",
        (10, SHORT_PAUSE),
        Expected::Status(429),
        (|_| Vec::new(), |_, _| get("/").repeat(20)),
    ),
    sending(
        "asks for other times with each call",
        (10, SHORT_PAUSE),
        Expected::Status(429),
        (
            |_| Vec::new(),
            |_, turn| {
                let day = turn % 28 + 1;
                let date = format!(r#""2027-01-{day:02}""#);
                let body =
                    format!(r#"{{"serviceId":"meditation","fromDate":{date},"days":{day}}}"#);
                [post(SLOTS, body.len()), body.into_bytes()].concat().repeat(10)
            },
        ),
    ),
    sending(
        "follows a booking in many streams",
        (60, LONG_PAUSE),
        Expected::Nothing,
        (watch, |_, _| Vec::new()),
    ),
    sending(
        "forges webhooks",
        (10, SHORT_PAUSE),
        Expected::Status(429),
        (|_| Vec::new(), |_, _| [post("/webhooks/razorpay", 6), b"forged".to_vec()].concat()),
    ),
    sending(
        "guesses passwords",
        (10, SHORT_PAUSE),
        Expected::Status(429),
        (
            |_| Vec::new(),
            |_, _| {
                let body = br#"{"email":"meera@sukoon.example","password":"a wrong garden"}"#;
                [post("/auth/v1/token?grant_type=password", body.len()), body.to_vec()].concat()
            },
        ),
    ),
    sending(
        "asks how the system is",
        (10, SHORT_PAUSE),
        Expected::Nothing,
        (|_| Vec::new(), |_, _| get("/healthz")),
    ),
];

/// A call that needs the database, with other parameters each time.
const SLOTS: &str = "/rpc/booking.v1.BookingService/ListSlots";

const fn waiting(
    name: &'static str,
    connections: usize,
    expected: Expected,
    start: fn(&Prey) -> Vec<u8>,
) -> Kind {
    Kind { name, connections, start, piece: None, reads: true, expected }
}

const fn sending(
    name: &'static str,
    (connections, pause): (usize, Duration),
    expected: Expected,
    (start, piece): (fn(&Prey) -> Vec<u8>, Piece),
) -> Kind {
    Kind { name, connections, start, piece: Some((piece, pause)), reads: true, expected }
}

fn get(path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n").into_bytes()
}

/// The head of a POST.
fn post(path: &str, length: usize) -> Vec<u8> {
    format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         content-length: {length}\r\n\r\n"
    )
    .into_bytes()
}

/// A stream of a booking.
fn watch(prey: &Prey) -> Vec<u8> {
    let (token, message) = (&prey.token, r#"{"bookingId":"bkg_00000000000000000000000000"}"#);
    let length = u32::try_from(message.len()).unwrap_or_default();
    let head = format!(
        "POST /rpc/booking.v1.BookingService/WatchBooking HTTP/1.1\r\nhost: localhost\r\n\
         content-type: application/connect+json\r\nconnect-protocol-version: 1\r\n\
         authorization: Bearer {token}\r\ncontent-length: {}\r\n\r\n",
        length.saturating_add(5)
    );
    [head.as_bytes(), &[0], &length.to_be_bytes(), message.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{KINDS, Prey};

    #[test]
    fn there_are_twenty_kinds_at_least_and_each_does_something_else() {
        let names: HashSet<_> = KINDS.iter().map(|kind| kind.name).collect();
        assert_eq!(names.len(), KINDS.len());
        assert!(KINDS.len() >= 20, "{}", KINDS.len());
        let prey = Prey::default();
        let sent = |kind: &super::Kind| {
            let piece = kind.piece.map(|(piece, _)| piece(&prey, 7)).unwrap_or_default();
            [(kind.start)(&prey), piece, vec![u8::from(kind.reads)]].concat()
        };
        let all: HashSet<_> = KINDS.iter().map(sent).collect();
        assert_eq!(all.len(), KINDS.len());
    }
}
