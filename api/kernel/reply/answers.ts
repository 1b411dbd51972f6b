import type { z } from 'zod'

/** An answer in JSON. An enveloped one carries `ok` and `request_id` beside the fields of its schema. */
export interface JsonAnswer<T extends z.ZodObject = z.ZodObject> {
  readonly kind: 'json'
  readonly schema: T
  readonly isEnveloped: boolean
  readonly description: string
  /** The media type that the same facts come in when the caller asks for it. */
  readonly orMediaType?: string
  /** True when the handler writes the text itself, because it is too long to be held. */
  readonly isStreamed?: boolean
}

/** An answer that is not JSON: bytes of a media type, or a stream of events. */
export interface RawAnswer {
  readonly kind: 'raw'
  readonly mediaType: string
  readonly description: string
  /** The schema of the bytes, where they are JSON; the kernel does not check it. */
  readonly schema?: z.ZodObject
  /** Other media types that the handler may answer with, by its own `Content-Type`. */
  readonly orMediaTypes?: readonly string[]
}

/** A success envelope: the fields of the schema, and `ok: true` and `request_id`, which the kernel adds. */
export function envelope<T extends z.ZodObject>(description: string, schema: T): JsonAnswer<T> {
  return { kind: 'json', schema, isEnveloped: true, description }
}

/** A success envelope, or bytes of another media type: the handler answers as the caller asked. */
export function envelopeOr<T extends z.ZodObject>(
  description: string,
  schema: T,
  orMediaType: string,
): JsonAnswer<T> & { readonly orMediaType: string } {
  return { kind: 'json', schema, isEnveloped: true, description, orMediaType }
}

/**
 * A success envelope that the handler writes as a stream, `ok` and `request_id` with it: for answers that are too long to
 * be held. The kernel does not check it.
 */
export function streamedEnvelope<T extends z.ZodObject>(
  description: string,
  schema: T,
): JsonAnswer<T> & { readonly isStreamed: true } {
  return { kind: 'json', schema, isEnveloped: true, description, isStreamed: true }
}

/** A bare JSON document, with the fields of the schema and nothing else. */
export function bareDocument<T extends z.ZodObject>(description: string, schema: T): JsonAnswer<T> {
  return { kind: 'json', schema, isEnveloped: false, description }
}

/** A JSON document that the handler writes byte by byte. The kernel does not check it. */
export function rawDocument(description: string, schema: z.ZodObject, orMediaType?: string): RawAnswer {
  const mediaType = 'application/json; charset=utf-8'
  return {
    kind: 'raw',
    mediaType,
    description,
    schema,
    ...(orMediaType !== undefined && { orMediaTypes: [orMediaType] }),
  }
}

/** A bare JSON document, or bytes of another media type: the handler answers as the caller asked. */
export function bareDocumentOr<T extends z.ZodObject>(
  description: string,
  schema: T,
  orMediaType: string,
): JsonAnswer<T> & { readonly orMediaType: string } {
  return { kind: 'json', schema, isEnveloped: false, description, orMediaType }
}

/** An answer of another media type, or of one of several: the handler names it. */
export function rawAnswer(description: string, mediaType: string, ...orMediaTypes: readonly string[]): RawAnswer {
  return { kind: 'raw', mediaType, description, orMediaTypes }
}
