//! What a page sends to the checkout's frame when it opens it, kept so that a test can see what the
//! provider learns. It is no part of the book, and a restart forgets it.

use std::sync::{Mutex, PoisonError};

use axum::extract::rejection::JsonRejection;
use axum::extract::{Path, State};
use axum::{Json, http::StatusCode};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::provider::errors::ApiError;
use crate::world::Shared;

/// How many are kept.
const KEPT: usize = 500;

#[derive(Default)]
pub(crate) struct Opened {
    told: Newest,
    counted: Newest,
}

#[derive(Default)]
struct Newest(Mutex<Vec<Value>>);

impl Newest {
    fn add(&self, one: Value) {
        let mut list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if list.len() == KEPT {
            list.remove(0);
        }
        list.push(one);
    }

    fn list(&self) -> Vec<Value> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Opened {
    /// A script of the checkout was allowed to run and to call its own address.
    pub(crate) fn count(&self, counted: Value) {
        self.counted.add(counted);
    }

    /// What pages sent to their checkouts, oldest first.
    pub(crate) fn told(&self) -> Vec<Value> {
        self.told.list()
    }

    /// The calls of the checkout's scripts, oldest first.
    pub(crate) fn counted(&self) -> Vec<Value> {
        self.counted.list()
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Told {
    key_id: String,
    /// The address of the page, as the script reads it.
    referer: String,
    /// How the page wants the checkout to look.
    config: Value,
}

/// The frame forwards what its page sent.
pub(crate) async fn told(
    State(world): State<Shared>,
    Path(order_id): Path<String>,
    told: Result<Json<Told>, JsonRejection>,
) -> Result<StatusCode, ApiError> {
    let Ok(Json(told)) = told else {
        return Err(ApiError::bad("What the page told could not be read."));
    };
    if told.key_id != world.account.key_id {
        return Err(ApiError::wrong_key());
    }
    world.opened.told.add(json!({
        "order_id": order_id, "referer": told.referer, "config": told.config,
    }));
    Ok(StatusCode::NO_CONTENT)
}
