import type { z } from 'zod'
import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import type { Limits } from '../../../core/compile/limits.ts'
import { LANES, type Lane } from '../../../core/compile/stages/rentals/lanes.ts'
import { laneNamed } from '../../../core/compile/stages/rentals/providers/open-provider.ts'
import { DEFAULT_BASE } from '../../../core/compile/stages/lora/lora-options.ts'
import { CloudAccepted, cloudBody, CloudQuoteAnswer } from '../../../core/compile/wire/jobs/rentals/cloud.ts'
import { findSensitiveRows, sensitiveRefused } from '../../../core/compile/rows/sensitive-rows.ts'
import { countRows } from '../../../core/compile/wire/given-rows.ts'
import { compileSpec } from '../../../core/compile/wire/jobs/spec.ts'
import { invalidField, isOneOf } from '../../../core/kernel/errors.ts'
import { hashJson } from '../../../core/kernel/json/json.ts'
import type { NewRental } from '../../../db/compile/rentals/begin-rental.ts'

import type { LearningSource } from '../../../db/gateway/captures/learning/read-examples.ts'
import { requireAccess } from '../../gateway/captures/access.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { presentAccepted } from '../jobs/present-accepted.ts'
import { defineRoute, type Call } from '../services.ts'
import type { SubmittedSpec } from '../submit/choices.ts'
import { datasetInMemory, type CheckedDataset, type SpooledDataset } from '../submit/dataset.ts'
import { spoolCaptures, submitFromCaptures } from '../submit/sources/from-captures.ts'
import { noExamples, requireKnown, submit, SUBMIT_ERRORS } from '../submit/submit.ts'
import { payingKey } from './paying-key.ts'
import { presentQuote, quoteOf, requireBudget, type FoundedQuote } from './quote.ts'

const ROUTE = 'compileOnCloud'

type Body = z.output<ReturnType<typeof cloudBody>>
type CloudCall = Call<'key', unknown, unknown, Body>

export const compileOnCloudRoute = defineRoute({
  method: 'post',
  path: '/v1/compile/cloud',
  operationId: ROUTE,
  group: 'compile',
  summary: 'Compile with an adapter that is fitted on a rented GPU',
  description: (limits) =>
    `Without \`confirm\` a quote is answered. With it a job starts whose adapter is fitted on a rented machine; the held-out rows, the gate, the archive and its signature stay here, and the machine gets token ids of train rows only. It goes before \`budget_usd\` (at most ${limits.rental_budget_usd}) is passed. Your own key of the lane's provider is used when you stored one, otherwise the operator's, up to a month's price of your plan.`,
  auth: 'key',
  scope: 'compile:write',
  namespace: 'bounded',
  bodyLimit: 'inline_body_bytes',
  idempotency: 'handler',
  stores: 'blobs',
  body: cloudBody,
  answers: {
    200: envelope('What it would cost', CloudQuoteAnswer),
    202: envelope('The job is accepted and goes on', CloudAccepted),
  },
  errors: [
    ...SUBMIT_ERRORS,
    'busy',
    'capture_forgotten',
    'forbidden',
    'unknown_lane',
    'budget_below_quote',
    'privacy_requires_byoc',
    'rental_not_configured',
  ],
}).handle(async (call) => {
  const lane = laneOf(call.body.backend)
  if (!call.body.confirm) {
    const founded = await quoteOnly(call, lane)
    if (call.body.budget_usd !== undefined) requireBudget(founded, call.body.budget_usd)
    const next = 'repeat the call with confirm: true and a budget_usd of at least estimate.cost_usd to start the job'
    return { status: 200, body: { status: 'quote', backend: lane, estimate: presentQuote(founded), next } }
  }
  const budgetUsd = call.body.budget_usd
  if (budgetUsd === undefined) throw invalidField('budget_usd', 'is required with confirm')
  return await start(call, lane, budgetUsd)
})

function laneOf(name: string): Lane {
  const lane = laneNamed(name)
  if (lane !== undefined) return lane
  throw invalidField('backend', `is not one of ${LANES.join(', ')}`, COMPILE_ERRORS.unknown_lane)
}

async function quoteOnly(call: CloudCall, lane: Lane): Promise<FoundedQuote> {
  const { spec, namespace } = call.body
  const wanted = { lane, baseName: baseOf(call.body), epochs: spec?.lora?.epochs }
  if (spec?.examples !== undefined) {
    return await quoteOf(call.services, { ...wanted, dataset: await inlineDataset(call, spec.examples) })
  }
  if (namespace === undefined) throw noExamples('spec.examples')
  await requireAccess(call, 'capture:read', namespace)
  await requireKnown(call.op, namespace, 'namespace')
  const dataset = await capturedRows(call, { namespace })
  if (dataset === null) return await quoteOf(call.services, { ...wanted, dataset })
  try {
    return await quoteOf(call.services, { ...wanted, baseName: wanted.baseName ?? DEFAULT_BASE, dataset })
  } finally {
    await dataset.release()
  }
}

