//! The layers inside a crate: a module uses modules of its own layer or of lower ones.
use crate::imports::Graph;
use crate::tree::SourceFile;

/// The layers of a service, the lowest first. The longest path that a module begins with says in
/// which layer it is; the empty path is `lib.rs`.
const SERVICE: [&[&str]; 7] = [
    // What is decided, without any input or output.
    &["domain", "mails", "accounts", "tokens", "guard"],
    &["error"],
    // Forms of the wire, files of the practice, what is called outside, and which timers there are.
    &["contract", "content", "clients", "providers", "sms", "smtp", "templates"],
    &["timers::kinds", "timers::polling", "timers::sold_orders"],
    // Everything with SQL, but for the jobs of retention.
    &["repository", "read_model", "picture", "moderation"],
    &["app", "delivery", "forms", "mails::declaration", "mails::kinds"],
    // What calls in, and settings, which only `lib.rs` hands out.
    &["retention", "timers", "consumers", "grpc", "http", "config"],
];

/// Where a service's SQL may stand, as ends of module paths or as whole folders.
const WITH_SQL: [&str; 3] = ["repository", "read_model", "retention"];
/// How a statement begins.
const STATEMENTS: [&str; 2] = ["sqlx::query", "QueryBuilder::"];

/// A service's modules that are in no layer, and its uses of a module in a higher layer.
#[must_use]
pub fn upward_edges(graph: &Graph) -> Vec<String> {
    let mut faults = Vec::new();
    for (from, used) in graph {
        let Some(layer) = layer_of(from) else {
            faults.push(format!("{from} is in no layer"));
            continue;
        };
        let above = used.iter().filter(|to| layer_of(to).is_some_and(|other| other > layer));
        faults.extend(above.map(|to| format!("{from} uses {}, which is above it", name(to))));
    }
    faults
}

fn name(module: &str) -> &str {
    if module.is_empty() { "lib.rs" } else { module }
}

fn layer_of(module: &str) -> Option<usize> {
    if module.is_empty() {
        return Some(SERVICE.len());
    }
    let of = |(layer, modules): (usize, &&[&str])| {
        let begins = modules.iter().filter(|one| is_within(module, one));
        begins.map(|one| one.len()).max().map(|length| (length, layer))
    };
    SERVICE.iter().enumerate().filter_map(of).max().map(|(_, layer)| layer)
}

fn is_within(module: &str, folder: &str) -> bool {
    module.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

/// Uses of a module that `lib.rs` declares before the user: in the gateway a request meets the
/// modules in the order of their declarations.
#[must_use]
pub fn backward_edges(graph: &Graph, lib: &str) -> Vec<String> {
    edges_against_the_order(graph, lib, |from, to| to < from, "before")
}

/// Uses of a module that `lib.rs` declares after the user: where modules are declared in reading
/// order, each is made of earlier ones.
#[must_use]
pub fn forward_edges(graph: &Graph, lib: &str) -> Vec<String> {
    edges_against_the_order(graph, lib, |from, to| to > from, "after")
}

fn edges_against_the_order(
    graph: &Graph,
    lib: &str,
    is_against: impl Fn(Option<usize>, Option<usize>) -> bool,
    where_it_is: &str,
) -> Vec<String> {
    let declared: Vec<&str> = lib
        .lines()
        .filter_map(|line| line.trim_start_matches("pub ").strip_prefix("mod ")?.strip_suffix(';'))
        .collect();
    let place = |module: &str| {
        let first = module.split("::").next().unwrap_or_default();
        declared.iter().position(|declared| *declared == first)
    };
    let mut faults = Vec::new();
    for (from, used) in graph.iter().filter(|(from, _)| !from.is_empty()) {
        let against = used.iter().filter(|to| is_against(place(from), place(to)));
        let fault =
            |to: &String| format!("{from} uses {}, which is declared {where_it_is} it", name(to));
        faults.extend(against.map(fault));
    }
    faults
}

/// SQL in a service's file that is not of its repository, read model or retention.
#[must_use]
pub fn misplaced_sql(file: &SourceFile) -> Vec<String> {
    let Some((_, module)) = file.path.split_once("/src/") else { return Vec::new() };
    let parts = module.trim_end_matches(".rs").split('/');
    if parts.into_iter().any(|part| WITH_SQL.contains(&part)) {
        return Vec::new();
    }
    let has = |line: &&str| STATEMENTS.iter().any(|statement| line.contains(statement));
    let found = file.text.lines().find(has);
    found.map(|line| format!("{} has SQL: {}", file.path, line.trim())).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(edges: &[(&str, &str)]) -> Graph {
        let mut graph = Graph::new();
        for (from, to) in edges {
            graph.entry((*from).to_owned()).or_default().insert((*to).to_owned());
            graph.entry((*to).to_owned()).or_default();
        }
        graph
    }

    #[test]
    fn a_module_that_uses_a_higher_layer_is_found() {
        let down = [
            ("app::hold", "repository"),
            ("repository", "timers::kinds"),
            ("timers", "app::hold"),
            ("", "timers"),
        ];
        assert!(upward_edges(&graph(&down)).is_empty());
        for up in [
            ("domain::day", "error"),
            ("repository", "app"),
            ("read_model::view", "timers"),
            ("app", "grpc::public"),
            ("grpc", ""),
        ] {
            assert_eq!(upward_edges(&graph(&[up])).len(), 1, "{up:?}");
        }
        assert_eq!(upward_edges(&graph(&[("", "helpers")])), ["helpers is in no layer"]);
    }

    #[test]
    fn a_module_that_uses_an_earlier_one_is_found() {
        let lib = "mod server;\npub mod rpc;\nmod wire;\n";
        assert!(backward_edges(&graph(&[("server", "rpc"), ("rpc", "wire")]), lib).is_empty());
        assert_eq!(backward_edges(&graph(&[("wire::json", "rpc::call")]), lib).len(), 1);
    }

    #[test]
    fn a_module_that_uses_a_later_one_is_found() {
        let lib = "mod samples;\nmod figure;\npub mod siege;\n";
        assert!(forward_edges(&graph(&[("siege", "figure"), ("figure", "")]), lib).is_empty());
        assert_eq!(forward_edges(&graph(&[("figure", "siege::attackers")]), lib).len(), 1);
    }

    #[test]
    fn sql_outside_of_its_places_is_found() {
        let file = |path: &str| SourceFile::sample(path, "let q = sqlx::query(\"select 1\");");
        for allowed in ["repository/holds.rs", "read_model/view.rs", "picture/repository.rs"] {
            let path = format!("services/desk/src/{allowed}");
            assert!(misplaced_sql(&file(&path)).is_empty(), "{path}");
        }
        assert_eq!(misplaced_sql(&file("services/desk/src/app/hold.rs")).len(), 1);
    }
}
