//! A real CalDAV server: Radicale, which `sukoon prepare --caldav` installs for tests.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use booking::clients::busy_calendar::BusyReader;
use booking::clients::calendars::{CalendarSecrets, Calendars, Fetched};
use booking::domain::span::Span;
use kernel::Timestamp;
use practice::{BusyCalendar, CalendarKind, Practice};
use testkit::until;

use crate::world::{at, practice_of_two};

/// A Radicale with a folder of its own.
struct Radicale {
    child: Child,
    url: String,
    folder: PathBuf,
    http: reqwest::Client,
}

impl Drop for Radicale {
    fn drop(&mut self) {
        // What is left of a failed test is of no use.
        drop(self.child.kill());
        drop(self.child.wait());
        drop(std::fs::remove_dir_all(&self.folder));
    }
}

const USER: &str = "ravi";
const PASSWORD: &str = "only-for-this-test";

impl Radicale {
    async fn start() -> Self {
        let program = testkit::radicale().unwrap();
        let folder =
            std::env::temp_dir().join(format!("sukoon-radicale-{}", eventstore::new_uuid()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("users"), format!("{USER}:{PASSWORD}\n")).unwrap();
        let port = {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            listener.local_addr().unwrap().port()
        };
        let url = format!("http://127.0.0.1:{port}");
        let shown = |name: &str| folder.join(name).to_string_lossy().into_owned();
        let child = Command::new(Path::new(&program))
            .args(["--config", "", "--server-hosts", &format!("127.0.0.1:{port}")])
            .args(["--auth-type", "htpasswd", "--auth-htpasswd-encryption", "plain"])
            .args(["--auth-htpasswd-filename", &shown("users"), "--auth-delay", "0"])
            .args(["--storage-filesystem-folder", &shown("storage")])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        runtime::http::install_crypto();
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        let server = Self { child, url, folder, http };
        until("Radicale answers", async || {
            Ok(server.http.get(format!("{}/.web/", server.url)).send().await.ok())
        })
        .await
        .unwrap();
        server
    }

    async fn send(&self, method: &str, path: &str, body: &str) {
        let method = reqwest::Method::from_bytes(method.as_bytes()).unwrap();
        let request = self.http.request(method, format!("{}{path}", self.url));
        let answer = request.basic_auth(USER, Some(PASSWORD)).body(body.to_owned()).send().await;
        let answer = answer.unwrap();
        assert!(answer.status().is_success(), "{path}: {}", answer.status());
    }

    /// A calendar for these components.
    async fn calendar(&self, name: &str, components: &[&str]) {
        let components: String =
            components.iter().map(|it| format!("<C:comp name=\"{it}\"/>")).collect();
        let body = format!(
            "<C:mkcalendar xmlns:D=\"DAV:\" xmlns:C=\"urn:ietf:params:xml:ns:caldav\">\
             <D:set><D:prop>\
             <C:supported-calendar-component-set>{components}</C:supported-calendar-component-set>\
             </D:prop></D:set></C:mkcalendar>"
        );
        self.send("MKCALENDAR", &format!("/{USER}/{name}/"), &body).await;
    }

    async fn event(&self, calendar: &str, uid: &str, lines: &str) {
        let text = format!(
            "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//test//EN\r\nBEGIN:VEVENT\r\nUID:{uid}\r\n\
             DTSTAMP:20260101T000000Z\r\n{}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
            lines.lines().map(str::trim).collect::<Vec<_>>().join("\r\n")
        );
        self.send("PUT", &format!("/{USER}/{calendar}/{uid}.ics"), &text).await;
    }

    fn practice(&self, path: &str) -> Practice {
        let mut practice = practice_of_two();
        practice.calendars.push(BusyCalendar {
            calendar_id: "dav".to_owned(),
            practitioner_id: "ravi".to_owned(),
            kind: CalendarKind::Caldav,
            url: format!("{}{path}", self.url),
            username: USER.to_owned(),
            invited_as: Vec::new(),
        });
        practice
    }

    /// The busy times of the account at a path, or the word of its problem.
    async fn busy(&self, path: &str, password: &str) -> Result<Vec<Span>, &'static str> {
        let practice = self.practice(path);
        let secrets = CalendarSecrets::from([("dav".to_owned(), password.to_owned().into())]);
        let sandbox = self.url.parse().unwrap();
        let calendars = Calendars::new(&practice, &secrets, Some(&sandbox)).unwrap();
        let window = Span::new(at(0, 0), at(60, 0)).unwrap();
        let fetched = calendars.fetch(calendars.get("dav").unwrap(), window, None).await;
        let Fetched::Files(files, _) = fetched.map_err(|error| error.word())? else {
            return Err("unchanged");
        };
        let zone = practice.practice.zone;
        let mut reader = BusyReader::new(window, &zone);
        for file in files {
            reader.read(&file).unwrap();
        }
        Ok(reader.finish().unwrap().spans)
    }
}

fn hour(instant: &str) -> Span {
    let starts_at: Timestamp = instant.parse().unwrap();
    Span::new(starts_at, starts_at.plus_minutes(60)).unwrap()
}

#[tokio::test]
async fn an_accounts_calendars_are_read_by_caldav() {
    let server = Radicale::start().await;
    server.calendar("home", &["VEVENT"]).await;
    server.calendar("work", &["VEVENT", "VTODO"]).await;
    server.calendar("tasks", &["VTODO"]).await;
    server.event("home", "once", "DTSTART:20261125T073000Z\nDTEND:20261125T083000Z").await;
    server
        .event(
            "work",
            "weekly",
            "DTSTART;TZID=Asia/Kolkata:20200101T100000
             DTEND;TZID=Asia/Kolkata:20200101T110000
             RRULE:FREQ=WEEKLY;BYDAY=WE;UNTIL=20261210T000000Z
             EXDATE;TZID=Asia/Kolkata:20261202T100000",
        )
        .await;
    server
        .event("work", "free", "DTSTART:20261126T073000Z\nDURATION:PT1H\nTRANSP:TRANSPARENT")
        .await;
    server.event("home", "past", "DTSTART:20260101T073000Z\nDURATION:PT1H").await;
    let all =
        [hour("2026-11-25T04:30:00Z"), hour("2026-11-25T07:30:00Z"), hour("2026-12-09T04:30:00Z")];
    for path in ["/", "/ravi/", "/ravi"] {
        assert_eq!(server.busy(path, PASSWORD).await, Ok(all.to_vec()), "{path}");
    }
    let home = server.busy("/ravi/home/", PASSWORD).await;
    assert_eq!(home, Ok(vec![hour("2026-11-25T07:30:00Z")]));
    assert_eq!(server.busy("/ravi/", "another").await, Err("refused"));
    assert_eq!(server.busy("/ravi/nothing/", PASSWORD).await, Err("no_calendar"));
    assert!(server.busy("/.web/", PASSWORD).await.is_err());
    server.send("DELETE", "/ravi/home/once.ics", "").await;
    assert_eq!(server.busy("/ravi/home/", PASSWORD).await, Ok(Vec::new()));
}
