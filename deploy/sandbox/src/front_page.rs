//! The front page: what this process simulates, and the address of each part.

use axum::Router;
use axum::response::Response;
use axum::routing::get;

use crate::assets;
use crate::state::SharedState;

const PAGE: &str = include_str!("front_page/page.html");
const CSS: &str = concat!(include_str!("assets/paper.css"), include_str!("front_page/page.css"));
const ICON: &str = include_str!("assets/icon.svg");

pub(crate) fn routes() -> Router<SharedState> {
    Router::new()
        .route("/", get(show))
        .route("/home.css", get(|| async { assets::file(assets::CSS, CSS) }))
        .route("/favicon.ico", get(|| async { assets::file(assets::SVG, ICON) }))
}

async fn show() -> Response {
    assets::page(PAGE)
}
