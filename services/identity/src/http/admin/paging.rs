//! Pages of lists: `page` and `per_page`, and the headers that lead to other pages.

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use url::form_urlencoded::Serializer;

use crate::http::error::ApiError;
use crate::http::request::{Parameters, parameter};

const TOTAL: HeaderName = HeaderName::from_static("x-total-count");
const PER_PAGE_DEFAULT: i64 = 50;
/// Maximum entries of a page; the contract has no limit.
const PER_PAGE_MAX: i64 = 1000;

/// The page that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Page {
    page: i64,
    per_page: i64,
}

impl Page {
    pub(crate) fn of(parameters: &Parameters) -> Result<Self, ApiError> {
        let page = number(parameter(parameters, "page"), 1)?;
        let per_page = number(parameter(parameters, "per_page"), PER_PAGE_DEFAULT)?;
        if per_page == 0 {
            return Err(bad("per_page must be greater than 0"));
        }
        Ok(Self { page, per_page: per_page.min(PER_PAGE_MAX) })
    }

    /// The offset and the limit of its query.
    pub(crate) fn bounds(self) -> (i64, i64) {
        ((self.page - 1).max(0).saturating_mul(self.per_page), self.per_page)
    }

    /// The headers with the total and the links to the next and the last page. The client library
    /// reads `page` as the first parameter of a link.
    pub(crate) fn headers(self, path: &str, parameters: &Parameters, total: i64) -> HeaderMap {
        let last = total / self.per_page + i64::from(total % self.per_page > 0);
        let link = |page: i64, rel: &str| {
            let page = page.to_string();
            let mut fields = Serializer::new(String::new());
            fields.append_pair("page", &page);
            let mut others: Vec<_> =
                parameters.0.iter().filter(|(name, _)| *name != "page").collect();
            others.sort();
            fields.extend_pairs(others);
            format!("<{path}?{}>; rel=\"{rel}\"", fields.finish())
        };
        let mut links = Vec::new();
        if last > self.page {
            links.push(link(self.page + 1, "next"));
        }
        links.push(link(last, "last"));
        let mut headers = HeaderMap::new();
        if let Ok(links) = HeaderValue::try_from(links.join(", ")) {
            headers.insert(header::LINK, links);
        }
        headers.insert(TOTAL, HeaderValue::from(total));
        headers
    }
}

/// A number in the words of the contract's own parser.
fn number(text: Option<&str>, default: i64) -> Result<i64, ApiError> {
    let Some(text) = text else { return Ok(default) };
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    let shown: String =
        text.chars().filter(|c| c.is_ascii_graphic() && *c != '"').take(40).collect();
    let problem = if is_number { "value out of range" } else { "invalid syntax" };
    let parsed = text.parse::<u32>().ok().filter(|_| is_number).map(i64::from);
    parsed.ok_or_else(|| bad(&format!("strconv.ParseUint: parsing \"{shown}\": {problem}")))
}

fn bad(problem: &str) -> ApiError {
    ApiError::invalid(format!("Bad Pagination Parameters: {problem}"))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use axum::extract::Query;

    use super::Page;

    fn parameters(text: &str) -> super::Parameters {
        let pairs = url::form_urlencoded::parse(text.as_bytes()).into_owned();
        Query(pairs.collect::<HashMap<_, _>>())
    }

    #[test]
    fn links_name_the_page_first() {
        let asked = parameters("filter=a%26b&per_page=2&page=2");
        let page = Page::of(&asked).unwrap();
        assert_eq!(page.bounds(), (2, 2));
        let headers = page.headers("/admin/users", &asked, 7);
        assert_eq!(
            headers["link"],
            "</admin/users?page=3&filter=a%26b&per_page=2>; rel=\"next\", \
             </admin/users?page=4&filter=a%26b&per_page=2>; rel=\"last\""
        );
        assert_eq!(headers["x-total-count"], "7");
        let headers = page.headers("/admin/users", &asked, 4);
        assert_eq!(headers["link"], "</admin/users?page=2&filter=a%26b&per_page=2>; rel=\"last\"");
    }

    #[test]
    fn pages_are_numbers_and_bounded() {
        for wrong in ["page=x", "page=-1", "page=1.5", "per_page=0", "per_page=99999999999"] {
            assert!(Page::of(&parameters(wrong)).is_err(), "{wrong}");
        }
        assert_eq!(Page::of(&parameters("per_page=5000")).unwrap().bounds(), (0, 1000));
        assert_eq!(Page::of(&parameters("page=0")).unwrap().bounds(), (0, 50));
    }
}
