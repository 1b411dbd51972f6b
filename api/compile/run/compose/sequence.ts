import { findBrokenLink } from '../../../../core/compile/runtime/routing/chain-types.ts'
import type { NamedConcept } from '../../../../core/compile/runtime/routing/route-call.ts'
import type { ComposeBody } from '../../../../core/compile/wire/dispatch/compose.ts'
import { COMPILE_ERRORS } from '../../../../core/compile/errors.ts'
import type { Json } from '../../../../core/kernel/json/json.ts'
import { boundsOf } from '../../../../db/kernel/namespaces/bounds.ts'
import { askConcept, type Composed, type Composer, type Dispatch } from './ask-concept.ts'
import type { RoutedHead } from './routers.ts'

/**
 * Returns the steps of a sequence: the `k` concepts that the query names best, in the order in which it names them. Their
 * types are checked before anything runs. Throws `types_do_not_chain`.
 */
export async function planSteps(
  { services, principal }: Pick<Composer, 'services' | 'principal'>,
  named: readonly NamedConcept<RoutedHead>[],
  { input, k }: Pick<ComposeBody, 'input' | 'k'>,
): Promise<readonly NamedConcept<RoutedHead>[]> {
  const steps = named.slice(0, k).toSorted((a, b) => a.place - b.place)
  const loaded = await Promise.all(
    steps.map(
      async ({ concept: { versionId } }) =>
        await services.recipes.load(principal.tenantId, { versionId }, boundsOf(principal)),
    ),
  )
  const broken = findBrokenLink(
    input,
    loaded.map(({ chain }) => chain),
  )
  if (broken === null) return steps
  const { step, given, takes, missing } = broken
  const [before, at] = [steps[step - 1]?.concept, steps[step]?.concept]
  const from = before === undefined ? 'the input is' : `${before.name} gives`
  const why = missing.length > 0 ? `objects without ${missing.join(', ')}` : given.join(' or ')
  throw COMPILE_ERRORS.types_do_not_chain(`${from} ${why}, and ${at?.name ?? ''} takes ${takes.join(' or ')}`, {
    details: {
      step,
      ...(before !== undefined && { from_concept_id: before.conceptId }),
      ...(at !== undefined && { to_concept_id: at.conceptId }),
      given,
      takes,
      missing,
    },
  })
}

/** Runs steps one after another; the output of each is the input of the next. One without an answer ends the sequence. */
export async function askInTurn(
  composer: Composer,
  steps: readonly NamedConcept<RoutedHead>[],
  input: Json,
): Promise<Composed> {
  const dispatches: Dispatch[] = []
  const candidates = steps.length
  if (candidates === 0) return { output: null, dispatches, candidates, reason: 'no_candidates' }
  let value = input
  for (const step of steps) {
    const dispatch = await askConcept(composer, step, value)
    dispatches.push(dispatch)
    if (dispatch.outcome === null) return { output: null, dispatches, candidates, reason: 'step_failed' }
    const { result } = dispatch.outcome
    if (result.abstained) return { output: null, dispatches, candidates, reason: 'step_abstained' }
    value = result.output
  }
  return { output: value, dispatches, candidates, reason: null }
}
