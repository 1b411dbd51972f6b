import { BILLING_ERRORS } from '../../../../core/billing/errors.ts'
import { createRowWriter, type RowWriter } from '../../../../core/compile/runtime/batch/render-rows.ts'
import {
  appendLeaves,
  countRows,
  rowsFor,
  type Chunk,
  type RowCounts,
} from '../../../../core/compile/runtime/batch/chunk.ts'
import { DomainError } from '../../../../core/kernel/errors.ts'
import { RUNTIME_VERSION } from '../../../../core/kernel/version.ts'
import { MerkleFrontier } from '../../../../core/ledger/merkle/frontier.ts'
import { signBatchReceipt, type BatchReceipt } from '../../../../core/ledger/receipts/batch-receipt.ts'
import type { ReceiptSigner } from '../../../../core/ledger/receipts/run-receipt.ts'
import { chargedTo } from '../../../../db/billing/usage/charged-to.ts'
import { getBatch } from '../../../../db/compile/batches/find-batch.ts'
import { endBatch, settleRows, unitsLeft, type SettlingStream } from '../../../../db/compile/batches/settle-rows.ts'
import { markBefore, withMark, type TreeMark } from '../../../../db/compile/batches/tree-marks.ts'
import { boundsOf } from '../../../../db/kernel/namespaces/bounds.ts'
import { createGeneration, type Generation } from './generate-rows.ts'
import type { BatchCall, BatchSession } from './open-session.ts'
import { presentBatch } from './present-batch.ts'

/** Cost of the rows of a chunk that a base generated. */
interface ChunkCost {
  readonly promptTokens: number
  readonly newTokens: number
  readonly generationMs: number
}

const NO_COST: ChunkCost = { promptTokens: 0, newTokens: 0, generationMs: 0 }

/**
 * Yields the bytes of a batch: each chunk of rows once it is charged and recorded as settled, so that a caller who lost
 * its connection continues without a lost row and without a second charge. What stops the batch stands in the place of the
 * row that it stopped at. Throws when the caller left, the process drains, or another call continues the batch.
 */
