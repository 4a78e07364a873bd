// BlueZ's headers: constants and structs of HCI, no functions of the library. HCI is its only importer.
#pragma once
#include <sys/ioctl.h>
#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>

// Numbers of requests, which are macros that Swift doesn't import.
static const unsigned long cbluetooth_device_list = HCIGETDEVLIST;
static const unsigned long cbluetooth_device_info = HCIGETDEVINFO;
static const unsigned long cbluetooth_device_up = HCIDEVUP;
static const unsigned long cbluetooth_device_down = HCIDEVDOWN;
static const unsigned long cbluetooth_connection_info = HCIGETCONNINFO;
