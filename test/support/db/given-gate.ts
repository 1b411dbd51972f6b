import { canonicalJson, sha256 } from '../../../core/kernel/json/json.ts'
import { rowsRoot, rowsSetHash } from '../../../core/learn/gate/results.ts'
import { DEFAULT_LIMITS } from '../../../core/limits.ts'
import { findArtifact } from '../../../db/compile/artifacts/find-artifact.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { stageBytes } from '../../../db/kernel/storage/stage-bytes.ts'
import { registerSequentialGate } from '../../../db/learn/gates/register-gate.ts'
import { givenProgramArtifact } from '../archives/signed-artifacts.ts'

/** Registers a gate of an artifact against itself, on three rows. */
export async function givenGate(op: Operation): Promise<string> {
  const artifactId = await givenProgramArtifact(op)
  const { cid } = await findArtifact(op, artifactId)
  const side = { artifactId, cid, examples: 'kept' } as const
  const rows = ['x', 'y', 'z'].map((input) => ({ input, output: input.toUpperCase() }))
  const bytes = Buffer.from(rows.map((row) => `${canonicalJson(row)}\n`).join(''))
  const source = { sha256: sha256(bytes), sizeBytes: bytes.length, read: () => bytes }
  return await registerSequentialGate(op, {
    candidate: side,
    baseline: side,
    rows: rows.length,
    learnedRows: 0,
    root: rowsRoot(rows),
    setHash: rowsSetHash(rows),
    staged: await stageBytes(op, source, DEFAULT_LIMITS),
    planned: 0.05,
    futility: 0.1,
    thresholds: { minDelta: 0, minAccuracy: 0 },
    alpha: 0.05,
    namespace: null,
    limits: DEFAULT_LIMITS,
  })
}
