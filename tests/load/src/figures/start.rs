//! How long the practice takes to start when it is built and its databases exist: from the start of
//! `sukoon up` until `/healthz` answers 200, which it does when every part is ready.

use anyhow::Result;

use crate::environment::{Environment, Hours};
use crate::figure::{Figure, Unit};
use crate::samples::median;

/// How often it is started.
const STARTS: usize = 3;

pub(crate) async fn measure(environment: &mut Environment) -> Result<Vec<Figure>> {
    let mut took = Vec::with_capacity(STARTS);
    for _ in 0..STARTS {
        took.push(environment.restart(Hours::Usual).await?.as_secs_f64());
    }
    let each: Vec<String> = took.iter().map(|took| format!("{took:.2} s")).collect();
    let title = "start to /healthz 200";
    let figure = Figure::absolute(title, Unit::Seconds, median(&took), (2.0, 1.0));
    Ok(vec![figure.noting(format!("the middle one of {}", each.join(", ")))])
}
