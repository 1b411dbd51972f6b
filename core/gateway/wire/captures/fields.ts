import { z } from 'zod'
import { NAMESPACE_NAME } from '../../record/asked.ts'
import { idOf } from '../../../kernel/wire/ids.ts'

/** The id of a capture. */
export const CaptureId = idOf('cap', 'Id of a capture')

/** The name of a namespace. */
export const CaptureNamespace = z
  .string()
  .regex(NAMESPACE_NAME, { error: 'must be lower-case letters, digits and dashes, at most 63' })
  .meta({ description: 'Name of a namespace', example: 'support' })

/** Captures that one call names at most. */
export const MOST_IDS = 500

/** Ids of captures in a body. An id that names no capture is reported, and changes nothing. */
export const CaptureIds = z
  .array(z.string().min(1).max(64))
  .min(1, { error: 'names no capture' })
  .max(MOST_IDS)
  .meta({ description: 'Ids of captures', example: ['cap_0123456789abcdefghjkmnpqrs'] })

/** A reviewer's reason. */
export const ReviewReason = z.string().max(256).meta({ description: 'Why, for the record', example: 'looks right' })

/** Words that a comma parts, each one of a list. */
export function commaList<T extends string>(words: readonly [T, ...T[]]) {
  const form = new RegExp(`^(?:${words.join('|')})(?:,(?:${words.join('|')}))*$`)
  return z
    .string()
    .regex(form, { error: `must be ${words.join(', ')}, or several of them with commas` })
    .transform((text) => words.filter((word) => text.split(',').includes(word)))
    .meta({ override: { type: 'string', pattern: form.source }, example: words[0] })
}
