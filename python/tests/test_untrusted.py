"""Reports that come from anywhere."""

import contextlib
import errno
import json
import os
import shutil
import signal
import unittest
from pathlib import Path
from unittest import mock

import tlparse
from tlparse._files import ReportFolder

from support import HIDDEN, InAFolder, change, job, log, needs

HOSTILE = "<img src=x onerror=alert(1)>" + "".join(HIDDEN)


def replaced(value, text):
    """JSON in which each number, text and truth value is the text."""
    if isinstance(value, dict):
        return {key: replaced(one, text) for key, one in value.items()}
    if isinstance(value, list):
        return [replaced(one, text) for one in value]
    return value if value is None else text


def escaped(character: str) -> str:
    return f"\\u{{{ord(character):x}}}"


class WhatIsShown(InAFolder):
    """No text of a report controls a terminal or a notebook."""

    def hostile(self) -> tlparse.Report:
        report = self.report_of(log("03_graph_breaks"))
        file = report / "report.json"
        facts = replaced(json.loads(file.read_text(encoding="utf-8")), HOSTILE)
        file.write_text(json.dumps({**facts, "kind": "log"}), encoding="utf-8")
        return tlparse.parse(report)

    def assert_harmless(self, text: str) -> None:
        self.assertEqual([character for character in HIDDEN if character in text], [])
        for character in HIDDEN:
            self.assertIn(escaped(character), text)

    def test_print_and_notebook_spell_out_what_cannot_be_seen_also_in_place_of_numbers(self) -> None:
        report = self.hostile()
        for text in [str(report), repr(report), report.verdict(), report._repr_html_()]:
            self.assert_harmless(text)

    def test_a_notebook_shows_no_markup_of_a_report_also_in_place_of_numbers(self) -> None:
        page = self.hostile()._repr_html_()
        self.assertNotIn("<img", page)
        first = page.split("<li>")[1]
        # Severity, title, file, line and hint.
        self.assertEqual(first.count("&lt;img"), 5, first)

    def test_a_line_of_a_report_stays_one_line(self) -> None:
        report = self.report_of(log("03_graph_breaks"))
        change(report, lambda facts: facts["findings"][0].update(title="first\n  error: second\r\nthird"))
        self.assertIn(": first error: second third\n", repr(tlparse.parse(report)))

    def test_half_a_pair_can_be_printed(self) -> None:
        report = self.report_of(log("03_graph_breaks"))
        change(report, lambda facts: facts["findings"][0].update(title="\ud800"))
        for text in [repr(tlparse.parse(report)), tlparse.parse(report)._repr_html_()]:
            self.assertIn("\\u{d800}", text)
            text.encode("utf-8")

    def test_numbers_that_are_none_and_lists_that_are_null_do_not_end_a_notebook(self) -> None:
        report = self.report_of(log("03_graph_breaks"))
        for seconds in [10**400, [1], {}, float("nan")]:
            change(report, lambda facts: facts["compile_time"].update(total_s=seconds))
            self.assertIn("7 distinct graph breaks", tlparse.parse(report)._repr_html_())
        change(report, lambda facts: facts.update(findings=None, recompiles=None))
        self.assertIn("0 recompilations", tlparse.parse(report)._repr_html_())

    def test_messages_of_a_budget_spell_out_what_cannot_be_seen(self) -> None:
        needs("pytest")
        from tlparse.pytest_plugin import exceeded

        report = self.hostile()
        for name in ["graph_breaks", "failures"]:
            told = exceeded(report, {name: 0})
            # What a failure says is cut.
            self.assertTrue(all(character not in line for line in told for character in HIDDEN))
            self.assertTrue(all(escaped(character) in told[1] for character in HIDDEN[:20]), told[1])

    def test_errors_spell_out_what_cannot_be_seen(self) -> None:
        name = "a\x1b[31m\u202eb"
        shown = "a\\u{1b}[31m\\u{202e}b"
        with self.assertRaises(tlparse.TlparseError) as raised:
            tlparse.parse(f"/nowhere/{name}")
        self.assertIn(shown, str(raised.exception))
        report = self.report_of(log("01_inference"), name)
        (report / "report.json").write_text("{")
        with self.assertRaises(tlparse.TlparseError) as raised:
            tlparse.parse(report)
        self.assertIn(shown, str(raised.exception))

    def test_what_is_plain_stays(self) -> None:
        text = "größe\n\t1\r\n 日本 \u26a0\ufe0f"
        self.assertEqual(tlparse.visible(text), text)
        self.assertEqual(tlparse.visible("a\rb"), "a\\u{d}b")


