import { TRAIN_RATIO } from '../../../core/learn/distill/train-ratio.ts'
import type { z } from 'zod'
import { compileSpec } from '../../../core/compile/wire/jobs/spec.ts'
import { LEAST_PREFERENCES, tooFew } from '../../../core/compile/stages/lora/training-rows.ts'
import { invalidField } from '../../../core/kernel/errors.ts'
import type { PreferenceRequest } from '../../../core/learn/distill/request.ts'
import { requireEnough } from '../../../core/learn/distill/rows-file/preference-check.ts'
import { LEARN_ERRORS } from '../../../core/learn/errors.ts'
import { PreferenceAnswer, PreferenceBody } from '../../../core/learn/wire/distill/preference.ts'
import { MODEL_ERRORS } from '../../../core/model/errors.ts'
import { listBases } from '../../../core/model/files/find-base.ts'
import { defaultObjective } from '../../../core/model/training/objectives/objective.ts'
import { chargedTo } from '../../../db/billing/usage/charged-to.ts'
import { requireNamespace } from '../../../db/kernel/namespaces/bounds.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { findQuality, findReadyVersion } from '../../../db/learn/datasets/find-dataset.ts'
import { createRun } from '../../../db/learn/distill/create-run.ts'
import { refuseSealedCaptures, refuseSealedVersion } from '../../../db/learn/holdouts/refuse-sealed.ts'
import { listCorrected, MOST_CORRECTIONS } from '../../../db/learn/distill/read-corrections.ts'
import { CHOICE_ERRORS, checkChoices } from '../../compile/submit/choices.ts'
import { requireIntake } from '../../compile/submit/submit.ts'
import { requireAccess } from '../../gateway/captures/access.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute, type CallFacts } from '../services.ts'
import { checkRowsFile } from './check-rows.ts'
import { presentAcceptedRun } from './present-run.ts'

const ROUTE = 'distillPreference'

export const distillPreferenceRoute = defineRoute({
  method: 'post',
  path: '/v1/distill/preference',
  operationId: ROUTE,
  group: 'distill',
  summary: 'Train an adapter on preferences',
  description: (limits) =>
    `Fits an adapter with \`dpo\`, \`simpo\`, \`orpo\` or \`kto\`. Pairs come from a file of your workspace, a dataset, or the corrections of reviewers; all rows are checked before the answer, at most ${limits.preference_pairs}. A row may state its \`weight\`, a \`margin\`, or scores of both answers. A fifth is held out: the run shows reward accuracy and margin on it. Pairs alone do not say what is right: below the floor the adapter is delivered and not signed (\`no_task_holdout\`).`,
  auth: 'key',
  scope: 'distill:write',
  namespace: 'bounded',
  idempotency: 'kernel',
  stores: 'blobs',
  body: PreferenceBody,
  fieldCodes: { objective: 'unknown_objective' },
  answers: { 202: envelope('The run is accepted', PreferenceAnswer) },
  errors: [
    'not_found',
    'pairs_missing',
    'student_missing',
    'unknown_objective',
    'path_outside_workspace',
    'dataset_not_ready',
    'sealed_rows',
    'too_many_rows',
    'example_too_large',
    'unsupported_media_type',
    'invalid_encoding',
    'invalid_json',
    'payload_too_large',
    'forbidden',
    'rate_limited',
    'too_many_running_jobs',
    'quota_exhausted',
    'storage_allowance_used',
    ...CHOICE_ERRORS,
  ],
})
  .authorize(async ({ op, principal, body }) => {
    if (body.source === 'review') await requireAccess({ op, principal }, 'capture:read', body.namespace)
  })
  .handle(async (call) => {
    const { op, services, principal, body } = call
    const { limits } = services
    requireNamespace(op, body.namespace)
    requireOneSource(body)
    await requireIntake(call, ROUTE, 0)
    await requireStudent(body.student_path, services.settings.baseFolders)
    const { pairs, rows, namespace } = await pairsOf(call, body)
    const { beta, lora } = settingsOf(body)
    const task = [body.name, `Answer as is preferred in ${namespace}`].filter(Boolean).join(': ')
    const spec = compileSpec(limits).parse({
      task: task.slice(0, limits.task_chars),
      base_model: body.student_path,
      recipe_kind: 'lora',
      lora: { ...lora, objective: body.objective },
      k_score_floor: body.k_score_floor,
    })
    await checkChoices(services, spec, op.now(), 'student_path')
    const runId = await createRun(op, {
      namespace,
      request: {
        kind: 'preference',
        task: spec.task,
        k_score_floor: body.k_score_floor,
        base_model: body.student_path,
        train_ratio: TRAIN_RATIO,
        objective: body.objective,
        beta,
        lora,
        pairs,
      },
      student: body.student_path,
      teacher: null,
      chargedTo: chargedTo(principal),
      plan: principal.plan,
      limits,
    })
    return {
      status: 202,
      body: {
        ...presentAcceptedRun(runId, namespace),
        kind: 'preference',
        objective: body.objective,
        beta,
        pairs: rows,
      },
    }
  })

