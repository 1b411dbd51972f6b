import { isUtf8 } from 'node:buffer'
import chardet from 'chardet'
import iconv from 'iconv-lite'
import { KERNEL_ERRORS, invalidField } from '../../../../kernel/errors.ts'
import { ENCODINGS, type EncodingName } from '../mapping.ts'
import { textError } from '../table-error.ts'
import type { EncodingFacts } from './encoding-census.ts'

/** Encoding of a file and the reason for it. */
export interface ChosenEncoding {
  readonly name: EncodingName
  readonly reason: string
}

/** Part of the bytes in one half of the pairs that are 0 in a UTF-16 text of a Latin script. */
const NUL_SHARE = 0.3
/** Confidence, of 100, from which on a guess is preferred to Windows-1252, and by how much it must lead. */
const SURE = 60
const LEAD = 20
/** Lead that is enough alone: a few rows give no more confidence. */
const CLEAR_LEAD = 30

/**
 * Chooses the encoding of a text file: the named one, that of its byte order mark, UTF-8 where all bytes are UTF-8, else
 * a guess. Throws `invalid_encoding` for a file that is not a text, that mixes encodings, or that is not in the named one.
 */
export function chooseEncoding(facts: EncodingFacts, named: EncodingName | undefined): ChosenEncoding {
  const marked = markOf(facts.head)
  if (named !== undefined) {
    if (named === 'utf-8') requireUtf8(facts)
    return { name: named, reason: 'named in the request' }
  }
  if (marked !== null) {
    if (marked === 'utf-8') requireUtf8(facts)
    return { name: marked, reason: 'the byte order mark at the start of the file says so' }
  }
  if (facts.firstNul !== null) {
    const wide = wideOf(facts.head)
    if (wide !== null) return { name: wide, reason: 'every second byte is 0, as in UTF-16' }
    throw invalidField(
      `line[${facts.firstNul}]`,
      'holds a NUL byte, so the file is not text; save it as CSV (UTF-8), .xlsx, JSON or JSONL',
      KERNEL_ERRORS.invalid_encoding,
    )
  }
  if (facts.invalidLines === 0) {
    return { name: 'utf-8', reason: facts.validLines === 0 ? 'all characters are ASCII' : 'all bytes are valid UTF-8' }
  }
  if (facts.validLines > 0) throw mixed(facts)
  return guess(facts)
}

function markOf(head: Buffer): EncodingName | null {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return 'utf-8'
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  return head[0] === 0xfe && head[1] === 0xff ? 'utf-16be' : null
}

function wideOf(head: Buffer): EncodingName | null {
  const pairs = Math.floor(head.length / 2)
  let even = 0
  let odd = 0
  for (let i = 0; i < pairs * 2; i += 2) {
    if (head[i] === 0) even++
    if (head[i + 1] === 0) odd++
  }
  if (odd > pairs * NUL_SHARE && even === 0) return 'utf-16le'
  return even > pairs * NUL_SHARE && odd === 0 ? 'utf-16be' : null
}

function requireUtf8({ firstInvalid }: EncodingFacts): void {
  if (firstInvalid === null) return
  throw textError(
    { line: firstInvalid.line, column: faultColumn(firstInvalid.bytes) },
    'is not valid UTF-8; save the file as UTF-8, or name its encoding (`encoding`)',
    KERNEL_ERRORS.invalid_encoding,
  )
}

function mixed({ firstInvalid, firstValid, invalidLines }: EncodingFacts) {
  const { line, bytes } = firstInvalid ?? { line: 1, bytes: Buffer.alloc(0) }
  const others = invalidLines > 1 ? ` (and ${invalidLines - 1} more)` : ''
  return textError(
    { line, column: faultColumn(bytes) },
    `the file mixes encodings: this line${others} is not UTF-8, line ${firstValid ?? 1} is; save the whole file as UTF-8, or name one encoding (\`encoding\`)`,
    KERNEL_ERRORS.invalid_encoding,
  )
}

/** Column of the first byte that is not UTF-8, as an editor counts it. */
function faultColumn(line: Buffer): number {
  let low = 0
  let high = line.length
  // The longest prefix that is UTF-8, but for a character that the cut broke.
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (isPrefix(line.subarray(0, middle))) low = middle
    else high = middle - 1
  }
  let end = low
  while (end > 0 && !isUtf8(line.subarray(0, end))) end--
  return line.toString('utf8', 0, end).length + 1
}

function isPrefix(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    return true
  } catch {
    return false
  }
}

function guess({ sample, lineFeeds }: EncodingFacts): ChosenEncoding {
  const found = chardet.analyse(sample).flatMap(({ name, confidence }) => {
    const known = ENCODINGS.find((one) => one === name.toLowerCase())
    // Windows-1252 holds all of Latin-1 that is ever written.
    const wide = known === 'iso-8859-1' ? 'windows-1252' : known
    return wide === undefined || !fits(sample, wide) ? [] : [{ name: wide, confidence }]
  })
  const [best] = found.toSorted((a, b) => b.confidence - a.confidence)
  const western = Math.max(0, ...found.filter(({ name }) => name === 'windows-1252').map((one) => one.confidence))
  const lead = (best?.confidence ?? 0) - western
  const leads = lead >= CLEAR_LEAD || (lead >= LEAD && (best?.confidence ?? 0) >= SURE)
  // Programs of the classic Macintosh, which spreadsheets still imitate, end lines so; others only break lines in a cell so.
  const isMac = lineFeeds === 0 && sample.includes('\r')
  const likely = isMac ? 'macintosh' : fits(sample, 'windows-1252') ? 'windows-1252' : undefined
  const name = (leads ? best?.name : likely) ?? best?.name ?? 'windows-1252'
  return { name, reason: `some lines are not UTF-8; their characters fit ${name} best. Check accents in the samples` }
}

/** True where all bytes are characters of the encoding. */
function fits(sample: Buffer, name: EncodingName): boolean {
  return !iconv.decode(sample, name).includes('\ufffd')
}
