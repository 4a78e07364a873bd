// For Tests/CryptoShim.swift only.
#include <openssl/evp.h>
#include <openssl/hmac.h>
