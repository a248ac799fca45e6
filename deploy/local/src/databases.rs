//! The databases of the cluster: one per service, with an owner for migrations and a role with
//! fewer rights for the service.
use crate::postgres::Cluster;
use crate::secrets::SecretStore;
use anyhow::{Context, Result};
use serde::Serialize;

/// The services that store their data in a database. The catalogue stores its data in files.
pub(crate) const SERVICES: [&str; 5] =
    ["booking", "payments", "notifications", "identity", "reviews"];

/// The URLs of one service's database.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Addresses {
    /// For the running service.
    pub(crate) url: String,
    /// For its migrations.
    pub(crate) migration_url: String,
    /// For tests that read as superuser.
    pub(crate) admin_url: String,
}

/// Creates what is missing for a service and returns its database URLs.
pub(crate) fn ensure(
    cluster: &Cluster,
    secret_store: &mut SecretStore,
    service: &str,
) -> Result<Addresses> {
    let owner = format!("{service}_owner");
    let owner_password = secret_store.get_or_create(&format!("postgres-{owner}"))?;
    let password = secret_store.get_or_create(&format!("postgres-{service}"))?;
    let roles = [(owner.as_str(), &owner_password), (service, &password)];
    let mut script = String::new();
    for (role, word) in roles {
        script.push_str(&format!(
            "select 'create role {role} login' where not exists \
             (select from pg_roles where rolname = '{role}') \\gexec\n\
             alter role {role} login password '{word}';\n"
        ));
    }
    script.push_str(&format!(
        "select 'create database {service} owner {owner}' where not exists \
         (select from pg_database where datname = '{service}') \\gexec\n\
         revoke all on database {service} from public;\n\
         grant connect on database {service} to {service};\n"
    ));
    let failed = || format!("the database of {service} cannot be made");
    cluster.run_sql("postgres", &script).with_context(failed)?;
    let inside = format!(
        "create extension if not exists btree_gist;\n\
         create extension if not exists pg_trgm;\n\
         alter schema public owner to {owner};\n\
         grant usage on schema public to {service};\n"
    );
    cluster
        .run_sql(service, &format!("set client_min_messages = warning;\n{inside}"))
        .with_context(failed)?;
    Ok(Addresses {
        url: cluster.url(service, &password, service),
        migration_url: cluster.url(&owner, &owner_password, service),
        admin_url: cluster.url(crate::postgres::SUPERUSER, &cluster.password, service),
    })
}
