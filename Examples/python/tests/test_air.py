"""The program, over the virtual radio, with a door by script on a controller of its own."""

from __future__ import annotations

import copy
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from collections.abc import Callable

from latchkey_holder import carriers, protocol
from latchkey_holder.credential import parse
from latchkey_holder.hci import Controller
from latchkey_holder.protocol import Answer

from .door import ScriptedDoor, done, silent
from .fake_air import advert
from .rootcanal import PROGRAM, RootCanal
from .vectors import ROOT, VECTORS, credential_file

FILE = copy.deepcopy(credential_file(VECTORS['cases'][0]))
FILE['site']['slotSeconds'] = 1  # The first command by time waits for the next slot.


class AirDoor(threading.Thread):
    """Beacons, a new challenge every two seconds, and for each command frame the answer, for as long as it is heard."""

    def __init__(self, port: int, answer: Callable[..., Answer | None]) -> None:
        super().__init__()
        self.script = ScriptedDoor(parse(copy.deepcopy(FILE)), answer)
        self.last_heard = 0.0  # When a command frame was on the air.
        self.sends_beacons = threading.Event()
        self.first_command = threading.Event()
        self._ended = threading.Event()
        self._radio = Controller('127.0.0.1', port)
        self._radio.start()

    def run(self) -> None:
        drawn = time.monotonic()
        saying = b''
        while not self._ended.is_set():
            now = time.monotonic()
            if now - drawn >= 2:
                drawn = now
                self.script.draw()
            answer = self._listen(now + 0.05)
            slot = int(time.time())
            self.script.live = self.script.live[-2:] + [protocol.time_freshness(slot + i) for i in range(-2, 3)]
            say = answer or (self.script.beacon(slot) if self.sends_beacons.is_set() else b'')
            if say and say != saying:
                saying = say
                self._radio.advertise(advert(say))
        self._radio.stop()
        self._radio.close()

    def _listen(self, deadline: float) -> bytes | None:
        found = None
        while report := self._radio.listen(deadline):
            for frame in carriers.frames(report.data):
                count = len(self.script.heard)
                found = self.script.hear(frame) or found
                if len(self.script.heard) > count or any(frame == heard.frame for heard in self.script.heard):
                    self.last_heard = time.monotonic()
                    self.first_command.set()
        return found

    def end(self) -> None:
        self._ended.set()
        self.join()


@unittest.skipUnless(PROGRAM.exists(), 'no .cache/rootcanal: scripts/test lays it there')
class OverTheAir(unittest.TestCase):
    air: RootCanal

    @classmethod
    def setUpClass(cls) -> None:
        cls.air = RootCanal()

    @classmethod
    def tearDownClass(cls) -> None:
        cls.air.close()

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        with open(os.open(self.path('alice.json'), os.O_WRONLY | os.O_CREAT, 0o600), 'w', encoding='utf-8') as file:
            json.dump(FILE, file)

    def path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def door(self, answer: Callable[..., Answer | None], *, beacons: bool = True) -> AirDoor:
        door = AirDoor(self.air.port, answer)
        if beacons:
            door.sends_beacons.set()
        door.start()
        self.addCleanup(door.end)
        return door

    def command(self, *arguments: str) -> list[str]:
        radio = f'tcp:127.0.0.1:{self.air.port}'
        files = ['--credential', self.path('alice.json'), '--state', self.path('state')]
        return [sys.executable, '-m', 'latchkey_holder', *files, '--radio', radio, *arguments]

    def run_command(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        folder = ROOT / 'Examples/python'
        return subprocess.run(
            self.command(*arguments), cwd=folder, capture_output=True, text=True, timeout=30, check=False
        )

    def assert_off_the_air(self, door: AirDoor) -> None:
        ended = time.monotonic()
        time.sleep(0.3)
        self.assertLess(door.last_heard, ended + 0.15)  # What was on its way may still have come.

    def test_by_challenge(self) -> None:
        door = self.door(done)
        result = self.run_command('unlock', 'front', '--json')
        self.assertEqual((result.returncode, result.stderr), (0, ''))
        self.assertEqual(json.loads(result.stdout), {'door': 2, 'result': 1, 'state': 2, 'detail': 5})
        self.assert_off_the_air(door)
        self.assertEqual(len(door.script.heard), 1)

    def test_refused(self) -> None:
        self.door(lambda heard: Answer(2, 1, 0))
        result = self.run_command('status', 'front')
        self.assertEqual((result.returncode, result.stdout), (3, 'Front door: not permitted; locked\n'))

    def test_by_time(self) -> None:
        door = self.door(done, beacons=False)
        result = self.run_command('hold', '2', '--minutes', '7', '--freshness', 'time')
        self.assertEqual((result.returncode, result.stdout), (0, 'Front door: done; unlocked, for 5 s\n'))
        (heard,) = door.script.heard
        self.assertEqual(heard.plain[1:4], bytes([3, 7, 1]))

    def test_ended_in_the_middle(self) -> None:
        door = self.door(silent)
        with subprocess.Popen(
            self.command('unlock', 'front', '--timeout', '20'), cwd=ROOT / 'Examples/python', stderr=subprocess.PIPE
        ) as holder:
            self.assertTrue(door.first_command.wait(10))
            holder.send_signal(signal.SIGTERM)
            self.assertEqual(holder.wait(5), 128 + signal.SIGTERM)
        self.assert_off_the_air(door)

    def test_no_controller(self) -> None:
        result = self.run_command('unlock', 'front', '--radio', 'tcp:127.0.0.1:1')
        self.assertEqual(result.returncode, 5)
        self.assertIn('tcp:127.0.0.1:1: ', result.stderr)
