//! A client as the gateway passes its requests on: with its address, and with the device tokens
//! that its cookie holds.

use std::sync::Mutex;

use reqwest::Method;
use serde_json::{Value, json};

use crate::test_server::{Answer, TestServer};
use crate::work::{CHALLENGE, solved, with_token};

pub(crate) const DEVICE: &str = "x-device-token";

pub(crate) struct Visitor<'a> {
    server: &'a TestServer,
    address: String,
    devices: Mutex<Option<String>>,
}

impl TestServer {
    /// A client that has never been here.
    pub(crate) fn visitor(&self, address: impl Into<String>) -> Visitor<'_> {
        Visitor { server: self, address: address.into(), devices: Mutex::default() }
    }
}

impl Visitor<'_> {
    pub(crate) async fn post(&self, path: &str, body: Value) -> Answer {
        let mut request = self.server.request(Method::POST, path).json(&body);
        request = request.header("x-forwarded-for", &self.address);
        if let Some(devices) = &*self.devices.lock().unwrap() {
            request = request.header(DEVICE, devices);
        }
        let answer = self.server.send(request).await;
        if let Some(devices) = answer.headers.get(DEVICE) {
            *self.devices.lock().unwrap() = Some(devices.to_str().unwrap().to_owned());
        }
        answer
    }

    /// The same by our pages, which do work where a response asks for it, and repeat the request
    /// once.
    pub(crate) async fn post_by_page(&self, path: &str, body: Value) -> Answer {
        let answer = self.post(path, body.clone()).await;
        if !answer.headers.contains_key(CHALLENGE) {
            return answer;
        }
        self.post(path, with_token(body, &solved(&answer))).await
    }

    pub(crate) async fn sign_in(&self, email: &str, password: &str) -> Answer {
        let body = json!({ "email": email, "password": password });
        self.post("/token?grant_type=password", body).await
    }

    pub(crate) async fn recover(&self, email: &str) -> Answer {
        self.post("/recover", json!({ "email": email })).await
    }

    pub(crate) async fn verify(&self, kind: &str, email: &str, code: &str) -> Answer {
        self.post("/verify", json!({ "type": kind, "email": email, "token": code })).await
    }
}
