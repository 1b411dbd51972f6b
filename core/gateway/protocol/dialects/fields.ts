import { z } from 'zod'
import { invalidField, KERNEL_ERRORS } from '../../../kernel/errors.ts'
import { newId } from '../../../kernel/ids.ts'
import { fieldPath } from '../../../kernel/json/field-path.ts'
import { MOST_INNER_DEPTH, nestsTooDeep, valueIn } from '../../../kernel/json/json-text.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json/json.ts'
import { GATEWAY_ERRORS } from '../../errors.ts'
import { ProviderError } from '../../providers/provider-error.ts'
import type { AnswerPart } from '../exchange/answer.ts'
import {
  PDF,
  type AudioPart,
  type FilePart,
  type ImagePart,
  type SaidPart,
  type TextPart,
} from '../exchange/request.ts'
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

/** Members of a body that are not translated. */
export interface Untranslated {
  /** Members that no other dialect needs: they describe the call, or concern its provider alone. */
  readonly hints: ReadonlySet<string>
  /** Members that change the answer, with the values that ask for nothing; null, `{}` and `[]` ask for nothing in all. */
  readonly refused: Readonly<Record<string, readonly Json[]>>
}

/** Paths of the members of a body that its dialect does not read. */
export interface Unread {
  /** Members that are not known: those of newer SDKs, which must not fail a call. */
  readonly leftOut: readonly string[]
  /** Members that are known, ask for something and have no counterpart: a call that is translated is refused for them. */
  readonly refused: readonly string[]
}

/**
 * The caller's body as its dialect reads it, and what of it is not read. Throws `validation_failed` that names every wrong
 * field.
 */
export function readCaller<T>(
  schema: z.ZodObject & z.ZodType<T>,
  body: JsonObject,
  untranslated: Untranslated,
): { readonly read: T } & Unread {
  const parsed = schema.safeParse(body)
  if (parsed.success) return { read: parsed.data, ...unreadIn(body, Object.keys(schema.shape), untranslated) }
  const fields = parsed.error.issues.slice(0, 10).map(({ path, message }) => {
    return { field: fieldPath(path, 'body'), message }
  })
  const summary = fields.slice(0, 3).map(({ field, message }) => `${field}: ${message}`)
  throw KERNEL_ERRORS.validation_failed(summary.join('; '), { details: { fields } })
}

/** Returns the paths of the members of an object, after `path`, that are not read. */
export function unreadIn(
  body: JsonObject,
  read: readonly string[],
  { hints, refused }: Untranslated,
  path = '',
): Unread {
  const unread = Object.entries(body).filter(
    ([name, value]) => !read.includes(name) && !hints.has(name) && value !== null,
  )
  const isKnown = ([name]: readonly [string, Json]) => Object.hasOwn(refused, name)
  const asks = ([name, value]: readonly [string, Json]) => {
    const isEmpty = typeof value === 'object' && Object.keys(value ?? {}).length === 0
    return !isEmpty && refused[name]?.includes(value) !== true
  }
  const paths = (members: readonly (readonly [string, Json])[]) => members.map(([name]) => `${path}${name}`)
  return {
    leftOut: paths(unread.filter((member) => !isKnown(member))),
    refused: paths(unread.filter((member) => isKnown(member) && asks(member))),
  }
}

/** Throws `not_translatable`: a field that has no counterpart in the dialect of the provider. */
export function refuseField(field: string, message: string): never {
  throw invalidField(field, message, GATEWAY_ERRORS.not_translatable)
}

/**
 * The arguments of a tool in a request, for a dialect in which they are an object. Throws `not_translatable` for those that nest
 * too deep.
 */
export function sentArguments({ name, arguments: text }: ToolCallPart): JsonObject {
  if (nestsTooDeep(text)) refuseField('messages', `${deepArguments(name)}; flatten them`)
  return objectIn(text)
}

/** The same in an answer. Throws `ProviderError` `untranslatable`. */
export function answeredArguments({ name, arguments: text }: ToolCallPart): JsonObject {
  if (nestsTooDeep(text)) throw new ProviderError('untranslatable', deepArguments(name))
  return objectIn(text)
}

