"""An independent Bluetooth host (Bumble) on the tests' air.

    air.py advertise HOST:PORT (--uuid TEXT | --name TEXT | --uuid16 WORD,WORD,…)
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


def advertising_data(arguments):
    structures = [(AdvertisingData.FLAGS, bytes([0x06]))]
    if arguments.uuid:
        structures.append(
            (AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS, bytes(UUID(arguments.uuid)))
        )
    if arguments.name:
        structures.append((AdvertisingData.COMPLETE_LOCAL_NAME, arguments.name.encode()))
    if arguments.uuid16:
        words = b''.join(bytes(UUID.from_16_bits(int(word, 16))) for word in arguments.uuid16.split(','))
        structures.append((AdvertisingData.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, words))
    return bytes(AdvertisingData(structures))


async def advertise(device, arguments):
    data = advertising_data(arguments)
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
    carriers.add_argument('--uuid')
    carriers.add_argument('--name')
    carriers.add_argument('--uuid16')
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
