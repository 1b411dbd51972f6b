/** The time that a text names: ISO 8601, or milliseconds since 1970. Undefined for anything else. */
export function parseInstant(text: string): Date | undefined {
  const isEpoch = /^[0-9]{1,15}$/.test(text)
  if (!isEpoch && !/^[0-9]{4}-[0-9]{2}-[0-9]{2}(T|$)/.test(text)) return undefined
  const at = new Date(isEpoch ? Number(text) : text)
  return Number.isNaN(at.getTime()) ? undefined : at
}
