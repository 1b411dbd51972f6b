import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { z } from 'zod'
import { questionChoices } from '../../../core/compile/wire/jobs/questions.ts'
import { createPreviews } from '../../../api/compile/build/preview-seats.ts'
import { capsFor } from '../../../api/billing/usage/meters.ts'
import { ROUTES } from '../../../api/routes.ts'
import { createResponseCache } from '../../../api/compile/run/response-cache.ts'
import { stepTimes } from '../../../core/billing/dunning.ts'
import type { ComputePool } from '../../../core/compile/stages/pool/pool.ts'
import { createComputeCores } from '../../../core/compile/stages/pool/compute-cores.ts'
import { inlineBounds, uploadBounds } from '../../../core/compile/rows/intake/bounds.ts'
import { operatorBudgetUsd } from '../../../core/compile/stages/rentals/allowance.ts'
import { roomOf } from '../../../core/kernel/storage/room.ts'
import { auditDaysOf } from '../../../core/kernel/tenant/audit-days.ts'
import type { LimitName, Limits } from '../../../core/limits.ts'
import { PLAN_IDS, type PlanId } from '../../../core/kernel/tenant/plans.ts'
import { storedBytesOf } from '../../../core/kernel/tenant/stored-bytes.ts'
import { unpaidAllowanceS } from '../../../db/compile/compute/allowance.ts'
import { shareOf } from '../../../db/compile/compute/compute-share.ts'
import { runningLimit } from '../../../db/compile/jobs/start/admission.ts'
import { quotaOf } from '../../../core/kernel/tenant/quota-of.ts'
import { purgeDay } from '../../../db/overview/deletion/purge/due.ts'

/** A value that a part of the service computes from the limits; it must come out otherwise when the limit is moved. */
type Computed = (limits: Limits) => unknown

const EXAMPLE_JOB = `cmp_${'0'.repeat(26)}`

/** Returns the reading of a call by the input of a route: its fault, or the value. */
function inputOf(operationId: string, part: 'query' | 'body', value: unknown): Computed {
  const route = ROUTES.find((each) => each.operationId === operationId)
  return (limits) => {
    const parsed = route?.schemas(limits)[part]?.safeParse(value)
    if (parsed === undefined) throw new Error(`${operationId} reads no ${part}`)
    return parsed.success ? parsed.data : parsed.error.issues.map(({ path, message }) => [path, message])
  }
}

const dunning: Computed = (limits) => stepTimes(new Date(0), limits)
const caps: Computed = (limits) => capsFor({ limits }, { plan: 'free', quota: null })
const bounds: Computed = (limits) => [inlineBounds(limits), uploadBounds(limits)]

/** The budget that a dry run is given, or how it is refused. */
const preview: Computed = async (limits) => {
  const pool = { preview: async ({ budgetMs }: { budgetMs: number }) => budgetMs }
  const previews = createPreviews(pool as unknown as ComputePool, limits)
  const input = { task: 'x', rows: [], floor: 0 }
  return await previews.run(input, 'caller', new AbortController().signal).catch(String)
}

/** Dry runs of different callers that begin at once. */
const previewsAtOnce: Computed = async (limits) => {
  const end = new AbortController()
  let begun = 0
  const pool = {
    preview: async () => {
      begun++
      await once(end.signal, 'abort')
    },
  }
  const previews = createPreviews(pool as unknown as ComputePool, limits)
  const input = { task: 'x', rows: [], floor: 0 }
  const runs = [1, 2, 3, 4].map(async (caller) => await previews.run(input, `caller ${caller}`, end.signal))
  await nextTurn()
  end.abort()
  await Promise.allSettled(runs)
  return begun
}

