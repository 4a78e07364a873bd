// The vectors through the core: Tests/Vectors/air-protocol-1.json is the one argument. Says what is wrong, and exits 1.

package latchkey

import java.io.File
import kotlin.system.exitProcess

private var checks = 0
private var failures = 0

private fun expect(value: Any?, expected: Any?, what: String) {
    checks++
    if (value != expected) {
        failures++
        println("$what: $value, and not $expected")
    }
}

private fun expectRefused(what: String, body: () -> Unit) {
    checks++
    try {
        body()
        failures++
        println("$what: not refused")
    } catch (error: IllegalArgumentException) {
        return
    }
}

private class Sample(private val members: Map<*, *>) {
    fun text(name: String): String = members[name] as String
    fun number(name: String): Long = members[name] as Long
    fun hex(name: String): ByteArray = fromHex(text(name))
    fun has(name: String): Boolean = members[name] != null
    fun inner(name: String): Sample = Sample(members[name] as Map<*, *>)
    fun any(name: String): Any? = members[name]

    fun keys(): DoorKeys = DoorKeys(Site(hex("siteID"), hex("siteKey")), hex("secret"), number("target").toInt())

    fun freshness(): Freshness =
        if (has("challenge")) Freshness.challenge(hex("challenge"))
        else Freshness.slot(number("unixSeconds"), number("slotSeconds"))
}

private fun fromHex(text: String): ByteArray =
    text.filter { it != '-' }.chunked(2).map { it.toInt(16).toByte() }.toByteArray()

private fun toHex(bytes: ByteArray): String = bytes.joinToString("") { "%02x".format(it) }

private fun checkCase(number: Int, sample: Sample) {
    val keys = sample.keys()
    val freshness = sample.freshness()
    expect(toHex(keys.frameKey), sample.text("frameKey"), "case $number, frameKey")
    expect(toHex(keys.hintSecret), sample.text("hintSecret"), "case $number, hintSecret")
    expect(toHex(keys.hintRoot), sample.text("hintRoot"), "case $number, hintRoot")
    expect(toHex(freshness.bytes), sample.text("freshness"), "case $number, freshness")
    expect(toHex(keys.block(freshness)), sample.text("block"), "case $number, block")

    val plain = sample.hex("commandPlaintext").map { it.toInt() and 0xFF }
    val command = Command.values().first { it.value == plain[1] }
    val frame = keys.seal(command, plain[2], freshness, plain[0], plain[4], plain[3] == 1)
    expect(toHex(frame), sample.text("commandFrame"), "case $number, command")
    val carriers = sample.inner("carriers")
    expect(Carrier.uuid128(frame), carriers.text("uuid128Text"), "case $number, uuid128")
    expect(Carrier.name(frame, sample.text("nameMarker")), carriers.text("nameText"), "case $number, name")
    val words = Carrier.uuid16(frame, sample.number("uuid16Marker").toInt())
    expect(words, carriers.any("uuid16Words"), "case $number, uuid16")

    val heard = sample.hex("answerFrame")
    val told = sample.hex("answerPlaintext").map { it.toInt() and 0xFF }
    val expected = Answer(told[0], told[1], told[2] * 256 + told[3])
    expect(keys.openAnswer(heard, frame, freshness), expected, "case $number, answer")
    for (bit in 0 until 128) {
        val wrong = heard.copyOf()
        wrong[bit / 8] = (wrong[bit / 8].toInt() xor (1 shl bit % 8)).toByte()
        expect(keys.openAnswer(wrong, frame, freshness), null, "case $number, answer, bit $bit")
    }
}

private fun checkBeacon(number: Int, sample: Sample, id: ByteArray) {
    val site = Site(id, sample.hex("siteKey"))
    expect(toHex(site.beaconKey), sample.text("beaconKey"), "beacon $number, key")
    val beacon = site.openBeacon(sample.hex("frame"))
    expect(beacon?.challenge?.let(::toHex), sample.text("challenge"), "beacon $number, challenge")
    expect(beacon?.target?.toLong(), sample.number("target"), "beacon $number, target")
    expect(beacon?.state?.toLong(), sample.number("state"), "beacon $number, state")
    expect(beacon?.slotLow?.toLong(), sample.number("slotLow"), "beacon $number, slot")
}

private fun checkRefusals(keys: DoorKeys) {
    val slot = Freshness.slot(0, 5)
    expectRefused("lock with an argument") { keys.seal(Command.LOCK, 1, slot, 0, 0) }
    expectRefused("sequence 256") { keys.seal(Command.LOCK, 0, slot, 256, 0) }
    expectRefused("a slot as a challenge") { Freshness.challenge(ByteArray(8)) }
    expectRefused("a short challenge") { Freshness.challenge(byteArrayOf(-128)) }
    expectRefused("no slot length") { Freshness.slot(0, 0) }
    expectRefused("door 0") { DoorKeys(Site(ByteArray(16), ByteArray(32)), ByteArray(32), 0) }
    expectRefused("a short key") { Site(ByteArray(16), ByteArray(31)) }
    expect(Beacon(ByteArray(8), 1, 0x41, 2).slotsAhead(Freshness.slot(0x1FF, 1)), 3, "slots ahead")
    expect(Beacon(ByteArray(8), 1, 0x41, 2).slotsAhead(Freshness.slot(0x205, 1)), -3, "slots behind")
    expect(Carrier.longForm("F5FF"), "0000F5FF-0000-1000-8000-00805F9B34FB", "long form")
}

fun main(arguments: Array<String>) {
    val root = Json(File(arguments[0]).readText()).read() as Map<*, *>
    fun samples(name: String) = (root[name] as List<*>).map { Sample(it as Map<*, *>) }
    val cases = samples("cases")
    val id = cases[0].hex("siteID")
    cases.forEachIndexed(::checkCase)
    samples("beacons").forEachIndexed { number, sample -> checkBeacon(number, sample, id) }
    for (sample in samples("refusedBeacons")) {
        expect(Site(id, sample.hex("siteKey")).openBeacon(sample.hex("frame")), null, "beacon, " + sample.text("why"))
    }
    for (sample in samples("refusedAnswers")) {
        val other = cases[sample.number("case").toInt()]
        val answer = other.keys().openAnswer(sample.hex("frame"), sample.hex("commandFrame"), other.freshness())
        expect(answer, null, "answer, " + sample.text("why"))
    }
    checkRefusals(cases[0].keys())
    println("$checks checks, $failures failures")
    exitProcess(if (failures == 0) 0 else 1)
}
