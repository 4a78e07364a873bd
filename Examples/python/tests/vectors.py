"""The project's vectors, and a credential made of one of their cases."""

from __future__ import annotations

import base64
import json
import pathlib
from typing import Any

from latchkey_holder.credential import Credential, parse

ROOT = pathlib.Path(__file__).resolve().parents[3]
VECTORS: dict[str, Any] = json.loads((ROOT / 'Tests/Vectors/air-protocol-1.json').read_text(encoding='utf-8'))


def base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode('ascii').rstrip('=')


def credential_file(case: dict[str, Any], freshness: str = 'either') -> dict[str, Any]:
    """What latchkey-keys issue would write for a case's holder and door."""
    return {
        'format': 'latchkey-credential/1',
        'site': {
            'id': case['siteID'],
            'name': 'Vectors',
            'key': base64url(bytes.fromhex(case['siteKey'])),
            'slotSeconds': case['slotSeconds'],
            'skewSlots': 2,
            'challengeSeconds': 2,
            'nameMarker': case['nameMarker'],
            'uuid16Marker': case['uuid16Marker'],
        },
        'credential': {'id': 'alice-phone', 'secret': base64url(bytes.fromhex(case['secret']))},
        'doors': [
            {
                'id': 'front',
                'name': 'Front door',
                'target': case['target'],
                'freshness': freshness,
                'commands': ['unlock', 'status'],
            }
        ],
    }


def sample_credential(freshness: str = 'either') -> Credential:
    return parse(credential_file(VECTORS['cases'][0], freshness))
