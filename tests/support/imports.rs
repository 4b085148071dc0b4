//! Which source file takes which names from which other.
//!
//! Every `use` and every path in the code (`super::x`, `crate::a::B`, `child::item`) is followed to the file that
//! defines the name, through all re-exports on the way: a `pub use child::X` in a `mod.rs` leads its readers to the
//! child. `mod` declarations, tests, and imports of a whole module take nothing; what is used through an imported module
//! is taken from where it is defined.

use std::collections::{BTreeMap, BTreeSet};

/// One file takes one name from another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arrow {
    /// The file that takes, below `src`.
    pub from: String,
    /// The file that defines the name.
    pub to: String,
    /// The name that is taken.
    pub name: String,
}

/// A name at the end of a `use`, and what it refers to.
struct Import {
    name: String,
    path: Vec<String>,
}

/// What a file says about names.
#[derive(Default)]
struct Module {
    file: String,
    imports: Vec<Import>,
    /// Modules or types of which all names are imported.
    globs: Vec<Vec<String>>,
    /// Names of the functions, types and constants that the file defines.
    items: BTreeSet<String>,
    /// Paths in the code, outside of `use`.
    paths: Vec<Vec<String>>,
}

/// What a path leads to.
#[derive(Clone, Debug)]
enum Target {
    /// A module, by its path.
    Module(String),
    /// A name that the module of this path defines.
    Item(String, String),
}

/// The modules of a program and of its library, by path: `crate::report::kit`, `main::cli`.
pub struct Modules(BTreeMap<String, Module>);

impl Modules {
    /// Reads the files, each given as path below `src` and code. Comments, texts and tests must be blank.
    pub fn of<'s>(files: impl Iterator<Item = (&'s str, &'s str)> + Clone) -> Modules {
        let of_program: Vec<String> = files
            .clone()
            .filter(|(file, _)| *file == "main.rs")
            .flat_map(|(_, code)| declared_modules(&tokens(code)))
            .collect();
        let modules = files.map(|(file, code)| (module_path(file, &of_program), Module::read(file, code)));
        Modules(modules.collect())
    }

    /// All that files take from each other, sorted.
    pub fn arrows(&self) -> Vec<Arrow> {
        let mut arrows = BTreeSet::new();
        for (at, module) in &self.0 {
            let single = module.imports.iter().map(|import| &import.path).chain(&module.paths);
            let paths = single.map(|path| (path, false)).chain(module.globs.iter().map(|glob| (glob, true)));
            for (path, is_glob) in paths {
                let Some(Target::Item(owner, name)) = self.resolve(at, path, is_glob, 0) else { continue };
                let (from, to) = (module.file.clone(), self.0[&owner].file.clone());
                if from != to {
                    arrows.insert(Arrow { from, to, name });
                }
            }
        }
        arrows.into_iter().collect()
    }

    /// What a path in the module `at` means; None for other crates. A module and a function may share a name:
    /// `wants_module` says which of the two is meant.
    fn resolve(&self, at: &str, path: &[String], wants_module: bool, depth: usize) -> Option<Target> {
        let mut at = at.to_owned();
        for (n, part) in path.iter().enumerate() {
            let is_last = n + 1 == path.len();
            match part.as_str() {
                "crate" => at = at.split("::").next().unwrap_or_default().to_owned(),
                "tlparse" if n == 0 && at.starts_with("main") => at = "crate".to_owned(),
                "self" => {}
                "super" => at = at.rsplit_once("::")?.0.to_owned(),
                name => match self.look_up(&at, name, wants_module || !is_last, depth) {
                    Some(Target::Module(module)) => at = module,
                    Some(item) => return Some(item),
                    // What a macro defines is not seen; it belongs to the module that is named.
                    None if n > 0 && self.0.contains_key(&at) => {
                        return Some(Target::Item(at, name.to_owned()));
                    }
                    None => return None,
                },
            }
        }
        Some(Target::Module(at))
    }

    /// What a name in a module means.
    fn look_up(&self, at: &str, name: &str, wants_module: bool, depth: usize) -> Option<Target> {
        // Names that are imported in a circle end here.
        if depth > 20 {
            return None;
        }
        let module = self.0.get(at)?;
        let child = format!("{at}::{name}");
        let child = self.0.contains_key(&child).then_some(Target::Module(child));
        let item = || module.items.contains(name).then(|| Target::Item(at.to_owned(), name.to_owned()));
        let imported = || {
            let named = module.imports.iter().find(|import| import.name == name && import.path != [name])?;
            self.resolve(at, &named.path, wants_module, depth + 1)
        };
        let by_glob = || {
            module.globs.iter().find_map(|glob| {
                let Some(Target::Module(from)) = self.resolve(at, glob, true, depth + 1) else { return None };
                if from == at { None } else { self.look_up(&from, name, wants_module, depth + 1) }
            })
        };
        if wants_module {
            child.or_else(imported).or_else(item).or_else(by_glob)
        } else {
            item().or_else(imported).or_else(by_glob).or(child)
        }
    }
}

