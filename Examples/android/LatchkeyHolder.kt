// A Latchkey holder's core for Android: keys, frames, beacons and answers of the air protocol, version 1, and what an
// app hands to AdvertiseData. Pure: no Bluetooth, no clock, no storage; javax.crypto only, so that it runs on any JVM.
// docs/phones.md says what an app does with it.

package latchkey

import java.nio.ByteBuffer
import java.security.MessageDigest
import javax.crypto.Cipher
import javax.crypto.Mac
import javax.crypto.spec.SecretKeySpec

/** What a holder wants of a door; [value] is its byte in a frame. */
enum class Command(val value: Int) {
    UNLOCK(1), LOCK(2), HOLD(3), RELEASE(4), STATUS(5), LOCKDOWN(6), DURESS(7);

    /** Whether it takes this argument: unlock, seconds; hold, minutes; lockdown, 0 or 1; the others, 0 only. */
    fun takes(argument: Int): Boolean = when (this) {
        UNLOCK, HOLD -> argument in 0..255
        LOCKDOWN -> argument in 0..1
        else -> argument == 0
    }
}

/** What binds a frame to a moment: a slot, or a door's challenge. It is never sent with the frame. */
class Freshness private constructor(internal val bytes: ByteArray) {
    companion object {
        /** A slot of time: floor(unixSeconds / slotSeconds); moments before 1970 are in slot 0. */
        fun slot(unixSeconds: Long, slotSeconds: Long): Freshness {
            require(slotSeconds in 1..60) { "slotSeconds is 1…60, not $slotSeconds" }
            return Freshness(ByteBuffer.allocate(8).putLong(maxOf(0L, unixSeconds) / slotSeconds).array())
        }

        /** The challenge of a beacon. One whose first bit is 0 would be a slot of a forger's choice. */
        fun challenge(challenge: ByteArray): Freshness {
            require(challenge.size == 8 && challenge[0] < 0) { "a challenge is 8 bytes, and its first bit is 1" }
            return Freshness(challenge.copyOf())
        }
    }
}

/** What a door broadcasts of itself. */
class Beacon internal constructor(
    val challenge: ByteArray,
    val target: Int,
    val state: Int,
    internal val slotLow: Int
) {
    /** 0 unknown, 1 locked, 2 unlocked, 3 held open, 4 locked down. */
    val doorState: Int get() = state and 0x0F

    /** Whether the door trusts its clock and takes frames by time; only then [slotsAhead] means anything. */
    val takesTime: Boolean get() = state and 0x40 != 0

    /** Whether the door's sensor says that it stands open. */
    val isOpen: Boolean get() = state and 0x80 != 0

    /** By how many slots the door's clock is ahead of one that is in [slot]: -128…127. */
    fun slotsAhead(slot: Freshness): Int = (slotLow - slot.bytes[7]).toByte().toInt()
}

/**
 * What a door answers to one command frame. [result] 1 is done, docs/protocol.md has the others, and a value that isn't
 * there is shown as a number. [detail] is seconds until the door locks again; 65535: no end; 0: nothing to say.
 */
data class Answer(val result: Int, val state: Int, val detail: Int)

/** What all holders of a site know: the 16 bytes of its [id] in the order of the UUID's text, and its [key]. */
class Site(internal val id: ByteArray, internal val key: ByteArray) {
    internal val beaconKey: ByteArray

    init {
        require(id.size == 16 && key.size == 32) { "a site has an id of 16 and a key of 32 bytes" }
        beaconKey = hmac(key, label("beacon")).copyOf(16)
    }

    /** The beacon in a frame, or null where these bytes are no beacon of this site. */
    fun openBeacon(frame: ByteArray): Beacon? {
        if (frame.size != 16 || frame[0] >= 0) return null
        val challenge = frame.copyOf(8)
        val tag = frame.copyOfRange(12, 16)
        val plain = xor(frame.copyOfRange(8, 12), aes(beaconKey, byte(0x83) + challenge + tag + ByteArray(3)))
        val expected = aes(beaconKey, byte(0x03) + challenge + ByteArray(3) + plain).copyOf(4)
        // In the same time wherever they differ.
        if (!MessageDigest.isEqual(tag, expected)) return null
        val target = u16(plain[0], plain[1])
        return if (target == 0) null else Beacon(challenge, target, u8(plain[2]), u8(plain[3]))
    }
}

/** One holder's keys for one door, from the credential's secret and the door's number. */
class DoorKeys(site: Site, secret: ByteArray, val target: Int) {
    internal val frameKey: ByteArray
    internal val hintSecret: ByteArray
    internal val hintRoot: ByteArray
    private val number: ByteArray

    init {
        require(secret.size == 32) { "a secret is 32 bytes, not ${secret.size}" }
        require(target in 1..65535) { "a door number is 1…65535, not $target" }
        number = bytes(target ushr 8, target)
        // HKDF (RFC 5869), of which 32 bytes are the first block.
        val okm = hmac(hmac(site.id, secret), label("credential") + number + byte(1))
        frameKey = okm.copyOf(16)
        hintSecret = okm.copyOfRange(16, 32)
        hintRoot = hmac(site.key, label("hint") + number)
    }

