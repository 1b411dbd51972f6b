import { z } from 'zod'
import type { Json } from '../json/json.ts'

/** Any JSON value; it is not copied or walked, so that large values cost no time. */
export const JsonValue = z
  .custom<Json>((value) => value !== undefined, { error: 'is required' })
  .meta({
    description: 'Any JSON value',
  })

/** The body of a route that reads raw bytes. */
export const RawBytes = z
  .custom<Buffer>((value) => Buffer.isBuffer(value), { error: 'is required' })
  .meta({
    description: 'The bytes of the body',
    override: { type: 'string', format: 'binary' },
  })
