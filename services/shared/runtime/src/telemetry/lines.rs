//! How a log line looks: JSON for machines or one readable line, both with trace and span id.

use std::borrow::Cow;
use std::fmt;

use opentelemetry::Context;
use opentelemetry::trace::TraceContextExt as _;
use serde::Serialize;
use serde_json::{Map, Value};
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime as _, SystemTime};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields, FormattedFields};
use tracing_subscriber::registry::{LookupSpan, Scope};

use crate::scope::Scope as ServiceScope;

kernel::words! {
    /// The form of log lines.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Form {
        /// One JSON object per line.
        Json = "json",
        /// One line that people read.
        Text = "text",
    }
}

/// Writes log lines. It expects spans' fields as JSON (`JsonFields`).
#[derive(Debug, Clone)]
pub struct Lines {
    service: &'static str,
    form: Form,
}

/// One line, with its keys in reading order.
#[derive(Serialize)]
struct Line {
    timestamp: String,
    level: &'static str,
    service: &'static str,
    target: String,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    span_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    span: Option<String>,
    #[serde(flatten)]
    fields: Map<String, Value>,
}

impl Lines {
    /// Lines of one service; those of work that belongs to another one have its name.
    #[must_use]
    pub fn new(service: &'static str, form: Form) -> Self {
        Self { service, form }
    }

    fn line(&self, event: &Event<'_>, mut fields: Map<String, Value>) -> Line {
        let mut timestamp = String::new();
        // Writing to a string cannot fail.
        SystemTime.format_time(&mut Writer::new(&mut timestamp)).ok();
        event.record(&mut Fields(&mut fields));
        let context = Context::current();
        let span = context.span().span_context().clone();
        let message = fields.remove("message").map(text).unwrap_or_default();
        let name = fields.remove("otel.name").map(text);
        // Lines of the log crate carry their origin as a field.
        let origin = fields.remove("log.target").map(text);
        // Fields that only traces use are left out.
        fields.retain(|key, _| !key.starts_with("otel.") && !key.starts_with("log."));
        Line {
            timestamp,
            level: event.metadata().level().as_str(),
            service: ServiceScope::current().map_or(self.service, |scope| scope.service()),
            target: origin.unwrap_or_else(|| event.metadata().target().to_owned()),
            message,
            trace_id: span.is_valid().then(|| span.trace_id().to_string()),
            span_id: span.is_valid().then(|| span.span_id().to_string()),
            span: name,
            fields,
        }
    }
}

impl<S, N> FormatEvent<S, N> for Lines
where
    S: Subscriber + for<'span> LookupSpan<'span>,
    N: for<'writer> FormatFields<'writer> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut fields = Map::new();
        // From the outermost span to the innermost, so that the nearest value of a name wins.
        for span in context.event_scope().into_iter().flat_map(Scope::from_root) {
            let extensions = span.extensions();
            let Some(formatted) = extensions.get::<FormattedFields<N>>() else {
                continue;
            };
            if let Ok(Value::Object(own)) = serde_json::from_str(formatted.as_str()) {
                fields.extend(own);
            }
        }
        let line = self.line(event, fields);
        match self.form {
            Form::Json => {
                let json = serde_json::to_string(&line).map_err(|_never_for_strings| fmt::Error)?;
                writeln!(writer, "{json}")
            }
            Form::Text => write_text(&mut writer, &line),
        }
    }
}

fn write_text(writer: &mut Writer<'_>, line: &Line) -> fmt::Result {
    let Line { timestamp, level, service, message, .. } = line;
    write!(writer, "{timestamp} {level:>5} {service}: {}", on_one_line(message))?;
    if let Some(span) = &line.span {
        write!(writer, " span={span}")?;
    }
    for (key, value) in &line.fields {
        match value {
            Value::String(text) => write!(writer, " {key}={}", on_one_line(text))?,
            other => write!(writer, " {key}={other}")?,
        }
    }
    if let Some(trace_id) = &line.trace_id {
        write!(writer, " trace_id={trace_id}")?;
    }
    if let Some(span_id) = &line.span_id {
        write!(writer, " span_id={span_id}")?;
    }
    writeln!(writer)
}

/// Escapes characters that end the line or move the cursor, so that no value looks like another
/// line.
fn on_one_line(text: &str) -> Cow<'_, str> {
    if !text.contains(char::is_control) {
        return Cow::Borrowed(text);
    }
    let escaped = text.chars().flat_map(|char| {
        let (kept, escaped) = if char.is_control() {
            (None, Some(char.escape_default()))
        } else {
            (Some(char), None)
        };
        kept.into_iter().chain(escaped.into_iter().flatten())
    });
    Cow::Owned(escaped.collect())
}

