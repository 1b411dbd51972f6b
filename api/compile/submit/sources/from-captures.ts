import { COMPILE_ERRORS } from '../../../../core/compile/errors.ts'
import { writeDataset } from '../../../../core/compile/rows/intake/dataset.ts'
import type { Example } from '../../../../core/compile/rows/intake/example.ts'
import { skippedInWords } from '../../../../core/compile/wire/jobs/captures.ts'
import { invalidField, type DomainError } from '../../../../core/kernel/errors.ts'
import { hashJson, type JsonObject } from '../../../../core/kernel/json/json.ts'
import type { CreatedJob } from '../../../../db/compile/jobs/create-job.ts'
import { findReplay } from '../../../../db/compile/jobs/create-job.ts'
import { namedExamples } from '../../../../db/compile/jobs/captures/named-examples.ts'
import { chainEnds } from '../../../../db/gateway/captures/learning/chain-ends.ts'
import {
  learningTally,
  readExamples,
  type LearningSource,
  type LearningTally,
} from '../../../../db/gateway/captures/learning/read-examples.ts'
import { allowanceUsed, type Allowance } from '../../../../db/kernel/storage/allowance.ts'
import { requireAccess } from '../../../gateway/captures/access.ts'
import { checkStream, type SpooledDataset } from '../dataset.ts'
import type { SubmittedSpec } from '../choices.ts'
import {
  hashCompile,
  idempotencyOf,
  requireIntake,
  requireKnown,
  submit,
  type CheckedCompile,
  type SubmitCall,
} from '../submit.ts'

/** A compile of captures. */
export interface CaptureCompile {
  readonly route: string
  readonly spec: SubmittedSpec
  readonly source: LearningSource
  /** The request of the caller, where the captures of the source follow from it. */
  readonly asked?: JsonObject
  readonly rent?: CheckedCompile['rent']
}

/**
 * Accepts a compile of approved captures: each becomes an example under its own id, with the checks of every example, and
 * the job records which it used. The job lies in the namespace of the captures. Throws what `requireAccess`, `checkStream`
 * and `submit` throw, and `no_examples` that says why captures were skipped.
 */
export async function submitFromCaptures(
  call: SubmitCall,
  { route, spec: given, source, asked: named, rent }: CaptureCompile,
): Promise<CreatedJob> {
  const { services, op } = call
  const { limits } = services
  const { namespace } = source
  if (given.corpus_namespace !== undefined && given.corpus_namespace !== namespace) {
    throw invalidField('corpus_namespace', `must be ${namespace}, the namespace of the captures, or absent`)
  }
  await requireAccess(call, 'capture:read', namespace)
  await requireKnown(op, namespace, 'from_captures.namespace')
  const spec = { ...given, corpus_namespace: namespace }
  const asked = hashJson(named ?? { namespace, ids: [...(source.ids ?? [])], template: source.template ?? null })
  // Before any capture is read: captures that were approved since the first call must not make this one another.
  const idempotency = idempotencyOf(call, route, hashCompile(spec, asked))
  const known = await findReplay(op, { idempotency, limits })
  if (known !== null) return known
  const { dataset, tally } = await spoolCaptures(call, { source, spec }, await requireIntake(call, route, 0))
  try {
    // After the captures: the chain then reaches beyond all of them.
    const chains = await chainEnds(op, namespace)
    const facts = { namespace, skipped: { ...tally.skipped }, chains: chains.map((end) => ({ ...end })) }
    const learned = { from: 'captures', facts, examples: () => namedExamples(dataset.read()) } as const
    return await submit(call, { route, spec, dataset, learned, asked, ...(rent !== undefined && { rent }) })
  } finally {
    await dataset.release()
  }
}

/**
 * Reads the approved captures of a source as examples, which wait in the spool; release them in the end. Throws what
 * `checkStream` throws, and `no_examples` that says why captures were skipped.
 */
export async function spoolCaptures(
  call: SubmitCall,
  { source, spec }: { readonly source: LearningSource; readonly spec: Pick<SubmittedSpec, 'tolerances'> },
  { limitBytes, usedBytes }: Allowance,
): Promise<{ readonly dataset: SpooledDataset; readonly tally: LearningTally }> {
  const { spool, limits } = call.services
  const tally = learningTally()
  const dataset = await checkStream(writeDataset(examplesOf(call, source, tally), spec), {
    spool,
    limits,
    bounds: {
      tenantId: call.op.tenantId,
      uploadBytes: limits.upload_bytes,
      tenantBytes: limitBytes - usedBytes,
      refuse: (bytes) => allowanceUsed({ limitBytes, usedBytes }, bytes),
    },
  })
  return { dataset, tally }
}

async function* examplesOf(
  { op, services: { limits } }: SubmitCall,
  source: LearningSource,
  tally: LearningTally,
): AsyncGenerator<Example> {
  const bounds = { exampleBytes: limits.example_bytes, jsonDepth: limits.json_depth }
  for await (const row of readExamples(op, source, { bounds, tally })) {
    if (tally.used > limits.upload_rows) {
      throw invalidField(
        'from_captures',
        `has more than ${limits.upload_rows} approved captures; name some by capture_ids`,
        COMPILE_ERRORS.too_many_examples,
      )
    }
    yield { kind: 'positive', row }
  }
  if (tally.used === 0) throw noneApproved(source.namespace, tally)
}

function noneApproved(namespace: string, { skipped }: LearningTally): DomainError {
  const why = skippedInWords(skipped)
  const found = why === '' ? 'no approved captures' : `no approved capture that is an example (skipped: ${why})`
  return invalidField(
    'from_captures',
    `finds ${found} in ${namespace}; approve some, for example with svc captures review`,
    COMPILE_ERRORS.no_examples,
  )
}
