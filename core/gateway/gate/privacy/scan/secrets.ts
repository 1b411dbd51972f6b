import { isAlphanumeric, isWord, type Find } from './characters.ts'

const PREFIXES = new Set(
  'sk rk pk ant ghp gho ghu ghs ghr pat glpat gldt xoxb xoxa xoxp xoxr xoxs xoxe xapp whsec hf npm ks kao scim gsk shpat shpss dop dapi lin sq0atp sq0csp pypi tok'.split(
    ' ',
  ),
)
const LONGEST_PREFIX = 7
const MOST_KEY = 300
const LEAST_KEY = 16
/** Of keys with dashes, one part at least is random. */
const LEAST_RANDOM = 14
const LEAST_UNDOUBTED = 40

/** The API key whose prefix ends before the `-` or `_` at a place. */
export function keyAt(text: string, at: number): Find | null {
  let start = at
  while (at - start <= LONGEST_PREFIX && isAlphanumeric(text.charCodeAt(start - 1))) start--
  if (start === at || isJoint(text.charCodeAt(start - 1)) || !PREFIXES.has(text.slice(start, at))) {
    return isGithubToken(text, at) ? tokenFrom(text, at - 'github'.length, at) : null
  }
  return tokenFrom(text, start, at)
}

function isGithubToken(text: string, at: number): boolean {
  return (
    text.startsWith('_pat_', at) && text.startsWith('github', at - 'github'.length) && !isWord(text.charCodeAt(at - 7))
  )
}

function tokenFrom(text: string, start: number, at: number): Find | null {
  let end = at + 1
  while (end - at < MOST_KEY && isKey(text.charCodeAt(end))) end++
  while (end > at && !isAlphanumeric(text.charCodeAt(end - 1))) end--
  const value = text.slice(at + 1, end)
  if (value.length < LEAST_KEY || !isRandom(value)) return null
  return { start, end, kind: 'api_key' }
}

function isRandom(value: string): boolean {
  if (value.length >= LEAST_UNDOUBTED && /\d/.test(value) && !/[a-z]{12}/.test(value)) return true
  return value
    .split(/[-_]/)
    .some((part) => part.length >= LEAST_RANDOM && (/\d/.test(part) || (/[a-z]/.test(part) && /[A-Z]/.test(part))))
}

/** Keys of two clouds, which begin with letters of their own. */
export function cloudKeyAt(text: string, at: number): Find | null {
  const pattern = text.startsWith('AIza', at) ? GOOGLE : AMAZON
  pattern.lastIndex = at
  return pattern.test(text) ? { start: at, end: pattern.lastIndex, kind: 'api_key' } : null
}

const GOOGLE = /AIza[\w-]{30,60}/y
const AMAZON = /A(?:KIA|SIA)[0-9A-Z]{16}(?!\w)/y

/** A JSON web token (RFC 7519) whose `eyJ` begins at a place. */
export function webTokenAt(text: string, at: number): Find | null {
  if (isWord(text.charCodeAt(at - 1))) return null
  WEB_TOKEN.lastIndex = at
  return WEB_TOKEN.test(text) ? { start: at, end: WEB_TOKEN.lastIndex, kind: 'bearer_token' } : null
}

const WEB_TOKEN = /eyJ[\w-]{8,2000}\.[\w-]{8,4000}\.[\w-]{8,1000}/y

/** The credentials behind `Bearer` or `Basic`, whose word begins at a place. */
export function bearerAt(text: string, at: number): Find | null {
  if (isWord(text.charCodeAt(at - 1))) return null
  BEARER.lastIndex = at
  return BEARER.test(text) ? { start: at, end: BEARER.lastIndex, kind: 'bearer_token' } : null
}

// A token has a digit; words and sentences about bearers have none so close.
const BEARER = /(?:bearer|basic) (?=[\w+/=.~-]{0,200}\d)[\w+/=.~-]{15,1999}[\w+/=~-]/iy

