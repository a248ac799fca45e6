//! The databases of the cluster: one per service, with an owner for migrations, a role with fewer
//! rights for the service, and one that only reads. None of them reaches another one's database.
use crate::postgres::Cluster;
use crate::run_state::Addresses;
use crate::secrets::SecretStore;
use anyhow::{Context, Result};

/// The services that store their data in a database. The catalogue stores its data in files.
pub const SERVICES: [&str; 5] = ["booking", "payments", "notifications", "identity", "reviews"];

/// Creates what is missing for a service and returns its database URLs. What an earlier release has
/// made gets the rights that it lacks, and loses those that it should not have.
pub fn ensure(
    cluster: &Cluster,
    secret_store: &mut SecretStore,
    service: &str,
) -> Result<Addresses> {
    let (outside, inside) = scripts(service, secret_store)?;
    let failed = || format!("the database of {service} cannot be made");
    cluster.run_sql("postgres", &outside).with_context(failed)?;
    cluster.run_sql(service, &inside).with_context(failed)?;
    let mut url = |role: &str| {
        Ok::<_, anyhow::Error>(cluster.url(role, &password(secret_store, role)?, service))
    };
    Ok(Addresses {
        url: url(service)?,
        migration_url: url(&format!("{service}_owner"))?,
        reader_url: url(&format!("{service}_reader"))?,
        admin_url: cluster.url(crate::postgres::SUPERUSER, &cluster.password, service),
    })
}

/// What a superuser runs for a service: outside of its database, then inside of it.
pub fn scripts(service: &str, secret_store: &mut SecretStore) -> Result<(String, String)> {
    let mut passwords = Vec::new();
    for role in roles(service) {
        let word = password(secret_store, &role)?;
        passwords.push((role, word));
    }
    Ok((outside(service, &passwords), inside(service)))
}

/// The roles of a service: the owner of its database, its own, and the one that only reads.
pub fn roles(service: &str) -> [String; 3] {
    [format!("{service}_owner"), service.to_owned(), format!("{service}_reader")]
}

/// The password of a role, which is made once.
fn password(secret_store: &mut SecretStore, role: &str) -> Result<String> {
    secret_store.get_or_create(&format!("postgres-{role}"))
}

/// The script for the cluster: roles, the database, and who may connect to it.
fn outside(service: &str, roles: &[(String, String)]) -> String {
    let mut script = String::new();
    for (role, word) in roles {
        script.push_str(&format!(
            "select 'create role {role} login' where not exists \
             (select from pg_roles where rolname = '{role}') \\gexec\n\
             alter role {role} login nosuperuser nocreatedb nocreaterole nobypassrls noreplication \
             password '{word}';\n"
        ));
    }
    script.push_str(&format!(
        "select 'create database {service} owner {service}_owner' where not exists \
         (select from pg_database where datname = '{service}') \\gexec\n\
         revoke all on database {service}, postgres, template1 from public;\n\
         grant connect on database {service} to {service}_owner, {service}, {service}_reader;\n\
         alter role {service}_reader set default_transaction_read_only = on;\n"
    ));
    script
}

/// The script for the database. The owner's later tables are open to the reader too.
fn inside(service: &str) -> String {
    format!(
        "set client_min_messages = warning;\n\
         create extension if not exists btree_gist;\n\
         create extension if not exists pg_trgm;\n\
         alter schema public owner to {service}_owner;\n\
         revoke create on schema public from public;\n\
         grant usage on schema public to {service}, {service}_reader;\n\
         grant select on all tables in schema public to {service}_reader;\n\
         alter default privileges for role {service}_owner in schema public \
         grant select on tables to {service}_reader;\n"
    )
}

#[cfg(test)]
mod tests {
    use super::{Addresses, ensure};
    use crate::environment::Environment;
    use crate::paths::Paths;
    use crate::postgres::{Cluster, Durability};
    use crate::secrets::{SecretStore, random_secret};
    use crate::tools::{self, Tool};
    use std::fs;
    use std::process::Command;

    /// The tests' own cluster.
    fn cluster() -> Cluster {
        let environment = Environment::of_this_process();
        let url = environment.get("SUKOON_TEST_POSTGRES_URL").expect("start by `make test`");
        let (credentials, server) = url.split_once('@').unwrap();
        let (_user, password) = credentials.rsplit_once(':').unwrap();
        let (address, _database) = server.split_once('/').unwrap();
        let (_host, port) = address.rsplit_once(':').unwrap();
        let paths = Paths::find(&environment).unwrap();
        Cluster {
            tool: tools::find(&environment, &paths).unwrap().postgres.unwrap(),
            user: None,
            folder: paths.test_data,
            port: port.parse().unwrap(),
            password: password.to_owned(),
            durability: Durability::Disposable,
            certificates: None,
        }
    }

    /// Runs a statement with one of the roles; what it prints, or nothing where it is refused.
    fn run(tool: &Tool, url: &str, sql: &str) -> Option<String> {
        let mut psql: Command = tool.command("psql");
        psql.args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align"]);
        let output = psql.args(["--dbname", url, "--command", sql]).output().unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        output.status.success().then(|| printed.trim().to_owned())
    }

    #[test]
    fn each_role_has_the_rights_of_its_purpose_and_none_in_another_services_database() {
        let cluster = cluster();
        let data = std::env::temp_dir().join(format!("sukoon-roles-{}", std::process::id()));
        let mut store = SecretStore::open(&data).unwrap();
        let [own, other] = ["a", "b"].map(|letter| format!("test_{letter}{}", random_secret()));
        // A database of an earlier release: public rights, and no reader.
        let earlier = format!("create role {own} login; create database {own};");
        earlier
            .split_inclusive(';')
            .for_each(|sql| drop(cluster.run_sql("postgres", sql).unwrap()));
        let made: Vec<Addresses> =
            [&own, &other].map(|name| ensure(&cluster, &mut store, name).unwrap()).into();
        let run = |url: &str, sql: &str| run(&cluster.tool, url, sql);
        let [first, second] = made.as_slice() else { panic!("two databases") };
        // Repeating it changes nothing.
        assert_eq!(ensure(&cluster, &mut store, &own).unwrap().url, first.url);
        run(&first.migration_url, "create table things (id int); insert into things values (7)")
            .expect("the owner makes tables");
        run(&first.migration_url, &format!("grant select, insert on things to {own}")).unwrap();
        assert_eq!(run(&first.url, "select id from things").as_deref(), Some("7"));
        assert_eq!(run(&first.url, "create table own (id int)"), None, "it serves only");
        assert_eq!(run(&first.url, "create temporary table own (id int)"), None);
        assert_eq!(run(&first.reader_url, "select id from things").as_deref(), Some("7"));
        for sql in ["insert into things values (8)", "create table own (id int)"] {
            let written = format!("set default_transaction_read_only = off; {sql}");
            assert_eq!(run(&first.reader_url, &written), None, "the reader: {sql}");
        }
        for database in [&*other, "postgres", "template1"] {
            for url in [&first.url, &first.migration_url, &first.reader_url] {
                let url = [url.trim_end_matches(&*own), database].concat();
                assert_eq!(run(&url, "select 1"), None, "{own} reaches {database}");
            }
        }
        assert_eq!(run(&second.url, "select 1").as_deref(), Some("1"));
        for name in [&own, &other] {
            let end = format!(
                "drop database {name}; drop role {name}; drop role {name}_reader; \
                 drop role {name}_owner;"
            );
            end.split_inclusive(';')
                .for_each(|sql| drop(cluster.run_sql("postgres", sql).unwrap()));
        }
        fs::remove_dir_all(data).unwrap();
    }
}
