//! Rules for what our code must not use: text that becomes code, shells, statements put together
//! from text, weak cryptography, random numbers that can be foreseen, and interpreters and
//! protocols that bring hazards of their own.
use crate::tree::SourceFile;

/// What turns text into code, markup or a pattern in a browser, or loads what is none of ours.
const EVALUATED: [&str; 13] = [
    "eval(",
    "new Function(",
    "innerHTML",
    "outerHTML",
    "insertAdjacentHTML",
    "document.write",
    "dangerouslySetInnerHTML",
    "srcdoc",
    "srcDoc",
    "new RegExp(",
    "<object",
    "<embed",
    "<applet",
];

/// Where statements are put together, of constants and numbers only. Everywhere else sqlx takes
/// nothing but literals.
const PUT_TOGETHER: [&str; 6] = [
    "services/shared/eventstore/src/database.rs",
    "services/reviews/src/read_model/query.rs",
    "services/payments/src/read_model/links.rs",
    "services/payments/src/read_model/query.rs",
    "services/payments/src/read_model/receipts.rs",
    "services/payments/src/read_model/reconciliation_exceptions.rs",
];

/// The one place where a service starts a program: its own, to decode a picture.
const STARTS_PROGRAMS: &str = "services/reviews/src/picture/worker.rs";

/// Crates with broken, unsuitable or second implementations of cryptography.
const WEAK_CRYPTOGRAPHY: [&str; 21] = [
    "aes",
    "bcrypt",
    "blowfish",
    "cbc",
    "crypto",
    "ctr",
    "des",
    "dsa",
    "ecb",
    "md-5",
    "md4",
    "md5",
    "native-tls",
    "openssl",
    "rc2",
    "rc4",
    "rsa",
    "rust-crypto",
    "scrypt",
    "sha-1",
    "sha1",
];

/// Generators whose next number follows from what they have given.
const FORESEEN: [&str; 6] =
    ["SmallRng", "StdRng", "seed_from_u64", "fastrand", "oorandom", "Math.random"];

/// Parts of the names of packages that speak to what we do not have.
const FOREIGN: [&str; 16] = [
    "ldap",
    "xpath",
    "xslt",
    "latex",
    "tectonic",
    "memcache",
    "graphql",
    "juniper",
    "tungstenite",
    "websocket",
    "webrtc",
    "saml",
    "samael",
    "jsonp",
    "handlebars",
    "jquery",
];

/// What opens a second kind of connection from a browser.
const FOREIGN_IN_BROWSERS: [&str; 4] =
    ["new WebSocket(", "RTCPeerConnection", "WebTransport(", "EventSource("];

/// Questions whose answers others can find out.
const WEAK_PROOFS: [&str; 4] =
    ["password_hint", "passwordHint", "security_question", "securityQuestion"];

/// The lines that run, without those of tests, each with its number.
fn code(file: &SourceFile) -> impl Iterator<Item = (usize, &str)> {
    let lines = file.text.lines().enumerate().map(|(at, line)| (at.saturating_add(1), line));
    let is_test = file.is_test();
    lines.take_while(move |(_, line)| !is_test && line.trim() != "#[cfg(test)]")
}

fn hits(file: &SourceFile, marks: &[&str]) -> Vec<String> {
    let found = code(file).filter_map(|(number, line)| {
        let mark = marks.iter().find(|mark| line.contains(**mark))?;
        Some(format!("{}:{number} uses `{mark}`", file.path))
    });
    found.collect()
}

/// Code of pages that makes code, markup or patterns of text.
#[must_use]
pub fn evaluated_text(file: &SourceFile) -> Vec<String> {
    hits(file, &EVALUATED)
}

/// Code of servers that makes a pattern of text, which input could change or make slow.
#[must_use]
pub fn patterns(file: &SourceFile) -> Vec<String> {
    hits(file, &["Regex::new(", "RegexBuilder", "RegexSet::new("])
}

/// Statements that are put together where they need not be, or by a service's own hand.
#[must_use]
pub fn joined_sql(file: &SourceFile) -> Vec<String> {
    if PUT_TOGETHER.contains(&file.path.as_str()) {
        Vec::new()
    } else {
        hits(file, &["AssertSqlSafe"])
    }
}

/// Programs that a service starts, and shells.
#[must_use]
pub fn started_programs(file: &SourceFile) -> Vec<String> {
    let mut faults = hits(file, &["\"sh\"", "\"bash\"", "\"/bin/sh\"", "\"/bin/bash\""]);
    if file.path != STARTS_PROGRAMS {
        faults.extend(hits(file, &["Command::new("]));
    }
    faults
}

/// Random numbers that can be foreseen.
#[must_use]
pub fn foreseen_numbers(file: &SourceFile) -> Vec<String> {
    hits(file, &FORESEEN)
}

/// Connections from a browser beside plain requests.
#[must_use]
pub fn foreign_connections(file: &SourceFile) -> Vec<String> {
    hits(file, &FOREIGN_IN_BROWSERS)
}

