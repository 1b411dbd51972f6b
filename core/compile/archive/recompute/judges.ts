import { taskEquality } from '../../rows/equality/task-equality.ts'
import { tolerancesOf } from '../../rows/equality/tolerance.ts'
import { splitBothWays } from '../../rows/split/split-rows.ts'
import { unlabelledApart } from '../../rows/intake/unlabelled-apart.ts'
import { negativesApartFrom } from '../../stages/negatives-apart.ts'
import { sidesOf } from '../../stages/sample/sample-part.ts'
import { synthesizeVerifier, withDoubt } from '../../stages/verifier/synthesize-verifier.ts'
import { hashJson } from '../../../kernel/json/json.ts'
import type { ContentMembers } from '../members/content.ts'
import type { RowsForm } from '../../stages/lora/lora-options.ts'
import { toJsonObject } from '../members/members-json.ts'
import type { BuildDocument } from '../schemas/build.ts'
import { demand } from '../verify/demand.ts'
import { compareSplit, compareVerifier } from './compare.ts'
import type { CompiledRows } from './gather-rows.ts'

/**
 * Makes split, equality and checks of a build again from its rows, and compares them: what judges a recipe that a
 * teacher wrote or a trainer fitted, which only its maker could make again. The abstention and
 * the behaviour in doubt are taken as stated.
 */
export function checkJudges(
  { equality, verifier }: Pick<ContentMembers, 'equality' | 'verifier'>,
  build: Pick<BuildDocument, 'seed_provenance' | 'accepted'>,
  { rows, negatives, unlabelled }: CompiledRows,
  form: RowsForm,
): string {
  const { seed_provenance: seeds } = build
  const { split, apart } = splitBothWays(rows, {
    evalSource: seeds.eval_source,
    unlabelled: unlabelledApart(rows, unlabelled).map(({ input }) => input),
    ...(seeds.split_seed === null ? {} : { seed: seeds.split_seed }),
  })
  const own = seeds.split_mode === 'holdout' ? apart : split
  demand(own !== null, 'the rows are too few to hold some out')
  const described = compareSplit(build, own.provenance)
  demand(
    hashJson({ ...taskEquality(rows, own, tolerancesOf(equality)) }) === hashJson({ ...equality }),
    'recipes.json: the rows give another equality',
  )
  const rowsAt = (places: readonly number[]) => places.flatMap((place) => rows[place] ?? [])
  const made = synthesizeVerifier(rowsAt(own.train), {
    negatives: negativesApartFrom(negatives, rowsAt(sidesOf(own).held)),
    abstention: verifier.abstention,
    hidesInputs: form === 'digests',
  })
  const computed = verifier.spec === 'svc-verifier-1' ? made : withDoubt(made, verifier.on_doubt)
  return `${described}; ${compareVerifier(verifier, toJsonObject(computed))}`
}
