//! Pushed alarms: what each service takes, and what it refuses.

use reqwest::RequestBuilder;
use serde_json::{Value, json};

use crate::website::{Folder, Running, answer, status};

fn telegram(sandbox: &Running, bot: &str, body: &Value) -> RequestBuilder {
    sandbox.http.post(format!("{}/push/telegram/{bot}/sendMessage", sandbox.url)).json(body)
}

#[tokio::test]
async fn each_service_takes_an_alarm_in_its_own_form_and_refuses_others() {
    let folder = Folder::new();
    let sandbox = Running::start(&folder, None).await;
    let ntfy = |topic: &str, priority: &str, text: &str| {
        let post = sandbox.http.post(format!("{}/push/ntfy/{topic}", sandbox.url));
        post.header("Title", "Sukoon").header("Priority", priority).body(text.to_owned())
    };
    assert_eq!(status(ntfy("topic", "urgent", "the disk")).await, 200);
    assert_eq!(status(ntfy("topic", "now", "the disk")).await, 400);
    assert_eq!(status(ntfy("topic", "urgent", &"a".repeat(4097))).await, 400);
    assert_eq!(status(ntfy("a.topic", "urgent", "the disk")).await, 404);

    let bot = "bot1:demo-bot-token";
    let message = |chat: &str, text: &str| json!({ "chat_id": chat, "text": text });
    assert_eq!(status(telegram(&sandbox, bot, &message("-1001", "the disk"))).await, 200);
    for (bot, chat, text, refused) in [
        ("bot2:other", "-1001", "the disk", 401),
        (bot, "-1001", "", 400),
        (bot, "-1002", "the disk", 403),
        (bot, "-1003", "the disk", 400),
    ] {
        assert_eq!(status(telegram(&sandbox, bot, &message(chat, text))).await, refused);
    }
    let own = sandbox.http.post(format!("{}/push/json", sandbox.url));
    assert_eq!(status(own.json(&json!({ "title": "Sukoon" }))).await, 204);

    let taken = answer(sandbox.get("/api/pushes")).await;
    let ways: Vec<&str> =
        taken.as_array().unwrap().iter().map(|it| it["way"].as_str().unwrap()).collect();
    assert_eq!(ways, ["ntfy", "telegram", "json"]);
    assert_eq!(taken[0]["priority"], "urgent");
}