const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y
const END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y
const MOST_PEM = 16_000

/** The PEM block of a private key that begins at a place, to its end or as far as it continues. */
export function privateKeyAt(text: string, at: number): Find | null {
  BEGIN.lastIndex = at
  if (!BEGIN.test(text)) return null
  let end = BEGIN.lastIndex
  while (end - at < MOST_PEM && end < text.length && !text.startsWith('-----', end)) end++
  END.lastIndex = end
  return { start: at, end: END.test(text) ? END.lastIndex : end, kind: 'private_key' }
}

const DATABASES =
  /^(?:jdbc:)?(?:postgres|postgresql|mysql|mariadb|mongodb|redis|rediss|amqp|amqps|mssql|sqlserver|oracle|cockroachdb|clickhouse|cassandra|snowflake|neo4j|bolt|couchbase|db2|influxdb|memcached|redshift|vertica)(?:\+[a-z0-9]{1,12})?$/i
const REST_OF_URL = /[^\s"'`<>\\]{1,600}/y
const CREDENTIALS = /[^\s/:@"'<>]{0,200}:[^\s/@"'<>]{1,200}@/y

/** The address of a database, or the credentials in another one, whose `://` begins at a place. */
export function urlAt(text: string, colon: number): Find | null {
  let start = colon
  while (colon - start < 24 && isScheme(text.charCodeAt(start - 1))) start--
  const scheme = text.slice(start, colon)
  const rest = colon + 3
  if (DATABASES.test(scheme)) {
    if (text.slice(start - 5, start) === 'jdbc:') start -= 5
    REST_OF_URL.lastIndex = rest
    if (!REST_OF_URL.test(text)) return null
    let end = REST_OF_URL.lastIndex
    while (end > rest && /[.,;:!?)\]}]/.test(text.charAt(end - 1))) end--
    return end - rest < 3 ? null : { start, end, kind: 'database_url' }
  }
  CREDENTIALS.lastIndex = rest
  return scheme !== '' && CREDENTIALS.test(text)
    ? { start: rest, end: CREDENTIALS.lastIndex - 1, kind: 'api_key' }
    : null
}

const SECRET_NAME =
  /(?:password|passwd|passphrase|pwd|api[_-]?key|access[_-]?token|auth[_-]?token|client[_-]?secret|secret[_-]?key|secret)["']?\s{0,3}$/
const ASSIGNED = /[ \t]{0,3}(["']?)([^\s"'`&,;()[\]{}<>$]{4,200})/y

/** Returns the value that the `:` or `=` at a place assigns to a name such as `password`. */
export function assignedAt(text: string, at: number): Find | null {
  const last = text.charCodeAt(at - 1)
  if (!isWord(last) && last !== 0x22 && last !== 0x27 && last !== 0x20) return null
  const named = text.slice(Math.max(0, at - 24), at).toLowerCase()
  if (!SECRET_NAME.test(named)) return null
  ASSIGNED.lastIndex = at + 1
  const found = ASSIGNED.exec(text)
  if (found === null) return null
  const [, quote = '', value = ''] = found
  const end = ASSIGNED.lastIndex
  // `password: required` is a sentence, and `password = read()` code.
  const isCode = text.charAt(end) === '(' || text.charAt(end) === '{' || text.charAt(end) === '['
  if (isCode || (text.charAt(at) === ':' && quote === '' && !/[\d!#%*+/=@^~]/.test(value))) return null
  return { start: end - value.length, end, kind: 'api_key' }
}

function isJoint(code: number): boolean {
  return isWord(code) || code === 0x2d
}

function isKey(code: number): boolean {
  return isAlphanumeric(code) || code === 0x2d || code === 0x5f
}

function isScheme(code: number): boolean {
  return isAlphanumeric(code) || code === 0x2b || code === 0x2d || code === 0x2e
}
