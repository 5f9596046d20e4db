"""Kill the server of the explorer during edits; every confirmed edit must survive."""

from __future__ import annotations

import http.client
import json
import os
import random
import re
import signal
import time
from pathlib import Path
from typing import Any

from campaigns.faults.running import PATIENCE, Run, start
from campaigns.faults.shots import INT, KILL, TERM, Verdict, clear, copy, look, plant, under

NAME = "edits through the page"
ROUNDS = 3
LIFE = 0.6
"""The server is killed at a random moment within this number of seconds."""


class Client:
    """A client that edits the thesaurus."""

    def __init__(self, run: Run) -> None:
        until = time.monotonic() + PATIENCE
        while not (found := re.search(r"http://127\.0\.0\.1:(\d+)/#/open/(\S+)", run.words)):
            if run.wait(0.01) or time.monotonic() > until:
                raise OSError(f"the page does not come up: {run.words}")
        self._connection = http.client.HTTPConnection("127.0.0.1", int(found[1]), timeout=20)
        self._token = self._ask("/api/session", {"key": found[2]})["token"]
        self.revision = self._ask("/api/overview")["revision"]

    def _ask(self, place: str, given: Any = None) -> Any:
        headers = {"content-type": "application/json"}
        if place != "/api/session":
            headers["x-roget-token"] = self._token
        body = None if given is None else json.dumps(given)
        self._connection.request("GET" if given is None else "POST", place, body, headers)
        answer = self._connection.getresponse()
        data = answer.read()
        if answer.status != 200:
            raise ValueError(f"{place}: {answer.status}: {data.decode(errors='replace')}")
        return json.loads(data)

    def rename(self, label: str) -> None:
        """Rename the root; return when the server has confirmed it."""
        asked = {"action": "rename", "node": 0, "label": label, "revision": self.revision}
        self.revision = self._ask("/api/edit", asked)["revision"]


def shoot(material: Path, seed: int, number: int, room: Path) -> Verdict:
    """Run several rounds of edits on one thesaurus, each ended by a signal."""
    from roget.learn.thesaurus import Thesaurus

    dice = random.Random(f"{seed}/{NAME}/{number}")
    verdict, folder = Verdict(NAME, number), room / f"page-{number}"
    clear(folder)
    folder.mkdir()
    began = time.monotonic()
    copy(material / "t", folder / "t")
    plant(folder, "t")
    theirs = {name: it for name, it in look(folder).items() if not under({name: it}, "t")}
    acknowledged: list[str] = []
    asked: list[str] = []
    try:
        for _ in range(ROUNDS):
            _sit(folder, dice, verdict, acknowledged, asked)
            edits = [edit.text for edit in Thesaurus.load(folder / "t").edits]
            if edits[: len(acknowledged)] != acknowledged or edits not in (
                asked[: len(edits)], acknowledged,
            ):  # fmt: skip
                verdict.wrong.append(f"acknowledged {acknowledged}, and there are {edits}")
                break
            acknowledged, asked = list(edits), list(edits)
        run = start(("explore", "t"), folder)
        client = Client(run)
        client.rename("last")
        run.send(INT)
        run.end()
        if [edit.text for edit in Thesaurus.load(folder / "t").edits] != [*acknowledged, "last"]:
            verdict.wrong.append("the last edit is not there")
        left = [name for name in look(folder / "t") if name.startswith(".")]
        if left:
            verdict.wrong.append(f"stays behind: {left}")
        now = look(folder)
        wrong = [name for name, it in theirs.items() if now.get(name) != it]
        if wrong or {*now} - {*theirs, *under(now, "t")}:
            verdict.wrong.append(f"changed or left next to it: {wrong or sorted(now)}")
    except Exception as error:
        verdict.wrong.append(f"{type(error).__name__}: {error}")
    verdict.seconds = time.monotonic() - began
    if not verdict.wrong:
        clear(folder)
    return verdict


def _sit(
    folder: Path, dice: random.Random, verdict: Verdict, acknowledged: list[str], asked: list[str]
) -> None:
    """Send edits until the server is killed."""
    run = start(("explore", "t"), folder)
    try:
        client = Client(run)
        until, number = time.monotonic() + dice.random() * LIFE, dice.choice([KILL, INT, TERM])
        shooter = _send_later(run.process, until, number)
        try:
            while time.monotonic() < until + 2:
                label = f"n{len(asked)}"
                asked.append(label)
                client.rename(label)
                acknowledged.append(label)
        except (OSError, http.client.HTTPException):
            pass  # the server was killed
        _wait_for(shooter)
        verdict.signals.append(signal.Signals(number).name)
        code = run.end()
    finally:
        if run.code is None:
            run.send(KILL)
            run.end()
    fine = {KILL: (-9,), INT: (0, 130), TERM: (143,)}[number]
    if code not in fine or (number != KILL and "Traceback" in run.words):
        verdict.wrong.append(f"{signal.Signals(number).name}: exit code {code}: {run.words}")


def _send_later(process: int, until: float, number: int) -> int:
    """Start a process that sends the signal later, while edits continue."""
    child = os.fork()
    if child == 0:
        time.sleep(max(until - time.monotonic(), 0))
        os.kill(process, number)
        os._exit(0)
    return child


def _wait_for(child: int) -> None:
    os.waitpid(child, 0)