/** The approved captures of a namespace; null when none of them is an example, or too few are. */
async function capturedRows(call: CloudCall, source: LearningSource): Promise<SpooledDataset | null> {
  const room = { limitBytes: call.services.limits.upload_bytes, usedBytes: 0 }
  try {
    return (await spoolCaptures(call, { source, spec: { tolerances: call.body.spec?.tolerances } }, room)).dataset
  } catch (error) {
    if (isOneOf(error, [COMPILE_ERRORS.no_examples, COMPILE_ERRORS.too_few_examples])) return null
    throw error
  }
}

async function start(call: CloudCall, lane: Lane, budgetUsd: number) {
  const { body, services } = call
  const spec = specOf(body, services.limits)
  const made: { founded?: FoundedQuote } = {}
  const rent = async (dataset: CheckedDataset): Promise<NewRental> => {
    const wanted = { lane, baseName: spec.base_model ?? DEFAULT_BASE, epochs: spec.lora?.epochs, dataset }
    made.founded = await quoteOf(services, wanted)
    return await rentalOf(call, { lane, budgetUsd, founded: made.founded, dataset, task: spec.task })
  }
  const choices = { lane, budget_usd: budgetUsd, allow_sensitive: body.allow_sensitive }
  const { examples } = body.spec ?? {}
  let created
  let dataset: CheckedDataset | null = null
  if (examples !== undefined) {
    dataset = await inlineDataset(call, examples)
    const asked = hashJson({ ...choices, dataset: dataset.sha256 })
    created = await submit(call, { route: ROUTE, spec, dataset, asked, rent })
  } else {
    if (body.namespace === undefined) throw noExamples('spec.examples')
    const source = { namespace: body.namespace }
    created = await submitFromCaptures(call, { route: ROUTE, spec, source, asked: { ...choices, ...source }, rent })
  }
  const wanted = { lane, baseName: baseOf(body), epochs: spec.lora?.epochs, dataset }
  // A repeated call rents nothing, and its quote is made again.
  const founded = made.founded ?? (await quoteOf(services, wanted))
  return {
    status: 202,
    body: {
      ...presentAccepted(created),
      backend: lane,
      estimate: presentQuote(founded),
      rental: {
        managed_by: 'svc' as const,
        teardown: 'automatic' as const,
        budget_usd: budgetUsd,
        workflow: `${created.job.id}/rental`,
      },
    },
  } as const
}

async function inlineDataset(
  call: CloudCall,
  examples: NonNullable<NonNullable<Body['spec']>['examples']>,
): Promise<CheckedDataset> {
  if (countRows(examples) === 0) throw noExamples('spec.examples')
  const { unlabelled_inputs: unlabelled = [], tolerances } = call.body.spec ?? {}
  return datasetInMemory(await call.services.intake.dataset({ examples, unlabelled, tolerances }, call.caller))
}

function specOf(body: Body, limits: Limits): SubmittedSpec {
  const { examples: _examples, unlabelled_inputs: _unlabelled, task, ...choices } = body.spec ?? {}
  const { namespace } = body
  if (task === undefined && namespace === undefined) throw invalidField('spec.task', 'is required')
  const spec = compileSpec(limits).parse({
    recipe_kind: 'lora',
    ...choices,
    task: task ?? `Answer as the approved captures of ${namespace} do`,
    ...(body.base_model !== undefined && { base_model: body.base_model }),
    ...(namespace !== undefined && { corpus_namespace: namespace }),
  })
  return { ...spec, trainer: 'rented' }
}

function baseOf({ base_model: given, spec }: Body): string | undefined {
  return given ?? spec?.base_model ?? (spec?.examples === undefined ? undefined : DEFAULT_BASE)
}

interface Wanted {
  readonly lane: Lane
  readonly budgetUsd: number
  readonly founded: FoundedQuote
  readonly dataset: CheckedDataset
  readonly task: string
}

/**
 * Checks that a machine may be rented for these rows, and returns its order. Throws `budget_below_quote`,
 * `rental_not_configured` and `privacy_requires_byoc`.
 */
async function rentalOf(call: CloudCall, { lane, budgetUsd, founded, dataset, task }: Wanted): Promise<NewRental> {
  const { body } = call
  requireBudget(founded, budgetUsd)
  const providerKeyId = await payingKey(call, lane, budgetUsd)
  const found = await findSensitiveRows(dataset.read(), task)
  if (found.classes.length > 0 && !body.allow_sensitive) {
    const rows = body.spec?.examples === undefined ? 'namespace' : 'spec.examples'
    throw sensitiveRefused(found, { rows, task: 'spec.task' }, 'compile here, redact it, or set allow_sensitive')
  }
  return {
    lane,
    budgetUsdMicros: Math.floor(budgetUsd * 1_000_000),
    rateUsdMicros: Math.ceil(founded.usdPerHour * 1_000_000),
    quote: founded.quote,
    providerKeyId,
    parametersB: founded.parametersB,
    metered: null,
    priority: null,
    allowsSensitive: body.allow_sensitive,
    sensitiveClasses: body.allow_sensitive ? found.classes : [],
  }
}
