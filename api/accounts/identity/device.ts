import type { CallFacts } from '../services.ts'

const USER_AGENT_CHARS = 300

/** Returns the address and browser of a new session, which the list of sessions shows. */
export function deviceOf({ ip, request }: Pick<CallFacts, 'ip' | 'request'>): {
  readonly ip: string
  readonly userAgent?: string
} {
  const userAgent = request.headers['user-agent']?.slice(0, USER_AGENT_CHARS)
  return { ip, ...(userAgent !== undefined && { userAgent }) }
}
