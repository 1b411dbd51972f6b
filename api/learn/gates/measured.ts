import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import { countRows, type GivenRows } from '../../../core/compile/wire/given-rows.ts'
import { invalidField } from '../../../core/kernel/errors.ts'
import { canonicalJson, sha256 } from '../../../core/kernel/json/json.ts'
import type { GateSide } from '../../../core/learn/gate/registration.ts'
import { rowsRoot, rowsSetHash } from '../../../core/learn/gate/results.ts'
import { ALPHA } from '../../../core/learn/gate/spending.ts'
import { readStoredRows, type HoldoutRow } from '../../../core/learn/holdout/parse-rows.ts'
import { ROW_KEY_BYTES } from '../../../core/learn/holdout/row-key.ts'
import { openArchive } from '../../../db/compile/artifacts/find-artifact.ts'
import { discardUpload } from '../../../db/kernel/blobs/uploads.ts'
import { namespaceForNew } from '../../../db/kernel/namespaces/bounds.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { serviceKey } from '../../../db/kernel/secrets/service-secrets.ts'
import { stageBytes } from '../../../db/kernel/storage/stage-bytes.ts'
import { holdoutKeys, learnedRows, testRows, type LearnedRows } from '../../../db/learn/gates/learned-rows.ts'
import { registerSealedGate, registerSequentialGate } from '../../../db/learn/gates/register-gate.ts'
import { findHoldout } from '../../../db/learn/holdouts/find-holdout.ts'
import { charged, type GateCall } from './charged.ts'
import { artifactOf, thresholdsOf, type GateBody } from './posted.ts'

const SIDES = ['candidate', 'baseline'] as const

/** True for a gate that scores artifacts on rows: on given ones, or, where both sides are artifacts and nothing else, on their own. */
export function isMeasured(body: GateBody): boolean {
  return sourcesOf(body).length > 0 || isOfArtifacts(body)
}

function sourcesOf({ corpus_id: corpus, rows, rows_of: rowsOf }: GateBody): readonly unknown[] {
  return [corpus, rows, rowsOf].filter((source) => source !== undefined)
}

function isOfArtifacts(body: GateBody): boolean {
  return (
    body.significance === false &&
    SIDES.every((side) => {
      const { k_score: score, axes, per_case: cases } = body[side] ?? {}
      return artifactOf(body, side) !== undefined && [score, axes, cases].every((posted) => posted === undefined)
    })
  )
}

/**
 * Registers a measured gate and returns its id. Throws `validation_failed` with the field, `not_found`, `artifact_revoked`,
 * `sealed_rows` when an artifact learned from rows of the holdout, and what registering throws.
 */
export async function startGate(call: GateCall): Promise<string> {
  const { op, body } = call
  const sources = sourcesOf(body)
  if (sources.length > 1) throw invalidField('corpus_id', 'must stand alone: give corpus_id, rows or rows_of')
  if (sources.length === 0) refuseClasses(body)
  const candidate = await openSide(op, body, 'candidate')
  const baseline = await openSide(op, body, 'baseline')
  if (candidate.cid === baseline.cid) {
    throw invalidField(fieldOf(body, 'baseline'), 'must be another one: candidate and baseline have the same CID')
  }
  return body.corpus_id === undefined
    ? await startSequential(call, { candidate, baseline })
    : await startSealed(call, { candidate, baseline, corpus: body.corpus_id })
}

/** Classes are compared in posted numbers alone. */
function refuseClasses(body: GateBody): void {
  for (const side of SIDES) {
    if (body[side]?.regression_classes.length) {
      throw invalidField(`${side}.regression_classes`, 'must be absent: two artifacts are scored on rows')
    }
  }
}

type OpenedSide = Omit<GateSide, 'examples'>

async function openSide(op: Operation, body: GateBody, side: (typeof SIDES)[number]): Promise<OpenedSide> {
  const artifactId = artifactOf(body, side)
  if (artifactId === undefined) {
    throw invalidField(`${side}_artifact`, 'is required: a measured gate scores two artifacts')
  }
  const { cid } = await openArchive(op, artifactId)
  return { artifactId, cid }
}

/** The field by which the body names the artifact of a side. */
function fieldOf(body: GateBody, side: (typeof SIDES)[number]): string {
  return body[side]?.artifact_id === undefined ? `${side}_artifact` : `${side}.artifact_id`
}

interface Sides {
  readonly candidate: OpenedSide
  readonly baseline: OpenedSide
}

async function startSealed(
  call: GateCall,
  { candidate, baseline, corpus }: Sides & { readonly corpus: string },
): Promise<string> {
  const { op, services, body } = call
  if (body.alpha !== undefined && body.alpha !== ALPHA) {
    throw invalidField('alpha', `must be ${ALPHA} or absent: all attempts on a holdout share it`)
  }
  const holdout = await findHoldout(op, corpus)
  const wanted = await holdoutKeys(op, holdout.id)
  const learned = await learnedOf(op, { candidate, baseline }, wanted)
  const count = allKeys(learned).size
  if (count > 0) {
    throw COMPILE_ERRORS.sealed_rows(
      `corpus_id: the artifacts learned from ${count} of its rows; a gate needs rows that neither has seen`,
      { details: { count } },
    )
  }
  return await charged(call, holdout.rowCount, async () =>
    registerSealedGate(op, {
      candidate: { ...candidate, examples: learned.candidate.examples },
      baseline: { ...baseline, examples: learned.baseline.examples },
      holdoutId: holdout.id,
      thresholds: thresholdsOf(body),
      alpha: ALPHA,
      namespace: holdout.namespace ?? null,
      limits: services.limits,
    }),
  )
}

