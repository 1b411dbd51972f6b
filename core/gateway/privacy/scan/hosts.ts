import { isAlphanumeric, isWord, type Find } from './characters.ts'

/** Endings of names that no public resolver knows (RFC 6762, RFC 8375, and common usage). */
const ENDINGS = ['internal', 'local', 'corp', 'lan', 'intranet', 'localdomain', 'private', 'home.arpa'] as const
const FIRST_LETTERS = new Set([...ENDINGS].map((ending) => ending.charCodeAt(0)))
const LETTER_C = 0x63
const LETTER_P = 0x70
const MOST_CHARS = 128
/** First labels of hosts that have one label before the ending. */
const SERVICES =
  /^(?:db|api|app|web|www|mail|smtp|imap|ldap|dns|vpn|nas|git|gitlab|jenkins|grafana|prometheus|kibana|elastic|elasticsearch|redis|postgres|mysql|mongo|kafka|rabbit|rabbitmq|vault|consul|etcd|proxy|gateway|auth|sso|cache|queue|wiki|jira|confluence|printer|router|server|build|registry|intranet|staging|prod|dev|test|backup|monitor|metrics|payroll|hr|crm|erp|files|fileserver|storage|search|billing|warehouse|admin)$/i

/** The name of an internal host whose ending begins behind the dot at a place. */
export function hostAt(text: string, dot: number): Find | null {
  const first = text.charCodeAt(dot + 1)
  if (first < LETTER_C || first > LETTER_P || !FIRST_LETTERS.has(first)) return null
  const ending = ENDINGS.find((one) => text.startsWith(one, dot + 1))
  if (ending === undefined) return null
  const end = dot + 1 + ending.length
  const next = text.charAt(end)
  if (
    isWord(text.charCodeAt(end)) ||
    next === '(' ||
    ((next === '.' || next === '-') && isWord(text.charCodeAt(end + 1)))
  )
    return null
  let start = dot
  while (dot - start < MOST_CHARS && isHost(text.charCodeAt(start - 1))) start--
  const host = text.slice(start, dot)
  const before = text.charAt(start - 1)
  if (host === '' || /^[.-]|\.\.|[.-]$/.test(host) || before === '_' || before === '\\' || before === '$') return null
  const isNamed =
    /[.\d-]/.test(host) ||
    SERVICES.test(host) ||
    before === '/' ||
    before === '@' ||
    /^:\d/.test(text.slice(end, end + 2))
  return isNamed ? { start, end, kind: 'internal_hostname' } : null
}

function isHost(code: number): boolean {
  return isAlphanumeric(code) || code === 0x2d || code === 0x2e
}
