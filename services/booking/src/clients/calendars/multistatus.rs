//! The responses of WebDAV: which things a server names, with the few properties that matter here.
//! Names are compared without their namespaces, which servers abbreviate as they like.

use quick_xml::Reader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};

/// The deepest nesting that is read.
const DEPTH_MAX: usize = 64;

/// The response is no multistatus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NotMultistatus;

/// A thing that a server names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Resource {
    /// Its address, as the server writes it.
    pub(super) href: String,
    /// Whether it is a calendar.
    pub(super) is_calendar: bool,
    /// Whether its owner has it count as free.
    pub(super) is_transparent: bool,
    /// The components that it may have; empty when the server does not say.
    pub(super) components: Vec<String>,
    /// The address of the account.
    pub(super) principal: String,
    /// The address of the account's calendars.
    pub(super) home: String,
    /// Its calendar file.
    pub(super) calendar_data: String,
    /// Whether the server says that it could not give it, or something that was asked of it.
    pub(super) is_withheld: bool,
}

/// Reads a multistatus. Properties that a server refuses (a status that is not 200) are left out.
///
/// # Errors
/// When the text is no XML, or no multistatus.
pub(super) fn read(text: &str) -> Result<Vec<Resource>, NotMultistatus> {
    let mut reader = Reader::from_str(text);
    let mut state = State::default();
    loop {
        match reader.read_event().map_err(|_malformed| NotMultistatus)? {
            Event::Start(element) => state.open(&element)?,
            Event::Empty(element) => {
                state.open(&element)?;
                state.close();
            }
            Event::End(_) => state.close(),
            Event::Text(text) => state.text(&text.decode().map_err(|_encoding| NotMultistatus)?),
            Event::CData(text) => state.text(&text.decode().map_err(|_encoding| NotMultistatus)?),
            Event::GeneralRef(reference) => state.text(&referenced(&reference)?),
            Event::Eof => break,
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
        }
    }
    if state.is_multistatus && state.path.is_empty() {
        Ok(state.found)
    } else {
        Err(NotMultistatus)
    }
}

/// The character of a reference. Those that a document defines itself are not resolved.
fn referenced(reference: &BytesRef<'_>) -> Result<String, NotMultistatus> {
    if let Ok(Some(character)) = reference.resolve_char_ref() {
        return Ok(character.to_string());
    }
    let name = reference.decode().map_err(|_encoding| NotMultistatus)?;
    resolve_predefined_entity(&name).map(str::to_owned).ok_or(NotMultistatus)
}

#[derive(Default)]
struct State {
    is_multistatus: bool,
    path: Vec<String>,
    found: Vec<Resource>,
    current: Resource,
    /// The properties of one propstat, until its status is known.
    properties: Resource,
    status: String,
    /// The status of a thing as a whole.
    whole_status: String,
}

impl State {
    fn open(&mut self, element: &BytesStart<'_>) -> Result<(), NotMultistatus> {
        let name = element.local_name();
        let name = String::from_utf8_lossy(name.as_ref()).into_owned();
        if self.path.is_empty() {
            if name != "multistatus" {
                return Err(NotMultistatus);
            }
            self.is_multistatus = true;
        }
        if self.path.len() >= DEPTH_MAX {
            return Err(NotMultistatus);
        }
        let parent = self.path.last().map(String::as_str).unwrap_or_default();
        match (parent, name.as_str()) {
            ("multistatus", "response") => {
                self.current = Resource::default();
                self.whole_status.clear();
            }
            ("response", "propstat") => {
                self.properties = Resource::default();
                self.status.clear();
            }
            ("resourcetype", "calendar") => self.properties.is_calendar = true,
            ("schedule-calendar-transp", "transparent") => self.properties.is_transparent = true,
            ("supported-calendar-component-set", "comp") => {
                for attribute in element.attributes().flatten() {
                    if attribute.key.local_name().as_ref() == b"name" {
                        let value = String::from_utf8_lossy(&attribute.value).into_owned();
                        self.properties.components.push(value);
                    }
                }
            }
            _ => {}
        }
        self.path.push(name);
        Ok(())
    }

    fn close(&mut self) {
        let Some(name) = self.path.pop() else { return };
        match name.as_str() {
            // A server that gives no status gives what it has.
            "propstat" if self.status.is_empty() || self.status.contains(" 200") => {
                self.take_properties();
            }
            "propstat" => self.current.is_withheld |= is_refusal(&self.status),
            "response" if self.path.len() == 1 => {
                let mut done = std::mem::take(&mut self.current);
                done.is_withheld |= is_refusal(&self.whole_status);
                done.href = done.href.trim().to_owned();
                self.found.push(done);
            }
            _ => {}
        }
    }

    fn take_properties(&mut self) {
        let taken = std::mem::take(&mut self.properties);
        let kept = &mut self.current;
        kept.is_calendar |= taken.is_calendar;
        kept.is_transparent |= taken.is_transparent;
        kept.components.extend(taken.components);
        for (kept, taken) in [
            (&mut kept.principal, taken.principal),
            (&mut kept.home, taken.home),
            (&mut kept.calendar_data, taken.calendar_data),
        ] {
            if kept.trim().is_empty() {
                *kept = taken;
            }
        }
    }

