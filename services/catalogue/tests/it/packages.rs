//! Packages: for which services they are offered, and what is wrong with them.

use contract::catalogue::v1::ListServicesRequest;

use crate::broken_files::Copy;
use crate::serving::Running;

/// The file of a practice with a second package.
fn with_second(name: &str, keys: &str) -> Copy {
    let block = format!(
        "[[packages]]\npackage_id = \"calm\"\ntitle = \"Calm\"\ndescription = \"Two of them.\"\n\
         price = {{ minor_units = 100_001, currency_code = \"INR\" }}\n{keys}\n[[packages]]\n"
    );
    Copy::new(name).replace("services.toml", "[[packages]]\n", &block)
}

#[tokio::test]
async fn a_package_is_offered_for_the_services_that_it_names() {
    let keys = "sessions = 2\nservices = [\"meditation\", \"energy-healing\"]";
    let running = Running::with(&with_second("second", keys).folder).await;
    let listed = running.public().list_services(ListServicesRequest {}).await.unwrap();
    let packages = listed.into_inner().packages;
    assert_eq!(packages[0].service_ids, ["energy-healing", "meditation"]);
    assert_eq!((packages[0].within_days, packages[0].notice_hours), (90, 24));
    assert_eq!(packages[1].package_id, "starter");
    let offered = async |service| {
        let offering = running.offering("booking", "catalogue", service).await.unwrap();
        offering.packages.into_iter().map(|it| it.package_id).collect::<Vec<_>>()
    };
    assert_eq!(offered("meditation").await, ["calm"]);
    assert_eq!(offered("karmic-healing").await, ["starter"]);
    assert!(offered("free-consultation").await.is_empty());
}

#[test]
fn every_mistake_of_a_package_is_named() {
    let keys = "sessions = 4\nservices = [\"meditation\", \"meditation\", \"dancing\"]\n\
                within_days = 2\nnotice_hours = 721";
    let copy = with_second("mistakes", keys).replace(
        "services.toml",
        "minor_units = 100_001",
        "minor_units = 399",
    );
    assert_eq!(
        copy.problems(),
        [
            "services.toml: packages.calm.notice_hours must be from 0 to 720",
            "services.toml: packages.calm.within_days must be at least 3, because each session has \
             its own date",
            "services.toml: packages.calm.price must have minor_units of at least 400: ₹1 for each \
             session",
            "services.toml: packages.calm.services has meditation more than once",
            "services.toml: packages.calm.services names dancing, which services.toml does not \
             offer",
        ]
    );
}

#[tokio::test]
async fn a_package_is_never_dearer_than_its_sessions_one_by_one() {
    // Two of them: of the seven services only the dearer ones cost as much.
    let price = |minor_units: &str| {
        with_second(&format!("dear-{minor_units}"), "sessions = 2").replace(
            "services.toml",
            "minor_units = 100_001",
            &format!("minor_units = {minor_units}"),
        )
    };
    let running = Running::with(&price("400_000").folder).await;
    let listed = running.public().list_services(ListServicesRequest {}).await.unwrap();
    let packages = listed.into_inner().packages;
    assert_eq!(packages[0].service_ids, ["relationship-counseling", "karmic-healing"]);

    assert_eq!(
        price("420_001").problems(),
        ["services.toml: packages.calm.price is more than so many sessions of each service cost \
          one by one"]
    );
    let named = "sessions = 2\nservices = [\"meditation\", \"karmic-healing\"]";
    let copy = with_second("dear-named", named).replace(
        "services.toml",
        "minor_units = 100_001",
        "minor_units = 150_001",
    );
    assert_eq!(
        copy.problems(),
        ["services.toml: packages.calm.services names meditation, of which so many sessions cost \
          less one by one"]
    );
}
