//! Lists the service's migrations, which are embedded in the program.

#[path = "../shared/eventstore/migration_list.rs"]
mod migration_list;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    migration_list::write("../../migrations/identity")
}
