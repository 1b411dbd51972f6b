import {
  compareRuns,
  type ComparedArchives,
  type ComparedRuns,
} from '../../../../core/compile/artifacts/diff/compare-archives.ts'
import type { RowResultRecord } from '../../../../core/compile/artifacts/diagnosis/row-result.ts'
import { COMPILE_ERRORS } from '../../../../core/compile/errors.ts'
import { DiffAnswer, DiffBody } from '../../../../core/compile/wire/artifacts/diff.ts'
import { DomainError, KERNEL_ERRORS } from '../../../../core/kernel/errors.ts'
import type { Artifact } from '../../../../db/compile/artifacts/artifact.ts'
import { findByCid, openArchive } from '../../../../db/compile/artifacts/find-artifact.ts'
import { versionChain } from '../../../../db/compile/evidence/version-chain.ts'
import type { Operation } from '../../../../db/kernel/operation.ts'
import type { Principal } from '../../../../db/kernel/tenant/principal.ts'
import { envelope } from '../../../kernel/reply/answers.ts'
import { defineRoute, type CompileServices } from '../../services.ts'
import { resultsOf, sourcesOf } from '../diagnosis/row-sources.ts'
import { answerInputs } from './answer-inputs.ts'
import { presentDiff } from './present-diff.ts'
import { relationOf } from './relation.ts'

export const diffArtifactsRoute = defineRoute({
  method: 'post',
  path: '/v1/artifact/diff',
  operationId: 'diffArtifacts',
  group: 'artifacts',
  summary: 'Compare two artifacts',
  description:
    'Content members by digest; programs, labels and hyperparameters side by side; the rows that both were scored on, paired, with ' +
    "McNemar's exact test; each axis with its direction. Both are run on the stored inputs of both evaluations (2,000 at most, 50 " +
    'where one needs a base model, 10 s at most), and the inputs that they answer differently are listed. The recommendation ' +
    'follows from the paired rows: `inconclusive` unless they differ by more than chance explains. Nothing is charged.',
  auth: 'key',
  scope: 'artifacts:read',
  namespace: 'bounded',
  stores: 'bounded',
  limit: { name: 'diff', limit: 'planning_calls_per_ip_minute', windowS: 60, counts: 'calls' },
  body: DiffBody,
  fieldCodes: { a_cid: 'invalid_cid', b_cid: 'invalid_cid' },
  answers: { 200: envelope('The comparison', DiffAnswer) },
  errors: ['invalid_cid', 'not_found', 'invalid_archive', 'busy', 'payload_too_large', 'request_timeout'],
}).handle(async ({ op, services, principal, hangUp, body }) => {
  const [a, b] = await Promise.all([sideOf(op, 'a_cid', body.a_cid), sideOf(op, 'b_cid', body.b_cid)])
  const [relation, recordsA, recordsB, parentA, parentB, closedA, closedB] = await Promise.all([
    relationOf(op, a, b),
    recordsOf(op, services, a),
    recordsOf(op, services, b),
    parentOf(op, a),
    parentOf(op, b),
    whyClosed(op, a),
    whyClosed(op, b),
  ])
  const why = closedA ?? closedB
  const content = why === null ? await compareContents({ op, services }, [a, recordsA], [b, recordsB]) : null
  const runs = content === null ? null : await runBoth({ services, principal, hangUp }, content, a, b)
  return {
    status: 200,
    body: presentDiff({
      a: { artifact: a, records: recordsA, parentCid: parentA },
      b: { artifact: b, records: recordsB, parentCid: parentB },
      relation,
      content,
      runs: typeof runs === 'string' ? null : runs,
      why: typeof runs === 'string' ? runs : why,
    }),
  }
})

/** Returns the newest artifact with a CID. Throws `not_found` that names the field. */
async function sideOf(op: Operation, field: string, cid: string): Promise<Artifact> {
  const [artifact] = await findByCid(op, cid)
  if (artifact !== undefined) return artifact
  const message = 'no artifact has this CID'
  throw KERNEL_ERRORS.not_found(`${field}: ${message}`, { details: { fields: [{ field, message }] } })
}

/** Returns the results of an artifact's rows; none for one whose archive holds none. */
async function recordsOf(
  op: Operation,
  services: CompileServices,
  artifact: Artifact,
): Promise<readonly RowResultRecord[]> {
  try {
    return await resultsOf(op, services, artifact)
  } catch (error) {
    if (COMPILE_ERRORS.no_row_results.matches(error)) return []
    throw error
  }
}

async function parentOf(op: Operation, { id }: Artifact): Promise<string | null> {
  const [, parent] = await versionChain(op, id, 2)
  return parent?.cid ?? null
}

/** Returns why the archive of an artifact may not be read; null when it may. */
async function whyClosed(op: Operation, { id }: Artifact): Promise<string | null> {
  try {
    await openArchive(op, id)
    return null
  } catch (error) {
    if (error instanceof DomainError) return error.code
    throw error
  }
}

async function compareContents(
  { op, services }: { readonly op: Operation; readonly services: CompileServices },
  [a, recordsA]: readonly [Artifact, readonly RowResultRecord[]],
  [b, recordsB]: readonly [Artifact, readonly RowResultRecord[]],
): Promise<ComparedArchives> {
  const [{ namespace: _a, ...ofA }, { namespace: _b, ...ofB }] = await Promise.all([sourcesOf(op, a), sourcesOf(op, b)])
  return await services.diagnosis.compare(op.tenantId, {
    a: { ...ofA, records: recordsA },
    b: { ...ofB, records: recordsB },
  })
}

/** Returns the answers of both; the machine code of why a side that needs a base model could not be run. */
async function runBoth(
  {
    services,
    principal,
    hangUp,
  }: { readonly services: CompileServices; readonly principal: Principal; readonly hangUp: () => AbortSignal },
  { runs, waiting, equality }: ComparedArchives,
  a: Artifact,
  b: Artifact,
): Promise<ComparedRuns | string> {
  if (waiting === null) return runs ?? 'not_found'
  const { inputs } = waiting
  const signal = hangUp()
  try {
    const answers = [
      waiting.a ?? (await answerInputs(services, principal, { artifactId: a.id, inputs, signal })),
      waiting.b ?? (await answerInputs(services, principal, { artifactId: b.id, inputs, signal })),
    ] as const
    return compareRuns(inputs, ...answers, equality)
  } catch (error) {
    if (error instanceof DomainError && !signal.aborted) return error.code
    throw error
  }
}
