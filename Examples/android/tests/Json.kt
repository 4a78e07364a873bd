// As much of JSON as the vectors need: Android has org.json, a plain JVM has nothing.

package latchkey

class Json(private val text: String) {
    private var at = 0

    fun read(): Any? {
        val value = value()
        skipSpace()
        require(at == text.length) { "more behind the value, at $at" }
        return value
    }

    private fun value(): Any? {
        skipSpace()
        return when (text[at]) {
            '{' -> members()
            '[' -> elements()
            '"' -> string()
            else -> word()
        }
    }

    private fun members(): Map<String, Any?> {
        val found = linkedMapOf<String, Any?>()
        list('}') {
            val name = string()
            skipSpace()
            require(text[at++] == ':') { "no colon at $at" }
            found[name] = value()
        }
        return found
    }

    private fun elements(): List<Any?> {
        val found = mutableListOf<Any?>()
        list(']') { found += value() }
        return found
    }

    private fun list(end: Char, element: () -> Unit) {
        at++
        skipSpace()
        while (text[at] != end) {
            element()
            skipSpace()
            if (text[at] == ',') at++ else require(text[at] == end) { "no comma at $at" }
            skipSpace()
        }
        at++
    }

    private fun string(): String {
        require(text[at] == '"') { "no string at $at" }
        val end = text.indexOf('"', at + 1)
        val value = text.substring(at + 1, end)
        require('\\' !in value) { "an escape at $at" }
        at = end + 1
        return value
    }

    private fun word(): Any? {
        val start = at
        while (at < text.length && text[at] !in ",]} \n\r\t") at++
        val word = text.substring(start, at)
        return if (word == "null") null else word.toLong()
    }

    private fun skipSpace() {
        while (at < text.length && text[at] in " \n\r\t") at++
    }
}