class TheJsonOfAReport(InAFolder):
    """A report.json that is not as tlparse writes it is an error that says so."""

    def test_what_is_no_report_is_named(self) -> None:
        report = self.report_of(log("01_inference"))
        file = report / "report.json"
        facts = json.loads(file.read_text(encoding="utf-8"))
        wrong = [b"", b"[]" * 2, b"\xff", b"[" * 200000]
        wrong += [json.dumps({**facts, key: value}).encode() for key, value in [("findings", 3), ("findings", ["x"])]]
        wrong.append(json.dumps({**facts, "compile_time": "x"}).encode())
        for content in wrong:
            file.write_bytes(content)
            with self.assertRaisesRegex(tlparse.TlparseError, "report.json is not as tlparse writes it"):
                tlparse.parse(report)


class TheRanksOfAJob(InAFolder):
    """A rank's report is found by the number of the rank."""

    def setUp(self) -> None:
        super().setUp()
        self.report = self.report_of(job("13_div_healthy"))

    def set_rank(self, **keys) -> None:
        change(self.report, lambda facts: facts["ranks"][1].update(keys))

    def assert_ends(self, why: str) -> None:
        report = tlparse.parse(self.report)
        for ask in [lambda: report.ranks, lambda: report.compiles, lambda: report.graph_breaks]:
            with self.assertRaisesRegex(tlparse.TlparseError, why):
                ask()

    def test_each_rank_has_its_report(self) -> None:
        ranks = tlparse.parse(self.report).ranks
        self.assertEqual({number: one.folder for number, one in ranks.items()}, {n: self.report / f"rank_{n}" for n in (0, 1)})
        self.assertEqual(len(tlparse.parse(self.report).compiles), sum(len(one.compiles) for one in ranks.values()))

    def test_the_folder_that_a_report_names_is_not_opened(self) -> None:
        other = self.report_of(log("03_graph_breaks"), "other")
        known = tlparse.parse(self.report).ranks[1].json
        for folder in ["../other", str(other), "rank_0", "rank_1/../../other", "", 7, ["."]]:
            self.set_rank(dir=folder)
            self.assertEqual(tlparse.parse(self.report).ranks[1].json, known, folder)

    def test_a_rank_without_a_report_is_left_out(self) -> None:
        shutil.rmtree(self.report / "rank_1")
        self.assertEqual(list(tlparse.parse(self.report).ranks), [0])

    def test_a_rank_whose_folder_is_the_report_ends_with_an_error(self) -> None:
        for folder in [".", "./", "rank_0/..", str(self.report)]:
            self.set_rank(dir=folder)
            self.assert_ends("the report of rank 1 is this report itself")

    @unittest.skipUnless(os.name == "posix", "this system has links only for some users")
    def test_a_rank_whose_folder_is_a_link_to_the_report_ends_with_an_error(self) -> None:
        shutil.rmtree(self.report / "rank_1")
        for target in [".", self.report]:
            (self.report / "rank_1").symlink_to(target)
            self.assert_ends("rank_1.report.json is a link, or behind one")
            (self.report / "rank_1").unlink()

    def test_a_rank_that_has_the_report_of_a_job_ends_with_an_error(self) -> None:
        shutil.copy(self.report / "report.json", self.report / "rank_1")
        self.assert_ends("is not the report of a single log")

    def test_a_rank_without_a_number_ends_with_an_error(self) -> None:
        for number in ["1", "../other", -1, 1.5, True, [1]]:
            self.set_rank(rank=number)
            self.assert_ends("names a rank that is not a number")


@contextlib.contextmanager
def without_folders_that_are_open():
    """As on systems where a file cannot be opened relative to an open folder."""
    with mock.patch.object(os, "supports_dir_fd", set()):
        yield