async function startSequential(call: GateCall, { candidate, baseline }: Sides): Promise<string> {
  const { op, services, body } = call
  const namespace = namespaceForNew(op, { namespace: body.namespace_id ?? null, continued: null })
  const { rows: all, keys } = await readRows(call, await givenRows(call, { candidate, baseline }))
  await refuseSealedRows(call, all)
  const learned = await learnedOf(op, { candidate, baseline }, new Set(keys))
  const seen = allKeys(learned)
  const rows = all.filter((_, place) => !seen.has(keys[place] ?? ''))
  if (rows.length === 0) {
    throw invalidField('rows', 'must have a row that neither artifact learned from', COMPILE_ERRORS.no_rows)
  }
  const bytes = Buffer.from(rows.map((row) => `${canonicalJson({ ...row })}\n`).join(''))
  services.storage.take(bytes.length)
  return await charged(call, rows.length, async () => {
    const source = { sha256: sha256(bytes), sizeBytes: bytes.length, read: () => bytes }
    const staged = await stageBytes(op, source, services.limits)
    let id: string | undefined
    try {
      id = await registerSequentialGate(op, {
        candidate: { ...candidate, examples: learned.candidate.examples },
        baseline: { ...baseline, examples: learned.baseline.examples },
        rows: rows.length,
        learnedRows: all.length - rows.length,
        root: rowsRoot(rows),
        setHash: rowsSetHash(rows),
        staged,
        planned: body.planned_effect,
        futility: body.futility,
        thresholds: thresholdsOf(body),
        alpha: body.alpha ?? ALPHA,
        namespace,
        limits: services.limits,
      })
      return id
    } finally {
      if (id === undefined) await discardUpload(op.db, staged.storageId).catch(() => undefined)
    }
  })
}

/**
 * Returns the rows of a gate: those that the body has or names, and otherwise those of kind `test` of both compiles. Throws
 * `no_rows`, `too_many_rows` and `rows_expired`.
 */
async function givenRows({ op, services, body }: GateCall, { candidate, baseline }: Sides): Promise<GivenRows> {
  const { rows, rows_of: rowsOf } = body
  const isNamed = rows !== undefined || rowsOf !== undefined
  const given: GivenRows = isNamed
    ? (rows ?? (await testRows(op, { artifactId: rowsOf ?? '', field: 'rows_of' })))
    : await rowsOfBoth(op, [
        { artifactId: candidate.artifactId, field: fieldOf(body, 'candidate') },
        { artifactId: baseline.artifactId, field: fieldOf(body, 'baseline') },
      ])
  const count = countRows(given)
  const most = services.limits.gate_rows
  if (count === 0) {
    const [field, why] =
      rows !== undefined
        ? ['rows', 'must have at least one row']
        : rowsOf !== undefined
          ? ['rows_of', 'names a compile without rows of kind test']
          : ['rows', 'is required: neither artifact was compiled with rows of kind test; give rows or corpus_id']
    throw invalidField(field, why, COMPILE_ERRORS.no_rows)
  }
  if (count > most) {
    const field = rowsOf === undefined ? 'rows' : 'rows_of'
    const why = isNamed ? `has ${count} rows` : `is required: the compiles have ${count} rows of kind test`
    throw invalidField(field, `${why}; ${most} are the most`, COMPILE_ERRORS.too_many_rows)
  }
  return given
}

/** The kept rows of kind `test` of two compiles. Throws `rows_expired` when neither keeps its rows. */
async function rowsOfBoth(
  op: Operation,
  sides: readonly { readonly artifactId: string; readonly field: string }[],
): Promise<readonly HoldoutRow[]> {
  const found: HoldoutRow[] = []
  let expired = 0
  for (const side of sides) {
    try {
      found.push(...(await testRows(op, side)))
    } catch (error) {
      if (!COMPILE_ERRORS.rows_expired.matches(error) || ++expired === sides.length) throw error
    }
  }
  return found
}

/** The rows once each, with their keys. Throws `validation_failed`. */
async function readRows(
  { op, services }: GateCall,
  given: GivenRows,
): Promise<{ readonly rows: readonly HoldoutRow[]; readonly keys: readonly string[] }> {
  const { secret } = await serviceKey(op.db, 'fingerprint', op.db)
  const prepared = await services.learnThread.corpus(given, {
    tenantId: op.tenantId,
    secret,
    salt: new Uint8Array(1),
    rowBytes: services.limits.example_bytes,
  })
  const all = Buffer.from(prepared.keys)
  return {
    rows: readStoredRows(prepared.bytes),
    keys: Array.from({ length: prepared.rowCount }, (_, at) =>
      all.toString('hex', at * ROW_KEY_BYTES, (at + 1) * ROW_KEY_BYTES),
    ),
  }
}

/** Rows of a sealed holdout are read by gates on the holdout alone, which count as attempts. */
async function refuseSealedRows({ op, services }: GateCall, rows: readonly HoldoutRow[]): Promise<void> {
  const count = await services.sealedRows.count(op, inputsOf(rows))
  if (count === 0) return
  throw COMPILE_ERRORS.sealed_rows(
    `rows: ${count} of them are rows of a sealed holdout; name it by corpus_id, or leave them out`,
    { details: { count } },
  )
}

async function* inputsOf(rows: readonly HoldoutRow[]): AsyncGenerator<HoldoutRow['input']> {
  for (const { input } of rows) yield await Promise.resolve(input)
}

async function learnedOf(op: Operation, { candidate, baseline }: Sides, wanted: ReadonlySet<string>) {
  return {
    candidate: await learnedRows(op, candidate.artifactId, wanted),
    baseline: await learnedRows(op, baseline.artifactId, wanted),
  }
}

function allKeys(learned: { readonly candidate: LearnedRows; readonly baseline: LearnedRows }): ReadonlySet<string> {
  return learned.candidate.keys.union(learned.baseline.keys)
}
