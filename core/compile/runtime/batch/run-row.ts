import { DomainError } from '../../../kernel/errors.ts'
import { canonicalJson, sha256, type Json, type Sha256 } from '../../../kernel/json/json.ts'
import { RUNTIME_VERSION } from '../../../kernel/version.ts'
import { signRunReceipt, type ReceiptSigner } from '../../../ledger/receipts/run-receipt.ts'
import { MODEL_ERRORS } from '../../../model/errors.ts'
import type { InputRow } from '../../rows/inputs/open-inputs.ts'
import type { RowPlace } from '../../rows/inputs/row-place.ts'
import type { Guard, GuardedResult } from '../guard.ts'
import type { RunResult } from '../recipe.ts'
import { rowError, type RowOutcome } from './row-outcome.ts'

/** Means to run the rows of a batch. */
export interface RowRun {
  readonly guard: Guard
  readonly versionId: string
  readonly artifactHash: Sha256
  /** Keys of a receipt for each row; null where one receipt holds for all. */
  readonly signer: ReceiptSigner | null
  /** Most bytes of one input's canonical form. */
  readonly inputBytes: number
  readonly now: () => Date
}

/** Returns the outcome of a row whose recipe answers at once. */
export function runRow(row: InputRow, answer: (input: Json) => RunResult, run: RowRun): RowOutcome {
  const { value, fault, place } = row
  if (value === undefined) return failed(fault, place)
  try {
    return settle(value, answer(value), run)
  } catch (error) {
    return failed(error, place)
  }
}

/** Returns the outcome of a row whose recipe generates its answer. */
export async function runRowBeside(
  row: InputRow,
  answer: (input: Json) => Promise<RunResult>,
  run: RowRun,
): Promise<RowOutcome> {
  const { value, fault, place } = row
  if (value === undefined) return failed(fault, place)
  try {
    return settle(value, await answer(value), run)
  } catch (error) {
    return failed(error, place)
  }
}

function settle(input: Json, result: RunResult, run: RowRun): RowOutcome {
  const text = canonicalJson(input)
  if (text.length > run.inputBytes) {
    throw MODEL_ERRORS.example_too_large(`the input is longer than ${run.inputBytes} bytes; shorten it`)
  }
  const inputHash = sha256(text)
  const guarded = run.guard(input, result)
  return { kind: 'answer', inputHash, result: guarded, receipt: receiptOf(inputHash, guarded, run) }
}

function receiptOf(inputHash: Sha256, { output }: GuardedResult, run: RowRun): Json | null {
  if (run.signer === null) return null
  const facts = {
    inputHash,
    outputHash: sha256(canonicalJson(output)),
    versionId: run.versionId,
    runtimeVersion: RUNTIME_VERSION,
    issuedAt: run.now(),
    sourceHash: run.artifactHash,
    cacheHit: false,
  }
  return { ...signRunReceipt(facts, run.signer) }
}

/** A fault of the input or of the recipe stays in its row; every other error ends the batch. */
function failed(error: unknown, place: RowPlace): RowOutcome {
  if (!(error instanceof DomainError) || error.facts.status >= 500) throw error
  return { kind: 'error', error: rowError(error, place) }
}
