import { sql } from 'kysely'
import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import { runTerms } from '../../../core/compile/stages/pool/run-terms.ts'
import { newId } from '../../../core/kernel/ids.ts'
import type { Sha256 } from '../../../core/kernel/json/json.ts'
import { LEARN_ERRORS } from '../../../core/learn/errors.ts'
import {
  registrationHash,
  registrationOf,
  type GateSide,
  type GateThresholds,
} from '../../../core/learn/gate/registration.ts'
import { isSpent, nextLevel } from '../../../core/learn/gate/spending.ts'
import type { Limits } from '../../../core/learn/limits.ts'
import { Gate } from '../../../core/learn/workflows.ts'
import type { MeasuredMode } from '../../../core/ledger/receipts/gate-receipt.ts'
import { recipeKinds } from '../../compile/compute/recipe-kinds.ts'
import { requireLiveTenant } from '../../accounts/tenants/require-live-tenant.ts'
import { publishUpload, type StagedBlob } from '../../kernel/blobs/uploads.ts'
import type { Operation } from '../../kernel/operation.ts'
import { requestStart } from '../../kernel/outbox/request-start.ts'
import { json } from '../../kernel/queries/typed.ts'
import { inAllNamespaces, lockInTransaction, type Transaction } from '../../kernel/transaction.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { noHoldout } from '../holdouts/find-holdout.ts'
import { requireUnrevealed } from '../holdouts/known-rows.ts'
import { attemptsOn } from './attempts.ts'

interface GateTerms {
  readonly candidate: GateSide
  readonly baseline: GateSide
  readonly thresholds: GateThresholds
  readonly alpha: number
  readonly namespace: string | null
  readonly limits: Limits
}

/** A gate on all rows of a sealed holdout. */
export interface SealedGateInput extends GateTerms {
  readonly holdoutId: string
}

/** A gate on rows that the caller gave, which are staged. */
export interface SequentialGateInput extends GateTerms {
  readonly rows: number
  readonly learnedRows: number
  readonly root: Sha256
  readonly setHash: Sha256
  readonly staged: StagedBlob
  readonly planned: number
  readonly futility: number
}

/**
 * Registers a gate on a sealed holdout as the next attempt on its corpus: its test and its level are in the ledger before a
 * row is scored. Throws `not_found`, `holdout_revealed`, `holdout_busy` while an attempt is under way, `holdout_exhausted`,
 * `too_many_running_jobs`.
 */
export async function registerSealedGate(op: Operation, input: SealedGateInput): Promise<string> {
  const id = newId('gat')
  await op.write(async (tx) => {
    await requireLiveTenant(tx, op.tenantId)
    await lockInTransaction(tx, `holdouts ${op.tenantId}`)
    const [corpus] = await tx.q
      .selectFrom('holdout_corpora')
      .select(['name', 'namespace', 'lineage_id as lineageId', 'row_count as rows', 'root', 'state'])
      .where('id', '=', input.holdoutId)
      .where('tenant_id', '=', op.tenantId)
      .execute()
    if (corpus === undefined || corpus.state === 'deleted') throw noHoldout()
    const earlier = await inAllNamespaces(tx, 'attempts count in all namespaces', async () => {
      await requireUnrevealed(tx, op, { id: input.holdoutId, field: 'corpus_id' })
      await requireRoom(tx, op, input.limits)
      return await attemptsOn(tx, op, corpus.lineageId)
    })
    if (earlier.isUnderWay) {
      throw LEARN_ERRORS.holdout_busy(
        'an attempt on this holdout is under way: the level of the next follows from its answer',
        {
          retryAfterS: 5,
        },
      )
    }
    const { attempt, promotions, level } = nextLevel(input.alpha, earlier.attempts)
    if (isSpent(level, corpus.rows) || attempt > input.limits.holdout_attempts) {
      throw LEARN_ERRORS.holdout_exhausted(
        `this holdout is exhausted after ${earlier.attempts.length} attempts: no result on its ${corpus.rows} rows could pass the level that is left; store new rows`,
        { details: { attempts: earlier.attempts.length, promotions, rows: corpus.rows, level } },
      )
    }
    await insertGate(tx, op, input, {
      id,
      mode: 'sealed',
      holdoutId: input.holdoutId,
      corpusId: corpus.name,
      namespace: corpus.namespace ?? null,
      root: digestOf(corpus.root),
      setHash: null,
      rows: corpus.rows,
      learnedRows: 0,
      level,
      attempt,
      promotions,
      planned: null,
      futility: null,
      staged: null,
    })
  })
  return id
}