type ToolCallPart = Pick<Extract<AnswerPart, { readonly kind: 'tool_call' }>, 'name' | 'arguments'>

function deepArguments(name: string): string {
  return `the arguments of the tool ${name} nest deeper than ${MOST_INNER_DEPTH} levels`
}

/** The JSON object in a text; another value under `value`, and a text that is no JSON, or nests too deep, under `text`. */
export function objectIn(text: string): JsonObject {
  if (text.trim() === '') return {}
  const value = valueIn(text)
  if (value === undefined) return { text }
  return isJsonObject(value) ? value : { value }
}

/**
 * The id of a call to which its provider gave none: it differs from answer to answer, at the length that OpenAI takes. It
 * is random where the answer has no id either.
 */
export function unnamedCall(answerId: string, place: number): string {
  const answer = answerId.replace(/[^\w-]/g, '') || newId('inf')
  return `call_${answer.slice(-24)}_${place}`
}

/** An image given as bytes. Throws `validation_failed` for what is no base64. */
export function imageData(mediaType: string, given: string, field: string): ImagePart {
  const base64 = plainBase64(given)
  if (base64 === null) throw invalidField(field, 'must be base64')
  return { kind: 'image', image: { kind: 'data', mediaType, base64 } }
}

/**
 * A document given as base64 or as a data URL. Throws `validation_failed` for what is neither, and `not_translatable` for a
 * document that is no PDF.
 */
export function fileData(
  given: string,
  {
    field,
    mediaType,
    name,
  }: { readonly field: string; readonly mediaType?: string; readonly name?: string | undefined },
): FilePart {
  const media = readUri(given)
  const base64 = plainBase64(media === null ? given : media.payload)
  if (base64 === null || media?.isBase64 === false) throw invalidField(field, 'must be base64, or a base64 data URL')
  const mime = media?.mime ?? mediaType ?? (base64.startsWith(PDF_BEGINS) ? PDF : '')
  if (mime !== PDF) refuseField(field, 'only PDF documents are translated for this provider')
  return { kind: 'file', mediaType: PDF, base64, field, ...(name !== undefined && { name }) }
}

/** The parts of a tool's result. Throws `not_translatable` for files and sounds. */
export function resultOf(parts: readonly SaidPart[]): readonly (TextPart | ImagePart)[] {
  return parts.map((part) =>
    part.kind === 'file' || part.kind === 'audio'
      ? refuseField(part.field, 'is not translated in the result of a tool')
      : part,
  )
}

/** The first characters of each PDF in base64. */
const PDF_BEGINS = 'JVBERi'
/** The media types of the forms of sounds that OpenAI takes. */
const SOUNDS: Readonly<Record<string, string>> = { wav: 'audio/wav', mp3: 'audio/mpeg' }

/** A sound given as base64, by its media type or by OpenAI's word for it. Throws `validation_failed` for what is no base64. */
export function audioData(kind: string, given: string, field: string): AudioPart {
  const base64 = plainBase64(given)
  if (base64 === null) throw invalidField(field, 'must be base64')
  return { kind: 'audio', mediaType: SOUNDS[kind] ?? kind, base64, field }
}

/** An image, a sound or a document by its media type. Throws as `imageData` and `fileData`. */
export function inlinePart(mediaType: string, given: string, field: string): ImagePart | AudioPart | FilePart {
  if (mediaType.startsWith('image/')) return imageData(mediaType, given, field)
  if (mediaType.startsWith('audio/')) return audioData(mediaType, given, field)
  return fileData(given, { field, mediaType })
}

/** OpenAI's word for the form of a sound. Throws `not_translatable` for another one. */
export function soundForm({ mediaType, field }: AudioPart): string {
  const plain = mediaType
    .toLowerCase()
    .replace(/^audio\/(x-wav|wave)$/, 'audio/wav')
    .replace(/^audio\/mp3$/, 'audio/mpeg')
  const form = Object.keys(SOUNDS).find((word) => SOUNDS[word] === plain)
  return form ?? refuseField(field, 'only wav and mp3 are translated for this provider')
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
