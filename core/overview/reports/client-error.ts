import { redactContent } from '../../gateway/captures/recording/redact-content.ts'

/** An error that a browser reports. */
export interface ReportedError {
  readonly message: string
  readonly source: string | null
  readonly line: number | null
  readonly col: number | null
  readonly stack: string | null
  readonly path: string | null
  readonly agent: string | null
}

const MESSAGE_CHARS = 240
const STACK_LINES = 3
const STACK_CHARS = 600
const PATH_CHARS = 200

/**
 * Takes everything out of a report that may be secret or personal, and cuts it: sensitive text, the queries of addresses,
 * ids and tokens in them, and all of the browser's name but product and version.
 */
export function redactReport(report: ReportedError): ReportedError {
  const { message, source, line, col, stack, path, agent } = report
  return {
    message: redacted(message).slice(0, MESSAGE_CHARS),
    source: source === null ? null : redacted(source).slice(0, MESSAGE_CHARS),
    line,
    col,
    stack: stack === null ? null : redacted(firstLines(stack)).slice(0, STACK_CHARS),
    path: path === null ? null : redacted(path).slice(0, PATH_CHARS),
    agent: agent === null ? null : browserOf(agent),
  }
}

// Of addresses: behind a question mark or a hash stand words of people, tokens and what they looked for.
const QUERY = /([\w)\]/.-])[?#][^\s)]*/g
/** A part of an address or a name that is an id, a token or a key when it has a digit. */
const LONG_WORD = /[\w-]{16,}/g

function redacted(text: string): string {
  const shown = text.replaceAll(QUERY, '$1').replaceAll(LONG_WORD, (word) => (/\d/.test(word) ? '…' : word))
  return redactContent().text(shown).toWellFormed().replaceAll('\0', '')
}

function firstLines(stack: string): string {
  return stack.split('\n').slice(0, STACK_LINES).join('\n')
}

/** The names under which browsers give their version; the first that is found counts, since later ones are in all. */
const BROWSERS = ['Edg', 'OPR', 'Firefox', 'Chrome', 'Version'] as const

function browserOf(agent: string): string | null {
  for (const name of BROWSERS) {
    const version = new RegExp(String.raw`\b${name}/(\d{1,4})`).exec(agent)?.[1]
    if (version !== undefined) return `${name === 'Version' ? 'Safari' : name} ${version}`
  }
  return null
}
