import { z } from 'zod'

/** The place in an event log after which a stream continues. */
export const StreamCursor = z.coerce
  .number()
  .int()
  .min(0, { error: 'must not be negative' })
  .max(2_147_483_647, { error: 'is larger than any sequence number' })

/** Returns the place that a client names in `Last-Event-ID`; 0 for a header that is no place: it is one of another stream. */
export function lastEventId(header: string | readonly string[] | undefined): number {
  return typeof header === 'string' && /^\d{1,9}$/.test(header) ? Number(header) : 0
}
