"""python3 -m latchkey_holder COMMAND DOOR: see README.md."""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys

from . import credential as credentials
from .credential import Credential, Door
from .errors import Failure
from .exchange import Exchange, Request
from .hci import Controller
from .protocol import NO_END, RESULT_DONE, RESULT_FRESHNESS, RESULT_LOCK_FAILED, RESULTS, STATES, Answer, Command
from .state import HolderState

COMMANDS = {name: Command[name.upper()] for name in ('unlock', 'lock', 'hold', 'release', 'status')}


def arguments() -> argparse.Namespace:
    state_home = os.environ.get('XDG_STATE_HOME') or os.path.expanduser('~/.local/state')
    parser = argparse.ArgumentParser(prog='latchkey_holder', description='Opens a door of Latchkey by broadcasting.')
    parser.add_argument('command', choices=COMMANDS)
    parser.add_argument('door', help='an id of the credential file, or a door number')
    parser.add_argument('--credential', default=os.environ.get('LATCHKEY_CREDENTIAL'), metavar='FILE')
    parser.add_argument('--radio', required=True, metavar='tcp:HOST:PORT', help='a controller that speaks H4')
    parser.add_argument('--state', default=os.path.join(state_home, 'latchkey-python'), metavar='DIR')
    parser.add_argument('--freshness', choices=('auto', 'challenge', 'time'), default='auto')
    parser.add_argument('--carrier', choices=('uuid128', 'name', 'uuid16'), default='uuid128')
    parser.add_argument('--seconds', type=int, default=0, help="unlock: 1…255; 0, the door's own pulse")
    parser.add_argument('--minutes', type=int, default=0, help='hold: 1…255; 0, until released')
    parser.add_argument('--timeout', type=float, default=3.0, metavar='SECONDS')
    parser.add_argument('--json', action='store_true', help='the answer as an object on one line')
    options = parser.parse_args()
    if not options.credential:
        parser.error('--credential is needed')
    if options.timeout <= 0:
        parser.error('--timeout is more than 0')
    options.argument = {'unlock': options.seconds, 'hold': options.minutes}.get(options.command, 0)
    if not COMMANDS[options.command].takes(options.argument):
        parser.error(f'{options.command} takes 0…255')
    return options


def controller(spec: str) -> Controller:
    kind, _, where = spec.partition(':')
    host, _, port = where.rpartition(':')
    if kind != 'tcp' or not host or not port.isdigit() or int(port) > 65535:
        raise Failure(2, f'--radio is tcp:HOST:PORT, not {spec}')
    return Controller(host, int(port))


def warn(text: str) -> None:
    print(f'latchkey_holder: {text}', file=sys.stderr)


def leave(radio: Controller) -> None:
    try:
        radio.stop()
    except Failure as failure:
        warn(f"it isn't confirmed that this is off the air: {failure}")


def carry_out(options: argparse.Namespace, holder: Credential, door: Door, radio: Controller) -> Answer | None:
    request = Request(COMMANDS[options.command], options.argument, options.carrier, options.timeout)
    exchange = Exchange(holder, door, request, state=HolderState(options.state, holder), radio=radio, warn=warn)
    by_time = options.freshness == 'time' or (options.freshness == 'auto' and door.freshness == 'time')
    if not by_time:
        return exchange.by_challenge()
    answer = exchange.by_time()
    if answer and answer.result == RESULT_FRESHNESS and options.freshness == 'auto' and exchange.door_has_beacons:
        return exchange.by_challenge(refused_by_time=True)
    return answer


def show(options: argparse.Namespace, door: Door, answer: Answer) -> int:
    if options.json:
        said = {'door': door.target, 'result': answer.result, 'state': answer.state, 'detail': answer.detail}
        print(json.dumps(said))
    else:
        state = STATES.get(answer.door_state, str(answer.door_state))
        until = {0: '', NO_END: ', until released'}.get(answer.detail, f', for {answer.detail} s')
        print(f'{door.name}: {RESULTS.get(answer.result, answer.result)}; {state}{until}')
    return {RESULT_DONE: 0, RESULT_LOCK_FAILED: 69}.get(answer.result, 3)


def main() -> int:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    options = arguments()
    try:
        holder = credentials.load(options.credential)
        door = holder.door(options.door)
        radio = controller(options.radio)
        try:
            radio.start()
            try:
                answer = carry_out(options, holder, door, radio)
            finally:
                leave(radio)
        finally:
            radio.close()
        if answer is None:
            raise Failure(4, f"{door.name} didn't answer")
        return show(options, door, answer)
    except Failure as failure:
        warn(str(failure))
        return failure.code
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


if __name__ == '__main__':
    sys.exit(main())
