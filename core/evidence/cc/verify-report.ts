import type { AttestationKind } from '../../compile/wire/artifacts/capability.ts'
import {
  canonicalJson,
  hashJson,
  isJsonObject,
  type Json,
  type JsonObject,
  type Sha256,
} from '../../kernel/json/json.ts'
import { verifyNitroDocument } from './nitro/verify-nitro.ts'
import { verifyNrasToken } from './nras/verify-nras.ts'
import type { CcRoots } from './roots.ts'
import { fieldsOf, findShapeProblem, type ShapeProblem, SHAPES } from './shapes.ts'
import { verifySnpReport } from './snp/verify-snp.ts'
import type { BytesVerdict, CcState, Expectations } from './verdict.ts'

/** Spec of the verification of confidential computing. */
export const CC_SPEC = 'cc-v1'

/** The outcome of a verification. `verified` is true only after every check. */
export interface CcVerdict {
  readonly kind: string
  readonly state: CcState
  readonly verified: boolean
  /** The verifier of the bytes; null where none looked at them. */
  readonly verifier: string | null
  readonly reason: string
  readonly fieldsChecked: readonly string[]
  readonly reportHash: Sha256
  readonly checks: BytesVerdict['checks']
  readonly decoded?: JsonObject
  readonly problem?: ShapeProblem
}

const VERIFIERS: Readonly<Record<AttestationKind, string | null>> = {
  pccs: null,
  'snp-report': 'amd-sev-snp',
  'nitro-attestation': 'aws-nitro',
  nras: 'nvidia-nras',
}

/** A report with what is expected of it. */
export interface CcRequest {
  readonly kind: string
  readonly report: JsonObject
  readonly expected: Expectations
}

/**
 * Verifies a report: its shape, and its bytes where it has some (`raw`, or the token of `nras`) and the operator pins
 * roots of its kind. Never throws because of what a report holds.
 */
export async function verifyReport(request: CcRequest, roots: CcRoots, now: Date): Promise<CcVerdict> {
  const { kind, report } = request
  const facts = { kind, reportHash: hashJson(report), checks: {}, verified: false }
  if (!isKnown(kind)) return { ...facts, state: 'rejected', verifier: null, reason: 'unknown_kind', fieldsChecked: [] }
  const hasBytes = kind === 'nras' ? isToken(report['attestation_report']) : report['raw'] !== undefined
  const fieldsChecked = fieldsOf(kind, report)
  const problem = findShapeProblem(kind, report, hasBytes && kind !== 'nras' && kind !== 'pccs')
  if (problem !== undefined) {
    return { ...facts, state: 'rejected', verifier: null, reason: problem.reason, fieldsChecked, problem }
  }
  if (kind === 'pccs') {
    return { ...facts, state: 'shape_ok', verifier: null, reason: 'verifier_not_available', fieldsChecked }
  }
  if (!hasBytes) {
    return { ...facts, state: 'shape_ok', verifier: null, reason: 'shape_only_no_crypto_chain', fieldsChecked }
  }
  const verifier = VERIFIERS[kind]
  const verdict = await verifyBytes(kind, request, roots, now)
  if (verdict === undefined)
    return { ...facts, state: 'unverified', verifier, reason: 'no_pinned_roots', fieldsChecked }
  const strange = kind === 'nras' ? undefined : findContradiction(kind, report, verdict.decoded)
  if (strange !== undefined) {
    return { ...facts, state: 'rejected', verifier, reason: `field_mismatch:${strange}`, fieldsChecked }
  }
  return {
    ...facts,
    ...verdict,
    verified: verdict.state === 'cryptographically_verified',
    verifier,
    fieldsChecked,
  }
}

async function verifyBytes(
  kind: Exclude<AttestationKind, 'pccs'>,
  { report, expected }: CcRequest,
  roots: CcRoots,
  now: Date,
): Promise<BytesVerdict | undefined> {
  if (kind === 'nras') return roots.nras && (await verifyNrasToken(report, expected, roots.nras, now))
  const anchors = roots[kind]
  if (anchors === undefined) return undefined
  return kind === 'snp-report'
    ? await verifySnpReport(report, expected, anchors, now)
    : await verifyNitroDocument(report, expected, anchors, now)
}

/** The first field of a report that says something else than its bytes. */
function findContradiction(kind: AttestationKind, report: JsonObject, decoded: JsonObject | undefined) {
  if (decoded === undefined) return undefined
  return Object.keys(SHAPES[kind]).find((field) => {
    const [stated, read] = [report[field], decoded[field]]
    return stated !== undefined && read !== undefined && comparable(stated) !== comparable(read)
  })
}

/** Numbers may be written as texts in any base, and hex digits in either case. */
function comparable(value: Json): string {
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string' && /^(0x[0-9a-f]+|\d{1,20})$/i.test(value)) return BigInt(value).toString()
  if (typeof value === 'string' && /^[0-9a-f]+$/i.test(value)) return value.toLowerCase()
  if (isJsonObject(value)) return canonicalJson(value).toLowerCase()
  return canonicalJson(value)
}

function isKnown(kind: string): kind is AttestationKind {
  return Object.hasOwn(SHAPES, kind)
}

/** A token has three parts; a report in base64 has no dots. */
function isToken(value: Json | undefined): boolean {
  return typeof value === 'string' && value.includes('.')
}
