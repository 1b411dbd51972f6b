import { z } from 'zod'
import { BILLING_ERRORS } from '../../../core/billing/errors.ts'
import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import { SharedRunAnswer, SharedRunBody } from '../../../core/compile/wire/share/run.ts'
import type { DomainError } from '../../../core/kernel/errors.ts'
import { MODEL_ERRORS } from '../../../core/model/errors.ts'
import { openShareLink } from '../../../db/compile/across/open-share-link.ts'
import { returnLinkRun, takeLinkRun } from '../../../db/compile/share-links/link-runs.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { runRecipe } from '../run/run-recipe.ts'
import { defineRoute } from '../services.ts'
import { LINK_ERRORS, LINK_HEADERS, LinkToken } from './link-terms.ts'

export const runSharedRoute = defineRoute({
  method: 'post',
  path: '/r/{token}/run',
  operationId: 'runShared',
  group: 'run',
  summary: 'Run the artifact of a share link on an input',
  description: ({ share_link_runs: runs }) =>
    `For links that were made with \`allow_run\`: at most ${runs} runs for each link. A run is charged to the quota of the link's owner, as a run of its own; the input is not stored.`,
  auth: 'public',
  scope: undefined,
  limit: { name: 'share-runs', limit: 'share_runs_per_ip_minute', windowS: 60, counts: 'calls' },
  stores: 'bounded',
  params: z.object({ token: LinkToken }),
  body: SharedRunBody,
  answers: { 200: envelope('The output', SharedRunAnswer) },
  errors: [
    ...LINK_ERRORS,
    'share_run_not_allowed',
    'share_runs_used',
    'quota_exhausted',
    'recipe_failed',
    'invalid_archive',
    'base_mismatch',
    'base_not_installed',
    'base_does_not_fit',
    'model_busy',
    'request_timeout',
  ],
}).handle(async ({ services, requestId, params, body, hangUp, whenKept }) => {
  const link = await openShareLink(services.db, { token: params.token, requestId, now: services.now })
  if (link.runLimit === 0) throw COMPILE_ERRORS.share_run_not_allowed('the owner of this link allows no runs')
  const left = await takeLinkRun(link)
  if (left === null) throw COMPILE_ERRORS.share_runs_used('all runs of this link are used')
  try {
    const { result } = await runRecipe(services, link.payer, {
      target: { versionId: link.artifact.versionId },
      input: body.input,
      useCache: true,
      wantsReceipt: false,
      hangUp,
      whenKept,
    })
    return {
      status: 200,
      headers: LINK_HEADERS,
      body: {
        output: result.output,
        abstained: result.abstained,
        confidence: result.confidence,
        unlike_examples: result.unlikeExamples,
        runs_left: left,
      },
    }
  } catch (error) {
    if (MODEL_ERRORS.recipe_failed.matches(error)) throw forVisitor(error)
    await returnLinkRun(link)
    if (!BILLING_ERRORS.quota_exhausted.matches(error)) throw error
    throw BILLING_ERRORS.quota_exhausted("the quota of this link's owner is used up for this month", { cause: error })
  }
})

/** The failure without the version, which names a row of the owner. */
function forVisitor(error: DomainError): DomainError {
  const { version_id: _version, ...details } = error.details ?? {}
  return MODEL_ERRORS.recipe_failed(error.message, { details, cause: error })
}
