//! The sandbox, which plays the sender of messages and the OpenID provider.

use identity::app::features::Features;
use identity::sms::SmsSettings;
use sandbox::{Sandbox, Settings};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

/// A sandbox with a folder of its own; stopped on drop.
pub(crate) struct ThirdParties {
    pub(crate) url: String,
    http: reqwest::Client,
    folder: std::path::PathBuf,
    task: JoinHandle<anyhow::Result<()>>,
}

impl Drop for ThirdParties {
    fn drop(&mut self) {
        self.task.abort();
        std::fs::remove_dir_all(&self.folder).ok();
    }
}

impl ThirdParties {
    pub(crate) async fn start() -> Self {
        runtime::http::install_crypto();
        let name = format!("identity-{}", eventstore::new_uuid().simple());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        let sandbox = Sandbox::bind(Settings::for_tests(&folder, None)).await.unwrap();
        let url = sandbox.url().to_owned();
        let task = tokio::spawn(sandbox.serve());
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        Self { url, http, folder, task }
    }

    /// A control of the sandbox.
    pub(crate) async fn control(&self, path: &str, given: Value) -> Value {
        let request = self.http.post(format!("{}{path}", self.url)).json(&given);
        let answer = request.send().await.unwrap().error_for_status().unwrap();
        serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap_or_default()
    }

    pub(crate) async fn get(&self, path: &str) -> Value {
        let answer = self.http.get(format!("{}{path}", self.url)).send().await.unwrap();
        answer.error_for_status().unwrap().json().await.unwrap()
    }

    /// A fault of the next message.
    pub(crate) async fn message_fault(&self, mut fault: Value) {
        fault["target"] = json!("messages.send");
        self.control("/api/faults", fault).await;
    }

    /// How many ordered faults were not applied yet.
    pub(crate) async fn faults_left(&self) -> usize {
        self.get("/api/faults").await.as_array().unwrap().len()
    }

    /// The messages to a phone, newest first.
    pub(crate) async fn messages(&self, to: &str) -> Vec<Value> {
        let all = self.get("/api/messages").await;
        let all = all.as_array().unwrap().iter();
        all.filter(|message| message["to"] == to).cloned().collect()
    }

    /// Waits until so many messages have arrived, and returns the digits of the newest.
    pub(crate) async fn digits(&self, to: &str, count: usize) -> String {
        let arrived = async || {
            let messages = self.messages(to).await;
            let newest = messages.first().filter(|_| messages.len() == count);
            let text = newest.and_then(|message| message["text"].as_str());
            Ok(text.and_then(|text| text.split(' ').next()).map(str::to_owned))
        };
        testkit::until("the message arrives", arrived).await.unwrap()
    }

    /// Signing in by phone, by this sender.
    pub(crate) fn sms(&self) -> Features {
        let url = format!("{}/messages", self.url);
        let key = "demo-message-key".to_owned().into();
        Features { sms: Some(SmsSettings { url, key, per_hour: 20 }), ..Features::default() }
    }
}