    fn text(&mut self, text: &str) {
        let mut names = self.path.iter().rev().map(String::as_str);
        let (name, parent) = (names.next().unwrap_or_default(), names.next().unwrap_or_default());
        let target = match (parent, name) {
            ("response", "href") => &mut self.current.href,
            ("response", "status") => &mut self.whole_status,
            ("propstat", "status") => &mut self.status,
            ("current-user-principal", "href") => &mut self.properties.principal,
            ("calendar-home-set", "href") => &mut self.properties.home,
            ("prop", "calendar-data") => &mut self.properties.calendar_data,
            _ => return,
        };
        target.push_str(text);
    }
}

/// Whether a status says that something is there and is not given. What is gone is not there.
fn is_refusal(status: &str) -> bool {
    let code = status.split_whitespace().nth(1).and_then(|code| code.parse::<u16>().ok());
    code.is_some_and(|code| !matches!(code, 200..=299 | 404 | 410))
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn what_a_server_names_is_read() {
        let found = read(
            r#"<?xml version="1.0" encoding="utf-8"?>
            <D:multistatus xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav">
             <D:response><D:href>/ravi/home/</D:href>
              <D:propstat><D:prop><D:resourcetype><D:collection/><C:calendar/></D:resourcetype>
               <C:supported-calendar-component-set><C:comp name="VEVENT"/><C:comp name="VTODO"/>
               </C:supported-calendar-component-set></D:prop>
               <D:status>HTTP/1.1 200 OK</D:status></D:propstat>
              <D:propstat><D:prop><C:schedule-calendar-transp><C:transparent/>
               </C:schedule-calendar-transp></D:prop>
               <D:status>HTTP/1.1 404 Not Found</D:status></D:propstat></D:response>
             <D:response><D:href>/ravi/a&amp;b/</D:href>
              <D:propstat><D:status>HTTP/1.1 200 OK</D:status><D:prop>
               <D:current-user-principal><D:href>/p/ravi</D:href></D:current-user-principal>
               <C:calendar-home-set><D:href>/ravi/</D:href></C:calendar-home-set>
               <C:calendar-data>BEGIN:VCALENDAR&#13;
SUMMARY:a &lt; b</C:calendar-data></D:prop></D:propstat></D:response>
            </D:multistatus>"#,
        )
        .unwrap();
        let [calendar, other] = found.try_into().unwrap();
        assert_eq!(calendar.href, "/ravi/home/");
        assert!(calendar.is_calendar && !calendar.is_transparent);
        assert_eq!(calendar.components, ["VEVENT", "VTODO"]);
        assert_eq!(other.href, "/ravi/a&b/");
        assert_eq!((other.principal.as_str(), other.home.as_str()), ("/p/ravi", "/ravi/"));
        assert_eq!(other.calendar_data, "BEGIN:VCALENDAR\r\nSUMMARY:a < b");
    }

    #[test]
    fn prefixes_and_cdata_are_read_too() {
        let found = read(
            "<multistatus xmlns='DAV:'><response><href>/a</href><propstat><prop>\
             <x:calendar-data xmlns:x='urn:ietf:params:xml:ns:caldav'><![CDATA[BEGIN]]>\
             </x:calendar-data></prop></propstat></response></multistatus>",
        );
        assert_eq!(found.unwrap()[0].calendar_data, "BEGIN");
        assert_eq!(read("<a:multistatus xmlns:a='DAV:'/>").unwrap(), []);
    }

    #[test]
    fn what_a_server_does_not_give_is_told_from_what_is_gone() {
        let is_withheld = |status: &str| {
            let status = format!("<status>HTTP/1.1 {status}</status>");
            let part = format!("<propstat><prop><calendar-data/></prop>{status}</propstat>");
            let of = |part: &str| {
                let text = format!(
                    "<multistatus xmlns='DAV:'><response><href>/a.ics</href>{part}</response>\
                     <response><href>/b.ics</href></response></multistatus>"
                );
                read(&text).unwrap().iter().map(|it| it.is_withheld).collect::<Vec<_>>()
            };
            [of(&part), of(&status)]
        };
        for status in ["500 Internal Server Error", "507 Insufficient Storage", "403 Forbidden"] {
            assert_eq!(is_withheld(status), [[true, false], [true, false]], "{status}");
        }
        for status in ["200 OK", "404 Not Found", "410 Gone", "and nothing else"] {
            assert_eq!(is_withheld(status), [[false, false], [false, false]], "{status}");
        }
    }

    #[test]
    fn what_is_no_multistatus_is_refused() {
        let deep = format!("<multistatus>{}", "<a>".repeat(1000));
        let bomb = "<!DOCTYPE x [<!ENTITY a \"aaaa\">]><multistatus><response><href>&a;</href>\
                    </response></multistatus>";
        for wrong in
            ["", "text", "<html></html>", "<multistatus>", "<multistatus></x>", &deep, bomb]
        {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
