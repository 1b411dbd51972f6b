import { canonicalJson } from '../../../kernel/json/json.ts'
import { MAX_UNLABELLED } from '../../synthesis/search/pick-unlabelled.ts'
import type { ContentMembers } from '../members/content.ts'
import type { BuildDocument } from '../schemas/build.ts'
import { demand } from './demand.ts'

/** Checks that the facts of unlabelled inputs agree: their number, the listed ones and the share measured on them. */
export function checkUnlabelled(
  build: Pick<BuildDocument, 'seed_provenance' | 'unlabelled_inputs' | 'undecided' | 'recipe_kind'>,
  { evals }: Pick<ContentMembers, 'evals'>,
): void {
  const { seed_provenance: seeds, unlabelled_inputs: inputs = [], undecided, recipe_kind: kind } = build
  const count = seeds.spec === undefined ? 0 : (seeds.unlabelled_count ?? 0)
  const hash = seeds.spec === undefined ? undefined : seeds.unlabelled_hash
  demand(count > 0 === (hash !== undefined), 'seed_provenance: unlabelled inputs have a number and a hash, or neither')
  const hasDigests = evals.spec === 'svc-evals-2' && evals.digests !== undefined
  const distinct = new Set(inputs.map((input) => canonicalJson(input))).size
  demand(
    (inputs.length === Math.min(count, MAX_UNLABELLED) || (hasDigests && inputs.length === 0)) &&
      distinct === inputs.length,
    `unlabelled_inputs: not the inputs of a search with ${count}`,
  )
  if (undecided?.basis !== 'measured') return
  const { value, n } = undecided
  demand(kind === 'program', 'undecided: measured for a recipe that is no program')
  demand(n === count, `undecided: measured on ${n} of ${count} unlabelled inputs`)
  demand(value >= 0 && value <= 1 && Math.round(value * n) / n === value, `undecided: no share of ${n} inputs`)
}