/// The path of the module that a file holds.
fn module_path(file: &str, of_program: &[String]) -> String {
    let path = file.trim_end_matches(".rs").trim_end_matches("/mod");
    let top = path.split('/').next().unwrap_or_default();
    match path {
        "lib" => "crate".to_owned(),
        "main" => "main".to_owned(),
        _ if of_program.iter().any(|name| name == top) => format!("main::{}", path.replace('/', "::")),
        _ => format!("crate::{}", path.replace('/', "::")),
    }
}

/// Words, `::` and single signs.
fn tokens(code: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    let mut rest = code.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            ':' if rest.starts_with("::") => 2,
            // A lifetime is one token, so that `'static` is not an item.
            '\'' => 1 + rest[1..].find(|c| !is_word(c)).unwrap_or(rest.len() - 1),
            c if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            c => c.len_utf8(),
        };
        let (token, behind) = rest.split_at(length);
        found.push(token);
        rest = behind.trim_start();
    }
    found
}

/// Names that `mod name;` declares.
fn declared_modules(tokens: &[&str]) -> Vec<String> {
    let declarations = tokens.windows(3).filter(|three| three[0] == "mod" && three[2] == ";");
    declarations.map(|three| three[1].to_owned()).collect()
}

/// The code without items that only tests have.
fn without_tests<'c>(tokens: &[&'c str]) -> Vec<&'c str> {
    let marker = ["#", "[", "cfg", "(", "test", ")", "]"];
    let mut kept = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if !tokens[at..].starts_with(&marker) {
            kept.push(tokens[at]);
            at += 1;
            continue;
        }
        at += marker.len();
        let mut depth = 0_i32;
        while at < tokens.len() {
            depth += i32::from(["(", "[", "{"].contains(&tokens[at]));
            depth -= i32::from([")", "]", "}"].contains(&tokens[at]));
            at += 1;
            if depth == 0 && [";", "}"].contains(&tokens[at - 1]) {
                break;
            }
        }
    }
    kept
}

impl Module {
    fn read(file: &str, code: &str) -> Module {
        let tokens = without_tests(&tokens(code));
        let mut module = Module { file: file.to_owned(), ..Module::default() };
        let mut depth = 0_i32;
        let mut at = 0;
        while at < tokens.len() {
            let next = tokens.get(at + 1).copied().unwrap_or_default();
            at += match tokens[at] {
                // In a type, `use<'a>` says which lifetimes it holds.
                "use" if next != "<" => 1 + module.read_use(&tokens[at + 1..], &[]),
                "pub" if next == "(" => visibility(&tokens[at..]),
                "fn" | "struct" | "enum" | "union" | "trait" | "type" | "const" | "static"
                    if depth == 0 && is_name(next) =>
                {
                    module.items.insert(next.to_owned());
                    2
                }
                "{" => {
                    depth += 1;
                    1
                }
                "}" => {
                    depth -= 1;
                    1
                }
                name if is_name(name) && next == "::" => module.read_path(&tokens[at..]),
                _ => 1,
            };
        }
        module
    }

