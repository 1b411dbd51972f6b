const TIME = /^([0-9]{4}-[0-9]{2}-[0-9]{2})(T[0-9:.]{5,18})?(Z|[+ -][0-9]{2}:?[0-9]{2})?$/

/** The common forms that `parseInstant` accepts, for clients that only read the pattern. */
export const INSTANT =
  /^([0-9]{1,15}|[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])(T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,3})?Z)?)$/

/**
 * The time that a text names: ISO 8601, in UTC where it names no zone, or milliseconds since 1970. A plus sign that
 * became a blank on its way through a query still counts. Undefined for anything else.
 */
export function parseInstant(text: string): Date | undefined {
  const [, day, time = 'T00:00:00', zone = 'Z'] = TIME.exec(text) ?? []
  const isEpoch = /^[0-9]{1,15}$/.test(text)
  if (!isEpoch && day === undefined) return undefined
  const at = new Date(isEpoch ? Number(text) : `${day}${time}${zone.replace(' ', '+')}`)
  return Number.isNaN(at.getTime()) ? undefined : at
}
