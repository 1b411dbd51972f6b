import { z } from 'zod'

const MOST = 1_000_000_000

/** A number, or its text, as a query has it. The reference shows the texts of one form, all of which are in bounds. */
export function numeric(number: z.ZodNumber, form: RegExp) {
  return z.preprocess(toNumber, number).meta({
    override: ({ jsonSchema }) => {
      const { type = 'number', minimum = 0, maximum = MOST } = jsonSchema
      delete jsonSchema.type
      delete jsonSchema.minimum
      delete jsonSchema.maximum
      jsonSchema.anyOf = [
        { type, minimum, maximum },
        { type: 'string', pattern: form.source },
      ]
    },
  })
}

function toNumber(given: unknown): unknown {
  return typeof given === 'string' && given.trim() !== '' && Number.isFinite(Number(given)) ? Number(given) : given
}

/** A count up to a thousand million, or its text. */
export const countValue = () => numeric(z.number().int().min(0).max(MOST), /^[0-9]{1,9}$/)
/** A share from 0 to 1, or its text. */
export const shareValue = () => numeric(z.number().min(0).max(1), /^(0\.[0-9]{1,17}|0|1)$/)
/** A time up to an hour in milliseconds, or its text. */
export const msValue = () => numeric(z.number().min(0).max(3_600_000), /^[0-9]{1,6}$/)
/** An amount of dollars, or its text. */
export const usdValue = () => numeric(z.number().min(0).max(1e9), /^[0-9]{1,9}$/)
/** A boolean, or its text. */
export const flagValue = () =>
  z.union([z.boolean(), z.enum(['true', 'false', '1', '0']).transform((text) => text === 'true' || text === '1')])
