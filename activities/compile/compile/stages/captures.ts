import {
  CaptureDigest,
  MAX_LISTED_CAPTURES,
  type CapturesDocument,
  type ListedCapture,
} from '../../../../core/compile/archive/schemas/captures.ts'
import { learnedCapturesOf } from '../../../../core/compile/wire/jobs/captures.ts'
import type { CompileJob } from '../../../../db/compile/jobs/compile-job.ts'
import { readUses } from '../../../../db/compile/jobs/captures/read-uses.ts'
import type { Operation } from '../../../../db/kernel/operation.ts'

/** Returns what the archive of a job states of the captures that it learned from; null when it learned from none. */
export async function capturesOf(op: Operation, job: CompileJob): Promise<CapturesDocument | null> {
  const facts = learnedCapturesOf(job.spec)
  if (facts === undefined) return null
  const digest = new CaptureDigest()
  const listed: ListedCapture[] = []
  let used = 0
  for await (const { id, seq, chainHash } of readUses(op, { tenantId: op.tenantId, jobId: job.id })) {
    const capture = { id, seq, chain_hash: chainHash }
    digest.add(capture)
    if (++used <= MAX_LISTED_CAPTURES) listed.push(capture)
  }
  const { namespace, other_examples, skipped, chains } = facts
  return {
    spec: 'svc-captures-1',
    namespace,
    used,
    other_examples,
    skipped,
    chains,
    digest: digest.digest(),
    ...(used <= MAX_LISTED_CAPTURES && { listed }),
  }
}
