import type { Answer } from '../../api.ts'

/** The answer without what differs from call to call: the kind of each value in place of the value. */
export function shapeOf(answer: Pick<Answer, 'status' | 'headers' | 'body'>): unknown {
  const kindOf = (value: unknown): unknown => {
    if (typeof value === 'string') return value.replaceAll(/[0-9a-z]{4,}/gi, '*')
    if (value === null || typeof value !== 'object') return value
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, kindOf(field)]))
  }
  const headers = [...answer.headers.keys()].filter((name) => !/^(date|ratelimit)/.test(name))
  return { status: answer.status, headers, body: kindOf(answer.body) }
}

/** A call by which a stranger asks about an address, beside sign-up. */
export interface AddressProbe {
  readonly path: string
  /** True when the body names an anonymous workspace of the caller. */
  readonly takesWorkspace: boolean
  readonly bodyOf: (email: string, anonToken: string) => Readonly<Record<string, unknown>>
}

const ofAddress = (path: string, more: Readonly<Record<string, unknown>> = {}): AddressProbe => ({
  path,
  takesWorkspace: false,
  bodyOf: (email) => ({ email, ...more }),
})

const ofClaim = (more: Readonly<Record<string, unknown>>): AddressProbe => ({
  path: '/v1/anon/claim',
  takesWorkspace: true,
  bodyOf: (email, anonToken) => ({ anon_token: anonToken, email, ...more }),
})

/** Every such call. */
export const ADDRESS_PROBES: readonly AddressProbe[] = [
  ofAddress('/v1/auth/email/start'),
  ofAddress('/v1/auth/email/start', { mode: 'recover' }),
  ofClaim({ name: 'Newcomer' }),
  ofClaim({ send_code: true }),
  ofClaim({ code: 'AAAA-AAAA' }),
  ofAddress('/v1/waitlist'),
  ofAddress('/v1/submissions', { note: 'a note' }),
]
