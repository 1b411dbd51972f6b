import { z } from 'zod'
import type { Json } from '../json/json.ts'

/** Any JSON value, as it came; not copied and not walked, so that large ones cost nothing. */
export const JsonValue = z
  .custom<Json>((value) => value !== undefined, { error: 'is required' })
  .meta({
    description: 'Any JSON value',
  })

/** The body of a route that takes its bytes as they came. */
export const RawBytes = z
  .custom<Buffer>((value) => Buffer.isBuffer(value), { error: 'is required' })
  .meta({
    description: 'The bytes of the body',
    override: { type: 'string', format: 'binary' },
  })
