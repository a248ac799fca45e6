//! Lists the event log's migrations, which are embedded in the program.

mod migration_list;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    migration_list::write("../../../migrations/eventstore")
}
