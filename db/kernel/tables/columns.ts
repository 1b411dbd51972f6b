import { p } from '@mikro-orm/core'

/** A point in time, to the millisecond, so that a JavaScript `Date` survives the round trip and can serve as a cursor. */
export const instant = () => p.datetime(3)

/** A whole number beyond 32 bits; the service keeps all of them below 2^53. */
export const bigCount = () => p.bigint('number').$type<number>()

/**
 * A JSON document that the database does not inspect. Plain `json`, since `jsonb` refuses the NUL character that
 * examples may hold and forgets the order of members.
 */
export const document = <T>() => p.json<T>().columnType('json')

/** Raw bytes. */
export const bytes = () => p.blob()

/** A number with a fraction, in double precision. */
export const real = () => p.double().$type<number>()
