import { hashJson, isJsonObject, type Json, type JsonObject, type Sha256 } from '../../kernel/json/json.ts'
import { CHANNEL_FAMILIES, DIRECTIONS } from './catalog.ts'
import { redactionResult } from './redaction/marks.ts'
import { applyRedactionMap, isClassName } from './redaction/redaction-map.ts'
import { redact } from './redaction/redact.ts'
import type { SchemaVerdict } from './schema/check-schema.ts'

/** Version of the report on a manifest. */
export const VALIDATION_VERSION = 'svc-adapter-manifest-validation-1'

/** An adapter's description of itself, in the field names of this service. */
export interface AdapterManifestFields {
  readonly adapter_id: string
  readonly adapter_version: string
  readonly channel_family: string
  readonly direction: string
  readonly input_schema: JsonObject
  readonly output_schema: JsonObject
  readonly redaction_map: JsonObject
  readonly egress_destinations: readonly string[]
  readonly test_fixture: Json
}

/** One thing that is wrong with a manifest. */
export interface ManifestProblem {
  readonly field: string
  readonly message: string
}

/** Result of a manifest's validation. `manifest` is null when it is invalid. */
export interface ManifestReport {
  readonly manifest: AdapterManifestFields | null
  /** Hash of the manifest as stored, so that redacted fixture content cannot be guessed from it. */
  readonly hash: Sha256
  readonly problems: readonly ManifestProblem[]
  readonly required: { readonly present: readonly string[]; readonly missing: readonly string[] }
  readonly fixture: { readonly result: string; readonly classes: readonly string[]; readonly redacted: Json }
}

/** Names that other manifests use for the same. */
const ALIASES = {
  adapter_id: ['id', 'name'],
  adapter_version: ['version'],
  channel_family: ['channel', 'protocol'],
  direction: [],
  input_schema: ['schema'],
  redaction_map: ['redaction'],
  egress_destinations: ['destinations'],
  test_fixture: ['fixture'],
} as const
type RequiredField = keyof typeof ALIASES
const REQUIRED: readonly RequiredField[] = [
  'adapter_id',
  'adapter_version',
  'channel_family',
  'direction',
  'input_schema',
  'redaction_map',
  'egress_destinations',
  'test_fixture',
]
const MOST_DESTINATIONS = 12

/**
 * Checks an adapter's manifest: every field is present, the schemas compile, the fixture fits the input schema, and no
 * sensitive content is left in the fixture after the redaction map. Throws `busy`.
 */
export async function validateManifest(
  given: JsonObject,
  checkSchema: (schema: JsonObject, value: Json) => Promise<SchemaVerdict>,
): Promise<ManifestReport> {
  const found = new Map(REQUIRED.map((field) => [field, valueOf(given, field)]))
  const missing = REQUIRED.filter((field) => isAbsent(found.get(field)))
  const problems: ManifestProblem[] = missing.map((field) => ({ field, message: 'is required' }))
  const wrong = (field: string, message: string): void => void problems.push({ field, message })

  const text = (field: RequiredField, pattern: RegExp, message: string): string => {
    const value = found.get(field)
    if (typeof value === 'string' && pattern.test(value)) return value
    if (!missing.includes(field)) wrong(field, message)
    return ''
  }
  const object = (field: RequiredField): JsonObject => {
    const value = found.get(field)
    if (isJsonObject(value)) return value
    if (!missing.includes(field)) wrong(field, 'must be an object')
    return {}
  }

  const adapterId = text('adapter_id', /^[\w.-]{1,100}$/, 'must be letters, digits, dots and dashes')
  const version = text('adapter_version', /^[\w.+-]{1,50}$/, 'must be a version')
  const channel = text('channel_family', oneOf(CHANNEL_FAMILIES), `must be one of ${CHANNEL_FAMILIES.join(', ')}`)
  const direction = text('direction', oneOf(DIRECTIONS), `must be one of ${DIRECTIONS.join(', ')}`)
  const inputSchema = object('input_schema')
  const redactionMap = object('redaction_map')
  const outputSchema = isJsonObject(given['output_schema']) ? given['output_schema'] : {}
  const destinations = destinationsOf(found.get('egress_destinations'))
  if (destinations === null && !missing.includes('egress_destinations')) {
    wrong('egress_destinations', `must be at most ${MOST_DESTINATIONS} names`)
  }

  const fixture = found.get('test_fixture') ?? null
  const [input, output] = await Promise.all([checkSchema(inputSchema, fixture), checkSchema(outputSchema, null)])
  if (input.problem !== null) wrong('input_schema', input.problem)
  else if (!missing.includes('test_fixture')) {
    for (const message of input.mismatches) wrong('test_fixture', message)
  }
  if (output.problem !== null) wrong('output_schema', output.problem)

  for (const [field, kind] of Object.entries(redactionMap)) {
    if (!isClassName(kind)) wrong(`redaction_map.${field}`, 'must be a class, a short word')
  }
  const mapped = applyRedactionMap(fixture, redactionMap)
  const left = redact(mapped.value)
  if (left.classes.length > 0) {
    wrong('redaction_map', `leaves ${left.classes.join(', ')} in the fixture`)
  }
  const classes = [...mapped.classes, ...left.classes].toSorted()
  const manifest: AdapterManifestFields = {
    adapter_id: adapterId,
    adapter_version: version,
    channel_family: channel,
    direction,
    input_schema: inputSchema,
    output_schema: outputSchema,
    redaction_map: redactionMap,
    egress_destinations: destinations ?? [],
    test_fixture: left.value,
  }
  return {
    manifest: problems.length > 0 ? null : manifest,
    hash: hashJson({ ...manifest }),
    problems,
    required: { present: REQUIRED.filter((field) => !missing.includes(field)), missing },
    fixture: { result: redactionResult(classes), classes, redacted: left.value },
  }
}

function valueOf(given: JsonObject, field: RequiredField): Json | undefined {
  const name = [field, ...ALIASES[field]].find((candidate) => !isAbsent(given[candidate]))
  return name === undefined ? undefined : given[name]
}

function isAbsent(value: Json | undefined): boolean {
  return value === undefined || value === null || value === ''
}

function oneOf(names: readonly string[]): RegExp {
  return new RegExp(`^(?:${names.map((name) => name.replace('+', '\\+')).join('|')})$`)
}

function destinationsOf(value: Json | undefined): readonly string[] | null {
  if (!Array.isArray(value) || value.length > MOST_DESTINATIONS) return null
  const names = value.filter((name) => typeof name === 'string' && /^[\w.-]{1,100}$/.test(name))
  return names.length === value.length ? names : null
}