fn text(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

/// Collects an event's fields in a JSON object.
struct Fields<'m>(&'m mut Map<String, Value>);

impl Fields<'_> {
    fn put(&mut self, field: &Field, value: impl Into<Value>) {
        self.0.insert(field.name().to_owned(), value.into());
    }
}

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.put(field, format!("{value:?}"));
    }
    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, value);
    }
    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, value);
    }
    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, value);
    }
    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, value);
    }
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.put(field, value);
    }
}

#[cfg(test)]
mod tests {
    use super::{Form, Lines};
    use opentelemetry_sdk::trace::SdkTracerProvider;
    use serde_json::Value;
    use std::io;
    use std::sync::{Arc, Mutex};
    use tracing_subscriber::fmt::MakeWriter;
    use tracing_subscriber::fmt::format::JsonFields;
    use tracing_subscriber::layer::SubscriberExt as _;

    #[derive(Clone, Default)]
    struct Paper(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Paper {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl<'w> MakeWriter<'w> for Paper {
        type Writer = Self;
        fn make_writer(&'w self) -> Self {
            self.clone()
        }
    }

    fn written(form: Form, work: impl FnOnce()) -> String {
        let paper = Paper::default();
        let layer = tracing_subscriber::fmt::layer()
            .fmt_fields(JsonFields::new())
            .event_format(Lines::new("booking", form))
            .with_writer(paper.clone());
        let provider = SdkTracerProvider::builder().build();
        let subscriber = tracing_subscriber::registry()
            .with(super::super::traces("booking", &provider))
            .with(layer);
        tracing::subscriber::with_default(subscriber, work);
        let bytes = paper.0.lock().unwrap().clone();
        String::from_utf8(bytes).unwrap()
    }

    fn work() {
        let span = tracing::info_span!(
            "rpc",
            otel.name = "booking.v1.BookingService/RequestBooking",
            otel.kind = "server",
            booking_id = tracing::field::Empty
        );
        span.in_scope(|| {
            span.record("booking_id", "bkg_1");
            tracing::info!(attempt = 2, "held");
        });
    }

    #[test]
    fn a_json_line_has_service_trace_and_the_spans_fields() {
        let line: Value = serde_json::from_str(&written(Form::Json, work)).unwrap();
        assert_eq!(line["service"], "booking");
        let timestamp = line["timestamp"].as_str().unwrap();
        assert!(timestamp.ends_with('Z') && timestamp.contains('T'), "{timestamp} is not in UTC");
        assert_eq!(line["level"], "INFO");
        assert_eq!(line["message"], "held");
        assert_eq!(line["attempt"], 2);
        assert_eq!(line["booking_id"], "bkg_1");
        assert_eq!(line["span"], "booking.v1.BookingService/RequestBooking");
        assert_eq!(line["trace_id"].as_str().unwrap().len(), 32);
        assert_eq!(line["span_id"].as_str().unwrap().len(), 16);
        assert_eq!(line.get("otel.kind"), None);
    }

    #[test]
    fn a_text_line_has_them_too() {
        let line = written(Form::Text, work);
        assert!(line.contains(" INFO booking: held "), "{line}");
        assert!(line.contains(" booking_id=bkg_1 "), "{line}");
        assert!(line.contains(" trace_id="), "{line}");
        assert!(line.ends_with('\n'));
    }

    #[test]
    fn a_value_with_line_ends_stays_on_its_line() {
        let forged = "asha\r\n2026-11-26T00:00:00Z  INFO identity: signed in\u{1b}[2J\u{85}";
        for form in [Form::Text, Form::Json] {
            let line = written(form, || {
                tracing::warn!(reason = forged, "refused {forged}");
            });
            assert_eq!(line.lines().count(), 1, "{line}");
            let inside = line.trim_end_matches('\n');
            assert!(!inside.contains(['\r', '\n', '\u{1b}']), "{line}");
            assert!(inside.contains("asha\\r\\n2026"), "{line}");
        }
    }

    #[test]
    fn a_line_outside_every_span_has_no_trace() {
        let text = written(Form::Json, || tracing::warn!("alone"));
        let line: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(line.get("trace_id"), None);
        assert_eq!(line["message"], "alone");
    }
}
