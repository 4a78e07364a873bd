"""The virtual radio of the project's tests: each connection to its port is a controller, all are on one air."""

from __future__ import annotations

import os
import random
import subprocess
import time

from .vectors import ROOT

PROGRAM = ROOT / '.cache/rootcanal'  # Laid there by scripts/test.


class RootCanal:
    def __init__(self) -> None:
        for _ in range(10):
            self.port = 10000 + random.randrange(5000) * 4
            options = [f'-{name}={self.port + i}' for i, name in enumerate(('hci_port', 'test_port', 'link_port'))]
            self._process = subprocess.Popen(
                [PROGRAM, *options, f'-link_ble_port={self.port + 3}'],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            for _ in range(250):
                if self._process.poll() is not None:
                    break
                if self._listens(self.port) and self._listens(self.port + 3):
                    return
                time.sleep(0.02)
            self.close()
        raise RuntimeError("RootCanal doesn't start")

    def _listens(self, port: int) -> bool:
        """Whether that process itself does: it goes on when a port is taken."""
        with open('/proc/net/tcp', encoding='ascii') as table:
            rows = [line.split() for line in table]
        sockets = {f'socket:[{row[9]}]' for row in rows if row[3] == '0A' and row[1].endswith(f':{port:04X}')}
        folder = f'/proc/{self._process.pid}/fd'
        try:
            return any(os.readlink(f'{folder}/{name}') in sockets for name in os.listdir(folder))
        except OSError:
            return False

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