type Asked = z.output<typeof PreferenceBody>

function requireOneSource({ pairs_path: path, dataset_id: dataset, source }: Asked): void {
  const given = [path, dataset, source].filter((each) => each !== undefined)
  if (given.length === 0) {
    throw invalidField('pairs_path', 'is required, or dataset_id, or source', LEARN_ERRORS.pairs_missing)
  }
  if (given.length > 1) throw invalidField('pairs_path', 'must be absent beside dataset_id and source')
}

/** Throws `student_missing` with the installed bases. */
async function requireStudent(name: string, folders: readonly string[]): Promise<void> {
  const known = (await listBases(folders)).map((base) => base.name)
  if (known.includes(name)) return
  throw invalidField(
    'student_path',
    `names no base that is installed; installed: ${known.join(', ') || 'none'}`,
    LEARN_ERRORS.student_missing,
    MODEL_ERRORS.unknown_base_model('no such base'),
  )
}

type PairsCall = Pick<CallFacts, 'services' | 'hangUp'> & { readonly op: Operation }

interface ChosenPairs {
  readonly pairs: PreferenceRequest['pairs']
  /** Rows that were checked here. */
  readonly rows: number | null
  readonly namespace: string
}

async function pairsOf(call: PairsCall, body: Asked): Promise<ChosenPairs> {
  const { op, services } = call
  const { namespace, pairs_path: path, dataset_id: id } = body
  if (path !== undefined) {
    const rows = await checkRowsFile(op, services, {
      path,
      most: services.limits.preference_pairs,
      learns: body.objective,
      signal: call.hangUp(),
    })
    return { pairs: { from: 'workspace', path }, rows, namespace }
  }
  if (id !== undefined) {
    const ready = await findReadyVersion(op, id, body.dataset_version)
    const { version, rowType, rowForm, trainCount, namespace: own } = ready
    if (rowType !== 'preference' && (rowType !== 'unpaired' || body.objective !== 'kto')) {
      throw invalidField('dataset_id', `has rows of type ${rowType}, of which ${body.objective} learns nothing`)
    }
    if (rowForm === 'messages') throw invalidField('dataset_id', 'has rows of messages; texts are needed')
    await refuseSealedVersion(op, 'dataset_id', ready)
    const unwanted = rowType === 'unpaired' ? await countUnwanted(op, id, version) : null
    if ((unwanted ?? trainCount) < LEAST_PREFERENCES) {
      throw tooFew(unwanted ?? trainCount, unwanted === null ? 'pairs' : 'unwanted answers')
    }
    return { pairs: { from: 'dataset', dataset_id: id, version }, rows: null, namespace: own }
  }
  const ids = await listCorrected(op, namespace)
  if (ids.length === 0) {
    throw invalidField('source', `finds no corrected capture in ${namespace}`, LEARN_ERRORS.pairs_missing)
  }
  requireEnough(ids.length, 'pairs')
  const taken = { capture_ids: [...ids], statuses: ['approved' as const], most: MOST_CORRECTIONS }
  await refuseSealedCaptures(op, 'source', {
    namespace,
    captures: { statuses: taken.statuses, ids: taken.capture_ids, most: taken.most },
    limits: services.limits,
  })
  return { pairs: { from: 'review', ...taken }, rows: ids.length, namespace }
}

/** Counts the rows to learn from whose answer is unwanted; null where the report of the version does not say. */
async function countUnwanted(op: Operation, datasetId: string, version: number): Promise<number | null> {
  const quality = await findQuality(op, datasetId, version)
  return quality?.labels?.find(({ label }) => label === 'false')?.train ?? null
}

/** The settings of the fit: beta is that of the objective unless the caller gives one; of `orpo` it is lambda. */
function settingsOf({ objective, beta: given, gamma_beta_ratio: ratio, epochs, learning_rate: rate, seed }: Asked) {
  const defaults = defaultObjective(objective)
  const beta = given ?? ('beta' in defaults ? defaults.beta : 'lambda' in defaults ? defaults.lambda : 0)
  const lora = {
    ...(objective === 'orpo' ? { lambda: beta } : { beta }),
    ...(ratio !== undefined && objective === 'simpo' && { gamma_beta_ratio: ratio }),
    ...(epochs !== undefined && { epochs }),
    ...(rate !== undefined && { learning_rate: rate }),
    ...(seed !== undefined && { seed }),
  }
  return { beta, lora }
}
