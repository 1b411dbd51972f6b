import type { Readable } from 'node:stream'

/** Bytes of an answer: all at once, or as they come. */
export type RawBody =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array | string }
  | {
      readonly kind: 'stream'
      readonly stream: Readable
      readonly lengthBytes?: number
      /** Returns headers that follow the body, once the stream has ended (RFC 9110, 6.5). */
      readonly trailers?: () => Readonly<Record<string, string>>
    }
  | { readonly kind: 'empty' }

/** The answer of a handler, without its static types. */
export interface RawReply {
  readonly status: number
  readonly body?: unknown
  readonly raw?: RawBody
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
}
