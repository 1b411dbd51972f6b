import { invalidField } from '../../../kernel/errors.ts'
import { fieldPath } from '../../../kernel/json/field-path.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json/json.ts'
import type { Limits } from '../../limits.ts'
import { imageSize } from './image-size.ts'
import { inlineMedia, isCallerData } from './inline-media.ts'
import { isEncoded } from './media-text.ts'

/** Characters of base64 that hold the header of most images: a multiple of four. */
const HEADER_CHARS = 256 * 1024

/**
 * Checks the files inside of a body before a provider gets it. Throws `validation_failed` for one that is no base64, and for
 * an image whose header states more pixels than the limit.
 */
export function checkMedia(body: JsonObject, limits: Pick<Limits, 'gateway_image_pixels'>): void {
  look(body, [], limits)
}

function look(value: Json, path: readonly (string | number)[], limits: Pick<Limits, 'gateway_image_pixels'>): void {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    for (const [i, entry] of (value as readonly Json[]).entries()) {
      if (typeof entry === 'object') look(entry, [...path, i], limits)
    }
    return
  }
  if (!isJsonObject(value)) return
  for (const [name, member] of Object.entries(value)) {
    if (isCallerData(name, value)) continue
    if (typeof member === 'string') checkMember(name, value, { path, limits })
    else look(member, [...path, name], limits)
  }
}

function checkMember(
  name: string,
  owner: JsonObject,
  {
    path,
    limits,
  }: { readonly path: readonly (string | number)[]; readonly limits: Pick<Limits, 'gateway_image_pixels'> },
): void {
  const media = inlineMedia(name, owner)
  if (media === null || !media.isBase64) return
  const field = fieldPath([...path, name], 'body')
  if (!isEncoded(media)) throw invalidField(field, 'must be base64')
  const header = Buffer.from(media.payload.slice(0, HEADER_CHARS), 'base64')
  const isCut = media.payload.length > HEADER_CHARS && header[0] === 0xff && header[1] === 0xd8
  const size = imageSize(header) ?? (isCut ? imageSize(Buffer.from(media.payload, 'base64')) : null)
  if (size === null || size.width * size.height <= limits.gateway_image_pixels) return
  throw invalidField(
    field,
    `is an image of ${size.width} × ${size.height} pixels; send one of at most ${limits.gateway_image_pixels} pixels`,
  )
}
