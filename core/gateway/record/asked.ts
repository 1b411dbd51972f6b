import type { IncomingHttpHeaders } from 'node:http'
import { invalidField } from '../../kernel/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/json/json.ts'
import type { Retention } from './call-record.ts'

/** The form of a namespace's name. */
export const NAMESPACE_NAME = /^[a-z0-9][a-z0-9-]{0,62}$/

/** Members of a body that are ours: no provider gets them. */
const OWN_MEMBERS = ['accelerated', 'namespace', 'corpus_namespace', 'svc_retention', 'retention', 'no_store'] as const
/** Those of them that may stand in `metadata`. */
const OWN_METADATA = ['namespace', 'svc_retention', 'retention', 'no_store'] as const
const OWN: ReadonlySet<string> = new Set(OWN_MEMBERS)
const OWN_IN_METADATA: ReadonlySet<string> = new Set(OWN_METADATA)

/**
 * Returns the namespace that a call names: by the header `x-svc-namespace`, else by `corpus_namespace`, `namespace` or
 * `metadata.namespace` of its body; null when it names none. Throws `validation_failed` for what is no name.
 */
export function namespaceAsked(headers: IncomingHttpHeaders, body: JsonObject): string | null {
  const metadata = metadataOf(body)
  const places: readonly (readonly [field: string, value: Json | string[] | undefined])[] = [
    ['x-svc-namespace', headers['x-svc-namespace']],
    ['corpus_namespace', body['corpus_namespace']],
    ['namespace', body['namespace']],
    ['metadata.namespace', metadata['namespace']],
  ]
  for (const [field, value] of places) {
    if (value === undefined || value === null) continue
    if (typeof value === 'string' && NAMESPACE_NAME.test(value)) return value
    throw invalidField(field, 'must be lower-case letters, digits and dashes, at most 63')
  }
  return null
}

const NO_STORE_HEADERS = ['x-svc-retention', 'x-svc-no-store', 'x-svc-zero-retention'] as const
const NONE: ReadonlySet<Json | undefined> = new Set(['none', 'no-store', 'zero-retention', 'true', '1', true])
const KEPT: ReadonlySet<Json | undefined> = new Set(['kept', 'default', 'false', '0', false])

/**
 * Returns what a call asks to be kept of it: `none` when one of the headers `x-svc-retention`, `x-svc-no-store` and
 * `x-svc-zero-retention`, or `svc_retention`, `retention` or `no_store` in its body or its metadata, says so. Throws
 * `validation_failed` for another word: a misspelled wish to keep nothing must not be kept.
 */
export function retentionAsked(headers: IncomingHttpHeaders, body: JsonObject): Retention {
  const metadata = metadataOf(body)
  const inBody = ['svc_retention', 'retention', 'no_store'] as const
  const said: readonly (readonly [field: string, value: Json | string[] | undefined])[] = [
    ...NO_STORE_HEADERS.map((name) => [name, headers[name]] as const),
    ...inBody.map((name) => [name, body[name]] as const),
    ...inBody.map((name) => [`metadata.${name}`, metadata[name]] as const),
  ]
  let retention: Retention = 'kept'
  for (const [field, value] of said) {
    if (value === undefined || value === null || Array.isArray(value)) continue
    const word = typeof value === 'string' ? value.toLowerCase() : value
    if (NONE.has(word)) retention = 'none'
    else if (!KEPT.has(word))
      throw invalidField(
        field,
        'must be none (also no-store, zero-retention, true or 1), kept (also default, false or 0), or absent',
      )
  }
  return retention
}

/** A body without the members that are ours. */
export function withoutOwnMembers(body: JsonObject): JsonObject {
  const metadata = body['metadata']
  const rest = Object.fromEntries(Object.entries(body).filter(([member]) => !OWN.has(member)))
  if (!isJsonObject(metadata)) return rest
  const passed = Object.fromEntries(Object.entries(metadata).filter(([member]) => !OWN_IN_METADATA.has(member)))
  if (Object.keys(passed).length > 0) return { ...rest, metadata: passed }
  const { metadata: _ours, ...others } = rest
  return others
}

function metadataOf(body: JsonObject): JsonObject {
  const metadata = body['metadata']
  return isJsonObject(metadata) ? metadata : {}
}