    /// Reads one branch of a `use`, up to its `;`, `,` or `}`; returns the number of tokens read.
    fn read_use(&mut self, tokens: &[&str], before: &[String]) -> usize {
        let mut path = before.to_vec();
        let mut at = 0;
        while at < tokens.len() {
            match tokens[at] {
                "::" => at += 1,
                "{" => {
                    at += 1;
                    while at < tokens.len() && tokens[at] != "}" {
                        // A sign that no `use` holds is passed over: the marker of a merge conflict, say.
                        at += self.read_use(&tokens[at..], &path).max(1);
                        at += usize::from(tokens.get(at) == Some(&","));
                    }
                    return at + 1;
                }
                "*" => {
                    self.globs.push(path);
                    return at + 1;
                }
                "as" => {
                    let name = tokens.get(at + 1).map(|name| (*name).to_owned());
                    self.imports.extend(name.map(|name| Import { name, path }));
                    return at + 2;
                }
                name if is_name(name) => {
                    path.push(name.to_owned());
                    at += 1;
                }
                _ => break,
            }
        }
        // `use a::{self}` imports a itself.
        if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
            path.pop();
        }
        if let Some(name) = path.last().cloned() {
            self.imports.push(Import { name, path });
        }
        at
    }

    /// Reads a path in the code; returns how many tokens it takes.
    fn read_path(&mut self, tokens: &[&str]) -> usize {
        let mut path = vec![tokens[0].to_owned()];
        let mut at = 1;
        while let [Some(&"::"), Some(name)] = [tokens.get(at), tokens.get(at + 1)] {
            if !is_name(name) {
                break;
            }
            path.push((*name).to_owned());
            at += 2;
        }
        self.paths.push(path);
        at
    }
}

/// How many tokens `pub(crate)`, `pub(in super::super)` and the like take. A field of a tuple may begin with a bracket
/// of its own.
fn visibility(tokens: &[&str]) -> usize {
    match tokens.get(2) {
        Some(&("crate" | "super" | "self" | "in")) => {
            tokens.iter().position(|token| *token == ")").map_or(1, |end| end + 1)
        }
        _ => 1,
    }
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// The groups of files of which each reaches each other along the arrows, largest first.
pub fn circles(arrows: &[Arrow]) -> Vec<Vec<&str>> {
    let mut takes_from: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for arrow in arrows {
        takes_from.entry(&arrow.from).or_default().insert(&arrow.to);
    }
    let reached: BTreeMap<&str, BTreeSet<&str>> = takes_from
        .keys()
        .map(|start| {
            let mut seen = BTreeSet::new();
            let mut open = vec![*start];
            while let Some(file) = open.pop() {
                let next = takes_from.get(file).into_iter().flatten();
                open.extend(next.filter(|to| seen.insert(**to)));
            }
            (*start, seen)
        })
        .collect();
    let mut groups: BTreeSet<Vec<&str>> = BTreeSet::new();
    for (file, seen) in reached.iter().filter(|(file, seen)| seen.contains(*file)) {
        let back = seen.iter().filter(|other| reached.get(*other).is_some_and(|seen| seen.contains(file)));
        groups.insert(back.copied().collect());
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
    groups
}

/// The arrows within each circle, one line for each pair of files with all names that the one takes from the other.
pub fn told(arrows: &[Arrow]) -> Vec<String> {
    let mut lines = Vec::new();
    for circle in circles(arrows) {
        lines.push(format!("{} files: {}", circle.len(), circle.join(", ")));
        let mut names: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
        for arrow in arrows {
            let (from, to) = (arrow.from.as_str(), arrow.to.as_str());
            if circle.contains(&from) && circle.contains(&to) {
                names.entry((from, to)).or_default().push(&arrow.name);
            }
        }
        lines.extend(
            names.iter().map(|((from, to), names)| format!("  {from} -> {to}: {}", names.join(", "))),
        );
    }
    lines
}
