import { addressAt } from './addresses.ts'
import { isCardNumber, isIban } from './cards.ts'
import { before, digitsEnd, isAlphanumeric, isDigit, isWord, type Find } from './characters.ts'
import { dateAt } from './dates.ts'
import { groupLength, groupsAt, joined, type Groups } from './groups.ts'
import { ipv4At } from './ip-addresses.ts'
import { phoneAt } from './phones.ts'
import type { SensitiveClass } from '../classes.ts'

const CARD_WORD = /\b(?:card|visa|mastercard|amex|american express|discover|credit|debit|cc|pan)\b/
/** Words by which a long number is something else. */
const OTHER_NUMBER =
  /\b(?:order|orders|ordered|tracking|shipment|invoice|timestamp|epoch|serial|imei|isbn|ean|upc|gtin|ref|reference|ticket|id|seq|sequence|sku|part|job|build|commit|trace|span|offset|request|at|took)\b[\s:#=._"'-]*$/
const SSN_WORD = /\b(?:ssn|ss#|social security(?: number| no\.?| #)?|soc\.? sec\.?)[\s:#=."'-]*(?:is )?$/
const DOB_WORD =
  /(?:\bd\.?o\.?b\.?|\bdate[ _]of[ _]birth|\bbirth[ _]?date|\bbirthday|\bborn(?: on)?|\bgeboren(?: am)?|\bgeb\.|\bgeburtsdatum|\bn[ée]e? le|\bdate de naissance|\bnacid[oa](?: el)?|\bfecha de nacimiento)[\s:=("'-]*(?:is |was )?$/
const MRN_WORD =
  /(?:\bmrn|\bmedical record(?: number| no\.?| #)?|\bpatient (?:id|no\.?|number)|\bchart (?:no\.?|number)|\bpatient_id)[\s:#=."'-]*(?:is )?$/
const ACCOUNT_WORD =
  /(?:\baccount|\bacct|\ba\/c|\bacc|\bkonto(?:nummer)?|\brouting|\baba|\bsort code|\biban|\bbank account)(?:[\s:#=.,"'-]|\b(?:number|nummer|no|num|nr|id|is|ending in)\b){0,12}$/

const CLASSES_OF_TOKENS = /^[a-z0-9][a-z0-9-]*$/i

/** Parts of a name are joined by signs that in a text make a longer number. */
const SSN_IN_NAME = /(?<!\d-?)\d{3}-\d{2}-\d{4}(?!-?\d)/g

/** Finds social security numbers among the parts of a name. */
export function findSsnsInName(name: string, add: (find: Find) => void): void {
  for (const { index, 0: found } of name.matchAll(SSN_IN_NAME)) {
    if (isSsn(found.replaceAll('-', ''))) add({ start: index, end: index + found.length, kind: 'ssn' })
  }
}

/** Finds what begins with or contains the digit at a place, of the classes `only`. Returns where to continue. */
export function findAtDigit(text: string, at: number, add: (find: Find) => void, only?: Only): number {
  const end = digitsEnd(text, at)
  const previous = text.charCodeAt(at - 1)
  if (isWord(previous)) return findInToken(text, at, { end, add, only })
  const found = findHere(text, at, end, only)
  if (found !== null) {
    add(found)
    return Math.max(found.end, end)
  }
  return end
}

/** Classes that count; undefined for all. */
type Only = ReadonlySet<SensitiveClass> | undefined

/** Returns a find of a class that counts; null for any other, which hides nothing. */
function sought(find: Find | null, only: Only): Find | null {
  return find !== null && only !== undefined && !only.has(find.kind) ? null : find
}

function findHere(text: string, at: number, end: number, only: Only): Find | null {
  const length = end - at
  const next = text.charCodeAt(end)
  const follows = next === next && (isDigit(text.charCodeAt(end + 1)) || text.charAt(end) === ')')
  const isGrouped = follows && !isWord(next)
  // Most numbers are short and stand alone.
  if (length < 5 && !isGrouped) return sought(shortAlone(text, at, end), only)
  const previous = text.charAt(at - 1)
  const isJoined = (previous === '.' || previous === '-' || previous === '/') && isAlphanumeric(text.charCodeAt(at - 2))
  // A comma parts the columns of a table, and the thousands of an amount, which are neither card nor number of a person.
  const isInside = isJoined || (previous === ',' && isDigit(text.charCodeAt(at - 2)))
  const context = contextOf(text, at)
  const isNamed = context !== ''
  // What no word names is recognised by the length of its first group alone.
  const groups =
    isNamed || length === 3 || length === 4 || length > 12 || mayCall(text, at, length) ? groupsAt(text, at) : null
  const mayBeCard = length === 4 || length > 12
  return (
    (groups !== null && mayBeCard && previous !== '+' && !(isJoined && previous !== '-')
      ? sought(cardAt(text, at, groups, context), only)
      : null) ??
    (groups !== null && !isJoined ? sought(ssnAt(text, at, groups, context), only) : null) ??
    (isNamed ? sought(dobAt(text, at), only) : null) ??
    (length < 4 && next === 0x2e && !isInside ? sought(ipv4At(text, at, context), only) : null) ??
    (isNamed ? sought(anchoredToken(text, at, context), only) : null) ??
    (groups !== null && !isInside ? sought(phoneAt(text, at, groups, context), only) : null) ??
    sought(addressAt(text, at, end), only)
  )
}

/** The words before a number; empty behind another number, which none of them can name. */
function contextOf(text: string, at: number): string {
  let last = at - 1
  while (at - last < 4 && !isWord(text.charCodeAt(last))) last--
  return last < 0 || isDigit(text.charCodeAt(last)) ? '' : before(text, at)
}

function mayCall(text: string, at: number, length: number): boolean {
  const [previous, first] = [text.charCodeAt(at - 1), text.charCodeAt(at)]
  return (
    previous === 0x2b ||
    previous === 0x28 ||
    (first === 0x30 && length > 1) ||
    (first === 0x31 && length === 1 && text.charCodeAt(at + 3) !== 0x31)
  )
}

/** Of numbers with fewer than five digits, only days, house numbers and parts of longer tokens are of interest. */
function shortAlone(text: string, at: number, end: number): Find | null {
  const next = text.charAt(end)
  if (end - at < 3) {
    const date = dobAt(text, at)
    if (date !== null) return date
  }
  if (isAlphanumeric(text.charCodeAt(end)) || next === '-') {
    const token = anchoredToken(text, at, contextOf(text, at))
    if (token !== null) return token
  }
  return addressAt(text, at, end)
}

function cardAt(text: string, at: number, groups: Groups, context: string): Find | null {
  const { ends, separators } = groups
  const separator = separators[0]
  const isPrecededByHex = text.charAt(at - 1) === '-' && isAlphanumeric(text.charCodeAt(at - 2))
  let malformed: number | null = null
  let found: number | null = null
  for (let count = 1; count * 2 <= ends.length; count++) {
    if (count > 1 && (separators[count - 2] !== separator || separator === '/')) break
    // Issuers group by four, or four, six and five or four.
    if (count > 2 && groupLength(groups, count - 2) !== 4 && groupLength(groups, count - 2) !== 6) break
    const digits = joined(text, groups, count)
    if (digits.length > 19) break
    const end = ends[count * 2 - 1] ?? at
    if (digits.length < 13 || isWord(text.charCodeAt(end))) continue
    if (count === 1 && text.charAt(end) === '.' && isDigit(text.charCodeAt(end + 1)) && separators.length === 0)
      continue
    if (count > 1 && groupLength(groups, 0) !== 4) break
    if (isCardNumber(digits)) found = end
    else malformed ??= count === 1 || count === 4 || count === 3 ? end : null
  }
  if (isPrecededByHex) return null
  if (found !== null) {
    const isPlain = found === ends[1]
    return isPlain && OTHER_NUMBER.test(context) ? null : { start: at, end: found, kind: 'payment_card' }
  }
  if (malformed === null || !CARD_WORD.test(context.slice(-32))) return null
  return { start: at, end: malformed, kind: 'malformed_payment_card' }
}

function ssnAt(text: string, at: number, groups: Groups, context: string): Find | null {
  const { ends, separators } = groups
  const isThree = separators.length >= 2 && separators[0] === separators[1]
  const end = ends[5] ?? at
  const lengths = [groupLength(groups, 0), groupLength(groups, 1), groupLength(groups, 2)]
  const isEnd = !isWord(text.charCodeAt(end)) && !(text.charAt(end) === '-' && isAlphanumeric(text.charCodeAt(end + 1)))
  const isAnchored = SSN_WORD.test(context)
  if (isThree && isEnd && lengths[0] === 3 && lengths[1] === 2 && lengths[2] === 4) {
    if (separators[0] === '-' || (separators[0] === ' ' && isAnchored)) {
      return { start: at, end, kind: isSsn(joined(text, groups, 3)) ? 'ssn' : 'malformed_ssn' }
    }
  }
  if (!isAnchored) return null
  for (let count = Math.min(3, ends.length / 2); count > 0; count--) {
    const digits = joined(text, groups, count)
    const last = ends[count * 2 - 1] ?? at
    if (digits.length < 7 || digits.length > 11 || isWord(text.charCodeAt(last))) continue
    return { start: at, end: last, kind: count === 1 && isSsn(digits) ? 'ssn' : 'malformed_ssn' }
  }
  return null
}

/** Areas, groups and serial numbers that were never issued. */
function isSsn(digits: string): boolean {
  return /^(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}$/.test(digits)
}

function dobAt(text: string, at: number): Find | null {
  const date = dateAt(text, at)
  return date !== null && DOB_WORD.test(before(text, date.start)) ? { ...date, kind: 'dob' } : null
}

/** A number or token behind the word that tells what it is. */
function anchoredToken(text: string, start: number, context: string): Find | null {
  const isMrn = context !== '' && MRN_WORD.test(context)
  if (context === '' || (!isMrn && !ACCOUNT_WORD.test(context))) return null
  let end = start
  while (end - start < 34 && (isAlphanumeric(text.charCodeAt(end)) || isJoint(text, end, isMrn))) end++
  const token = text.slice(start, end)
  const digits = token.replaceAll(/\D/g, '').length
  if (!isMrn && isWord(text.charCodeAt(end))) return null
  if (isMrn)
    return digits >= 4 && token.length <= 16 && CLASSES_OF_TOKENS.test(token) ? { start, end, kind: 'mrn' } : null
  return digits >= 6 && digits <= 17 && /^[\d -]+$/.test(token) ? { start, end, kind: 'account_number' } : null
}

function isJoint(text: string, at: number, isMrn: boolean): boolean {
  const char = text.charAt(at)
  return (char === '-' || (char === ' ' && !isMrn)) && isDigit(text.charCodeAt(at + 1))
}

/** A token that begins with letters: IBANs and numbers of records. */
function findInToken(
  text: string,
  at: number,
  { end, add, only }: { readonly end: number; readonly add: (find: Find) => void; readonly only: Only },
): number {
  let start = at
  while (at - start < 6 && isAlphanumeric(text.charCodeAt(start - 1))) start--
  if (isWord(text.charCodeAt(start - 1))) return end
  const found = sought(ibanAt(text, start, at) ?? mrnAt(text, start), only)
  if (found === null) return end
  add(found)
  return Math.max(found.end, end)
}

function mrnAt(text: string, start: number): Find | null {
  const context = before(text, start)
  return MRN_WORD.test(context) ? anchoredToken(text, start, context) : null
}

/** An IBAN, whole or grouped by four; a word behind it, such as a currency's, can look like a part. */
function ibanAt(text: string, start: number, at: number): Find | null {
  if (at - start !== 2 || !isDigit(text.charCodeAt(at + 1))) return null
  let compact = ''
  let end: number | null = null
  let place = start
  for (; compact.length <= 34; place++) {
    const code = text.charCodeAt(place)
    if (isAlphanumeric(code)) compact += text.charAt(place)
    else if (text.charAt(place) === ' ' && compact.length % 4 === 0) {
      if (isIban(compact)) end = place
    } else break
  }
  if (!isWord(text.charCodeAt(place)) && compact.length <= 34 && isIban(compact)) end = place
  return end === null ? null : { start, end, kind: 'account_number' }
}
