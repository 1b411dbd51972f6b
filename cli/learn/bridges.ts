import {
  AutoSynthesizeAnswer,
  ListSuggestionsAnswer,
  SpecialistCandidatesAnswer,
} from '../../core/learn/wire/bridges.ts'
import type { CliContext } from '../context.ts'
import { formatTable, formatTime, plainText } from '../terminal/table.ts'

/** Options of `svc bridges suggestions`. */
export interface SuggestionFlags {
  readonly namespace?: string
  readonly limit: number
}

/** Options of `svc bridges compile`. */
export interface BridgeCompileFlags {
  readonly namespace?: string
  readonly name?: string
  readonly floor?: number
}

/** Characters of a preview in a list. */
const SHOWN = 50

/** `svc bridges suggestions`. */
export async function listSuggestions(context: CliContext, { namespace, limit }: SuggestionFlags): Promise<void> {
  const client = await context.client()
  const query = new URLSearchParams({ limit: String(limit), ...(namespace !== undefined && { namespace }) }).toString()
  const answer = await client.call(`/v1/bridges/suggestions?${query}`, ListSuggestionsAnswer)
  const { suggestions } = answer
  context.output.result(answer, () =>
    suggestions.length === 0
      ? 'no clusters yet: four calls of one template make one, and they are counted each minute'
      : [
          formatTable(
            ['template', 'namespace', 'calls', 'approved', 'saves/month', 'newest call'],
            suggestions.map((cluster) => [
              cluster.template_hash,
              cluster.namespace,
              String(cluster.count),
              String(cluster.approved),
              usd(cluster.est_savings_per_month_usd),
              plainText(cluster.template_preview).slice(0, SHOWN),
            ]),
          ),
          `saving = ${suggestions[0]?.saving.formula ?? ''}; --json has every figure`,
        ].join('\n'),
  )
}

/** `svc bridges compile`. */
export async function compileCluster(context: CliContext, template: string, flags: BridgeCompileFlags): Promise<void> {
  const { namespace, name, floor } = flags
  const client = await context.client()
  const json = {
    template_hash: template,
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
    ...(floor !== undefined && { k_score_floor: floor }),
  }
  const answer = await client.call('/v1/bridges/auto-synthesize', AutoSynthesizeAnswer, { method: 'POST', json })
  context.output.result(
    answer,
    () =>
      `${answer.job_id} compiles ${answer.observations} approved captures of ${answer.namespace}; svc watch ${answer.job_id} follows it`,
  )
}

/** `svc bridges specialists`. */
export async function listSpecialists(context: CliContext): Promise<void> {
  const client = await context.client()
  const answer = await client.call('/v1/bridges/specialist-candidates', SpecialistCandidatesAnswer)
  const { candidates, threshold } = answer
  context.output.result(answer, () =>
    candidates.length === 0
      ? `no recipe has a tenth of ${threshold} calls`
      : formatTable(
          ['concept', 'name', 'kind', 'calls', 'ready', 'last call'],
          candidates.map((recipe) => [
            recipe.recipe_id,
            plainText(recipe.name),
            recipe.recipe_kind,
            String(recipe.invocations),
            recipe.ready ? 'yes' : `at ${recipe.threshold}`,
            formatTime(recipe.last_invoked_at),
          ]),
        ),
  )
}

function usd(amount: number | null): string {
  return amount === null ? 'unknown' : `$${amount.toFixed(2)}`
}
