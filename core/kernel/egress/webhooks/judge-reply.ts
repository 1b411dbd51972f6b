/** The meaning of a receiver's answer: accepted, closed for good, or to be sent again. */
export type ReplyVerdict =
  | { readonly kind: 'taken' }
  | { readonly kind: 'gone' }
  /** `afterS`: seconds that the receiver asks to wait; absent where it does not say. */
  | { readonly kind: 'again'; readonly afterS?: number }

/** Longest wait that a receiver may ask for, seconds: a day of attempts should hold more than one. */
const LONGEST_WAIT_S = 6 * 3600

/**
 * Judges the answer of a receiver as Standard Webhooks says: 2xx is taken, 410 ends the deliveries, everything else,
 * redirects included, is sent again. `Retry-After` is honoured in both of its forms (RFC 9110, 10.2.3), up to six hours.
 */
export function judgeReply(
  { status, headers }: { readonly status: number; readonly headers: Readonly<Record<string, string>> },
  now: Date,
): ReplyVerdict {
  if (status >= 200 && status < 300) return { kind: 'taken' }
  if (status === 410) return { kind: 'gone' }
  const afterS = secondsOf(headers['retry-after'], now)
  return afterS === undefined ? { kind: 'again' } : { kind: 'again', afterS }
}

function secondsOf(retryAfter: string | undefined, now: Date): number | undefined {
  if (retryAfter === undefined) return undefined
  const seconds = /^\d{1,9}$/.test(retryAfter.trim())
    ? Number(retryAfter)
    : Math.ceil((Date.parse(retryAfter) - now.getTime()) / 1000)
  if (Number.isNaN(seconds)) return undefined
  return Math.min(LONGEST_WAIT_S, Math.max(1, seconds))
}
