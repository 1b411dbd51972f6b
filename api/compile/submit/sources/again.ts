import { isFittedElsewhere } from '../../../../core/compile/stages/lora/lora-options.ts'
import { COMPILE_ERRORS } from '../../../../core/compile/errors.ts'
import { MemberOrder } from '../../../../core/compile/rows/inputs/member-order.ts'
import { inlineBounds } from '../../../../core/compile/rows/intake/bounds.ts'
import { readDataset, writeDataset } from '../../../../core/compile/rows/intake/dataset.ts'
import type { Example } from '../../../../core/compile/rows/intake/example.ts'
import { idOfExample, mergeExamples, type ExampleChanges } from '../../../../core/compile/rows/intake/merge-examples.ts'
import { changesFromInline } from '../../../../core/compile/rows/intake/sources.ts'
import { answerRows } from '../../../../core/compile/synthesis/questions/apply-answers.ts'
import type { AgainBody } from '../../../../core/compile/wire/jobs/explain/again.ts'
import { learnedCapturesOf } from '../../../../core/compile/wire/jobs/captures.ts'
import { compileSpec, type CompileSpec } from '../../../../core/compile/wire/jobs/spec.ts'
import { invalidField } from '../../../../core/kernel/errors.ts'
import type { Sha256 } from '../../../../core/kernel/json/json.ts'
import type { CreatedJob, LearnedJob } from '../../../../db/compile/jobs/create-job.ts'
import { forgottenExamples } from '../../../../db/compile/jobs/captures/read-uses.ts'
import type { CompileJob } from '../../../../db/compile/jobs/compile-job.ts'
import { listQuestions } from '../../../../db/compile/progress/questions/questions.ts'
import { readBlob } from '../../../../db/kernel/blobs/read-blob.ts'
import { allowanceUsed } from '../../../../db/kernel/storage/allowance.ts'
import { checkStream, type CheckedDataset } from '../dataset.ts'
import { namedExamples } from '../../../../db/compile/jobs/captures/named-examples.ts'
import { requireIntake, submit, type SubmitCall } from '../submit.ts'

/** The earlier job, and what is to change. */
interface Again {
  readonly route: string
  readonly job: CompileJob
  readonly body: AgainBody
}

/**
 * Accepts a compile of an earlier job's examples with changes: task and choices are kept where the body names no other.
 * Answers to the earlier job's questions are examples. Throws what `submitInline` throws, and `rows_expired` when the
 * examples are no longer kept.
 */
export async function submitAgain(
  call: SubmitCall,
  { route, job, body }: Again,
): Promise<{ readonly spec: CompileSpec; readonly created: CreatedJob }> {
  const { services, op } = call
  const { limits } = services
  const { datasetSha256 } = job
  if (datasetSha256 === null || datasetSha256 === undefined) {
    throw COMPILE_ERRORS.rows_expired('the examples of this job are no longer kept: send them again')
  }
  const digest: Sha256 = `sha256:${datasetSha256.slice('sha256:'.length)}`
  const spec = specAgain(call, job, body)
  const changes = await readChanges(call, body)
  const { limitBytes, usedBytes } = await requireIntake(call, route, 0)
  const merged = mergeExamples(earlierExamples(call, job.id, digest), changes, (ids) =>
    invalidField('remove', `names ${ids.slice(0, 20).join(', ')}, which no example has as id`),
  )
  const checked = await checkStream(writeDataset(merged, spec), {
    spool: services.spool,
    limits,
    bounds: {
      tenantId: op.tenantId,
      uploadBytes: limits.upload_bytes,
      tenantBytes: limitBytes - usedBytes,
      refuse: (bytes) => allowanceUsed({ limitBytes, usedBytes }, bytes),
    },
  })
  // The stored examples are in canonical form, which has lost the order and the names of a file.
  const members = MemberOrder.safeParse(job.spec['members'])
  const { input_column: inputColumn } = job.spec
  const dataset = {
    ...checked,
    ...(members.success && { members: members.data }),
    ...(typeof inputColumn === 'string' && { inputColumn }),
  }
  try {
    const learned = learnedAgain(job, dataset)
    return {
      spec,
      created: await submit(call, { route, spec, dataset, earlierJob: job.id, ...(learned && { learned }) }),
    }
  } finally {
    await dataset.release()
  }
}

/** Examples of the earlier job that are captures are those of the new one too. */
function learnedAgain({ id, spec }: CompileJob, dataset: CheckedDataset): LearnedJob | undefined {
  const captures = learnedCapturesOf(spec)
  if (captures === undefined) return undefined
  const { namespace, skipped, chains } = captures
  const facts = { namespace, skipped, chains }
  return { from: { jobId: id }, facts, examples: () => namedExamples(dataset.read()) }
}

/** Returns the earlier choices with those of the body; a base that the caller did not name is chosen again. */
function specAgain({ services }: SubmitCall, { task, kScoreFloor, spec, conceptId }: CompileJob, body: AgainBody) {
  const { corpus_namespace: namespace, trainer, ...choices } = spec
  const { examples: _examples, remove: _remove, ...overrides } = body
  const given = Object.entries(overrides).filter(([, value]) => value !== undefined)
  const again = compileSpec(services.limits).parse({
    task,
    k_score_floor: kScoreFloor,
    ...(conceptId !== null && conceptId !== undefined && { concept_id: conceptId }),
    ...choices,
    // A machine elsewhere has a budget of its own, which another compile has to name.
    ...(trainer !== undefined && !isFittedElsewhere(trainer) && { trainer }),
    ...Object.fromEntries(given),
  })
  return typeof namespace === 'string' ? { ...again, corpus_namespace: namespace } : again
}

async function* earlierExamples({ op }: SubmitCall, jobId: string, digest: Sha256): AsyncGenerator<Example> {
  const ids: string[] = []
  const forgotten = await forgottenExamples(op, jobId)
  for await (const example of readDataset(readBlob(op.db, digest))) {
    if (forgotten.has(idOfExample(example))) continue
    if (example.kind === 'positive' && example.row.id.startsWith('answer_')) ids.push(example.row.id)
    yield example
  }
  const answers = (await listQuestions(op, jobId)).flatMap(({ input, given }) =>
    given === null ? [] : [{ kind: 'output' as const, input, output: given.output }],
  )
  for (const row of answerRows(answers, ids)) yield { kind: 'positive', row }
}

/** Parses the given examples: those with an id change others, those without are added. */
async function readChanges({ services }: SubmitCall, { examples, remove }: AgainBody): Promise<ExampleChanges> {
  const list = Array.isArray(examples) ? examples : []
  // A change alone need not be a data set: the merged examples are checked as one.
  return { ...(await changesFromInline(list, inlineBounds(services.limits))), removed: remove }
}
