"""An independent Bluetooth host (Bumble) on the tests' air.

    air.py advertise HOST:PORT (--uuid | --name | --uuid16)      what to advertise: a line of stdin, once "ready" is told
    air.py scan HOST:PORT [--active]

Bumble builds and reads the advertising data by itself; nothing here knows Latchkey. One JSON object a line on stdout.
Goes on until it is killed.
"""

import argparse
import asyncio
import json
import os
import sys

from bumble.core import AdvertisingData, UUID
from bumble.device import AdvertisingType, Device
from bumble.hci import Address
from bumble.transport import open_transport


def say(**members):
    print(json.dumps(members), flush=True)


def advertising_data(carrier, text):
    kinds = AdvertisingData.Type
    if carrier == 'uuid':
        structure = (kinds.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS, bytes(UUID(text)))
    elif carrier == 'name':
        structure = (kinds.COMPLETE_LOCAL_NAME, text.encode())
    else:
        words = b''.join(bytes(UUID.from_16_bits(int(word, 16))) for word in text.split(','))
        structure = (kinds.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, words)
    return bytes(AdvertisingData([(kinds.FLAGS, bytes([0x06])), structure]))


async def advertise(device, arguments):
    say(event='ready')
    text = await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)
    data = advertising_data(arguments.carrier, text.strip())
    await device.start_advertising(
        advertising_type=AdvertisingType.UNDIRECTED,
        own_address_type=Address.RANDOM_DEVICE_ADDRESS,
        advertising_data=data,
        scan_response_data=b'',
        advertising_interval_min=20,
        advertising_interval_max=20,
    )
    say(event='advertising', data=data.hex())


def uuids(data, *kinds):
    return [uuid.to_hex_str('-') for kind in kinds for uuid in (data.get(kind) or [])]


async def scan(device, arguments):
    kinds = AdvertisingData.Type

    def report(advertisement):
        data = advertisement.data
        say(
            event='report',
            address=str(advertisement.address).split('/')[0],
            addressType=int(advertisement.address.address_type),
            connectable=advertisement.is_connectable,
            scannable=advertisement.is_scannable,
            legacy=advertisement.is_legacy,
            uuid128=uuids(data, kinds.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS),
            uuid16=uuids(data, kinds.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS),
            name=data.get(kinds.COMPLETE_LOCAL_NAME),
            flags=data.get(kinds.FLAGS),
            data=advertisement.data_bytes.hex(),
        )

    device.on('advertisement', report)
    await device.start_scanning(active=arguments.active, filter_duplicates=False)
    say(event='scanning')


async def main():
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(dest='command', required=True)
    advertiser = commands.add_parser('advertise')
    advertiser.add_argument('air')
    carriers = advertiser.add_mutually_exclusive_group(required=True)
    for carrier in ('uuid', 'name', 'uuid16'):
        carriers.add_argument(f'--{carrier}', dest='carrier', action='store_const', const=carrier)
    scanner = commands.add_parser('scan')
    scanner.add_argument('air')
    scanner.add_argument('--active', action='store_true')
    arguments = parser.parse_args()

    async with await open_transport(f'tcp-client:{arguments.air}') as transport:
        # A random static address of its own: the two highest bits are set (Core Specification Vol 6 Part B 1.3.2.1).
        address = Address(bytes(os.urandom(5)) + bytes([0xC0 | os.urandom(1)[0] & 0x3F]))
        device = Device.with_hci('Bumble', address, transport.source, transport.sink)
        await device.power_on()
        await (advertise if arguments.command == 'advertise' else scan)(device, arguments)
        await transport.source.wait_for_termination()


if __name__ == '__main__':
    sys.exit(asyncio.run(main()))
