import iconv from 'iconv-lite'
import { KERNEL_ERRORS } from '../../../../kernel/errors.ts'
import type { EncodingName } from '../mapping.ts'
import { textError } from '../table-error.ts'

const REPLACEMENT = '\ufffd'
const MARK = '\ufeff'

/**
 * Decodes a byte stream into texts, without a leading byte order mark. Throws `invalid_encoding` with the place of the
 * first bytes that are not a character of the encoding.
 */
export async function* decodeText(bytes: AsyncIterable<Uint8Array>, encoding: EncodingName): AsyncGenerator<string> {
  const decoder = encoding === 'utf-8' ? utf8Decoder() : iconv.getDecoder(encoding, { stripBOM: false })
  const place = { line: 1, column: 1, isAfterReturn: false }
  let isStart = true
  const check = (text: string): string => {
    const fault = encoding === 'utf-8' ? -1 : text.indexOf(REPLACEMENT)
    advance(place, fault < 0 ? text : text.slice(0, fault))
    if (fault >= 0) throw notInEncoding(place, encoding)
    if (!isStart || text === '') return text
    isStart = false
    return text.startsWith(MARK) ? text.slice(MARK.length) : text
  }
  for await (const chunk of bytes) {
    yield check(decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)))
  }
  yield check(decoder.end() ?? '')
}

/** The census has found that all bytes are UTF-8. */
function utf8Decoder() {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  return {
    write: (chunk: Uint8Array) => decoder.decode(chunk, { stream: true }),
    end: () => decoder.decode(),
  }
}

function advance(place: { line: number; column: number; isAfterReturn: boolean }, text: string): void {
  if (text === '') return
  let last = -1
  for (const { 0: end, index } of text.matchAll(/\r\n?|\n/g)) {
    // The line feed of a line end that the last piece began ends no other line.
    if (!(index === 0 && end === '\n' && place.isAfterReturn)) place.line++
    last = index + end.length - 1
  }
  place.column = last < 0 ? place.column + text.length : text.length - last
  place.isAfterReturn = text.endsWith('\r')
}

function notInEncoding(place: { line: number; column: number }, encoding: EncodingName) {
  return textError(
    place,
    `holds bytes that are no character of ${encoding}; save the file as UTF-8, or name its encoding (\`encoding\`)`,
    KERNEL_ERRORS.invalid_encoding,
  )
}
