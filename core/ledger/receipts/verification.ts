import type { DomainError } from '../../kernel/errors.ts'
import { LEDGER_ERRORS } from '../errors.ts'
import { hashJson, isJsonObject, type Json } from '../../kernel/json/json.ts'
import { BatchReceipt } from './batch-receipt.ts'
import { BuildReceipt } from './build-receipt.ts'
import { CompositionReceipt, VerifiedReceipt } from './primitive-receipts.ts'
import { GateReceipt } from './gate-receipt.ts'
import { DriveByReceipt } from './drive-by.ts'
import { RunReceipt } from './run-receipt.ts'

/** The kinds of receipt, distinguished by their fields. */
export type ReceiptKind = 'run' | 'verified-inference' | 'composition' | 'batch' | 'gate' | 'build' | 'drive-by'

/** Codes of a receipt that was not verified. */
type ReceiptErrorCode = keyof typeof LEDGER_ERRORS

/** Result of a receipt's verification. `code` is present exactly when it failed. */
export interface ReceiptVerification {
  readonly verified: boolean
  readonly kind: ReceiptKind | null
  readonly mode?: 'drive-by'
  /** Machine words for the problems; for a verified receipt, notes such as `signing_key_not_published`. */
  readonly reasons: readonly string[]
  readonly code?: ReceiptErrorCode
  /** The checks and their outcomes. */
  readonly checks: Readonly<Record<string, boolean>>
}

/** Values that the caller holds, to be compared with the digests in a run receipt. */
export interface ReceiptValues {
  readonly input?: Json
  readonly output?: Json
}

/** A receipt of a kind we know, in its form. */
export type KnownReceipt =
  | { readonly kind: 'run'; readonly receipt: RunReceipt }
  | { readonly kind: 'verified-inference'; readonly receipt: VerifiedReceipt }
  | { readonly kind: 'composition'; readonly receipt: CompositionReceipt }
  | { readonly kind: 'batch'; readonly receipt: BatchReceipt }
  | { readonly kind: 'gate'; readonly receipt: GateReceipt }
  | { readonly kind: 'build'; readonly receipt: BuildReceipt }
  | { readonly kind: 'drive-by'; readonly receipt: DriveByReceipt }

/** Members and entries of a receipt; the service issues less than a tenth of it. Unknown fields are hashed several times. */
const MOST_PARTS = 500

/** Determines the kind of a receipt by its fields and checks its form. */
export function parseReceipt(value: Json): KnownReceipt | { readonly kind: null; readonly reason: string } {
  if (!isJsonObject(value)) return { kind: null, reason: 'not_an_object' }
  if (partsLeft(value, MOST_PARTS) < 0) return { kind: null, reason: 'too_many_fields' }
  if (value['spec'] === 'rb-1') {
    const { success, data: receipt, error } = BatchReceipt.safeParse(value)
    return success ? { kind: 'batch', receipt } : malformed(error.issues)
  }
  if (value['spec'] === 'svc-gate-1') {
    const { success, data: receipt, error } = GateReceipt.safeParse(value)
    return success ? { kind: 'gate', receipt } : malformed(error.issues)
  }
  if (value['primitive'] === 'verified-inference') {
    const { success, data: receipt, error } = VerifiedReceipt.safeParse(value)
    return success ? { kind: 'verified-inference', receipt } : malformed(error.issues)
  }
  if (value['primitive'] === 'composition') {
    const { success, data: receipt, error } = CompositionReceipt.safeParse(value)
    return success ? { kind: 'composition', receipt } : malformed(error.issues)
  }
  if (Object.hasOwn(value, 'spec')) {
    const { success, data: receipt, error } = RunReceipt.safeParse(value)
    return success ? { kind: 'run', receipt } : malformed(error.issues)
  }
  if (Object.hasOwn(value, 'receipt_id')) {
    const { success, data: receipt, error } = BuildReceipt.safeParse(value)
    return success ? { kind: 'build', receipt } : malformed(error.issues)
  }
  const { success, data: receipt, error } = DriveByReceipt.safeParse(value)
  return success ? { kind: 'drive-by', receipt } : malformed(error.issues)
}

/** Compares the caller's values with the digests of a receipt that has some; the reasons where they differ. */
export function compareValues(
  parsed: KnownReceipt,
  values: ReceiptValues,
): { readonly checks: Record<string, boolean>; readonly reasons: string[] } {
  const checks: Record<string, boolean> = {}
  if (parsed.kind === 'run' || parsed.kind === 'verified-inference' || parsed.kind === 'composition') {
    const { receipt } = parsed
    if (values.input !== undefined) checks['input_match'] = hashJson(values.input) === receipt.input_hash
    if (values.output !== undefined) checks['output_match'] = hashJson(values.output) === receipt.output_hash
  }
  const failed = Object.keys(checks).filter((name) => checks[name] === false)
  return { checks, reasons: failed.map((name) => `${name}_failed`) }
}

/** The verdict of the checks: verified when there is no reason against it. */
export function conclude(
  kind: ReceiptKind,
  found: {
    readonly reasons: readonly string[]
    readonly notes: readonly string[]
    readonly checks: Record<string, boolean>
  },
): ReceiptVerification {
  const facts = { kind, checks: found.checks, ...modeOf(kind) }
  if (found.reasons.length === 0) return { verified: true, ...facts, reasons: found.notes }
  return { verified: false, ...facts, reasons: found.reasons, code: 'signature_mismatch' }
}

/** The verdict on a receipt that was not worth checking. */
export function refuseReceipt(kind: ReceiptKind | null, code: ReceiptErrorCode, reason: string): ReceiptVerification {
  return { verified: false, kind, reasons: [reason], code, checks: {}, ...modeOf(kind) }
}

/** The error that an unverified receipt answers with: its code, and the verdict in `details`. */
export function receiptError(result: ReceiptVerification): DomainError {
  const { code, reasons, kind, checks } = result
  if (code === undefined) throw new TypeError('a verified receipt is no error')
  return LEDGER_ERRORS[code](`receipt is not verified: ${reasons.join(', ')}`, {
    details: { verified: false, reasons, kind, checks },
  })
}

/** Subtracts the parts of a value from `parts`; returns a number below 0 as soon as it has more. */
function partsLeft(value: Json, parts: number): number {
  if (typeof value !== 'object' || value === null) return parts
  let left = parts - Object.keys(value).length
  for (const part of left < 0 ? [] : Object.values(value)) {
    left = partsLeft(part, left)
    if (left < 0) break
  }
  return left
}

function modeOf(kind: ReceiptKind | null): { mode?: 'drive-by' } {
  return kind === 'drive-by' ? { mode: kind } : {}
}

function malformed(issues: readonly { readonly path: readonly PropertyKey[] }[]): { kind: null; reason: string } {
  return { kind: null, reason: `malformed_field:${issues[0]?.path.map(String).join('.').slice(0, 100) ?? ''}` }
}