/// Proofs of an identity whose answers others can find out.
#[must_use]
pub fn weak_proofs(file: &SourceFile) -> Vec<String> {
    hits(file, &WEAK_PROOFS)
}

/// The packages that a manifest names, of Rust or of Node.
fn packages(file: &SourceFile) -> impl Iterator<Item = &str> {
    let is_node = file.name() == "package.json";
    file.text.lines().filter_map(move |line| {
        let name = if is_node { line.trim().strip_prefix('"')? } else { line };
        let end = name.find(|c: char| !(c.is_alphanumeric() || "-_@/".contains(c)))?;
        name.get(..end).filter(|name| !name.is_empty())
    })
}

/// Weak cryptography that a manifest asks for. What dependencies bring for their own protocols
/// (SCRAM of PostgreSQL, for example) is not ours.
#[must_use]
pub fn weak_cryptography(manifest: &SourceFile) -> Vec<String> {
    let weak = packages(manifest).filter(|name| WEAK_CRYPTOGRAPHY.contains(name));
    weak.map(|name| format!("{} asks for `{name}`", manifest.path)).collect()
}

/// Interpreters and protocols that a manifest asks for and that no rule of ours is for.
#[must_use]
pub fn foreign_packages(manifest: &SourceFile) -> Vec<String> {
    let foreign = packages(manifest).filter(|name| {
        let name = name.to_lowercase();
        FOREIGN.iter().any(|part| name.contains(part))
    });
    foreign.map(|name| format!("{} asks for `{name}`", manifest.path)).collect()
}

/// Crates that could contain unsafe code, because they leave the workspace's lints.
#[must_use]
pub fn unsafe_crates(manifest: &SourceFile) -> Vec<String> {
    let has = |mark: &str| manifest.text.contains(mark);
    let is_safe = if has("[workspace.lints.rust]") {
        has("\nunsafe_code = \"forbid\"\n")
    } else {
        has("[lints]\nworkspace = true")
    };
    if is_safe { Vec::new() } else { vec![format!("{} allows unsafe code", manifest.path)] }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rust(text: &str) -> SourceFile {
        SourceFile::sample("services/a/src/b.rs", text)
    }

    #[test]
    fn text_that_becomes_code_is_found_outside_of_tests() {
        let text = "element.innerHTML = name;\nconst a = new RegExp(typed);\n";
        assert_eq!(evaluated_text(&SourceFile::sample("web/src/a.ts", text)).len(), 2);
        assert!(evaluated_text(&SourceFile::sample("web/src/a.test.ts", text)).is_empty());
    }

    #[test]
    fn statements_and_programs_are_found() {
        assert_eq!(joined_sql(&rust("sqlx::query(AssertSqlSafe(text))\n")).len(), 1);
        assert!(joined_sql(&rust("#[cfg(test)]\nmod tests { AssertSqlSafe }\n")).is_empty());
        assert_eq!(started_programs(&rust("Command::new(\"sh\")\n")).len(), 2);
        assert!(
            started_programs(&SourceFile::sample(STARTS_PROGRAMS, "Command::new(x)")).is_empty()
        );
    }

    #[test]
    fn foreseen_numbers_connections_and_questions_are_found() {
        assert_eq!(patterns(&rust("Regex::new(&typed)\n")).len(), 1);
        assert_eq!(foreseen_numbers(&rust("StdRng::seed_from_u64(7)\n")).len(), 1);
        assert_eq!(
            foreign_connections(&SourceFile::sample("web/src/a.ts", "new WebSocket(x)")).len(),
            1
        );
        assert_eq!(weak_proofs(&rust("password_hint: String,\n")).len(), 1);
    }

    #[test]
    fn packages_are_found_in_both_kinds_of_manifests() {
        let cargo = SourceFile::sample(
            "Cargo.toml",
            "[dependencies]\nmd5 = \"1\"\nldap3 = \"1\"\nring = \"1\"\n",
        );
        assert_eq!(weak_cryptography(&cargo).len(), 1);
        assert_eq!(foreign_packages(&cargo).len(), 1);
        let node = SourceFile::sample(
            "web/package.json",
            "  \"dependencies\": {\n    \"@a/graphql\": \"1\",\n    \"react\": \"19\"\n",
        );
        assert_eq!(foreign_packages(&node), ["web/package.json asks for `@a/graphql`"]);
    }

    #[test]
    fn a_crate_outside_of_the_lints_is_found() {
        let of = |text: &str| unsafe_crates(&SourceFile::sample("a/Cargo.toml", text)).len();
        assert_eq!(of("[package]\nname = \"a\"\n"), 1);
        assert_eq!(of("[lints]\nworkspace = true\n"), 0);
        assert_eq!(of("[workspace.lints.rust]\nunsafe_code = \"warn\"\n"), 1);
    }
}