    /** A command frame. Sequence and press come from the app's state, which is durable before the frame is sent. */
    fun seal(
        command: Command,
        argument: Int = 0,
        freshness: Freshness,
        sequence: Int,
        press: Int,
        wantsAnswer: Boolean = true
    ): ByteArray {
        require(command.takes(argument)) { "$command takes no argument $argument" }
        require(sequence in 0..255 && press in 0..255) { "sequence and press are 0…255" }
        val plain = bytes(sequence, command.value, argument, if (wantsAnswer) 1 else 0, press)
        val tag = aes(frameKey, byte(0x01) + freshness.bytes + number + plain).copyOf(8)
        val masked = xor(plain, aes(frameKey, byte(0x81) + tag + ByteArray(7)))
        return block(freshness).copyOf(3) + masked + tag
    }

    /** The door's answer to [commandFrame], or null where these bytes aren't it. */
    fun openAnswer(frame: ByteArray, commandFrame: ByteArray, freshness: Freshness): Answer? {
        if (frame.size != 16 || commandFrame.size != 16) return null
        if (!frame.copyOf(3).contentEquals(block(freshness).copyOfRange(3, 6))) return null
        val tag = frame.copyOfRange(8, 16)
        val plain = xor(frame.copyOfRange(3, 8), aes(frameKey, byte(0x82) + tag + ByteArray(7)))
        val bound = byte(0x02) + commandFrame.copyOfRange(8, 16) + number + plain
        if (!MessageDigest.isEqual(tag, aes(frameKey, bound).copyOf(8))) return null
        return Answer(u8(plain[0]), u8(plain[1]), u16(plain[2], plain[3]))
    }

    /** Its first three bytes begin a command frame, the next three the answer. */
    internal fun block(freshness: Freshness): ByteArray {
        val hintKey = hmac(hintRoot, freshness.bytes).copyOf(16)
        return xor(aes(hintKey, hintSecret), hintSecret)
    }
}

/** A frame as an app advertises it. */
object Carrier {
    /** The text of the one service UUID: ParcelUuid.fromString for AdvertiseData.Builder.addServiceUuid. */
    fun uuid128(frame: ByteArray): String {
        val text = frame.joinToString("") { "%02X".format(it) }
        return listOf(0..7, 8..11, 12..15, 16..19, 20..31).joinToString("-") { text.substring(it) }
    }

    /** The local name: marker and frame in base64url. On Android that is the whole device's name: see docs/phones.md. */
    fun name(frame: ByteArray, marker: String): String {
        val alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        return marker + (0 until frame.size * 8 step 6).map { bit ->
            alphabet[u16(frame[bit / 8], frame.getOrElse(bit / 8 + 1) { 0 }) shr (10 - bit % 8) and 0x3F]
        }.joinToString("")
    }

    /**
     * The nine 16-bit service UUIDs, in this order, or null where two are equal: some stacks drop repeats. Then another
     * sequence helps; where the first word of the frame is the marker, only another carrier does.
     */
    fun uuid16(frame: ByteArray, marker: Int): List<String>? {
        val words = listOf(marker) + (0 until frame.size step 2).map { u16(frame[it], frame[it + 1]) }
        return if (words.toSet().size == words.size) words.map { "%04X".format(it) } else null
    }

    /** Such a word as ParcelUuid.fromString takes it: Android makes two bytes of it on the air. */
    fun longForm(word: String): String = "0000$word-0000-1000-8000-00805F9B34FB"
}

private fun aes(key: ByteArray, block: ByteArray): ByteArray {
    val cipher = Cipher.getInstance("AES/ECB/NoPadding") // ECB of one block is AES itself.
    cipher.init(Cipher.ENCRYPT_MODE, SecretKeySpec(key, "AES"))
    return cipher.doFinal(block)
}

private fun hmac(key: ByteArray, message: ByteArray): ByteArray {
    val mac = Mac.getInstance("HmacSHA256")
    mac.init(SecretKeySpec(key, "HmacSHA256"))
    return mac.doFinal(message)
}

private fun label(name: String): ByteArray = "latchkey/1 $name".toByteArray(Charsets.US_ASCII)

private fun bytes(vararg values: Int): ByteArray = ByteArray(values.size) { values[it].toByte() }

private fun byte(value: Int): ByteArray = bytes(value)

private fun u8(value: Byte): Int = value.toInt() and 0xFF

private fun u16(high: Byte, low: Byte): Int = u8(high) shl 8 or u8(low)

/** As long as the first. */
private fun xor(first: ByteArray, mask: ByteArray): ByteArray =
    ByteArray(first.size) { (u8(first[it]) xor u8(mask[it])).toByte() }
