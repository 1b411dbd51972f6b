import type { AttestationKind } from '../../compile/wire/artifacts/capability.ts'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/json/json.ts'

/** Type of a field: `hexN` is N hex digits, `integer` also a text such as `0x30000`, `bytes?` base64, hex or null. */
export type FieldType = `hex${number}` | 'integer' | 'text' | 'list' | 'map' | 'bytes?'

/** The fields of each kind of report. All of them are required where the report has no bytes to verify. */
export const SHAPES: Readonly<Record<AttestationKind, Readonly<Record<string, FieldType>>>> = {
  pccs: {
    quote: 'text',
    tee_type: 'text',
    tcb_evaluation_data_number: 'integer',
    mr_td: 'hex96',
    mr_seam: 'hex96',
    rtmr0: 'hex96',
    rtmr1: 'hex96',
    rtmr2: 'hex96',
    rtmr3: 'hex96',
    report_data: 'hex128',
  },
  'snp-report': {
    version: 'integer',
    guest_svn: 'integer',
    policy: 'integer',
    family_id: 'hex32',
    image_id: 'hex32',
    measurement: 'hex96',
    host_data: 'hex64',
    id_key_digest: 'hex96',
    author_key_digest: 'hex96',
    report_data: 'hex128',
    chip_id: 'hex128',
    signature: 'text',
  },
  'nitro-attestation': {
    module_id: 'text',
    timestamp: 'integer',
    digest: 'text',
    pcrs: 'map',
    certificate: 'text',
    cabundle: 'list',
    public_key: 'bytes?',
    user_data: 'bytes?',
    nonce: 'bytes?',
  },
  nras: {
    gpu_id: 'text',
    driver_version: 'text',
    vbios_version: 'text',
    attestation_report: 'text',
    cert_chain: 'list',
    nonce: 'text',
  },
}

/** The first problem of a report's shape. */
export type ShapeProblem =
  | { readonly reason: 'missing_fields'; readonly missing: readonly string[] }
  | { readonly reason: 'bad_field_type'; readonly field: string; readonly expected: FieldType }

/**
 * Checks the fields of a report: each that is there has its type and, unless `isPartial`, all are there. Undefined for a
 * report in its shape.
 */
export function findShapeProblem(
  kind: AttestationKind,
  report: JsonObject,
  isPartial: boolean,
): ShapeProblem | undefined {
  const shape = Object.entries(SHAPES[kind])
  const missing = shape.map(([name]) => name).filter((name) => !Object.hasOwn(report, name))
  if (!isPartial && missing.length > 0) return { reason: 'missing_fields', missing }
  for (const [field, expected] of shape) {
    if (Object.hasOwn(report, field) && !hasType(report[field], expected)) {
      return { reason: 'bad_field_type', field, expected }
    }
  }
  return undefined
}

/** Returns the fields of the shape that a report has, in the order of the shape. */
export function fieldsOf(kind: AttestationKind, report: JsonObject): readonly string[] {
  return Object.keys(SHAPES[kind]).filter((name) => Object.hasOwn(report, name))
}

function hasType(value: Json | undefined, type: FieldType): boolean {
  switch (type) {
    case 'integer':
      return (
        (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) ||
        (typeof value === 'string' && /^(0x[0-9a-f]{1,16}|\d{1,20})$/i.test(value))
      )
    case 'text':
      return typeof value === 'string' && value !== ''
    case 'list':
      return Array.isArray(value)
    case 'map':
      return isJsonObject(value)
    case 'bytes?':
      return value === null || typeof value === 'string'
    default:
      return typeof value === 'string' && new RegExp(`^[0-9a-f]{${type.slice('hex'.length)}}$`, 'i').test(value)
  }
}