export async function* streamRows(
  call: BatchCall,
  session: BatchSession,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array | string> {
  const state = await StreamState.open(call, session)
  if (session.fromRow === 1 && state.writer.head !== '') yield state.writer.head
  for await (const report of session.run.start(state.start)) {
    signal.throwIfAborted()
    const { chunk, cost } =
      report.kind === 'chunk' ? { chunk: report.chunk, cost: NO_COST } : await state.generate(report.rows, signal)
    const refusal = await state.refusal()
    const settled = refusal === null ? await state.settle(chunk, cost) : { rows: 0, stop: refusal }
    const end = settled.rows === 0 ? 0 : (chunk.ends[settled.rows - 1] ?? 0)
    if (end > 0) yield chunk.bytes.subarray(0, end)
    if (settled.stop === null) continue
    yield await state.stop(settled.stop)
    return
  }
  const last = await state.finish()
  if (last !== null) yield last
}

/** State of a stream and of its batch. */
class StreamState {
  readonly writer: RowWriter
  readonly start
  readonly #call: BatchCall
  readonly #session: BatchSession
  readonly #stream: SettlingStream
  readonly #signer: ReceiptSigner
  readonly #generation: Generation
  #marks: readonly TreeMark[]
  #tree: MerkleFrontier
  #settledRows: number

  private constructor(call: BatchCall, session: BatchSession, signer: ReceiptSigner) {
    const { batch, recipe, run, fromRow } = session
    const { columns, delimiter } = run.facts
    const hasReceipts = batch.receipts === 'rows'
    const mark = hasReceipts ? { rows: fromRow - 1, tree: '' } : markBefore(batch.marks, fromRow - 1)
    this.#call = call
    this.#session = session
    this.#signer = signer
    this.#stream = {
      batchId: batch.id,
      epoch: batch.epoch,
      payer: call.principal,
      chargedTo: chargedTo(call.principal),
      limits: call.services.limits,
    }
    this.#marks = batch.marks
    this.#tree = hasReceipts ? new MerkleFrontier() : MerkleFrontier.restore(mark.rows, mark.tree)
    this.#settledRows = batch.settledRows
    this.writer = createRowWriter(batch.format, { columns, delimiter: delimiter ?? ',' }, hasReceipts)
    this.start = {
      format: batch.format,
      skippedRows: mark.rows,
      unsentRows: fromRow - 1,
      versionId: batch.versionId,
      artifactHash: recipe.artifactHash,
      signer: hasReceipts ? signer : null,
    }
    this.#position = mark.rows
    this.#generation = createGeneration(call.services, recipe, this.writer, this.start)
  }

  /** Rows that were streamed or skipped so far. */
  #position: number

  static async open(call: BatchCall, session: BatchSession): Promise<StreamState> {
    const { services, op } = call
    const macKey = await services.receiptSecrets.current(op.tenantId)
    return new StreamState(call, session, { macKey, signingKey: services.signingKeys.current })
  }

  async generate(...[rows, signal]: Parameters<Generation>): ReturnType<Generation> {
    return await this.#generation(rows, signal)
  }

  /** The error that ends a batch whose version may not be run any more. */
  async refusal(): Promise<DomainError | null> {
    const { services, op, principal } = this.#call
    try {
      await services.recipes.load(op.tenantId, { versionId: this.#session.batch.versionId }, boundsOf(principal))
      return null
    } catch (error) {
      if (error instanceof DomainError && error.facts.status < 500) return error
      throw error
    }
  }

  /** Settles a chunk, or as many of its rows as there are units for. Returns how many rows may be sent. */
  async settle(chunk: Chunk, cost: ChunkCost): Promise<{ readonly rows: number; readonly stop: DomainError | null }> {
    const known = Math.min(Math.max(this.#settledRows - this.#position, 0), chunk.rows)
    const before = this.#tree.save()
    const position = this.#position
    let rows = chunk.rows
    let stop: DomainError | null = null
    for (;;) {
      this.#advance(chunk, rows, { position, before })
      if (rows <= known) return { rows, stop }
      try {
        await this.#charge(chunk, known, rows, cost)
        return { rows, stop }
      } catch (error) {
        if (!BILLING_ERRORS.quota_exhausted.matches(error)) throw error
        stop = error
        const perRow = this.#stream.limits.quota_units_per_run
        const charges = Math.floor((await unitsLeft(this.#call.op, this.#stream)) / perRow)
        rows = Math.min(rows - 1, known + rowsFor(chunk, known, charges))
      }
    }
  }

  async stop({ code, message }: DomainError): Promise<string> {
    await endBatch(this.#call.op, this.#stream, { stopCode: code })
    return this.writer.stopped(this.#position + 1, { code, message })
  }

  /** Ends the batch. Returns the last line of JSON lines, which holds its figures and the receipt. */
  async finish(): Promise<string | null> {
    const { op } = this.#call
    const { batch } = this.#session
    if (batch.state !== 'done') {
      await endBatch(op, this.#stream, { receipt: batch.receipts === 'rows' ? null : this.#receipt() })
    }
    if (batch.format === 'csv') return null
    return `${JSON.stringify({ batch: presentBatch(await getBatch(op, batch.id)) })}\n`
  }

  #advance(chunk: Chunk, rows: number, from: { readonly position: number; readonly before: string }): void {
    this.#position = from.position + rows
    if (this.#session.batch.receipts === 'rows') return
    this.#tree = MerkleFrontier.restore(from.position, from.before)
    appendLeaves(this.#tree, chunk, rows)
  }

  async #charge(chunk: Chunk, known: number, rows: number, cost: ChunkCost): Promise<void> {
    const { op } = this.#call
    const { batch } = this.#session
    const counts = countRows(chunk, known, rows)
    const calls = counts.answered + counts.abstained
    const latencyUs = Math.round((chunk.latencyUs * (rows - known)) / chunk.rows)
    const marks =
      batch.receipts === 'rows' ? [] : withMark(this.#marks, { rows: this.#position, tree: this.#tree.save() })
    await settleRows(op, this.#stream, {
      rowsBefore: this.#settledRows,
      settledRows: this.#position,
      counts,
      units: calls * this.#stream.limits.quota_units_per_run,
      marks,
      latencyUs,
      promptTokens: cost.promptTokens,
      newTokens: cost.newTokens,
    })
    this.#marks = marks
    this.#settledRows = this.#position
    this.#record(counts, latencyUs, cost)
  }

  #record({ answered, abstained, errors }: RowCounts, latencyUs: number, cost: ChunkCost): void {
    const { services, op } = this.#call
    const { conceptId, versionId } = this.#session.batch
    services.invocations.recordRows({
      tenantId: op.tenantId,
      conceptId,
      versionId,
      calls: answered + abstained + errors,
      failures: errors,
      latencyUs,
      usage: cost.newTokens === 0 ? null : cost,
    })
  }

  #receipt(): BatchReceipt {
    const { batch, recipe } = this.#session
    return signBatchReceipt(
      {
        batchId: batch.id,
        rootHash: this.#tree.root(),
        rows: this.#tree.size,
        format: batch.format,
        inputHash: batch.inputHash,
        versionId: batch.versionId,
        runtimeVersion: RUNTIME_VERSION,
        issuedAt: this.#call.services.now(),
        sourceHash: recipe.artifactHash,
      },
      this.#signer,
    )
  }
}
