//! The site follows the link to its folder: pages, policy and what is gone change together, and a
//! site that cannot be read changes nothing and is told.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use http::StatusCode;
use serde_json::{Value, json};
use testkit::until;

use crate::harness::{TestGateway, TestOptions, site};

struct Link(PathBuf);

impl Link {
    fn new() -> Self {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let root = root.join(format!("revisions-{}", std::process::id()));
        fs::remove_dir_all(&root).ok();
        fs::create_dir_all(&root).unwrap();
        Self(root)
    }

    fn path(&self) -> PathBuf {
        self.0.join("current")
    }

    /// A copy of the usual site, changed, to which the link then leads.
    fn lead_to(&self, name: &str, change: impl FnOnce(&Path)) {
        let folder = self.0.join(name);
        let copied = Command::new("cp").arg("-R").arg(site()).arg(&folder).status().unwrap();
        assert!(copied.success());
        change(&folder);
        let next = self.0.join("next");
        symlink(folder, &next).unwrap();
        fs::rename(next, self.path()).unwrap();
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

fn change_json(file: &Path, change: impl FnOnce(&mut Value)) {
    let mut value: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    change(&mut value);
    fs::write(file, value.to_string()).unwrap();
}

async fn pages_report(gateway: &TestGateway) -> Value {
    let report: Value = gateway.health().await.json().await.unwrap();
    report["pages"].clone()
}

#[tokio::test]
async fn pages_policy_and_what_is_gone_follow_the_link_together() {
    let link = Link::new();
    link.lead_to("1-aa", |_| {});
    let options = TestOptions { site: Some(link.path()), ..TestOptions::default() };
    let gateway = TestGateway::with_options(options).await;
    assert_eq!(gateway.get("/service/reiki").await.status(), StatusCode::NOT_FOUND);
    assert_eq!(pages_report(&gateway).await, json!({ "practice_revision": "1-aa" }));

    link.lead_to("2-bb", |folder| {
        fs::create_dir_all(folder.join("service/reiki")).unwrap();
        fs::write(folder.join("service/reiki/index.html"), "<h1>reiki</h1>").unwrap();
        fs::remove_dir_all(folder.join("service/energy-healing")).unwrap();
        change_json(&folder.join("routes.json"), |routes| {
            routes["services"] = json!(["reiki"]);
            routes["gone"] = json!(["energy-healing"]);
        });
        change_json(&folder.join("csp.json"), |csp| {
            csp["imageOrigins"] = json!(["https://new.example"]);
        });
    });
    until("the new page is served", async || {
        let status = gateway.get("/service/reiki").await.status();
        Ok((status == StatusCode::OK).then_some(()))
    })
    .await
    .unwrap();
    let home = gateway.get("/").await;
    let policy = home.headers()["content-security-policy"].to_str().unwrap();
    assert!(policy.contains("https://new.example"), "{policy}");
    for path in ["/service/energy-healing", "/services/energy-healing"] {
        let gone = gateway.get(path).await;
        assert_eq!(gone.status(), StatusCode::GONE, "{path}");
        assert_eq!(gone.text().await.unwrap(), "<h1>Service Not Found</h1>");
    }
    assert_eq!(pages_report(&gateway).await, json!({ "practice_revision": "2-bb" }));

    link.lead_to("3-cc", |folder| fs::write(folder.join("csp.json"), "broken").unwrap());
    until("the broken site is told", async || {
        Ok(pages_report(&gateway).await["refused"].is_string().then_some(()))
    })
    .await
    .unwrap();
    let report = pages_report(&gateway).await;
    assert_eq!(report["practice_revision"], "2-bb");
    assert!(report["refused"].as_str().unwrap().starts_with("3-cc is not used"), "{report}");
    assert_eq!(gateway.get("/service/reiki").await.status(), StatusCode::OK);
}
