import { writeDataset } from '../../../../core/compile/rows/intake/dataset.ts'
import type { OpenDataset } from '../../../../core/compile/ports.ts'
import type { CompileSpec } from '../../../../core/compile/wire/jobs/spec.ts'
import { invalidField } from '../../../../core/kernel/errors.ts'
import { hashJson } from '../../../../core/kernel/json/json.ts'
import { findReplay, type CreatedJob } from '../../../../db/compile/jobs/create-job.ts'
import { chainEnds } from '../../../../db/gateway/captures/learning/chain-ends.ts'
import { allowanceUsed } from '../../../../db/kernel/storage/allowance.ts'
import { checkStream } from '../dataset.ts'
import { namedExamples } from '../../../../db/compile/jobs/captures/named-examples.ts'
import { hashCompile, idempotencyOf, requireIntake, submit, type SubmitCall } from '../submit.ts'

/** A compile of the rows of a dataset. */
export interface DatasetCompile {
  readonly route: string
  readonly spec: CompileSpec
  readonly datasetId: string
  readonly version: number | undefined
}

/**
 * Accepts a compile of a version of a dataset: its rows to learn from are examples, its held-out rows are test rows, which
 * alone score the recipe. The job lies in the namespace of the dataset, and names the version and its root. Throws what
 * `DatasetRows`, `checkStream` and `submit` throw.
 */
export async function submitFromDataset(
  call: SubmitCall,
  { route, spec: given, datasetId, version }: DatasetCompile,
): Promise<CreatedJob> {
  const { services, op } = call
  const { limits } = services
  const open = await services.datasets.open(op, { datasetId, version })
  const { namespace } = open
  if (given.corpus_namespace !== undefined && given.corpus_namespace !== namespace) {
    throw invalidField('corpus_namespace', `must be ${namespace}, the namespace of the dataset, or absent`)
  }
  const spec = { ...given, corpus_namespace: namespace }
  const used = { dataset_id: datasetId, version: open.version, merkle_root: open.merkleRoot }
  // Without the version where none is named: one that was built since the first call must not make this one another.
  const asked = hashJson({ dataset_id: datasetId, version: version ?? null })
  const known = await findReplay(op, {
    idempotency: idempotencyOf(call, route, hashCompile(spec, asked)),
    limits,
  })
  if (known !== null) return known
  const { limitBytes, usedBytes } = await requireIntake(call, route, 0)
  const dataset = await checkStream(writeDataset(examplesOf(open), spec), {
    spool: services.spool,
    limits,
    bounds: {
      tenantId: op.tenantId,
      uploadBytes: limits.upload_bytes,
      tenantBytes: limitBytes - usedBytes,
      refuse: (bytes) => allowanceUsed({ limitBytes, usedBytes }, bytes),
    },
  })
  try {
    const chains = await chainEnds(op, namespace)
    const facts = { namespace, skipped: {}, chains: chains.map((end) => ({ ...end })) }
    const learned = { from: 'dataset', facts, examples: () => namedExamples(dataset.read()) } as const
    return await submit(call, { route, spec, dataset, learned, asked, usedDataset: used })
  } finally {
    await dataset.release()
  }
}

async function* examplesOf(open: OpenDataset) {
  yield* open.examples()
}
