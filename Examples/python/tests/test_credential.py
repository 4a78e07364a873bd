"""Credential files: what is refused names the member."""

from __future__ import annotations

import copy
import json
import os
import tempfile
import unittest

from latchkey_holder import credential
from latchkey_holder.errors import Failure

from .vectors import VECTORS, credential_file

GOOD = credential_file(VECTORS['cases'][0])


class Parsing(unittest.TestCase):
    def test_good(self) -> None:
        holder = credential.parse(copy.deepcopy(GOOD) | {'unknown': 1})
        self.assertEqual(holder.door('front').target, 2)
        self.assertEqual(holder.door('2').name, 'Front door')
        self.assertEqual(holder.door('777').target, 777)
        self.assertEqual(holder.keys(holder.door('front')).frame_key.hex(), VECTORS['cases'][0]['frameKey'])
        for unknown in ('back', '0', '65536', '²'):
            with self.assertRaises(Failure):
                holder.door(unknown)

    def test_bad(self) -> None:
        for path, value in (
            ('format', 'latchkey-credential/2'),
            ('site.id', 'x'),
            ('site.key', 'AAAA'),
            ('site.slotSeconds', 0),
            ('site.slotSeconds', True),
            ('site.nameMarker', 'L!'),
            ('credential.secret', '*' * 43),
            ('credential.id', None),
            ('doors', {}),
        ):
            with self.subTest(path=path, value=value):
                root = copy.deepcopy(GOOD)
                *folders, name = path.split('.')
                container = root
                for folder in folders:
                    container = container[folder]
                container[name] = value
                with self.assertRaisesRegex(ValueError, path.replace('.', r'\.')):
                    credential.parse(root)
        wrong: object
        for wrong in ([], None, 'x', {'format': 'latchkey-credential/1'}):
            with self.assertRaises(ValueError):
                credential.parse(wrong)


class Files(unittest.TestCase):
    def test_modes_and_text(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'alice.json')
            with open(path, 'w', encoding='utf-8') as file:
                json.dump(GOOD, file)
            for mode, code in ((0o644, 77), (0o640, 77)):
                os.chmod(path, mode)
                with self.assertRaises(Failure) as failure:
                    credential.load(path)
                self.assertEqual(failure.exception.code, code)
            os.chmod(path, 0o600)
            self.assertEqual(credential.load(path).id, 'alice-phone')
            with open(path, 'wb') as file:
                file.write(b'\xff{')
            with self.assertRaises(Failure) as failure:
                credential.load(path)
            self.assertEqual(failure.exception.code, 65)
            with self.assertRaises(Failure):
                credential.load(os.path.join(folder, 'none'))
