import { z } from 'zod'
import { invalidField, KERNEL_ERRORS } from '../../../kernel/errors.ts'
import { fieldPath } from '../../../kernel/json/field-path.ts'
import { valueIn } from '../../../kernel/json/json-text.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json/json.ts'
import { GATEWAY_ERRORS } from '../../errors.ts'
import type { ImagePart } from '../exchange/request.ts'
import { plainBase64 } from '../media/base64.ts'
import { readUri } from '../media/inline-media.ts'

/** A number of tokens. */
export const Count = z.number().nonnegative()
/** A text that a provider may leave out or send as null. */
export const Text = z
  .string()
  .nullish()
  .transform((text) => text ?? '')
/** Any JSON object. */
export const AnyObject = z.custom<JsonObject>((value) => isJsonObject(value as Json), { error: 'must be an object' })
/** Any JSON value. */
export const AnyJson = z.custom<Json>()

/** The caller's body as its dialect reads it. Throws `validation_failed` that names every wrong field. */
export function readCaller<T>(schema: z.ZodType<T>, body: JsonObject): T {
  const parsed = schema.safeParse(body)
  if (parsed.success) return parsed.data
  const fields = parsed.error.issues.slice(0, 10).map(({ path, message }) => {
    return { field: fieldPath(path, 'body'), message }
  })
  const summary = fields.slice(0, 3).map(({ field, message }) => `${field}: ${message}`)
  throw KERNEL_ERRORS.validation_failed(summary.join('; '), { details: { fields } })
}

/** Throws `not_translatable`: a field that has no counterpart in the dialect of the provider. */
export function refuseField(field: string, message: string): never {
  throw invalidField(field, message, GATEWAY_ERRORS.not_translatable)
}

/** The JSON object in a text; another value under `value`, and a text that is no JSON, or nests too deep, under `text`. */
export function objectIn(text: string): JsonObject {
  if (text.trim() === '') return {}
  const value = valueIn(text)
  if (value === undefined) return { text }
  return isJsonObject(value) ? value : { value }
}

/** An image given as bytes. Throws `validation_failed` for what is no base64. */
export function imageData(mediaType: string, given: string, field: string): ImagePart {
  const base64 = plainBase64(given)
  if (base64 === null) throw invalidField(field, 'must be base64')
  return { kind: 'image', image: { kind: 'data', mediaType, base64 } }
}

/** An image by its address, which may be a data URL. */
export function imageUrl(url: string, field: string): ImagePart {
  const media = readUri(url)
  if (media?.isBase64 === true && MEDIA_TYPE.test(media.mime)) return imageData(media.mime, media.payload, field)
  if (!/^https?:\/\//i.test(url)) throw invalidField(field, 'must be an http(s) address or a base64 data URL')
  return { kind: 'image', image: { kind: 'url', url } }
}

const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+$/

/** The address of an image: its own, or a data URL. */
export function urlOfImage({ image }: ImagePart): string {
  return image.kind === 'url' ? image.url : `data:${image.mediaType};base64,${image.base64}`
}
