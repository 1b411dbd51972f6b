import { z } from 'zod'
import { styleText } from 'node:util'

const STYLES = { fatal: 'red', error: 'red', warn: 'yellow', info: 'green', debug: 'dim', trace: 'dim' } as const

const LogLine = z.looseObject({
  level: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace']),
  time: z.string().optional(),
  msg: z.string().optional(),
  err: z.looseObject({ message: z.string().optional() }).optional(),
})

/** Fields of every line that are constant on one machine. */
const LEFT_OUT: ReadonlySet<string> = new Set(['level', 'time', 'msg', 'pid', 'hostname', 'name', 'err'])

/**
 * Returns true for a line that an operator should see by default: warnings, errors, and lines that are not log records.
 */
export function isWorthShowing(line: string): boolean {
  const { data } = LogLine.safeParse(parse(line))
  return data === undefined ? line.trim() !== '' : ['fatal', 'error', 'warn'].includes(data.level)
}

/** A line of a service's log for people: time, service, level, message and facts on one line. */
export function formatServiceLine(service: string, line: string): string {
  const { data } = LogLine.safeParse(parse(line))
  if (data === undefined) return `${service.padEnd(6)} ${line}`
  const time = new Date(data.time ?? Date.now()).toISOString().slice(11, 19)
  const facts = Object.entries(data)
    .filter(([name]) => !LEFT_OUT.has(name))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  const message = [data.msg ?? '', ...(data.err?.message === undefined ? [] : [data.err.message])].join(': ')
  return [
    styleText('dim', time, { stream: process.stderr }),
    service.padEnd(6),
    styleText(STYLES[data.level], data.level.padEnd(5), { stream: process.stderr }),
    message,
    styleText('dim', facts.join(' '), { stream: process.stderr }),
  ].join(' ')
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
