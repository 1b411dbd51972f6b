/** Columns that the service adds behind those of the input: `row`, `output`, … */
const ADDED_COLUMNS = 8

/**
 * The cells of one answer.
 *
 * @typedef {object} Answer
 * @property {readonly string[]} given cells of the input
 * @property {string} row its number, from 1
 * @property {string} output
 * @property {boolean} hasAbstained
 * @property {string} confidence empty where it means nothing
 * @property {boolean} isUnlike whether the input is unlike the examples
 * @property {string} failedChecks
 * @property {string} errorCode
 * @property {string} error
 */

/**
 * Splits CSV that comes in pieces into its records, line ends included. A line end between quotes ends no record.
 *
 * @returns {{ push: (text: string) => readonly string[], reset: () => void }} `reset` forgets an unfinished record
 */
export function openRecords() {
  let pending = ''
  let isQuoted = false
  return {
    push(text) {
      const records = []
      let start = 0
      for (let at = 0; at < text.length; at++) {
        const character = text.charCodeAt(at)
        if (character === 0x22) isQuoted = !isQuoted
        else if (character === 0x0a && !isQuoted) {
          records.push(pending + text.slice(start, at + 1))
          pending = ''
          start = at + 1
        }
      }
      pending += text.slice(start)
      return records
    },
    reset() {
      pending = ''
      isQuoted = false
    },
  }
}

/**
 * Returns the delimiter of an answer, which is that of the input, from the line that names the columns.
 *
 * @param {string} head
 */
export function delimiterOf(head) {
  return /row(.)(?:svc_)?output\1(?:svc_)?abstained\1/.exec(head)?.[1] ?? ','
}

/**
 * Returns the names of the input's columns.
 *
 * @param {string} head
 * @param {string} delimiter
 */
export function givenColumns(head, delimiter) {
  return cellsOf(head, delimiter).slice(0, -ADDED_COLUMNS)
}

/**
 * @param {string} record
 * @param {string} delimiter
 * @returns {Answer}
 */
export function answerOf(record, delimiter) {
  const cells = cellsOf(record, delimiter)
  const [row = '', output = '', abstained, confidence = '', unlike, failedChecks = '', errorCode = '', error = ''] =
    cells.slice(-ADDED_COLUMNS)
  return {
    given: cells.slice(0, -ADDED_COLUMNS),
    row,
    output,
    hasAbstained: abstained === 'true',
    confidence,
    isUnlike: unlike === 'true',
    failedChecks,
    errorCode,
    error,
  }
}

/**
 * @param {string} record
 * @param {string} delimiter
 * @returns {string[]}
 */
export function cellsOf(record, delimiter) {
  const cells = []
  let cell = ''
  let isQuoted = false
  const text = record.replace(/\r?\n$/, '')
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '"') {
      if (isQuoted && text[at + 1] === '"') cell += text[at++]
      else isQuoted = !isQuoted
    } else if (character === delimiter && !isQuoted) {
      cells.push(cell)
      cell = ''
    } else cell += character
  }
  return [...cells, cell]
}

/** The byte order mark. Without it Excel reads UTF-8 as the code page of the machine. */
const MARK = '\ufeff'

/**
 * Returns CSV as a file to download. Receipts are about the rows, so the mark before them changes nothing in these.
 *
 * @param {readonly BlobPart[]} parts
 */
export function csvFile(parts) {
  return new Blob([MARK, ...parts], { type: 'text/csv' })
}