@unittest.skipUnless(os.name == "posix", "this system has no pipes in folders, and links only for some users")
class FilesOfAReport(InAFolder):
    """A file is opened beneath the folder that was named, through no link."""

    def setUp(self) -> None:
        super().setUp()
        self.report = self.report_of(job("13_div_healthy"))
        self.secret = self.folder / "secret.json"
        shutil.copy(self.report / "report.json", self.secret)
        # A pipe that is opened after all waits forever.
        signal.alarm(120)
        self.addCleanup(signal.alarm, 0)

    def assert_refused(self, ask) -> None:
        """Both ways to open a file refuse it."""
        for system in [contextlib.nullcontext, without_folders_that_are_open]:
            with system(), self.assertRaisesRegex(tlparse.TlparseError, "is not opened"):
                ask()

    def removed(self, path: Path) -> Path:
        """The path of a file that is gone, so that something else can take its place."""
        path.unlink()
        return path

    def test_a_report_that_is_reached_by_a_link_is_read(self) -> None:
        link = self.folder / "link"
        link.symlink_to(self.report)
        for system in [contextlib.nullcontext, without_folders_that_are_open]:
            with system():
                self.assertEqual(list(tlparse.parse(link).ranks), [0, 1])

    def test_a_link_in_place_of_the_report_json_is_refused(self) -> None:
        file = self.removed(self.report / "report.json")
        for target in [self.secret, "../secret.json", "rank_0/report.json", "/dev/zero", "nowhere"]:
            file.symlink_to(target)
            self.assert_refused(lambda: tlparse.parse(self.report))
            self.assert_refused(lambda: tlparse.Report(self.report))
            file.unlink()

    def test_a_link_in_the_folder_of_a_rank_is_refused(self) -> None:
        self.removed(self.report / "rank_1" / "report.json").symlink_to("../rank_0/report.json")
        self.assert_refused(lambda: tlparse.parse(self.report).ranks)

    def test_pipes_and_folders_are_refused(self) -> None:
        file = self.removed(self.report / "report.json")
        file.mkdir()
        self.assert_refused(lambda: tlparse.parse(self.report))
        file.rmdir()
        os.mkfifo(file)
        self.assert_refused(lambda: tlparse.parse(self.report))

    def test_a_page_that_is_a_link_is_not_shown(self) -> None:
        report = tlparse.parse(self.report)
        with mock.patch("webbrowser.open") as browser:
            report.show()
            browser.assert_called_once_with(self.report.resolve().joinpath("index.html").as_uri())
            self.removed(self.report / "index.html").symlink_to(self.secret)
            browser.reset_mock()
            self.assert_refused(report.show)
            browser.assert_not_called()

    def test_names_lead_only_down(self) -> None:
        files = ReportFolder(self.report)
        files.open("report.json").close()
        for name in ["../secret.json", str(self.secret), "..", ".", "rank_0/report.json", "a\0b", "C:report.json"]:
            self.assert_refused(lambda: files.open(name))
        self.assert_refused(lambda: ReportFolder(self.report, "..").open("secret.json"))

    def test_a_missing_file_is_none_of_these(self) -> None:
        for system in [contextlib.nullcontext, without_folders_that_are_open]:
            with system(), self.assertRaises(FileNotFoundError):
                tlparse.Report(self.folder)

    def test_a_file_that_is_exchanged_meanwhile_is_refused(self) -> None:
        looked_at = os.lstat(self.secret)
        with without_folders_that_are_open(), mock.patch("os.lstat", lambda path: looked_at):
            with self.assertRaisesRegex(tlparse.TlparseError, "is not opened"):
                tlparse.Report(self.report)

    def test_what_is_too_large_is_not_read(self) -> None:
        file = self.report / "report.json"
        try:
            # Without blocks on the disk.
            os.truncate(file, (1 << 30) + 1)
        except OSError as error:
            if error.errno not in (errno.EFBIG, errno.ENOSPC):
                raise
            self.skipTest("the disk has no room for a large file")
        with self.assertRaisesRegex(tlparse.TlparseError, "is larger than 1024 MB"):
            tlparse.parse(self.report)


if __name__ == "__main__":
    unittest.main()
