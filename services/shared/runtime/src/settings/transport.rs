//! Which addresses would carry secrets and people's data in the clear to another machine.

use std::net::IpAddr;

/// What is wrong with an address in production, in one sentence; `None` when it is encrypted, stays
/// on this machine, or is no address.
pub(super) fn fault(address: &str) -> Option<&'static str> {
    let (scheme, rest) = address.trim().split_once("://")?;
    let (server, query) = rest.split_once('?').unwrap_or((rest, ""));
    let authority = server.split('/').next().unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_credentials, host)| host);
    let parameters = || query.split('&').filter_map(|pair| pair.split_once('='));
    let (fault, is_encrypted) = match scheme.to_ascii_lowercase().as_str() {
        "http" => ("it leaves this machine in the clear: it must begin with https://", false),
        "nats" => ("it leaves this machine in the clear: it must begin with tls://", false),
        "smtp" => (
            "it leaves this machine in the clear: it must begin with smtps://, or end with \
             ?tls=required",
            parameters().any(|pair| pair == ("tls", "required")),
        ),
        "postgres" | "postgresql" => {
            let mut modes = parameters().filter(|(name, _value)| *name == "sslmode").peekable();
            let is_verified = modes.peek().is_some() && modes.all(|it| it.1 == "verify-full");
            ("it leaves this machine unverified: it must have sslmode=verify-full", is_verified)
        }
        _ => return None,
    };
    let mut others = parameters().filter(|(name, _value)| matches!(*name, "host" | "hostaddr"));
    let stays = is_this_machine(host) && others.all(|(_name, host)| is_this_machine(host));
    (!is_encrypted && !stays).then_some(fault)
}

/// Whether a host, with or without a port, is this machine itself. A folder is a local socket's.
fn is_this_machine(host: &str) -> bool {
    let host = host.to_ascii_lowercase();
    if host.is_empty() || host.starts_with('/') || host.starts_with("%2f") {
        return true;
    }
    let name = match host.strip_prefix('[') {
        Some(literal) => literal.split(']').next().unwrap_or_default(),
        None => host.rsplit_once(':').map_or(host.as_str(), |(name, _port)| name),
    };
    let address = name.parse::<IpAddr>().or_else(|_no_port| host.parse());
    name == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::fault;

    #[test]
    fn what_stays_on_this_machine_or_is_encrypted_is_accepted() {
        for address in [
            "http://127.0.0.1:7001",
            "http://127.9.9.9",
            "http://localhost:7001/path?x=y",
            "http://[::1]:7001",
            "https://booking.internal:7001",
            "nats://user:word@127.0.0.1:4222",
            "tls://user:word@nats.internal:4222",
            "smtp://127.0.0.1:25",
            "smtps://user:word@mail.example",
            "smtp://user:word@mail.example:587?tls=required",
            "postgres://app:word@127.0.0.1:5432/booking",
            "postgres:///booking?host=/run/postgresql",
            "postgres://app:word@db.internal/booking?sslmode=verify-full&connection_limit=6",
            "postgresql://app@db.internal/x?sslrootcert=/ca.pem&sslmode=verify-full",
            "file:///srv/pictures",
            "-----BEGIN PRIVATE KEY-----",
            "a word",
        ] {
            assert_eq!(fault(address), None, "{address}");
        }
    }

    #[test]
    fn what_leaves_this_machine_in_the_clear_is_named_with_what_to_do() {
        for (address, wanted) in [
            ("http://booking:7001", "https://"),
            ("HTTP://10.0.0.7", "https://"),
            ("http://127.0.0.1.evil.example", "https://"),
            ("http://localhost@10.0.0.7/", "https://"),
            ("http://[fd00::1]:7001", "https://"),
            ("http://0.0.0.0:7001", "https://"),
            ("nats://user:word@nats:4222", "tls://"),
            ("smtp://mail.example", "smtps://"),
            ("smtp://mail.example?tls=opportunistic", "smtps://"),
            ("postgres://app:word@db/booking", "verify-full"),
            ("postgres://app:word@db/booking?sslmode=require", "verify-full"),
            ("postgres://db/x?sslmode=verify-full&sslmode=disable", "verify-full"),
            ("postgres://127.0.0.1/booking?host=10.0.0.7", "verify-full"),
        ] {
            let told = fault(address).unwrap_or_default();
            assert!(told.contains(wanted), "{address}: {told}");
        }
    }
}
