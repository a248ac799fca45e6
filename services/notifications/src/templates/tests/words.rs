//! The words that a person sees in a page and reads in a plain text.

/// A link's address as the browser reads it.
pub(super) fn decoded(html: &str) -> String {
    ["&lt;<", "&gt;>", "&quot;\"", "&#x27;'", "&#39;'", "&nbsp; ", "&amp;&"]
        .into_iter()
        .filter_map(|pair| pair.split_once(';'))
        .fold(html.to_owned(), |text, (entity, plain)| text.replace(&format!("{entity};"), plain))
}

/// The words that an HTML page shows.
pub(super) fn of_html(html: &str) -> Vec<String> {
    let body = html.split_once("<body").unwrap().1.split_once('>').unwrap().1;
    let body = without(body, "<!--", "-->");
    // The line beside the subject is in no plain text.
    let body = without(&body, "<div style=\"display:none", "</div>");
    words(&decoded(&without(&body, "<", ">")))
}

/// The words of a plain text, without its links.
pub(super) fn of_text(text: &str) -> Vec<String> {
    let link = |word: &str| word.trim_start_matches('<').starts_with("http");
    let kept: Vec<&str> = text.split_whitespace().filter(|word| !link(word)).collect();
    words(&kept.join(" "))
}

fn without(text: &str, from: &str, to: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(from) {
        kept.push_str(before);
        kept.push(' ');
        rest = after.split_once(to).map_or("", |(_, rest)| rest);
    }
    kept + rest
}

fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}