/** Room on a disk that is nearly full: what is left for intake, before and while intake is stopped. */
const room: Computed = (limits) => {
  const gib = 1024 ** 3
  const disk = { name: 'spool', totalBytes: 4 * gib, freeBytes: 1.3 * gib, reusableBytes: 0 } as const
  const large = { ...disk, totalBytes: 400 * gib, freeBytes: 1.7 * gib }
  return [disk, large].flatMap((place) => [roomOf([place], false, limits), roomOf([place], true, limits)])
}

const anonymous = { tenantId: 'ten_1', kind: 'anonymous', plan: 'free' } as const
const user = (plan: PlanId) => ({ tenantId: 'ten_1', kind: 'user', plan }) as const

type PlanPrefix =
  | 'rental_usd'
  | 'quota'
  | 'running_jobs'
  | 'audit_days'
  | 'stored_bytes'
  | 'compute_weight'
  | 'unpaid_compute_s_day'

function byPlan(prefix: PlanPrefix, read: (plan: PlanId, limits: Limits) => number) {
  return Object.fromEntries(
    PLAN_IDS.map((plan): [string, Computed] => [`${prefix}_${plan}`, (limits) => read(plan, limits)]),
  )
}

const questions = (limits: Limits) => z.toJSONSchema(questionChoices(limits))

/** By limit, something that follows from it alone. */
export const COMPUTED: Readonly<Partial<Record<LimitName, Computed>>> = {
  ...byPlan('quota', (plan, limits) => quotaOf({ plan, quota: null }, limits)),
  ...byPlan('running_jobs', runningLimit),
  ...byPlan('rental_usd', operatorBudgetUsd),
  rental_budget_usd: inputOf('compileOnCloud', 'body', { backend: 'gpu_vm', budget_usd: 5000 }),
  ...byPlan('audit_days', auditDaysOf),
  ...byPlan('stored_bytes', (plan, limits) => storedBytesOf({ isAnonymous: false, plan }, limits)),
  stored_bytes_anonymous: (limits) => storedBytesOf({ isAnonymous: true, plan: 'free' }, limits),
  ...byPlan('compute_weight', (plan, limits) => shareOf(user(plan), limits).weight),
  compute_weight_anonymous: (limits) => shareOf(anonymous, limits).weight,
  ...byPlan('unpaid_compute_s_day', (plan, limits) => unpaidAllowanceS(user(plan), limits)),
  unpaid_compute_s_day_anonymous: (limits) => unpaidAllowanceS(anonymous, limits),
  questions_per_compile: questions,
  question_wait_s: questions,
  storage_reserve_bytes: room,
  storage_reserve_percent: room,
  storage_resume_percent: room,
  quota_units_per_compile: caps,
  quota_units_per_run: caps,
  quota_units_per_event: caps,
  task_chars: inputOf('createCompile', 'body', { task: 'x'.repeat(5000) }),
  list_page: inputOf('listCompiles', 'query', { limit: '300' }),
  share_link_days: inputOf('createShareLink', 'body', { target_id: EXAMPLE_JOB }),
  preview_examples: inputOf('previewBuilder', 'body', { task: 'x', examples: Array.from({ length: 150 }, () => ({})) }),
  inline_examples: bounds,
  upload_rows: bounds,
  example_bytes: bounds,
  json_depth: bounds,
  unlabelled_inputs: bounds,
  preview_cpu_ms: preview,
  preview_concurrency: previewsAtOnce,
  trainer_threads: (limits) => createComputeCores(16, limits).long.most,
  deleted_tenant_days: (limits) => purgeDay(limits, new Date(0)),
  dunning_days_1: dunning,
  dunning_days_2: dunning,
  dunning_days_3: dunning,
  run_cache_entries: (limits) => {
    const cache = createResponseCache({ ...limits, run_cache_entries: limits.run_cache_entries - 20_000 })
    const answer = { output: 1, abstained: false, confidence: 1, conceptId: 'c', sizeBytes: 1 } as never
    cache.keep('v', 'sha256:0' as never, answer)
    return cache.find('v', 'sha256:0' as never)
  },
}