/**
 * Registers a gate on given rows, with the number of such gates on the same artifacts and rows. Throws `too_many_running_jobs`.
 */
export async function registerSequentialGate(op: Operation, input: SequentialGateInput): Promise<string> {
  const id = newId('gat')
  await op.write(async (tx) => {
    await requireLiveTenant(tx, op.tenantId)
    await lockInTransaction(tx, `holdouts ${op.tenantId}`)
    const earlier = await inAllNamespaces(tx, 'limit and attempts are of the whole tenant', async () => {
      await requireRoom(tx, op, input.limits)
      return await countAlike(tx, op, input)
    })
    await publishUpload(tx, input.staged)
    await insertGate(tx, op, input, {
      ...input,
      id,
      mode: 'sequential',
      holdoutId: null,
      corpusId: null,
      level: input.alpha,
      attempt: earlier + 1,
      promotions: null,
    })
  })
  return id
}

/** Counts the earlier gates of two artifacts on the same rows, in whatever order; those that were swept do not count. */
async function countAlike(
  tx: Transaction,
  { tenantId }: Operation,
  { candidate, baseline, setHash }: SequentialGateInput,
): Promise<number> {
  const [earlier] = await tx.q
    .selectFrom('gates')
    .select((of) => of.fn.countAll<number>().as('count'))
    .where('tenant_id', '=', tenantId)
    .where('mode', '=', 'sequential')
    .where(sql<boolean>`registration -> 'data' ->> 'set_hash' = ${setHash}`)
    .where(sql<boolean>`registration -> 'candidate' ->> 'cid' = ${candidate.cid}`)
    .where(sql<boolean>`registration -> 'baseline' ->> 'cid' = ${baseline.cid}`)
    .execute()
  return earlier?.count ?? 0
}

interface NewGate {
  readonly id: string
  readonly mode: MeasuredMode
  readonly holdoutId: string | null
  readonly corpusId: string | null
  readonly namespace: string | null
  readonly root: Sha256
  readonly setHash: Sha256 | null
  readonly rows: number
  readonly learnedRows: number
  readonly level: number
  readonly attempt: number
  readonly promotions: number | null
  readonly planned: number | null
  readonly futility: number | null
  readonly staged: StagedBlob | null
}

async function insertGate(tx: Transaction, op: Operation, terms: GateTerms, gate: NewGate): Promise<void> {
  const registeredAt = op.now()
  const { candidate, baseline, thresholds, alpha } = terms
  const sides = [candidate, baseline].map(({ artifactId }) => ({ kind: 'artifact', artifactId }))
  const { takesTurns } = runTerms(sides, await recipeKinds(tx, op.tenantId, sides))
  const registration = registrationOf({
    ...gate,
    gateId: gate.id,
    candidate,
    baseline,
    thresholds,
    alpha,
    dataRoot: gate.root,
    registeredAt,
  })
  const hash = registrationHash(registration)
  await tx.q
    .insertInto('gates')
    .values({
      id: gate.id,
      tenant_id: op.tenantId,
      namespace: gate.namespace,
      mode: gate.mode,
      state: 'queued',
      candidate_id: candidate.artifactId,
      baseline_id: baseline.artifactId,
      holdout_id: gate.holdoutId,
      row_count: gate.rows,
      alpha,
      level: gate.level,
      registration: json(registration),
      registration_hash: hash,
      blob_sha256: gate.staged?.sha256 ?? null,
      created_at: registeredAt,
    })
    .execute()
  const { id: gateId, mode, rows } = gate
  await requestStart(tx, Gate, { gateId, tenantId: op.tenantId, mode, rows, takesTurns })
  await recordAudit(tx, op, {
    action: 'gate.registered',
    target: gate.id,
    payload: { gate_id: gate.id, registration_hash: hash, registration },
  })
}

async function requireRoom(tx: Transaction, { tenantId }: Operation, limits: Limits): Promise<void> {
  const [[running]] = await tx.read((q) => [
    q
      .selectFrom('gates')
      .select(q.fn.countAll<number>().as('count'))
      .where('tenant_id', '=', tenantId)
      .where('finished_at', 'is', null),
  ])
  const max = limits.unfinished_gates_per_tenant
  const count = running?.count ?? 0
  if (count < max) return
  throw COMPILE_ERRORS.too_many_running_jobs(`${max} gates are under way already`, {
    details: { running: count, max },
    retryAfterS: 5,
  })
}

function digestOf(text: string): Sha256 {
  return `sha256:${text.slice('sha256:'.length)}`
}
