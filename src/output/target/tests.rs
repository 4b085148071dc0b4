//! Where reports may be placed, and how they get there.

use super::*;
use crate::output::entries::entries_of_tests;

fn prepare(out: &Path, overwrite: bool) -> Result<Target> {
    Target::prepare(out, overwrite, entries_of_tests())
}

/// A folder to try things in.
struct Yard(tempfile::TempDir);

impl Yard {
    fn new() -> Yard {
        Yard(tempfile::tempdir().unwrap())
    }

    fn at(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    /// Every file and folder of the yard, sorted; hidden ones too.
    fn all(&self) -> Vec<String> {
        all(self.0.path())
    }

    /// A report of ours with one page.
    fn report(&self, path: &str, page: &str) -> PathBuf {
        let folder = self.at(path);
        fill(&folder, page);
        folder
    }
}

fn all(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type().unwrap().is_dir() {
            found.extend(all(&entry.path()).into_iter().map(|below| format!("{name}/{below}")));
        }
        found.push(name);
    }
    found.sort();
    found
}

/// Writes a report of ours: `index.html`, one folder with a page, and `report.json`, which lists it.
fn fill(folder: &Path, page: &str) {
    fs::create_dir_all(folder.join("-_0_0_0")).unwrap();
    fs::write(folder.join("-_0_0_0").join(page), page).unwrap();
    fs::write(folder.join("index.html"), page).unwrap();
    let artifacts = format!(r#"[{{"path": "-_0_0_0/{page}"}}]"#);
    let json = format!(r#"{{"tool": {{"name": "tlparse"}}, "compiles": [{{"artifacts": {artifacts}}}]}}"#);
    fs::write(folder.join("report.json"), json).unwrap();
}

fn content(page: &str) -> Vec<String> {
    ["-_0_0_0".to_owned(), format!("-_0_0_0/{page}"), "index.html".to_owned(), "report.json".to_owned()]
        .into()
}

fn refusal(out: &Path, overwrite: bool) -> String {
    format!("{:#}", prepare(out, overwrite).err().expect("refused"))
}

/// Prepares, fills with `page` and places.
fn run(out: &Path, overwrite: bool, page: &str) -> PathBuf {
    let target = prepare(out, overwrite).unwrap();
    fill(target.folder(), page);
    target.place().unwrap()
}

/// Runs one test of this file again in a process of its own, with `command` in front of it and `YARD` set; the
/// test does its part when it finds that. False when `command` cannot be run here.
#[cfg(target_os = "linux")]
fn again(command: &[&str], test: &str, yard: &Path, current: &Path) -> bool {
    let exe = std::env::current_exe().unwrap();
    let mut process = std::process::Command::new(command[0]);
    process.args(&command[1..]).arg(exe).args(["--exact", "--nocapture", test]);
    let output = process.env("YARD", yard).current_dir(current).output();
    let Ok(output) = output else { return false };
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    if text.contains("unshare failed") || text.contains("permission denied") {
        return false;
    }
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
    true
}

#[test]
fn a_new_report_appears_with_its_parents_only_when_it_is_placed() {
    let yard = Yard::new();
    let out = yard.at("deep/er/tl_out");
    let target = prepare(&out, false).unwrap();
    fill(target.folder(), "new");
    assert!(!out.exists());
    drop(target);
    assert_eq!(yard.all(), Vec::<String>::new(), "a report that is not placed leaves nothing behind");
    assert_eq!(run(&out, false, "new"), out.canonicalize().unwrap());
    assert_eq!(all(&out), content("new"));
    assert_eq!(yard.all().len(), content("new").len() + 3, "nothing else is left");
}

#[test]
fn overwrite_replaces_an_empty_folder_and_a_report_once_the_new_one_is_placed() {
    let yard = Yard::new();
    let out = yard.at("out");
    fs::create_dir(&out).unwrap();
    run(&out, true, "one");
    assert_eq!(all(&out), content("one"));
    let target = prepare(&out, true).unwrap();
    fill(target.folder(), "two");
    assert_eq!(all(&out), content("one"));
    drop(target);
    assert_eq!(all(&out), content("one"));
    run(&out, true, "two");
    assert_eq!(all(&out), content("two"));
    assert_eq!(fs::read_dir(yard.0.path()).unwrap().count(), 1);
}

#[test]
fn a_folder_that_is_no_report_is_refused_and_its_entry_named() {
    let yard = Yard::new();
    yard.report("out", "old");
    fs::write(yard.at("out/thesis.tex"), "").unwrap();
    fs::write(yard.at("file"), "").unwrap();
    let before = yard.all();
    assert!(refusal(&yard.at("out"), true).contains("thesis.tex"));
    assert!(refusal(&yard.at("file"), true).contains("not a folder"));
    assert!(refusal(&yard.at("file/below"), true).contains("-o"));
    assert!(refusal(Path::new("/"), true).contains("leaves"));
    assert!(refusal(Path::new(""), true).contains("-o"));
    assert!(refusal(&yard.at("missing/../x"), true).contains("-o"));
    assert_eq!(yard.all(), before);
}

#[test]
fn a_file_that_appears_during_the_run_is_not_lost() {
    let yard = Yard::new();
    yard.report("out", "old");
    let target = prepare(&yard.at("out"), true).unwrap();
    fill(target.folder(), "new");
    fs::write(yard.at("out/notes.txt"), "").unwrap();
    assert!(target.place().unwrap_err().to_string().contains("notes.txt"));
    assert!(yard.at("out/-_0_0_0/old").exists());

    let target = prepare(&yard.at("new"), false).unwrap();
    fs::create_dir(yard.at("new")).unwrap();
    assert!(target.place().unwrap_err().to_string().contains("exists already"));
    assert_eq!(fs::read_dir(yard.0.path()).unwrap().count(), 2);
}

#[cfg(unix)]
#[test]
fn permissions_are_those_of_what_is_replaced_or_of_a_plain_new_folder() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
    let yard = Yard::new();
    fs::create_dir(yard.at("plain")).unwrap();
    let target = prepare(&yard.at("out"), false).unwrap();
    assert_eq!(mode(target.folder()), mode(&yard.at("plain")));
    fill(target.folder(), "one");
    target.place().unwrap();
    assert_eq!(mode(&yard.at("out")), mode(&yard.at("plain")));
    for bits in [0o700, 0o2775, 0o555, 0o755] {
        fs::set_permissions(yard.at("out"), fs::Permissions::from_mode(bits)).unwrap();
        let target = prepare(&yard.at("out"), true).unwrap();
        assert_eq!(mode(target.folder()), bits | 0o700, "private from the start");
        fill(target.folder(), "two");
        target.place().unwrap();
        assert_eq!(mode(&yard.at("out")), bits);
    }
    assert_eq!(fs::read_dir(yard.0.path()).unwrap().count(), 2);
}

#[cfg(unix)]
#[test]
fn a_link_is_followed_and_stays_a_link() {
    use std::os::unix::fs::symlink;
    let yard = Yard::new();
    yard.report("real", "old");
    symlink("real", yard.at("link")).unwrap();
    symlink("elsewhere/new", yard.at("dangling")).unwrap();
    symlink("loop", yard.at("loop")).unwrap();
    assert_eq!(run(&yard.at("link"), true, "new"), yard.at("real").canonicalize().unwrap());
    assert!(yard.at("link").is_symlink());
    assert_eq!(all(&yard.at("real")), content("new"));
    run(&yard.at("dangling"), false, "new");
    assert_eq!(all(&yard.at("elsewhere/new")), content("new"));
    assert!(refusal(&yard.at("loop"), true).contains("-o"));
    assert_eq!(fs::read_dir(yard.0.path()).unwrap().count(), 5);
}

#[test]
fn of_many_runs_at_once_each_wins_or_is_turned_away() {
    let yard = Yard::new();
    let won = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..50 {
                    if let Ok(target) = prepare(&yard.at("out"), true) {
                        fill(target.folder(), "page");
                        target.place().unwrap();
                        won.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    }
                }
            });
        }
    });
    assert!(won.into_inner() > 0);
    assert_eq!(all(&yard.at("out")), content("page"));
    assert_eq!(fs::read_dir(yard.0.path()).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn work_of_dead_processes_is_removed_and_that_of_others_kept() {
    let yard = Yard::new();
    yard.report("out", "old");
    let mut child = std::process::Command::new("true").spawn().unwrap();
    let dead = child.id();
    child.wait().unwrap();
    fill(&yard.at(&format!(".out.tlparse-{dead}")), "left");
    fill(&yard.at(&format!(".out.tlparse-{dead}-old")), "left");
    fill(&yard.at(&format!("out/.tlparse-{dead}")), "left");
    fs::write(yard.at(".out.tlparse-lock"), "").unwrap();
    fs::create_dir(yard.at(&format!(".out.tlparse-{}", std::os::unix::process::parent_id()))).unwrap();
    fs::create_dir(yard.at(".out.tlparse-notes")).unwrap();
    run(&yard.at("out"), true, "new");
    assert_eq!(all(&yard.at("out")), content("new"));
    assert_eq!(fs::read_dir(yard.0.path()).unwrap().count(), 3);
}

/// A name so long that no hidden name fits beside it: what a parent that cannot be written to does, for root too.
fn name_without_sibling() -> String {
    "x".repeat(250)
}

#[test]
fn where_nothing_can_be_made_beside_the_report_is_built_inside() {
    let yard = Yard::new();
    let out = yard.report(&name_without_sibling(), "old");
    let target = prepare(&out, true).unwrap();
    assert_eq!(target.folder().parent().unwrap(), out.canonicalize().unwrap());
    assert!(refusal(&out, true).contains("another tlparse"));
    fill(target.folder(), "new");
    assert!(out.join("-_0_0_0/old").exists());
    target.place().unwrap();
    assert_eq!(all(&out), content("new"));

    drop(prepare(&out, true).unwrap());
    assert_eq!(all(&out), content("new"));
    fs::write(out.join("mine"), "").unwrap();
    assert!(refusal(&out, true).contains("mine"));
    assert!(refusal(&yard.at(&"y".repeat(250)), true).contains("-o"), "a new one cannot be made");
    assert_eq!(fs::read_dir(yard.0.path()).unwrap().count(), 1);
}

#[test]
fn a_parent_that_may_not_be_written_to_is_named() {
    let yard = Yard::new();
    let mut permissions = fs::metadata(yard.0.path()).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(yard.0.path(), permissions).unwrap();
    if fs::create_dir(yard.at("probe")).is_ok() {
        eprintln!("skipped: this user may write anywhere");
        return;
    }
    let error = refusal(&yard.at("out"), true);
    assert!(error.contains("could not create") && error.contains("-o"), "{error}");
}

#[test]
fn a_report_that_cannot_be_moved_in_leaves_the_old_one_whole() {
    let yard = Yard::new();
    let out = yard.report(&name_without_sibling(), "old");
    let target = prepare(&out, true).unwrap();
    fill(target.folder(), "new");
    // The folder for the old entries cannot be made, and then no move is made.
    let aside = out.join(format!(".tlparse-{}-old", std::process::id()));
    fs::write(&aside, "").unwrap();
    target.place().unwrap_err();
    fs::remove_file(aside).unwrap();
    assert_eq!(all(&out), content("old"));
}

#[cfg(target_os = "linux")]
#[test]
fn the_current_folder_is_filled_and_not_exchanged() {
    use std::os::unix::fs::MetadataExt;
    if let Some(yard) = std::env::var_os("YARD") {
        let before = fs::metadata(".").unwrap().ino();
        assert_eq!(run(Path::new("."), true, "one"), PathBuf::from(&yard));
        assert_eq!(run(Path::new("./"), true, "two"), PathBuf::from(&yard));
        assert_eq!(fs::metadata(yard).unwrap().ino(), before);
        assert_eq!(all(Path::new(".")), content("two"));
        return;
    }
    let yard = Yard::new();
    fs::create_dir(yard.at("out")).unwrap();
    let out = yard.at("out").canonicalize().unwrap();
    let test = "output::target::tests::the_current_folder_is_filled_and_not_exchanged";
    assert!(again(&["env"], test, &out, &out));
    assert_eq!(fs::read_dir(yard.0.path()).unwrap().count(), 1);
}

#[cfg(target_os = "linux")]
#[test]
fn a_mount_point_is_filled() {
    if let Some(yard) = std::env::var_os("YARD") {
        let yard = PathBuf::from(yard);
        for name in ["disk", "bound"] {
            run(&yard.join(name), true, "one");
            run(&yard.join(name), true, "two");
            assert_eq!(all(&yard.join(name)), content("two"), "{name}");
            // Also when it shows only at the end.
            let staging = yard.join("staging");
            fill(&staging, "three");
            place::swap(&staging, &yard.join(name)).unwrap_err();
            let inside = yard.join(name).join(".tlparse-1");
            place::move_folder(&staging, &inside).unwrap();
            place::move_in(&inside, &yard.join(name)).unwrap();
            fs::remove_dir(inside).unwrap();
            assert_eq!(all(&yard.join(name)), content("three"), "{name}");
        }
        assert_eq!(fs::read_dir(yard).unwrap().count(), 3);
        return;
    }
    let yard = Yard::new();
    for name in ["disk", "bound", "source"] {
        fs::create_dir(yard.at(name)).unwrap();
    }
    let mount = "mount -t tmpfs none disk && mount --bind source bound && exec \"$@\"";
    let test = "output::target::tests::a_mount_point_is_filled";
    if !again(&["unshare", "-rm", "sh", "-c", mount, "sh"], test, yard.0.path(), yard.0.path()) {
        eprintln!("skipped: nothing can be mounted here");
    }
}

#[test]
fn without_an_exchange_two_renames_do_and_a_failure_is_undone() {
    let yard = Yard::new();
    let out = yard.report("out", "old");
    let staging = yard.report(".out.tlparse-1", "new");
    place::replace(&yard.at("missing"), &out).unwrap_err();
    assert_eq!(all(&out), content("old"));
    place::replace(&staging, &out).unwrap();
    assert_eq!(all(&out), content("new"));
    assert_eq!(fs::read_dir(yard.0.path()).unwrap().count(), 1);
}

#[test]
fn moves_that_fail_half_way_are_undone() {
    let yard = Yard::new();
    let (one, two) = (yard.at("one"), yard.at("two"));
    fs::write(&one, "1").unwrap();
    let moves = [(one.clone(), two), (yard.at("missing"), yard.at("three"))]
        .map(|(from, to)| place::Move { from, to });
    place::move_all(&moves).unwrap_err();
    assert_eq!(yard.all(), ["one"]);
}

#[test]
fn what_says_that_a_report_is_whole_goes_first_and_comes_last() {
    let yard = Yard::new();
    let (old, new) = (yard.report("out", "old"), yard.report(".out.tlparse-1", "new"));
    for (folder, name) in
        [&old, &new].iter().flat_map(|folder| ["report.json", "a.html", "zz.html"].map(|name| (folder, name)))
    {
        fs::write(folder.join(name), name).unwrap();
    }
    let moves = place::exchange_of(&new, &old, &yard.at("aside"), place::entries_of).unwrap();
    let names: Vec<_> = moves.iter().map(|one| one.from.file_name().unwrap().to_str().unwrap()).collect();
    let is_last = |names: &[&str]| names.iter().all(|name| ["index.html", "report.json"].contains(name));
    let whole = names.iter().filter(|name| is_last(&[name])).count() / 2;
    assert!(whole > 0 && is_last(&names[..whole]) && is_last(&names[names.len() - whole..]), "{names:?}");
}
