// BlueZ's headers: constants and structs of HCI, no functions of the library. HCI is its only importer.
#pragma once
#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
