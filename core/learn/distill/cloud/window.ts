const UNIT_MS = { h: 3_600_000, d: 86_400_000 } as const

/** The form of a capture window: hours up to 8,784, or days up to 366. */
export const CAPTURE_WINDOW = /^(?:([1-9]\d{0,3})h|([1-9]\d{0,2})d)$/
const MOST_MS = 366 * UNIT_MS.d

/** Returns the length of a capture window in milliseconds; null for a text that is none, and for more than 366 days. */
export function windowMs(text: string): number | null {
  const [, hours, days] = CAPTURE_WINDOW.exec(text) ?? []
  const ms = hours === undefined ? Number(days) * UNIT_MS.d : Number(hours) * UNIT_MS.h
  return ms <= MOST_MS ? ms : null
}
