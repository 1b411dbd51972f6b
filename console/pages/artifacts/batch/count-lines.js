/** Largest file whose lines are counted, bytes; a larger one is shown by its size alone. */
const MOST_BYTES = 256 * 1024 * 1024

const LINE_FEED = 0x0a
const QUOTE = 0x22

/**
 * Counts the lines of a text file that hold something. In a table, a line end between quotes ends no line. Null for a
 * workbook, for a JSON document, and for a file that is too large to count.
 *
 * @param {File} file
 * @param {AbortSignal} signal
 * @returns {Promise<number | null>}
 */
export async function countLines(file, signal) {
  const form = /\.(\w+)$/.exec(file.name.toLowerCase())?.[1]
  if (form === 'xlsx' || form === 'json' || file.size > MOST_BYTES) return null
  // In JSON lines a quote may be escaped, and no line end is inside a text.
  const hasQuotes = form !== 'jsonl' && form !== 'ndjson'
  const reader = file.stream().getReader()
  let lines = 0
  let isQuoted = false
  let isEmpty = true
  for (;;) {
    const { done, value } = await reader.read()
    signal.throwIfAborted()
    if (done) return lines + (isEmpty ? 0 : 1)
    for (const byte of value) {
      if (hasQuotes && byte === QUOTE) isQuoted = !isQuoted
      if (byte === LINE_FEED && !isQuoted) {
        if (!isEmpty) lines++
        isEmpty = true
        // All other than spaces, tabs, line ends and the zeros of UTF-16.
      } else if (byte > 0x20) isEmpty = false
    }
  }
}
