//! Licenses and sources of all dependencies, as `deny.toml` accepts them: what `cargo deny` checks, where it is not installed.

use crate::support::source_text;
use serde_json::Value;
use std::collections::BTreeSet;
use std::process::Command;

/// `deny.toml`.
fn accepted() -> toml::Table {
    source_text("deny.toml").parse().unwrap()
}

/// What is known of every package in `Cargo.lock`.
fn packages() -> Vec<Value> {
    let mut command = Command::new(env!("CARGO"));
    // Packages of the other members of the workspace may have to be downloaded first.
    command.args(["metadata", "--format-version", "1", "--locked"]);
    let output = command.current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

/// Whether licenses that are accepted are enough. `/` is how `OR` was written once; brackets hold alternatives.
fn is_enough(expression: &str, accepted: &BTreeSet<&str>) -> bool {
    let flat = expression.replace('/', " OR ");
    if let Some((before, rest)) = flat.split_once('(') {
        let (inside, behind) = rest.split_once(')').expect("brackets are closed");
        let inside = if is_enough(inside, accepted) { "MIT" } else { "none" };
        return is_enough(&format!("{before}{inside}{behind}"), accepted);
    }
    let all = |alternative: &str| alternative.split(" AND ").all(|one| accepted.contains(one.trim()));
    flat.split(" OR ").any(all)
}

#[test]
fn every_dependency_has_a_license_and_a_source_that_is_accepted() {
    let deny = accepted();
    let texts = |value: &toml::Value| -> BTreeSet<String> {
        value.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
    };
    let allowed = texts(&deny["licenses"]["allow"]);
    let allowed: BTreeSet<&str> = allowed.iter().map(String::as_str).collect();
    let packages = packages();
    assert!(packages.len() > 100);
    for package in packages {
        let name = package["name"].as_str().unwrap();
        // Ours have no source.
        let Some(from) = package["source"].as_str() else { continue };
        assert_eq!(from, "registry+https://github.com/rust-lang/crates.io-index", "{name}");
        let license = package["license"].as_str();
        let enough = license.is_some_and(|license| is_enough(license, &allowed));
        assert!(enough, "{name} is under {license:?}, which deny.toml does not accept");
    }
}

#[test]
fn alternatives_and_sums_of_licenses_are_distinguished() {
    let accepted = BTreeSet::from(["MIT", "ISC"]);
    for (expression, enough) in [
        ("MIT", true),
        ("GPL-3.0-only", false),
        ("GPL-3.0-only OR MIT", true),
        ("Apache-2.0/MIT", true),
        ("GPL-3.0-only AND MIT", false),
        ("ISC AND MIT", true),
        ("(MIT OR Apache-2.0) AND GPL-3.0-only", false),
        ("(MIT OR Apache-2.0) AND ISC", true),
    ] {
        assert_eq!(is_enough(expression, &accepted), enough, "{expression}");
    }
}
