import { TRAIN_RATIO } from '../../../core/learn/distill/train-ratio.ts'
import type { z } from 'zod'
import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import { compileSpec } from '../../../core/compile/wire/jobs/spec.ts'
import { invalidField } from '../../../core/kernel/errors.ts'
import type { OnPolicyRequest } from '../../../core/learn/distill/request.ts'
import { LEARN_ERRORS } from '../../../core/learn/errors.ts'
import { examineOnPolicy } from '../../../core/learn/plans/doctor/diagnose-trainers.ts'
import { OnPolicyAnswer, onPolicyBody } from '../../../core/learn/wire/distill/onpolicy.ts'
import { chargedTo } from '../../../db/billing/usage/charged-to.ts'
import { requireNamespace } from '../../../db/kernel/namespaces/bounds.ts'
import { findReadyVersion } from '../../../db/learn/datasets/find-dataset.ts'
import { createRun } from '../../../db/learn/distill/create-run.ts'
import { refuseSealedVersion } from '../../../db/learn/holdouts/refuse-sealed.ts'
import { CHOICE_ERRORS, checkChoices } from '../../compile/submit/choices.ts'
import { requireIntake, type SubmitCall } from '../../compile/submit/submit.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute, type CallFacts, type LearnServices } from '../services.ts'
import { findTrainers } from '../find-trainers.ts'
import { checkRowsFile } from './check-rows.ts'
import { findStudent, findTeacher, requireOneVocabulary } from './models-of-fit.ts'
import { presentAcceptedRun } from './present-run.ts'

const ROUTE = 'distillOnPolicy'
/** Supervised share of the steps of a student that was never fine-tuned: its own answers would teach it nothing. */
const WARMUP_OF_BASE = 0.5

export const distillOnPolicyRoute = defineRoute({
  method: 'post',
  path: '/v1/distill/onpolicy',
  operationId: ROUTE,
  group: 'distill',
  summary: 'Distil a teacher into a student on the answers of the student',
  description: (limits) =>
    `Generalized knowledge distillation (\`gkd\`): with the probability \`lmbda\` the student answers the prompts of a step itself, the teacher scores each token, and the divergence between both is lowered. Files, models and vocabularies are checked before the answer. A fifth of the rows is held out; a compile fits, evaluates on them, gates and signs. The run shows loss and realised on-policy share of each step, and how teacher and student did on the held-out rows. At most ${limits.onpolicy_rows} rows of a file, ${limits.distill_starts_per_tenant_minute} starts a minute.`,
  auth: 'key',
  scope: 'distill:write',
  namespace: 'bounded',
  idempotency: 'kernel',
  stores: 'blobs',
  body: onPolicyBody,
  answers: { 202: envelope('The run is accepted', OnPolicyAnswer) },
  errors: [
    'not_found',
    'pairs_missing',
    'student_missing',
    'teacher_required',
    'teacher_logits_required',
    'teacher_vocab_mismatch',
    'artifact_revoked',
    'artifact_expired',
    'k_score_below_floor',
    'not_ready',
    'path_outside_workspace',
    'dataset_not_ready',
    'sealed_rows',
    'too_many_rows',
    'example_too_large',
    'unsupported_media_type',
    'invalid_encoding',
    'invalid_json',
    'payload_too_large',
    'rate_limited',
    'too_many_running_jobs',
    'quota_exhausted',
    'storage_allowance_used',
    ...CHOICE_ERRORS,
  ],
}).handle(async (call) => {
  const { op, services, principal, body } = call
  const { limits } = services
  const { baseFolders } = services.settings
  requireNamespace(op, body.namespace)
  requireOneSource(body)
  await requireIntake(call, ROUTE, 0)
  const student = await findStudent(op, body.student_path, baseFolders)
  const teacher = await findTeacher(op, body.teacher, baseFolders)
  await requireOneVocabulary(student, teacher, baseFolders)
  await requireTrainer(services)
  const { rows, count, namespace } = await rowsOf(call, body)
  const warmup = body.warmup_frac ?? (student.artifact_id === null ? WARMUP_OF_BASE : 0)
  const task = [body.name, `Answer as ${body.teacher ?? 'the teacher'} does`].filter(Boolean).join(': ')
  const spec = compileSpec(limits).parse({
    task: task.slice(0, limits.task_chars),
    base_model: student.base,
    recipe_kind: 'lora',
    k_score_floor: body.k_score_floor,
  })
  await checkChoices(services, spec, op.now(), 'student_path')
  const { beta, lmbda, temperature, max_new_tokens, max_steps, seed } = body
  const request: OnPolicyRequest = {
    kind: 'onpolicy',
    task: spec.task,
    k_score_floor: spec.k_score_floor,
    base_model: student.base,
    train_ratio: TRAIN_RATIO,
    rows,
    distil: { student, teacher, beta, lmbda, temperature, max_new_tokens, max_steps, seed, warmup },
  }
  const names = { student: student.artifact_id ?? student.base, teacher: teacher.artifact_id ?? teacher.base }
  const runId = await createRun(op, {
    namespace,
    request,
    ...names,
    chargedTo: chargedTo(principal),
    plan: principal.plan,
    limits,
  })
  const answer = { kind: 'onpolicy', ...names, warmup_frac: warmup, pairs: count } as const
  return { status: 202, body: { ...presentAcceptedRun(runId, namespace), ...answer } }
})

type Asked = z.output<ReturnType<typeof onPolicyBody>>

function requireOneSource({ pairs_path: path, dataset_id: dataset }: Asked): void {
  if (path === undefined && dataset === undefined) {
    throw invalidField('pairs_path', 'is required, or dataset_id', LEARN_ERRORS.pairs_missing)
  }
  if (path !== undefined && dataset !== undefined) throw invalidField('pairs_path', 'must be absent beside dataset_id')
}

/** Throws `no_trainer_installed` when no trainer that listens has the objective. While Temporal does not answer, runs wait for it. */
async function requireTrainer(services: LearnServices): Promise<void> {
  const trainers = await findTrainers(services)
  const { ready, installHint } = examineOnPolicy(trainers)
  if (ready || trainers === null) return
  throw COMPILE_ERRORS.no_trainer_installed('no trainer that listens has the objective gkd', {
    details: { install_hint: installHint },
  })
}

async function rowsOf(call: SubmitCall & Pick<CallFacts, 'services' | 'hangUp'>, body: Asked) {
  const { op, services } = call
  const { namespace, pairs_path: path, dataset_id: id } = body
  if (path !== undefined) {
    const count = await checkRowsFile(op, services, {
      path,
      most: services.limits.onpolicy_rows,
      learns: 'pairs',
      signal: call.hangUp(),
    })
    return { rows: { from: 'workspace', path } as const, count, namespace }
  }
  if (id === undefined) throw invalidField('pairs_path', 'is required, or dataset_id', LEARN_ERRORS.pairs_missing)
  const version = await findReadyVersion(op, id, body.dataset_version)
  if (version.rowType !== 'prompt_completion') {
    throw invalidField('dataset_id', `has rows of type ${version.rowType}; prompts with completions are needed`)
  }
  await refuseSealedVersion(op, 'dataset_id', version)
  const rows = { from: 'dataset', dataset_id: id, version: version.version } as const
  return { rows, count: null, namespace: version.namespace }
}
