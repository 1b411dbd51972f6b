/** Read access to the headers of an answer. */
interface HeaderReader {
  get(name: string): string | null
}

/**
 * Returns the seconds that a provider asks to wait: `retry-after-ms`, or `Retry-After` in seconds or as a date (RFC
 * 9110, 10.2.3). Undefined when absent or unreadable; never negative.
 */
export function readRetryAfter(headers: HeaderReader, nowMs: number): number | undefined {
  const milliseconds = headers.get('retry-after-ms')
  if (milliseconds !== null && /^\d+(\.\d+)?$/.test(milliseconds)) return Number(milliseconds) / 1000
  const value = headers.get('retry-after')
  if (value === null) return undefined
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value)
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : Math.max(0, (at - nowMs) / 1000)
}
